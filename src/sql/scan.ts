// This file estimates whether a read may look at many records: whether neither a key, nor a reference, nor an index leads to the rows.
// Such reads are left to reader threads. A wrong guess costs time, never a wrong answer.
import type { Expression, OrderItem, Rows } from '../bind/bound.ts';
import type { Selecting, Shape } from '../plan/plan.ts';
import { columnName, type Layout, type TableUse } from './layout.ts';
import { useOf } from './union.ts';

/** Rows that a page with expanded collections may have and still be read at once. */
const FEW_ROWS = 50;

export function isScan(layout: Layout, selecting: Selecting, shape: Shape | undefined): boolean {
  if (selecting.apply.length > 0) return true;
  if (isBroad(selecting, shape)) return true;
  const conditions = [...selecting.rows.where, ...partsOf(selecting.filter)];
  if (conditions.some((condition) => isLookup(layout, selecting.rows, condition))) return false;
  if (selecting.rows.origin.kind !== 'source') return false;
  if (conditions.length > 0) return true;
  return !isOrdered(layout, selecting.rows, selecting.order);
}

/** Whether rows can be read in the order without sorting them. */
export function isOrdered(layout: Layout, rows: Rows, order: readonly OrderItem[]): boolean {
  const [first] = order;
  return first === undefined || isOwnIndexed(layout, rows, first.expression, 'order');
}

/** Many rows with expanded collections each. */
function isBroad({ page }: Selecting, shape: Shape | undefined): boolean {
  const hasExpanded = shape?.members.some((member) => member.kind === 'many') ?? false;
  return hasExpanded && page !== undefined && page.limit > FEW_ROWS;
}

function partsOf(filter: Expression | undefined): readonly Expression[] {
  if (filter === undefined) return [];
  return filter.kind === 'and' ? filter.operands : [filter];
}

/** A comparison with a constant that an index answers. */
function isLookup(layout: Layout, rows: Rows, condition: Expression): boolean {
  const isServed = (side: Expression) => isOwnIndexed(layout, rows, side, 'look-up');
  if (condition.kind === 'in') return isServed(condition.left);
  if (condition.kind !== 'compare' || condition.operator !== 'eq') return false;
  const { left, right } = condition;
  return (
    (right.kind === 'literal' && isServed(left)) || (left.kind === 'literal' && isServed(right))
  );
}

type Purpose = 'look-up' | 'order';

function isOwnIndexed(
  layout: Layout,
  rows: Rows,
  expression: Expression,
  purpose: Purpose,
): boolean {
  if (expression.kind === 'cast' && purpose === 'look-up') {
    return isOwnIndexed(layout, rows, expression.operand, purpose);
  }
  if (expression.kind !== 'property') return false;
  const { row, path } = expression;
  const use = useOf(layout, rows.row.source);
  if (row.kind === 'follow' && purpose === 'look-up') {
    // `Caller/Uid eq 5` compares the reference; other properties of the target must have an index of their own there.
    const isOwn = row.from.kind === 'variable' && row.from.row.id === rows.row.id;
    const target = useOf(layout, row.target.source);
    const isServed = isOwn && isLeading(use, columnName(use, [...row.path, row.navigation]));
    return isServed && isLeading(target, columnName(target, path));
  }
  if (row.kind !== 'variable' || row.row.id !== rows.row.id) return false;
  if (isLeading(use, columnName(use, path))) return true;
  // Value and Text of a code are compared by the column of the code.
  return purpose === 'look-up' && isLeading(use, columnName(use, path.slice(0, -1)));
}

function isLeading({ table }: TableUse, column: string): boolean {
  if (column === table.identity) return true;
  return table.indexes.some((index) => index.columns[0] === column);
}
