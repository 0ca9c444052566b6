import type { EntityType } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Collection, Expression, Rows, StoredCollection } from '../bound.ts';
import type { ElementRow, Frame, Resolved, ResolvedValue } from '../scope.ts';
import { faultAt, resolvedVariable, subjectOf } from '../scope.ts';
import { entityValue, instanceOf, propertyOf, variable } from './constructors.ts';
import { isCollection, itemType, typeName } from './types.ts';

/**
 * The resolved collection as the operand of the operator. An untyped value may be a list; other values have no items. Throws: bind.operand
 * for a single value or row.
 */
export function toCollection(
  frame: Frame,
  resolved: Resolved,
  tree: Tree.Expression,
  operator: string,
): Collection {
  const collection = collectionOf(frame, resolved);
  if (collection !== undefined) return collection;
  if (resolved.kind === 'value' && resolved.value.type.kind === 'untyped')
    return elementsOf(frame, resolved);
  throw faultAt(frame, tree.at, 'bind.operand', {
    operator,
    types: `a single ${resolvedTypeName(resolved)}`,
    hint: ' It requires a collection.',
  });
}

/** The resolved collection, or undefined for a single value or row. */
export function collectionOf(frame: Frame, resolved: Resolved): Collection | undefined {
  switch (resolved.kind) {
    case 'rows':
      return { kind: 'rows', rows: resolved.rows };
    case 'elements':
    case 'made':
      return resolved.collection;
    case 'value':
      return isCollection(resolved.value.type) ? elementsOf(frame, resolved) : undefined;
    default:
      return undefined;
  }
}

export function resolvedCollection(collection: Collection): Resolved {
  switch (collection.kind) {
    case 'rows':
      return { kind: 'rows', rows: collection.rows };
    case 'elements':
      return { kind: 'elements', collection };
    case 'made':
      return { kind: 'made', collection };
  }
}

/** The meaning of a lambda variable over the collection. */
export function itemOf(collection: Collection): Resolved {
  if (collection.kind !== 'rows') return resolvedVariable(collection.row);
  const { row, computed = [] } = collection.rows;
  const item = resolvedVariable(row);
  if (item.kind !== 'row' || computed.length === 0) return item;
  return { ...item, computed: new Map(computed.map((one) => [one.name, one])) };
}

export function itemValue(collection: StoredCollection): Expression {
  const { row } = collection.kind === 'rows' ? collection.rows : collection;
  return row.kind === 'entity'
    ? entityValue(variable(row), row.type)
    : propertyOf(row, [], row.type);
}

/** The items of the collection for which the condition is true. */
export function narrow(collection: Collection, condition: Expression): Collection {
  if (collection.kind === 'rows') {
    return { kind: 'rows', rows: narrowRows(collection.rows, condition) };
  }
  return { ...collection, where: [...collection.where, condition] };
}

export function narrowRows(rows: Rows, condition: Expression): Rows {
  return { ...rows, where: [...rows.where, condition] };
}

/** The rows that are instances of the type, which is derived from their type. */
export function castRows(rows: Rows, type: EntityType): Rows {
  if (type === rows.row.type) return rows;
  const narrower = narrowRows(rows, instanceOf(itemValue({ kind: 'rows', rows }), type));
  return { ...narrower, row: { ...rows.row, type } };
}

/** A frame in which paths start at an item of the collection. */
export function itemFrame(frame: Frame, collection: Collection): Frame {
  const subject = subjectOf(itemOf(collection));
  return { ...frame, current: subject, this: subject, pathCollections: undefined };
}

/** The type name for messages. */
export function resolvedTypeName(resolved: Resolved): string {
  switch (resolved.kind) {
    case 'row':
      return resolved.type.name;
    case 'derived':
      return 'a row produced by $apply';
    case 'value':
      return typeName(resolved.value.type);
    case 'rows':
      return `Collection(${resolved.rows.row.type.name})`;
    case 'made':
      return 'Collection(rows produced by $apply)';
    case 'elements':
      return `Collection(${typeName(resolved.collection.row.type)})`;
  }
}

function elementsOf(frame: Frame, { value, guards }: ResolvedValue): Collection {
  const row: ElementRow = {
    kind: 'element',
    id: frame.session.rowId(),
    type: itemType(value.type),
  };
  return { kind: 'elements', of: value, row, where: guards };
}
