// This file defines what stands between two transformations of $apply while they are bound, and the two ways to go on from there: rows
// that stay what they are, and rows that are derived from them. OData Data Aggregation 4.0, "Fundamentals of Input and Output Sets".
import { Fault } from '../../base/fault.ts';
import type { EntityType } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Computed, DerivedColumn, NestedRows, RowVariable, Transformation } from '../bound.ts';
import { type Frame, whereOf } from '../scope.ts';
import { derivedRow } from './derived-columns.ts';

/** The rows between two transformations. */
export interface Stage {
  readonly row: RowVariable;
  /** The type that the rows had at first, where they had one: aggregates are no properties that it declares. */
  readonly type: EntityType | undefined;
  /** Properties that compute has added to entities; those of derived rows are columns. */
  readonly computed: readonly Computed[];
  /** What nest and addnested have put into the rows. */
  readonly nested?: readonly NestedRows[];
}

/** What comes out of a chain of transformations. */
export interface AppliedRows extends Stage {
  readonly apply: readonly Transformation[];
}

export interface Step {
  readonly stage: Stage;
  readonly made: readonly Transformation[];
}

/** A transformation as it was written. */
export type Of<Kind extends Tree.Transformation['kind']> = Tree.Transformation & {
  readonly kind: Kind;
};

export type Unplaced<One> = One extends unknown ? Omit<One, 'input' | 'output'> : never;

/** A transformation that leaves the rows what they are. */
export function keeping(stage: Stage, transformation: Unplaced<Transformation>): Step {
  const { row } = stage;
  return { stage, made: [{ ...transformation, input: row, output: row } as Transformation] };
}

/** A transformation that makes rows with these columns. */
export function deriving(
  frame: Frame,
  { row, type }: Stage,
  transformation: Unplaced<Transformation>,
  columns: readonly DerivedColumn[],
): Step {
  const output = derivedRow(frame.session, columns);
  const made = { ...transformation, input: row, output } as Transformation;
  return { stage: { row: output, type, computed: [] }, made: [made] };
}

/** Names that no aggregate can be given. OData Data Aggregation 4.0, "Keyword as". */
export function declaredNames(frame: Frame, { type }: Stage): ReadonlySet<string> {
  return new Set(type === undefined ? [] : frame.session.scope.model.members(type).keys());
}

/** Fault: not-built. */
export function notBuilt(frame: Frame, feature: string, at: number): Fault {
  return new Fault('not-built', { feature }, whereOf(frame, at));
}
