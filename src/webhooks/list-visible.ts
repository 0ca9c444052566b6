// This file keeps the records that the receiver of a subscription knows, if its account may read some records only and removals are
// wanted. The table changes in the transactions that queue messages, so that it is as far as the position.
import type { AuthDatabase } from '../auth/database.ts';
import { compareVisible, type EventRequest } from '../service/events/read-events.ts';
import { callOf } from '../service/events/watch.ts';
import type { Service } from '../service/service.ts';
import { WEBHOOK_STATE } from '../service/webhooks/webhook-state.ts';
import { sql, value } from '../sql/fragment.ts';
import { KNOWN_RECORDS } from '../sql/schema/known-record-table.ts';
import { query } from '../store/work.ts';
import type { DeliveryLease } from './delivery-lease.ts';
import { addDeliveries, type Queued } from './delivery-queue.ts';
import { draftsOf } from './drafts.ts';
import type { Subscription } from './read-subscriptions.ts';

/** Records that are stored by one transaction, so that no writer waits long. */
const PART = 1000;

interface Setting {
  readonly service: Service;
  readonly database: AuthDatabase;
  readonly lease: DeliveryLease;
}

export type WatchQuery = Pick<EventRequest, 'principal' | 'watch' | 'root'>;

/** What was found for a subscription. */
interface Listed {
  /** The query and the rights that it belongs to; undefined if the account may read all records. */
  readonly signature: string | undefined;
  /** Messages about records that the receiver knows and that the account does not see. */
  readonly queued: readonly Queued[];
}

/**
 * Compares what the account sees now with what the receiver knows, and stores it: at the start, and after a change of the query or the rights.
 * Returns undefined if the position has been moved meanwhile. Throws: as `compareVisible`.
 */
export async function listVisible(
  { service, database, lease }: Setting,
  subscription: Pick<Subscription, 'uid' | 'format'>,
  { principal, watch, root }: WatchQuery,
  { position, epoch }: { readonly position: string; readonly epoch: bigint },
): Promise<Listed | undefined> {
  const key = { uid: subscription.uid, epoch };
  const known = await storedFor(database, subscription.uid);
  const comparison = { known, limit: Number.MAX_SAFE_INTEGER - 1 };
  const visible = await compareVisible(service, principal, callOf(watch, root), comparison);
  if (visible === undefined) return { signature: undefined, queued: [] };
  const now = service.world.now();
  const change = BigInt(visible.position);
  const queued: Queued[] = [];
  const isKnown = new Set(known);
  const entered = visible.addresses.filter((one) => !isKnown.has(one));
  const { withdrawn } = visible;
  for (let first = 0; first < Math.max(entered.length, withdrawn.length); first += PART) {
    const events = withdrawn.slice(first, first + PART);
    const left = events.map(({ subject }) => ({ address: subject, change }));
    const learned = { entered: entered.slice(first, first + PART), left };
    const drafts = draftsOf(subscription, events).map((draft) => ({ ...draft, position }));
    const added = await database.write(function* () {
      yield* lease.require();
      return yield* addDeliveries(key, drafts, { position, now, learned });
    });
    if (added === undefined) return undefined;
    queued.push(...added);
  }
  const { signature } = visible;
  await database.write(function* () {
    yield* lease.require();
    yield query(
      sql`UPDATE ${WEBHOOK_STATE} SET listed = ${value(signature)} WHERE subscription = ${value(key.uid)} AND epoch = ${value(epoch)}`,
    );
  });
  return { signature, queued };
}

async function storedFor({ read }: AuthDatabase, subscription: bigint): Promise<readonly string[]> {
  const rows = await read(
    sql`SELECT address FROM ${KNOWN_RECORDS} WHERE reader = ${value(subscription)} AND left_with IS NULL`,
  );
  return rows.map(([address]) => String(address));
}
