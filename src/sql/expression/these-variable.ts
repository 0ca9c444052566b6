// This file compiles $these, all rows of the enclosing transformation or query option, as a sub-select.
//     $filter=Weight gt $these/aggregate(Weight with average)      … > (SELECT avg(t2."Weight") FROM (SELECT t1.* FROM "Animals" t1) t2)
// OData Data Aggregation 4.0, "Expressions Evaluable on a Collection".
import { invariant } from '../../base/fault.ts';
import type { ExpressionOf, RowVariable } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, sql } from '../fragment.ts';
import { aliasOf, type Scope, type These } from '../scope.ts';

/** The rows of $these: `(SELECT …) t2`, with the conditions on them. */
export function theseRows(
  scope: Scope,
  row: RowVariable,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } {
  const these = scope.these?.get(row.id);
  invariant(these !== undefined, '$these is used outside its scope');
  return aliasedRows(scope, row, these);
}

/** Given rows under the alias of the variable, restricted to the group of the outer row. */
export function aliasedRows(
  scope: Scope,
  row: RowVariable,
  { rows, groups }: These,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } {
  const alias = aliasOf(scope, row);
  const { same } = scope.dialect.values;
  const conditions = groups.map(({ column, around }) => same(sql`${alias}.${column}`, around));
  return { from: sql`(${rows}) ${alias}`, conditions };
}

/** A computed property. With `of`, the definition for one row is evaluated for another row of the same type. */
export function compileComputed(
  scope: Scope,
  { definition, of }: ExpressionOf<'computed'>,
): Compiled {
  if (of === undefined) return scope.value(scope, definition);
  const { defined, meant } = of;
  const inside: Scope = {
    ...scope,
    bound: new Set([defined.id, meant.id]),
    meant: new Map([...(scope.meant ?? []), [defined.id, meant.id]]),
  };
  return scope.value(inside, definition);
}
