// This file shows an error with its message and a way to try again.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { RequestFailed } from '../api/request-failed.ts';
import { useText } from '../i18n/text.tsx';

export function ErrorNotice({
  error,
  retry,
  title,
}: {
  readonly error: unknown;
  /** What happened, where no request has failed. */
  readonly title?: string;
  readonly retry?: (() => void) | undefined;
}) {
  const text = useText();
  const errorText = useErrorText()(error);
  const requestId = error instanceof RequestFailed ? error.requestId : undefined;
  return (
    <Alert color="red" role="alert" m="md" title={title ?? errorText}>
      <Stack align="start" gap="xs">
        {requestId !== undefined && (
          <Text size="xs" c="dimmed">
            {text('common.requestId', { id: requestId })}
          </Text>
        )}
        {retry !== undefined && (
          <Button variant="default" size="xs" onClick={retry}>
            {text('common.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A function that puts an error into words. */
export function useErrorText(): (error: unknown) => string {
  const text = useText();
  return (error) => {
    if (!(error instanceof RequestFailed)) return text('app.crashed');
    if (error.status === 0) return text('common.unreachable');
    if (error.status === 412) return text('common.changed');
    if (error.status === 403) return `${text('common.noAccess')} ${error.message}`;
    return text('common.failed', { message: error.message });
  };
}
