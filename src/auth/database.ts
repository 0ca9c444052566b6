// The interface of the database for auth/.
import type { Value } from '../edm/value/read-result.ts';
import type { Fragment } from '../sql/fragment.ts';

export interface AuthDatabase {
  readonly read: (statement: Fragment) => Promise<readonly Row[]>;
  /** Runs statements in a transaction. There is only one writer at a time. */
  readonly write: <Result>(work: (run: RunStatement) => Result) => Promise<Result>;
}

/** Runs a statement in the transaction. */
export type RunStatement = (statement: Fragment) => readonly Row[];

/** The values of a row in the order of the columns; integers as bigint. */
export type Row = readonly Value[];
