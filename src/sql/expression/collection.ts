// This file compiles operations on collections: any, all, $count, and `in` with a collection on its right side. Collections of rows
// become EXISTS and count over their tables. Items of collection-valued properties are read from their JSON.
//     Workorders/any(w:w/Uid gt 5)     EXISTS (SELECT 1 FROM "Workorders" t2 WHERE t2."ServiceRequest" = t1."Uid" AND t2."Uid" > ?)
// OData 4.01 URL Conventions, "Lambda Operators", "Count of a Collection".
import { invariant } from '../../base/fault.ts';
import type { Collection, Expression, ExpressionOf, ValueType } from '../../bind/bound.ts';
import { isCollection, itemType } from '../../bind/expression/types.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, integer, sql, where } from '../fragment.ts';
import { type Origin, originOf } from '../read/row-source.ts';
import { identityColumn } from '../read/union-source.ts';
import { INTEGER } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { fromJson, fromUntyped, toComparable } from './convert-storage.ts';
import { itemLookup } from './item-lookup.ts';
import { exists } from './lookup.ts';
import { isFoundBy, semiJoin } from './semi-join.ts';
import { theseRows } from './these-variable.ts';

/**
 * The rows or items of a collection, bound to its variable.
 * @param joinsPairs whether a many-to-many relation is a join with its pairs
 */
export function collectionOrigin(scope: Scope, collection: Collection, joinsPairs = false): Origin {
  if (collection.kind === 'rows') return originOf(scope, collection.rows, joinsPairs);
  const inside = bindRows(scope, collection.row);
  if (collection.kind === 'made') {
    const { from, conditions } = theseRows(inside, collection.row);
    const filters = collection.where.map((condition) => scope.condition(inside, condition));
    return { from, conditions: [...conditions, ...filters], scope: inside };
  }
  const from = scope.dialect.json.items(
    arrayOf(scope, collection.of),
    aliasOf(inside, collection.row),
  );
  const conditions = collection.where.map((condition) => scope.condition(inside, condition));
  return { from, conditions, scope: inside };
}

/** Whether the rows are related to one that is not stored yet, so that there are none. */
function isEmpty({ isNew, bound }: Scope, collection: Collection): boolean {
  if (isNew !== true || collection.kind !== 'rows') return false;
  const { origin } = collection.rows;
  if (origin.kind !== 'navigated' || origin.from.kind !== 'variable') return false;
  return !bound.has(origin.from.row.id);
}

/** The JSON array of a collection; null for an untyped value that is none, so that it has no items. */
function arrayOf(scope: Scope, collection: Expression): Fragment {
  const { sql: json } = scope.value(scope, collection);
  if (isCollection(collection.type)) return json;
  return sql`(CASE WHEN ${scope.dialect.json.kind(json)} = 'array' THEN ${json} END)`;
}

/** any and all; the result is never null. */
export function compileLambda(scope: Scope, expression: ExpressionOf<'any' | 'all'>): Fragment {
  const { kind, collection, predicate } = expression;
  const { literal } = scope.dialect;
  if (isEmpty(scope, collection)) return kind === 'any' ? literal.false : literal.true;
  if (kind === 'any' && collection.kind === 'rows' && predicate !== undefined) {
    const lookup = semiJoin(scope, collection.rows, predicate);
    if (lookup !== undefined) return isFoundBy(scope, collection.rows, lookup);
  }
  const found = kind === 'any' ? itemLookup(scope, expression) : undefined;
  if (found !== undefined) return found;
  const origin = collectionOrigin(scope, collection, true);
  if (kind === 'any') {
    const matches = predicate === undefined ? [] : [scope.condition(origin.scope, predicate)];
    return exists(scope, rowsOf(origin, matches));
  }
  const violations =
    predicate === undefined ? [] : [sql`(${scope.value(origin.scope, predicate).sql}) IS NOT TRUE`];
  return sql`(NOT ${exists(scope, rowsOf(origin, violations))})`;
}

export function compileCount(scope: Scope, collection: Collection): Compiled {
  if (isEmpty(scope, collection)) return { sql: integer(0), storage: INTEGER, nullable: false };
  const { from, conditions } = collectionOrigin(scope, collection);
  const counted = sql`(SELECT count(*) FROM ${from}${where(conditions)})`;
  return { sql: counted, storage: INTEGER, nullable: false };
}

/** `left in Collection`: whether an item equals the left side. Null equals a null item. */
export function compileInCollection(
  scope: Scope,
  expression: ExpressionOf<'in-collection'>,
): Fragment {
  const { collection } = expression;
  if (isEmpty(scope, collection)) return scope.dialect.literal.false;
  const origin = collectionOrigin(scope, collection, true);
  const left = scope.value(scope, expression.left);
  const item = itemOf(origin.scope, collection, expression.operandType);
  const [first, second] = toComparable(scope.dialect, left, item);
  const isSame = scope.dialect.values.same(first.sql, second.sql);
  return exists(scope, rowsOf(origin, [isSame]));
}

/** The value that `in` compares: the identity of a row, or the item. */
function itemOf(scope: Scope, collection: Collection, operandType: ValueType): Compiled {
  invariant(collection.kind !== 'made', 'rows made by $apply are not comparable');
  if (collection.kind === 'rows') {
    const identity = identityColumn(scope, collection.rows.row);
    return { sql: identity, storage: INTEGER, nullable: false };
  }
  const alias = aliasOf(scope, collection.row);
  const { json } = scope.dialect;
  const piece = { value: json.item(alias), json: json.itemJson(alias) };
  const { type } = collection.row;
  return type.kind === 'untyped' && operandType.kind === 'primitive'
    ? fromUntyped(scope.dialect, piece, operandType)
    : fromJson(scope.dialect, piece, itemType(type));
}

function rowsOf(origin: Origin, additional: readonly Fragment[]): Fragment {
  return sql`SELECT 1 FROM ${origin.from}${where([...origin.conditions, ...additional])}`;
}
