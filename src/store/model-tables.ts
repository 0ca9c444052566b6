// This file creates the tables of an installation and checks whether existing tables match the model. The layout that the tables
// were created from is stored among the settings.
import { Fault } from '../base/fault.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import {
  engineDdl,
  engineTableDdl,
  indexDdl,
  isSameDdl,
  LAYOUT_SETTING,
  tableDdl,
} from '../sql/schema/ddl.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import type { Layout, StoredLayout } from '../sql/schema/layout.ts';
import { storedLayout } from '../sql/schema/model-layout.ts';
import { CHANGE_TABLE } from '../sql/write/change-log.ts';
import { missingCodes, storeCodeTexts } from './code-texts.ts';
import type { Database, DatabaseReader, Work } from './database.ts';
import { readSetting, storeSetting } from './installation-settings.ts';
import { kept, runQueries } from './work.ts';

/** Name of the setting that stores the DDL that the tables outside the model were created with. */
export const ENGINE_SETTING = 'engine';

/** Whether the database holds an installation. */
export function isInstalled(database: Database): boolean {
  return database.hasTable('docket_setting');
}

/** Creates the tables without their indexes. `more` are the tables of other modules. */
export function createTables(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  more: readonly EngineTable[],
): void {
  const engine = engineTables(dialect, more);
  database.define([...engine, recordEngine(engine), ...tableDdl(layout, dialect)]);
}

/** DDL of all tables outside the model, including `more`, the tables of other modules. */
export function engineTables(dialect: Dialect, more: readonly EngineTable[]): readonly string[] {
  const tables = [CHANGE_TABLE, ...more];
  return [...engineDdl(dialect), ...tables.flatMap((table) => engineTableDdl(table, dialect))];
}

function recordEngine(engine: readonly string[]): string {
  const text = JSON.stringify(engine).replaceAll("'", "''");
  return `INSERT INTO "docket_setting" ("name", "value") VALUES ('${ENGINE_SETTING}', '${text}')`;
}

/** Whether the tables outside the model were created from these definitions. */
export function isEngineRecorded(database: DatabaseReader, engine: readonly string[]): boolean {
  const recorded = readSetting(database, ENGINE_SETTING);
  return recorded !== undefined && isSameDdl(JSON.parse(recorded) as string[], engine);
}

/** Creates the indexes, fills the text indexes, and stores the code texts and the layout. */
export async function finishTables(
  database: Database,
  layout: Layout,
  dialect: Dialect,
): Promise<void> {
  database.define([
    ...indexDdl(layout, dialect),
    ...layout.tables.flatMap((table) => dialect.schema.fillTextIndex(table)),
    'ANALYZE',
  ]);
  await database.write(() => kept(storeModel(layout)));
}

function* storeModel(layout: Layout): Work<void> {
  yield* storeCodeTexts(layout.model);
  yield* storeSetting(LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
}

/** The layout that the tables were created from. Throws: store.not-installed. */
export function installedLayout(database: DatabaseReader): StoredLayout {
  const text = readSetting(database, LAYOUT_SETTING);
  if (text === undefined) throw new Fault('store.not-installed', { place: 'the database' });
  return JSON.parse(text) as StoredLayout;
}

/** Tables, columns and links that the model no longer has: `"RoomNumber" of "ServiceRequests"`. */
export function missingInModel(database: Database, layout: Layout): readonly string[] {
  const installed = installedLayout(database);
  const wanted = storedLayout(layout);
  const tables = new Map(wanted.tables.map((table) => [table.name, table]));
  const links = new Set(wanted.links.map((link) => link.name));
  return [
    ...installed.tables.flatMap((table) => {
      const kept = tables.get(table.name);
      if (kept === undefined) return [`"${table.name}"`];
      const columns = new Set(kept.columns.map((column) => column.name));
      const missing = table.columns.filter((column) => !columns.has(column.name));
      return missing.map((column) => `"${column.name}" of "${table.name}"`);
    }),
    ...installed.links.filter((link) => !links.has(link.name)).map((link) => `"${link.name}"`),
  ];
}

/** Throws: store.migration-due if the tables differ from those of the model and the engine, or codes are missing. */
export function requireCurrent(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  more: readonly EngineTable[],
): void {
  const isEngine = isEngineRecorded(database, engineTables(dialect, more));
  const installed = JSON.stringify(installedLayout(database));
  const isSame = installed === JSON.stringify(storedLayout(layout));
  const missing = runQueries(missingCodes(layout.model), database);
  if (!isEngine || !isSame || missing.length > 0) throw new Fault('store.migration-due');
}
