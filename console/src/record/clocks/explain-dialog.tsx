// This file explains why a record has its deadlines: the agreement and what else was considered, and the intervals that count.
import '@mantine/core/styles/Table.css';
import { Loader, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readTogether } from '../../api/batch.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Scrollable } from '../../components/scrollable.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { type Entity, titleOf } from '../../model/entity.ts';
import { type Model, typeOfSet } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../record.module.css';

export interface Explanation {
  readonly At: string;
  readonly Start: string;
  readonly Agreement: string | null;
  readonly Level: string | null;
  readonly Schedule: string | null;
  readonly TimeZone: string | null;
  readonly PriorityReason: string | null;
  readonly Candidates: readonly {
    readonly Agreement: string;
    readonly Rank: number | null;
    readonly Reason: string;
  }[];
  readonly Clocks: readonly {
    readonly Name: string;
    readonly State: string | null;
    readonly Outcome: string | null;
    readonly Target: string | null;
    readonly Deadline: string | null;
    readonly Elapsed: string | null;
    readonly Remaining: string | null;
    readonly Intervals: readonly {
      readonly Kind: string;
      readonly From: string;
      readonly To: string | null;
      readonly WorkingTime: string | null;
      readonly Cause: string | null;
    }[];
  }[];
}

/** The names of entities by their URLs. */
async function readNames(
  model: Model,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  // Without the origin, which a proxy may have changed.
  const paths = urls.map((url) => url.replace(/^https?:\/\/[^/]+/, ''));
  const results = await readTogether(paths, signal);
  return new Map(
    results.map((result, index) => {
      const url = urls[index] ?? '';
      const set = model.sets.get(/([^/(]+)\([^)]*\)$/.exec(url)?.[1] ?? '');
      if (result.kind === 'failed') return [url, url.replace(/^.*\//, '')];
      const entity = result.value as Entity;
      return [
        url,
        set === undefined
          ? String(entity.Name ?? url)
          : titleOf(model, typeOfSet(model, set), entity),
      ];
    }),
  );
}

export function ExplainDialog({
  explanation,
  error,
  onClose,
}: {
  readonly explanation: Explanation | undefined;
  readonly error: unknown;
  readonly onClose: () => void;
}) {
  const text = useText();
  return (
    <Dialog onClose={onClose} title={text('record.whyTitle')} size="xl">
      {error !== undefined && <ErrorNotice error={error} />}
      {explanation === undefined && error === undefined && <Loader />}
      {explanation !== undefined && <Explained explanation={explanation} />}
    </Dialog>
  );
}

function Explained({ explanation }: { readonly explanation: Explanation }) {
  const text = useText();
  const formats = useFormats();
  const model = useModel();
  const { Agreement, Level, Schedule, TimeZone, Candidates, Clocks, Start } = explanation;
  const urls = [
    ...new Set(
      [Agreement, Level, Schedule, ...Candidates.map((one) => one.Agreement)].filter(
        (url): url is string => url !== null,
      ),
    ),
  ];
  const { data: names } = useQuery({
    queryKey: ['names', ...urls],
    queryFn: async ({ signal }) => await readNames(model, urls, signal),
    enabled: urls.length > 0,
  });
  const nameOf = (url: string | null) =>
    url === null ? text('common.none') : (names?.get(url) ?? '…');
  return (
    <Stack>
      <dl className={classes.changes}>
        <dt>{text('record.agreement')}</dt>
        <dd>{nameOf(Agreement)}</dd>
        <dt>{text('record.level')}</dt>
        <dd>{nameOf(Level)}</dd>
        <dt>{text('record.schedule')}</dt>
        <dd>{`${nameOf(Schedule)}${TimeZone === null ? '' : ` (${TimeZone})`}`}</dd>
        <dt>{text('record.start')}</dt>
        <dd>{formats.dateTime(Start)}</dd>
      </dl>
      {Clocks.map((clock) => (
        <section key={clock.Name}>
          <Title order={3} size="h5">
            {text(clock.Name === 'Response' ? 'record.response' : 'record.resolution')}
          </Title>
          <Text size="sm">
            {text('record.clockFigures', {
              target: clock.Target === null ? '–' : formats.duration(clock.Target),
              elapsed: clock.Elapsed === null ? '–' : formats.duration(clock.Elapsed),
              remaining: clock.Remaining === null ? '–' : formats.duration(clock.Remaining),
            })}
          </Text>
          <Intervals clock={clock} />
        </section>
      ))}
      {Candidates.length > 0 && (
        <section>
          <Title order={3} size="h5">
            {text('record.candidates')}
          </Title>
          <ul>
            {Candidates.map((one) => (
              <li key={one.Agreement}>{`${nameOf(one.Agreement)}: ${one.Reason}`}</li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

function Intervals({ clock }: { readonly clock: Explanation['Clocks'][number] }) {
  const text = useText();
  const formats = useFormats();
  if (clock.Intervals.length === 0) return null;
  return (
    <Scrollable label={text('record.intervals')}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text('record.interval')}</Table.Th>
            <Table.Th>{text('record.from')}</Table.Th>
            <Table.Th>{text('record.to')}</Table.Th>
            <Table.Th>{text('record.workingTime')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {clock.Intervals.map((one) => (
            <Table.Tr key={`${one.Kind} ${one.From}`}>
              <Table.Td>{text(INTERVALS[one.Kind] ?? 'record.intervalStopped')}</Table.Td>
              <Table.Td>{formats.dateTime(one.From)}</Table.Td>
              <Table.Td>{one.To === null ? '–' : formats.dateTime(one.To)}</Table.Td>
              <Table.Td>
                {one.WorkingTime === null ? '–' : formats.duration(one.WorkingTime)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

const INTERVALS: Readonly<Record<string, 'record.intervalCounted' | 'record.intervalPaused'>> = {
  Counted: 'record.intervalCounted',
  Paused: 'record.intervalPaused',
};
