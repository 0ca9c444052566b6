// This file defines what commands need of the database of an installation before it is opened, and instead of opening it: whether it is
// there, copies of it, and its migration. Implementations know where the database is.
import type { Dialect } from '../sql/dialect/dialect.ts';
import type { StoredLayout } from '../sql/schema/layout.ts';
import type { MigrationStep } from '../sql/schema/migration.ts';
import type { Database, DatabaseReader, Work } from './database.ts';

/** Problems of a database that an administrator can solve. */
export type DatabaseProblem = 'not-writable' | 'damaged' | 'disk' | 'locked';

export interface InstallationDatabase {
  readonly dialect: Dialect;
  /** Whether there is a database, complete or not. Throws if that cannot be determined, so that it does not look missing. */
  readonly exists: () => boolean;
  readonly sizeInBytes: () => number;
  /** A setting, read without opening the database for the service. */
  readonly setting: (name: string) => string | undefined;
  /** Opens the database, and creates it if missing. */
  readonly open: () => Database;
  readonly remove: () => void;
  /** The problem that an error of the database shows, if any. */
  readonly problemOf: (error: unknown) => DatabaseProblem | undefined;
  /** The first damage, or undefined if the database is intact. */
  readonly damage: () => string | undefined;
  /** Throws: store.in-use if another process has the database open. A damaged one counts as unused. */
  readonly requireUnused: () => void;
  /** Copies the database to a new file, also while it is in use. The copy is complete and synced to disk on return. */
  readonly copyTo: (file: string) => void;
  /** Moves the closed database to another file. Returns the paths of the new files. */
  readonly moveTo: (file: string) => readonly string[];
  /** Throws: store.in-use if `alone` and another process has the database open. */
  readonly openMigration: (alone: boolean) => Migration;
}

/** A connection that migrates the database. */
export interface Migration extends DatabaseReader {
  /** Steps that update the tables outside the model to the definitions in `statements`. Other tables are left alone. */
  readonly engineSteps: (statements: readonly string[]) => readonly MigrationStep[];
  /** Steps that replace what earlier versions created for the tables of a layout. */
  readonly repairSteps: (installed: StoredLayout) => readonly MigrationStep[];
  /** Copies the database next to it and returns the path of the copy, which is complete and synced to disk. */
  readonly copy: () => string;
  /**
   * Runs the steps and then `finish` in one transaction without other processes. A failure has no effect.
   * Throws: store.migration-broken.
   */
  readonly run: (steps: readonly MigrationStep[], finish: Work<void>) => void;
  readonly close: () => void;
}
