// This file parses lists, and the items that $orderby and $compute share with $apply.

import { CODE, type Cursor, type Reader } from '../cursor.ts';
import { readExpression } from '../expression/expression.ts';
import type { ComputeItem, OrderItem } from '../tree.ts';

/** item *( COMMA item ) ; spaces around the comma are accepted */
export function readList<T>(cursor: Cursor, read: Reader<T>): readonly T[] {
  const items = [read(cursor)];
  while (cursor.takeSpaced(CODE.comma)) items.push(read(cursor));
  return items;
}

/** orderbyItem = commonExpr [ RWS ( "asc" / "desc" ) ] */
export function readOrderItem(cursor: Cursor): OrderItem {
  const at = cursor.at;
  const expression = readExpression(cursor);
  const descending = cursor.takeSpacedWord('desc');
  if (!descending) cursor.takeSpacedWord('asc');
  return { at, expression, descending };
}

/** computeItem = commonExpr RWS "as" RWS computedProperty */
export function readComputeItem(cursor: Cursor): ComputeItem {
  const at = cursor.at;
  const expression = readExpression(cursor);
  if (!cursor.takeSpacedWord('as')) {
    cursor.skipBlanks();
    cursor.fail('an operator, or "as" and a name');
  }
  if (!cursor.skipBlanks()) cursor.fail('a space after "as"');
  return { at, expression, alias: cursor.identifier('a name') };
}
