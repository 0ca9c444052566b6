// Stores the hashes of passwords in a table that no client query can reach, and which accounts must change theirs.
import { type Fragment, sql, tableName, value } from '../sql/fragment.ts';
import type { Work } from '../store/database.ts';
import { query } from '../store/work.ts';
import { endOtherLogins, type LoginOwner, RAISE_REVISION } from './auth-store.ts';
import type { AuthDatabase } from './database.ts';

/** Stores the password hash of an account and ends its logins, because someone who knew the old password may have opened them. */
export async function storePassword(
  database: AuthDatabase,
  account: bigint,
  hash: string,
  now: number,
): Promise<void> {
  await database.write(() => storePasswordIn({ account }, hash, now));
}

/** The same, as part of other work. */
export function* storePasswordIn(owner: LoginOwner, hash: string, now: number): Work<void> {
  const { account } = owner;
  yield* forgetPasswords(sql`account = ${value(account)}`);
  yield query(
    sql`INSERT INTO ${tableName('docket_credential')} (account, hash, changed) VALUES (${value(account)}, ${value(hash)}, ${value(BigInt(now))})`,
  );
  yield* endOtherLogins(owner);
}

/** Deletes the password hashes of accounts, and what is known about them. */
export function* forgetPasswords(condition: Fragment): Work<void> {
  for (const table of ['docket_credential', 'docket_temporary_password'])
    yield query(sql`DELETE FROM ${tableName(table)} WHERE ${condition}`);
}

/** Notes that an account must change its password. Its logins end, so that the next one does so. */
export function* requireOtherPassword(account: bigint, now: number): Work<void> {
  const table = tableName('docket_temporary_password');
  yield query(
    sql`INSERT INTO ${table} (account, since) VALUES (${value(account)}, ${value(BigInt(now))}) ON CONFLICT DO NOTHING`,
  );
  yield* endOtherLogins({ account });
}

/** Notes that an account may keep its password. */
export function* permitPassword(account: bigint): Work<void> {
  yield query(
    sql`DELETE FROM ${tableName('docket_temporary_password')} WHERE account = ${value(account)}`,
  );
  yield query(RAISE_REVISION);
}

/** Whether this is the stored hash of the account. */
export function* isHashOf(account: bigint, hash: string): Work<boolean> {
  const { rows } = yield query(
    sql`SELECT hash FROM ${tableName('docket_credential')} WHERE account = ${value(account)}`,
  );
  return rows[0]?.[0] === hash;
}
