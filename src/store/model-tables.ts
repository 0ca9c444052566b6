// This file creates the tables of an installation and checks whether existing tables match the model. The layout that the tables
// were created from is stored among the settings.
import { Fault, invariant } from '../base/fault.ts';
import type { MaybePromise } from '../base/value-or-promise.ts';

import type { Dialect, IndexStep } from '../sql/dialect/dialect.ts';
import { name as quotedName, sql, tableName, text } from '../sql/fragment.ts';
import {
  ENGINE_TABLES,
  engineTableDdl,
  indexDdl,
  isSameDdl,
  LAYOUT_SETTING,
  referenceDdl,
  tableDdl,
} from '../sql/schema/ddl.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import type { Layout, StoredLayout, Table } from '../sql/schema/layout.ts';
import { storedLayout } from '../sql/schema/model-layout.ts';
import { CHANGE_TABLE } from '../sql/write/change-log.ts';
import { applyModelCodes, countChangedCodes } from './codes/model-codes.ts';
import type { Database, DatabaseReader, Work } from './database.ts';
import { readSetting, storeSetting } from './installation-settings.ts';
import { loadPosition, positionStatements, removePosition } from './load/load-position.ts';
import { MODEL_TABLE } from './model/stored-models.ts';
import { kept, runQueries } from './work.ts';

/** Name of the setting that stores the DDL that the tables outside the model were created with. */
export const ENGINE_SETTING = 'engine';

/** The most rows of a table whose indexes are built in one transaction with those of others. */
const MANY_ROWS = 5000;

/** Whether the database holds an installation. */
export function isInstalled(database: Database): MaybePromise<boolean> {
  return database.hasTable('docket_setting');
}

/**
 * Creates the tables without their indexes.
 * @param more the tables of other modules
 * @param settings settings to store in the same transaction
 */
export async function createTables(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  more: readonly EngineTable[],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const engine = engineTables(dialect, more);
  const recorded = { ...settings, [ENGINE_SETTING]: JSON.stringify(engine) };
  await database.define([...engine, ...insertSettings(recorded), ...tableDdl(layout, dialect)]);
}

/** The tables outside the model, including `more`, the tables of other modules. */
export function allEngineTables(more: readonly EngineTable[]): readonly EngineTable[] {
  return [...ENGINE_TABLES, CHANGE_TABLE, MODEL_TABLE, ...more];
}

/** DDL of the SQL functions and of all tables outside the model, including `more`, the tables of other modules. */
export function engineTables(dialect: Dialect, more: readonly EngineTable[]): readonly string[] {
  return [
    ...dialect.schema.routines,
    ...allEngineTables(more).flatMap((table) => engineTableDdl(table, dialect)),
  ];
}

function insertSettings(settings: Readonly<Record<string, string>>): readonly string[] {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return Object.entries(settings).map(
    ([name, value]) =>
      `INSERT INTO "docket_setting" ("name", "value") VALUES (${quote(name)}, ${quote(value)})`,
  );
}

/** Whether the tables outside the model were created from these definitions. */
export async function isEngineRecorded(
  database: DatabaseReader,
  engine: readonly string[],
): Promise<boolean> {
  const recorded = await readSetting(database, ENGINE_SETTING);
  return recorded !== undefined && isSameDdl(JSON.parse(recorded) as string[], engine);
}

/**
 * Creates the indexes, fills the text indexes, and stores the codes of the model and the layout. Each index is built in transactions of its own,
 * which keeps the log of the database small. What was built before an interruption is skipped.
 * @param note called after each step with the number of steps done and their total
 */
export async function finishTables(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  note: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  if ((await readSetting(database, LAYOUT_SETTING)) !== undefined) return;
  await createIndexes(database, layout, dialect, note);
  await database.write(() => kept(storeModel(layout)));
}

/** The part of finishTables before the codes and the layout. `storeLayout` must follow. */
export async function createIndexes(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  note: (done: number, total: number) => void,
): Promise<void> {
  const steps = await indexSteps(database, layout, dialect);
  const first = await loadPosition(database, 'indexes');
  for (const [index, step] of steps.entries()) {
    if (index >= first) await runStep(database, step, positionStatements('indexes', index + 1));
    note(index + 1, steps.length);
  }
}

/** One step for all small tables, because a transaction for each index would be slow, and several for each large one. */
async function indexSteps(
  database: Database,
  layout: Layout,
  dialect: Dialect,
): Promise<readonly IndexStep[]> {
  const [small, large] = await splitBySize(database, layout);
  const { fillTextIndex } = dialect.schema;
  const steps: IndexStep[] = [
    { statements: [...indexDdl(small, dialect), ...small.tables.flatMap(fillTextIndex)] },
    ...indexDdl(large, dialect).map((text) => ({ statements: [text] })),
    { statements: referenceDdl(layout, dialect) },
  ];
  for (const table of large.tables) steps.push(...(await fillingSteps(database, table, dialect)));
  return [...steps, { statements: ['ANALYZE'] }];
}

async function splitBySize(
  database: Database,
  { tables, links }: StoredLayout,
): Promise<readonly [StoredLayout, StoredLayout]> {
  const large = new Set<string>();
  for (const { name } of [...tables, ...links]) {
    const beyond = sql`SELECT 1 FROM ${tableName(name)} LIMIT 1 OFFSET ${text(String(MANY_ROWS))}`;
    if ((await database.read(beyond, [])).length > 0) large.add(name);
  }
  const isLarge = ({ name }: { readonly name: string }) => large.has(name);
  const isSmall = ({ name }: { readonly name: string }) => !large.has(name);
  return [
    { tables: tables.filter(isSmall), links: links.filter(isSmall) },
    { tables: tables.filter(isLarge), links: links.filter(isLarge) },
  ];
}

async function fillingSteps(
  database: Database,
  table: Table,
  { schema }: Dialect,
): Promise<readonly IndexStep[]> {
  if (schema.fillTextIndexInSteps === undefined)
    return [{ statements: schema.fillTextIndex(table) }];
  const identity = quotedName(table.identity);
  const range = sql`SELECT min(${identity}), max(${identity}) FROM ${tableName(table.name)}`;
  const [lowest, highest] = (await database.read(range, []))[0] ?? [];
  invariant(typeof lowest === 'bigint' && typeof highest === 'bigint', 'the table has rows');
  return schema.fillTextIndexInSteps(table, lowest, highest);
}

/** @param position statements that record the step as done */
async function runStep(
  database: Database,
  { statements, repeatWhile }: IndexStep,
  position: readonly string[],
): Promise<void> {
  while (repeatWhile !== undefined && (await database.read(repeatWhile, [])).length > 0)
    await database.define(statements);
  await database.define(repeatWhile === undefined ? [...statements, ...position] : position);
}

function* storeModel(layout: Layout): Work<void> {
  yield* applyModelCodes(layout);
  yield* storeLayout(layout);
}

/** Stores the layout, which completes the installation. */
export function* storeLayout(layout: Layout): Work<void> {
  yield* removePosition('indexes');
  yield* storeSetting(LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
}

/** The layout that the tables were created from. Throws: store.not-installed. */
export async function installedLayout(database: DatabaseReader): Promise<StoredLayout> {
  const text = await readSetting(database, LAYOUT_SETTING);
  if (text === undefined) throw new Fault('store.not-installed', { place: 'the database' });
  return JSON.parse(text) as StoredLayout;
}

/** Throws: store.migration-due if the tables differ from those of the model and the engine, or the codes of the model have changed. */
export async function requireCurrent(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  more: readonly EngineTable[],
): Promise<void> {
  const isEngine = await isEngineRecorded(database, engineTables(dialect, more));
  const installed = JSON.stringify(await installedLayout(database));
  const isSame = installed === JSON.stringify(storedLayout(layout));
  const changed = isEngine && isSame ? await runQueries(countChangedCodes(layout), database) : 0;
  if (!isEngine || !isSame || changed > 0) throw new Fault('store.migration-due');
}
