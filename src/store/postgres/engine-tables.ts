// This file plans the migration of tables and functions outside the model: files, tokens, the change log and others. It compares the
// recorded definitions, so that no version numbers are needed.
import { quoted } from '../../sql/fragment.ts';
import { isSameDefinition } from '../../sql/schema/ddl.ts';
import { lossWhere, type MigrationStep } from '../../sql/schema/migration.ts';

/** The name of a table while its rows are copied. */
const OLD = '"docket_old"';

/** Steps from the recorded definitions to those in `statements`. Tables without a definition are left alone. */
export function engineSteps(
  recorded: readonly string[],
  statements: readonly string[],
): readonly MigrationStep[] {
  const tables = statements.flatMap((statement) => tableIn(statement) ?? []);
  const others = statements.filter(
    (statement) => tableIn(statement) === undefined && !isPartOf(tables, statement),
  );
  const isKnown = (statement: string) => recorded.some((one) => isSameDefinition(one, statement));
  const changed = others.filter((statement) => !isKnown(statement));
  return [
    ...(changed.length === 0 ? [] : [step("Update the engine's functions.", changed)]),
    ...tables.flatMap((table) => tableSteps(table, recorded, statements, isKnown)),
  ];
}

function tableSteps(
  table: EngineTable,
  recorded: readonly string[],
  statements: readonly string[],
  isKnown: (statement: string) => boolean,
): readonly MigrationStep[] {
  const { name, sql } = table;
  const own = statements.filter((statement) => isPartOf([table], statement));
  const old = recorded.find((statement) => tableIn(statement)?.name === name);
  if (old === undefined) return [step(`Add the engine's table "${name}".`, [sql, ...own])];
  const indexes = own.flatMap((statement) => indexIn(statement) ?? []);
  const before = recorded.filter((statement) => isPartOf([table], statement));
  const oldIndexes = before.flatMap((statement) => indexIn(statement) ?? []);
  if (!isSameDefinition(old, sql)) return [rebuild(table, old, oldIndexes, indexes)];
  return indexes
    .filter((index) => !isKnown(index.sql))
    .map((index) => {
      const isReplaced = oldIndexes.some((one) => one.name === index.name);
      const drop = isReplaced ? [`DROP INDEX ${quoted(index.name)}`] : [];
      return step(`Create the engine's index "${index.name}".`, [...drop, index.sql]);
    });
}

/** Copies the rows into a new table. */
function rebuild(
  { name, sql }: EngineTable,
  old: string,
  oldIndexes: readonly EngineTable[],
  indexes: readonly EngineTable[],
): MigrationStep {
  const [before, after] = [columnsIn(old), columnsIn(sql)];
  const copied = after.filter((column) => before.includes(column)).map(quoted);
  const lost = before.filter((column) => !after.includes(column));
  const loss =
    lost.length === 0 ? '' : ` without ${lost.map(quoted).join(', ')}, whose values are lost`;
  return {
    text: `Rebuild the engine's table "${name}"${loss}.`,
    losses: lost.map((column) =>
      lossWhere('values', name, column, `${quoted(column)} IS NOT NULL`),
    ),
    sql: [
      `ALTER TABLE ${quoted(name)} RENAME TO ${OLD}`,
      ...oldIndexes.map((index) => `DROP INDEX ${quoted(index.name)}`),
      sql,
      `INSERT INTO ${quoted(name)} (${copied.join(', ')}) SELECT ${copied.join(', ')} FROM ${OLD}`,
      ...generatedIn(sql).map((column) => continueSequence(name, column)),
      `DROP TABLE ${OLD}`,
      ...indexes.map((index) => index.sql),
    ],
  };
}

/** Lets the numbers of a generated column continue after those of the copied rows. */
function continueSequence(table: string, column: string): string {
  const own = `pg_get_serial_sequence('${quoted(table)}', '${column}')`;
  return `SELECT setval(${own}, coalesce(max(${quoted(column)}), 0) + 1, false) FROM ${quoted(table)}`;
}

/** A table or index, with the statement that creates it. */
interface EngineTable {
  readonly name: string;
  readonly sql: string;
}

function tableIn(statement: string): EngineTable | undefined {
  const name = /^CREATE TABLE "([^"]+)"/.exec(statement)?.[1];
  return name === undefined ? undefined : { name, sql: statement };
}

function indexIn(statement: string): EngineTable | undefined {
  const name = /^CREATE (?:UNIQUE )?INDEX "([^"]+)"/.exec(statement)?.[1];
  return name === undefined ? undefined : { name, sql: statement };
}

/** Whether the statement creates an index or the first row of one of the tables. */
function isPartOf(tables: readonly EngineTable[], statement: string): boolean {
  const name = /^(?:CREATE (?:UNIQUE )?INDEX "[^"]+" ON|INSERT INTO) "([^"]+)"/.exec(
    statement,
  )?.[1];
  return tables.some((table) => table.name === name);
}

/** The names of columns; unlike those in keys, a type follows them. */
function columnsIn(definition: string): readonly string[] {
  return [...definition.matchAll(/[(,] ?"([^"]+)" [a-z]/gi)].map(([, name = '']) => name);
}

function generatedIn(definition: string): readonly string[] {
  const columns = definition.matchAll(/"([^"]+)" [^",]*GENERATED BY DEFAULT AS IDENTITY/g);
  return [...columns].map(([, name = '']) => name);
}

function step(text: string, sql: readonly string[]): MigrationStep {
  return { text, losses: [], sql };
}
