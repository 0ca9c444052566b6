// This file deletes a record after it has named what goes with it, and shows what prevents it.
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import '@mantine/core/styles/List.css';
import { useState } from 'react';
import { request } from '../api/client.ts';
import { type ErrorDetail, RequestFailed } from '../api/request-failed.ts';
import { Dialog } from '../components/dialog.tsx';
import { useErrorText } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import type { EntitySet, StructuredType } from '../model/model.ts';
import { recordPath, rejectChange } from './record-data.ts';

export function DeleteDialog({
  set,
  recordKey,
  type,
  etag,
  title,
  onClose,
  onDeleted,
}: {
  readonly set: EntitySet;
  readonly recordKey: string;
  readonly type: StructuredType;
  readonly etag: string | undefined;
  readonly title: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const contained = [...type.members.values()].filter((member) => member.contained);
  const remove = async () => {
    setBusy(true);
    try {
      await request(recordPath(set, recordKey, type), {
        method: 'DELETE',
        headers: etag === undefined ? {} : { 'If-Match': etag },
      }).catch(async (error) => await rejectChange(set.name, recordKey, error));
      onDeleted();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const details: readonly ErrorDetail[] = problem instanceof RequestFailed ? problem.details : [];
  return (
    <Dialog onClose={onClose} title={text('record.deleteTitle')}>
      <Stack>
        <Text size="sm">{text('record.deleteText', { title })}</Text>
        {contained.length > 0 && (
          <Text size="sm">
            {text('record.deleteWith', { names: contained.map(({ label }) => label).join(', ') })}
          </Text>
        )}
        {problem !== undefined && (
          <Alert color="red" role="alert" title={errorText(problem)}>
            {details.length > 0 && (
              <List size="sm">
                {details.map(({ target, message }) => (
                  <List.Item key={`${target} ${message}`}>{message}</List.Item>
                ))}
              </List>
            )}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {text('common.cancel')}
          </Button>
          <Button color="red" loading={isBusy} onClick={() => void remove()}>
            {text('common.delete')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
