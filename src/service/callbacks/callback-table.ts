// This file stores callbacks. One waits for an asynchronous request or for changes of a delta link, and then has a delivery in the set
// WebhookDeliveries, which belongs to no subscription.
import { nextIdentity } from '../../auth/database.ts';
import type { DeliveryState } from '../../edm/webhooks/webhook-sets.ts';
import { list, name, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Row, Work } from '../../store/database.ts';
import { instant } from '../../store/stored-values.ts';
import { firstRow, query } from '../../store/work.ts';
import { DELIVERIES, type OwnerState, rolesIn } from '../webhooks/webhook-state.ts';

/**
 * `delivery`: the key of the delivery, once there is one. `job`: the request that is not finished. `held`: 1 while the client of the request
 * may still get the response itself. `call`: the read of the delta link whose changes are waited for. A callback without job and call is
 * queued. `roles` as in docket_webhook.
 */
export const CALLBACK_TABLE: EngineTable = {
  name: 'docket_callback',
  columns: `delivery integer NOT NULL PRIMARY KEY, account integer NOT NULL, roles text, url text NOT NULL, job text, held integer NOT NULL,
    call text`,
  indexes: { docket_callback_job: ['job'], docket_callback_account: ['account'] },
};

/** The types of deliveries, as those of events are. */
const REQUEST_FINISHED = 'docket.callback.request';
const LINK_CHANGED = 'docket.callback.delta';

const CALLBACKS = tableName(CALLBACK_TABLE.name);
const SUBJECT_LENGTH = 1000;

/** The call that reads a delta link whose changes are waited for, as JSON. */
export type WaitingLink = string;

/** What a callback waits for. */
export type Awaited =
  | { readonly kind: 'job'; readonly id: string; readonly isHeld: boolean }
  | { readonly kind: 'changes'; readonly link: WaitingLink };

export interface NewCallback {
  readonly url: string;
  readonly owner: OwnerState;
  readonly awaits: Awaited;
}

/**
 * Stores a callback, in place of an earlier one of the account for the same URL and delta link.
 * @returns whether it was stored; false if so many callbacks of the account wait already
 */
export function* addCallback(
  { url, owner: { account, roles }, awaits }: NewCallback,
  limit: number,
): Work<boolean> {
  const link = awaits.kind === 'changes' ? awaits.link : undefined;
  if (link !== undefined)
    yield query(
      sql`DELETE FROM ${CALLBACKS} WHERE account = ${value(account)} AND url = ${value(url)} AND call = ${value(link)}`,
    );
  const row = yield* firstRow(
    sql`SELECT count(*) FROM ${CALLBACKS} WHERE account = ${value(account)} AND (job IS NOT NULL OR call IS NOT NULL)`,
  );
  if (Number(row?.[0] ?? 0) >= limit) return false;
  const job = awaits.kind === 'job' ? awaits : undefined;
  const cells = [
    value(yield* nextIdentity()),
    value(account),
    value(roles === undefined ? null : JSON.stringify(roles)),
    value(url),
    value(job?.id ?? null),
    value(job?.isHeld === true ? 1n : 0n),
    value(link ?? null),
  ];
  yield query(
    sql`INSERT INTO ${CALLBACKS} (delivery, account, roles, url, job, held, call) VALUES (${list(cells)})`,
  );
  return true;
}

/**
 * Queues the callback of a request that is finished.
 * @param subject the status monitor, relative to the service root
 * @param link set if the response is a delta link without changes, which are waited for then
 */
export function* finishCallback(
  job: string,
  {
    subject,
    now,
    link,
  }: { readonly subject: string; readonly now: number; readonly link: WaitingLink | undefined },
): Work<void> {
  const row = yield* firstRow(
    sql`SELECT delivery FROM ${CALLBACKS} WHERE job = ${value(job)} AND held = 0`,
  );
  if (row === undefined) return;
  const delivery = BigInt(String(row[0]));
  if (link === undefined) return yield* queue(delivery, REQUEST_FINISHED, subject, now);
  yield query(
    sql`UPDATE ${CALLBACKS} SET job = NULL, call = ${value(link)} WHERE delivery = ${value(delivery)}`,
  );
}

/** The client has been referred to the status monitor. */
export function* releaseCallback(job: string): Work<void> {
  yield query(sql`UPDATE ${CALLBACKS} SET held = 0 WHERE job = ${value(job)}`);
}

/** Drops the callback of a request whose response nobody waits for. */
export function* dropCallbackOf(job: string): Work<void> {
  yield query(sql`DELETE FROM ${CALLBACKS} WHERE job = ${value(job)}`);
}

export function* dropCallback(delivery: bigint): Work<void> {
  yield query(sql`DELETE FROM ${CALLBACKS} WHERE delivery = ${value(delivery)}`);
}

/** Queues the callback of a delta link that has changes. @param subject the link, relative to the service root */
export function* queueChanged(delivery: bigint, subject: string, now: number): Work<void> {
  yield* queue(delivery, LINK_CHANGED, subject, now);
}

function* queue(delivery: bigint, type: string, subject: string, now: number): Work<void> {
  const updated = yield* firstRow(
    sql`UPDATE ${CALLBACKS} SET job = NULL, call = NULL
      WHERE delivery = ${value(delivery)} AND (job IS NOT NULL OR call IS NOT NULL) RETURNING delivery`,
  );
  if (updated === undefined) return;
  const cells = [
    ['Uid', value(delivery)],
    ['MessageId', value(`callback-${delivery}`)],
    ['Type', value(type)],
    ['Subject', value(subject.length > SUBJECT_LENGTH ? null : subject)],
    ['State', value('queued' satisfies DeliveryState)],
    ['Created', instant(now)],
    ['Attempts', value(0n)],
  ] as const;
  const names = list(cells.map(([column]) => name(column)));
  yield query(
    sql`INSERT INTO ${DELIVERIES} (${names}) VALUES (${list(cells.map(([, cell]) => cell))})`,
  );
}

/** Deletes callbacks whose deliveries are finished. */
export function* removeFinishedCallbacks(): Work<void> {
  yield query(sql`DELETE FROM ${CALLBACKS} WHERE job IS NULL AND call IS NULL
    AND delivery NOT IN (SELECT "Uid" FROM ${DELIVERIES} WHERE "State" = 'queued')`);
}

/** A callback that waits for changes, or has a delivery in the queue. */
export interface StoredCallback {
  readonly delivery: bigint;
  readonly owner: OwnerState;
  readonly url: string;
  /** Undefined if it is queued. */
  readonly link: WaitingLink | undefined;
}

/** Selects the callbacks that do not wait for a request, in the order of `callbackOf`. */
export const OPEN_CALLBACKS = sql`SELECT delivery, account, roles, url, call FROM ${CALLBACKS} WHERE job IS NULL ORDER BY delivery`;

export function callbackOf([delivery, account, roles, url, call]: Row): StoredCallback {
  return {
    delivery: BigInt(String(delivery)),
    owner: { account: BigInt(String(account)), roles: rolesIn(roles) },
    url: String(url),
    link: typeof call === 'string' ? call : undefined,
  };
}
