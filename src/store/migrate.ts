// This file brings an installation's tables to the form of its present model. A copy of the database is made first; all steps, and the
// note of the new layout, are one transaction, so that a migration that breaks off has not happened. Nobody else may have the
// database open meanwhile: a service that runs would go on with the old form.
import { dirname, join } from 'node:path';
import SqliteDriver from 'better-sqlite3';
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
import { addCodeTexts, KNOWN_CODES, missingCodes } from './code-texts.ts';
import { ENGINE_SETTING, engineSteps } from './engine-tables.ts';
import { storeSetting } from './installation-settings.ts';
import { copyInto } from './sqlite/backup.ts';
import { connect } from './sqlite/connection.ts';
import { transactionOn } from './sqlite/writer.ts';

type Connection = SqliteDriver.Database;

/** Losses that a message names. */
const LOSSES_NAMED = 5;

/** What the tables shall be besides those of the model: the statements that make the engine's own. */
export interface DatabaseForm {
  readonly dialect: Dialect;
  readonly engine: readonly string[];
}

/** Something that a step takes away, in so many rows. */
export interface CountedLoss extends Pick<Loss, 'kind' | 'table' | 'column'> {
  readonly rows: number;
}

/** A step, and what it loses of the records that are there now. */
export interface PlannedStep extends Omit<MigrationStep, 'losses'> {
  readonly loses: boolean;
  readonly losses: readonly CountedLoss[];
}

/** The steps that migrateDatabase would take. Fault store.not-installed. */
export async function planMigration(
  file: string,
  definition: ModelDefinition,
  form: DatabaseForm,
): Promise<readonly PlannedStep[]> {
  const connection = connect(file, true);
  try {
    const steps = stepsFor(connection, makeLayout(makeModel(definition)), form);
    return steps.map((step) => {
      const losses = lossesOf(connection, step);
      return { text: step.text, loses: losses.length > 0, losses, sql: step.sql };
    });
  } finally {
    connection.close();
  }
}

/** A loss in words: `"RoomNumber" in 12 rows of "ServiceRequests"`. */
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
 * Takes the steps and returns the path of the copy of the former database.
 * Faults store.not-installed, store.in-use, store.migration-broken, store.migration-loses unless `mayLose`.
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
    if (!mayLose) requireNoLoss(steps.flatMap((step) => lossesOf(connection, step)));
    const copy = makeCopy(connection, file);
    connection.pragma('foreign_keys = OFF');
    connection.exec('BEGIN EXCLUSIVE');
    takeSteps(connection, steps, layout, form);
    connection.exec('COMMIT');
    return copy;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  } finally {
    connection.close();
  }
}

/** Fault store.in-use where another process has the database open. */
export function requireUnused(file: string): void {
  connectAlone(file).close();
}

/** What a step would take away now. */
function lossesOf(connection: Connection, { losses }: MigrationStep): readonly CountedLoss[] {
  return losses.flatMap(({ count, ...loss }) => {
    const rows = Number(connection.prepare(count).pluck().get());
    return rows === 0 ? [] : [{ ...loss, rows }];
  });
}

function requireNoLoss(losses: readonly CountedLoss[]): void {
  if (losses.length === 0) return;
  const named = losses.slice(0, LOSSES_NAMED).map(describeLoss).join(', ');
  const more = losses.length > LOSSES_NAMED ? ` and ${losses.length - LOSSES_NAMED} more` : '';
  throw new Fault('store.migration-loses', { losses: `${named}${more}` });
}

/** SQLite, "PRAGMA locking_mode": in exclusive mode a database in WAL is opened by one process only. */
function connectAlone(file: string): Connection {
  const connection = connect(file, false);
  try {
    connection.pragma('busy_timeout = 500');
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return connection;
  } catch (error) {
    connection.close();
    if (error instanceof SqliteDriver.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new Fault('store.in-use');
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
  const own = engineSteps(connection, engine);
  const isSame = JSON.stringify(installed) === JSON.stringify(storedLayout(layout));
  const codes = new Set(newCodes(connection, layout).map(({ code }) => code.value)).size;
  const noted: readonly MigrationStep[] =
    steps.length > 0 || isSame ? [] : [note('Note the new order of members.')];
  // Tables may have the right form without a note of it: those of an installation that is older than the note.
  const isNoted = settingOf(connection, ENGINE_SETTING) === JSON.stringify(engine);
  return [
    ...own,
    ...(own.length > 0 || isNoted ? [] : [note("Note the form of the engine's tables.")]),
    ...formerTextIndexes(connection, installed, dialect),
    ...steps,
    ...noted,
    ...(codes === 0 ? [] : [note(`Add the texts of ${codes} codes.`)]),
  ];
}

/**
 * Earlier versions indexed texts of new rows by triggers, which made writing slow, and filled indexes in pieces, which made both reading and
 * writing slow: where there are such triggers, the indexes are made anew.
 */
function formerTextIndexes(
  connection: Connection,
  { tables }: StoredLayout,
  { schema }: Dialect,
): readonly MigrationStep[] {
  const onTable = connection
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY name",
    )
    .pluck();
  return tables.flatMap((table) => {
    const made = schema.textIndex(table).join('\n');
    const former = onTable
      .all(table.name)
      .filter((name) => name.startsWith(`${table.name}$`))
      .filter((name) => !made.includes(`CREATE TRIGGER ${quoted(name)} `));
    if (former.length === 0) return [];
    const sql = [
      ...former.map((name) => `DROP TRIGGER ${quoted(name)}`),
      ...schema.dropTextIndex(table),
      ...schema.textIndex(table),
      ...schema.fillTextIndex(table),
    ];
    return [{ text: `Make the text indexes of "${table.name}" anew.`, losses: [], sql }];
  });
}

/** A step that needs no statement of its own. */
function note(text: string): MigrationStep {
  return { text, losses: [], sql: [] };
}

function newCodes(connection: Connection, { model }: Layout) {
  return missingCodes(transactionOn(connection).rows(KNOWN_CODES, []), model);
}

function readLayout(connection: Connection): StoredLayout {
  const tables = connection
    .prepare(`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'docket_setting'`)
    .pluck()
    .get();
  const text = tables === 1n ? settingOf(connection, LAYOUT_SETTING) : undefined;
  if (typeof text !== 'string') throw new Fault('store.not-installed', { place: 'the database' });
  return JSON.parse(text) as StoredLayout;
}

function settingOf(connection: Connection, name: string): unknown {
  return connection
    .prepare('SELECT "value" FROM "docket_setting" WHERE "name" = ?')
    .pluck()
    .get(name);
}

/** The copy is complete and on the disk before anything is changed. */
function makeCopy(connection: Connection, file: string): string {
  const moment = new Date().toISOString().replace(/[:.]/g, '-');
  const copy = join(dirname(file), `docket.before-migration-${moment}.db`);
  copyInto(connection, copy);
  return copy;
}

function takeSteps(
  connection: Connection,
  steps: readonly MigrationStep[],
  layout: Layout,
  { engine }: DatabaseForm,
): void {
  for (const step of steps) takeStep(connection, step);
  const [dangling] = connection.prepare('PRAGMA foreign_key_check').all();
  if (dangling !== undefined)
    throw broken(`${JSON.stringify(dangling, showInteger)} leads nowhere.`);
  const transaction = transactionOn(connection);
  addCodeTexts(transaction, layout.model, newCodes(connection, layout));
  storeSetting(transaction, LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
  storeSetting(transaction, ENGINE_SETTING, JSON.stringify(engine));
}

function takeStep(connection: Connection, { text, sql }: MigrationStep): void {
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

function showInteger(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
