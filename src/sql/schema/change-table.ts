// This file writes the statements that give a table other columns: ALTER TABLE where the database supports it, otherwise a new table
// with copied rows. The text index of the table does not exist while they run.
import type { Dialect } from '../dialect/dialect.ts';
import { quoted } from '../fragment.ts';
import {
  addReference,
  columnDefinition,
  createIndex,
  createTable,
  defaultOf,
  dropReference,
  referencesOf,
} from './ddl.ts';
import { type Column, type Index, sameColumn, type Table } from './layout.ts';

export interface TableChange {
  readonly old: Table;
  readonly table: Table;
  /** For each column of the new table, the expression that computes it from a row of the old one. */
  readonly contents: readonly string[];
}

export function changeStatements(change: TableChange, dialect: Dialect): readonly string[] {
  return dialect.schema.altersTables ? alter(change, dialect) : rebuild(change, dialect);
}

/** Creates the table under a temporary name, copies the rows, drops the old table and renames the new one. */
function rebuild({ old, table, contents }: TableChange, dialect: Dialect): readonly string[] {
  const temporary = `${table.name}$new`;
  const columns = table.columns.map((column) => quoted(column.name)).join(', ');
  return [
    createTable(table, dialect, temporary),
    `INSERT INTO ${quoted(temporary)} (${columns}) SELECT ${contents.join(', ')} FROM ${quoted(old.name)}`,
    `DROP TABLE ${quoted(old.name)}`,
    `ALTER TABLE ${quoted(temporary)} RENAME TO ${quoted(table.name)}`,
    ...table.indexes.map((index) => createIndex(table, index, dialect)),
  ];
}

function alter(change: TableChange, dialect: Dialect): readonly string[] {
  const { old, table } = change;
  const { objectName } = dialect.schema;
  const ddlOf = (of: Table, index: Index) => createIndex(of, index, dialect);
  const before = new Set(old.indexes.map((index) => ddlOf(old, index)));
  const after = new Set(table.indexes.map((index) => ddlOf(table, index)));
  const references = { before: referencesOf(old), after: referencesOf(table) };
  const isIn = (references: readonly object[], reference: object) =>
    references.some((one) => JSON.stringify(one) === JSON.stringify(reference));
  return [
    ...references.before
      .filter((reference) => !isIn(references.after, reference))
      .map((reference) => dropReference(reference, dialect)),
    ...old.indexes
      .filter((index) => !after.has(ddlOf(old, index)))
      .map((index) => `DROP INDEX ${quoted(objectName(index.name))}`),
    ...alterColumns(change, dialect),
    ...[...after].filter((statement) => !before.has(statement)),
    ...references.after
      .filter((reference) => !isIn(references.before, reference))
      .map((reference) => addReference(reference, dialect)),
  ];
}

function alterColumns(change: TableChange, dialect: Dialect): readonly string[] {
  const { old, table, contents } = change;
  const isRenamed = old.identity !== table.identity;
  const before = new Map(old.columns.map((column) => [column.name, column]));
  const after = new Set(table.columns.map((column) => column.name));
  const dropped = old.columns.filter(({ name }) =>
    isRenamed && name === table.identity ? true : name !== old.identity && !after.has(name),
  );
  const changed = table.columns.flatMap((column, at): readonly string[] => {
    const previous = before.get(column.name);
    const content = contents[at] ?? '';
    if (column.name === table.identity) return [];
    if (previous === undefined || (isRenamed && column.name === old.identity))
      return addColumn(change, column, content, dialect);
    return sameColumn(previous, column)
      ? []
      : changeColumn(table, previous, column, { content, dialect });
  });
  return [
    ...dropped.map(({ name }) => `${alterTable(table)} DROP COLUMN ${quoted(name)}`),
    ...(isRenamed
      ? [`${alterTable(table)} RENAME COLUMN ${quoted(old.identity)} TO ${quoted(table.identity)}`]
      : []),
    ...changed,
  ];
}

/** A new column, or the previous identity, which becomes an ordinary column beside the renamed one. */
function addColumn(
  { old, table }: TableChange,
  column: Column,
  content: string,
  dialect: Dialect,
): readonly string[] {
  const name = quoted(column.name);
  const definition = columnDefinition(table, column, dialect);
  if (column.name === old.identity) {
    const identity = content.replaceAll(name, quoted(table.identity));
    const type = dialect.columnTypes[column.storage.kind];
    // Not UPDATE: a table with pending checks of references cannot be altered.
    return [
      `${alterTable(table)} ADD COLUMN ${columnDefinition(table, { ...column, notNull: false }, dialect)}`,
      `${alterTable(table)} ALTER COLUMN ${name} TYPE ${type} USING ${identity}`,
      ...(column.notNull ? [`${alterTable(table)} ALTER COLUMN ${name} SET NOT NULL`] : []),
    ];
  }
  if (!column.notNull || column.default !== undefined)
    return [`${alterTable(table)} ADD COLUMN ${definition}`];
  return [
    `${alterTable(table)} ADD COLUMN ${definition} DEFAULT ${content}`,
    `${alterTable(table)} ALTER COLUMN ${name} DROP DEFAULT`,
  ];
}

/** The previous default may not have the new type: it is dropped first. Nothing changes if values only get another meaning. */
function changeColumn(
  table: Table,
  previous: Column,
  column: Column,
  { content, dialect }: { readonly content: string; readonly dialect: Dialect },
): readonly string[] {
  const name = quoted(column.name);
  const type = dialect.columnTypes[column.storage.kind];
  const isSameType = type === dialect.columnTypes[previous.storage.kind] && content === name;
  const initial = defaultOf(column, dialect);
  const actions = [
    ...(previous.default === undefined ? [] : ['DROP DEFAULT']),
    ...(previous.notNull ? ['DROP NOT NULL'] : []),
    ...(isSameType ? [] : [`TYPE ${type} USING ${content}`]),
    ...(initial === undefined ? [] : [`SET DEFAULT ${initial}`]),
    ...(column.notNull ? ['SET NOT NULL'] : []),
  ];
  const changes = actions.map((action) => `ALTER COLUMN ${name} ${action}`);
  return changes.length === 0 ? [] : [`${alterTable(table)} ${changes.join(', ')}`];
}

function alterTable(table: Table): string {
  return `ALTER TABLE ${quoted(table.name)}`;
}
