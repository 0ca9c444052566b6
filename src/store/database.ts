// This file defines what the service needs of a database, whichever it is: reads, reads that may look at many rows, and one writer
// whose deeds are whole or not at all. Drivers raise the faults store.busy, store.full and store.unique; everything else that goes
// wrong there is our mistake.

import { invariant } from '../base/fault.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { ContextName, Parameter, Statement } from '../sql/script.ts';

/** What is bound and what comes back: integers as bigint, bytes as they are. */
export type Cell = Value | Uint8Array;

export type Row = readonly Cell[];

/** Values that only the running request knows. */
export type Context = Readonly<Record<ContextName, Cell>>;

/** An open transaction. */
export interface Transaction {
  readonly rows: (text: string, values: readonly Cell[]) => readonly Row[];
  /** Tells how many rows were changed. `place` is where the request says the values, for store.unique: `Workorders[2]`. */
  readonly change: (text: string, values: readonly Cell[], place?: string) => number;
  /** The first of so many numbers of a sequence, which begins with 1, that nobody else gets. Some may never be given to anybody. */
  readonly draw: (sequence: string, count: bigint) => bigint;
}

/** What a deed leaves behind: `keep` false rolls it back although nothing went wrong (a dry run). */
export interface Deed<Result> {
  readonly result: Result;
  readonly keep: boolean;
}

export interface Database {
  /** Rows of a statement that is known to be quick. */
  readonly read: (text: string, values: readonly Cell[]) => readonly Row[];
  /**
   * Lets the quick reads that follow see one state of the database, which takes less time than looking for a newer one each time,
   * until what is given back is called: to be done in the same turn of the event loop, before anything is waited for.
   */
  readonly hold: () => () => void;
  /** Rows of a statement that may look at many records: it must not hold up others. Fault store.slow after the time limit. */
  readonly scan: (text: string, values: readonly Cell[]) => Promise<readonly Row[]>;
  /**
   * Does a deed in a transaction of its own: durable when the promise is kept, without a trace when it is broken.
   * Deeds that wait may share one sync of the disk. A deed may be done twice, so it must leave nothing outside of the transaction.
   * Faults store.busy when too many wait, store.stopping after close, store.unique, store.foreign-key, store.full.
   */
  readonly write: <Result>(deed: (transaction: Transaction) => Deed<Result>) => Promise<Result>;
  /**
   * Does a little of what lets later reads take less time, where nobody writes at the moment: it must not hold up a writer for longer than a
   * small deed does. Tells whether there may be more to do. What is read is the same before and after. Fault store.full.
   */
  readonly tidy: () => boolean;
  /** Statements that make or change tables, all or none. */
  readonly define: (statements: readonly string[]) => void;
  /**
   * Text that is another one after any commit, of this process or another, that wrote to a table which the statement reads; undefined
   * where that cannot be told. What is read after asking is at least as new as the state.
   */
  readonly stateOf: (statement: string) => string | undefined;
  readonly close: () => Promise<void>;
}

/** The values of a statement's parameters, in order. */
export function bindParameters(statement: Statement, context: Context): readonly Cell[] {
  return statement.parameters.map((parameter) => bindParameter(parameter, context));
}

function bindParameter(parameter: Parameter, context: Context): Cell {
  if (parameter.kind === 'value') return parameter.value;
  invariant(parameter.kind === 'context', `a read has no ${parameter.kind}`);
  return context[parameter.name];
}
