// This file turns conditions on a row that is followed to into a look-up of all such rows at once, instead of following from every row:
//     Caller/Name eq 'Ada'     t1."Caller" IN (SELECT t9."Uid" FROM "Persons" t9 WHERE t9."Name" = ?)
// It is done only for conditions that cannot be true where there is no such row.
import type { Expression, RowExpression } from '../../bind/bound.ts';
import type { Fragment } from '../fragment.ts';
import { leadsTo } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import type { Scope } from '../scope.ts';

type Follow = RowExpression & { readonly kind: 'follow' };

/** The condition as a look-up; undefined where it has to be tested row by row. */
export function hoist(
  scope: Scope,
  expression: Expression,
  test: (inside: Scope) => Fragment,
): Fragment | undefined {
  if (!isStrict(expression)) return undefined;
  const follow = followedBy(scope, expression);
  return follow === undefined ? undefined : lookUp(scope, follow, test);
}

/** Row by row outwards: the condition on the followed row becomes one on the row that it is followed from. */
function lookUp(
  scope: Scope,
  follow: Follow,
  test: (inside: Scope) => Fragment,
): Fragment | undefined {
  const { from } = follow;
  if (from.kind === 'variable') {
    return from.row.kind === 'entity' ? leadsTo(scope, follow, test) : undefined;
  }
  if (from.kind !== 'follow' || scope.bound.has(from.target.id)) return undefined;
  const isPossible = leadsTo(scope, follow, test) !== undefined;
  if (!isPossible) return undefined;
  return lookUp(scope, from, (inside) => leadsTo(inside, follow, test) ?? test(inside));
}

/** Comparisons and functions that are not true where one of their parts is null. */
function isStrict(expression: Expression): boolean {
  switch (expression.kind) {
    case 'compare': {
      const { left, right, operator } = expression;
      const isConstant = [left, right].some(
        (side) => side.kind === 'literal' && side.value !== null,
      );
      return operator !== 'ne' && isConstant;
    }
    case 'in':
      return expression.list.every((item) => item.kind === 'literal' && item.value !== null);
    case 'call':
      return true;
    default:
      return false;
  }
}

/** The one row that the expression speaks of, where it is followed to and no other row comes in. */
function followedBy(scope: Scope, expression: Expression): Follow | undefined {
  const rows: RowExpression[] = [];
  if (!collectRows(scope, expression, rows)) return undefined;
  const [first, ...others] = rows;
  const isOne = others.every((row) => row === first);
  if (first?.kind !== 'follow' || !isOne) return undefined;
  return scope.bound.has(first.target.id) ? undefined : first;
}

type Property = Expression & { readonly kind: 'property' };

/** `Caller/Uid`: the identity of the target is the reference to it, which the row before has. */
function isReference(
  scope: Scope,
  expression: Property,
): expression is Property & { readonly row: Follow } {
  const { row, path } = expression;
  if (row.kind !== 'follow' || row.visible !== undefined || path.length > 1) return false;
  return path[0]?.name === useOf(scope.layout, row.target.source).table.identity;
}

/** False where the expression has parts that can be true or known without the row. */
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
    case 'compare':
    case 'arithmetic':
      return all([expression.left, expression.right]);
    case 'negate':
    case 'cast':
      return all([expression.operand]);
    case 'in':
      return all([expression.left]);
    case 'call':
      return all(expression.arguments);
    default:
      return false;
  }
}
