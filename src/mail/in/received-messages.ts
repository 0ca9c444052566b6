// This file stores messages before they are parsed, so that none is lost when the process ends. What identifies a delivery stays after its
// message has become a record: the same delivery is not stored again.
import { createHash } from 'node:crypto';
import type { AuthDatabase } from '../../auth/database.ts';
import { type Fragment, integer, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import { query } from '../../store/work.ts';
import type { Delivery } from './message.ts';

/**
 * `raw` is base64, and null once the message is a record. `recipients` are separated by spaces. `next`: when the next attempt is due. Times are in
 * milliseconds.
 */
export const RECEIVED_MESSAGE_TABLE: EngineTable = {
  name: 'docket_received_message',
  columns: `identity text NOT NULL, digest text NOT NULL, size integer NOT NULL, received integer NOT NULL, sender text, recipients text,
    fault text, raw text, next integer, attempts integer NOT NULL, error text`,
  key: ['identity'],
  indexes: { docket_received_message_next: ['next'] },
};

const TABLE = tableName(RECEIVED_MESSAGE_TABLE.name);
const FIRST_DELAY = 1000;
const LONGEST_DELAY = 600_000;
const ERROR_LENGTH = 2000;
/** How long deliveries are remembered: longer than a mail server sends one again. */
const REMEMBERED = 90 * 86_400_000;

/** A stored message that is not a record yet. */
export interface ReceivedMessage extends Delivery {
  readonly identity: string;
  readonly attempts: number;
}

/** Stores a delivery, unless it has been stored already. */
export async function storeDelivery(
  database: AuthDatabase,
  identity: string,
  { raw, receivedAt, sender, recipients, fault }: Delivery,
): Promise<void> {
  const digest = createHash('sha256').update(raw).digest('hex');
  const content = Buffer.from(raw).toString('base64');
  const at = time(receivedAt);
  await database.write(function* () {
    yield query(sql`INSERT INTO ${TABLE} (identity, digest, size, received, sender, recipients, fault, raw, next, attempts)
      VALUES (${value(identity)}, ${value(digest)}, ${value(BigInt(raw.length))}, ${at}, ${value(sender ?? null)},
        ${value(recipients.join(' '))}, ${value(fault ?? null)}, ${value(content)}, ${at}, 0)
      ON CONFLICT DO NOTHING`);
  });
}

/** Whether a delivery has been stored. */
export async function isStored(database: AuthDatabase, identity: string): Promise<boolean> {
  const rows = await database.read(sql`SELECT 1 FROM ${TABLE} WHERE identity = ${value(identity)}`);
  return rows.length > 0;
}

/** The message whose attempt is due, and that has waited longest; undefined if there is none. */
export async function nextMessage(
  database: AuthDatabase,
  now: number,
): Promise<ReceivedMessage | undefined> {
  const [row] =
    await database.read(sql`SELECT identity, received, sender, recipients, fault, raw, attempts FROM ${TABLE}
    WHERE next <= ${time(now)} ORDER BY next, identity LIMIT 1`);
  if (row === undefined) return undefined;
  const [identity, received, sender, recipients, fault, raw, attempts] = row;
  return {
    identity: String(identity),
    receivedAt: Number(received),
    sender: sender === null ? undefined : String(sender),
    recipients: String(recipients ?? '')
      .split(' ')
      .filter((address) => address !== ''),
    fault: fault === null ? undefined : String(fault),
    raw: Buffer.from(String(raw), 'base64'),
    attempts: Number(attempts),
  };
}

/** The message has become a record. */
export async function removeContent(database: AuthDatabase, identity: string): Promise<void> {
  await database.write(function* () {
    yield query(
      sql`UPDATE ${TABLE} SET raw = NULL, next = NULL, error = NULL WHERE identity = ${value(identity)}`,
    );
  });
}

/** The message could not be stored as a record. It is tried again, more and more rarely, without end. */
export async function postpone(
  database: AuthDatabase,
  { identity, attempts }: Pick<ReceivedMessage, 'identity' | 'attempts'>,
  now: number,
  error: string,
): Promise<void> {
  const next = now + Math.min(FIRST_DELAY * 2 ** attempts, LONGEST_DELAY);
  await database.write(function* () {
    yield query(sql`UPDATE ${TABLE} SET next = ${time(next)}, attempts = ${integer(attempts + 1)},
      error = ${value(error.slice(0, ERROR_LENGTH))} WHERE identity = ${value(identity)}`);
  });
}

/** Forgets old deliveries. */
export async function forgetDeliveries(database: AuthDatabase, now: number): Promise<void> {
  await database.write(function* () {
    yield query(
      sql`DELETE FROM ${TABLE} WHERE next IS NULL AND received < ${time(now - REMEMBERED)}`,
    );
  });
}

function time(milliseconds: number): Fragment {
  return value(BigInt(Math.trunc(milliseconds)));
}
