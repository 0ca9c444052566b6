// This file keeps log-ins, tokens and accounts' secrets in the database. Sessions and tokens are rows of the sets that administrators
// look at; what they are known by, hashes of tokens and passwords, stands in tables of its own that no query of a client can reach.
import { SESSION_TYPE, SYSTEM_TABLES, TOKEN_TYPE } from '../edm/administration-sets.ts';
import { type Fragment, name, sql, value } from '../sql/fragment.ts';
import type {
  AccountRecord,
  AuthRecords,
  LoginRecord,
  NewLogin,
  SlotOutcome,
  Spending,
  TokenRecord,
  WantedSlot,
} from './auth-records.ts';
import type { AuthDatabase, Row, RunStatement } from './database.ts';
import { nextIdentity } from './row-keys.ts';

/** Finds accounts in the records, the one that is meant first: columns uid, login name, blocked, person, and one row per role (null for none). */
export type AccountQuery = (
  condition: { readonly loginName: string } | { readonly uid: bigint },
) => Fragment;

export const AUTH_TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_credential (
    account INTEGER PRIMARY KEY, hash TEXT NOT NULL, changed INTEGER NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS docket_token_hash (hash TEXT PRIMARY KEY, token INTEGER NOT NULL)',
  'CREATE INDEX IF NOT EXISTS docket_token_hash_token ON docket_token_hash (token)',
  'CREATE TABLE IF NOT EXISTS docket_auth_revision (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL)',
  'INSERT INTO docket_auth_revision (id, revision) SELECT 1, 1 WHERE NOT EXISTS (SELECT 1 FROM docket_auth_revision)',
];

/** Raised whenever something that was remembered may have become wrong. */
const RAISE_REVISION = sql`UPDATE docket_auth_revision SET revision = revision + 1 WHERE id = 1`;

const SESSION = name(SYSTEM_TABLES[SESSION_TYPE]);
const TOKEN = name(SYSTEM_TABLES[TOKEN_TYPE]);

const TOKENS_BY_HASH = sql`docket_token_hash h JOIN ${TOKEN} t ON t."Uid" = h.token JOIN ${SESSION} l ON l."Uid" = t."Session"`;

const LOGIN_COLUMNS = sql`l."Uid", l."Account", l."Machine", l."LastUsed"`;

/**
 * The records of logging in.
 * @param accounts finds the accounts of the database
 * @param rights a number that is another one whenever accounts or roles have changed
 */
export function tableRecords(
  database: AuthDatabase,
  accounts: AccountQuery,
  rights: Fragment,
): AuthRecords {
  const findAccount = async (condition: Parameters<AccountQuery>[0]) =>
    await readAccount(database, accounts(condition));
  return {
    findAccount: async (loginName) => await findAccount({ loginName }),
    openLogin: async (login, tokens, now) => await openLogin(database, login, tokens, now),
    spendRefresh: async (hash, now, successors) => {
      const spent = await spendRefresh(database, hash, now, successors);
      if (spent.kind !== 'spent') return spent;
      const account = await findAccount({ uid: spent.login.account });
      return account === undefined || account.blocked
        ? { kind: 'unknown' }
        : { kind: 'spent', login: spent.login, account };
    },
    findAccess: async (hash, now) => {
      const found = await findAccess(database, hash, now);
      const account = found && (await findAccount({ uid: found.login.account }));
      return found && account && { ...found, account };
    },
    findOwner: async ({ account, session }, now) =>
      session === undefined || (await isUsable(database, session, now))
        ? await findAccount({ uid: account })
        : undefined,
    takeSlot: async (slot) => await takeSlot(database, slot),
    touch: async (uses) => {
      await database.write((run) => {
        for (const [login, seen] of uses) touchLogin(run, login, seen);
      });
    },
    endLogin: async (login) => {
      await database.write((run) => endWhere(run, sql`"Uid" = ${value(login)}`));
    },
    revision: async () => {
      const [row] = await database.read(
        sql`SELECT revision, ${rights} FROM docket_auth_revision WHERE id = 1`,
      );
      return String(row);
    },
    prune: async (before) => {
      await database.write((run) => forget(run, before));
    },
  };
}

/** The access token with that hash, as long as it counts, and the log-in that it belongs to. */
async function findAccess(
  database: AuthDatabase,
  hash: string,
  now: number,
): Promise<{ readonly token: TokenRecord; readonly login: LoginRecord } | undefined> {
  const [row] = await database.read(sql`SELECT ${LOGIN_COLUMNS}, t."Expires" FROM ${TOKENS_BY_HASH}
    WHERE h.hash = ${value(hash)} AND t."Kind" = 'access' AND t."Expires" > ${time(now)}`);
  if (row === undefined) return undefined;
  const login = loginOf(row);
  const expires = millisecondsOf(row[4]) ?? 0;
  return { token: { hash, login: login.id, kind: 'access', expires }, login };
}

/** Whether a session has not ended, and one of its tokens can still be used. */
async function isUsable(database: AuthDatabase, session: bigint, now: number): Promise<boolean> {
  const [row] =
    await database.read(sql`SELECT 1 FROM ${TOKEN} t JOIN ${SESSION} l ON l."Uid" = t."Session"
    WHERE l."Uid" = ${value(session)} AND t."Expires" > ${time(now)} AND t."Used" IS NULL LIMIT 1`);
  return row !== undefined;
}

function touchLogin(run: RunStatement, login: bigint, seen: number): void {
  run(
    sql`UPDATE ${SESSION} SET "LastUsed" = ${time(seen)} WHERE "Uid" = ${value(login)} AND "LastUsed" < ${time(seen)}`,
  );
}

/** Takes away tokens that ended before the time, with their hashes, and sessions from before it that have none. */
function forget(run: RunStatement, before: number): void {
  run(sql`DELETE FROM ${TOKEN} WHERE "Expires" < ${time(before)}`);
  run(sql`DELETE FROM docket_token_hash WHERE token NOT IN (SELECT "Uid" FROM ${TOKEN})`);
  run(
    sql`DELETE FROM ${SESSION} WHERE "Opened" < ${time(before)} AND "Uid" NOT IN (SELECT "Session" FROM ${TOKEN})`,
  );
}

/** Keeps the hash of an account's password; its log-ins end, since whoever knew the old one may hold them. */
export async function storePassword(
  database: AuthDatabase,
  account: bigint,
  hash: string,
  now: number,
): Promise<void> {
  await database.write((run) => keepPassword(run, { account }, hash, now));
}

/** Whose password it is, and the one log-in that may go on: that of who has given it. */
export interface PasswordOwner {
  readonly account: bigint;
  readonly session?: bigint | undefined;
}

/** The same within a transaction. */
export function keepPassword(
  run: RunStatement,
  { account, session }: PasswordOwner,
  hash: string,
  now: number,
): void {
  run(sql`DELETE FROM docket_credential WHERE account = ${value(account)}`);
  run(
    sql`INSERT INTO docket_credential (account, hash, changed) VALUES (${value(account)}, ${value(hash)}, ${value(BigInt(now))})`,
  );
  const others = session === undefined ? sql`` : sql` AND "Uid" <> ${value(session)}`;
  endWhere(run, sql`"Account" = ${value(account)}${others}`);
}

/** Whether this is the hash that is kept for the account. */
export function isHashOf(run: RunStatement, account: bigint, hash: string): boolean {
  const [row] = run(sql`SELECT hash FROM docket_credential WHERE account = ${value(account)}`);
  return row?.[0] === hash;
}

/** Ends log-ins: they, their tokens and what the tokens are known by are gone. The condition speaks of the session's own columns. */
export function endWhere(run: RunStatement, condition: Fragment): void {
  removeWhere(run, condition);
  run(RAISE_REVISION);
}

/** The same for log-ins that no process remembers, as they have not been used. */
function removeWhere(run: RunStatement, condition: Fragment): void {
  const sessions = sql`SELECT "Uid" FROM ${SESSION} WHERE ${condition}`;
  const tokens = sql`SELECT "Uid" FROM ${TOKEN} WHERE "Session" IN (${sessions})`;
  run(sql`DELETE FROM docket_token_hash WHERE token IN (${tokens})`);
  run(sql`DELETE FROM ${TOKEN} WHERE "Session" IN (${sessions})`);
  run(sql`DELETE FROM ${SESSION} WHERE ${condition}`);
}

/** A point in time as it is stored. */
export function time(milliseconds: number): Fragment {
  return value(new Date(milliseconds).toISOString());
}

function millisecondsOf(cell: Row[number] | undefined): number | undefined {
  return typeof cell === 'string' ? Date.parse(cell) : undefined;
}

async function readAccount(
  database: AuthDatabase,
  query: Fragment,
): Promise<AccountRecord | undefined> {
  const rows = await database.read(query);
  const [first] = rows;
  if (first === undefined || typeof first[0] !== 'bigint') return undefined;
  const [uid] = first;
  const [credential] = await database.read(
    sql`SELECT hash FROM docket_credential WHERE account = ${value(uid)}`,
  );
  return {
    uid,
    loginName: String(first[1]),
    blocked: first[2] === 1n || first[2] === true,
    person: typeof first[3] === 'bigint' ? first[3] : undefined,
    passwordHash: typeof credential?.[0] === 'string' ? credential[0] : undefined,
    roles: rows.flatMap((row) => (row[0] === uid && typeof row[4] === 'string' ? [row[4]] : [])),
  };
}

async function openLogin(
  database: AuthDatabase,
  { account, client, address }: NewLogin,
  tokens: (login: bigint) => readonly TokenRecord[],
  now: number,
): Promise<void> {
  await database.write((run) => {
    const login = nextIdentity(run);
    run(sql`INSERT INTO ${SESSION} ("Uid", "Account", "Machine", "Address", "Opened")
      VALUES (${value(login)}, ${value(account)}, ${value(client)}, ${value(address)}, ${time(now)})`);
    storeTokens(run, tokens(login), now);
    // A client that logs in for each request, or in a loop, must not fill the database.
    const unused = sql`SELECT "Uid" FROM ${SESSION} WHERE "Account" = ${value(account)} AND "LastUsed" IS NULL
      ORDER BY "Uid" DESC LIMIT -1 OFFSET ${value(BigInt(UNUSED_LIMIT))}`;
    const [surplus] = run(unused);
    if (surplus !== undefined) removeWhere(run, sql`"Uid" IN (${unused})`);
  });
}

/** Log-ins of one account that may be open without having been used; the oldest are ended. */
const UNUSED_LIMIT = 1000;

/** The conditional UPDATE is the referee: whoever changes the row has spent the token, all others come too late. */
async function spendRefresh(
  database: AuthDatabase,
  hash: string,
  now: number,
  successors: (login: LoginRecord) => readonly TokenRecord[] | undefined,
): Promise<
  Exclude<Spending, { kind: 'spent' }> | { readonly kind: 'spent'; readonly login: LoginRecord }
> {
  return await database.write((run) => {
    const [row] = run(sql`SELECT ${LOGIN_COLUMNS}, t."Used", t."Uid" FROM ${TOKENS_BY_HASH}
      WHERE h.hash = ${value(hash)} AND t."Kind" = 'refresh' AND t."Expires" > ${time(now)}`);
    const token = row?.[5];
    if (row === undefined || typeof token !== 'bigint') return { kind: 'unknown' };
    const login = loginOf(row);
    const usedAt = millisecondsOf(row[4]);
    if (usedAt !== undefined) return { kind: 'reused', login, usedAt };
    const next = successors(login);
    if (next === undefined) return { kind: 'unknown' };
    const won = run(
      sql`UPDATE ${TOKEN} SET "Used" = ${time(now)} WHERE "Uid" = ${value(token)} AND "Used" IS NULL RETURNING "Uid"`,
    );
    if (won.length === 0) return { kind: 'reused', login, usedAt: now };
    storeTokens(run, next, now);
    return { kind: 'spent', login };
  });
}

/** There is one writer, so that nobody takes a slot between the count and the change. */
async function takeSlot(
  database: AuthDatabase,
  { login, now, idleSince, limit, accountLimit }: WantedSlot,
): Promise<SlotOutcome> {
  return await database.write((run) => {
    const [row] =
      run(sql`SELECT own."LastUsed" > ${time(idleSince)}, count(o."Uid"), count(CASE WHEN o."Account" = own."Account" THEN 1 END)
      FROM ${SESSION} own LEFT JOIN ${SESSION} o ON o."Uid" <> own."Uid" AND o."LastUsed" > ${time(idleSince)}
      WHERE own."Uid" = ${value(login)} GROUP BY own."Uid"`);
    if (row === undefined) return 'ended';
    const [hasSlot, others, ofAccount] = row;
    if (hasSlot !== 1n && Number(ofAccount) >= accountLimit) return 'account-limit';
    if (hasSlot !== 1n && Number(others) >= limit) return 'limit';
    run(sql`UPDATE ${SESSION} SET "LastUsed" = ${time(now)} WHERE "Uid" = ${value(login)}`);
    return 'taken';
  });
}

function storeTokens(run: RunStatement, tokens: readonly TokenRecord[], now: number): void {
  const first = nextIdentity(run, BigInt(tokens.length));
  for (const [index, { hash, login, kind, expires }] of tokens.entries()) {
    const uid = value(first + BigInt(index));
    run(sql`INSERT INTO ${TOKEN} ("Uid", "Session", "Kind", "Issued", "Expires")
      VALUES (${uid}, ${value(login)}, ${value(kind)}, ${time(now)}, ${time(expires)})`);
    run(sql`INSERT INTO docket_token_hash (hash, token) VALUES (${value(hash)}, ${uid})`);
  }
}

function loginOf([id, account, client, seen]: Row): LoginRecord {
  return {
    id: typeof id === 'bigint' ? id : 0n,
    account: typeof account === 'bigint' ? account : 0n,
    client: String(client),
    seen: millisecondsOf(seen),
  };
}
