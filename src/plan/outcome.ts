// Results of running read plans: record texts written by the database, and the few values that response/ needs besides them.
import type { Value } from '../edm/value/read-result.ts';

export interface OutcomeRow {
  /** JSON text of a record or value, or the raw text for `/$value`. Null if the value is null, and in a row beyond the page. */
  readonly json: string | null;
  /** Values of the plan's order items; empty if the plan does not page. */
  readonly keys: readonly Value[];
}

export interface ReadOutcome {
  readonly kind: 'read';
  /** May hold one row beyond the page, which shows that more rows follow. */
  readonly rows: readonly OutcomeRow[];
  /** Number of all matching rows, if the plan counts. */
  readonly count?: bigint;
  /** Whether the row at the start of the path exists; set if the plan has a `parent` and no row was found. */
  readonly parentExists?: boolean;
  /** Number of the last change included in the rows; set on the first page of a tracked read. */
  readonly lastChange?: bigint;
  /** The addresses of all rows of the query, if the plan asks for them: `Persons(7)`. */
  readonly known?: readonly string[];
  /** The instant for which `now()`, elapsed and remaining time hold, if the rows depend on them. Milliseconds since 1970. */
  readonly at?: number;
}

export interface ChangedRow {
  readonly identity: bigint;
  /** JSON text of its record; null if the row no longer belongs to the query. */
  readonly json: string | null;
  /** Relative to the service root: `Persons(7)`. */
  readonly address: string | null;
  readonly isDeleted: boolean;
  /** Whether it was created in the span. */
  readonly isCreated: boolean;
  /** Number of the last change of the row, or of one that it depends on, and the time of that change. */
  readonly change: bigint;
  readonly at: string;
}

export interface DeltaOutcome {
  readonly kind: 'delta';
  /** May hold one row beyond the page, which shows that more rows follow. */
  readonly rows: readonly ChangedRow[];
  /** Number of all changed rows, if the plan counts. */
  readonly count?: bigint;
  /** Numbers of the oldest and newest logged changes; 1 and 0 if nothing has changed yet. */
  readonly oldest: bigint;
  readonly newest: bigint;
}

/** One result per part of the chain, in order. */
export interface ChainOutcome {
  readonly kind: 'chain';
  readonly parts: readonly ReadOutcome[];
}

/** The plan needs no database access. */
interface EmptyOutcome {
  readonly kind: 'empty';
}

export type Outcome = ReadOutcome | ChainOutcome | DeltaOutcome | EmptyOutcome;
