import type { EntityType } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Computed, DerivedColumn, NestedRows, RowVariable, Transformation } from '../bound.ts';
import type { Frame } from '../scope.ts';
import { derivedRow } from './derived-columns.ts';

/** The rows between two transformations. */
export interface Stage {
  readonly row: RowVariable;
  /** The entity type of the original rows. Aliases must not equal the names of its members. */
  readonly type: EntityType | undefined;
  /** Properties that compute added to entities; in derived rows they are columns. */
  readonly computed: readonly Computed[];
  /** Rows that nest and addnested added. */
  readonly nested?: readonly NestedRows[] | undefined;
}

/** The rows after a sequence of transformations. */
export interface AppliedRows extends Stage {
  readonly apply: readonly Transformation[];
}

export interface Step {
  readonly stage: Stage;
  readonly transformations: readonly Transformation[];
}

/** The syntax tree of one kind of transformation. */
export type Of<Kind extends Tree.Transformation['kind']> = Tree.Transformation & {
  readonly kind: Kind;
};

export type WithoutRows<One> = One extends unknown ? Omit<One, 'input' | 'output'> : never;

/** A step whose output rows have the same variable as its input. */
export function keepRows(stage: Stage, transformation: WithoutRows<Transformation>): Step {
  const { row } = stage;
  const placed = { ...transformation, input: row, output: row } as Transformation;
  return { stage, transformations: [placed] };
}

/** A step that produces new rows with the columns. */
export function deriveRows(
  frame: Frame,
  { row, type }: Stage,
  transformation: WithoutRows<Transformation>,
  columns: readonly DerivedColumn[],
): Step {
  const output = derivedRow(frame.session, columns);
  const placed = { ...transformation, input: row, output } as Transformation;
  return { stage: { row: output, type, computed: [] }, transformations: [placed] };
}

/** Names that aliases must not use. OData Data Aggregation 4.0, "Keyword as". */
export function declaredNames(frame: Frame, { type }: Stage): ReadonlySet<string> {
  return new Set(type === undefined ? [] : frame.model.members(type).keys());
}
