// This file changes one value of a row from the list. The list shows the change while it is saved; if it fails, the old value returns.
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import { requestJson } from '../api/client.ts';
import { RequestFailed } from '../api/request-failed.ts';
import { Dialog } from '../components/dialog.tsx';
import { useErrorText } from '../components/error-notice.tsx';
import { checkValue } from '../components/inputs/check-value.ts';
import { FieldInput } from '../components/inputs/field-input.tsx';
import { showToast } from '../components/toasts.tsx';
import { useLanguage, useText } from '../i18n/text.tsx';
import { type Entity, entityPath, titleOf, valueAt, withValueAt } from '../model/entity.ts';
import type { Column } from '../model/layout.ts';
import type { Model, StructuredType } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { useModel } from '../model/use-model.tsx';
import { sameValue } from '../record/values.ts';
import type { EditTarget } from './edit-target.ts';
import { targetSet } from './filter/use-choices.ts';
import { selectAndExpand } from './list-request.ts';
import { bodyFor } from './member-body.ts';
import type { RowStore } from './row-store.ts';

export interface EditDialogProps {
  readonly set: string;
  readonly type: StructuredType;
  readonly target: EditTarget;
  readonly store: RowStore;
  /** What the list shows of each row. */
  readonly columns: readonly Column[];
  readonly close: () => void;
}

export function EditDialog(props: EditDialogProps) {
  const { set, type, target, close } = props;
  const text = useText();
  const model = useModel();
  const language = useLanguage();
  const id = useId();
  const { column, row } = target;
  const [value, setValue] = useState<unknown>(valueAt(row, column.path) ?? null);
  const [isChecked, setChecked] = useState(false);
  const save = useSave(props);
  const mistake = checkValue(column.member, value, {
    required: !column.member.nullable,
    language,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (mistake !== undefined) return;
    close();
    void save(target, value);
  };
  return (
    <Dialog onClose={close} title={titleOf(model, type, row)} size="sm">
      <form onSubmit={submit}>
        <Stack>
          <FieldInput
            id={id}
            member={column.member}
            label={column.label}
            value={value}
            onChange={setValue}
            required={!column.member.nullable}
            targetSet={targetSet(model, set, column)}
            error={isChecked && mistake ? text(mistake.name, mistake.values) : undefined}
            autoFocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text('common.cancel')}
            </Button>
            <Button type="submit">{text('common.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Milliseconds for which a change can be undone. */
const UNDO_FOR = 10_000;

/** Saves a value and offers to undo it; of a failure it offers another attempt. */
function useSave({ set, type, store, columns }: EditDialogProps) {
  const text = useText();
  const model = useModel();
  const errorText = useErrorText();
  const save = async (target: EditTarget, value: unknown, isUndo = false): Promise<void> => {
    const { key, row, column } = target;
    const changed = withValueAt(row, column.path, value);
    store.replace(key, changed);
    store.setPending(key, true);
    try {
      const body = bodyFor(model, column, value, targetSet(model, set, column));
      const etag = await patch(set, key, row, body);
      const next = { ...changed, '@odata.etag': etag };
      store.replace(key, next);
      const undo = () => void save({ ...target, row: next }, valueAt(row, column.path), true);
      if (!isUndo)
        showToast({
          kind: 'result',
          text: text('list.saved', { property: column.label }),
          closesAfter: UNDO_FOR,
          action: { label: text('list.undo'), run: undo },
        });
    } catch (error) {
      const isMoved = error instanceof RequestFailed && error.status === 412;
      const rowNow = isMoved ? await readRow(model, set, key, type, columns).catch(() => row) : row;
      store.replace(key, rowNow);
      const retry = async () => await save({ ...target, row: rowNow }, value, isUndo);
      const [before, now] = [row, rowNow].map((one) => valueAt(one, column.path));
      // Others have changed other members only.
      if (rowNow !== row && sameValue(model, column.member, before, now)) {
        await retry();
        return;
      }
      showToast({
        kind: 'failure',
        text: errorText(error),
        action: { label: text('common.retry'), run: () => void retry() },
      });
    }
    store.setPending(key, false);
  };
  return save;
}

/** Reads a row as the list has it. */
async function readRow(
  model: Model,
  set: string,
  key: string,
  type: StructuredType,
  columns: readonly Column[],
): Promise<Entity> {
  const { select, expand } = selectAndExpand(model, type, columns);
  const options = [['$select', select] as const, ['$expand', expand] as const];
  return await requestJson<Entity>(pathWith(entityPath(set, key), options));
}

/** Returns the ETag after the change. */
async function patch(set: string, key: string, row: Entity, body: Entity): Promise<unknown> {
  const etag = row['@odata.etag'];
  const saved = await requestJson<Entity>(entityPath(set, key), {
    method: 'PATCH',
    body,
    headers: {
      Prefer: 'return=representation',
      ...(typeof etag === 'string' ? { 'If-Match': etag } : {}),
    },
  });
  return saved['@odata.etag'];
}
