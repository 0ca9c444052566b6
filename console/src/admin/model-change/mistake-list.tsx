// This file shows what is wrong with the files of a model, each mistake with its place.
import { Alert, Code, List, Text } from '@mantine/core';
import '@mantine/core/styles/Code.css';
import '@mantine/core/styles/List.css';
import { RequestFailed } from '../../api/request-failed.ts';
import { useErrorText } from '../../components/error-notice.tsx';
import { useText } from '../../i18n/text.tsx';

export function MistakeList({ error }: { readonly error: unknown }) {
  const text = useText();
  const errorText = useErrorText();
  const details = error instanceof RequestFailed ? error.details : [];
  const count = details.length;
  return (
    <Alert
      color="red"
      role="alert"
      title={count === 0 ? errorText(error) : text('model.mistakes', { count })}
    >
      <List size="sm" spacing="xs">
        {details.map(({ target, message }) => (
          <List.Item key={`${target} ${message}`}>
            {target !== undefined && (
              <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{target}</Code>
            )}
            <Text size="sm">{message}</Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
