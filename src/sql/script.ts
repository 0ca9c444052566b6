// Compiled read plans: statements in one SQL dialect with their parameters in order. A script is plain data; store/run-read-script.ts
// executes it.
import type { Value } from '../edm/value/read-result.ts';
import type { RecordTemplate } from './read/record-template.ts';
import type { Storage } from './schema/value-storage.ts';

/** The source of a bound value. The dialect decides how the driver represents each storage class. */
export type Parameter =
  | {
      readonly kind: 'value';
      readonly value: Value | Uint8Array;
      /** Where the value does not show its type: a database with typed parameters needs it. */
      readonly storage?: Storage['kind'];
    }
  /** A value that each request supplies: the slot of a parameter. */
  | { readonly kind: 'input'; readonly slot: number; readonly storage: Storage['kind'] }
  /** Supplied when the script runs. */
  | { readonly kind: 'context'; readonly name: ContextName }
  /** Identity or version of a row that an earlier step of a write script found or inserted. */
  | { readonly kind: 'register'; readonly name: string; readonly field: 'identity' | 'version' }
  /** A value that the running step supplies. */
  | { readonly kind: 'local'; readonly name: string; readonly storage?: Storage['kind'] };

/**
 * now: the time of the request or, for further pages, of the first page. present: the time of the request. me: key of the caller's person. account: the caller's login name. accountKey: the account's key. session: key of the caller's session, or of
 * the API key. cause: why the service makes the request itself. root: service root with a trailing slash. request: the request id. positions: the present positions of the schedules by which
 * clocks run, as a JSON object.
 */
export type ContextName =
  | 'now'
  | 'present'
  | 'me'
  | 'account'
  | 'accountKey'
  | 'session'
  | 'cause'
  | 'root'
  | 'request'
  | 'positions';

/** The first character of a JSON document that the service rewrites when the row arrives. JSON text never contains it. */
export const DEFERRED_START = '\u0001';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** Whether JSON in its results contains documents to rewrite. Without it, there are none. */
  readonly isDeferred?: boolean;
  /** The number of leading result columns that only become text: a driver may return integers in them as text. 0 by default. */
  readonly textColumns?: number;
  /** Whether it returns one row at most, which a driver need not interrupt to limit the size of the result. */
  readonly isOne?: boolean;
  /** The tables that it names, for cache validation. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The only row of one of these tables that it reads or writes: its identity is the value of a parameter. */
  readonly row?: { readonly table: string; readonly parameter: number } | undefined;
}

/** The most rows that a read may find to be quick. */
export const FEW_ROWS = 1000;

/**
 * One read. The result columns of `statement`, in this order:
 * `json` (text of one record, value or raw text, or null) or the columns of `record`, `count` if `counted`, one column for each order item if the plan pages (the
 * values of the last row make the skip token), and the number of the newest change if `tracked`.
 * If `counted` or `tracked`, an empty result is a single row whose first column is null.
 */
export interface ReadScript {
  readonly kind: 'read';
  readonly statement: Statement;
  /** How the service writes each record, if the database does not. */
  readonly record?: RecordTemplate | undefined;
  readonly counted: boolean;
  /** The number of rows of a full page. One more row may follow; it only shows that there is a next page. */
  readonly shown?: number | undefined;
  /** Number of order columns. */
  readonly keys: number;
  /** Whether two columns follow the order columns: the number of the newest change, and the addresses of the rows if requested. */
  readonly tracked?: boolean | undefined;
  /** Returns a row if the parent exists. */
  readonly parent?: Statement | undefined;
  /** Whether the statement may scan many rows and belongs on a reader thread. */
  readonly scans: boolean;
  /**
   * Returns one row, with a column for each index that finds the rows: null if the index finds FEW_ROWS or fewer. Then the statement does
   * not scan many rows after all.
   */
  readonly findsMany?: Statement | undefined;
}

export interface ChainScript {
  readonly kind: 'chain';
  readonly parts: readonly ReadScript[];
}

/**
 * A delta query. Columns: numbers of the newest and the oldest change in the log, number of changed rows (null if not requested), then
 * identity, JSON text, address, deletion flag, creation flag, and number and time of the last change of a row. An empty result is a single row without an identity.
 */
export interface DeltaScript {
  readonly kind: 'delta';
  readonly statement: Statement;
}

interface EmptyScript {
  readonly kind: 'empty';
}

export type Script = ReadScript | ChainScript | DeltaScript | EmptyScript;
