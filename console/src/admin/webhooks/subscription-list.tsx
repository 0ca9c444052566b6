// This file lists all subscriptions with their states and backlogs.
import '@mantine/core/styles/Table.css';
import { Skeleton, Stack, Table, Text } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RouterAnchor } from '../../components/router-anchor.tsx';
import { Scrollable } from '../../components/scrollable.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { useModel } from '../../model/use-model.tsx';
import { type Subscription, useSubscriptions } from './subscription-data.ts';
import { SubscriptionBadge } from './subscription-state.tsx';
import { NewLink } from './webhook-links.tsx';

export function SubscriptionList() {
  const text = useText();
  const { data, error, refetch } = useSubscriptions();
  if (error !== null && data === undefined)
    return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={160} />;
  return (
    <Stack align="start">
      <Text size="sm" maw={640}>
        {text('webhook.help')}
      </Text>
      <NewLink />
      {data.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          {text('webhook.none')}
        </Text>
      ) : (
        <Rows rows={data} />
      )}
    </Stack>
  );
}

function Rows({ rows }: { readonly rows: readonly Subscription[] }) {
  const text = useText();
  const names = ['name', 'state', 'url', 'set', 'owner'] as const;
  return (
    <div style={{ width: '100%', minWidth: 0 }}>
      <Scrollable label={text('admin.webhooks')}>
        <Table fz="sm" verticalSpacing="xs" miw={720}>
          <Table.Thead>
            <Table.Tr>
              {names.map((name) => (
                <Table.Th key={name} scope="col">
                  {text(`webhook.${name}`)}
                </Table.Th>
              ))}
              <Table.Th scope="col" ta="end">
                {text('webhook.backlog')}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((one) => (
              <Row key={one.Uid} subscription={one} />
            ))}
          </Table.Tbody>
        </Table>
      </Scrollable>
    </div>
  );
}

function Row({ subscription }: { readonly subscription: Subscription }) {
  const { sets } = useModel();
  const { number } = useFormats();
  const { Uid, Name, Url, EntitySet, Owner, Reason } = subscription;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <RouterAnchor
          to="/admin/$page"
          params={{ page: 'webhooks' }}
          search={{ subscription: String(Uid) }}
          inherit
        >
          {Name ?? Url}
        </RouterAnchor>
      </Table.Th>
      <Table.Td maw={260}>
        <SubscriptionBadge subscription={subscription} />
        {Reason !== null && (
          <Text size="xs" c="dimmed" lineClamp={2} title={Reason}>
            {Reason}
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
        {Url}
      </Table.Td>
      <Table.Td>{sets.get(EntitySet)?.label ?? EntitySet}</Table.Td>
      <Table.Td>{Owner}</Table.Td>
      <Table.Td ta="end">{number(String(subscription['Deliveries@odata.count']))}</Table.Td>
    </Table.Tr>
  );
}
