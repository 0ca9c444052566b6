// Stores and finds API keys: records of the set ApiKeys, with their hashes among those of tokens. Keys of one account share a session slot,
// which the account has as long as one of its keys is in use.
import type { KeyLimits } from '../access/key-rights.ts';
import { API_KEY_TYPE, SYSTEM_TABLES } from '../edm/administration-sets.ts';
import { type Fragment, sql, tableName, value } from '../sql/fragment.ts';
import type { Row, Work } from '../store/database.ts';
import { instantOf, isTrue, textsOf } from '../store/stored-values.ts';
import { query } from '../store/work.ts';
import { type AuthDatabase, nextIdentity } from './database.ts';
import type { MadeToken } from './token.ts';

export const API_KEYS = tableName(SYSTEM_TABLES[API_KEY_TYPE]);

/** A stored key that has not expired. */
export interface ApiKeyRecord extends KeyLimits {
  readonly id: bigint;
  readonly account: bigint;
  /** Milliseconds since 1970; Infinity if it does not expire. */
  readonly expires: number;
}

export interface NewApiKey {
  readonly account: bigint;
  readonly name: string;
  /** In stored format; null if the key does not expire. */
  readonly expires: string | null;
  readonly readOnly: boolean;
  /** JSON. */
  readonly roles: string;
  readonly pageSize: bigint | null;
}

/** Stores a key and returns its Uid. */
export function* storeKey(key: NewApiKey, { text, hash }: MadeToken, now: string): Work<bigint> {
  const uid = yield* nextIdentity();
  const { account, name, expires, readOnly, roles, pageSize } = key;
  yield query(sql`INSERT INTO ${API_KEYS} ("Uid", "Account", "Name", "Start", "Created", "Expires", "ReadOnly", "Roles", "PageSize")
    VALUES (${value(uid)}, ${value(account)}, ${value(name)}, ${value(text.slice(0, SHOWN))}, ${value(now)}, ${value(expires)},
      ${value(readOnly)}, ${value(roles)}, ${value(pageSize)})`);
  yield query(
    sql`INSERT INTO ${tableName('docket_token_hash')} (hash, token) VALUES (${value(hash)}, ${value(uid)})`,
  );
  return uid;
}

/** The number of characters by which a person recognizes a key. */
const SHOWN = 8;

const COLUMNS = sql`k."Uid", k."Account", k."Expires", k."ReadOnly", k."Roles", k."PageSize"`;

/** The key with that hash, or of that Uid. */
export async function findKey(
  database: AuthDatabase,
  by: { readonly hash: string } | { readonly uid: bigint },
  now: number,
): Promise<ApiKeyRecord | undefined> {
  const [row] = await database.read(
    'hash' in by
      ? sql`SELECT ${COLUMNS} FROM ${tableName('docket_token_hash')} h JOIN ${API_KEYS} k ON k."Uid" = h.token WHERE h.hash = ${value(by.hash)}`
      : sql`SELECT ${COLUMNS} FROM ${API_KEYS} k WHERE k."Uid" = ${value(by.uid)}`,
  );
  const key = row === undefined ? undefined : keyOf(row);
  return key !== undefined && key.expires > now ? key : undefined;
}

function keyOf([id, account, expires, readOnly, roles, pageSize]: Row): ApiKeyRecord {
  return {
    id: BigInt(String(id)),
    account: BigInt(String(account)),
    expires: instantOf(expires) ?? Number.POSITIVE_INFINITY,
    readOnly: isTrue(readOnly),
    roles: textsOf(roles),
    pageSize: typeof pageSize === 'bigint' ? Number(pageSize) : undefined,
  };
}

/** Deletes the hashes of keys and tokens that the condition selects by the column `token`. */
export function* forgetHashes(condition: Fragment): Work<void> {
  yield query(sql`DELETE FROM ${tableName('docket_token_hash')} WHERE ${condition}`);
}
