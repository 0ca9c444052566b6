// Estimates whether a read may scan many records, because no key, reference or index finds its rows. Such reads run on reader threads.
// A wrong estimate costs time but never changes the result.
import type { Expression, OrderItem, Rows } from '../../bind/bound.ts';
import type { RowSelection, Shape } from '../../plan/read-plan.ts';
import { columnName, type Layout, type TableUse } from '../schema/layout.ts';
import { useOf } from './union-source.ts';

/** The most rows that a page with expanded collections may have to be read on the main thread. */
const FEW_ROWS = 50;

/**
 * Whether the read may have to scan many rows.
 * @param counts whether all matching rows are counted, regardless of the page
 */
export function isScan(
  layout: Layout,
  selecting: RowSelection,
  shape: Shape | undefined,
  counts: boolean = selecting.count,
): boolean {
  const { rows, filter, order } = selecting;
  if (selecting.these !== undefined) return true;
  if (selecting.apply.length > 0 || isBroad(selecting, shape)) return true;
  const conditions = [...rows.where, ...partsOf(filter)];
  if (conditions.some((condition) => isLookup(layout, rows, condition, 'key'))) return false;
  if (rows.origin.kind !== 'source') return false;
  const isInOrder = isOrdered(layout, rows, order);
  if (conditions.length === 0) return !isInOrder;
  // An index lookup may match many rows: it helps a page, but neither a count nor a sort.
  const isServed = conditions.some((condition) => isLookup(layout, rows, condition, 'look-up'));
  return counts || !isServed || !isByIdentity(layout, rows, order);
}

function isByIdentity(layout: Layout, rows: Rows, [first]: readonly OrderItem[]): boolean {
  return first === undefined || isIdentity(layout, rows, first.expression);
}

/** Whether rows can be read in the order without sorting. */
export function isOrdered(layout: Layout, rows: Rows, [first]: readonly OrderItem[]): boolean {
  return first === undefined || isOwnIndexed(layout, rows, first.expression, 'order');
}

/** Whether the expression is the identity of the rows. */
export function isIdentity(layout: Layout, rows: Rows, expression: Expression): boolean {
  return isOwnIndexed(layout, rows, expression, 'identity');
}

/** Whether many rows have expanded collections. */
function isBroad({ page }: RowSelection, shape: Shape | undefined): boolean {
  const hasExpanded = shape?.members.some((member) => member.kind === 'many') ?? false;
  return hasExpanded && page !== undefined && page.limit > FEW_ROWS;
}

function partsOf(filter: Expression | undefined): readonly Expression[] {
  if (filter === undefined) return [];
  return filter.kind === 'and' ? filter.operands : [filter];
}

/** The purpose of an index: finding the row of a key, finding the rows of a value, or sorting. */
type Purpose = 'key' | 'look-up' | 'order' | 'identity';

/** Whether the condition compares with a constant and an index serves it. */
function isLookup(layout: Layout, rows: Rows, condition: Expression, purpose: Purpose): boolean {
  const isServed = (side: Expression) => isOwnIndexed(layout, rows, side, purpose);
  if (condition.kind === 'in') return isServed(condition.left);
  if (condition.kind !== 'compare' || condition.operator !== 'eq') return false;
  const { left, right } = condition;
  return (isConstant(right) && isServed(left)) || (isConstant(left) && isServed(right));
}

function isConstant({ kind }: Expression): boolean {
  return kind === 'literal' || kind === 'context';
}

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
    // `Caller/Uid eq 5` compares the reference. Other properties of the target need their own index.
    const isOwn = row.from.kind === 'variable' && row.from.row.id === rows.row.id;
    const target = useOf(layout, row.target.source);
    const isServed =
      isOwn && isLeading(use, columnName(use, [...row.path, row.navigation]), purpose);
    return isServed && isLeading(target, columnName(target, path), purpose);
  }
  if (row.kind !== 'variable' || row.row.id !== rows.row.id) return false;
  if (isLeading(use, columnName(use, path), purpose)) return true;
  // Value and Text of a coded property are compared by its column.
  return purpose === 'look-up' && isLeading(use, columnName(use, path.slice(0, -1)), purpose);
}

function isLeading({ table }: TableUse, column: string, purpose: Purpose): boolean {
  if (column === table.identity) return true;
  if (purpose === 'identity') return false;
  return table.indexes.some(
    ({ columns: [first, ...others], unique }) =>
      first === column && (purpose !== 'key' || (unique && others.length === 0)),
  );
}
