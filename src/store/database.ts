// This file defines the database interface of the service: quick reads, scans of many rows, and a single writer that runs units of
// work as atomic transactions. Drivers that can read synchronously do so, since awaiting a resolved promise would cost too much. Drivers throw the faults store.busy, store.full and store.unique; any other driver error is a bug in
// Docket.
import { invariant } from '../base/fault.ts';
import type { MaybePromise } from '../base/value-or-promise.ts';
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

/** Whether a statement was compiled for a client, so that its result is limited. The service's own are fragments and texts. */
export function isCompiled(sql: SqlText): sql is Statement {
  return typeof sql === 'object' && 'text' in sql;
}

/** Values of the current request that statements refer to by name. */
export type Context = Readonly<Record<ContextName, Cell>>;

/** One database operation of a unit of work, or several in one. */
export type Operation =
  | SingleOperation
  /**
   * Runs operations in order and replies to all together, so that a driver need not wait for one result before it sends the next
   * operation. The error is that of the first operation that fails; the unit must fail then, since others may or may not have run.
   */
  | {
      readonly kind: 'pipeline';
      readonly operations: readonly SingleOperation[];
      /** Whether the unit yields nothing more if it succeeds, so that a driver may begin the next unit before it has the replies. */
      readonly isLast: boolean;
    };

export type SingleOperation =
  | { readonly kind: 'query'; readonly statement: SqlText; readonly values: readonly Cell[] }
  | {
      readonly kind: 'change';
      readonly statement: SqlText;
      readonly values: readonly Cell[];
      /** Locates the values in the request, as target of store.unique: `Workorders[2]`. */
      readonly place: string | undefined;
      /** Whether the reply has the rows that the statement returns. */
      readonly returns: boolean;
    }
  /**
   * Allocates consecutive numbers of a sequence. Sequences start at 1 and may have gaps. With `given`, a number that a load has chosen, no
   * number is allocated: the sequence continues after that one.
   */
  | {
      readonly kind: 'allocate';
      readonly sequence: string;
      readonly count: bigint;
      readonly given?: bigint | undefined;
    };

/** The result of an operation. Members that do not apply to its kind are empty or 0. */
export interface Reply {
  readonly rows: readonly Row[];
  /** Number of changed rows. */
  readonly changed: number;
  /** The first of the allocated numbers. */
  readonly first: bigint;
  /** The replies to the operations of a pipeline, in order. */
  readonly replies: readonly Reply[];
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

/** What a process asks of the database now. */
interface DatabaseLoad {
  /** Connections to the server, or threads for scans, and those of them that run a statement. */
  readonly connections: number;
  readonly busyConnections: number;
  readonly waitingReads: number;
  readonly waitingScans: number;
  readonly waitingWrites: number;
}

/** See ReadScript.findsMany. */
export interface Probe {
  readonly statement: Statement;
  readonly values: readonly Cell[];
}

export interface Database {
  /** Runs a statement that is known to be quick. */
  readonly read: (statement: SqlText, values: readonly Cell[]) => MaybePromise<readonly Row[]>;
  readonly hasTable: (name: string) => MaybePromise<boolean>;
  /**
   * Pins the snapshot that quick reads see, which is faster than checking for a newer one each time. Returns the function that
   * releases it; call that in the same turn of the event loop, before any await.
   */
  readonly pinSnapshot: () => () => void;
  /**
   * Runs a statement that may read many records, without blocking other requests. Throws: store.slow after the time limit.
   * @param probe shows quickly whether the statement reads few records after all; for databases that do not block on quick reads, it
   *   is of no use
   */
  readonly scan: (
    statement: SqlText,
    values: readonly Cell[],
    probe?: Probe,
  ) => Promise<readonly Row[]>;
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
  readonly define: (statements: readonly string[]) => MaybePromise<void>;
  /**
   * Version of the tables that a statement reads. It changes with every commit, in this process or another, that writes to one of
   * them; undefined where it cannot be determined. A read after this call is at least as new as the version.
   */
  readonly tableVersionOf: (reads: readonly string[]) => string | undefined;
  /** How the database executes a statement, one line for each step, without the values of its parameters; empty if it is unknown. */
  readonly explain: (statement: Statement) => Promise<readonly string[]>;
  readonly load: () => DatabaseLoad;
  /**
   * Claims a name for this process among all processes of the installation. Undefined while another process has it. The claim ends with
   * the process; `onLost` is called if it ends earlier, when the connection to the database is lost. Throws: the errors of a connection.
   */
  readonly claim: (name: string, onLost: () => void) => Promise<Claim | undefined>;
  /**
   * From now on, everything throws store.other-version while the tables are others than now, since another program has migrated them, and
   * store.migrating meanwhile. A database that no other program can migrate while it is open needs no such check.
   */
  readonly keepLayout: () => MaybePromise<void>;
  /** Reports problems that do not fail requests, such as of read replicas, from now on. */
  readonly reportTo: (report: (reason: string) => void) => void;
  /**
   * Completes the writes that wait and rejects later ones. Await the results of reads first: those that still wait for a thread or a
   * connection are rejected with store.stopping.
   */
  readonly close: () => Promise<void>;
}

export interface Claim {
  readonly release: () => Promise<void>;
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
