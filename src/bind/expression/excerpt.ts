// This file prints expressions for messages, truncated to about one line.
import { printArguments, printExpression, readable } from '../../request/print/expression.ts';
import type * as Tree from '../../request/tree.ts';

const MAX_LENGTH = 80;

/** `Caller/Name`, `'Open'`, `concat(A,B)`. */
export function show(tree: Tree.Expression): string {
  const text = readable(printExpression(tree));
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}

/** The key without parentheses: `5`, `Wing='A',Number=1`. */
export function showKey(key: Tree.Arguments): string {
  return readable(printArguments(key)).slice(1, -1).slice(0, MAX_LENGTH);
}
