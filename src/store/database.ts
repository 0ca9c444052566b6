// This file defines the database interface of the service: quick reads, scans of many rows, and a single writer that runs units of
// work as atomic transactions. Drivers throw the faults store.busy, store.full and store.unique; any other driver error is a bug in
// Docket.
import { invariant } from '../base/fault.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { Fragment } from '../sql/fragment.ts';
import type { ContextName, Parameter, Statement } from '../sql/script.ts';

/** A bound or returned value: integers as bigint, bytes unchanged. */
export type Cell = Value | Uint8Array;

export type Row = readonly Cell[];

/**
 * A statement whose values are bound in order: compiled, as a fragment with ARGUMENT for each value, or as text in the dialect of the
 * database. Fragments are rendered once, so they should be constants. Text counts as a write to all tables.
 */
export type SqlText = Statement | Fragment | string;

/** Values of the current request that statements refer to by name. */
export type Context = Readonly<Record<ContextName, Cell>>;

/** One database operation of a unit of work. */
export type Operation =
  | { readonly kind: 'query'; readonly statement: SqlText; readonly values: readonly Cell[] }
  | {
      readonly kind: 'change';
      readonly statement: SqlText;
      readonly values: readonly Cell[];
      /** Locates the values in the request, as target of store.unique: `Workorders[2]`. */
      readonly place: string | undefined;
    }
  /** Allocates consecutive numbers of a sequence. Sequences start at 1 and may have gaps. */
  | { readonly kind: 'allocate'; readonly sequence: string; readonly count: bigint };

/** The result of an operation. Members that do not apply to its kind are empty or 0. */
export interface Reply {
  readonly rows: readonly Row[];
  /** Number of changed rows. */
  readonly changed: number;
  /** The first of the allocated numbers. */
  readonly first: bigint;
}

/**
 * A unit of work: yields operations, receives their replies, and does nothing else outside itself, so that any driver can run it.
 * The driver throws the error of an operation into the generator. Make operations with the functions in work.ts:
 * `const { rows } = yield query(text, values)`. Work that consists of other work delegates to it with `yield*`.
 */
export type Work<Result> = Generator<Operation, Result, Reply>;

/** The result of work that is a transaction. `keep: false` rolls it back although it succeeded (a dry run). */
export interface WorkResult<Result> {
  readonly result: Result;
  readonly keep: boolean;
}

export interface Database {
  /** Runs a statement that is known to be quick. */
  readonly read: (statement: SqlText, values: readonly Cell[]) => readonly Row[];
  readonly hasTable: (name: string) => boolean;
  /**
   * Pins the snapshot that quick reads see, which is faster than checking for a newer one each time. Returns the function that
   * releases it; call that in the same turn of the event loop, before any await.
   */
  readonly pinSnapshot: () => () => void;
  /** Runs a statement that may read many records, without blocking other requests. Throws: store.slow after the time limit. */
  readonly scan: (text: string, values: readonly Cell[]) => Promise<readonly Row[]>;
  /**
   * Runs a unit of work as a transaction: durable once the promise resolves, rolled back if it rejects. Waiting transactions may
   * share one disk sync. `start` may be called again to run the work a second time, so the work must have no side effects.
   * Throws: store.busy when too many wait, store.stopping after close, store.unique, store.foreign-key, store.full.
   */
  readonly write: <Result>(start: () => Work<WorkResult<Result>>) => Promise<Result>;
  /**
   * Runs one small step of index compaction unless a write is in progress; a step must not delay a writer longer than a small
   * transaction would. Returns whether more steps may remain. Does not change what reads return. Throws: store.full.
   */
  readonly compact: () => boolean;
  /** Runs DDL statements in one transaction. */
  readonly define: (statements: readonly string[]) => void;
  /**
   * Version of the tables that a statement reads. It changes with every commit, in this process or another, that writes to one of
   * them; undefined where it cannot be determined. A read after this call is at least as new as the version.
   */
  readonly tableVersionOf: (reads: readonly string[]) => string | undefined;
  readonly close: () => Promise<void>;
}

/** A database, or a connection of its own, that only reads. */
export type DatabaseReader = Pick<Database, 'read' | 'hasTable'>;

/** The values of the request's parameters by slot; a statement uses those that a database can bind. */
export type Inputs = readonly unknown[];

/** The values of a statement's parameters, in order. */
export function bindParameters(
  { parameters }: Statement,
  context: Context,
  inputs: Inputs = [],
): readonly Cell[] {
  return parameters.map((parameter) => bindParameter(parameter, context, inputs));
}

function bindParameter(parameter: Parameter, context: Context, inputs: Inputs): Cell {
  if (parameter.kind === 'value') return parameter.value;
  if (parameter.kind === 'input') return inputAt(inputs, parameter.slot);
  invariant(parameter.kind === 'context', `a read has no ${parameter.kind}`);
  return context[parameter.name];
}

/** The value in a slot, which a conversion has made a value of the database. */
export function inputAt(inputs: Inputs, slot: number): Cell {
  const input = inputs[slot];
  invariant(input !== undefined, `no input ${slot}`);
  return input as Cell;
}
