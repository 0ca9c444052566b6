// This file changes one property of all selected rows, or deletes them: it asks, tries it without storing, shows what would happen, and then
// runs with progress.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldInput } from '../../components/inputs/field-input.tsx';
import { useText } from '../../i18n/text.tsx';
import type { Column } from '../../model/layout.ts';
import { useModel } from '../../model/use-model.tsx';
import { isEditable } from '../edit-target.ts';
import { targetSet } from '../filter/use-choices.ts';
import { possibleColumns } from '../list-columns.ts';
import { bodyFor } from '../member-body.ts';
import type { BulkBarProps } from './bulk-bar.tsx';
import { type BulkKind, Finished, Running, Tried } from './bulk-steps.tsx';
import { useBulk } from './use-bulk.ts';

interface BulkDialogProps extends BulkBarProps {
  readonly close: () => void;
}

export function BulkEditDialog(props: BulkDialogProps) {
  const { set, type, rights } = props;
  const text = useText();
  const model = useModel();
  const columns = possibleColumns(model, type, rights.Unreadable).filter((column) =>
    isEditable({ model, type, rights }, column),
  );
  const [column, setColumn] = useState<Column | undefined>(columns[0]);
  const [value, setValue] = useState<unknown>(null);
  const target = column && targetSet(model, set.name, column);
  const body = column === undefined ? {} : bodyFor(model, column, value, target);
  return (
    <Steps {...props} kind="edit" body={body} isReady={column !== undefined}>
      <NativeSelect
        label={text('bulk.property')}
        data-autofocus
        value={column?.path}
        data={columns.map(({ path, label }) => ({ value: path, label }))}
        onChange={(event) => {
          setColumn(columns.find(({ path }) => path === event.currentTarget.value));
          setValue(null);
        }}
      />
      {column !== undefined && (
        <ValueField set={set.name} column={column} value={value} change={setValue} />
      )}
    </Steps>
  );
}

export function BulkDeleteDialog(props: BulkDialogProps) {
  const text = useText();
  const contained = [...props.type.members.values()].filter((member) => member.contained);
  return (
    <Steps {...props} kind="delete" body={undefined} isReady>
      <Text size="sm">{text('bulk.deleteText')}</Text>
      {contained.length > 0 && (
        <Text size="sm">
          {text('record.deleteWith', { names: contained.map(({ label }) => label).join(', ') })}
        </Text>
      )}
    </Steps>
  );
}

interface StepsProps extends BulkDialogProps {
  readonly kind: BulkKind;
  readonly body: ReturnType<typeof bodyFor> | undefined;
  readonly isReady: boolean;
  /** What is asked first. */
  readonly children: React.ReactNode;
}

function Steps(props: StepsProps) {
  const { kind, body, isReady, set, close, children } = props;
  const text = useText();
  const { step, run, cancel, again } = useBulk(props, body);
  const isRunning = step.kind === 'running';
  return (
    <Dialog
      onClose={isRunning ? cancel : close}
      closeOnClickOutside={!isRunning}
      title={text(`bulk.${kind}`)}
    >
      <Stack>
        {step.kind === 'ask' && (
          <>
            {children}
            {step.error !== undefined && <ErrorNotice error={step.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {text('common.cancel')}
              </Button>
              <Button
                disabled={!isReady}
                onClick={() => void run(undefined)}
                {...(kind === 'delete' ? { 'data-autofocus': true } : {})}
              >
                {text('bulk.try')}
              </Button>
            </Group>
          </>
        )}
        {isRunning && <Running kind={kind} step={step} cancel={cancel} />}
        {step.kind === 'tried' && (
          <Tried kind={kind} step={step} close={close} run={() => void run(step.keys)} />
        )}
        {step.kind === 'finished' && (
          <Finished kind={kind} step={step} set={set.name} close={close} again={again} />
        )}
      </Stack>
    </Dialog>
  );
}

function ValueField({
  set,
  column,
  value,
  change,
}: {
  readonly set: string;
  readonly column: Column;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}) {
  const model = useModel();
  const id = useId();
  return (
    <FieldInput
      key={column.path}
      id={id}
      member={column.member}
      label={column.label}
      value={value}
      onChange={change}
      required={!column.member.nullable}
      targetSet={targetSet(model, set, column)}
    />
  );
}
