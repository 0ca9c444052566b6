// This file asks before a request that writes is sent.
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../components/dialog.tsx';
import '@mantine/core/styles/Code.css';
import { useText } from '../i18n/text.tsx';
import { type RequestParts, requestUrl } from '../query/request-text.ts';

export function ConfirmWrite({
  parts,
  onCancel,
  onConfirm,
}: {
  readonly parts: RequestParts;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}) {
  const text = useText();
  return (
    <Dialog onClose={onCancel} title={text('explore.confirmTitle')}>
      <Stack>
        <Text size="sm">{text('explore.confirmText', { method: parts.method })}</Text>
        <Code block mah={260}>
          {`${parts.method} ${requestUrl(parts)}${parts.body === '' ? '' : `\n\n${parts.body}`}`}
        </Code>
        <Group justify="end">
          <Button variant="default" onClick={onCancel} data-autofocus>
            {text('common.cancel')}
          </Button>
          <Button color={parts.method === 'DELETE' ? 'red' : 'blue'} onClick={onConfirm}>
            {text('explore.send', { method: parts.method })}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
