// This file maintains the statistics of SQLite's query planner. They are collected when the database is closed, and a table may have
// grown a thousandfold by the next time: a plan for two rows scans them for each row of another table. Without statistics, the planner
// expects many rows and uses indexes. The planner would also read all new changes instead of those of one set, because most of the
// change log belongs to few sets.
import { isBusy } from './connection.ts';
import type { Connection } from './driver.ts';

/** Statistics are kept for tables with at least this many rows. */
export const MANY_ROWS = 10_000;

const UNRELIABLE = `SELECT tbl FROM sqlite_stat1 WHERE tbl = 'docket_change' OR CAST(stat AS INTEGER) < ${MANY_ROWS}`;

/** The default of SQLite, except that it only lists the statements that would collect statistics. */
const OUT_OF_DATE = 'PRAGMA optimize(0xffff)';

/** Collects statistics of large tables where they are out of date. Small tables have none, so that they are out of date each time. */
export function collectStatistics(connection: Connection): void {
  const isDue = connection
    .prepare(OUT_OF_DATE)
    .all([])
    .some(([statement]) => isOfLargeTable(connection, String(statement)));
  if (!isDue) return;
  connection.exec('PRAGMA optimize');
  dropUnreliableStatistics(connection);
}

/** Whether a statement such as `ANALYZE "main"."Persons"` reads a table whose statistics are kept. */
function isOfLargeTable(connection: Connection, statement: string): boolean {
  const [, table = ''] = /^ANALYZE (.*)$/s.exec(statement) ?? [];
  if (table === '' || table.endsWith('."docket_change"')) return false;
  const beyond = `SELECT 1 FROM ${table} LIMIT 1 OFFSET ${MANY_ROWS - 1}`;
  return connection.prepare(beyond).first([]) !== undefined;
}

/** Drops statistics that cause slow plans, unless another process is writing. Connections opened later do not use them. */
export function dropUnreliableStatistics(connection: Connection): void {
  try {
    dropUnreliable(connection);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function dropUnreliable(connection: Connection): void {
  const tables = STATISTICS.filter((table) => hasTable(connection, table));
  if (!tables.includes('sqlite_stat1')) return;
  if (connection.prepare(`${UNRELIABLE} LIMIT 1`).first([]) === undefined) return;
  for (const table of tables) {
    connection.exec(`DELETE FROM ${table} WHERE tbl IN (${UNRELIABLE})`);
  }
  connection.exec('ANALYZE sqlite_schema');
}

/** The table that defines which rows are unreliable is the last one. */
const STATISTICS = ['sqlite_stat4', 'sqlite_stat1'];

function hasTable(connection: Connection, name: string): boolean {
  const found = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').first([name]);
  return found !== undefined;
}
