// This file keeps accounts' secrets, log-ins and tokens in the database. The accounts themselves are records of the model; what
// belongs to logging in stands in tables of its own, so that no query of a client can reach it. Times are milliseconds since 1970.
import type { Value } from '../edm/reading.ts';
import { type Fragment, sql, value } from '../sql/fragment.ts';
import type { AccountRecord, AuthRecords, LoginRecord, Spending, TokenRecord } from './records.ts';

/** What the tables need of a database: rows of a statement, and several statements as one deed that no other write interleaves. */
export interface AuthDatabase {
  readonly read: (statement: Fragment) => Promise<readonly Row[]>;
  readonly write: <Result>(
    work: (run: (statement: Fragment) => readonly Row[]) => Result,
  ) => Promise<Result>;
}

/** One row: columns in order; integers as bigint. */
export type Row = readonly Value[];

/** Finds accounts in the records: columns uid, login name, blocked, person, and one row per role (null for none). */
export type AccountQuery = (
  condition: { readonly loginName: string } | { readonly uid: bigint },
) => Fragment;

export const AUTH_TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_credential (
    account INTEGER PRIMARY KEY, hash TEXT NOT NULL, changed INTEGER NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS docket_login (
    id INTEGER PRIMARY KEY, account INTEGER NOT NULL, client TEXT NOT NULL, opened INTEGER NOT NULL, seen INTEGER, ended INTEGER)`,
  'CREATE INDEX IF NOT EXISTS docket_login_account ON docket_login (account)',
  'CREATE INDEX IF NOT EXISTS docket_login_seen ON docket_login (seen)',
  `CREATE TABLE IF NOT EXISTS docket_token (
    hash TEXT PRIMARY KEY, login INTEGER NOT NULL, kind TEXT NOT NULL, expires INTEGER NOT NULL, used INTEGER)`,
  'CREATE INDEX IF NOT EXISTS docket_token_login ON docket_token (login)',
  'CREATE INDEX IF NOT EXISTS docket_token_expires ON docket_token (expires)',
  'CREATE TABLE IF NOT EXISTS docket_auth_revision (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL)',
  'INSERT INTO docket_auth_revision (id, revision) SELECT 1, 1 WHERE NOT EXISTS (SELECT 1 FROM docket_auth_revision)',
];

/** Raised whenever something that was remembered may have become wrong. */
export const RAISE_REVISION = sql`UPDATE docket_auth_revision SET revision = revision + 1 WHERE id = 1`;

const LOGIN_COLUMNS = sql`l.id, l.account, l.client, l.seen, l.ended`;

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
      const [row] =
        await database.read(sql`SELECT ${LOGIN_COLUMNS}, t.expires FROM docket_token t JOIN docket_login l ON l.id = t.login
        WHERE t.hash = ${value(hash)} AND t.kind = 'access' AND t.expires > ${value(BigInt(now))}`);
      if (row === undefined) return undefined;
      const login = loginOf(row);
      const account = await findAccount({ uid: login.account });
      return (
        account && {
          token: { hash, login: login.id, kind: 'access', expires: Number(row[5]) },
          login,
          account,
        }
      );
    },
    takeSeat: async (login, now, idleSince, limit) =>
      await takeSeat(database, { login, now, idleSince, limit }),
    touch: async (uses) => {
      await database.write((run) => {
        for (const [login, seen] of uses)
          run(
            sql`UPDATE docket_login SET seen = ${value(BigInt(seen))} WHERE id = ${value(login)} AND seen < ${value(BigInt(seen))}`,
          );
      });
    },
    endLogin: async (login, now) => {
      await database.write((run) => {
        run(
          sql`UPDATE docket_login SET ended = ${value(BigInt(now))} WHERE id = ${value(login)} AND ended IS NULL`,
        );
        run(RAISE_REVISION);
      });
    },
    revision: async () => {
      const [row] = await database.read(
        sql`SELECT revision, ${rights} FROM docket_auth_revision WHERE id = 1`,
      );
      return String(row);
    },
    prune: async (before) => {
      await database.write((run) => {
        run(sql`DELETE FROM docket_token WHERE expires < ${value(BigInt(before))}`);
        run(
          sql`DELETE FROM docket_login WHERE opened < ${value(BigInt(before))} AND NOT EXISTS (SELECT 1 FROM docket_token t WHERE t.login = docket_login.id)`,
        );
      });
    },
  };
}

/** Keeps the hash of an account's password; its log-ins end, since whoever knew the old one may hold them. */
export async function storePassword(
  database: AuthDatabase,
  account: bigint,
  hash: string,
  now: number,
): Promise<void> {
  const at = value(BigInt(now));
  await database.write((run) => {
    run(sql`DELETE FROM docket_credential WHERE account = ${value(account)}`);
    run(
      sql`INSERT INTO docket_credential (account, hash, changed) VALUES (${value(account)}, ${value(hash)}, ${at})`,
    );
    run(
      sql`UPDATE docket_login SET ended = ${at} WHERE account = ${value(account)} AND ended IS NULL`,
    );
    run(RAISE_REVISION);
  });
}

/** Ends every log-in of an account. */
export async function endLogins(
  database: AuthDatabase,
  account: bigint,
  now: number,
): Promise<void> {
  await database.write((run) => {
    run(
      sql`UPDATE docket_login SET ended = ${value(BigInt(now))} WHERE account = ${value(account)} AND ended IS NULL`,
    );
    run(RAISE_REVISION);
  });
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
    roles: rows.flatMap((row) => (typeof row[4] === 'string' ? [row[4]] : [])),
  };
}

async function openLogin(
  database: AuthDatabase,
  login: { readonly account: bigint; readonly client: string },
  tokens: (login: bigint) => readonly TokenRecord[],
  now: number,
): Promise<void> {
  await database.write((run) => {
    const [row] = run(sql`INSERT INTO docket_login (account, client, opened)
      VALUES (${value(login.account)}, ${value(login.client)}, ${value(BigInt(now))}) RETURNING id`);
    if (typeof row?.[0] !== 'bigint') return;
    for (const token of tokens(row[0])) run(insertToken(token));
  });
}

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
    const [row] =
      run(sql`SELECT ${LOGIN_COLUMNS}, t.used FROM docket_token t JOIN docket_login l ON l.id = t.login
      WHERE t.hash = ${value(hash)} AND t.kind = 'refresh' AND t.expires > ${value(BigInt(now))}`);
    if (row === undefined) return { kind: 'unknown' };
    const login = loginOf(row);
    if (login.ended) return { kind: 'unknown' };
    if (typeof row[5] === 'bigint') return { kind: 'reused', login, usedAt: Number(row[5]) };
    const next = successors(login);
    if (next === undefined) return { kind: 'unknown' };
    const won = run(
      sql`UPDATE docket_token SET used = ${value(BigInt(now))} WHERE hash = ${value(hash)} AND used IS NULL RETURNING login`,
    );
    if (won.length === 0) return { kind: 'reused', login, usedAt: now };
    for (const token of next) run(insertToken(token));
    return { kind: 'spent', login };
  });
}

interface Seat {
  readonly login: bigint;
  readonly now: number;
  readonly idleSince: number;
  readonly limit: number;
}

async function takeSeat(
  database: AuthDatabase,
  { login, now, idleSince, limit }: Seat,
): Promise<boolean> {
  return await database.write((run) => {
    const taken =
      run(sql`UPDATE docket_login SET seen = ${value(BigInt(now))} WHERE id = ${value(login)} AND ended IS NULL
      AND (seen > ${value(BigInt(idleSince))} OR ${value(BigInt(limit))} > (SELECT count(*) FROM docket_login o
        WHERE o.id <> ${value(login)} AND o.ended IS NULL AND o.seen > ${value(BigInt(idleSince))})) RETURNING id`);
    return taken.length > 0;
  });
}

function insertToken(token: TokenRecord): Fragment {
  return sql`INSERT INTO docket_token (hash, login, kind, expires)
    VALUES (${value(token.hash)}, ${value(token.login)}, ${value(token.kind)}, ${value(BigInt(token.expires))})`;
}

function loginOf(row: Row): LoginRecord {
  const [id, account, client, seen, ended] = row;
  return {
    id: typeof id === 'bigint' ? id : 0n,
    account: typeof account === 'bigint' ? account : 0n,
    client: String(client),
    seen: typeof seen === 'bigint' ? Number(seen) : undefined,
    ended: ended !== null,
  };
}
