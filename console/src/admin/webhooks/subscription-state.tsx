// This file shows the state of a subscription or delivery as a badge.
import { Badge } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import type { Subscription } from './subscription-data.ts';

type ShownState = 'active' | 'failing' | 'paused' | 'disabled';

const COLORS: Readonly<Record<string, string>> = {
  active: 'green',
  failing: 'orange',
  paused: 'gray',
  disabled: 'red',
  queued: 'blue',
  delivered: 'green',
  failed: 'red',
  cancelled: 'gray',
};

/** The state as people see it: an active subscription fails while a message waits that was sent in vain. */
export function stateOf({ State, Deliveries }: Subscription): ShownState {
  const isFailing = State === 'active' && (Deliveries[0]?.Attempts ?? 0) > 0;
  return isFailing ? 'failing' : (State as ShownState);
}

export function SubscriptionBadge({ subscription }: { readonly subscription: Subscription }) {
  const text = useText();
  const state = stateOf(subscription);
  return <StateBadge state={state} label={text(`webhook.state.${state}`)} />;
}

export function StateBadge({ state, label }: { readonly state: string; readonly label: string }) {
  return (
    <Badge variant="light" color={COLORS[state] ?? 'gray'} tt="none" fw={500} miw="max-content">
      {label}
    </Badge>
  );
}
