// This file plans the migration of the engine's own SQLite tables: files, tokens, the change log and others outside the model. It
// compares the definitions in sqlite_schema, so that no version numbers are needed.
import { isSameDefinition } from '../../sql/schema/ddl.ts';
import { lossWhere, type MigrationStep } from '../../sql/schema/migration.ts';
import { openInMemory } from './connection.ts';
import type { Connection } from './driver.ts';

/** A table or index in sqlite_schema. */
interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** Values of existing rows for new columns that are NOT NULL without a default, by table and column. */
const INITIAL_VALUES: Readonly<Record<string, string>> = {
  'docket_file.key': 'lower(hex(randomblob(16)))',
  'docket_file.store': "'local'",
};

/** Steps that update the tables to the definitions in `statements`. Other tables are left alone. */
export function engineSteps(
  connection: Connection,
  statements: readonly string[],
): readonly MigrationStep[] {
  const model = openInMemory();
  try {
    for (const statement of statements) model.exec(statement);
    const wanted = readSchema(model);
    const existing = new Map(readSchema(connection).map((entry) => [entry.name, entry]));
    const tables = wanted.filter(({ type }) => type === 'table');
    return tables.flatMap((table) => {
      const indexes = wanted.filter(({ type, table: of }) => type === 'index' && of === table.name);
      const current = existing.get(table.name);
      if (current === undefined) return [createTable(table, indexes)];
      if (!isSameDefinition(current.sql, table.sql))
        return [rebuildTable(connection, model, table, indexes)];
      return rebuildIndexes(existing, indexes);
    });
  } finally {
    model.close();
  }
}

function readSchema(connection: Connection): readonly SchemaEntry[] {
  const rows = connection
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`,
    )
    .all([]);
  return rows.map(([type, name, table, sql]) => ({
    type: String(type),
    name: String(name),
    table: String(table),
    sql: String(sql),
  }));
}

function createTable(table: SchemaEntry, indexes: readonly SchemaEntry[]): MigrationStep {
  const sql = [table.sql, ...indexes.map((index) => index.sql)];
  return { text: `Add the engine's table "${table.name}".`, losses: [], sql };
}

/** Copies the rows into a new table. Source: SQLite, "ALTER TABLE", "Making Other Kinds Of Table Schema Changes". */
function rebuildTable(
  connection: Connection,
  model: Connection,
  { name, sql }: SchemaEntry,
  indexes: readonly SchemaEntry[],
): MigrationStep {
  const before = new Set(columnsOf(connection, name));
  const after = columnsOf(model, name);
  const copied = after.flatMap((column) => {
    const quoted = `"${column}"`;
    if (before.has(column)) return [{ column: quoted, from: quoted }];
    const initial = INITIAL_VALUES[`${name}.${column}`];
    return initial === undefined ? [] : [{ column: quoted, from: initial }];
  });
  const into = copied.map(({ column }) => column).join(', ');
  const from = copied.map((item) => item.from).join(', ');
  const kept = new Set(after);
  const lost = [...before].filter((column) => !kept.has(column));
  const names = lost.map((column) => `"${column}"`).join(', ');
  const loss = lost.length === 0 ? '' : ` without ${names}, whose values are lost`;
  return {
    text: `Rebuild the engine's table "${name}"${loss}.`,
    losses: lost.map((column) => lossWhere('values', name, column, `"${column}" IS NOT NULL`)),
    sql: [
      // References of other tables must keep pointing to the name, not follow the renamed table.
      'PRAGMA legacy_alter_table = ON',
      `ALTER TABLE "${name}" RENAME TO "docket_former"`,
      ...indexesOf(connection, name).map((index) => `DROP INDEX "${index}"`),
      sql,
      `INSERT INTO "${name}" (${into}) SELECT ${from} FROM "docket_former"`,
      'DROP TABLE "docket_former"',
      'PRAGMA legacy_alter_table = OFF',
      ...indexes.map((index) => index.sql),
    ],
  };
}

function columnsOf(connection: Connection, table: string): readonly string[] {
  const rows = connection.prepare('SELECT name FROM pragma_table_info(?)').all([table]);
  return rows.map(([name]) => String(name));
}

function indexesOf(connection: Connection, table: string): readonly string[] {
  return readSchema(connection)
    .filter((entry) => entry.type === 'index' && entry.table === table)
    .map(({ name }) => name);
}

function rebuildIndexes(
  existing: ReadonlyMap<string, SchemaEntry>,
  indexes: readonly SchemaEntry[],
): readonly MigrationStep[] {
  return indexes.flatMap(({ name, sql }) => {
    const current = existing.get(name);
    if (current !== undefined && isSameDefinition(current.sql, sql)) return [];
    const drop = current === undefined ? [] : [`DROP INDEX "${name}"`];
    return [{ text: `Create the engine's index "${name}".`, losses: [], sql: [...drop, sql] }];
  });
}
