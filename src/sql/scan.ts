// This file estimates whether a read may look at many records: whether neither a key, nor a reference, nor an index leads to the rows.
// Such reads are left to reader threads. A wrong guess costs time, never a wrong answer.
import type { Expression, OrderItem, Rows } from '../bind/bound.ts';
import type { Selecting, Shape } from '../plan/plan.ts';
import type { Layout } from './layout.ts';
import { columnName } from './layout.ts';
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
  const [first] = selecting.order;
  return first !== undefined && !isIndexed(layout, selecting.rows, first);
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
  if (condition.kind === 'in') return isOwnIndexed(layout, rows, condition.left);
  if (condition.kind !== 'compare' || condition.operator !== 'eq') return false;
  const { left, right } = condition;
  return (
    (right.kind === 'literal' && isOwnIndexed(layout, rows, left)) ||
    (left.kind === 'literal' && isOwnIndexed(layout, rows, right))
  );
}

function isIndexed(layout: Layout, rows: Rows, { expression }: OrderItem): boolean {
  return isOwnIndexed(layout, rows, expression);
}

function isOwnIndexed(layout: Layout, rows: Rows, expression: Expression): boolean {
  const use = useOf(layout, rows.row.source);
  const leads = (column: string) =>
    column === use.table.identity || use.table.indexes.some((index) => index.columns[0] === column);
  if (expression.kind === 'property') {
    const { row, path } = expression;
    if (row.kind === 'follow')
      return isOwnFollow(rows, row) && leads(columnName(use, [row.navigation]));
    if (row.kind !== 'variable' || row.row.id !== rows.row.id) return false;
    // The Value of a code is the column of the code.
    const names = path.map((_, index) => columnName(use, path.slice(0, path.length - index)));
    return names.some((column) => use.columns.has(column) && leads(column));
  }
  return expression.kind === 'cast' && isOwnIndexed(layout, rows, expression.operand);
}

/** `Caller/Uid eq 5` is a comparison of the reference. */
function isOwnFollow(
  rows: Rows,
  row: { readonly from: unknown; readonly path: readonly unknown[] },
): boolean {
  const { from } = row;
  const isVariable = typeof from === 'object' && from !== null && 'row' in from;
  return isVariable && from.row === rows.row && row.path.length === 0;
}
