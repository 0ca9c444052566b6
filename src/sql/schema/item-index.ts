// This file indexes the items of collections that have a key, such as references to records in other systems. The index is a table
// with a row for each item, since databases have no unique index on what is inside of a JSON document. Its content follows from the
// indexed table: writes keep it current, and whatever builds indexes fills it.
import type { Dialect } from '../dialect/dialect.ts';
import {
  column,
  type Fragment,
  join,
  list,
  name,
  quoted,
  sql,
  tableName,
  text,
  toStatement,
  where,
} from '../fragment.ts';
import type { ItemIndex, Table } from './layout.ts';

/** The column with the identity of the row that has the item. */
export const OWNER_COLUMN = '$owner';

export function itemIndexName(table: string, collection: string): string {
  return `${table}|${collection}|items`;
}

/** The name of the index in a statement. For the caches of responses, an index counts as its table. */
export function itemTable(table: Pick<Table, 'name'>, index: ItemIndex): Fragment {
  return tableName(index.name, table.name);
}

/** The statements that create the item indexes of a table and fill them from its rows. */
export function createItemIndexes(table: Table, dialect: Dialect): readonly string[] {
  return (table.items ?? []).flatMap((index) => [
    createTable(index, dialect),
    createOwnerIndex(index, dialect),
    toStatement(fillItems(table, index, dialect), dialect.placeholder).text,
  ]);
}

export function dropItemIndexes({ items = [] }: Pick<Table, 'items'>): readonly string[] {
  return items.map((index) => `DROP TABLE ${quoted(index.name)}`);
}

function createTable(index: ItemIndex, { columnTypes, schema }: Dialect): string {
  const keys = index.members.map(quoted);
  const columns = [
    `${quoted(OWNER_COLUMN)} ${columnTypes.integer} NOT NULL`,
    ...keys.map((key) => `${key} ${columnTypes.text} NOT NULL`),
    `PRIMARY KEY (${keys.join(', ')})`,
  ];
  return `CREATE TABLE ${quoted(index.name)} (${columns.join(', ')})${schema.keyedTable}`;
}

function createOwnerIndex({ name: index }: ItemIndex, { schema }: Dialect): string {
  const ownerIndex = quoted(schema.objectName(`${index}|owner`));
  return `CREATE INDEX ${ownerIndex} ON ${quoted(index)} (${quoted(OWNER_COLUMN)})`;
}

/**
 * Adds the items of rows that have none in the index.
 * @param conditions conditions of the rows
 */
export function fillItems(
  table: Table,
  index: ItemIndex,
  dialect: Dialect,
  conditions: readonly Fragment[] = [],
): Fragment {
  const columns = [OWNER_COLUMN, ...index.members].map(name);
  const rows = { from: tableName(table.name), conditions };
  return sql`INSERT INTO ${itemTable(table, index)} (${list(columns)}) ${itemsOf(table, index, dialect, rows)}`;
}

/** The rows that items are selected from. */
interface ItemRows {
  readonly from: Fragment;
  readonly conditions?: readonly Fragment[];
}

/** Selects the identity of the row and the key of each item of the collection. */
export function itemsOf(
  { identity }: Pick<Table, 'identity'>,
  { column: collection, members }: ItemIndex,
  { json }: Dialect,
  { from, conditions = [] }: ItemRows,
): Fragment {
  const [row, item] = [name('r'), name('i')];
  const array = column(row, collection);
  const keys = members.map((member) => json.member(json.itemJson(item), [member]));
  const selected = keys.map((key, at) => sql`${key} AS ${name(members[at] ?? '')}`);
  const complete = keys.map((key) => sql`${key} IS NOT NULL`);
  const all = [sql`${array} <> '[]'`, ...complete, ...conditions];
  return sql`SELECT ${column(row, identity)} AS ${name(OWNER_COLUMN)}, ${list(selected)} FROM ${from} ${row}, ${json.items(array, item)}${where(all)}`;
}

/** The key of an item as it is written in a URL: `System='jira',Id='X-1'`. */
export function itemText({ members }: ItemIndex, { json }: Dialect): Fragment {
  const parts = members.map(
    (member) => sql`${text(`${member}=`)} || ${json.urlText(name(member))}`,
  );
  return join(parts, " || ',' || ");
}

/** Selects the keys that occur more than once among items, as texts, with the first and the last row that has them. */
export function repeatedItems(items: Fragment, index: ItemIndex, dialect: Dialect): Fragment {
  const keys = list(index.members.map(name));
  const owner = name(OWNER_COLUMN);
  return sql`SELECT ${itemText(index, dialect)}, min(${owner}), max(${owner}) FROM (${items}) AS ${name('a')} GROUP BY ${keys} HAVING count(*) > 1 ORDER BY ${keys}`;
}
