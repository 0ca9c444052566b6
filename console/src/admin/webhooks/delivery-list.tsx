// This file lists the deliveries of a subscription, the newest first, and opens one of them.
import '@mantine/core/styles/Table.css';
import { Button, Group, Select, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Scrollable } from '../../components/scrollable.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { type TextName, useText } from '../../i18n/text.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DELIVERY_STATES, type Delivery, LISTED, useDeliveries } from './subscription-data.ts';
import { StateBadge } from './subscription-state.tsx';

export function DeliveryList({
  uid,
  state,
  onState,
  delivery,
  onDelivery,
}: {
  readonly uid: string;
  readonly state: string | undefined;
  readonly onState: (state: string | undefined) => void;
  readonly delivery: string | undefined;
  readonly onDelivery: (delivery: string | undefined) => void;
}) {
  const text = useText();
  const [listed, setListed] = useState<number>(LISTED[0]);
  const more = LISTED.find((count) => count > listed);
  const { data, error, refetch } = useDeliveries(uid, state, listed);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="end">
        <Title order={3} size="h5">
          {text('webhook.deliveries')}
        </Title>
        <Select
          size="xs"
          label={text('webhook.deliveryState')}
          allowDeselect={false}
          data={[
            { value: '', label: text('webhook.anyState') },
            ...DELIVERY_STATES.map((value) => ({
              value,
              label: text(`webhook.delivery.${value}`),
            })),
          ]}
          value={state ?? ''}
          onChange={(next) => onState(next === '' || next === null ? undefined : next)}
        />
      </Group>
      {error !== null && data === undefined && (
        <ErrorNotice error={error} retry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton h={120} />}
      {data !== undefined && data.rows.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          {text(state === undefined ? 'webhook.noDeliveries' : 'webhook.noneInState')}
        </Text>
      )}
      {data !== undefined && data.rows.length > 0 && <Rows rows={data.rows} onOpen={onDelivery} />}
      {data !== undefined && data.rows.length < data.count && more !== undefined && (
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: 'start' }}
          onClick={() => setListed(more)}
        >
          {text('common.more')}
        </Button>
      )}
      {delivery !== undefined && (
        <DeliveryDialog uid={delivery} onClose={() => onDelivery(undefined)} />
      )}
    </Stack>
  );
}

const HEADINGS = [
  ...([
    'created',
    'state',
    'event',
    'entity',
    'status',
    'attemptCount',
    'next',
    'position',
  ] as const),
];

function Rows({
  rows,
  onOpen,
}: {
  readonly rows: readonly Delivery[];
  readonly onOpen: (uid: string) => void;
}) {
  const text = useText();
  return (
    <Scrollable label={text('webhook.deliveries')}>
      <Table fz="sm" miw={800}>
        <Table.Thead>
          <Table.Tr>
            {HEADINGS.map((name) => (
              <Table.Th key={name} scope="col">
                {text(`webhook.${name}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((one) => (
            <Row key={one.Uid} delivery={one} onOpen={onOpen} />
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

function Row({
  delivery,
  onOpen,
}: {
  readonly delivery: Delivery;
  readonly onOpen: (uid: string) => void;
}) {
  const text = useText();
  const { dateTime, number } = useFormats();
  const { Uid, Type, Subject, Position, State, Created, Attempts, NextAttempt, Status } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={text('webhook.openDelivery', { time: dateTime(Created), key: String(Uid) })}
          onClick={() => onOpen(String(Uid))}
        >
          {dateTime(Created)}
        </Button>
      </Table.Td>
      <Table.Td>
        <StateBadge state={State} label={text(`webhook.delivery.${State}` as TextName)} />
      </Table.Td>
      <Table.Td>{Type?.replace(/^docket\./, '')}</Table.Td>
      <Table.Td>{Subject ?? '–'}</Table.Td>
      <Table.Td>{Status ?? '–'}</Table.Td>
      <Table.Td>{number(Attempts)}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {NextAttempt === null ? '–' : dateTime(NextAttempt)}
      </Table.Td>
      <Table.Td>{Position ?? '–'}</Table.Td>
    </Table.Tr>
  );
}
