// This file finds and makes accounts among the records of the installation. The model may give them any further members; logging in
// needs a name, whether it is blocked, the person behind it, and the names of its roles.
import { Fault, invariant } from '../base/fault.ts';
import { setSource } from '../edm/source.ts';
import { ACCOUNT_SET, ROLE_SET } from '../edm/system.ts';
import { type Fragment, name, sql, value } from '../sql/fragment.ts';
import { type Layout, type TableUse, tableOf } from '../sql/layout.ts';
import { arrivalOf, type LinkUse } from '../sql/relations.ts';
import type { AuthDatabase, Row } from './database.ts';
import { nextIdentity } from './identity.ts';
import type { AccountQuery } from './tables.ts';

export interface NewAccount {
  readonly loginName: string;
  readonly displayName: string;
  /** Names of roles; those that are missing are made. */
  readonly roles: readonly string[];
  readonly person: bigint | undefined;
}

export interface ListedAccount {
  readonly uid: bigint;
  readonly loginName: string;
  readonly blocked: boolean;
  readonly person: bigint | undefined;
  readonly roles: readonly string[];
}

interface Tables {
  readonly accounts: TableUse;
  readonly roles: TableUse;
  readonly link: LinkUse;
}

/** The query by which logging in finds accounts. */
export function accountQuery(layout: Layout): AccountQuery {
  const tables = accountTables(layout);
  return (condition) => {
    const which =
      'uid' in condition
        ? sql`a."Uid" = ${value(condition.uid)}`
        : sql`lower(a."LoginName") = lower(${value(condition.loginName)})`;
    return sql`${selectAccounts(tables)} WHERE ${which}`;
  };
}

/** All accounts by name. */
export async function listAccounts(
  database: AuthDatabase,
  layout: Layout,
): Promise<readonly ListedAccount[]> {
  const rows = await database.read(
    sql`${selectAccounts(accountTables(layout))} ORDER BY a."LoginName"`,
  );
  const accounts = new Map<bigint, ListedAccount>();
  for (const [uid, loginName, blocked, person, role] of rows) {
    if (typeof uid !== 'bigint') continue;
    const known = accounts.get(uid);
    const roles = [...(known?.roles ?? []), ...(typeof role === 'string' ? [role] : [])];
    accounts.set(uid, {
      uid,
      loginName: String(loginName),
      blocked: blocked === 1n || blocked === true,
      person: typeof person === 'bigint' ? person : undefined,
      roles,
    });
  }
  return [...accounts.values()];
}

/** Makes an account and tells its key. Fault auth.account-exists. */
export async function makeAccount(
  database: AuthDatabase,
  layout: Layout,
  account: NewAccount,
): Promise<bigint> {
  const tables = accountTables(layout);
  const [existing] = await database.read(accountQuery(layout)({ loginName: account.loginName }));
  if (existing !== undefined) throw new Fault('auth.account-exists', { name: account.loginName });
  return await database.write((run) => {
    const uid = nextIdentity(run);
    const person =
      account.person === undefined || !tables.accounts.columns.has('Person')
        ? []
        : [['Person', value(account.person)] as const];
    const columns: readonly (readonly [string, Fragment])[] = [
      ['Uid', value(uid)],
      ['LoginName', value(account.loginName)],
      ['Name', value(account.displayName)],
      ['Blocked', value(false)],
      ...person,
    ];
    add(run, tables.accounts, columns);
    for (const role of account.roles) giveRole(run, tables, uid, role);
    return uid;
  });
}

/** Blocks or unblocks an account and tells its key. Fault auth.account-unknown. */
export async function setBlocked(
  database: AuthDatabase,
  layout: Layout,
  loginName: string,
  blocked: boolean,
): Promise<bigint> {
  const [row] = await database.read(accountQuery(layout)({ loginName }));
  if (typeof row?.[0] !== 'bigint')
    throw new Fault('auth.account-unknown', {
      name: loginName,
      hint: ' "docket account list" shows those that exist.',
    });
  const [uid] = row;
  const table = name(tableOf(layout, setSource(layout.model, ACCOUNT_SET)).table.name);
  await database.write(async (run) =>
    run(sql`UPDATE ${table} SET "Blocked" = ${value(blocked)} WHERE "Uid" = ${value(uid)}`),
  );
  return uid;
}

type Run = (statement: Fragment) => readonly Row[];

function giveRole(run: Run, { roles, link }: Tables, account: bigint, role: string): void {
  const [known] = run(
    sql`SELECT "Uid" FROM ${name(roles.table.name)} WHERE "Name" = ${value(role)}`,
  );
  const uid = typeof known?.[0] === 'bigint' ? known[0] : nextIdentity(run);
  if (known === undefined)
    add(run, roles, [
      ['Uid', value(uid)],
      ['Name', value(role)],
    ]);
  run(
    sql`INSERT INTO ${name(link.table)} (${name(link.near)}, ${name(link.far)}) VALUES (${value(account)}, ${value(uid)}) ON CONFLICT DO NOTHING`,
  );
}

/** Stores a row. Its texts are indexed by a change of them: what is inserted is indexed by nobody else. */
function add(run: Run, use: TableUse, columns: readonly (readonly [string, Fragment])[]): void {
  const { table } = use;
  run(insert(use, columns));
  const [text] = table.text?.columns ?? [];
  const identity = columns.find(([column]) => column === table.identity)?.[1];
  if (text === undefined || identity === undefined) return;
  run(
    sql`UPDATE ${name(table.name)} SET ${name(text)} = ${name(text)} WHERE ${name(table.identity)} = ${identity}`,
  );
}

function insert(use: TableUse, columns: readonly (readonly [string, Fragment])[]): Fragment {
  const names = columns.map(([column]) => name(column));
  const contents = columns.map(([, content]) => content);
  const comma = (pieces: readonly Fragment[]) =>
    pieces.reduce((all, piece) => sql`${all}, ${piece}`);
  return sql`INSERT INTO ${name(use.table.name)} (${comma(names)}) VALUES (${comma(contents)})`;
}

function selectAccounts({ accounts, roles, link }: Tables): Fragment {
  const person = accounts.columns.has('Person') ? sql`a."Person"` : sql`NULL`;
  return sql`SELECT a."Uid", a."LoginName", a."Blocked", ${person}, r."Name" FROM ${name(accounts.table.name)} a
    LEFT JOIN ${name(link.table)} l ON l.${name(link.near)} = a."Uid" LEFT JOIN ${name(roles.table.name)} r ON r."Uid" = l.${name(link.far)}`;
}

function accountTables(layout: Layout): Tables {
  const accounts = tableOf(layout, setSource(layout.model, ACCOUNT_SET));
  const roles = tableOf(layout, setSource(layout.model, ROLE_SET));
  const navigation = layout.model.members(accounts.source.type).get('Roles');
  invariant(navigation?.kind === 'navigation', 'accounts have no roles in this model');
  const { relation } = arrivalOf(layout, { from: accounts.source, path: [], navigation });
  const link = relation.kind === 'links' ? relation.links[0] : undefined;
  invariant(link !== undefined, 'roles of accounts are not kept as pairs');
  return { accounts, roles, link };
}
