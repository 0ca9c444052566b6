// This file builds and drops indexes of PostgreSQL databases beside running services, with CREATE INDEX CONCURRENTLY. It reads the table
// twice and lets reads and writes continue. An attempt that fails leaves an invalid index, which costs writes but serves no query.
// Source: PostgreSQL, "CREATE INDEX", "Building Indexes Concurrently".
import { POSTGRES } from '../../sql/dialect/postgres/postgres.ts';
import { quoted } from '../../sql/fragment.ts';
import { createIndex } from '../../sql/schema/ddl.ts';
import type { Index, Table } from '../../sql/schema/layout.ts';
import type { ExistingIndex, IndexBuilder } from '../installation-database.ts';
import { isTrue } from '../stored-values.ts';
import type { IndexRates } from '../tuning/index-cost.ts';
import type { Connection, PostgresSettings } from './connection.ts';
import { isRetryable, translateIndexing } from './errors.ts';
import { openConnection, readerOf } from './migration.ts';

/** Measured with 200,000 rows on a busy machine. */
const RATES: IndexRates = { entryBytes: 22, numberBytes: 8, build: 5, insert: 5, change: 20 };

/** Attempts to build an index that fails because of a deadlock. */
const ATTEMPTS = 3;
/** Milliseconds between two reports of the progress. */
const INTERVAL = 500;

const EXISTING = `SELECT "c"."relname", pg_relation_size("c"."oid"), coalesce("s"."idx_scan", 0), "i"."indisvalid"
  FROM "pg_catalog"."pg_index" "i" JOIN "pg_catalog"."pg_class" "c" ON "c"."oid" = "i"."indexrelid"
  LEFT JOIN "pg_catalog"."pg_stat_all_indexes" "s" ON "s"."indexrelid" = "c"."oid"
  WHERE "c"."relnamespace" = current_schema()::regnamespace`;

/** Blocks while the table is read, rows while the index is filled. PostgreSQL, "CREATE INDEX Progress Reporting". */
const PROGRESS = `SELECT CASE WHEN "blocks_total" > 0 THEN "blocks_done" ELSE "tuples_done" END,
  CASE WHEN "blocks_total" > 0 THEN "blocks_total" ELSE "tuples_total" END
  FROM "pg_catalog"."pg_stat_progress_create_index" WHERE "pid" = $1::int`;

export async function openIndexes(settings: PostgresSettings): Promise<IndexBuilder> {
  let connection = await open(settings);
  const reader = readerOf(connection);
  return {
    ...reader,
    rates: RATES,
    existing: () => existing(connection),
    build: async (table, index, note) => {
      const watching = await openConnection(settings, false);
      const timer = setInterval(() => void report(watching, connection, note), INTERVAL);
      try {
        await build(connection, table, index);
      } finally {
        clearInterval(timer);
        await watching.close();
      }
    },
    drop: async (index) => {
      // The server may have ended the connection while it was building.
      if (connection.isBroken) connection = await open(settings);
      await drop(connection, index);
    },
    // PostgreSQL has no hypothetical indexes without an extension.
    wouldUse: () => undefined,
    close: () => connection.close(),
  };
}

async function open(settings: PostgresSettings): Promise<Connection> {
  const connection = await openConnection(settings, false);
  // The end of transactions that were running when the command began is waited for, however long that takes.
  await connection.command('SET lock_timeout = 0');
  return connection;
}

async function existing(connection: Connection): Promise<ReadonlyMap<string, ExistingIndex>> {
  const { rows } = await connection.query(EXISTING, []);
  return new Map(
    rows.map(([name, bytes, uses, isValid]) => [
      String(name),
      { bytes: Number(bytes), uses: Number(uses), isValid: isTrue(isValid) },
    ]),
  );
}

async function report(
  watching: Connection,
  { processId }: Connection,
  note: (done: number, total: number) => void,
): Promise<void> {
  const reading = watching.query(PROGRESS, [BigInt(processId)]);
  const [row] = (await reading.catch(() => ({ rows: [] }))).rows;
  const total = Number(row?.[1] ?? 0);
  if (total > 0) note(Number(row?.[0]), total);
}

/** Drops what an earlier attempt has left, and builds the index. */
async function build(connection: Connection, table: Table, index: Index): Promise<void> {
  const statement = createIndex(table, index, POSTGRES).replace('INDEX ', 'INDEX CONCURRENTLY ');
  for (let attempt = 1; ; attempt++) {
    await drop(connection, index);
    try {
      await connection.command(statement);
      return await analyze(connection, table);
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRetryable(error)) throw translateIndexing(error, statement);
    }
  }
}

/** The planner knows the values of columns, but not yet those of combinations. */
async function analyze(connection: Connection, table: Table): Promise<void> {
  await connection.command(`ANALYZE ${quoted(table.name)}`);
}

async function drop(connection: Connection, index: Index): Promise<void> {
  const name = quoted(POSTGRES.schema.objectName(index.name));
  await connection.command(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
