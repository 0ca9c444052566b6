// This file runs migrations of SQLite databases. No other process may have the database open: a running service would continue with the
// old layout.
import { dirname, join } from 'node:path';
import { Fault, invariant } from '../../base/fault.ts';
import { SQLITE } from '../../sql/dialect/sqlite.ts';
import { quoted } from '../../sql/fragment.ts';
import type { StoredLayout, Table } from '../../sql/schema/layout.ts';
import type { MigrationStep } from '../../sql/schema/migration.ts';
import type { Work } from '../database.ts';
import type { Migration } from '../installation-database.ts';
import { ALL_TABLES } from '../table-changes.ts';
import { copyInto } from './backup.ts';
import { ChangedTexts } from './changed-texts.ts';
import { connect, inTransaction, isBusy, readerOf } from './connection.ts';
import type { Connection } from './driver.ts';
import { engineSteps } from './engine-tables.ts';
import { runOn } from './writer.ts';

export function openMigration(file: string, alone: boolean): Migration {
  const connection = alone ? connectAlone(file) : connect(file, true);
  return {
    ...readerOf(connection),
    engineSteps: (statements) => engineSteps(connection, statements),
    repairSteps: (installed) => replaceTriggers(connection, installed),
    completeIndexes: () => indexNames(connection),
    copy: () => makeCopy(connection, file),
    run: (steps, finish) => run(connection, steps, finish),
    close: () => connection.close(),
  };
}

/** In exclusive mode only one process can open a WAL database. Source: SQLite, "PRAGMA locking_mode". */
export function connectAlone(file: string): Connection {
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

/**
 * Replaces the triggers of text indexes that earlier versions made, which slowed down writes. Those for new rows also slowed down reads:
 * they left many segments, and the indexes are rebuilt.
 */
function replaceTriggers(
  connection: Connection,
  { tables }: StoredLayout,
): readonly MigrationStep[] {
  const triggersOf = connection.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY name",
  );
  return tables.flatMap((table) => {
    const triggers = triggersOf.all([table.name]).map(([name]) => String(name));
    const ddl = SQLITE.schema.textIndex(table);
    const obsolete = triggers.filter(
      (name) => name.startsWith(`${table.name}$`) && !isCreatedBy(ddl, name),
    );
    return replacementOf(table, ddl, obsolete);
  });
}

function isCreatedBy(ddl: readonly string[], trigger: string): boolean {
  return ddl.some((statement) => statement.startsWith(`CREATE TRIGGER ${quoted(trigger)} `));
}

function replacementOf(
  table: Table,
  ddl: readonly string[],
  obsolete: readonly string[],
): readonly MigrationStep[] {
  if (obsolete.length === 0) return [];
  const drop = obsolete.map((name) => `DROP TRIGGER ${quoted(name)}`);
  if (obsolete.every((name) => name.endsWith('|update'))) {
    const triggers = ddl.filter((statement) => !/^CREATE VIRTUAL |\|delete" /.test(statement));
    const text = `Let the text indexes of "${table.name}" index changed rows together.`;
    return [{ text, losses: [], sql: [...drop, ...triggers] }];
  }
  const { dropTextIndex, fillTextIndex } = SQLITE.schema;
  const sql = [...drop, ...dropTextIndex(table), ...ddl, ...fillTextIndex(table)];
  return [{ text: `Rebuild the text indexes of "${table.name}".`, losses: [], sql }];
}

function indexNames(connection: Connection): ReadonlySet<string> {
  const rows = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all([]);
  return new Set(rows.map(([name]) => String(name)));
}

function makeCopy(connection: Connection, file: string): string {
  const moment = new Date().toISOString().replace(/[:.]/g, '-');
  const copy = join(dirname(file), `docket.before-migration-${moment}.db`);
  copyInto(connection, copy);
  return copy;
}

function run(connection: Connection, steps: readonly MigrationStep[], finish: Work<void>): void {
  connection.exec('PRAGMA foreign_keys = OFF');
  inTransaction(connection, 'BEGIN EXCLUSIVE', () => {
    for (const step of steps) runStep(connection, step);
    requireNoDangling(connection);
    runOn(connection, finish);
    new ChangedTexts(connection).index(EVERY_TABLE);
  });
}

const EVERY_TABLE = new Set([ALL_TABLES]);

function runStep(connection: Connection, { text, sql }: MigrationStep): void {
  try {
    for (const statement of sql) connection.exec(statement);
  } catch (error) {
    invariant(error instanceof Error, 'SQLite throws errors');
    throw broken(`${text} ${error.message}.`);
  }
}

/** Source: SQLite, "PRAGMA foreign_key_check". */
function requireNoDangling(connection: Connection): void {
  const [dangling] = connection.prepare('PRAGMA foreign_key_check').all([]);
  if (dangling === undefined) return;
  const [table, rowid, parent] = dangling;
  throw broken(`Row ${rowid} of "${table}" violates a foreign key to "${parent}".`);
}

function broken(reason: string): Fault {
  return new Fault('store.migration-broken', { reason });
}
