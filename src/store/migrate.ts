// This file migrates an installation's tables to its current model. It copies the database first, then runs all steps and stores the
// new layout in one transaction, so that a failed migration has no effect. No other process may have the database open: a running
// service would continue with the old layout.
import { dirname, join } from 'node:path';
import { Fault, invariant, unreachable } from '../base/fault.ts';
import { type ModelDefinition, makeModel } from '../edm/model.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import { LAYOUT_SETTING, quoted } from '../sql/schema/ddl.ts';
import type { Layout, StoredLayout } from '../sql/schema/layout.ts';
import {
  type Loss,
  type MigrationStep,
  planMigration as stepsBetween,
} from '../sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../sql/schema/model-layout.ts';
import { addCodeTexts, missingCodes } from './code-texts.ts';
import { ENGINE_SETTING, engineSteps, isRecorded } from './engine-tables.ts';
import { storeSetting } from './installation-settings.ts';
import { copyInto } from './sqlite/backup.ts';
import { connect, firstCell, isBusy } from './sqlite/connection.ts';
import type { Connection } from './sqlite/driver.ts';
import { runOn } from './sqlite/writer.ts';

/** Maximum number of losses that a message lists. */
const LISTED_LOSSES = 5;

/** The dialect, and the DDL of the engine's own tables. */
export interface DatabaseForm {
  readonly dialect: Dialect;
  readonly engine: readonly string[];
}

/** What a step removes, and in how many rows. */
export interface CountedLoss extends Pick<Loss, 'kind' | 'table' | 'column'> {
  readonly rows: number;
}

/** A migration step and the data of existing records that it loses. */
export interface PlannedStep extends Omit<MigrationStep, 'losses'> {
  readonly loses: boolean;
  readonly losses: readonly CountedLoss[];
}

/** The steps that migrateDatabase would run. Throws: store.not-installed. */
export async function planMigration(
  file: string,
  definition: ModelDefinition,
  form: DatabaseForm,
): Promise<readonly PlannedStep[]> {
  const connection = connect(file, true);
  try {
    const steps = stepsFor(connection, makeLayout(makeModel(definition)), form);
    return steps.map((step) => {
      const losses = countLosses(connection, step);
      return { text: step.text, loses: losses.length > 0, losses, sql: step.sql };
    });
  } finally {
    connection.close();
  }
}

/** Describes a loss: `the value of "RoomNumber" in 12 rows of "ServiceRequests"`. */
export function describeLoss({ kind, table, column, rows }: CountedLoss): string {
  const count = rows === 1 ? '1 row' : `${rows} rows`;
  switch (kind) {
    case 'rows':
      return `${count} of "${table}"`;
    case 'links':
      return `${rows === 1 ? '1 link' : `${rows} links`} of "${table}"`;
    case 'values':
      return `the value of "${column}" in ${count} of "${table}"`;
    case 'digits':
      return `digits of "${column}" in ${count} of "${table}"`;
    default:
      return unreachable(kind);
  }
}

/**
 * Migrates the database and returns the path of the copy made before.
 * Throws: store.not-installed, store.in-use, store.migration-broken, store.migration-loses unless `mayLose`.
 */
export async function migrateDatabase(
  file: string,
  definition: ModelDefinition,
  form: DatabaseForm,
  mayLose = false,
): Promise<string> {
  const layout = makeLayout(makeModel(definition));
  const connection = connectAlone(file);
  try {
    const steps = stepsFor(connection, layout, form);
    if (!mayLose) requireNoLoss(steps.flatMap((step) => countLosses(connection, step)));
    const copy = makeCopy(connection, file);
    connection.exec('PRAGMA foreign_keys = OFF');
    connection.exec('BEGIN EXCLUSIVE');
    runSteps(connection, steps, layout, form);
    connection.exec('COMMIT');
    return copy;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  } finally {
    connection.close();
  }
}

/** Throws: store.in-use if another process has the database open. */
export function requireUnused(file: string): void {
  connectAlone(file).close();
}

function countLosses(connection: Connection, { losses }: MigrationStep): readonly CountedLoss[] {
  return losses.flatMap(({ count, ...loss }) => {
    const rows = Number(firstCell(connection, count));
    return rows === 0 ? [] : [{ ...loss, rows }];
  });
}

function requireNoLoss(losses: readonly CountedLoss[]): void {
  if (losses.length === 0) return;
  const listed = losses.slice(0, LISTED_LOSSES).map(describeLoss).join(', ');
  const more = losses.length > LISTED_LOSSES ? ` and ${losses.length - LISTED_LOSSES} more` : '';
  throw new Fault('store.migration-loses', { losses: `${listed}${more}` });
}

/** In exclusive mode only one process can open a WAL database. Source: SQLite, "PRAGMA locking_mode". */
function connectAlone(file: string): Connection {
  const connection = connect(file, false);
  try {
    connection.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) throw new Fault('store.in-use');
    throw error;
  }
}

function stepsFor(
  connection: Connection,
  layout: Layout,
  { dialect, engine }: DatabaseForm,
): readonly MigrationStep[] {
  const installed = readLayout(connection);
  const steps = stepsBetween(installed, layout, dialect);
  const ownSteps = engineSteps(connection, engine);
  const isSame = JSON.stringify(installed) === JSON.stringify(storedLayout(layout));
  const codes = new Set(newCodes(connection, layout).map(({ code }) => code.value)).size;
  const orderStep =
    steps.length > 0 || isSame ? [] : [describe('Record the new order of members.')];
  // Installations older than the setting have current tables, but no record of their definition.
  const isKnown = isRecorded(readSetting(connection, ENGINE_SETTING), engine);
  return [
    ...ownSteps,
    ...(ownSteps.length > 0 || isKnown
      ? []
      : [describe("Record the definition of the engine's tables.")]),
    ...rebuildTriggerIndexes(connection, installed, dialect),
    ...steps,
    ...orderStep,
    ...(codes === 0 ? [] : [describe(`Add the texts of ${codes} codes.`)]),
  ];
}

/** Rebuilds text indexes with triggers for new rows: earlier versions used them, which slowed down reads and writes. */
function rebuildTriggerIndexes(
  connection: Connection,
  { tables }: StoredLayout,
  { schema }: Dialect,
): readonly MigrationStep[] {
  const triggersOf = connection.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY name",
  );
  return tables.flatMap((table) => {
    const ddl = schema.textIndex(table).join('\n');
    const obsolete = triggersOf
      .all([table.name])
      .map(([name]) => String(name))
      .filter((name) => name.startsWith(`${table.name}$`))
      .filter((name) => !ddl.includes(`CREATE TRIGGER ${quoted(name)} `));
    if (obsolete.length === 0) return [];
    const sql = [
      ...obsolete.map((name) => `DROP TRIGGER ${quoted(name)}`),
      ...schema.dropTextIndex(table),
      ...schema.textIndex(table),
      ...schema.fillTextIndex(table),
    ];
    return [{ text: `Rebuild the text indexes of "${table.name}".`, losses: [], sql }];
  });
}

/** A step without statements: its effect is part of every migration. */
function describe(text: string): MigrationStep {
  return { text, losses: [], sql: [] };
}

function newCodes(connection: Connection, { model }: Layout) {
  return runOn(connection, missingCodes(model));
}

function readLayout(connection: Connection): StoredLayout {
  const tables = firstCell(
    connection,
    `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'docket_setting'`,
  );
  const text = tables === 1n ? readSetting(connection, LAYOUT_SETTING) : undefined;
  if (typeof text !== 'string') throw new Fault('store.not-installed', { place: 'the database' });
  return JSON.parse(text) as StoredLayout;
}

function readSetting(connection: Connection, name: string): unknown {
  return firstCell(connection, 'SELECT "value" FROM "docket_setting" WHERE "name" = ?', [name]);
}

/** Copies the database; the copy is complete and synced to disk on return. */
function makeCopy(connection: Connection, file: string): string {
  const moment = new Date().toISOString().replace(/[:.]/g, '-');
  const copy = join(dirname(file), `docket.before-migration-${moment}.db`);
  copyInto(connection, copy);
  return copy;
}

function runSteps(
  connection: Connection,
  steps: readonly MigrationStep[],
  layout: Layout,
  { engine }: DatabaseForm,
): void {
  for (const step of steps) runStep(connection, step);
  const [dangling] = connection.prepare('PRAGMA foreign_key_check').all([]);
  if (dangling !== undefined)
    throw broken(`${JSON.stringify(dangling, printInteger)} violates a foreign key.`);
  runOn(connection, addCodeTexts(layout.model));
  runOn(connection, storeSetting(LAYOUT_SETTING, JSON.stringify(storedLayout(layout))));
  runOn(connection, storeSetting(ENGINE_SETTING, JSON.stringify(engine)));
}

function runStep(connection: Connection, { text, sql }: MigrationStep): void {
  try {
    for (const statement of sql) connection.exec(statement);
  } catch (error) {
    invariant(error instanceof Error, 'SQLite throws errors');
    throw broken(`${text} ${error.message}.`);
  }
}

function broken(reason: string): Fault {
  return new Fault('store.migration-broken', { reason });
}

function printInteger(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
