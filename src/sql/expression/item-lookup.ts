// This file compiles `any` over the items of a collection that has a key to a lookup in the index of the items:
//     ExternalReferences/any(r:r/System eq 'jira' and r/Id eq 'X-1')
//     t1."Uid" IN (SELECT "$owner" FROM "ServiceRequests|ExternalReferences|items" WHERE "System" = ? AND "Id" = ?)
// Without the index, the collections of all rows would be read.
import type { Expression, ExpressionOf, RowVariable } from '../../bind/bound.ts';
import { every, type Fragment, name, sql } from '../fragment.ts';
import { identityOf } from '../read/row-source.ts';
import { itemTable, OWNER_COLUMN } from '../schema/item-index.ts';
import { columnName, tableOf } from '../schema/layout.ts';
import type { Scope } from '../scope.ts';
import { isFound } from './lookup.ts';

/** Looks up the row with the item; undefined if the predicate is anything but a comparison of the whole key with values. */
export function itemLookup(
  scope: Scope,
  { collection, predicate }: ExpressionOf<'any' | 'all'>,
): Fragment | undefined {
  if (collection.kind !== 'elements' || collection.where.length > 0 || predicate === undefined)
    return undefined;
  const { of, row: item } = collection;
  if (of.kind !== 'property' || of.row.kind !== 'variable' || of.row.row.kind !== 'entity')
    return undefined;
  const { source } = of.row.row;
  if (source.kind === 'union') return undefined;
  const use = tableOf(scope.layout, source);
  const index = use.table.items?.find(({ column }) => column === columnName(use, of.path));
  if (index === undefined) return undefined;
  const compared = equalities(item, predicate);
  const isWhole = index.members.every((member) => compared.some(([name]) => name === member));
  if (!isWhole || compared.length > index.members.length) return undefined;
  const isSame = compared.map(
    ([member, value]) => sql`${name(member)} = ${scope.value(scope, value).sql}`,
  );
  const matches = sql`SELECT ${name(OWNER_COLUMN)} FROM ${itemTable(use.table, index)} WHERE ${every(isSame)}`;
  return isFound(scope, { column: identityOf(scope, of.row), matches });
}

/** The members of the item and the values that they must equal; other conditions count as members without a name. */
function equalities(
  item: RowVariable,
  predicate: Expression,
): readonly (readonly [string, Expression])[] {
  if (predicate.kind === 'and')
    return predicate.operands.flatMap((operand) => equalities(item, operand));
  if (predicate.kind !== 'compare' || predicate.operator !== 'eq') return [['', predicate]];
  const { left, right } = predicate;
  const isMember =
    left.kind === 'property' && left.row.kind === 'variable' && left.row.row.id === item.id;
  const isValue =
    right.kind === 'literal' && (right.parameter !== undefined || right.value !== null);
  if (!isMember || !isValue || left.path.length !== 1) return [['', predicate]];
  return [[left.path[0]?.name ?? '', right]];
}
