// Stores the second factors of accounts in tables that no client query can reach: the secret of the authenticator app, which its codes are
// checked with, and hashes of recovery codes. A code counts once: the interval of the last one is stored, and earlier ones are rejected.
import { Fault } from '../../base/fault.ts';
import type { World } from '../../base/world.ts';
import { type Fragment, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Work } from '../../store/database.ts';
import { firstRow, query } from '../../store/work.ts';
import { hashRecoveryCode, intervalOf, makeRecoveryCodes, makeSecret } from './codes.ts';

export const SECOND_FACTOR_TABLES: readonly EngineTable[] = [
  {
    // `used`: the interval of the last accepted code; 0 until a code has confirmed the factor.
    name: 'docket_second_factor',
    columns: 'account integer PRIMARY KEY, secret text NOT NULL, used integer NOT NULL',
  },
  {
    name: 'docket_recovery_code',
    columns: 'hash text PRIMARY KEY, account integer NOT NULL',
    indexes: { docket_recovery_code_account: ['account'] },
  },
];

const FACTOR = tableName('docket_second_factor');
const RECOVERY = tableName('docket_recovery_code');

/** A query that returns a row if log-ins of the account need a code. */
export function confirmedFactor(account: bigint): Fragment {
  return sql`SELECT 1 FROM ${FACTOR} WHERE account = ${value(account)} AND used > 0`;
}

function* requireNone(account: bigint): Work<void> {
  if ((yield* firstRow(confirmedFactor(account))) !== undefined)
    throw new Fault('auth.second-factor-exists');
}

/** Stores a new secret, which counts after a code has confirmed it, and returns it. Throws: auth.second-factor-exists. */
export function* beginFactor(account: bigint, world: World): Work<string> {
  yield* requireNone(account);
  const secret = makeSecret(world);
  yield* forgetFactors(sql`account = ${value(account)}`);
  yield query(
    sql`INSERT INTO ${FACTOR} (account, secret, used) VALUES (${value(account)}, ${value(secret)}, 0)`,
  );
  return secret;
}

/**
 * Confirms the secret by a code of the app, and returns recovery codes.
 * Throws: auth.second-factor-exists, auth.second-factor-none, auth.second-factor-code.
 */
export function* confirmFactor(
  account: bigint,
  code: string,
  world: World,
): Work<readonly string[]> {
  yield* requireNone(account);
  if ((yield* secretOf(account)) === undefined) throw noFactor('confirm');
  if (!(yield* spendAppCode(account, code, world.now()))) throw wrongCode();
  const codes = makeRecoveryCodes(world);
  for (const one of codes)
    yield query(
      sql`INSERT INTO ${RECOVERY} (hash, account) VALUES (${value(hashRecoveryCode(one))}, ${value(account)})`,
    );
  return codes;
}

/** Whether a code is valid and has not been used. It cannot be used again. */
export function* spendCode(account: bigint, code: string, now: number): Work<boolean> {
  if (yield* spendAppCode(account, code, now)) return true;
  const { rows } = yield query(
    sql`DELETE FROM ${RECOVERY} WHERE hash = ${value(hashRecoveryCode(code))} AND account = ${value(account)} RETURNING hash`,
  );
  return rows.length > 0;
}

/** RFC 6238, "Security Considerations": a code must not be accepted twice. The UPDATE decides between concurrent attempts. */
function* spendAppCode(account: bigint, code: string, now: number): Work<boolean> {
  const secret = yield* secretOf(account);
  const interval = secret === undefined ? undefined : intervalOf(secret, code, now);
  if (interval === undefined) return false;
  const used = value(BigInt(interval));
  const { rows } = yield query(
    sql`UPDATE ${FACTOR} SET used = ${used} WHERE account = ${value(account)} AND used < ${used} RETURNING account`,
  );
  return rows.length > 0;
}

function* secretOf(account: bigint): Work<string | undefined> {
  const row = yield* firstRow(sql`SELECT secret FROM ${FACTOR} WHERE account = ${value(account)}`);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

/** Deletes the factors of accounts. The condition refers to the column `account`. */
export function* forgetFactors(condition: Fragment): Work<void> {
  for (const table of [FACTOR, RECOVERY]) yield query(sql`DELETE FROM ${table} WHERE ${condition}`);
}

/** The error for an account without a factor. */
export function noFactor(action: 'confirm' | 'remove'): Fault {
  return new Fault('auth.second-factor-none', { action });
}

/** The error for a code that is wrong or has been used. */
export function wrongCode(): Fault {
  return new Fault('auth.second-factor-code', {}, { target: 'Code' });
}
