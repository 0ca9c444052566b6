// This file is the screen for webhooks: all subscriptions, one of them, or a new one. The URL says which, and what is open of it.
import { Paper, Stack, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { type SubscriptionValues, useSubscriptionChanges } from './subscription-data.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { SubscriptionList } from './subscription-list.tsx';
import { SubscriptionView } from './subscription-view.tsx';
import { BackLink, NEW } from './webhook-links.tsx';

interface Search {
  readonly subscription?: string | undefined;
  readonly state?: string | undefined;
  readonly delivery?: string | undefined;
}

export function WebhooksScreen() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  /** Kept in memory only, and while the screen is open. */
  const [made, setMade] = useState<{ readonly uid: string; readonly secret: string }>();
  const go = (next: Search) => void navigate({ to: '.', search: next as never });
  const { subscription: uid } = search;
  if (uid === undefined) return <SubscriptionList />;
  if (uid === NEW)
    return (
      <NewSubscription
        onCreated={(created, secret) => {
          setMade(secret === undefined ? undefined : { uid: created, secret });
          go({ subscription: created });
        }}
      />
    );
  return (
    <SubscriptionView
      key={uid}
      uid={uid}
      secret={made?.uid === uid ? made.secret : undefined}
      onSecret={(secret) => setMade(secret === undefined ? undefined : { uid, secret })}
      state={search.state}
      onState={(state) => go({ ...search, state })}
      delivery={search.delivery}
      onDelivery={(delivery) => go({ ...search, delivery })}
    />
  );
}

function NewSubscription({
  onCreated,
}: {
  /** The secret is undefined if the service has not made one, which can be done later. */
  readonly onCreated: (uid: string, secret: string | undefined) => void;
}) {
  const text = useText();
  const { create, rotateSecret } = useSubscriptionChanges();
  const save = async (changes: Partial<SubscriptionValues>) => {
    const uid = await create(changes as SubscriptionValues);
    const secret = await rotateSecret(uid).catch(() => undefined);
    return () => onCreated(uid, secret);
  };
  return (
    <Stack>
      <BackLink />
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="sm">
          {text('webhook.new')}
        </Title>
        <SubscriptionForm stored={undefined} onSave={save} />
      </Paper>
    </Stack>
  );
}
