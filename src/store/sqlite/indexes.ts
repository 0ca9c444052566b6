// This file builds and drops indexes of SQLite databases. SQLite builds an index in one transaction: reads continue, and writes wait.
// A service lets a write wait for a while only, so commands estimate the time before.
import { SQLITE, toSqlite } from '../../sql/dialect/sqlite.ts';
import { quoted } from '../../sql/fragment.ts';
import { createIndex } from '../../sql/schema/ddl.ts';
import type { Index, Table } from '../../sql/schema/layout.ts';
import type { ExistingIndex, IndexBuilder, PlannedIndex } from '../installation-database.ts';
import type { IndexRates } from '../tuning/index-cost.ts';
import { connect, firstCell, inTransaction, openInMemory, readerOf } from './connection.ts';
import type { Connection } from './driver.ts';
import { MANY_ROWS } from './statistics.ts';

/** Measured with 200,000 and 2,000,000 rows; see "Growth" in docs/performance.md. */
const RATES: IndexRates = { entryBytes: 10, numberBytes: 2, build: 2, insert: 2, change: 6 };

/** Seconds that a write of a service waits for another process, with a reserve for a slower disk. See LOCK_ATTEMPTS in writer.ts. */
export const WRITES_WAIT_SECONDS = 3;

/** The largest database whose indexes are measured: SQLite reads all pages of an index to find their number. Bytes. */
const MEASURED_BYTES = 2 ** 31;

export function openIndexes(file: string): IndexBuilder {
  const connection = connect(file, false);
  let copy: Connection | undefined;
  return {
    ...readerOf(connection),
    rates: RATES,
    existing: () => existing(connection),
    build: (table, index) => build(connection, table, index),
    drop: (index) => connection.exec(`DROP INDEX IF EXISTS ${quoted(index.name)}`),
    wouldUse: (statement, index) => {
      copy ??= copySchema(connection);
      return wouldUse(copy, statement, index);
    },
    close: () => {
      copy?.close();
      connection.close();
    },
  };
}

/** An empty database in memory with the same tables, indexes and statistics. Shadow tables are created with their virtual tables. */
function copySchema(connection: Connection): Connection {
  const copy = openInMemory();
  const definitions =
    connection.prepare(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
    AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') AND type IN ('table', 'index') ORDER BY type DESC`);
  for (const [sql] of definitions.all([])) copy.exec(String(sql));
  copy.exec('ANALYZE');
  if (firstCell(connection, HAS_STATISTICS) === undefined) return copy;
  const insert = copy.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
  for (const row of connection.prepare('SELECT tbl, idx, stat FROM sqlite_stat1').all([]))
    insert.run(row.map(toSqlite));
  copy.exec('ANALYZE sqlite_schema');
  return copy;
}

const HAS_STATISTICS = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'";

/** Source: SQLite, "EXPLAIN QUERY PLAN". */
function wouldUse(
  copy: Connection,
  { statement, parameters }: Parameters<IndexBuilder['wouldUse']>[0],
  index: PlannedIndex,
): boolean {
  copy.exec(index.sql);
  const values = Array.from({ length: parameters }, () => null);
  const plan = copy.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(values);
  copy.exec(`DROP INDEX ${quoted(index.name)}`);
  return plan.some(([, , , detail]) => `${detail} `.includes(` INDEX ${index.name} `));
}

function existing(connection: Connection): ReadonlyMap<string, ExistingIndex> {
  const sizes = sizesIn(connection);
  const names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all([]);
  return new Map(
    names.map(([name]) => [
      String(name),
      { bytes: sizes.get(String(name)), uses: undefined, isValid: true },
    ]),
  );
}

/** The sizes of all indexes; none if that would take long, or if the driver cannot. Source: SQLite, "The DBSTAT Virtual Table". */
function sizesIn(connection: Connection): ReadonlyMap<string, number> {
  const pages = Number(firstCell(connection, 'PRAGMA page_count') ?? 0);
  const bytes = pages * Number(firstCell(connection, 'PRAGMA page_size') ?? 0);
  const hasTable = firstCell(connection, "SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'");
  if (bytes > MEASURED_BYTES || hasTable === undefined) return new Map();
  const rows = connection.prepare('SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE').all([]);
  return new Map(rows.map(([name, size]) => [String(name), Number(size)]));
}

/** Adds statistics in the same transaction: without them the planner expects few rows for each value. */
function build(connection: Connection, table: Table, index: Index): void {
  const beyond = `SELECT 1 FROM ${quoted(table.name)} LIMIT 1 OFFSET ${MANY_ROWS}`;
  connection.exec('PRAGMA threads = 4');
  inTransaction(connection, 'BEGIN IMMEDIATE', () => {
    connection.exec(`DROP INDEX IF EXISTS ${quoted(index.name)}`);
    connection.exec(createIndex(table, index, SQLITE));
    if (firstCell(connection, beyond) === undefined) return;
    connection.exec(`PRAGMA analysis_limit = 1000; ANALYZE ${quoted(index.name)}`);
  });
}
