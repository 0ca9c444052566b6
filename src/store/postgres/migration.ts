// This file runs migrations of PostgreSQL databases. No node may have the database open: a running service would continue with the old
// layout. Serving nodes hold a shared lock, which a migration takes exclusively.
import { Fault } from '../../base/fault.ts';
import { MAY_HAVE_TRIGRAMS, partIndexes, TRIGRAMS } from '../../sql/dialect/postgres/text-index.ts';
import { quoted } from '../../sql/fragment.ts';
import type { StoredLayout } from '../../sql/schema/layout.ts';
import type { MigrationStep } from '../../sql/schema/migration.ts';
import type { DatabaseReader, Work } from '../database.ts';
import type { Migration } from '../installation-database.ts';
import { readSetting } from '../installation-settings.ts';
import { ENGINE_SETTING } from '../model-tables.ts';
import { type Connection, connect, type PostgresSettings, statementOf } from './connection.ts';
import { engineSteps } from './engine-tables.ts';
import { isTooLong, translateIndexing } from './errors.ts';
import { locksOf, MARK_TABLES, TABLE_NAMED } from './installation-objects.ts';
import { requireServer } from './requirements.ts';
import { WrittenTables } from './table-versions.ts';
import { Transaction } from './transaction.ts';
import { Turn } from './turns.ts';

const COMPLETE_INDEXES = `SELECT "c"."relname" FROM "pg_catalog"."pg_index" "i"
  JOIN "pg_catalog"."pg_class" "c" ON "c"."oid" = "i"."indexrelid"
  WHERE "c"."relnamespace" = current_schema()::regnamespace AND "i"."indisvalid"`;

export async function openMigration(
  settings: PostgresSettings,
  alone: boolean,
): Promise<Migration> {
  const connection = await openConnection(settings, alone);
  const reader = readerOf(connection);
  return {
    ...reader,
    engineSteps: async (statements) => {
      const recorded = await readSetting(reader, ENGINE_SETTING);
      return engineSteps(JSON.parse(recorded ?? '[]') as string[], statements);
    },
    repairSteps: (installed) => buildTrigrams(connection, installed),
    completeIndexes: () => completeIndexes(connection),
    // The server has backups and point-in-time recovery; a copy of any size would not fit beside it.
    copy: () => undefined,
    run: (steps, finish) => run(connection, settings, steps, finish),
    close: () => connection.close(),
  };
}

async function completeIndexes(connection: Connection): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(COMPLETE_INDEXES, []);
  return new Set(rows.map(([name]) => String(name)));
}

/** Builds the indexes for substrings that are missing, because the server did not have pg_trgm when the tables were created. */
async function buildTrigrams(
  connection: Connection,
  { tables }: StoredLayout,
): Promise<readonly MigrationStep[]> {
  const { rows } = await connection.query(MAY_HAVE_TRIGRAMS, []);
  if (rows[0]?.[0] !== 1n) return [];
  const existing = await completeIndexes(connection);
  return tables.flatMap((table) => {
    const missing = partIndexes(table).filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return [];
    const statements = missing.flatMap(({ name, create }) => [
      `DROP INDEX IF EXISTS ${quoted(name)}`,
      create,
    ]);
    const text = `Build the indexes for substrings of "${table.name}", since pg_trgm is available.`;
    return [{ text, losses: [], sql: [TRIGRAMS, ...statements] }];
  });
}

/** Reads through a connection without translating errors. */
export function readerOf(connection: Connection): DatabaseReader {
  return {
    read: async (statement, values) =>
      (await connection.query(statementOf(statement).text, values)).rows,
    hasTable: async (name) => (await connection.query(TABLE_NAMED, [name])).rows.length > 0,
  };
}

/** A connection without time limits. Throws: store.server, and store.in-use if `alone` and the installation is in use. */
export async function openConnection(
  settings: PostgresSettings,
  alone: boolean,
): Promise<Connection> {
  const connection = await connect(settings, { ...settings, statementSeconds: 0 });
  try {
    await requireServer(connection);
    if (alone) await lockAlone(connection);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function lockAlone(connection: Connection): Promise<void> {
  const { uses } = await locksOf(connection);
  const { rows } = await connection.query('SELECT pg_try_advisory_lock($1::bigint)', [uses]);
  if (rows[0]?.[0] !== 1n) throw new Fault('store.in-use');
}

async function run(
  connection: Connection,
  settings: PostgresSettings,
  steps: readonly MigrationStep[],
  finish: Work<void>,
): Promise<void> {
  const { writes } = await locksOf(connection);
  const transaction = new Transaction(
    connection,
    { written: new WrittenTables() },
    { limits: settings, units: 1 },
  );
  await transaction.begin(String(writes));
  try {
    for (const step of steps) await runStep(connection, step);
    await transaction.perform(finish, new Turn(), false);
    await runStep(connection, { text: '', losses: [], sql: [MARK_TABLES] });
    await transaction.commit();
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

/** Checks foreign keys at the end of the step: tables with unchecked rows cannot be altered. */
async function runStep(connection: Connection, { text, sql }: MigrationStep): Promise<void> {
  let running = '';
  try {
    for (const statement of sql) {
      running = statement;
      await connection.command(statement);
    }
    await connection.command('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
  } catch (error) {
    if (isTooLong(error)) throw translateIndexing(error, running);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('store.migration-broken', { reason: `${text} ${reason}.`.trim() });
  }
}
