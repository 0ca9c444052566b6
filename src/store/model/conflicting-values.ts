// This file finds the values in a database that a changed model does not permit: items and values that records share although they
// must be unique, and keys that do not fit their new type. A migration names them, instead of failing at a unique index.

import type { Dialect } from '../../sql/dialect/dialect.ts';
import {
  type Fragment,
  integer,
  list,
  name,
  quoted,
  sql,
  toStatement,
  where,
} from '../../sql/fragment.ts';
import { itemsOf, repeatedItems } from '../../sql/schema/item-index.ts';
import { memberTexts } from '../../sql/schema/layout.ts';
import type { Loss, UniqueContent } from '../../sql/schema/migration.ts';
import type { Migration } from '../installation-database.ts';

interface Rows {
  /** The rows of each table before the steps, as SQL text, by the name of the table after renames. */
  readonly rows: ReadonlyMap<string, string>;
  readonly dialect: Dialect;
  /** Maximum number for each index. */
  readonly limit: number;
}

/** The first items and values that must be unique, but occur several times: `a in "Isbn" of "Books" (2 times)`. */
export async function repeatedIn(
  migration: Migration,
  unique: readonly UniqueContent[] | undefined,
  { rows, dialect, limit }: Rows,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const one of unique ?? []) {
    const existing = rows.get(one.table.name) ?? quoted(one.table.name);
    const given = { from: rowsFragment(existing, one), dialect, limit: integer(limit) };
    found.push(...(await repeatedItemsIn(migration, one, given)));
    found.push(...(await repeatedValuesIn(migration, one, given)));
  }
  return found;
}

/** The first keys that do not fit their new type: `5000000000 in "Id" of "Books"`. */
export async function unfitIn(
  migration: Migration,
  unfit: readonly Loss[] | undefined,
  { rows, limit }: Rows,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { table, column = '', condition } of unfit ?? []) {
    const from = rows.get(table) ?? quoted(table);
    const query = `SELECT ${quoted(column)} FROM ${from} WHERE ${condition} ORDER BY 1 LIMIT ${limit}`;
    for (const [value] of await migration.read(query, []))
      found.push(`${value} in "${column}" of "${table}"`);
  }
  return found;
}

interface TableRows {
  readonly from: Fragment;
  readonly dialect: Dialect;
  readonly limit: Fragment;
}

async function repeatedItemsIn(
  migration: Migration,
  { table, items: indexes }: UniqueContent,
  { from, dialect, limit }: TableRows,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const index of indexes) {
    const items = itemsOf(table, index, dialect, { from });
    const query = sql`${repeatedItems(items, index, dialect)} LIMIT ${limit}`;
    const { text } = toStatement(query, dialect.placeholder);
    for (const [item, first, last] of await migration.read(text, [])) {
      const where = `"${index.column}" of "${table.name}" ${first}`;
      found.push(`${item} in ${where}${first === last ? ' (twice)' : ` and ${last}`}`);
    }
  }
  return found;
}

async function repeatedValuesIn(
  migration: Migration,
  { table, columns }: UniqueContent,
  { from, dialect, limit }: TableRows,
): Promise<readonly string[]> {
  if (columns.length === 0) return [];
  const values = columns.map(name);
  const complete = values.map((column) => sql`${column} IS NOT NULL`);
  const query = sql`SELECT count(*), ${list(values)} FROM ${from} AS ${name('r')}${where(complete)} GROUP BY ${list(values)} HAVING count(*) > 1 ORDER BY ${list(values)} LIMIT ${limit}`;
  const found = await migration.read(toStatement(query, dialect.placeholder).text, []);
  return found.map(([count, ...shared]) => {
    return `${shared.join(', ')} in ${memberTexts(columns)} of "${table.name}" (${count} times)`;
  });
}

/** With contents, the rows have the values after the step. */
function rowsFragment(rows: string, { columns, contents }: UniqueContent): Fragment {
  const selected = contents?.map((content, at) => `${content} AS ${quoted(columns[at] ?? '')}`);
  return { texts: [`(SELECT ${selected?.join(', ') ?? '*'} FROM ${rows})`], pieces: [] };
}
