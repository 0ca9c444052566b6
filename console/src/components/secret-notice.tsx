// A secret that is shown once, with a button that copies it. It is gone when the notice closes.
import '@mantine/core/styles/Code.css';
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useText } from '../i18n/text.tsx';
import { copyText } from './copy-text.ts';
import { showToast } from './toasts.tsx';

export interface SecretNoticeProps {
  readonly title: string;
  readonly secret: string;
  /** What to do with it. */
  readonly help?: string;
  readonly onDone: () => void;
}

export function SecretNotice({ title, secret, help, onDone }: SecretNoticeProps) {
  const text = useText();
  const copy = async () => {
    if (await copyText(secret)) showToast({ kind: 'result', text: text('common.copied') });
  };
  return (
    <Alert title={title} color="blue" role="status" maw={640}>
      <Stack gap="sm">
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        {help !== undefined && <Text size="xs">{help}</Text>}
        <Group gap="xs">
          <Button size="xs" onClick={() => void copy()}>
            {text('common.copy')}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            {text('common.close')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
