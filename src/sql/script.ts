// This file defines what compiling makes of a plan: statements in the text of one dialect, with parameters in order. A script is
// plain data; store/run-script.ts executes it.
import type { LiteralPlace } from '../bind/bound.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { Storage } from './schema/value-storage.ts';

/** How a value is bound; the driver's form of each storage class is the dialect's business. */
export type Parameter =
  | {
      readonly kind: 'value';
      readonly value: Value | Uint8Array;
      readonly place?: LiteralPlace;
      /** What makes the value out of the one at the place, where it is another; it gives undefined where the statement is none for that one. */
      readonly from?: (read: Value) => Value | undefined;
      /** The form in which a value at the place is bound, where it is not that in which it was read. */
      readonly storage?: Storage;
    }
  /** A value of the request that a lifted script runs for, by its number. */
  | { readonly kind: 'input'; readonly index: number; readonly storage?: Storage }
  /** Filled in when the script runs. root = service root with a slash at its end. */
  | { readonly kind: 'context'; readonly name: ContextName }
  /** Identity or version of a row that an earlier step of a write script found or made. */
  | { readonly kind: 'register'; readonly name: string; readonly field: 'identity' | 'version' }
  /** A value that the running step itself supplies. */
  | { readonly kind: 'local'; readonly name: string };

/** me = key of the asker's person, account = the asker's login name, accountKey = its key, request = the request's id. */
export type ContextName = 'now' | 'me' | 'account' | 'accountKey' | 'root' | 'request';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/**
 * One read. Result columns of `statement`, in this order:
 * `json` (text of one record, value or raw text; null where there is none), with `counted` then `count`, and, where the plan pages, one column
 * for each order item, whose values of the last row make the skip token. With `counted` a single row with a null json stands for no rows.
 */
export interface ReadScript {
  readonly kind: 'read';
  readonly statement: Statement;
  readonly counted: boolean;
  /** Number of order columns behind. */
  readonly keys: number;
  /** One column more at the end: the number of the newest change. Here too a single row with a null json stands for no rows. */
  readonly tracked?: boolean;
  /** Gives a row when the parent exists. */
  readonly parent?: Statement;
  /** May look at many rows: belongs on a reader thread. */
  readonly scans: boolean;
}

export interface ChainScript {
  readonly kind: 'chain';
  readonly parts: readonly ReadScript[];
}

/**
 * What has changed. Columns: number of the newest and of the oldest change that is noted, number of changed rows (null where it is not
 * asked for), then of a row its identity, JSON text, address, and whether it is gone. A single row without an identity stands for none.
 */
export interface DeltaScript {
  readonly kind: 'delta';
  readonly statement: Statement;
}

export interface EmptyScript {
  readonly kind: 'empty';
}

export type Script = ReadScript | ChainScript | DeltaScript | EmptyScript;
