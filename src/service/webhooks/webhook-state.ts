// This file keeps what the engine knows of each subscription besides its record: the account whose rights apply, the position in the change
// log, and the secrets. The table belongs to no entity set, so that no request can read it.
import { limitedByKey } from '../../access/key-rights.ts';
import type { Principal } from '../../access/principal.ts';
import { nextIdentity } from '../../auth/database.ts';
import {
  type DeliveryState,
  WEBHOOK_DELIVERY_TYPE,
  WEBHOOK_SUBSCRIPTION_TYPE,
  WEBHOOK_TABLES,
} from '../../edm/webhooks/webhook-sets.ts';
import { type Fragment, list, name, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import { KNOWN_RECORDS } from '../../sql/schema/known-record-table.ts';
import { VERSION_COLUMN } from '../../sql/schema/layout.ts';
import { NEWEST_CHANGE } from '../../sql/write/change-log.ts';
import type { Work } from '../../store/database.ts';
import { instant } from '../../store/stored-values.ts';
import { firstRow, query } from '../../store/work.ts';
import { type ReplayStart, restoreKnown } from './receiver-records.ts';

/**
 * `roles` is a JSON array: the roles of the API key with which the owner has last changed the subscription; null for all of the account.
 * `epoch` grows with every change of the queue that the delivering process did not make. `previous` is valid until `previous_until`, in
 * milliseconds since 1970. `listed` identifies the query and the rights with which the visible records were added to docket_known_record;
 * null before, and for accounts that may read all records.
 */
export const WEBHOOK_TABLE: EngineTable = {
  name: 'docket_webhook',
  columns: `subscription integer NOT NULL PRIMARY KEY, account integer NOT NULL, roles text, position text NOT NULL, epoch integer NOT NULL,
    secret text, previous text, previous_until integer, listed text`,
  keyed: true,
};

export const WEBHOOK_STATE = tableName(WEBHOOK_TABLE.name);
export const SUBSCRIPTIONS = tableName(WEBHOOK_TABLES[WEBHOOK_SUBSCRIPTION_TYPE]);
export const DELIVERIES = tableName(WEBHOOK_TABLES[WEBHOOK_DELIVERY_TYPE]);
/** Changes the ETag. */
export const NEXT_VERSION = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;

/** The event that the action Test sends. */
export const TEST_EVENT = 'docket.webhook.test';

/** The owner of a subscription, and what limits the rights. */
export interface OwnerState {
  readonly account: bigint;
  /** Undefined for all roles of the account. */
  readonly roles: readonly string[] | undefined;
}

/** The account with the rights that events are read with. */
export function ownerPrincipal(principal: Principal, roles: OwnerState['roles']): Principal {
  if (roles === undefined) return principal;
  return limitedByKey(principal, { roles, readOnly: true, pageSize: undefined });
}

/** The account of a principal, with the roles that an API key leaves it. */
export function ownerStateOf({ account, key, roles }: Principal): OwnerState {
  return { account, roles: key === undefined ? undefined : roles };
}

export function* readOwner(subscription: bigint): Work<OwnerState | undefined> {
  const row = yield* firstRow(
    sql`SELECT account, roles FROM ${WEBHOOK_STATE} WHERE subscription = ${value(subscription)}`,
  );
  if (row === undefined) return undefined;
  return { account: BigInt(String(row[0])), roles: rolesIn(row[1]) };
}

/** Roles as stored. */
export function rolesIn(cell: unknown): readonly string[] | undefined {
  const roles: unknown = typeof cell === 'string' ? JSON.parse(cell) : undefined;
  return Array.isArray(roles) ? roles.map(String) : undefined;
}

/** Keeps the owner of a new subscription, which follows the changes after a position. */
export function* addState(subscription: bigint, owner: OwnerState, position: string): Work<void> {
  yield query(sql`INSERT INTO ${WEBHOOK_STATE} (subscription, account, roles, position, epoch)
    VALUES (${value(subscription)}, ${value(owner.account)}, ${storedRoles(owner)}, ${value(position)}, 1)`);
}

export function* storeRoles(subscription: bigint, owner: OwnerState): Work<void> {
  yield query(
    sql`UPDATE ${WEBHOOK_STATE} SET roles = ${storedRoles(owner)} WHERE subscription = ${value(subscription)}`,
  );
}

function storedRoles({ roles }: OwnerState): Fragment {
  return value(roles === undefined ? null : JSON.stringify(roles));
}

/** Removes what is kept of deleted subscriptions. */
export function* removeStates(): Work<void> {
  yield query(
    sql`DELETE FROM ${WEBHOOK_STATE} WHERE subscription NOT IN (SELECT "Uid" FROM ${SUBSCRIPTIONS})`,
  );
  yield query(
    sql`DELETE FROM ${KNOWN_RECORDS} WHERE reader NOT IN (SELECT "Uid" FROM ${SUBSCRIPTIONS})`,
  );
}

/** Stores a secret. The one before remains valid until a time. */
export function* storeSecret(subscription: bigint, secret: string, until: number): Work<void> {
  yield query(sql`UPDATE ${WEBHOOK_STATE} SET previous = secret, previous_until = ${value(BigInt(until))}, secret = ${value(secret)}
    WHERE subscription = ${value(subscription)}`);
}

export function* hasSecret(subscription: bigint): Work<boolean> {
  const row = yield* firstRow(
    sql`SELECT secret FROM ${WEBHOOK_STATE} WHERE subscription = ${value(subscription)}`,
  );
  return typeof row?.[0] === 'string';
}

/** Continues after a position, and cancels what is queued. */
export function* moveTo(subscription: bigint, start: ReplayStart, now: number): Work<void> {
  yield query(
    sql`UPDATE ${WEBHOOK_STATE} SET position = ${value(start.position)}, listed = NULL WHERE subscription = ${value(subscription)}`,
  );
  yield* restoreKnown(subscription, start);
  yield query(sql`UPDATE ${DELIVERIES} SET ${NEXT_VERSION}, "State" = ${value('cancelled' satisfies DeliveryState)}, "NextAttempt" = ${value(null)},
    "Finished" = ${instant(now)}, "Response" = ${value('Replay has moved the position.')}
    WHERE "Subscription" = ${value(subscription)} AND "State" = 'queued'`);
  yield* announce(subscription);
}

/** Lets queued deliveries be tried for the whole time again, and begin now. */
export function* restart(subscription: bigint): Work<void> {
  yield query(sql`UPDATE ${DELIVERIES} SET ${NEXT_VERSION}, "FirstAttempt" = ${value(null)}, "NextAttempt" = ${value(null)}, "Attempts" = 0
    WHERE "Subscription" = ${value(subscription)} AND "State" = 'queued'`);
  yield* announce(subscription);
}

/** Lets the delivering process read the queue of the subscription again. */
export function* announce(subscription: bigint): Work<void> {
  yield query(
    sql`UPDATE ${WEBHOOK_STATE} SET epoch = epoch + 1 WHERE subscription = ${value(subscription)}`,
  );
}

/** Queues a message that the action Test sends, and returns its key. */
export function* queueTest(subscription: bigint, root: string, now: number): Work<bigint> {
  const uid = yield* nextIdentity();
  const time = new Date(now).toISOString();
  const id = `test-${uid}`;
  const event = { specversion: '1.0', id, source: root, type: TEST_EVENT, time };
  const cells: readonly (readonly [string, Fragment])[] = [
    ['Uid', value(uid)],
    ['Subscription', value(subscription)],
    ['MessageId', value(`${subscription}-${id}`)],
    ['Type', value(TEST_EVENT)],
    ['State', value('queued' satisfies DeliveryState)],
    ['Created', instant(now)],
    ['Attempts', value(0n)],
    ['Request', value(JSON.stringify(event))],
  ];
  const names = list(cells.map(([column]) => name(column)));
  yield query(
    sql`INSERT INTO ${DELIVERIES} (${names}) VALUES (${list(cells.map(([, cell]) => cell))})`,
  );
  yield* announce(subscription);
  return uid;
}

/** The number of the newest change at a point in time. */
export function* changeAt(time: string): Work<bigint> {
  const row = yield* firstRow(
    sql`SELECT coalesce(max("seq"), 0) FROM ${tableName('docket_change')} WHERE "at" <= ${value(time)}`,
  );
  return BigInt(String(row?.[0] ?? 0));
}

/** The number of the last change. */
export function* newestChange(): Work<bigint> {
  const row = yield* firstRow(sql`SELECT ${NEWEST_CHANGE}`);
  return BigInt(String(row?.[0] ?? 0));
}
