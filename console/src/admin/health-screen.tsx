// This file shows whether the service is ready, and what waits or has failed.
import '@mantine/core/styles/Table.css';
import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BatchResult, readTogether } from '../api/batch.ts';
import { consoleUrl } from '../api/client.ts';
import { CONSOLE_ROOT } from '../app/place.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { type Model, memberAt, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { engineSet } from './admin-sets.ts';

/** Beside the console, below the same proxy. */
const READY = `${CONSOLE_ROOT.replace(/\/[^/]*$/, '')}/readyz`;

const COUNTED = [
  'Sessions',
  'FailedActions',
  'OutgoingMessages',
  'UndeliverableAddresses',
  'WorkflowAdvices',
];

interface Health {
  readonly version: string | undefined;
  readonly isReady: boolean;
  /** What the service says. */
  readonly state: string;
  readonly queues: readonly {
    readonly set: string;
    readonly label: string;
    readonly count: string;
  }[];
  readonly states: readonly { readonly state: string; readonly count: string }[];
}

export function HealthScreen() {
  const text = useText();
  const model = useModel();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => await readHealth(model, signal),
    staleTime: 0,
    refetchInterval: 60_000,
  });
  if (error !== null) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <Stack maw={560}>
      <Group>
        <Badge
          tt="none"
          {...(data.isReady ? { variant: 'default' } : { variant: 'filled', color: 'red' })}
        >
          {text(data.isReady ? 'admin.ready' : 'admin.notReady')}
        </Badge>
        {!data.isReady && <Text size="sm">{data.state}</Text>}
        {data.version !== undefined && (
          <Text size="sm">{text('admin.version', { version: data.version })}</Text>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {text('dashboard.refresh')}
        </Button>
      </Group>
      <Queues health={data} />
    </Stack>
  );
}

function Queues({ health: { queues, states } }: { readonly health: Health }) {
  const text = useText();
  const { number } = useFormats();
  return (
    <Table fz="sm">
      <caption className="visually-hidden">{text('admin.queues')}</caption>
      <Table.Tbody>
        {queues.map(({ set, label, count }) => (
          <Table.Tr key={set}>
            <Table.Th scope="row" fw={400}>
              <RouterAnchor to="/s/$set" params={{ set }} search={{}} inherit>
                {label}
              </RouterAnchor>
            </Table.Th>
            <Table.Td ta="end">{number(count)}</Table.Td>
          </Table.Tr>
        ))}
        {states.map(({ state, count }) => (
          <Table.Tr key={state}>
            <Table.Th scope="row" fw={400} ps="xl">
              {text('admin.mailIn', { state })}
            </Table.Th>
            <Table.Td ta="end">{number(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

async function readHealth(model: Model, signal: AbortSignal): Promise<Health> {
  const sets = COUNTED.flatMap((name) => engineSet(model, name) ?? []);
  const mail = engineSet(model, 'OutgoingMessages');
  const state = mail === undefined ? undefined : memberAt(model, typeOfSet(model, mail), 'State');
  const byState = `${mail?.name}?$apply=groupby((State),aggregate($count%20as%20Count))`;
  const paths = [
    ...sets.map(({ name }) => `${name}/$count`),
    ...(state === undefined ? [] : [byState]),
  ];
  const [ready, options, results] = await Promise.all([
    fetch(READY, { signal }),
    fetch(consoleUrl('/session/options'), { signal }),
    readTogether(paths, signal),
  ]);
  const { Version: version }: { readonly Version?: string } = options.ok
    ? await options.json()
    : {};
  return {
    version,
    isReady: ready.ok,
    state: (await ready.text()).trim(),
    queues: sets.map(({ name, label }, index) => ({
      set: name,
      label,
      count: countOf(results[index]),
    })),
    states: state === undefined ? [] : statesOf(results.at(-1)),
  };
}

function countOf(result: BatchResult | undefined): string {
  if (result?.kind === 'value') return String(result.value);
  throw result?.error ?? new Error('The batch has too few responses.');
}

function statesOf(result: BatchResult | undefined): Health['states'] {
  if (result?.kind !== 'value') return [];
  const { value } = result.value as { readonly value: readonly { State: string; Count: string }[] };
  return value.map(({ State, Count }) => ({ state: State, count: String(Count) }));
}
