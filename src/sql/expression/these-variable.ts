// This file compiles $these: all rows of the transformation or the option around, as a sub-select of their own.
//     $filter=Weight gt $these/aggregate(Weight with average)      … > (SELECT avg(t2."Weight") FROM (SELECT t1.* FROM "Animals" t1) t2)
// OData Data Aggregation 4.0, "Expressions Evaluable on a Collection".
import { invariant } from '../../base/fault.ts';
import type { Expression, RowVariable } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, sql } from '../fragment.ts';
import { aliasOf, type Scope, type These } from '../scope.ts';

/** `(SELECT …) t2` and what must hold of each of its rows. */
export function theseRows(
  scope: Scope,
  row: RowVariable,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } {
  const these = scope.these?.get(row.id);
  invariant(these !== undefined, 'what $these means is known where it is used');
  return rowsAs(scope, row, these);
}

/** The rows under the alias of the variable. */
export function rowsAs(
  scope: Scope,
  row: RowVariable,
  { rows, groups }: These,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } {
  const alias = aliasOf(scope, row);
  const { same } = scope.dialect.values;
  const conditions = groups.map(({ column, around }) => same(sql`${alias}.${column}`, around));
  return { from: sql`(${rows}) ${alias}`, conditions };
}

/** A property that was computed of one row, of another row like it. */
export function compileMeant(
  scope: Scope,
  { definition, of }: Expression & { readonly kind: 'computed' },
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
