// Compiles a page in the order of a property of a related row, starting from the index on that property instead of sorting all rows:
//     ServiceRequests?$orderby=Caller/Name     FROM "Persons" t9 CROSS JOIN "ServiceRequests" t1 WHERE t1."Caller" = t9."Uid"
//                                              ORDER BY t9."Name", t1."Uid" LIMIT 21
// Rows without a related row are a part of their own: their order value is null.
import type { LiteralExpression, RowExpression } from '../../bind/bound.ts';
import { isNull } from '../../bind/expression/literal.ts';
import type { RowSelection } from '../../plan/read-plan.ts';
import { type Fragment, sql } from '../fragment.ts';
import { columnName } from '../schema/layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { type Key, keyOf } from './order-by.ts';
import { isAfter } from './page-marks.ts';
import { identityOf, type Origin } from './row-source.ts';
import { isIdentity } from './scan-estimate.ts';
import { fromSource, identityColumn, useOf } from './union-source.ts';

/** Some of the rows, to be read in an order that an index serves. */
export interface RowPart extends Pick<Origin, 'from' | 'conditions'> {
  readonly keys: readonly Key[];
  /** The keys by which the rows of the part differ. */
  readonly order: readonly Key[];
}

type Follow = RowExpression & { readonly kind: 'follow' };

/** The rows of the page; undefined if the order is not that of an indexed property of a related row. */
export function partsByTarget(
  scope: Scope,
  { from, conditions, keys, scope: inside }: Origin & { readonly keys: readonly Key[] },
  selecting: RowSelection,
): readonly RowPart[] | undefined {
  const follow = targetOf(scope, selecting);
  const [item] = selecting.order;
  const [byTarget, byIdentity] = keys;
  if (follow === undefined || item === undefined) return undefined;
  if (byTarget === undefined || byIdentity === undefined) return undefined;
  const marks = selecting.page?.after ?? [];
  const reference = identityOf(inside, follow);
  const joined = bindRows(inside, follow.target);
  const target = fromSource(scope.layout, follow.target.source, aliasOf(joined, follow.target));
  const isTarget = sql`${reference} = ${identityColumn(joined, follow.target)}`;
  const order = [keyOf(joined, item), byIdentity];
  const related = { from: sql`${target} CROSS JOIN ${from}`, keys: order, order };
  const ranges = marks.length === 0 ? [[]] : isAfter(scope, order, marks).map((range) => [range]);
  const parts = ranges.map((range) => ({
    ...related,
    conditions: [...conditions, isTarget, ...range],
  }));
  const missing = afterMissing(scope, byTarget, byIdentity, marks);
  if (missing === undefined) return parts;
  const isMissing = [...conditions, sql`${reference} IS NULL`, ...missing];
  return [{ from, conditions: isMissing, keys, order: [byIdentity] }, ...parts];
}

/** The conditions for rows without a related row; undefined if they are on a previous page. */
function afterMissing(
  scope: Scope,
  { descending }: Key,
  byIdentity: Key,
  [first, second]: readonly LiteralExpression[],
): readonly Fragment[] | undefined {
  if (first === undefined || second === undefined) return [];
  if (isNull(first)) return isAfter(scope, [byIdentity], [second]);
  return descending ? [] : undefined;
}

/** The related row whose indexed property is the order, if all rows are read and ties are broken by identity. */
function targetOf(scope: Scope, selecting: RowSelection): Follow | undefined {
  const { rows, filter, order, page } = selecting;
  const [first, second, ...others] = order;
  const isAll = filter === undefined && rows.where.length === 0 && rows.origin.kind === 'source';
  const isStart = page !== undefined && page.skip === 0 && page.skipParameter === undefined;
  if (!isAll || !isStart || first?.expression.kind !== 'property') return undefined;
  if (second === undefined || others.length > 0) return undefined;
  const { row, path } = first.expression;
  if (!isIdentity(scope.layout, rows, second.expression) || !isDirect(scope, rows, row))
    return undefined;
  const use = useOf(scope.layout, row.target.source);
  const column = columnName(use, path);
  return use.table.indexes.some(({ columns }) => columns[0] === column) ? row : undefined;
}

/** Whether the row holds the identity of the related one, and all accounts see that. */
function isDirect(
  { layout }: Scope,
  { row: own }: RowSelection['rows'],
  row: RowExpression,
): row is Follow {
  if (row.kind !== 'follow' || row.visible !== undefined) return false;
  const isOwn = row.from.kind === 'variable' && row.from.row.id === own.id;
  if (!isOwn || row.target.source.kind === 'union' || own.source.kind === 'union') return false;
  const { path, navigation } = row;
  const { relation } = resolveNavigation(layout, { from: own.source, path, navigation });
  return relation.kind === 'reference';
}
