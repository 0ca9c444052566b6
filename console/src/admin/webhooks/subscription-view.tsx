// This file shows one subscription: its state, what can be done with it, its settings and its deliveries.
import { Alert, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretNotice } from '../../components/secret-notice.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { type Subscription, useSubscription, useSubscriptionChanges } from './subscription-data.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { SubscriptionBadge, stateOf } from './subscription-state.tsx';
import { BackLink } from './webhook-links.tsx';

interface ViewProps {
  readonly uid: string;
  /** The secret that was made a moment ago. */
  readonly secret: string | undefined;
  readonly onSecret: (secret: string | undefined) => void;
  /** The state of the deliveries that are listed; undefined for all. */
  readonly state: string | undefined;
  readonly onState: (state: string | undefined) => void;
  /** The delivery that is open. */
  readonly delivery: string | undefined;
  readonly onDelivery: (delivery: string | undefined) => void;
}

export function SubscriptionView(props: ViewProps) {
  const { uid, secret, onSecret, onDelivery } = props;
  const text = useText();
  const { update } = useSubscriptionChanges();
  const { data, error, refetch } = useSubscription(uid);
  if (error !== null && data === undefined)
    return (
      <Stack align="start">
        <BackLink />
        <ErrorNotice error={error} retry={() => void refetch()} />
      </Stack>
    );
  if (data === undefined) return <Skeleton h={320} />;
  return (
    <Stack>
      <Group gap="sm">
        <BackLink />
        <Title order={2} size="h4">
          {data.Name ?? data.Url}
        </Title>
        <SubscriptionBadge subscription={data} />
      </Group>
      <Situation subscription={data} />
      {secret !== undefined && (
        <SecretNotice
          title={text('webhook.secretOnce')}
          help={text('webhook.secretHelp')}
          secret={secret}
          onDone={() => onSecret(undefined)}
        />
      )}
      <SubscriptionActions subscription={data} onSecret={onSecret} onDelivery={onDelivery} />
      <DeliveryList {...props} />
      <Paper withBorder p="md">
        <Title order={3} size="h5" mb="sm">
          {text('webhook.settings')}
        </Title>
        <SubscriptionForm
          key={uid}
          stored={data}
          onSave={async (changes) => {
            await update(uid, changes, data['@odata.etag']);
            return undefined;
          }}
        />
      </Paper>
    </Stack>
  );
}

/** Why the service has disabled it, or what the receiver says; and what waits. */
function Situation({ subscription }: { readonly subscription: Subscription }) {
  const text = useText();
  const { number, dateTime } = useFormats();
  const { Owner, Reason, Deliveries } = subscription;
  const count = Number(subscription['Deliveries@odata.count']);
  const [waiting] = Deliveries;
  const isFailing = stateOf(subscription) === 'failing' && waiting !== undefined;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {text('webhook.owned', { owner: Owner })}{' '}
        {text('webhook.waiting', { count, shown: number(String(count)) })}
      </Text>
      {Reason !== null && (
        <Alert color="red" role="status" p="xs" maw={640} title={text('webhook.disabled')}>
          {Reason} {text('webhook.disabledHelp')}
        </Alert>
      )}
      {isFailing && (
        <Alert color="orange" role="status" p="xs" maw={640} title={text('webhook.failing')}>
          <Text size="sm">
            {[waiting.Status, waiting.Response]
              .filter((part) => part !== null && part !== '')
              .join(' · ')}
          </Text>
          <Text size="sm">
            {text('webhook.attempts', { count: waiting.Attempts })}
            {waiting.NextAttempt !== null &&
              ` ${text('webhook.nextAttempt', { time: dateTime(waiting.NextAttempt) })}`}
          </Text>
        </Alert>
      )}
    </Stack>
  );
}
