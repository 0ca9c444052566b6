// This file binds the result of an operation in a model. Query options after its expression order and limit a collection of entities:
//     $root/Books?$orderby=Stars desc&$top=3      the rows of Books that are among the first three
import { parseModelQuery } from '../../request/options/model-query.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, OrderItem, RowLimit, Rows } from '../bound.ts';
import { bindOrder } from '../query/order-and-compute.ts';
import { type Frame, faultAt, type Resolved, resolvedVariable, subjectOf } from '../scope.ts';
import { resolvedTypeName } from './collection.ts';
import { bindOperand, promote } from './promotion.ts';
import { INT64, isInteger, typeName } from './types.ts';

/**
 * Binds the text. The frame has the parameters of the operation. Throws: the errors of parseModelQuery and of expressions, and
 * bind.operand if query options follow something other than entities, or a number is not an integer.
 */
export function bindResultOf(frame: Frame, text: string, operation: string): Resolved {
  const query = parseModelQuery(text, `the operation ${operation}`);
  const resolved = frame.session.resolve(frame, query.expression);
  const { orderby = [], skip, top, expression } = query;
  if (orderby.length === 0 && skip === undefined && top === undefined) return resolved;
  if (resolved.kind !== 'rows')
    throw operandFault(
      frame,
      expression,
      resolvedTypeName(resolved),
      ' Name a collection of entities.',
    );
  const { rows } = resolved;
  if (skip === undefined && top === undefined)
    return { ...resolved, rows: { ...rows, orderby: orderOf(frame, orderby, rows.row) } };
  return { ...resolved, rows: limitedRows(frame, query, rows) };
}

/** The rows that are among the first ones, as rows with a variable of their own. */
function limitedRows(frame: Frame, { orderby = [], skip, top }: Tree.ModelQuery, of: Rows): Rows {
  const row = { ...of.row, id: frame.session.rowId() };
  const limit: RowLimit = {
    orderby: orderOf(frame, orderby, of.row),
    skip: skip && numberOf(frame, skip),
    top: top && numberOf(frame, top),
  };
  const origin = { kind: 'these', of, limit } as const;
  return { row, origin, where: [], orderby: orderOf(frame, orderby, row) };
}

function orderOf(
  frame: Frame,
  items: readonly Tree.OrderItem[],
  row: Rows['row'],
): readonly OrderItem[] {
  return bindOrder({ ...frame, current: subjectOf(resolvedVariable(row)) }, items);
}

function numberOf(frame: Frame, tree: Tree.Expression): Expression {
  const { value } = bindOperand(frame, tree);
  const isNumber = value.type.kind === 'primitive' && isInteger(value.type);
  if (!isNumber) throw operandFault(frame, tree, typeName(value.type), ' Use an integer.');
  return promote(value, INT64);
}

function operandFault(frame: Frame, { at }: Tree.Expression, types: string, hint: string) {
  return faultAt(frame, at, 'bind.operand', { operator: '$orderby, $top and $skip', types, hint });
}
