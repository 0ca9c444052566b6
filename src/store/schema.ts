// This file makes the tables of an installation, and tells whether the tables that are there are those of the model. The layout of the
// model that made them is kept among the settings.
import { Fault } from '../base/fault.ts';
import { CHANGE_TABLE } from '../sql/change-log.ts';
import { engineDdl, indexDdl, LAYOUT_SETTING, tableDdl } from '../sql/ddl.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Layout, StoredLayout } from '../sql/layout.ts';
import { storedLayout } from '../sql/schema.ts';
import { KNOWN_CODES, missingCodes, storeCodeTexts } from './codes.ts';
import type { Database } from './database.ts';
import { readSetting, storeSetting } from './settings.ts';

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
  database.define([...engineDdl(dialect), ...CHANGE_TABLE, ...more, ...tableDdl(layout, dialect)]);
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
  if (text === undefined) throw new Fault('store.not-installed');
  return JSON.parse(text) as StoredLayout;
}

/** Fault store.migration-due when the tables or the codes are not those of the model. */
export function requireCurrent(database: Database, layout: Layout): void {
  const installed = JSON.stringify(installedLayout(database));
  const isSame = installed === JSON.stringify(storedLayout(layout));
  const missing = missingCodes(database.read(KNOWN_CODES, []), layout.model);
  if (!isSame || missing.length > 0) throw new Fault('store.migration-due');
}
