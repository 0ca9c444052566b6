// This file compiles an expression of a model without a request, so that `docket model check` finds expressions that a database cannot
// evaluate.
import { unreachable } from '../base/fault.ts';
import type { Expression, Rows } from '../bind/bound.ts';
import type { Resolved } from '../bind/scope.ts';
import type { Dialect } from './dialect/dialect.ts';
import { POSTGRES } from './dialect/postgres/postgres.ts';
import { SQLITE } from './dialect/sqlite.ts';
import { usesPositions } from './expression/clock-time.ts';
import { makeScope } from './expression/expression.ts';
import { name, sql } from './fragment.ts';
import { keyOf, orderBy } from './read/order-by.ts';
import { finish } from './read/read.ts';
import { originOf, selectFrom } from './read/row-source.ts';
import { identityColumn } from './read/union-source.ts';
import type { Layout } from './schema/layout.ts';
import type { Scope } from './scope.ts';

/** Compiles what an expression is bound to, for every database. Returns whether it depends on elapsed or remaining time. */
export function compiler(layout: Layout): (bound: Resolved) => boolean {
  return (bound) =>
    [SQLITE, POSTGRES].map((dialect) => checkExpression(bound, layout, dialect)).includes(true);
}

/**
 * Compiles what an expression is bound to. Returns whether it depends on elapsed or remaining time, which changes without a write.
 * Throws: not-built.
 */
export function checkExpression(bound: Resolved, layout: Layout, dialect: Dialect): boolean {
  // Rows that the expression starts from, such as $it, are known when it runs.
  const scope = { ...makeScope(layout, dialect), unboundAlias: name('given') };
  switch (bound.kind) {
    case 'value':
      return checkValue(scope, bound.value);
    case 'rows':
      return checkRows(scope, bound.rows);
    case 'row':
      return bound.row.kind === 'addressed' && checkRows(scope, bound.row.rows);
    case 'derived':
    case 'elements':
    case 'made':
      return false;
    default:
      return unreachable(bound);
  }
}

function checkValue(scope: Scope, expression: Expression): boolean {
  return usesPositions(finish(scope, sql`SELECT ${scope.value(scope, expression).sql}`));
}

function checkRows(scope: Scope, rows: Rows): boolean {
  const origin = originOf(scope, rows);
  const found = selectFrom(origin, identityColumn(origin.scope, rows.row));
  const keys = (rows.orderby ?? []).map((item) => keyOf(origin.scope, item));
  return usesPositions(finish(scope, sql`${found}${orderBy(scope, keys)}`));
}
