// This file finds the index that would help a read: on the columns that it compares for equality, followed by those of its order or by one
// that it limits to a range. Keys and full-text search have indexes of their own.
import type { Expression, Rows, Transformation } from '../../bind/bound.ts';
import type { Plan, RowSelection } from '../../plan/read-plan.ts';
import type { Index, Layout } from '../schema/layout.ts';
import { comparedColumn, fixedColumn, isLookup, ownColumn, partsOf } from './scan-estimate.ts';
import { useOf } from './union-source.ts';

export interface IndexCandidate {
  readonly table: string;
  /** Columns that are compared for equality; their order does not matter. */
  readonly equal: readonly string[];
  /** Columns of the order or the range. */
  readonly ordered: readonly string[];
}

/** The index that would help; undefined if none would. The installation may have it already. */
export function indexCandidate(layout: Layout, plan: Plan): IndexCandidate | undefined {
  if (plan.kind !== 'read') return undefined;
  const { select } = plan;
  const { rows } = select;
  if (rows.origin.kind !== 'source' || rows.row.source.kind === 'union') return undefined;
  const use = useOf(layout, rows.row.source);
  const conditions = conditionsOf(select);
  if (conditions.some((condition) => isLookup(layout, rows, condition, 'key'))) return undefined;
  const isColumn = (column: string | undefined): column is string =>
    column !== undefined && column !== use.table.identity && use.columns.has(column);
  const fixed = conditions.map((condition) => fixedColumn(layout, rows, condition));
  const listed = conditions.map((one) =>
    one.kind === 'in' ? comparedColumn(layout, rows, one.left) : undefined,
  );
  const equal = [...new Set([...fixed, ...listed].filter(isColumn))].toSorted();
  const order = listed.some(isColumn) ? [] : orderColumns(layout, select).filter(isColumn);
  const range = conditions.map((one) => rangeColumn(layout, rows, one)).filter(isColumn);
  const ordered = (order.length > 0 ? order : range.slice(0, 1)).filter(
    (column) => !equal.includes(column),
  );
  if (equal.length + ordered.length === 0) return undefined;
  return { table: use.table.name, equal, ordered };
}

/** The conditions on the rows themselves, before $apply transforms them. */
function conditionsOf({ rows, filter, apply }: RowSelection): readonly Expression[] {
  const first = apply.findIndex(({ kind }) => kind !== 'filter');
  const leading = apply.slice(0, first < 0 ? apply.length : first);
  return [
    ...rows.where,
    ...(apply.length === 0 ? partsOf(filter) : []),
    ...leading.flatMap((step) => (step.kind === 'filter' ? partsOf(step.predicate) : [])),
  ];
}

/** The columns of $orderby, or those of the first groups; none if others precede them, since the rows must be sorted then. */
function orderColumns(
  layout: Layout,
  { rows, order, apply }: RowSelection,
): readonly (string | undefined)[] {
  const [grouping] = apply.filter(({ kind }) => kind !== 'filter');
  if (grouping !== undefined) return groupColumns(layout, rows, grouping);
  const { identity } = useOf(layout, rows.row.source).table;
  const columns = order.map(({ expression }) => ownColumn(layout, rows, expression));
  const end = columns.indexOf(identity);
  const own = end < 0 ? columns : columns.slice(0, end);
  const isOneWay = order
    .slice(0, own.length)
    .every((item) => item.descending === order[0]?.descending);
  return own.includes(undefined) || !isOneWay ? [] : own;
}

function groupColumns(
  layout: Layout,
  rows: Rows,
  step: Transformation,
): readonly (string | undefined)[] {
  if (step.kind !== 'groupby' || step.sets.length !== 1) return [];
  const columns = step.groupings.map(({ expression }) => comparedColumn(layout, rows, expression));
  return columns.includes(undefined) ? [] : [...new Set(columns)];
}

function rangeColumn(layout: Layout, rows: Rows, condition: Expression): string | undefined {
  if (condition.kind !== 'compare' || !/^[gl][te]$/.test(condition.operator)) return undefined;
  return ownColumn(layout, rows, condition.left) ?? ownColumn(layout, rows, condition.right);
}

/** Whether one of the indexes helps as much. */
export function isCovered({ equal, ordered }: IndexCandidate, indexes: readonly Index[]): boolean {
  return indexes.some(({ columns }) => {
    const leading = columns.slice(0, equal.length);
    const following = columns.slice(equal.length, equal.length + ordered.length);
    return equal.every((column) => leading.includes(column)) && following.join() === ordered.join();
  });
}
