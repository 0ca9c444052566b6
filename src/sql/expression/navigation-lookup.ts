// This file turns a condition on a navigation target into one lookup of all matching targets, instead of one lookup per row:
//     Caller/Name eq 'Ada'     t1."Caller" IN (SELECT t9."Uid" FROM "Persons" t9 WHERE t9."Name" = ?)
// Only conditions that cannot be true without a target qualify.

import type { Expression, ExpressionOf, RowExpression } from '../../bind/bound.ts';
import { isNull } from '../../bind/expression/literal.ts';
import type { Fragment } from '../fragment.ts';
import { targetMatches } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import type { Scope } from '../scope.ts';
import { isFound, type Lookup } from './lookup.ts';

type Follow = RowExpression & { readonly kind: 'follow' };

/** The condition as a lookup; undefined if it has to be tested row by row. */
export function navigationLookup(
  scope: Scope,
  expression: Expression,
  test: (inside: Scope) => Fragment,
): Lookup | undefined {
  const operands = requiredOperands(expression);
  const follow = operands && onlyTarget(scope, operands);
  return follow === undefined ? undefined : lookUp(scope, follow, test);
}

/** Turns a condition on the target into one on the row that the navigation starts from, for each step of the path. */
function lookUp(
  scope: Scope,
  follow: Follow,
  test: (inside: Scope) => Fragment,
): Lookup | undefined {
  const { from } = follow;
  if (from.kind === 'variable') {
    return from.row.kind === 'entity' ? targetMatches(scope, follow, test) : undefined;
  }
  if (from.kind !== 'follow' || scope.bound.has(from.target.id)) return undefined;
  const isPossible = targetMatches(scope, follow, test) !== undefined;
  if (!isPossible) return undefined;
  return lookUp(scope, from, (inside) => {
    const lookup = targetMatches(inside, follow, test);
    return lookup === undefined ? test(inside) : isFound(inside, lookup);
  });
}

/** The operands of an expression that is never true if one of them is null; undefined for other expressions. */
function requiredOperands(expression: Expression): readonly Expression[] | undefined {
  switch (expression.kind) {
    case 'compare': {
      const { left, right, operator } = expression;
      const isConstant = [left, right].some((side) => side.kind === 'literal' && !isNull(side));
      return operator !== 'ne' && isConstant ? [left, right] : undefined;
    }
    case 'in': {
      const { left, list } = expression;
      const isConstant = list.every((item) => item.kind === 'literal' && !isNull(item));
      return isConstant ? [left] : undefined;
    }
    case 'call':
      return expression.arguments;
    default:
      return undefined;
  }
}

/** The only row that the operands refer to, if it is a navigation target that is not bound yet. */
function onlyTarget(scope: Scope, operands: readonly Expression[]): Follow | undefined {
  const rows: RowExpression[] = [];
  if (!operands.every((operand) => collectRows(scope, operand, rows))) return undefined;
  const [first, ...others] = rows;
  const isOne = others.every((row) => row === first);
  if (first?.kind !== 'follow' || !isOne) return undefined;
  return scope.bound.has(first.target.id) ? undefined : first;
}

type Property = ExpressionOf<'property'>;

/** `Caller/Uid`: the key of the target is also the foreign key in the row that refers to it. */
export function isReference(
  scope: Scope,
  expression: Property,
): expression is Property & { readonly row: Follow } {
  const { row, path } = expression;
  if (row.kind !== 'follow' || row.visible !== undefined || path.length > 1) return false;
  return path[0]?.name === useOf(scope.layout, row.target.source).table.identity;
}

/**
 * Collects the rows that the value refers to. Returns false if the value may not be null without a row: comparisons, `in` and other
 * conditions are false then.
 */
function collectRows(scope: Scope, expression: Expression, rows: RowExpression[]): boolean {
  const all = (parts: readonly Expression[]) =>
    parts.every((part) => collectRows(scope, part, rows));
  switch (expression.kind) {
    case 'literal':
    case 'context':
      return true;
    case 'property':
      rows.push(isReference(scope, expression) ? expression.row.from : expression.row);
      return true;
    case 'dynamic':
      rows.push(expression.row);
      return true;
    case 'arithmetic':
      return all([expression.left, expression.right]);
    case 'negate':
    case 'cast':
      return all([expression.operand]);
    case 'call':
      return all(expression.arguments);
    default:
      return false;
  }
}
