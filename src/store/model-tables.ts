// This file makes the tables of an installation, and tells whether the tables that are there are those of the model. The layout of the
// model that made them is kept among the settings.
import { Fault } from '../base/fault.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import { engineDdl, indexDdl, LAYOUT_SETTING, tableDdl } from '../sql/schema/ddl.ts';
import type { Layout, StoredLayout } from '../sql/schema/layout.ts';
import { storedLayout } from '../sql/schema/model-layout.ts';
import { CHANGE_TABLE } from '../sql/write/change-log.ts';
import { KNOWN_CODES, missingCodes, storeCodeTexts } from './code-texts.ts';
import type { Database } from './database.ts';
import { ENGINE_SETTING } from './engine-tables.ts';
import { readSetting, storeSetting } from './installation-settings.ts';

const HAS_SETTINGS = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'docket_setting'`;

/** Whether the database holds an installation. */
export function isInstalled(database: Database): boolean {
  const [row] = database.read(HAS_SETTINGS, []);
  return row?.[0] === 1n;
}

/** Tables without their indexes, and `more` tables of rooms that have their own. */
export function createTables(
  database: Database,
  layout: Layout,
  dialect: Dialect,
  more: readonly string[],
): void {
  const engine = engineTables(dialect, more);
  database.define([...engine, noteEngine(engine), ...tableDdl(layout, dialect)]);
}

/** Statements that make the tables which no model describes, those of rooms that have their own included. */
export function engineTables(dialect: Dialect, more: readonly string[]): readonly string[] {
  return [...engineDdl(dialect), ...CHANGE_TABLE, ...more];
}

function noteEngine(engine: readonly string[]): string {
  const text = JSON.stringify(engine).replaceAll("'", "''");
  return `INSERT INTO "docket_setting" ("name", "value") VALUES ('${ENGINE_SETTING}', '${text}')`;
}

/** Indexes, text indexes of the rows that are there, code texts, and the layout for later comparison. */
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
  await database.write((transaction) => {
    storeCodeTexts(transaction, layout.model);
    storeSetting(transaction, LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
    return { result: undefined, keep: true };
  });
}

/** The layout that made the tables. Fault store.not-installed. */
export function installedLayout(database: Database): StoredLayout {
  const text = isInstalled(database) ? readSetting(database, LAYOUT_SETTING) : undefined;
  if (text === undefined) throw new Fault('store.not-installed', { place: 'the database' });
  return JSON.parse(text) as StoredLayout;
}

/** What the tables hold that the model has no place for: `"RoomNumber" of "ServiceRequests"`. */
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
      const gone = table.columns.filter((column) => !columns.has(column.name));
      return gone.map((column) => `"${column.name}" of "${table.name}"`);
    }),
    ...installed.links.filter((link) => !links.has(link.name)).map((link) => `"${link.name}"`),
  ];
}

/** Fault store.migration-due when the tables are not those of the model and the engine, or codes are missing. */
export function requireCurrent(
  database: Database,
  layout: Layout,
  engine: readonly string[],
): void {
  const isEngine = readSetting(database, ENGINE_SETTING) === JSON.stringify(engine);
  const installed = JSON.stringify(installedLayout(database));
  const isSame = installed === JSON.stringify(storedLayout(layout));
  const missing = missingCodes(database.read(KNOWN_CODES, []), layout.model);
  if (!isEngine || !isSame || missing.length > 0) throw new Fault('store.migration-due');
}
