// Stores logins, tokens and passwords in the database. Sessions and tokens are records of sets that administrators can read. The hashes
// of tokens and passwords are in separate tables, which no client query can reach.
import { SESSION_TYPE, SYSTEM_TABLES, TOKEN_TYPE } from '../edm/administration-sets.ts';
import { type Fragment, sql, tableName, value } from '../sql/fragment.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import type { Row, Work } from '../store/database.ts';
import { instant, instantOf } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';
import { type AccountQuery, accountIn } from './accounts.ts';
import { API_KEYS, findKey, forgetHashes } from './api-keys.ts';
import type {
  AccountAccess,
  AccountRecord,
  AuthRecords,
  FoundAccess,
  LoginRecord,
  NewLogin,
  SlotOutcome,
  SlotRequest,
  Spending,
  TokenRecord,
} from './auth-records.ts';
import { type AuthDatabase, nextIdentity } from './database.ts';
import { confirmedFactor, spendCode } from './second-factor/stored-factor.ts';
import { REFRESH_LIFETIME } from './token.ts';

export const AUTH_TABLES: readonly EngineTable[] = [
  {
    name: 'docket_credential',
    columns: 'account integer PRIMARY KEY, hash text NOT NULL, changed integer NOT NULL',
  },
  {
    // Accounts whose password somebody else has chosen. They must change it.
    name: 'docket_temporary_password',
    columns: 'account integer PRIMARY KEY, since integer NOT NULL',
  },
  {
    name: 'docket_token_hash',
    columns: 'hash text PRIMARY KEY, token integer NOT NULL',
    indexes: { docket_token_hash_token: ['token'] },
  },
  {
    name: 'docket_auth_revision',
    columns: 'id integer PRIMARY KEY, revision integer NOT NULL',
    firstRow:
      'INSERT INTO docket_auth_revision (id, revision) SELECT 1, 1 WHERE NOT EXISTS (SELECT 1 FROM docket_auth_revision)',
  },
];

/** Runs whenever cached sessions may have become invalid. */
export const RAISE_REVISION = sql`UPDATE ${tableName('docket_auth_revision')} SET revision = revision + 1 WHERE id = 1`;

const SESSION = tableName(SYSTEM_TABLES[SESSION_TYPE]);
const TOKEN = tableName(SYSTEM_TABLES[TOKEN_TYPE]);

const TOKENS_BY_HASH = sql`${tableName('docket_token_hash')} h JOIN ${TOKEN} t ON t."Uid" = h.token JOIN ${SESSION} l ON l."Uid" = t."Session"`;

const LOGIN_COLUMNS = sql`l."Uid", l."Account", l."Machine", l."LastUsed", l."Method"`;

/**
 * The implementation on the database.
 * @param rights a number that changes whenever accounts or roles change
 * @param machines selects the accounts whose logins share a session slot
 */
export function tableRecords(
  database: AuthDatabase,
  accounts: AccountQuery,
  rights: Fragment,
  machines: Fragment = sql`SELECT 0 WHERE 1 = 0`,
): AuthRecords {
  const { write } = database;
  const findAccount = async (condition: Parameters<AccountQuery>[0]) =>
    await readAccount(database, accounts(condition));
  return {
    findAccount: async (loginName) => await findAccount({ loginName }),
    needsCode: async (account) => (await database.read(confirmedFactor(account))).length > 0,
    spendCode: async (...code) => await write(() => spendCode(...code)),
    openLogin: async (...login) => void (await write(() => openLogin(...login))),
    spendRefresh: async (...token) => {
      const spent = await write(() => spendRefresh(...token));
      if (spent.kind !== 'spent') return spent;
      const account = await findAccount({ uid: spent.login.account });
      return account === undefined || account.blocked
        ? { kind: 'unknown' }
        : { kind: 'spent', login: spent.login, account: accountFor(account, spent.login) };
    },
    addAccess: async (token, now) => {
      const login = await write(() => addAccess(token, now));
      const account = login && (await findAccount({ uid: login.account }));
      return account?.blocked === false ? accountFor(account, login) : undefined;
    },
    findAccess: async (hash, now) => await findAccess(database, hash, now, findAccount),
    sharedLogin: async (owner, now) => {
      const found = await findToken(database, sharedHash(owner.account), now + SHARED_RENEWAL);
      return found?.id ?? (await write(() => renewSharedLogin(owner, now)));
    },
    findOwner: async ({ account, session }, now): Promise<AccountAccess | undefined> => {
      const isUsed = session === undefined || (await isUsable(database, session, now));
      const key = isUsed ? undefined : await findKey(database, { uid: session }, now);
      if (!isUsed && key === undefined) return undefined;
      const found = await findAccount({ uid: account });
      return found && { ...found, key };
    },
    takeSlot: async (slot) => await write(() => takeSlot(slot, machines)),
    touch: async (uses) => await write(() => touchLogins(uses)),
    endLogin: async (login) => await write(() => endWhere(sql`"Uid" = ${value(login)}`)),
    endLoginOf: async (hash) => {
      const owner = await write(() => endLoginOf(hash));
      return owner === undefined ? undefined : await findAccount({ uid: owner });
    },
    revision: async () => {
      const [row] = await database.read(
        sql`SELECT revision, ${rights} FROM ${tableName('docket_auth_revision')} WHERE id = 1`,
      );
      return String(row);
    },
    prune: async (before) => await write(() => prune(before)),
  };
}

/** The unexpired access token or API key with that hash, and its account. */
async function findAccess(
  database: AuthDatabase,
  hash: string,
  now: number,
  findAccount: (by: { readonly uid: bigint }) => Promise<AccountRecord | undefined>,
): Promise<FoundAccess | undefined> {
  const token = await findToken(database, hash, now);
  const key = token === undefined ? await findKey(database, { hash }, now) : undefined;
  const found = token ?? (key && { ...key, client: '' });
  const account = found && (await findAccount({ uid: found.account }));
  return found && account && { ...found, account: { ...accountFor(account, token), key } };
}

/** The account as a login sees it: only logins by password have required steps. Earlier versions did not store how a login was opened. */
function accountFor(
  account: AccountRecord,
  login: Pick<LoginRecord, 'method'> | undefined,
): AccountRecord {
  if (login !== undefined && login.method !== 'issuer') return account;
  return { ...account, requiredStep: undefined };
}

async function findToken(
  database: AuthDatabase,
  hash: string,
  now: number,
): Promise<(LoginRecord & Pick<FoundAccess, 'expires'>) | undefined> {
  const [row] = await database.read(sql`SELECT ${LOGIN_COLUMNS}, t."Expires" FROM ${TOKENS_BY_HASH}
    WHERE h.hash = ${value(hash)} AND t."Kind" = 'access' AND t."Expires" > ${instant(now)}`);
  if (row === undefined) return undefined;
  return { ...loginOf(row), expires: instantOf(row[5]) ?? 0 };
}

/** Whether a session has not ended and has a token that can still be used. */
async function isUsable(database: AuthDatabase, session: bigint, now: number): Promise<boolean> {
  const [row] =
    await database.read(sql`SELECT 1 FROM ${TOKEN} t JOIN ${SESSION} l ON l."Uid" = t."Session"
    WHERE l."Uid" = ${value(session)} AND t."Expires" > ${instant(now)} AND t."Used" IS NULL LIMIT 1`);
  return row !== undefined;
}

function* touchLogins(uses: ReadonlyMap<bigint, number>): Work<void> {
  for (const [login, lastUsed] of uses)
    for (const table of [SESSION, API_KEYS])
      yield query(
        sql`UPDATE ${table} SET "LastUsed" = ${instant(lastUsed)} WHERE "Uid" = ${value(login)} AND "LastUsed" < ${instant(lastUsed)}`,
      );
}

/** Deletes tokens that expired before the time, with their hashes, and older sessions without tokens. */
function* prune(before: number): Work<void> {
  yield query(sql`DELETE FROM ${TOKEN} WHERE "Expires" < ${instant(before)}`);
  yield* forgetHashes(
    sql`token NOT IN (SELECT "Uid" FROM ${TOKEN}) AND token NOT IN (SELECT "Uid" FROM ${API_KEYS})`,
  );
  yield query(
    sql`DELETE FROM ${SESSION} WHERE "Opened" < ${instant(before)} AND "Uid" NOT IN (SELECT "Session" FROM ${TOKEN})`,
  );
}

export interface LoginOwner {
  readonly account: bigint;
  /** The login of the request, which does not end. */
  readonly session?: bigint | undefined;
}

/** Ends all logins of an account but that of the request. */
export function* endOtherLogins({ account, session }: LoginOwner): Work<void> {
  const others = session === undefined ? sql`` : sql` AND "Uid" <> ${value(session)}`;
  yield* endWhere(sql`"Account" = ${value(account)}${others}`);
}

/** Ends logins: deletes their sessions, tokens and token hashes. The condition refers to columns of the session. */
export function* endWhere(condition: Fragment): Work<void> {
  yield* removeWhere(condition);
  yield query(RAISE_REVISION);
}

/** Ends the login of a refresh token, and returns its account. */
function* endLoginOf(hash: string): Work<bigint | undefined> {
  const row = yield* firstRow(sql`SELECT ${LOGIN_COLUMNS} FROM ${TOKENS_BY_HASH}
      WHERE h.hash = ${value(hash)} AND t."Kind" = 'refresh'`);
  if (row === undefined) return undefined;
  const { id, account } = loginOf(row);
  yield* endWhere(sql`"Uid" = ${value(id)}`);
  return account;
}

/** The same for logins that no process has cached because they have not been used. */
function* removeWhere(condition: Fragment): Work<void> {
  const sessions = sql`SELECT "Uid" FROM ${SESSION} WHERE ${condition}`;
  const tokens = sql`SELECT "Uid" FROM ${TOKEN} WHERE "Session" IN (${sessions})`;
  yield* forgetHashes(sql`token IN (${tokens})`);
  yield query(sql`DELETE FROM ${TOKEN} WHERE "Session" IN (${sessions})`);
  yield query(sql`DELETE FROM ${SESSION} WHERE ${condition}`);
}

async function readAccount(
  database: AuthDatabase,
  query: Fragment,
): Promise<AccountRecord | undefined> {
  const found = accountIn(await database.read(query));
  if (found === undefined) return undefined;
  const { requiresFactor, ...account } = found;
  const { uid } = account;
  const [credential] =
    await database.read(sql`SELECT c.hash, t.account, EXISTS (${confirmedFactor(uid)}) FROM ${tableName('docket_credential')} c
    LEFT JOIN ${tableName('docket_temporary_password')} t ON t.account = c.account WHERE c.account = ${value(uid)}`);
  const [hash, temporary, hasFactor] = credential ?? [];
  const lacksFactor = requiresFactor && hasFactor !== true && hasFactor !== 1n;
  return {
    ...account,
    passwordHash: typeof hash === 'string' ? hash : undefined,
    requiredStep:
      typeof temporary === 'bigint'
        ? 'change-password'
        : lacksFactor
          ? 'add-second-factor'
          : undefined,
  };
}

/** Maximum length of a User-Agent header that is stored. */
const AGENT_LENGTH = 256;

function* openLogin(
  { account, client, address, agent, method }: NewLogin,
  tokens: (login: bigint) => readonly TokenRecord[],
  now: number,
): Work<bigint> {
  const login = yield* nextIdentity();
  yield query(sql`INSERT INTO ${SESSION} ("Uid", "Account", "Machine", "Address", "Client", "Method", "Opened")
      VALUES (${value(login)}, ${value(account)}, ${value(client)}, ${value(address)}, ${value(agent?.slice(0, AGENT_LENGTH) ?? null)}, ${value(method)}, ${instant(now)})`);
  yield* storeTokens(tokens(login), now);
  // A client that logs in for each request, or in a loop, must not fill the database.
  const isUnused = sql`"Account" = ${value(account)} AND "LastUsed" IS NULL`;
  const excess = yield* firstRow(sql`SELECT "Uid" FROM ${SESSION} WHERE ${isUnused}
      ORDER BY "Uid" DESC LIMIT 1 OFFSET ${value(BigInt(UNUSED_LIMIT))}`);
  if (excess !== undefined)
    yield* removeWhere(sql`${isUnused} AND "Uid" <= ${value(excess[0] ?? null)}`);
  return login;
}

/** How long a shared login lasts without use, and the time before its end at which it is renewed. Milliseconds. */
const SHARED_LIFETIME = REFRESH_LIFETIME * 1000;
const SHARED_RENEWAL = SHARED_LIFETIME - 24 * 3600 * 1000;

/** What takes the place of a token hash in a shared login. No token has this hash, because hashes contain no space. */
const SHARED = 'account ';

function sharedHash(account: bigint): string {
  return `${SHARED}${account}`;
}

/** Extends the shared login of an account, or opens it. */
function* renewSharedLogin(owner: Omit<NewLogin, 'client' | 'method'>, now: number): Work<bigint> {
  const hash = sharedHash(owner.account);
  const expires = now + SHARED_LIFETIME;
  const known = sql`SELECT token FROM ${tableName('docket_token_hash')} WHERE hash = ${value(hash)}`;
  const extended = yield query(
    sql`UPDATE ${TOKEN} SET "Expires" = ${instant(expires)} WHERE "Uid" IN (${known}) RETURNING "Session"`,
  );
  const [session] = extended.rows[0] ?? [];
  if (typeof session === 'bigint') return session;
  const token = (login: bigint) => [{ hash, login, kind: 'access', expires }] as const;
  return yield* openLogin({ ...owner, client: '', method: 'issuer' }, token, now);
}

/** Maximum number of unused logins per account. The oldest ones are ended. */
const UNUSED_LIMIT = 1000;

type Spent =
  | Exclude<Spending, { kind: 'spent' }>
  | { readonly kind: 'spent'; readonly login: LoginRecord };

/** The conditional UPDATE decides between concurrent attempts: only one of them changes the row. */
function* spendRefresh(
  hash: string,
  now: number,
  successors: (login: LoginRecord) => readonly TokenRecord[] | undefined,
): Work<Spent> {
  const row = yield* firstRow(sql`SELECT ${LOGIN_COLUMNS}, t."Used", t."Uid" FROM ${TOKENS_BY_HASH}
      WHERE h.hash = ${value(hash)} AND t."Kind" = 'refresh' AND t."Expires" > ${instant(now)}`);
  const token = row?.[6];
  if (row === undefined || typeof token !== 'bigint') return { kind: 'unknown' };
  const login = loginOf(row);
  const usedAt = instantOf(row[5]);
  if (usedAt !== undefined) return { kind: 'reused', login, usedAt };
  const next = successors(login);
  if (next === undefined) return { kind: 'unknown' };
  const updated = yield query(
    sql`UPDATE ${TOKEN} SET "Used" = ${instant(now)} WHERE "Uid" = ${value(token)} AND "Used" IS NULL RETURNING "Uid"`,
  );
  if (updated.rows.length === 0) return { kind: 'reused', login, usedAt: now };
  yield* storeTokens(next, now);
  return { kind: 'spent', login };
}

/** Stores another token of a login that has not ended, and returns the login. */
function* addAccess(token: TokenRecord, now: number): Work<LoginRecord | undefined> {
  const row = yield* firstRow(
    sql`SELECT ${LOGIN_COLUMNS} FROM ${SESSION} l WHERE l."Uid" = ${value(token.login)}`,
  );
  if (row === undefined) return undefined;
  yield* storeTokens([token], now);
  return loginOf(row);
}

/**
 * Counting and allocating are atomic, because there is only one writer. A slot belongs to a login. API keys, shared logins, and logins of
 * machines use the slot of their account, which has the negated Uid of the account and does not count among the logins of the account.
 */
function* takeSlot(
  { login, now, idleSince, limit, accountLimit }: SlotRequest,
  machines: Fragment,
): Work<SlotOutcome> {
  const isActive = sql`"LastUsed" > ${instant(idleSince)}`;
  const own = yield* firstRow(slotsWhere(sql`"Uid" = ${value(login)}`, machines));
  if (own === undefined) return 'ended';
  const [slot = null, account = null] = own;
  const [total, ofAccount, ofSlot] =
    (yield* firstRow(sql`SELECT count(DISTINCT slot), count(DISTINCT CASE WHEN account = ${value(account)} AND slot > 0 THEN slot END),
      count(CASE WHEN slot = ${value(slot)} THEN 1 END) FROM (${slotsWhere(isActive, machines)}) active`)) ??
    [];
  const isNew = Number(ofSlot) === 0;
  const isShared = typeof slot === 'bigint' && slot < 0n;
  if (isNew && !isShared && Number(ofAccount) >= accountLimit) return 'account-limit';
  if (isNew && Number(total) >= limit) return 'limit';
  for (const table of [SESSION, API_KEYS])
    yield query(
      sql`UPDATE ${table} SET "LastUsed" = ${instant(now)} WHERE "Uid" = ${value(login)}`,
    );
  return 'taken';
}

/** The slots and accounts of logins and API keys. */
function slotsWhere(condition: Fragment, machines: Fragment): Fragment {
  const shared = sql`SELECT t."Session" FROM ${tableName('docket_token_hash')} h JOIN ${TOKEN} t ON t."Uid" = h.token
    WHERE h.hash = ${value(SHARED)} || l."Account"`;
  return sql`SELECT CASE WHEN "Account" IN (${machines}) OR "Uid" IN (${shared}) THEN -"Account" ELSE "Uid" END AS slot, "Account" AS account FROM ${SESSION} l
    WHERE ${condition} UNION ALL SELECT -"Account", "Account" FROM ${API_KEYS} WHERE ${condition}`;
}

function* storeTokens(tokens: readonly TokenRecord[], now: number): Work<void> {
  const first = yield* nextIdentity(BigInt(tokens.length));
  for (const [index, { hash, login, kind, expires }] of tokens.entries()) {
    const uid = value(first + BigInt(index));
    yield query(sql`INSERT INTO ${TOKEN} ("Uid", "Session", "Kind", "Issued", "Expires")
      VALUES (${uid}, ${value(login)}, ${value(kind)}, ${instant(now)}, ${instant(expires)})`);
    yield query(
      sql`INSERT INTO ${tableName('docket_token_hash')} (hash, token) VALUES (${value(hash)}, ${uid})`,
    );
  }
}

function loginOf([id, account, client, lastUsed, method]: Row): LoginRecord {
  return {
    id: typeof id === 'bigint' ? id : 0n,
    account: typeof account === 'bigint' ? account : 0n,
    client: String(client),
    lastUsed: instantOf(lastUsed),
    method: typeof method === 'string' ? method : undefined,
  };
}
