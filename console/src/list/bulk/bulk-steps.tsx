// This file shows the steps of a change of many rows: its progress, what would happen, and what has happened.
import { Button, Group, Progress, Text } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import { useText } from '../../i18n/text.tsx';
import { entityPath } from '../../model/entity.ts';
import { byMessage, csvCell, type Failure } from './bulk.ts';
import { saveFile } from './export-menu.tsx';
import type { Step } from './use-bulk.ts';

export type BulkKind = 'edit' | 'delete';

/** The texts that differ by what is done. */
const TEXTS = {
  edit: {
    running: 'bulk.running',
    tried: 'bulk.tried',
    run: 'bulk.run',
    finished: 'bulk.finished',
  },
  delete: {
    running: 'bulk.deleting',
    tried: 'bulk.triedDelete',
    run: 'bulk.runDelete',
    finished: 'bulk.finishedDelete',
  },
} as const;

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

export function Running({
  kind,
  step: { done, of, dryRun, isStopping },
  cancel,
}: {
  readonly kind: BulkKind;
  readonly step: StepOf<'running'>;
  readonly cancel: () => void;
}) {
  const text = useText();
  return (
    <>
      <Text role="status">
        {isStopping
          ? text('bulk.stopping')
          : text(dryRun ? 'bulk.trying' : TEXTS[kind].running, { done, of })}
      </Text>
      <Progress value={of === 0 ? 0 : (done / of) * 100} aria-label={text('bulk.progress')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={cancel} disabled={isStopping} data-autofocus>
          {text('common.cancel')}
        </Button>
      </Group>
    </>
  );
}

export function Tried({
  kind,
  step: { keys, result },
  close,
  run,
}: {
  readonly kind: BulkKind;
  readonly step: StepOf<'tried'>;
  readonly close: () => void;
  readonly run: () => void;
}) {
  const text = useText();
  const failed = result.failures.length;
  const fine = keys.length - failed;
  return (
    <>
      <Text role="status">{text(TEXTS[kind].tried, { fine, failed })}</Text>
      <Failures failures={result.failures} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {text('common.cancel')}
        </Button>
        <Button
          disabled={fine === 0}
          onClick={run}
          data-autofocus
          {...(kind === 'delete' ? { color: 'red' } : {})}
        >
          {text(TEXTS[kind].run, { fine })}
        </Button>
      </Group>
    </>
  );
}

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  const text = useText();
  if (failures.length === 0) return null;
  return (
    <ul>
      {byMessage(failures).map(({ message, count }) => (
        <li key={message}>{text('bulk.failure', { message, count })}</li>
      ))}
    </ul>
  );
}

export function Finished({
  kind,
  step: { of, result },
  set,
  close,
  again,
}: {
  readonly kind: BulkKind;
  readonly step: StepOf<'finished'>;
  readonly set: string;
  readonly close: () => void;
  readonly again: () => void;
}) {
  const text = useText();
  const { done, failures } = result;
  const save = () => {
    const lines = failures.map(({ key, message }) =>
      [entityPath(set, key), message].map(csvCell).join(','),
    );
    saveFile(`${set}.csv`, new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' }));
  };
  const failed = failures.length;
  const left = of - done;
  return (
    <>
      <Text role="status">
        {text(TEXTS[kind].finished, { changed: done - failed, failed, left })}
      </Text>
      {failed + left > 0 && <Text size="sm">{text('bulk.staySelected')}</Text>}
      <Failures failures={failures} />
      <Group justify="flex-end">
        {failed > 0 && (
          <Button variant="default" onClick={save}>
            {text('bulk.saveFailures')}
          </Button>
        )}
        {failed + left > 0 && (
          <Button variant="default" onClick={again}>
            {text('common.retry')}
          </Button>
        )}
        <Button onClick={close} data-autofocus>
          {text('common.close')}
        </Button>
      </Group>
    </>
  );
}
