// This file shows one delivery: what was sent, what the receiver returned, and when it is tried again.
import { Alert, Button, Code, Group, Loader, Stack, Text } from '@mantine/core';
import '@mantine/core/styles/Code.css';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice, useErrorText } from '../../components/error-notice.tsx';
import { RouterAnchor } from '../../components/router-anchor.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { type TextName, useText } from '../../i18n/text.tsx';
import { type DeliveryDetails, useDelivery, useSubscriptionChanges } from './subscription-data.ts';
import { StateBadge } from './subscription-state.tsx';
import classes from './webhooks.module.css';

export function DeliveryDialog({
  uid,
  onClose,
}: {
  readonly uid: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const { data, error, refetch } = useDelivery(uid);
  return (
    <Dialog onClose={onClose} size="xl" title={text('webhook.deliveryTitle', { key: uid })}>
      {error !== null && data === undefined && (
        <ErrorNotice error={error} retry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Loader size="sm" />}
      {data !== undefined && <Details delivery={data} />}
    </Dialog>
  );
}

function Details({ delivery }: { readonly delivery: DeliveryDetails }) {
  const text = useText();
  const { State, Status, Response, Request } = delivery;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <StateBadge state={State} label={text(`webhook.delivery.${State}` as TextName)} />
        {State === 'queued' && <QueueActions uid={String(delivery.Uid)} />}
      </Group>
      <Facts delivery={delivery} />
      <Block
        title={text('webhook.answer')}
        content={[Status, Response].filter((part) => part !== null && part !== '').join('\n')}
      />
      <Block title={text('webhook.request')} content={readable(Request)} />
    </Stack>
  );
}

/** JSON with indentation; other text as it is. */
function readable(body: string | null): string {
  try {
    return body === null ? '' : JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body ?? '';
  }
}

function Block({ title, content }: { readonly title: string; readonly content: string }) {
  if (content === '') return null;
  return (
    <section aria-label={title}>
      <Text size="xs" fw={600} mb={4}>
        {title}
      </Text>
      <Code block mah={280} tabIndex={0} className={classes.body ?? ''}>
        {content}
      </Code>
    </section>
  );
}

function Facts({ delivery }: { readonly delivery: DeliveryDetails }) {
  const text = useText();
  const { dateTime, number } = useFormats();
  const { Subject } = delivery;
  const time = (value: string | null) => (value === null ? null : dateTime(value));
  const facts = [
    ['event', delivery.Type],
    ['messageId', delivery.MessageId],
    ['created', time(delivery.Created)],
    ['attemptCount', number(delivery.Attempts)],
    ['first', time(delivery.FirstAttempt)],
    ['last', time(delivery.LastAttempt)],
    ['next', time(delivery.NextAttempt)],
    ['finished', time(delivery.Finished)],
    ['position', delivery.Position],
  ] as const;
  return (
    <dl className={classes.facts}>
      {Subject !== null && (
        <div>
          <dt>{text('webhook.entity')}</dt>
          <dd>
            <EntityLink subject={Subject} />
          </dd>
        </div>
      )}
      {facts.map(([name, value]) =>
        value === null || value === '' ? null : (
          <div key={name}>
            <dt>{text(`webhook.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** `ServiceRequests(40)` is a record of the console. */
function EntityLink({ subject }: { readonly subject: string }) {
  const [, set, key] = /^([^(/]+)\((.+)\)$/.exec(subject) ?? [];
  if (set === undefined || key === undefined) return subject;
  return (
    <RouterAnchor
      to="/s/$set/$key"
      params={{ set, key: decodeURIComponent(key) }}
      search={{}}
      inherit
    >
      {subject}
    </RouterAnchor>
  );
}

function QueueActions({ uid }: { readonly uid: string }) {
  const text = useText();
  const errorText = useErrorText();
  const { actOnDelivery } = useSubscriptionChanges();
  const [error, setError] = useState<unknown>();
  const act = async (action: 'Retry' | 'Cancel') => {
    setError(undefined);
    await actOnDelivery(uid, action).catch(setError);
  };
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => void act('Retry')}>
        {text('webhook.retry')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => void act('Cancel')}>
        {text('webhook.cancel')}
      </Button>
      {error !== undefined && (
        <Alert color="red" role="alert" p="xs">
          {errorText(error)}
        </Alert>
      )}
    </>
  );
}
