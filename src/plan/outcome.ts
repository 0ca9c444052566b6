// This file defines what running a read gives back, whoever runs it: texts of records that the database wrote, and the few values
// that response/ needs besides. It is the mirror of the plans in read-plan.ts.
import type { Value } from '../edm/value/read-result.ts';

/** One row of an answer. */
export interface OutcomeRow {
  /** Text of one record or value, or the raw text of `/$value`; null where the value is null. */
  readonly json: string | null;
  /** Values of the plan's order items; empty where the plan does not page. */
  readonly keys: readonly Value[];
}

export interface ReadOutcome {
  readonly kind: 'read';
  /** At most one row more than the page holds: it only says that there are more. */
  readonly rows: readonly OutcomeRow[];
  /** Number of all matching rows, where the plan counts. */
  readonly count?: bigint;
  /** Whether the row that the path starts from is there, where the plan asked and no row was found. */
  readonly parentExists?: boolean;
  /** Number of the last change that the rows show, where the plan tracks changes and this is its first page. */
  readonly lastChange?: bigint;
}

/** A row that has changed. */
export interface ChangedRow {
  readonly identity: bigint;
  /** Text of its record; null where it does not belong to the query any more. */
  readonly json: string | null;
  /** Relative to the service root: `Persons(7)`. */
  readonly address: string | null;
  readonly isDeleted: boolean;
}

export interface DeltaOutcome {
  readonly kind: 'delta';
  /** At most one row more than the page holds: it only says that there are more. */
  readonly rows: readonly ChangedRow[];
  /** Number of all changed rows, where the plan counts. */
  readonly count?: bigint;
  /** Numbers of the oldest and the newest change that are still noted; 1 and 0 where nothing ever changed. */
  readonly oldest: bigint;
  readonly newest: bigint;
}

/** One read for each part of a chain, in order. */
export interface ChainOutcome {
  readonly kind: 'chain';
  readonly parts: readonly ReadOutcome[];
}

/** Nothing had to be asked. */
export interface EmptyOutcome {
  readonly kind: 'empty';
}

export type Outcome = ReadOutcome | ChainOutcome | DeltaOutcome | EmptyOutcome;
