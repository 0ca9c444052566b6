// This file asks before people leave a form with changes, wherever they go: another page, another record in the side panel, or away. What is
// open shows in the path and in the search parameters `peek` and `subscription`.
import { Button, Group, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useText } from '../i18n/text.tsx';
import { Dialog } from './dialog.tsx';

/**
 * Blocks navigation while there are changes. Other tabs of the same record are no other place.
 *
 * @param onLeave called when people leave and give up their changes
 */
export function LeaveGuard({
  isDirty,
  onLeave,
}: {
  readonly isDirty: () => boolean;
  readonly onLeave: () => void;
}) {
  const text = useText();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const place = ({ pathname, search }: { pathname: string; search: unknown }) => {
        const { peek = '', subscription = '' } = search as Readonly<Record<string, string>>;
        return `${pathname} ${peek} ${subscription}`;
      };
      return isDirty() && place(current) !== place(next);
    },
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog onClose={reset} title={text('record.leaveTitle')}>
      <Text size="sm">{text('record.leaveText')}</Text>
      <Group justify="flex-end" mt="md">
        <Button
          variant="default"
          onClick={() => {
            onLeave();
            proceed();
          }}
        >
          {text('record.leaveDiscard')}
        </Button>
        <Button onClick={reset} data-autofocus>
          {text('record.leaveStay')}
        </Button>
      </Group>
    </Dialog>
  );
}
