// This file parses the result of an operation in a model: an expression, which query options may follow as in a URL.
//     $root/Books/$filter(Stars ge @least)?$orderby=Stars desc,Title&$top=@count
import { Budget, CODE, Cursor, DEFAULT_TREE_LIMITS } from '../cursor.ts';
import { readExpression } from '../expression/expression.ts';
import type { ModelQuery } from '../tree.ts';
import { readList, readOrderItem } from './items.ts';
import { duplicateOption, readOptionName } from './option-names.ts';

/**
 * Parses the text. $top and $skip are expressions, so that they can be parameters.
 * Throws: request.syntax, request.unknown-option, request.misplaced-option, request.duplicate-option.
 * @param target what messages call the text
 */
export function parseModelQuery(text: string, target: string): ModelQuery {
  const cursor = new Cursor(text, target, new Budget(DEFAULT_TREE_LIMITS));
  let query: ModelQuery = { expression: readExpression(cursor) };
  if (cursor.take(CODE.question)) {
    do query = readOption(cursor, query);
    while (cursor.take(CODE.ampersand));
  }
  cursor.expectEnd(`the end of ${target}`);
  return query;
}

function readOption(cursor: Cursor, query: ModelQuery): ModelQuery {
  const { at } = cursor;
  const name = readOptionName(
    cursor,
    ['orderby', 'skip', 'top'],
    'in the expression of an operation',
  );
  if (query[name] !== undefined) throw duplicateOption(`$${name}`, at);
  if (name !== 'orderby') return { ...query, [name]: readExpression(cursor) };
  return { ...query, orderby: readList(cursor, readOrderItem) };
}
