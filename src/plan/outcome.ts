// This file defines what running a read gives back, whoever runs it: texts of records that the database wrote, and the few values
// that response/ needs besides. It is the mirror of the plans in plan.ts.
import type { Value } from '../edm/reading.ts';

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

export type Outcome = ReadOutcome | ChainOutcome | EmptyOutcome;
