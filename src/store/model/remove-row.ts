// This file removes rows within a migration, without the checks and the history of a request. Contained rows, and rows that the model
// deletes with them, are removed as well; other references become null.
import { ARGUMENT, name, sql, tableName } from '../../sql/fragment.ts';
import { OWNER_COLUMN } from '../../sql/schema/item-index.ts';
import {
  type Column,
  FILE_COLUMN,
  fileColumn,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
} from '../../sql/schema/layout.ts';
import { containedUses } from '../../sql/write/deletion.ts';
import type { SingleOperation, Work } from '../database.ts';
import { change, query } from '../work.ts';

/** Removes a row and what depends on it. */
export function* removeRow(layout: Layout, use: TableUse, identity: bigint): Work<void> {
  const { table } = use;
  yield* removeContained(layout, use, identity);
  for (const other of layout.bySource.values())
    for (const column of other.table.columns)
      if (column.references === table.name) yield* releaseRows(layout, other, column, identity);
  for (const index of table.items ?? []) yield removal(index.name, OWNER_COLUMN, identity);
  for (const { name: links, source, target } of layout.links) {
    if (source === table.name) yield removal(links, 'source', identity);
    if (target === table.name) yield removal(links, 'target', identity);
  }
  for (const column of use.columns.keys())
    if (column === FILE_COLUMN || column.endsWith(fileColumn('')))
      yield releaseFile(use, column, identity);
  yield removal(table.name, table.identity, identity);
}

/** Removes the contained rows of a row. */
export function* removeContained(layout: Layout, use: TableUse, identity: bigint): Work<void> {
  for (const contained of containedUses(layout, use))
    yield* removeRows(layout, contained, PARENT_COLUMN, identity);
}

function* releaseRows(layout: Layout, use: TableUse, column: Column, identity: bigint): Work<void> {
  if (isCascade(layout, use, column)) {
    yield* removeRows(layout, use, column.name, identity);
    return;
  }
  const cell = name(column.name);
  yield change(
    sql`UPDATE ${tableName(use.table.name)} SET ${cell} = NULL WHERE ${cell} = ${ARGUMENT}`,
    [identity],
  );
}

function isCascade({ model }: Layout, { source }: TableUse, column: Column): boolean {
  if (column.notNull) return true;
  const types = [source.type, ...model.derived(source.type)];
  const members = types.map((type) => model.stored(type).get(column.name));
  return members.some((member) => member?.kind === 'navigation' && member.onDelete === 'cascade');
}

function* removeRows(layout: Layout, use: TableUse, column: string, identity: bigint): Work<void> {
  const { table } = use;
  const found = sql`SELECT ${name(table.identity)} FROM ${tableName(table.name)} WHERE ${name(column)} = ${ARGUMENT}`;
  for (const [row] of (yield query(found, [identity])).rows)
    if (typeof row === 'bigint') yield* removeRow(layout, use, row);
}

/** The job that removes files deletes it later. */
function releaseFile({ table }: TableUse, column: string, identity: bigint): SingleOperation {
  const file = sql`SELECT ${name(column)} FROM ${tableName(table.name)} WHERE ${name(table.identity)} = ${ARGUMENT}`;
  return change(
    sql`UPDATE ${tableName('docket_file')} SET "state" = 'released' WHERE "id" = (${file})`,
    [identity],
  );
}

function removal(table: string, column: string, identity: bigint): SingleOperation {
  return change(sql`DELETE FROM ${tableName(table)} WHERE ${name(column)} = ${ARGUMENT}`, [
    identity,
  ]);
}
