// This file keeps the collections that paths inside aggregate and groupby lead through: `Sales/Amount sub Sales/Cost` speaks of the
// rows of one collection. OData Data Aggregation 4.0, "Aggregation Algorithm".
import { Fault } from '../base/fault.ts';
import type { Expression, RowExpression, Rows } from './bound.ts';
import { rowKey } from './navigate.ts';
import { type Frame, type Spread, whereOf } from './scope.ts';

/** The collection that a path inside aggregate or groupby leads through, the same for all paths that lead there. */
export function spreadRows(frame: Frame, spread: Spread, rows: Rows, at: number): Rows {
  const { origin, row } = rows;
  if (origin.kind !== 'navigated' || isInside(spread, origin.from)) {
    const feature = 'a path through several collections in aggregate or groupby';
    throw new Fault('not-built', { feature }, whereOf(frame, at));
  }
  const path = origin.path.map(({ name }) => name);
  const key = [rowKey(origin.from), ...path, origin.navigation.name, row.type.name].join('/');
  const known = spread.rows.get(key) ?? rows;
  spread.rows.set(key, known);
  return known;
}

/** The collection that the value's row comes from, where it comes from one. */
export function overOf(spread: Spread, value: Expression): Rows | undefined {
  const inner = value.kind === 'case' ? value.branches[0]?.then : value;
  if (inner?.kind !== 'property' && inner?.kind !== 'row' && inner?.kind !== 'dynamic') {
    return undefined;
  }
  let row = inner.row;
  while (row.kind === 'follow') row = row.from;
  const id = row.kind === 'variable' ? row.row.id : undefined;
  return [...spread.rows.values()].find((rows) => rows.row.id === id);
}

/** Whether the row is reached through one of the collections. */
function isInside(spread: Spread, row: RowExpression): boolean {
  if (row.kind === 'follow') return isInside(spread, row.from);
  if (row.kind === 'addressed') return false;
  return [...spread.rows.values()].some((rows) => rows.row.id === row.row.id);
}
