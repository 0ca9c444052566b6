// This file implements the database of an installation as a schema of a PostgreSQL database.

import { Fault } from '../../base/fault.ts';
import { databasePlace } from '../../base/without-password.ts';
import { POSTGRES } from '../../sql/dialect/postgres/postgres.ts';
import { isFull } from '../driver-faults.ts';
import type { DatabaseProblem, InstallationDatabase } from '../installation-database.ts';
import { readSetting } from '../installation-settings.ts';
import { claimHolders } from './claims.ts';
import type { Connection, PostgresSettings } from './connection.ts';
import { openPostgres } from './database.ts';
import { isDisconnect, isLost, sqlState } from './errors.ts';
import { openIndexes } from './indexes.ts';
import { DROP_ALL, FOREIGN_TABLES } from './installation-objects.ts';
import { openConnection, openMigration, readerOf } from './migration.ts';
import { versionOf, warningsOf } from './requirements.ts';

export function postgresInstallation(settings: PostgresSettings): InstallationDatabase {
  const using = <Result>(work: (connection: Connection) => Promise<Result>, alone = false) =>
    withConnection(settings, alone, work);
  return {
    dialect: POSTGRES,
    place: databasePlace(settings.url),
    describe: () =>
      using(async (connection) => ({
        engine: await versionOf(connection),
        warnings: await warningsOf(connection),
      })),
    exists: () =>
      using(async (connection) => await readerOf(connection).hasTable('docket_setting')),
    hasForeignTables: () =>
      using(async (connection) => (await connection.query(FOREIGN_TABLES, [])).rows.length > 0),
    sizeInBytes: () => using(sizeOf),
    setting: (name) => using(async (connection) => await readSetting(readerOf(connection), name)),
    open: () => openPostgres(settings),
    remove: () => using(async (connection) => void (await connection.command(DROP_ALL)), true),
    problemOf,
    damage: () => undefined,
    requireUnused: () => using(async () => undefined, true),
    copyTo: () => {
      throw new Fault('store.no-copy');
    },
    moveTo: () => {
      throw new Fault('store.no-copy');
    },
    openMigration: (alone) => openMigration(settings, alone),
    copiesBeforeMigration: false,
    writesWaitSeconds: undefined,
    openIndexes: () => openIndexes(settings),
    claimHolders: (names) => using((connection) => claimHolders(connection, names)),
  };
}

async function withConnection<Result>(
  settings: PostgresSettings,
  alone: boolean,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(settings, alone);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

async function sizeOf(connection: Connection): Promise<number> {
  const { rows } = await connection.query('SELECT pg_database_size(current_database())', []);
  return Number(rows[0]?.[0]);
}

/** PostgreSQL, "PostgreSQL Error Codes". */
function problemOf(error: unknown): DatabaseProblem | undefined {
  const code = sqlState(error) ?? '';
  if (code.startsWith('28')) return 'login';
  if (code === '3D000') return 'no-database';
  if (code === '42501') return 'no-rights';
  if (code === '25006') return 'not-writable';
  if (/^(53100|58030)$/.test(code) || isFull(error)) return 'disk';
  if (/^XX00[12]$/.test(code)) return 'damaged';
  if (code === '55P03') return 'locked';
  if (code === '53300') return 'too-many-connections';
  if (isWithoutEncryption(error)) return 'no-encryption';
  if (isLost(error)) return 'connection-lost';
  return isDisconnect(error) ? 'unreachable' : undefined;
}

/** The driver has no code for this. */
function isWithoutEncryption(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && /does not support SSL/.test(cause.message);
}
