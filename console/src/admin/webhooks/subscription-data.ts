// This file reads subscriptions and their deliveries, and changes them. Administrative sets have no live streams, so screens look for
// changes at intervals while they are visible.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { repeatable, request, requestJson } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import { entityPath } from '../../model/entity.ts';
import { pathWith } from '../../model/query-path.ts';
import { useModel } from '../../model/use-model.tsx';
import { engineSet } from '../admin-sets.ts';

export const KINDS = ['created', 'updated', 'removed', 'deleted'] as const;
export const FORMATS = ['structured', 'batched'] as const;
export const DELIVERY_STATES = ['queued', 'delivered', 'failed', 'cancelled'] as const;

/** What the form of a subscription edits. */
export interface SubscriptionValues {
  readonly Name: string | null;
  readonly Url: string;
  readonly EntitySet: string;
  readonly Filter: string | null;
  readonly Select: string | null;
  readonly Expand: string | null;
  readonly Kinds: readonly string[];
  readonly Format: string;
}

/** A queued delivery, the one with the most attempts. */
interface Waiting {
  readonly Attempts: number;
  readonly NextAttempt: string | null;
  readonly Status: number | null;
  readonly Response: string | null;
}

export interface Subscription extends SubscriptionValues {
  readonly '@odata.etag'?: string;
  readonly Uid: string;
  readonly State: string;
  readonly Reason: string | null;
  readonly Owner: string;
  readonly Deliveries: readonly Waiting[];
  readonly 'Deliveries@odata.count': string | number;
}

/** A delivery in the list. */
export interface Delivery {
  readonly Uid: string;
  readonly Type: string | null;
  readonly Subject: string | null;
  readonly Position: string | null;
  readonly State: string;
  readonly Created: string;
  readonly Attempts: number;
  readonly NextAttempt: string | null;
  readonly Finished: string | null;
  readonly Status: number | null;
}

/** A delivery with what was sent and returned. */
export interface DeliveryDetails extends Delivery {
  readonly MessageId: string | null;
  readonly FirstAttempt: string | null;
  readonly LastAttempt: string | null;
  readonly Response: string | null;
  readonly Request: string | null;
}

/** Milliseconds. */
const LOOK_EVERY = 5000;
const LOOK_SOON = 1000;
const KEY = 'webhooks';
const SYSTEM = 'Docket.System';
/** The backlog, and how often its oldest messages have failed. */
const WAITING = `Deliveries($filter=State eq 'queued';$count=true;$orderby=Attempts desc,Uid;$top=1;$select=Attempts,NextAttempt,Status,Response)`;
const COLUMNS = 'Uid,Type,Subject,Position,State,Created,Attempts,NextAttempt,Finished,Status';
/** How many deliveries are listed, step by step. */
export const LISTED = [10, 50, 250] as const;

/** The names of the sets of this screen. */
function useWebhookSets(): { readonly subscriptions: string; readonly deliveries: string } {
  const model = useModel();
  const name = (set: string) => engineSet(model, set)?.name ?? set;
  return { subscriptions: name('WebhookSubscriptions'), deliveries: name('WebhookDeliveries') };
}

/** All subscriptions in the order of their names. */
export function useSubscriptions() {
  const { subscriptions } = useWebhookSets();
  return useQuery({
    queryKey: [KEY, 'list'],
    queryFn: async ({ signal }) => {
      const path = pathWith(subscriptions, [
        ['$expand', WAITING],
        ['$orderby', 'Name,Uid'],
      ]);
      return (await readAll(path, signal)) as unknown as readonly Subscription[];
    },
    staleTime: 0,
    refetchInterval: LOOK_EVERY,
  });
}

export function useSubscription(uid: string) {
  const { subscriptions } = useWebhookSets();
  return useQuery({
    queryKey: [KEY, uid],
    queryFn: async ({ signal }) => {
      const path = pathWith(entityPath(subscriptions, uid), [['$expand', WAITING]]);
      return await requestJson<Subscription>(path, { signal });
    },
    staleTime: 0,
    refetchInterval: LOOK_EVERY,
  });
}

/** The newest deliveries. @param state undefined for all */
export function useDeliveries(uid: string, state: string | undefined, count: number) {
  const { subscriptions } = useWebhookSets();
  return useQuery({
    queryKey: [KEY, uid, 'deliveries', state, count],
    queryFn: async ({ signal }) => {
      const path = pathWith(`${entityPath(subscriptions, uid)}/Deliveries`, [
        ['$filter', state === undefined ? undefined : `State eq '${state}'`],
        ['$orderby', 'Uid desc'],
        ['$select', COLUMNS],
        ['$count', 'true'],
        ['$top', String(count)],
      ]);
      const page = await requestJson<{
        readonly value: readonly Delivery[];
        readonly '@odata.count': string | number;
      }>(path, { signal });
      return { rows: page.value, count: Number(page['@odata.count']) };
    },
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: LOOK_EVERY,
  });
}

export function useDelivery(uid: string) {
  const { deliveries } = useWebhookSets();
  return useQuery({
    queryKey: [KEY, 'delivery', uid],
    queryFn: async ({ signal }) =>
      await requestJson<DeliveryDetails>(entityPath(deliveries, uid), { signal }),
    staleTime: 0,
    // People wait for a test or a new attempt.
    refetchInterval: ({ state }) => (state.data?.State === 'queued' ? LOOK_SOON : LOOK_EVERY),
  });
}

export interface SubscriptionChanges {
  /** Creates a subscription; returns its key. */
  readonly create: (values: SubscriptionValues) => Promise<string>;
  /** @param etag the version that the changes are based on; undefined for whatever the present one is */
  readonly update: (uid: string, body: object, etag?: string) => Promise<void>;
  readonly remove: (uid: string) => Promise<void>;
  /** Makes a secret, which nothing can read again. */
  readonly rotateSecret: (uid: string) => Promise<string>;
  /** Sends a message without content; returns the key of its delivery. */
  readonly test: (uid: string) => Promise<string>;
  readonly replay: (uid: string, from: string) => Promise<void>;
  readonly actOnDelivery: (uid: string, action: 'Retry' | 'Cancel') => Promise<void>;
}

/** The changes, after which the screens read again, after failures because others may have changed something. Each rejects with RequestFailed. */
export function useSubscriptionChanges(): SubscriptionChanges {
  const { subscriptions, deliveries } = useWebhookSets();
  const client = useQueryClient();
  const changed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      await client.invalidateQueries({ queryKey: [KEY] });
    }
  };
  const act = async <T>(path: string, action: string, body: object = {}, headers = repeatable()) =>
    await changed(requestJson<T>(`${path}/${SYSTEM}.${action}`, { method: 'POST', headers, body }));
  const pathOf = (uid: string) => entityPath(subscriptions, uid);
  return {
    create: async (body) => {
      const options = { method: 'POST', headers: repeatable(), body };
      const { Uid } = await changed(requestJson<{ readonly Uid: string }>(subscriptions, options));
      return String(Uid);
    },
    update: async (uid, body, etag) => {
      const headers = etag === undefined ? {} : { 'If-Match': etag };
      await changed(request(pathOf(uid), { method: 'PATCH', headers, body }));
    },
    remove: async (uid) => {
      await request(pathOf(uid), { method: 'DELETE' });
      await client.invalidateQueries({ queryKey: [KEY, 'list'] });
    },
    // The service stores no response with a secret, so this request cannot be repeatable.
    rotateSecret: async (uid) =>
      (await act<{ readonly value: string }>(pathOf(uid), 'RotateSecret', {}, {})).value,
    test: async (uid) => String((await act<{ readonly Uid: string }>(pathOf(uid), 'Test')).Uid),
    replay: async (uid, From) => await act(pathOf(uid), 'Replay', { From }),
    actOnDelivery: async (uid, action) => await act(entityPath(deliveries, uid), action),
  };
}
