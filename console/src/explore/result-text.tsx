// This file shows the content of a response as text.
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import '@mantine/core/styles/Code.css';
import { copyText } from '../components/copy-text.ts';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import type { Answer } from './run-request.ts';

/** Characters. Longer texts would block the page. */
const SHOWN = 200_000;

export function ResultText({ answer }: { readonly answer: Answer }) {
  const text = useText();
  const content = answer.json === undefined ? answer.text : JSON.stringify(answer.json, null, 2);
  const copy = async () => {
    if (await copyText(content)) showToast({ kind: 'result', text: text('common.copied') });
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {content.length > SHOWN ? text('explore.shortened') : ''}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={() => void copy()}>
          {text('common.copy')}
        </Button>
      </Group>
      <Code block mah={560} fz="xs" tabIndex={0} role="region" aria-label={text('explore.json')}>
        {content.slice(0, SHOWN)}
      </Code>
    </Stack>
  );
}
