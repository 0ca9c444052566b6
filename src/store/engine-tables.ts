// This file brings the engine's own tables of an SQLite database (files, tokens, the change log and what else no model describes) to the
// form that the present version gives them. What they are is compared as SQLite itself has noted it, so no version numbers are kept.
import SqliteDriver from 'better-sqlite3';
import { lossWhere, type MigrationStep } from '../sql/schema/migration.ts';

type Connection = SqliteDriver.Database;

/** Setting under which the statements that made the tables are kept. */
export const ENGINE_SETTING = 'engine';

/** A table or index as sqlite_schema has it. */
interface Noted {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** What rows that are there already get in a column that is new, must have a value, and has no default. By table and column. */
const FILLS: Readonly<Record<string, string>> = {
  'docket_file.key': 'lower(hex(randomblob(16)))',
  'docket_file.store': "'local'",
};

/** What is to be done so that the tables are as the statements would make them. Tables that the statements do not name stay. */
export function engineSteps(
  connection: Connection,
  statements: readonly string[],
): readonly MigrationStep[] {
  const model = new SqliteDriver(':memory:');
  try {
    for (const statement of statements) model.exec(statement);
    const wanted = noted(model);
    const present = new Map(noted(connection).map((one) => [one.name, one]));
    const tables = wanted.filter(({ type }) => type === 'table');
    return tables.flatMap((table) => {
      const indexes = wanted.filter(({ type, table: of }) => type === 'index' && of === table.name);
      const there = present.get(table.name);
      if (there === undefined) return [makeTable(table, indexes)];
      if (there.sql !== table.sql) return [remakeTable(connection, model, table, indexes)];
      return remakeIndexes(present, indexes);
    });
  } finally {
    model.close();
  }
}

function noted(connection: Connection): readonly Noted[] {
  return connection
    .prepare<[], Noted>(
      `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`,
    )
    .all();
}

function makeTable(table: Noted, indexes: readonly Noted[]): MigrationStep {
  const sql = [table.sql, ...indexes.map((index) => index.sql)];
  return { text: `Add the engine's table "${table.name}".`, losses: [], sql };
}

/** SQLite, "ALTER TABLE", "Making Other Kinds Of Table Schema Changes": a new table takes the rows of the old one. */
function remakeTable(
  connection: Connection,
  model: Connection,
  { name, sql }: Noted,
  indexes: readonly Noted[],
): MigrationStep {
  const before = new Set(columnsOf(connection, name).map((column) => column.name));
  const after = columnsOf(model, name);
  const taken = after.flatMap((column) => {
    const quoted = `"${column.name}"`;
    if (before.has(column.name)) return [{ column: quoted, from: quoted }];
    const fill = FILLS[`${name}.${column.name}`];
    return fill === undefined ? [] : [{ column: quoted, from: fill }];
  });
  const into = taken.map(({ column }) => column).join(', ');
  const from = taken.map((one) => one.from).join(', ');
  const kept = new Set(after.map((column) => column.name));
  const lost = [...before].filter((column) => !kept.has(column));
  const named = lost.map((column) => `"${column}"`).join(', ');
  const loss = lost.length === 0 ? '' : ` without ${named}, whose values are lost`;
  return {
    text: `Give the engine's table "${name}" its present form${loss}.`,
    losses: lost.map((column) => lossWhere('values', name, column, `"${column}" IS NOT NULL`)),
    sql: [
      // Other tables go on to refer to the name, not to the table that has lost it.
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

interface Column {
  readonly name: string;
}

function columnsOf(connection: Connection, table: string): readonly Column[] {
  return connection.prepare<[string], Column>('SELECT name FROM pragma_table_info(?)').all(table);
}

function indexesOf(connection: Connection, table: string): readonly string[] {
  return noted(connection)
    .filter((one) => one.type === 'index' && one.table === table)
    .map(({ name }) => name);
}

function remakeIndexes(
  present: ReadonlyMap<string, Noted>,
  indexes: readonly Noted[],
): readonly MigrationStep[] {
  return indexes.flatMap(({ name, sql }) => {
    const there = present.get(name);
    if (there?.sql === sql) return [];
    const drop = there === undefined ? [] : [`DROP INDEX "${name}"`];
    return [{ text: `Make the engine's index "${name}".`, losses: [], sql: [...drop, sql] }];
  });
}
