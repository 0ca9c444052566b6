// Tracks the collections on paths inside aggregate and groupby: both paths of `Sales/Amount sub Sales/Cost` use the same rows, and
// `Sales/Items/Price` uses a collection inside another.
// OData Data Aggregation 4.0, "Evaluation of Data Aggregation Paths", "Aggregation Algorithm".
import type { Fault } from '../../base/fault.ts';
import type {
  Collection,
  Expression,
  RowExpression,
  RowVariable,
  StoredCollection,
} from '../bound.ts';
import { variableIn } from '../expression/constructors.ts';
import { type Frame, faultAt, type PathCollections } from '../scope.ts';

/** Registers a collection; all paths through it get the same object. Throws: bind.operand for collections that cannot be joined. */
export function registerCollection(
  frame: Frame,
  pathCollections: PathCollections,
  collection: Collection,
  at: number,
): StoredCollection {
  if (collection.kind === 'made') throw unrelatedRows(frame, at);
  const key = keyOf(frame, collection, at);
  const known = pathCollections.collections.get(key) ?? collection;
  pathCollections.collections.set(key, known);
  return known;
}

/** The collections on the path to the value, outermost first; empty if the value belongs to the current row. */
export function collectionsOnPath(
  pathCollections: PathCollections,
  value: Expression,
): readonly StoredCollection[] {
  const row = rowOf(value);
  return row === undefined ? [] : collectionsToRow(pathCollections, row);
}

function collectionsToRow(
  pathCollections: PathCollections,
  row: RowExpression,
): readonly StoredCollection[] {
  const id = startVariableId(row);
  const found = [...pathCollections.collections.values()].find((one) => variableOf(one).id === id);
  if (found === undefined) return [];
  const owner = ownerOf(found);
  return owner === undefined ? [found] : [...collectionsToRow(pathCollections, owner), found];
}

/** The row or item that the collection belongs to. */
function ownerOf(collection: StoredCollection): RowExpression | undefined {
  if (collection.kind === 'elements') return rowOf(collection.of);
  const { origin } = collection.rows;
  return origin.kind === 'navigated' ? origin.from : undefined;
}

/** The row that the value is a property of; undefined for computed values. */
export function rowOf(value: Expression): RowExpression | undefined {
  switch (value.kind) {
    case 'property':
    case 'dynamic':
    case 'row':
      return value.row;
    case 'cast':
      return rowOf(value.operand);
    case 'case': {
      const [only, ...others] = value.branches;
      return only === undefined || others.length > 0 ? undefined : rowOf(only.then);
    }
    default:
      return undefined;
  }
}

/** The id of the row variable where the path to the row starts. */
function startVariableId(row: RowExpression): number | undefined {
  if (row.kind === 'follow') return startVariableId(row.from);
  return row.kind === 'variable' ? row.row.id : undefined;
}

/** The variable that ranges over the rows or items of the collection. */
export function variableOf(collection: Collection): RowVariable {
  return collection.kind === 'rows' ? collection.rows.row : collection.row;
}

/** Identifies a collection. A filtered collection equals no other, so its key is the id of its variable. */
function keyOf(frame: Frame, collection: StoredCollection, at: number): string {
  const own = `${variableOf(collection).id}`;
  if (collection.kind === 'elements') {
    const { of, where } = collection;
    if (of.kind !== 'property' || where.length > 0) return own;
    return [variableIn(of.row).id, ...of.path.map(({ name }) => name)].join('/');
  }
  const { origin, row, where } = collection.rows;
  if (origin.kind !== 'navigated') throw unrelatedRows(frame, at);
  if (where.length > 0) return own;
  const path = [...origin.path, origin.navigation].map(({ name }) => name);
  return [variableIn(origin.from).id, ...path, row.type.name].join('/');
}

function unrelatedRows(frame: Frame, at: number): Fault {
  return faultAt(frame, at, 'bind.operand', {
    operator: 'aggregate or groupby',
    types: 'a collection that no navigation path from the current row reaches',
    hint: '',
  });
}
