// This file implements the database of an installation as an SQLite file.

import { renameSync, rmSync, statSync } from 'node:fs';
import { SQLITE } from '../../sql/dialect/sqlite.ts';
import { isFull } from '../driver-faults.ts';
import type { DatabaseProblem, InstallationDatabase } from '../installation-database.ts';
import { readSetting } from '../installation-settings.ts';
import { copyInto, damageOf } from './backup.ts';
import { isBusy, isDamage, readerOf, withReader } from './connection.ts';
import { openSqlite } from './database.ts';
import { resultCode } from './driver.ts';
import { driverName } from './driver-choice.ts';
import { openIndexes, WRITES_WAIT_SECONDS } from './indexes.ts';
import { connectAlone, openMigration } from './migration.ts';
import { type ReaderSettings, startReaders } from './reader-pool.ts';

/** Suffixes of the files of a database in WAL mode. SQLite, "Write-Ahead Logging". */
const SUFFIXES = ['', '-wal', '-shm'];

/**
 * The database in a file.
 * @param readers settings of the threads for scans; without them scans run in the main thread
 */
export function sqliteInstallation(
  file: string,
  readers?: Omit<ReaderSettings, 'file'>,
): InstallationDatabase {
  return {
    dialect: SQLITE,
    place: file,
    describe: () => ({ engine: `SQLite by ${driverName()}`, warnings: [] }),
    exists: () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    // The file is Docket's own.
    hasForeignTables: () => false,
    sizeInBytes: () => statSync(file).size,
    setting: (name) => withReader(file, (connection) => readSetting(readerOf(connection), name)),
    open: (use) => {
      const pool = readers === undefined ? undefined : startReaders({ ...readers, file });
      const { resultSize } = readers ?? {};
      return openSqlite({ file, readers: pool, resultSize, isLoading: use === 'loading' });
    },
    remove: () => {
      for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
    },
    problemOf: (error) => problemOf(error, file),
    damage: () => damageOf(file),
    requireUnused: () => requireUnused(file),
    copyTo: (copy) => withReader(file, (connection) => copyInto(connection, copy)),
    moveTo: (target) =>
      SUFFIXES.flatMap((suffix) => move(`${file}${suffix}`, `${target}${suffix}`)),
    openMigration: (alone) => openMigration(file, alone),
    copiesBeforeMigration: true,
    writesWaitSeconds: WRITES_WAIT_SECONDS,
    openIndexes: () => openIndexes(file),
    claimHolders: () => undefined,
  };
}

/** SQLite, "Result and Error Codes". */
function problemOf(error: unknown, file: string): DatabaseProblem | undefined {
  const code = resultCode(error) ?? '';
  if (/^SQLITE_(CANTOPEN|IOERR)/.test(code) && isDirectory(file)) return 'not-a-file';
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code)) return 'not-writable';
  if (/^SQLITE_(FULL|IOERR)/.test(code) || isFull(error)) return 'disk';
  if (isDamage(error)) return 'damaged';
  return isBusy(error) ? 'locked' : undefined;
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

function requireUnused(file: string): void {
  try {
    connectAlone(file).close();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function move(from: string, to: string): readonly string[] {
  if (statSync(from, { throwIfNoEntry: false }) === undefined) return [];
  renameSync(from, to);
  return [to];
}
