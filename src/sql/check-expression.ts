// This file compiles an expression of a model without a request, so that `docket model check` finds expressions that a database cannot
// evaluate.
import { unreachable } from '../base/fault.ts';
import type { Expression, Rows } from '../bind/bound.ts';
import type { Resolved } from '../bind/scope.ts';
import type { Dialect } from './dialect/dialect.ts';
import { makeScope } from './expression/expression.ts';
import { name, sql } from './fragment.ts';
import { keyOf, orderBy } from './read/order-by.ts';
import { finish } from './read/read.ts';
import { originOf, selectFrom } from './read/row-source.ts';
import { identityColumn } from './read/union-source.ts';
import type { Layout } from './schema/layout.ts';
import type { Scope } from './scope.ts';

/** Compiles what an expression is bound to. Throws: not-built. */
export function checkExpression(bound: Resolved, layout: Layout, dialect: Dialect): void {
  // Rows that the expression starts from, such as $it, are known when it runs.
  const scope = { ...makeScope(layout, dialect), unboundAlias: name('given') };
  switch (bound.kind) {
    case 'value':
      checkValue(scope, bound.value);
      return;
    case 'rows':
      checkRows(scope, bound.rows);
      return;
    case 'row':
      if (bound.row.kind === 'addressed') checkRows(scope, bound.row.rows);
      return;
    case 'derived':
    case 'elements':
    case 'made':
      return;
    default:
      unreachable(bound);
  }
}

function checkValue(scope: Scope, expression: Expression): void {
  finish(scope, sql`SELECT ${scope.value(scope, expression).sql}`);
}

function checkRows(scope: Scope, rows: Rows): void {
  const origin = originOf(scope, rows);
  const found = selectFrom(origin, identityColumn(origin.scope, rows.row));
  const keys = (rows.orderby ?? []).map((item) => keyOf(origin.scope, item));
  finish(scope, sql`${found}${orderBy(scope, keys)}`);
}
