// This file says what auth/ needs of a database, whichever it is.
import type { Value } from '../edm/value/read-result.ts';
import type { Fragment } from '../sql/fragment.ts';

/** What the tables need of a database: rows of a statement, and several statements as one deed that no other write interleaves. */
export interface AuthDatabase {
  readonly read: (statement: Fragment) => Promise<readonly Row[]>;
  readonly write: <Result>(work: (run: RunStatement) => Result) => Promise<Result>;
}

/** Runs a statement in the transaction that writes. */
export type RunStatement = (statement: Fragment) => readonly Row[];

/** One row: columns in order; integers as bigint. */
export type Row = readonly Value[];
