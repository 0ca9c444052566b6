// This file defines the contract of an SQLite driver, the little that this folder needs of one. There are two implementations:
// node-sqlite.ts and better-sqlite3.ts. They return the same values and the same errors.
import type { SqlValue } from '../../sql/dialect/sqlite-functions.ts';
import type { Cell, Row } from '../database.ts';

/** A prepared statement. It needs a value for each of its parameters: not every driver notices a missing one. */
export interface Prepared {
  /** Runs the statement and returns all rows as arrays: integers as bigint, blobs as Uint8Array. */
  all(values: readonly SqlValue[]): readonly Row[];
  /** Runs a statement that returns rows while its rows are iterated. */
  rows(values: readonly SqlValue[]): Iterable<Row>;
  /** Runs the statement and returns the first column of the first row. */
  first(values: readonly SqlValue[]): Cell | undefined;
  /** Runs the statement and returns the number of changed rows, or of returned rows if it returns rows. */
  run(values: readonly SqlValue[]): number;
}

/** An open database file. A statement that fails throws an error with the `code` that resultCode reads and SQLite's message. */
export interface Connection {
  readonly inTransaction: boolean;
  /** Prepares a single statement. */
  prepare(text: string): Prepared;
  /** Runs any number of statements without parameters and ignores their rows. */
  exec(script: string): void;
  close(): void;
}

export interface ConnectionSettings {
  /** The database file, created if missing unless `readonly`; `:memory:` for a database in memory. */
  readonly file: string;
  readonly readonly: boolean;
  /** Milliseconds that a statement waits for a lock of another connection. */
  readonly timeout: number;
  /** Deterministic SQL functions by name. They take integers as bigint, and an error that one throws ends the statement. */
  readonly functions: Readonly<Record<string, (...values: SqlValue[]) => SqlValue>>;
}

export type OpenConnection = (settings: ConnectionSettings) => Connection;

/**
 * SQLite's result code of an error, such as `SQLITE_BUSY`; extended at least for constraints, such as `SQLITE_CONSTRAINT_UNIQUE`.
 * Undefined for other errors. Source: SQLite, "Result and Error Codes".
 */
export function resultCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_') ? code : undefined;
}
