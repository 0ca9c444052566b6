// This file finds what records share in a database although a changed model lets it occur only once: items of collections and values of
// properties. A migration names them, instead of failing at a unique index.
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
import type { UniqueContent } from '../../sql/schema/migration.ts';
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
  unique: UniqueContent | undefined,
  { rows, dialect, limit }: Rows,
): Promise<readonly string[]> {
  if (unique === undefined) return [];
  const from = rowsFragment(rows.get(unique.table.name) ?? quoted(unique.table.name));
  const given = { from, dialect, limit: integer(limit) };
  const items = await repeatedItemsIn(migration, unique, given);
  return [...items, ...(await repeatedValuesIn(migration, unique, given))];
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
    const places = columns.map((column) => `"${column}"`).join(', ');
    return `${shared.join(', ')} in ${places} of "${table.name}" (${count} times)`;
  });
}

function rowsFragment(rows: string): Fragment {
  return { texts: [`(SELECT * FROM ${rows})`], pieces: [] };
}
