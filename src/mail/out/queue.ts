// This file stores outgoing messages in the administrative set OutgoingMessages: adds them, leases them to the process that sends them, and
// records what became of them.
import { type AuthDatabase, nextIdentity } from '../../auth/database.ts';
import { MAIL_TABLES, type MessageState, OUTGOING_MESSAGE_TYPE } from '../../edm/mail-sets.ts';
import { type Fragment, join, list, name, sql, tableName, value } from '../../sql/fragment.ts';
import { VERSION_COLUMN } from '../../sql/schema/layout.ts';
import type { Row, Work } from '../../store/database.ts';
import { instant, instantOf, isTrue } from '../../store/stored-values.ts';
import { firstRow, query } from '../../store/work.ts';

/** A message to one recipient. */
export interface Message {
  readonly uid: bigint;
  readonly address: string;
  readonly addressName: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  readonly messageId: string;
  /** The root of the thread first. */
  readonly references: readonly string[];
  readonly isReceipt: boolean;
  readonly attempts: number;
  /** Milliseconds since 1970; undefined before the first attempt. */
  readonly firstAttempt: number | undefined;
}

/** A new message, or one that is only logged because it must not be sent. */
export interface Draft
  extends Omit<Message, 'uid' | 'attempts' | 'firstAttempt' | 'address' | 'text'> {
  readonly rule: string;
  /** The entity and the recipient, relative to the service root. */
  readonly entity: string;
  readonly recipient: string | undefined;
  readonly address: string | undefined;
  /** Undefined if there is nothing that the recipient may read. */
  readonly text: string | undefined;
  /** Why it is not sent. */
  readonly suppressed: string | undefined;
}

/** What became of an attempt. */
export type Outcome =
  | { readonly kind: 'sent'; readonly response: string }
  | { readonly kind: 'failed'; readonly response: string; readonly status: string | undefined }
  | { readonly kind: 'delayed'; readonly response: string; readonly nextAttempt: number };

/** Changes the ETag. */
const NEXT_VERSION = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
const TABLE = tableName(MAIL_TABLES[OUTGOING_MESSAGE_TYPE]);
const RESPONSE_LENGTH = 2000;

const COLUMNS = join(
  [
    'Uid',
    'Address',
    'AddressName',
    'Subject',
    'Text',
    'Html',
    'MessageId',
    'References',
    'Receipt',
    'Attempts',
    'FirstAttempt',
  ].map((column) => name(column)),
  ', ',
);

/** Stores messages as part of a unit of work. */
export function* addMessages(drafts: readonly Draft[], now: number): Work<void> {
  for (const draft of drafts) yield query(insertion(draft, value(yield* nextIdentity()), now));
}

function insertion(draft: Draft, uid: Fragment, now: number): Fragment {
  const isSuppressed = draft.suppressed !== undefined;
  const state: MessageState = isSuppressed ? 'suppressed' : 'queued';
  const cells: readonly (readonly [string, Fragment])[] = [
    ['Uid', uid],
    ['Created', instant(now)],
    ['State', value(state)],
    ['Rule', value(draft.rule)],
    ['Entity', value(draft.entity)],
    ['Recipient', value(draft.recipient ?? null)],
    ['Address', value(draft.address ?? null)],
    ['AddressName', value(draft.addressName ?? null)],
    ['Subject', value(draft.subject)],
    ['Text', value(draft.text ?? null)],
    ['Html', value(draft.html ?? null)],
    ['MessageId', value(draft.messageId)],
    ['References', value(draft.references.join(' '))],
    ['Receipt', value(draft.isReceipt)],
    ['Attempts', value(0n)],
    ['Finished', isSuppressed ? instant(now) : value(null)],
    ['Response', value(draft.suppressed?.slice(0, RESPONSE_LENGTH) ?? null)],
  ];
  const names = list(cells.map(([column]) => name(column)));
  return sql`INSERT INTO ${TABLE} (${names}) VALUES (${list(cells.map(([, cell]) => cell))})`;
}

/** Messages to send now, oldest first: queued ones, and those of processes that have ended while they sent them. */
export async function dueMessages(
  { read }: AuthDatabase,
  now: number,
  limit: number,
): Promise<readonly Message[]> {
  const rows = await read(
    sql`SELECT ${COLUMNS} FROM ${TABLE} WHERE ${isDue(now)} ORDER BY "Uid" LIMIT ${value(BigInt(limit))}`,
  );
  return rows.map(messageOf);
}

function isDue(now: number): Fragment {
  return sql`"State" IN ('queued', 'sending') AND CASE "State" WHEN 'queued' THEN coalesce("NextAttempt" <= ${instant(now)}, ${value(true)})
    ELSE "LeaseEnds" < ${instant(now)} END`;
}

function messageOf(row: Row): Message {
  const [uid, address, addressName, subject, text, html, messageId, references, ...rest] = row;
  const [receipt, attempts, firstAttempt] = rest;
  return {
    uid: BigInt(String(uid)),
    address: String(address),
    addressName: textOf(addressName),
    subject: String(subject ?? ''),
    text: String(text ?? ''),
    html: textOf(html),
    messageId: String(messageId),
    references: String(references ?? '')
      .split(' ')
      .filter((one) => one !== ''),
    isReceipt: isTrue(receipt),
    attempts: Number(attempts ?? 0),
    firstAttempt: instantOf(firstAttempt),
  };
}

const textOf = (cell: Row[number] | undefined) => (typeof cell === 'string' ? cell : undefined);

/** Leases the message to a process. Returns whether that succeeded: another process may have been first, or it was cancelled. */
export async function lease(
  database: AuthDatabase,
  { uid, attempts, firstAttempt }: Message,
  { owner, now, ends }: { readonly owner: string; readonly now: number; readonly ends: number },
): Promise<boolean> {
  return await database.write(function* () {
    const row = yield* firstRow(
      sql`UPDATE ${TABLE} SET ${NEXT_VERSION}, "State" = 'sending', "Lease" = ${value(owner)}, "LeaseEnds" = ${instant(ends)},
        "Attempts" = ${value(BigInt(attempts + 1))}, "FirstAttempt" = ${instant(firstAttempt ?? now)},
        "Delivery" = NULL, "DeliveryStatus" = NULL, "DeliveryDiagnostic" = NULL, "DeliveryReported" = NULL
        WHERE "Uid" = ${value(uid)} AND (${isDue(now)}) RETURNING "Uid"`,
    );
    return row !== undefined;
  });
}

/**
 * Records the outcome, unless the lease has passed to another process.
 * @param follow what else is recorded in the same transaction
 */
export async function finish(
  database: AuthDatabase,
  { uid }: Message,
  outcome: Outcome,
  { owner, now }: { readonly owner: string; readonly now: number },
  follow: () => Work<void>,
): Promise<void> {
  const isDelayed = outcome.kind === 'delayed';
  const state: MessageState = isDelayed ? 'queued' : outcome.kind;
  await database.write(function* () {
    // The report of a failure may arrive before the outcome is recorded.
    const row = yield* firstRow(
      sql`UPDATE ${TABLE} SET ${NEXT_VERSION}, "State" = CASE WHEN "Delivery" = 'failed' THEN 'failed' ELSE ${value(state)} END,
        "Response" = ${value(outcome.response.slice(0, RESPONSE_LENGTH))},
        "NextAttempt" = ${isDelayed ? instant(outcome.nextAttempt) : value(null)}, "Finished" = ${isDelayed ? value(null) : instant(now)},
        "Lease" = NULL, "LeaseEnds" = NULL WHERE "Uid" = ${value(uid)} AND "Lease" = ${value(owner)} RETURNING "Uid"`,
    );
    if (row !== undefined) yield* follow();
  });
}

/** How many messages to an address have been queued or sent since a time. */
export async function countTo(
  { read }: AuthDatabase,
  address: string,
  since: number,
): Promise<number> {
  const [row] = await read(
    // Only the index on Created helps: most messages have the same state.
    sql`SELECT sum(CASE WHEN "State" IN ('queued', 'sending', 'sent') THEN 1 ELSE 0 END) FROM ${TABLE}
      WHERE "Created" > ${instant(since)} AND lower("Address") = ${value(address.toLowerCase())}`,
  );
  return Number(row?.[0] ?? 0);
}

/** The last messages about an entity to an address, oldest first: their identifiers, and when receipts were written. */
export async function threadOf(
  { read }: AuthDatabase,
  entity: string,
  address: string,
  limit: number,
): Promise<readonly { readonly messageId: string; readonly receiptAt: number | undefined }[]> {
  const rows = await read(
    sql`SELECT "MessageId", "Receipt", "Created" FROM ${TABLE} WHERE "Entity" = ${value(entity)} AND lower("Address") = ${value(address.toLowerCase())}
      AND "State" IN ('queued', 'sending', 'sent') ORDER BY "Uid" DESC LIMIT ${value(BigInt(limit))}`,
  );
  return [...rows].reverse().map(([messageId, receipt, created]) => ({
    messageId: String(messageId),
    receiptAt: isTrue(receipt) ? Date.parse(String(created)) : undefined,
  }));
}

/** The entities that messages of this service are about, relative to its root, by Message-ID. */
export async function entitiesOf(
  { read }: AuthDatabase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = list(ids.map((id) => value(id)));
  const rows = await read(
    sql`SELECT "MessageId", "Entity" FROM ${TABLE} WHERE "MessageId" IN (${wanted})`,
  );
  return new Map(rows.map(([id, entity]) => [String(id), String(entity)]));
}
