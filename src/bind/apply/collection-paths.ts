// This file keeps the collections that paths inside aggregate and groupby lead through: `Sales/Amount sub Sales/Cost` speaks of the
// rows of one collection, `Sales/Items/Price` of those of one inside another. OData Data Aggregation 4.0, "Evaluation of Data
// Aggregation Paths", "Aggregation Algorithm".
import { Fault } from '../../base/fault.ts';
import type {
  Collection,
  Expression,
  RowExpression,
  RowVariable,
  StoredCollection,
} from '../bound.ts';
import { rowKey } from '../path/navigation.ts';
import { type Frame, placeOf, type Spread, whereOf } from '../scope.ts';

/** The collection that a path inside aggregate or groupby leads through, the same for all paths that lead there. */
export function spreadOut(
  frame: Frame,
  spread: Spread,
  collection: Collection,
  at: number,
): StoredCollection {
  if (collection.kind === 'made') throw notOfTheRow(frame, at);
  const key = keyOf(frame, collection, at);
  const known = spread.collections.get(key) ?? collection;
  spread.collections.set(key, known);
  return known;
}

/** The collections that the value comes from, each from a row or an item of the one before; none where it is one of the row itself. */
export function chainTo(spread: Spread, value: Expression): readonly StoredCollection[] {
  const row = rowOf(value);
  return row === undefined ? [] : chainToRow(spread, row);
}

function chainToRow(spread: Spread, row: RowExpression): readonly StoredCollection[] {
  const id = rootOf(row);
  const found = [...spread.collections.values()].find((one) => variableOf(one).id === id);
  if (found === undefined) return [];
  const before = rowBefore(found);
  return before === undefined ? [found] : [...chainToRow(spread, before), found];
}

/** The row or the item that the collection belongs to. */
function rowBefore(collection: StoredCollection): RowExpression | undefined {
  if (collection.kind === 'elements') return rowOf(collection.of);
  const { origin } = collection.rows;
  return origin.kind === 'navigated' ? origin.from : undefined;
}

/** The row that a value is of, where it is a value of one row and nothing made of several. */
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

/** The number of the variable that a row is followed from. */
function rootOf(row: RowExpression): number | undefined {
  if (row.kind === 'follow') return rootOf(row.from);
  return row.kind === 'variable' ? row.row.id : undefined;
}

/** The variable that stands for the rows or the items of the collection. */
export function variableOf(collection: Collection): RowVariable {
  return collection.kind === 'rows' ? collection.rows.row : collection.row;
}

/** What tells the collection from others; one of which not all items are meant is like no other. */
function keyOf(frame: Frame, collection: StoredCollection, at: number): string {
  const own = `${variableOf(collection).id}`;
  if (collection.kind === 'elements') {
    const { of, where } = collection;
    if (of.kind !== 'property' || where.length > 0) return own;
    return [rowKey(of.row), ...of.path.map(({ name }) => name)].join('/');
  }
  const { origin, row, where } = collection.rows;
  if (origin.kind !== 'navigated') throw notOfTheRow(frame, at);
  if (where.length > 0) return own;
  const path = [...origin.path, origin.navigation].map(({ name }) => name);
  return [rowKey(origin.from), ...path, row.type.name].join('/');
}

function notOfTheRow(frame: Frame, at: number): Fault {
  return new Fault(
    'bind.operand',
    {
      operator: 'aggregate or groupby',
      types: 'rows that no path from the row leads to',
      place: placeOf(frame, at),
      hint: '',
    },
    whereOf(frame, at),
  );
}
