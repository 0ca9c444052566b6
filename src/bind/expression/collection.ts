// This file makes collections of what a path has reached, and narrows them: what any, all, $count and in range over, the
// condition of a $filter step, and the frame in which names mean an item.
import { Fault } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import type { Collection, Expression, Rows, StoredCollection } from '../bound.ts';
import {
  type ElementRow,
  type Frame,
  placeOf,
  type Reached,
  type ReachedValue,
  reachVariable,
  subjectOf,
} from '../scope.ts';
import { isCollection, itemType, typeName } from './types.ts';

/** The collection that was reached, for the operator. Faults: bind.operand where it is a single value or row. */
export function toCollection(
  frame: Frame,
  reached: Reached,
  tree: Tree.Expression,
  operator: string,
): Collection {
  const collection = collectionOf(frame, reached);
  if (collection !== undefined) return collection;
  throw new Fault(
    'bind.operand',
    {
      operator,
      types: `a single ${reachedType(reached)}`,
      place: placeOf(frame, tree.at),
      hint: ' It needs a collection.',
    },
    { position: tree.at, target: frame.part.target },
  );
}

/** The collection that was reached, or undefined where it is none. */
export function collectionOf(frame: Frame, reached: Reached): Collection | undefined {
  switch (reached.kind) {
    case 'rows':
      return { kind: 'rows', rows: reached.rows };
    case 'elements':
    case 'made':
      return reached.collection;
    case 'value':
      return isCollection(reached.value.type) ? elementsOf(frame, reached) : undefined;
    default:
      return undefined;
  }
}

export function reachCollection(collection: Collection): Reached {
  switch (collection.kind) {
    case 'rows':
      return { kind: 'rows', rows: collection.rows };
    case 'elements':
      return { kind: 'elements', collection };
    case 'made':
      return { kind: 'made', collection };
  }
}

/** What a lambda variable over the collection stands for. */
export function itemOf(collection: Collection): Reached {
  if (collection.kind !== 'rows') return reachVariable(collection.row);
  const { row, computed = [] } = collection.rows;
  const item = reachVariable(row);
  if (item.kind !== 'row' || computed.length === 0) return item;
  return { ...item, computed: new Map(computed.map((one) => [one.name, one])) };
}

/** An item of the collection as a value. */
export function itemValue(collection: StoredCollection): Expression {
  const { row } = collection.kind === 'rows' ? collection.rows : collection;
  return row.kind === 'entity'
    ? {
        kind: 'row',
        row: { kind: 'variable', row },
        type: { kind: 'entity', type: row.type, collection: false },
      }
    : { kind: 'property', row: { kind: 'variable', row }, path: [], type: row.type };
}

/** The collection without the items for which the condition is not true. */
export function narrow(collection: Collection, condition: Expression): Collection {
  if (collection.kind === 'rows') {
    return { kind: 'rows', rows: narrowRows(collection.rows, condition) };
  }
  return { ...collection, where: [...collection.where, condition] };
}

export function narrowRows(rows: Rows, condition: Expression): Rows {
  return { ...rows, where: [...rows.where, condition] };
}

/** A frame in which names without a root mean members of the item. */
export function itemFrame(frame: Frame, collection: Collection): Frame {
  const subject = subjectOf(itemOf(collection));
  return { ...frame, current: subject, this: subject, spread: undefined };
}

/** What was reached, as messages name it. */
export function reachedType(reached: Reached): string {
  switch (reached.kind) {
    case 'row':
      return reached.type.name;
    case 'derived':
      return 'a row that $apply made';
    case 'value':
      return typeName(reached.value.type);
    case 'rows':
      return `Collection(${reached.rows.row.type.name})`;
    case 'made':
      return 'Collection(rows that $apply made)';
    case 'elements':
      return `Collection(${typeName(reached.collection.row.type)})`;
  }
}

function elementsOf(frame: Frame, { value, guards }: ReachedValue): Collection {
  const row: ElementRow = {
    kind: 'element',
    id: frame.session.rowId(),
    type: itemType(value.type),
  };
  return { kind: 'elements', of: value, row, where: guards };
}
