// This file stores deliveries in the administrative set WebhookDeliveries, which is both the queue and the log, and records what became of
// them. Many are written by one statement, because a delivery costs little more than its rows.
import { type AuthDatabase, nextIdentity } from '../auth/database.ts';
import type { DeliveryState } from '../edm/webhooks/webhook-sets.ts';
import type { Learned } from '../service/events/read-events.ts';
import { learn } from '../service/webhooks/receiver-records.ts';
import {
  DELIVERIES,
  NEXT_VERSION,
  TEST_EVENT,
  WEBHOOK_STATE,
} from '../service/webhooks/webhook-state.ts';
import { join, list, name, sql, value } from '../sql/fragment.ts';
import type { Row, Work } from '../store/database.ts';
import { instant, instantOf } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';

/** A message that is to be sent. */
export interface Draft {
  readonly messageId: string;
  readonly type: string;
  /** Undefined for a batch. */
  readonly subject: string | undefined;
  /** The position after its last event. */
  readonly position: string;
  readonly body: string;
}

/** A message in the queue. */
export interface Queued {
  readonly uid: bigint;
  readonly messageId: string;
  readonly isTest: boolean;
  readonly subject: string | undefined;
  readonly body: string;
  /** When the body was read from the database; 0 if an earlier process did it. In milliseconds since 1970, as all times. */
  readonly readAt: number;
  readonly attempts: number;
  readonly firstAttempt: number | undefined;
  readonly nextAttempt: number | undefined;
}

/** What became of an attempt, or of a message that is no longer sent. */
export interface Outcome {
  readonly state: DeliveryState;
  readonly status: number | undefined;
  readonly response: string;
  readonly nextAttempt: number | undefined;
}

export interface Recorded {
  readonly item: Queued;
  readonly outcome: Outcome;
  /** When the attempt began; undefined if there was none. */
  readonly at: number | undefined;
  /** The body, if it differs from the stored one. */
  readonly body: string | undefined;
}

const RESPONSE_LENGTH = 2000;

/** The end of a page of events. */
export interface ReadUpTo {
  readonly position: string;
  /** When it was read, in milliseconds since 1970. */
  readonly now: number;
  /** What the receiver learns by it. */
  readonly learned: Pick<Learned, 'entered' | 'left'> | undefined;
}

/**
 * Queues messages and stores the position after them, unless the position has been moved meanwhile.
 * @returns the messages, or undefined
 */
export function* addDeliveries(
  { uid, epoch }: { readonly uid: bigint; readonly epoch: bigint },
  drafts: readonly Draft[],
  { position, now, learned }: ReadUpTo,
): Work<readonly Queued[] | undefined> {
  const row = yield* firstRow(
    sql`UPDATE ${WEBHOOK_STATE} SET position = ${value(position)} WHERE subscription = ${value(uid)} AND epoch = ${value(epoch)} RETURNING subscription`,
  );
  if (row === undefined) return undefined;
  if (learned !== undefined) yield* learn(uid, learned);
  if (drafts.length === 0) return [];
  const first = yield* nextIdentity(BigInt(drafts.length));
  const queued = drafts.map((draft, index) => queuedOf(draft, first + BigInt(index), now));
  const rows = drafts.map((draft, index) => rowOf(draft, first + BigInt(index), uid, now));
  yield query(
    sql`INSERT INTO ${DELIVERIES} (${list(COLUMNS.map((one) => name(one)))}) VALUES ${list(rows)}`,
  );
  return queued;
}

const COLUMNS = [
  ...['Uid', 'Subscription', 'MessageId', 'Type', 'Subject', 'Position'],
  ...['State', 'Created', 'Attempts', 'Request'],
];

function rowOf(draft: Draft, uid: bigint, subscription: bigint, now: number) {
  const { messageId, type, subject, position, body } = draft;
  const cells = [
    ...[value(uid), value(subscription), value(messageId), value(type), value(subject ?? null)],
    ...[value(position), value('queued'), instant(now), value(0n), value(body)],
  ];
  return sql`(${list(cells)})`;
}

function queuedOf({ messageId, subject, body }: Draft, uid: bigint, now: number): Queued {
  return {
    uid,
    messageId,
    isTest: false,
    subject,
    body,
    readAt: now,
    attempts: 0,
    firstAttempt: undefined,
    nextAttempt: undefined,
  };
}

/** The queue of a subscription, oldest first. */
export async function queuedFor(
  { read }: AuthDatabase,
  subscription: bigint,
  onlyTests: boolean,
): Promise<readonly Queued[]> {
  const tests = onlyTests ? sql` AND "Type" = ${value(TEST_EVENT)}` : sql``;
  const rows = await read(
    // Few rows are queued, and many may belong to the subscription.
    sql`SELECT ${QUEUED_COLUMNS} FROM ${DELIVERIES}
      WHERE "State" = 'queued' AND coalesce("Subscription", 0) = ${value(subscription)}${tests} ORDER BY "Uid"`,
  );
  return rows.map(storedItem);
}

const QUEUED_COLUMNS = sql`"Uid", "MessageId", "Type", "Subject", "Request", "Attempts", "FirstAttempt", "NextAttempt"`;

/** The messages with these keys that are to be sent before a time. */
export async function dueAmong(
  { read }: AuthDatabase,
  uids: readonly bigint[],
  now: number,
): Promise<readonly Queued[]> {
  if (uids.length === 0) return [];
  const rows = await read(
    sql`SELECT ${QUEUED_COLUMNS} FROM ${DELIVERIES} WHERE "Uid" IN (${list(uids.map((uid) => value(uid)))})
      AND "State" = 'queued' AND ("NextAttempt" IS NULL OR "NextAttempt" <= ${instant(now)}) ORDER BY "Uid"`,
  );
  return rows.map(storedItem);
}

function storedItem(row: Row): Queued {
  const [uid, messageId, type, subject, body, attempts, firstAttempt, nextAttempt] = row;
  return {
    uid: BigInt(String(uid)),
    messageId: String(messageId),
    isTest: type === TEST_EVENT,
    subject: typeof subject === 'string' ? subject : undefined,
    body: String(body ?? ''),
    readAt: 0,
    attempts: Number(attempts ?? 0),
    firstAttempt: instantOf(firstAttempt),
    nextAttempt: instantOf(nextAttempt),
  };
}

/** Records outcomes, those that are equal by one statement. What was cancelled meanwhile stays cancelled. */
export function* recordOutcomes(recorded: readonly Recorded[], now: number): Work<void> {
  for (const [first, ...others] of groupsOf(recorded)) {
    if (first === undefined) continue;
    const { item, outcome, at, body } = first;
    const uids = list([first, ...others].map((one) => value(one.item.uid)));
    const isQueued = outcome.state === 'queued';
    const attempt = at === undefined ? [] : attemptCells(item, at);
    const cells = [
      NEXT_VERSION,
      sql`"State" = ${value(outcome.state)}`,
      sql`"Status" = ${value(outcome.status === undefined ? null : BigInt(outcome.status))}`,
      sql`"Response" = ${value(outcome.response.slice(0, RESPONSE_LENGTH))}`,
      sql`"NextAttempt" = ${instant(outcome.nextAttempt)}`,
      sql`"Finished" = ${isQueued ? value(null) : instant(now)}`,
      ...attempt,
      ...(body === undefined ? [] : [sql`"Request" = ${value(body)}`]),
    ];
    yield query(
      sql`UPDATE ${DELIVERIES} SET ${join(cells, ', ')} WHERE "Uid" IN (${uids}) AND "State" = 'queued'`,
    );
  }
}

function attemptCells({ attempts, firstAttempt }: Queued, at: number) {
  return [
    sql`"Attempts" = ${value(BigInt(attempts + 1))}`,
    sql`"FirstAttempt" = ${instant(firstAttempt ?? at)}`,
    sql`"LastAttempt" = ${instant(at)}`,
  ];
}

/** Outcomes that differ in nothing but the message; first attempts of a moment count as simultaneous. */
function groupsOf(recorded: readonly Recorded[]): Iterable<readonly Recorded[]> {
  const groups = new Map<string, Recorded[]>();
  for (const one of recorded) {
    const { item, outcome, body } = one;
    const isPlain = item.attempts === 0 && body === undefined && outcome.nextAttempt === undefined;
    const key = isPlain ? JSON.stringify(outcome) : String(item.uid);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups.values();
}

/** Deletes what was finished before a time, a part at a time. Returns whether there is more. */
export async function removeFinished(
  { write }: AuthDatabase,
  before: number,
  limit: number,
): Promise<boolean> {
  const old = sql`SELECT "Uid" FROM ${DELIVERIES} WHERE "Finished" < ${instant(before)} ORDER BY "Finished" LIMIT ${value(BigInt(limit))}`;
  return await write(function* () {
    const { rows } = yield query(
      sql`DELETE FROM ${DELIVERIES} WHERE "Uid" IN (${old}) RETURNING "Uid"`,
    );
    return rows.length === limit;
  });
}
