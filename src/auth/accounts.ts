// Finds and creates accounts among the records of the installation. The model may define further members; this module uses only the
// login name, the blocked flag, the person and the roles.
import { invariant } from '../base/fault.ts';
import { ACCOUNT_SET, ADMINISTRATOR_ROLE, FACTOR_REQUIRED, ROLE_SET } from '../edm/account-sets.ts';
import { setSource } from '../edm/source.ts';
import { type Fragment, list, name, sql, tableName, value } from '../sql/fragment.ts';
import { type Layout, type TableUse, tableOf } from '../sql/schema/layout.ts';
import { type LinkUse, resolveNavigation } from '../sql/schema/relation-storage.ts';
import type { Row, Work } from '../store/database.ts';
import { isTrue } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';
import type { AccountRecord } from './auth-records.ts';
import { type AuthDatabase, nextIdentity } from './database.ts';
import { accountExists, requireGoodLoginName } from './login-name.ts';

export interface NewAccount {
  readonly loginName: string;
  readonly displayName: string;
  /** Names of roles. Missing roles are created. */
  readonly roles: readonly string[];
  readonly person: bigint | undefined;
}

interface Tables {
  readonly accounts: TableUse;
  readonly roles: TableUse;
  readonly link: LinkUse;
}

/** A query for accounts, best match first. Columns: uid, login name, blocked, person, role, name, language; the flag of the role. One row per role, with null if there is none. */
export type AccountQuery = (
  condition: { readonly loginName: string } | { readonly uid: bigint },
) => Fragment;

/** The query that finds an account by name or key. A name matches regardless of case, but an exact match comes first. */
export function accountQuery(layout: Layout): AccountQuery {
  const tables = accountTables(layout);
  return (condition) => {
    if ('uid' in condition)
      return sql`${selectAccounts(tables)} WHERE a."Uid" = ${value(condition.uid)}`;
    const loginName = value(condition.loginName);
    return sql`${selectAccounts(tables)} WHERE lower(a."LoginName") = lower(${loginName})
      ORDER BY CASE WHEN a."LoginName" = ${loginName} THEN 0 ELSE 1 END, a."Uid"`;
  };
}

/** An account, and whether one of its roles requires a second factor. */
interface FoundAccount extends Omit<AccountRecord, 'passwordHash' | 'requiredStep'> {
  readonly requiresFactor: boolean;
}

/** The account in the rows of an AccountQuery, one for each role; undefined if there are none. */
export function accountIn(rows: readonly Row[]): FoundAccount | undefined {
  const [first] = rows;
  if (first === undefined || typeof first[0] !== 'bigint') return undefined;
  const [uid] = first;
  const own = rows.filter((row) => row[0] === uid);
  return {
    uid,
    loginName: String(first[1]),
    displayName: String(first[5] ?? first[1]),
    language: typeof first[6] === 'string' ? first[6] : undefined,
    blocked: isTrue(first[2]),
    person: typeof first[3] === 'bigint' ? first[3] : undefined,
    roles: own.flatMap((row) => (typeof row[4] === 'string' ? [row[4]] : [])),
    requiresFactor: own.some((row) => isTrue(row[7])),
  };
}

/** A query that returns a row if an account can administrate: it is not blocked and has a password and the administrator role. */
export function administratorQuery(layout: Layout): Fragment {
  const { accounts, roles, link } = accountTables(layout);
  const isFree = sql`coalesce(a."Blocked", ${value(false)}) = ${value(false)}`;
  return sql`SELECT 1 FROM ${tableName(roles.table.name)} r
    JOIN ${tableName(link.table)} l ON l.${name(link.far)} = r."Uid" JOIN ${tableName(accounts.table.name)} a ON a."Uid" = l.${name(link.near)}
    WHERE r."Name" = ${value(ADMINISTRATOR_ROLE)} AND ${isFree} AND a."Uid" IN (SELECT account FROM ${tableName('docket_credential')}) LIMIT 1`;
}

/** Selects the accounts that programs use rather than people: those whose type has this meaning. Undefined if accounts have no type. */
export function machineQuery(layout: Layout): Fragment | undefined {
  const { accounts } = accountTables(layout);
  const member = layout.model.members(accounts.source.type).get('Type');
  const codes = layout.model.definition.codeLists
    .filter((one) => member?.kind === 'property' && one.name === member.codeList)
    .flatMap((one) => one.codes.filter(({ meaning }) => meaning === INTEGRATION));
  const column = accounts.columns.get('Type')?.name;
  if (codes.length === 0 || column === undefined) return undefined;
  const values = list(codes.map((code) => value(code.value)));
  return sql`SELECT "Uid" FROM ${tableName(accounts.table.name)} WHERE ${name(column)} IN (${values})`;
}

/** The meaning of the code of accounts for programs. */
const INTEGRATION = 'INTEGRATION';

/** Creates an account and returns its key. Throws: auth.login-name, auth.account-exists. */
export async function createAccount(
  database: AuthDatabase,
  layout: Layout,
  account: NewAccount,
): Promise<bigint> {
  const tables = accountTables(layout);
  requireGoodLoginName(account.loginName, longestName(layout, tables));
  const [existing] = await database.read(accountQuery(layout)({ loginName: account.loginName }));
  if (existing !== undefined) throw accountExists(String(existing[1]));
  return await database.write(function* () {
    const uid = yield* nextIdentity();
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
    yield* add(tables.accounts, columns);
    for (const role of account.roles) yield* assignRole(tables, uid, role);
    return uid;
  });
}

function longestName({ model }: Layout, { accounts }: Tables): number | undefined {
  const member = model.members(accounts.source.type).get('LoginName');
  return member?.kind === 'property' ? member.facets.maxLength : undefined;
}

function* assignRole({ roles, link }: Tables, account: bigint, role: string): Work<void> {
  const [known] =
    (yield* firstRow(
      sql`SELECT "Uid" FROM ${tableName(roles.table.name)} WHERE "Name" = ${value(role)}`,
    )) ?? [];
  const uid = typeof known === 'bigint' ? known : yield* nextIdentity();
  if (known === undefined)
    yield* add(roles, [
      ['Uid', value(uid)],
      ['Name', value(role)],
    ]);
  yield query(
    sql`INSERT INTO ${tableName(link.table)} (${name(link.near)}, ${name(link.far)}) VALUES (${value(account)}, ${value(uid)}) ON CONFLICT DO NOTHING`,
  );
}

/** Inserts a row and updates one of its texts, because the text index is maintained by updates only. */
function* add(use: TableUse, columns: readonly (readonly [string, Fragment])[]): Work<void> {
  const { table } = use;
  yield query(insert(use, columns));
  const [text] = table.text?.columns ?? [];
  const identity = columns.find(([column]) => column === table.identity)?.[1];
  if (text === undefined || identity === undefined) return;
  yield query(
    sql`UPDATE ${tableName(table.name)} SET ${name(text)} = ${name(text)} WHERE ${name(table.identity)} = ${identity}`,
  );
}

function insert(use: TableUse, columns: readonly (readonly [string, Fragment])[]): Fragment {
  const names = columns.map(([column]) => name(column));
  const contents = columns.map(([, content]) => content);
  return sql`INSERT INTO ${tableName(use.table.name)} (${list(names)}) VALUES (${list(contents)})`;
}

function selectAccounts({ accounts, roles, link }: Tables): Fragment {
  const optional = (column: string) =>
    accounts.columns.has(column) ? sql`a.${name(column)}` : sql`NULL`;
  const flag = roles.columns.has(FACTOR_REQUIRED) ? sql`r.${name(FACTOR_REQUIRED)}` : sql`NULL`;
  return sql`SELECT a."Uid", a."LoginName", a."Blocked", ${optional('Person')}, r."Name", a."Name", ${optional('Language')}, ${flag} FROM ${tableName(accounts.table.name)} a
    LEFT JOIN ${tableName(link.table)} l ON l.${name(link.near)} = a."Uid" LEFT JOIN ${tableName(roles.table.name)} r ON r."Uid" = l.${name(link.far)}`;
}

/** Key of the first person who has no account. Undefined if all have one, or if the model has no people with accounts. */
export async function personWithoutAccount(
  database: AuthDatabase,
  layout: Layout,
): Promise<bigint | undefined> {
  const { people } = layout.model.definition;
  const { table, columns } = accountTables(layout).accounts;
  if (people === undefined || !columns.has('Person')) return undefined;
  const owners = sql`SELECT "Person" FROM ${tableName(table.name)} WHERE "Person" IS NOT NULL`;
  const [row] = await database.read(
    sql`SELECT min("Uid") FROM ${tableName(people)} WHERE "Uid" NOT IN (${owners})`,
  );
  return typeof row?.[0] === 'bigint' ? row[0] : undefined;
}

function accountTables(layout: Layout): Tables {
  const accounts = tableOf(layout, setSource(layout.model, ACCOUNT_SET));
  const roles = tableOf(layout, setSource(layout.model, ROLE_SET));
  const navigation = layout.model.members(accounts.source.type).get('Roles');
  invariant(navigation?.kind === 'navigation', 'accounts have no roles in this model');
  const { relation } = resolveNavigation(layout, { from: accounts.source, path: [], navigation });
  const link = relation.kind === 'links' ? relation.links[0] : undefined;
  invariant(link !== undefined, 'roles of accounts are not kept as pairs');
  return { accounts, roles, link };
}
