// This file binds $apply. OData Data Aggregation 4.0.
import { Fault } from '../base/fault.ts';
import type * as Tree from '../request/tree.ts';
import type { Computed, Query, RowVariable } from './bound.ts';
import { type EntityRow, type Frame, whereOf } from './scope.ts';

/** What comes out of a chain of transformations. */
export interface AppliedRows {
  readonly row: RowVariable;
  readonly apply: Query['apply'];
  readonly computed: readonly Computed[];
}

/** Faults: not-built. */
export function bindApply(frame: Frame, _row: EntityRow, apply: Tree.Apply): AppliedRows {
  throw new Fault('not-built', { feature: '$apply' }, whereOf(frame, apply[0]?.at ?? 0));
}
