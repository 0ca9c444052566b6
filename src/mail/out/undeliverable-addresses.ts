// This file counts final failures by address, in the administrative set UndeliverableAddresses, and blocks addresses at which messages fail
// again and again: a mail server that keeps sending to them is soon rejected everywhere.
import { type AuthDatabase, nextIdentity } from '../../auth/database.ts';
import { MAIL_TABLES, UNDELIVERABLE_ADDRESS_TYPE } from '../../edm/mail-sets.ts';
import { list, name, sql, tableName, value } from '../../sql/fragment.ts';
import { VERSION_COLUMN } from '../../sql/schema/layout.ts';
import type { Work } from '../../store/database.ts';
import { instant, isTrue } from '../../store/stored-values.ts';
import { firstRow, query } from '../../store/work.ts';

const TABLE = tableName(MAIL_TABLES[UNDELIVERABLE_ADDRESS_TYPE]);
/** In milliseconds: an older failure does not count together with a new one. */
const COUNTED_FOR = 30 * 24 * 3600 * 1000;
const DIAGNOSTIC_LENGTH = 2000;
const STATUS_LENGTH = 16;

/** Addressing, mailbox and network (RFC 3463, Enumerated Status Codes), and undefined subjects. Others concern the message or its sender. */
const ABOUT_ADDRESS = /^5\.[0124]\./;
/** The address of the sender. */
const ABOUT_SENDER = /^5\.1\.[78]$/;

/** A failure of a message. */
export interface Failure {
  readonly status: string | undefined;
  readonly diagnostic: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whether a status means that other messages to the address will fail as well. */
export function isAboutAddress(status: string | undefined): boolean {
  return status !== undefined && ABOUT_ADDRESS.test(status) && !ABOUT_SENDER.test(status);
}

/** Counts a failure, and blocks the address if there are as many as `limit`. */
export function* countFailure(
  address: string,
  { status = '', diagnostic = '', at }: Failure,
  limit: number,
): Work<void> {
  const known = yield* firstRow(
    sql`SELECT "Uid", "Failures", "LastFailure", "Blocked" FROM ${TABLE} WHERE "Address" = ${value(address.toLowerCase())}`,
  );
  const [uid, before, last, blocked] = known ?? [];
  const isRecent = known !== undefined && Date.parse(String(last)) > at - COUNTED_FOR;
  const failures = isRecent ? Number(before) + 1 : 1;
  const isBlocked = isTrue(blocked) || failures >= limit;
  const values = [
    [sql`"Blocked"`, value(isBlocked)],
    [sql`"Failures"`, value(BigInt(failures))],
    [sql`"LastFailure"`, instant(at)],
    [sql`"Status"`, value(status.slice(0, STATUS_LENGTH))],
    [sql`"Diagnostic"`, value(diagnostic.slice(0, DIAGNOSTIC_LENGTH))],
  ] as const;
  if (uid === undefined) {
    const columns = list([sql`"Uid"`, sql`"Address"`, ...values.map(([column]) => column)]);
    const cells = [value(yield* nextIdentity()), value(address.toLowerCase())];
    yield query(
      sql`INSERT INTO ${TABLE} (${columns}) VALUES (${list([...cells, ...values.map(([, cell]) => cell)])})`,
    );
    return;
  }
  const changes = list(values.map(([column, cell]) => sql`${column} = ${cell}`));
  yield query(
    sql`UPDATE ${TABLE} SET ${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1, ${changes} WHERE "Uid" = ${value(uid)}`,
  );
}

/** Why the address gets no messages; undefined if it may get them. */
export async function blockedReason(
  { read }: AuthDatabase,
  address: string,
): Promise<string | undefined> {
  const [row] = await read(
    sql`SELECT "Failures", "Diagnostic" FROM ${TABLE} WHERE "Address" = ${value(address.toLowerCase())} AND "Blocked" = ${value(true)}`,
  );
  if (row === undefined) return undefined;
  const [failures, diagnostic] = row;
  const last = String(diagnostic ?? '') === '' ? '' : ` The last one: ${diagnostic}`;
  return `The address is blocked after ${failures} failures (UndeliverableAddresses).${last}`;
}
