// This file shows an expression as text with all its parentheses, so that tests can compare trees as readable strings, and
// strips positions from trees, so that trees of different texts can be compared.

import { printExpression } from '../../src/request/print/expression.ts';
import type { Expression } from '../../src/request/tree.ts';

/** ((Name eq 'x') and (Size gt 3)) */
export function show(expression: Expression): string {
  switch (expression.kind) {
    case 'binary':
      return `(${show(expression.left)} ${expression.operator} ${show(expression.right)})`;
    case 'not':
    case 'negate':
      return `(${expression.kind} ${show(expression.operand)})`;
    case 'call':
      if (expression.arguments.kind !== 'positional') return printExpression(expression);
      return `${expression.name}(${expression.arguments.values.map(show).join(', ')})`;
    case 'case':
      return `case(${expression.branches.map((branch) => `${show(branch.condition)}: ${show(branch.value)}`).join(', ')})`;
    default:
      return printExpression(expression);
  }
}

/** The same tree without positions. */
export function withoutPositions(tree: unknown): unknown {
  if (tree instanceof Map) {
    return new Map([...tree].map(([name, value]) => [name, withoutPositions(value)]));
  }
  if (Array.isArray(tree)) return tree.map(withoutPositions);
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).filter(([name]) => name !== 'at' && name !== 'end');
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutPositions(value)]));
}
