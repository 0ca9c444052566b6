// This file changes one property of all selected rows: it asks for the value, tries it without storing, shows what would happen, and then
// runs with progress. Rows that failed stay selected.
import { Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import { useId, useRef, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldInput } from '../../components/inputs/field-input.tsx';
import { useText } from '../../i18n/text.tsx';
import { entityPath } from '../../model/entity.ts';
import type { Column } from '../../model/layout.ts';
import { searchText } from '../../model/search-text.ts';
import { useModel } from '../../model/use-model.tsx';
import { isEditable } from '../edit-target.ts';
import { targetSet } from '../filter/use-choices.ts';
import { possibleColumns } from '../list-columns.ts';
import { bodyFor } from '../member-body.ts';
import { NOTHING_SELECTED } from '../selection.ts';
import { byMessage, csvCell, type Failure, selectionFilter } from './bulk.ts';
import type { BulkBarProps } from './bulk-bar.tsx';
import { type BulkChange, changeRows, type Progress as Done, keysOf } from './bulk-run.ts';
import { saveFile } from './export-menu.tsx';

type Step =
  | { readonly kind: 'ask'; readonly error?: unknown }
  | {
      readonly kind: 'running';
      readonly dryRun: boolean;
      readonly done: number;
      readonly of: number;
    }
  | { readonly kind: 'tried'; readonly keys: readonly string[]; readonly result: Done }
  | { readonly kind: 'finished'; readonly of: number; readonly result: Done };

interface BulkDialogProps extends BulkBarProps {
  readonly close: () => void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { set, type, rights, close } = props;
  const text = useText();
  const model = useModel();
  const columns = possibleColumns(model, type, rights.Unreadable).filter(
    ({ path, member }) => isEditable(model, member) && !(rights.Unchangeable ?? []).includes(path),
  );
  const [column, setColumn] = useState<Column | undefined>(columns[0]);
  const [value, setValue] = useState<unknown>(null);
  const { step, run, cancel } = useBulk(props, column, value);
  const isRunning = step.kind === 'running';
  return (
    <Dialog
      onClose={isRunning ? cancel : close}
      closeOnClickOutside={!isRunning}
      title={text('bulk.edit')}
    >
      <Stack>
        {step.kind === 'ask' && (
          <>
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
            {step.error !== undefined && <ErrorNotice error={step.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {text('common.cancel')}
              </Button>
              <Button disabled={column === undefined} onClick={() => void run(undefined)}>
                {text('bulk.try')}
              </Button>
            </Group>
          </>
        )}
        {isRunning && <Running step={step} cancel={cancel} />}
        {step.kind === 'tried' && (
          <Tried step={step} close={close} run={() => void run(step.keys)} />
        )}
        {step.kind === 'finished' && <Finished step={step} set={set.name} close={close} />}
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

/** Tries and runs the change. */
function useBulk(
  { set, type, query, selection, select, changed }: BulkDialogProps,
  column: Column | undefined,
  value: unknown,
) {
  const model = useModel();
  const [step, setStep] = useState<Step>({ kind: 'ask' });
  const stop = useRef(new AbortController());
  const work = async (known: readonly string[] | undefined) => {
    if (column === undefined) return;
    const dryRun = known === undefined;
    stop.current = new AbortController();
    const { signal } = stop.current;
    setStep({ kind: 'running', dryRun, done: 0, of: known?.length ?? 0 });
    const body = bodyFor(model, column, value, targetSet(model, set.name, column));
    const change: BulkChange = { set: set.name, type, body, dryRun };
    const filter = selectionFilter(type, selection, query.filter);
    const search = selection.kind === 'all' ? searchText(query.search) : undefined;
    const keys = known ?? (await keysOf(change, { filter, search }, signal));
    const report = ({ done }: Done) => setStep({ kind: 'running', dryRun, done, of: keys.length });
    const result = await changeRows(change, keys, report, signal);
    if (dryRun && signal.aborted) setStep({ kind: 'ask' });
    else if (dryRun) setStep({ kind: 'tried', keys, result });
    else {
      setStep({ kind: 'finished', of: keys.length, result });
      const left = [...result.failures.map(({ key }) => key), ...keys.slice(result.done)];
      select(left.length === 0 ? NOTHING_SELECTED : { kind: 'keys', keys: new Set(left) });
      changed();
    }
  };
  const run = async (known: readonly string[] | undefined) => {
    try {
      await work(known);
    } catch (error) {
      setStep(stop.current.signal.aborted ? { kind: 'ask' } : { kind: 'ask', error });
    }
  };
  return { step, run, cancel: () => stop.current.abort() };
}

function Running({
  step,
  cancel,
}: {
  readonly step: Extract<Step, { readonly kind: 'running' }>;
  readonly cancel: () => void;
}) {
  const text = useText();
  const { done, of, dryRun } = step;
  return (
    <>
      <Text role="status">{text(dryRun ? 'bulk.trying' : 'bulk.running', { done, of })}</Text>
      <Progress value={of === 0 ? 0 : (done / of) * 100} aria-label={text('bulk.progress')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={cancel} data-autofocus>
          {text('common.cancel')}
        </Button>
      </Group>
    </>
  );
}

function Tried({
  step: { keys, result },
  close,
  run,
}: {
  readonly step: Extract<Step, { readonly kind: 'tried' }>;
  readonly close: () => void;
  readonly run: () => void;
}) {
  const text = useText();
  const failed = result.failures.length;
  const fine = keys.length - failed;
  return (
    <>
      <Text role="status">{text('bulk.tried', { fine, failed })}</Text>
      <Failures failures={result.failures} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {text('common.cancel')}
        </Button>
        <Button disabled={fine === 0} onClick={run} data-autofocus>
          {text('bulk.run', { fine })}
        </Button>
      </Group>
    </>
  );
}

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  const text = useText();
  return (
    <ul>
      {byMessage(failures).map(({ message, count }) => (
        <li key={message}>{text('bulk.failure', { message, count })}</li>
      ))}
    </ul>
  );
}

function Finished({
  step: { of, result },
  set,
  close,
}: {
  readonly step: Extract<Step, { readonly kind: 'finished' }>;
  readonly set: string;
  readonly close: () => void;
}) {
  const text = useText();
  const { done, failures } = result;
  const save = () => {
    const lines = failures.map(({ key, message }) =>
      [entityPath(set, key), message].map(csvCell).join(','),
    );
    saveFile(`${set}.csv`, new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' }));
  };
  return (
    <>
      <Text role="status">
        {text('bulk.finished', {
          changed: done - failures.length,
          failed: failures.length,
          left: of - done,
        })}
      </Text>
      <Failures failures={failures} />
      <Group justify="flex-end">
        {failures.length > 0 && (
          <Button variant="default" onClick={save}>
            {text('bulk.saveFailures')}
          </Button>
        )}
        <Button onClick={close} data-autofocus>
          {text('common.close')}
        </Button>
      </Group>
    </>
  );
}
