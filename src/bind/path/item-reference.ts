// This file binds references to entities by an item of a collection, such as their id in another system, to conditions on the row, and
// finds the item in such conditions, since a write creates an entity that does not exist with it.
import type { Model } from '../../edm/model.ts';
import { type KeyedCollection, keyedCollectionOf } from '../../edm/reference-functions.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { Expression, Rows, RowVariable } from '../bound.ts';
import { comparison, joinConditions, propertyOf } from '../expression/constructors.ts';
import { BOOLEAN, itemType, typeOfReference } from '../expression/types.ts';
import type { ElementRow, EntityRow, Frame } from '../scope.ts';

/** The condition that the collection of the row has an item with the key: `ExternalReferences/any(r:r/System eq 'a' and r/Id eq 'b')`. */
export function hasItem(
  { model, session }: Frame,
  row: EntityRow,
  { property, members }: KeyedCollection,
  values: readonly Expression[],
): Expression {
  const type = typeOfReference(model, property);
  const item: ElementRow = { kind: 'element', id: session.rowId(), type: itemType(type) };
  const parts = members.flatMap((member, at) => {
    const value = values[at];
    const own = propertyOf(item, [member], typeOfReference(model, member));
    return value === undefined ? [] : [comparison('eq', own, value)];
  });
  const of = propertyOf(row, [property], type);
  return {
    kind: 'any',
    collection: { kind: 'elements', of, row: item, where: [] },
    predicate: joinConditions('and', parts),
    type: BOOLEAN,
  };
}

/** An item that identifies an entity: the members of its key. */
export interface ItemReference {
  readonly collection: KeyedCollection;
  readonly item: JsonObject;
}

/** The item by which the rows are addressed; undefined if they are addressed in another way, or limited by other conditions. */
export function itemReferenceOf(model: Model, { row, where }: Rows): ItemReference | undefined {
  const collection = keyedCollectionOf(model, row.type);
  const [condition, ...others] = where.filter(({ kind }) => kind !== 'instance');
  if (collection === undefined || condition?.kind !== 'any' || others.length > 0) return undefined;
  if (condition.collection.kind !== 'elements') return undefined;
  const { of, row: element } = condition.collection;
  if (of.kind !== 'property' || of.path.length !== 1 || of.path[0] !== collection.property)
    return undefined;
  const item = Object.fromEntries(equalities(condition.predicate, element));
  const isWhole = collection.members.every(({ name }) => Object.hasOwn(item, name));
  return isWhole ? { collection, item } : undefined;
}

/** The members that a predicate compares with texts. */
function equalities(
  predicate: Expression | undefined,
  element: RowVariable,
): readonly (readonly [string, string])[] {
  if (predicate?.kind === 'and')
    return predicate.operands.flatMap((operand) => equalities(operand, element));
  if (predicate?.kind !== 'compare' || predicate.operator !== 'eq') return [];
  const { left, right } = predicate;
  if (left.kind !== 'property' || left.row.kind !== 'variable' || right.kind !== 'literal')
    return [];
  const [member, ...others] = left.path;
  if (left.row.row.id !== element.id || member === undefined || others.length > 0) return [];
  const { value } = right;
  return typeof value === 'string' ? [[member.name, value]] : [];
}
