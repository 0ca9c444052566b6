// This file defines what commands need of the database of an installation before it is opened, and instead of opening it: whether it is
// there, copies of it, and its migration. Implementations know where the database is.
import type { MaybePromise } from '../base/value-or-promise.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import type { Index, StoredLayout, Table } from '../sql/schema/layout.ts';
import type { MigrationStep } from '../sql/schema/migration.ts';
import type { Database, DatabaseReader, Work } from './database.ts';
import type { IndexRates } from './tuning/index-cost.ts';

/** Problems of a database that an administrator can solve. */
export type DatabaseProblem =
  | 'not-a-file'
  | 'not-writable'
  | 'damaged'
  | 'disk'
  | 'locked'
  | 'login'
  | 'no-database'
  | 'no-rights'
  | 'no-encryption'
  | 'connection-lost'
  | 'too-many-connections'
  | 'unreachable';

/** The database for administrators. */
interface DatabaseDescription {
  /** `SQLite by better-sqlite3`, `PostgreSQL 18.4`. */
  readonly engine: string;
  /** What makes it slower than it could be, with the remedy. */
  readonly warnings: readonly string[];
}

export interface InstallationDatabase {
  readonly dialect: Dialect;
  /** Where the database is, without secrets: the path of its file, or `docket on db.example.com:5432`. */
  readonly place: string;
  readonly describe: () => MaybePromise<DatabaseDescription>;
  /** Whether there is a database, complete or not. Throws if that cannot be determined, so that it does not look missing. */
  readonly exists: () => MaybePromise<boolean>;
  /** Whether other programs keep tables where this database keeps its own. */
  readonly hasForeignTables: () => MaybePromise<boolean>;
  readonly sizeInBytes: () => MaybePromise<number>;
  /** A setting, read without opening the database for the service. */
  readonly setting: (name: string) => MaybePromise<string | undefined>;
  /** Opens the database, and creates it if missing. For `loading`, rows may refer to rows that are loaded later. */
  readonly open: (use?: 'loading') => MaybePromise<Database>;
  readonly remove: () => MaybePromise<void>;
  /** The problem that an error of the database shows, if any. */
  readonly problemOf: (error: unknown) => DatabaseProblem | undefined;
  /** The first damage, or undefined if the database is intact. */
  readonly damage: () => MaybePromise<string | undefined>;
  /** Throws: store.in-use if another process has the database open. A damaged one counts as unused. */
  readonly requireUnused: () => MaybePromise<void>;
  /** Copies the database to a new file, also while it is in use. The copy is complete and synced to disk on return. */
  readonly copyTo: (file: string) => MaybePromise<void>;
  /** Moves the closed database to another file. Returns the paths of the new files. */
  readonly moveTo: (file: string) => readonly string[];
  /** Throws: store.in-use if `alone` and another process has the database open. */
  readonly openMigration: (alone: boolean) => MaybePromise<Migration>;
  /** Whether a migration copies the database before it changes anything. */
  readonly copiesBeforeMigration: boolean;
  /**
   * Seconds for which an index may be built beside a running service, because writes wait so long for it; undefined if writes continue.
   */
  readonly writesWaitSeconds: number | undefined;
  /** The database must be open for the service meanwhile, which prevents migrations. */
  readonly openIndexes: () => MaybePromise<IndexBuilder>;
  /** The processes that hold claims of these names (Database.claim); undefined if claims do not reach beyond a process. */
  readonly claimHolders: (
    names: readonly string[],
  ) => MaybePromise<readonly ClaimHolder[] | undefined>;
}

/** A process that holds a claim. */
export interface ClaimHolder {
  readonly name: string;
  /** The name of its connection: the machine and the number of the process. */
  readonly process: string;
  /** Its IP address; undefined on the machine of the server. */
  readonly address: string | undefined;
  /** When its connection was opened, in ISO 8601: later than the process if the connection was lost. */
  readonly connectedSince: string;
  /** Seconds since its last sign of life. */
  readonly silentSeconds: number;
}

/** A connection that builds and drops indexes beside a running service. */
export interface IndexBuilder extends DatabaseReader {
  readonly rates: IndexRates;
  /** The indexes of the database by name. */
  readonly existing: () => MaybePromise<ReadonlyMap<string, ExistingIndex>>;
  /**
   * Builds an index, and replaces one that an interrupted command has left incomplete. After an error the index may exist, incomplete.
   * @param note called with the done part of the present phase
   */
  readonly build: (
    table: Table,
    index: Index,
    note: (done: number, total: number) => void,
  ) => MaybePromise<void>;
  /** Drops an index, if it exists. */
  readonly drop: (index: Index) => MaybePromise<void>;
  /**
   * Whether the planner would use an index that does not exist yet; undefined if the database cannot find that out.
   * @param parameters the number of the statement's parameters
   */
  readonly wouldUse: (
    statement: { readonly statement: string; readonly parameters: number },
    index: PlannedIndex,
  ) => boolean | undefined;
  readonly close: () => MaybePromise<void>;
}

/** An index that does not exist yet, with the statement that would create it. */
export interface PlannedIndex {
  readonly name: string;
  readonly sql: string;
}

export interface ExistingIndex {
  /** Undefined if the database cannot determine it quickly. */
  readonly bytes: number | undefined;
  /** How often queries have used it, if the database counts that. */
  readonly uses: number | undefined;
  /** Whether it is complete. */
  readonly isValid: boolean;
}

/** A connection that migrates the database. */
export interface Migration extends DatabaseReader {
  /** Steps that update the tables outside the model to the definitions in `statements`. Other tables are left alone. */
  readonly engineSteps: (statements: readonly string[]) => MaybePromise<readonly MigrationStep[]>;
  /** Steps that replace what earlier versions created for the tables of a layout. */
  readonly repairSteps: (installed: StoredLayout) => MaybePromise<readonly MigrationStep[]>;
  /** The names of all complete indexes. */
  readonly completeIndexes: () => MaybePromise<ReadonlySet<string>>;
  /**
   * Copies the database next to it and returns the path of the copy, which is complete and synced to disk; undefined if the database
   * has backups of its own.
   */
  readonly copy: () => MaybePromise<string | undefined>;
  /**
   * Runs the steps and then `finish` in one transaction without other processes. A failure has no effect.
   * Throws: store.migration-broken.
   */
  readonly run: (steps: readonly MigrationStep[], finish: Work<void>) => MaybePromise<void>;
  readonly close: () => MaybePromise<void>;
}
