// This file starts the delivery of webhooks. One process of an installation does it; should two do so for a moment, a lease decides.
import { type AuthDatabase, authDatabase } from '../auth/database.ts';
import { addressList } from '../http/address-ranges.ts';
import {
  callbackOf,
  OPEN_CALLBACKS,
  removeFinishedCallbacks,
} from '../service/callbacks/callback-table.ts';
import type { Service } from '../service/service.ts';
import { forgetRecords } from '../service/webhooks/receiver-records.ts';
import { sql } from '../sql/fragment.ts';
import { NEWEST_CHANGE } from '../sql/write/change-log.ts';
import { startJob } from '../store/background-job.ts';
import { CallbackDelivery } from './callback-delivery.ts';
import { DeliveryLease } from './delivery-lease.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { removeFinished } from './delivery-queue.ts';
import { disabler } from './disable.ts';
import { readSubscriptions, type Subscription } from './read-subscriptions.ts';
import { OutcomeRecorder } from './record-batch.ts';
import { SubscriptionDelivery } from './subscription-delivery.ts';

/** The settings under `webhooks` that concern deliveries. */
export interface WebhookSettings {
  readonly allowedRanges: readonly string[];
  readonly connections: number;
  readonly timeoutSeconds: number;
  readonly retryHours: number;
  readonly logDays: number;
}

interface WebhookPlace {
  /** The service root in events. */
  readonly root: string;
  /** The version of the service, for User-Agent. */
  readonly version: string;
  /** Milliseconds between searches for changes. */
  readonly interval?: number;
}

/** Milliseconds between searches for changes, and between removals of old deliveries. */
const INTERVAL = 500;
const REMOVAL_INTERVAL = 600_000;
/** Deliveries that are removed by one transaction, so that no writer waits long. */
const REMOVED = 500;
const HOUR = 3_600_000;

/** Delivers events, now and at intervals. Returns the function that stops this. Errors are observed. */
export function startWebhooks(
  service: Service,
  settings: WebhookSettings,
  { root, version, interval = INTERVAL }: WebhookPlace,
): () => Promise<void> {
  const { world, observe } = service;
  const database = authDatabase(service.database);
  const timeout = settings.timeoutSeconds * 1000;
  const lease = new DeliveryLease(database, world, timeout);
  const deliverer = new Deliverer({
    service,
    database,
    lease,
    recorder: new OutcomeRecorder(database, world, lease),
    disable: disabler(service, database, lease),
    settings: {
      rules: { allowed: addressList(settings.allowedRanges) },
      connections: settings.connections,
      timeout,
      span: settings.retryHours * HOUR,
      root,
      agent: `Docket/${version}`,
    },
  });
  const before = () => world.now() - settings.logDays * 24 * HOUR;
  const stops = [
    startJob('webhooks', interval, observe, async () => await deliverer.run()),
    startJob('webhook log', REMOVAL_INTERVAL, observe, (signal) =>
      removeOld(database, before(), signal),
    ),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await deliverer.stop();
    // A lease that cannot be given up, because the database is away, ends by itself.
    await lease
      .release()
      .catch((error: unknown) => observe({ kind: 'failure', id: 'webhooks', error }));
  };
}

async function removeOld(
  database: AuthDatabase,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  let hasMore = true;
  while (hasMore && !signal.aborted) hasMore = await removeFinished(database, before, REMOVED);
  await database.write(removeFinishedCallbacks);
  await database.write(forgetRecords);
}

/** The deliveries of all subscriptions. */
class Deliverer {
  readonly #parts: DeliveryParts;
  readonly #deliveries = new Map<bigint, SubscriptionDelivery>();
  readonly #callbacks: CallbackDelivery;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#callbacks = new CallbackDelivery(parts);
  }

  /** Lets each delivery continue with the current subscriptions and changes. */
  async run(): Promise<void> {
    const { database, service } = this.#parts;
    const readAt = service.world.elapsed();
    const subscriptions = await readSubscriptions(database, service.world.now());
    const current = new Set(subscriptions.map(({ uid }) => uid));
    for (const [uid, delivery] of this.#deliveries) {
      if (current.has(uid)) continue;
      this.#deliveries.delete(uid);
      await delivery.stop();
    }
    const callbacks = (await database.read(OPEN_CALLBACKS)).map(callbackOf);
    if (subscriptions.length === 0 && callbacks.length === 0) return;
    const [row] = await database.read(sql`SELECT ${NEWEST_CHANGE}`);
    const newest = BigInt(String(row?.[0] ?? 0));
    this.#update(subscriptions, newest, readAt);
    await this.#callbacks.run(callbacks, newest);
  }

  #update(subscriptions: readonly Subscription[], newest: bigint, readAt: number): void {
    for (const subscription of subscriptions) {
      const { uid } = subscription;
      const delivery =
        this.#deliveries.get(uid) ?? new SubscriptionDelivery(this.#parts, subscription);
      this.#deliveries.set(uid, delivery);
      delivery.update(subscription, newest, readAt);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.#callbacks.stop(),
      ...[...this.#deliveries.values()].map((one) => one.stop()),
    ]);
  }
}
