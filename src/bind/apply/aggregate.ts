// Binds the items of aggregate(…): methods over expressions, counts, and their aliases. If a path passes through collections, the
// rows or items at its end are aggregated. OData Data Aggregation 4.0, "Transformation aggregate".
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type * as Tree from '../../request/tree.ts';
import type { Aggregation, Collection, Expression, ValueType } from '../bound.ts';
import { collectionOf, itemFrame, itemValue } from '../expression/collection.ts';
import { show } from '../expression/excerpt.ts';
import { AGGREGATE_METHODS, type AggregateMethod } from '../expression/functions.ts';
import { valueAt } from '../expression/member.ts';
import { promote, requireSimple } from '../expression/promotion.ts';
import {
  DECIMAL,
  DOUBLE,
  INT64,
  isCollection,
  isDuration,
  isFloating,
  isInteger,
  isNumeric,
  isOrdered,
  primitive,
  typeName,
} from '../expression/types.ts';
import { type Frame, faultAt, notBuilt, type PathCollections } from '../scope.ts';
import { collectionsOnPath, registerCollection } from './collection-paths.ts';
import { annotationValue } from './hierarchy-annotations.ts';

/** The type of $count and countdistinct: decimals without a fraction. */
const COUNT = primitive('Edm.Decimal', { scale: 0 });

/**
 * Binds all items; aliases must not be in `taken`.
 * Throws: bind.name-taken, bind.operand, bind.option-on if an alias is missing, not-built, and the errors of expressions.
 */
export function bindAggregations(
  frame: Frame,
  items: readonly Tree.AggregateItem[],
  taken: ReadonlySet<string>,
): readonly Aggregation[] {
  const names = new Set(taken);
  return items.map((item) => {
    const bound = bindItem(frame, item);
    if (names.has(bound.alias)) {
      throw faultAt(frame, item.at, 'bind.name-taken', { name: bound.alias });
    }
    names.add(bound.alias);
    return bound;
  });
}

/** Binds an aggregate function on a collection as an expression. OData Data Aggregation 4.0, "Function aggregate". */
export function bindAggregate(
  frame: Frame,
  collection: Collection,
  item: Tree.AggregateItem,
): Expression {
  const aggregation = bindItem(itemFrame(frame, collection), { ...item, alias: 'value' });
  return { kind: 'aggregate', collection, aggregation, type: aggregation.type };
}

function bindItem(frame: Frame, item: Tree.AggregateItem): Aggregation {
  switch (item.kind) {
    case 'method':
      return bindMethod(frame, item);
    case 'count':
      return bindCount(frame, item);
    case 'custom':
      throw customAggregateError(frame, item);
  }
}

function bindMethod(
  frame: Frame,
  item: Tree.AggregateItem & { readonly kind: 'method' },
): Aggregation {
  const method = methodNamed(frame, item.method, item.at);
  const { value, over } = bindValue(frame, item.operand);
  const operand = { tree: item.operand, value };
  if (method !== 'countdistinct') requireSimple(frame, operand);
  const result = resultType(method, value.type);
  if (result === undefined) {
    throw faultAt(frame, item.at, 'bind.operand', {
      operator: method,
      types: `${show(item.operand)} of type ${typeName(value.type)}`,
      hint: '',
    });
  }
  return {
    alias: aliasOf(frame, item),
    method,
    expression: value.type.kind === 'untyped' ? promote(value, result) : value,
    ...over,
    type: result,
    from: bindFrom(frame, item.from),
  };
}

function bindCount(
  frame: Frame,
  item: Tree.AggregateItem & { readonly kind: 'count' },
): Aggregation {
  const counted = { alias: aliasOf(frame, item), method: 'count', type: COUNT } as const;
  const from = bindFrom(frame, item.from);
  if (item.path === undefined) return { ...counted, from };
  const pathCollections: PathCollections = { collections: new Map() };
  const resolved = frame.session.resolve({ ...frame, pathCollections }, item.path);
  if (resolved.kind === 'row') {
    // An entity that several rows refer to counts once.
    const value = valueAt(frame, resolved, item.path);
    const over = overOf(frame, pathCollections, item.path, value);
    return { ...counted, method: 'countdistinct', expression: value, ...over, from };
  }
  const collection = collectionOf(frame, resolved);
  if (collection !== undefined) {
    if (collection.kind === 'elements' && pathCollections.collections.size === 0) {
      return { ...counted, expression: { kind: 'count', collection, type: INT64 }, from };
    }
    const own = registerCollection(frame, pathCollections, collection, item.at);
    return { ...counted, ...overOf(frame, pathCollections, item.path, itemValue(own)), from };
  }
  throw faultAt(frame, item.at, 'bind.operand', {
    operator: '$count',
    types: show(item.path),
    hint: ' Use $count for rows, entities or collection items. Count single values using "with countdistinct".',
  });
}

interface AggregatedValue {
  readonly value: Expression;
  /** The collections through which the path reaches the value. */
  readonly over: Pick<Aggregation, 'over'>;
}

/** Binds the operand of a method, following its path through collections. */
function bindValue(frame: Frame, tree: Tree.Expression): AggregatedValue {
  const pathCollections: PathCollections = { collections: new Map() };
  const inside = { ...frame, pathCollections };
  const resolved = frame.session.resolve(inside, tree);
  const collection = collectionOf(frame, resolved);
  const value =
    collection === undefined
      ? valueAt(frame, resolved, tree)
      : itemValue(registerCollection(inside, pathCollections, collection, tree.at));
  return { value, over: overOf(frame, pathCollections, tree, value) };
}

/**
 * The collections on the path to the value. Other expressions may use only one collection, because the standard does not define how
 * to pair the rows of several.
 */
function overOf(
  frame: Frame,
  pathCollections: PathCollections,
  tree: Tree.Expression,
  value: Expression,
): Pick<Aggregation, 'over'> {
  const all = [...pathCollections.collections.values()];
  if (all.length === 0) return {};
  const chain = collectionsOnPath(pathCollections, value);
  if (chain.length === all.length) return { over: chain };
  if (all.length === 1) return { over: all };
  throw faultAt(frame, tree.at, 'bind.operand', {
    operator: 'aggregate',
    types: `${show(tree)}, which combines values of several collections`,
    hint: ' Aggregate each collection separately, or compute the value inside the collection.',
  });
}

/** The result type of the method for operands of the type; undefined if the method does not support them. */
function resultType(method: AggregateMethod, type: ValueType): ValueType | undefined {
  if (method === 'countdistinct') return isCollection(type) ? undefined : COUNT;
  if (type.kind === 'untyped' && !type.collection) return DECIMAL;
  if (method === 'min' || method === 'max') return isOrdered(type) ? type : undefined;
  if (isDuration(type)) return type;
  if (!isNumeric(type)) return undefined;
  if (isFloating(type)) return DOUBLE;
  return isInteger(type) && method === 'sum' ? INT64 : DECIMAL;
}

function methodNamed(frame: Frame, name: string, at: number): AggregateMethod {
  const method = AGGREGATE_METHODS.find((known) => known === name);
  if (method !== undefined) return method;
  throw faultAt(frame, at, 'bind.unknown-function', {
    name,
    thing: 'aggregate',
    hint: didYouMean(name, AGGREGATE_METHODS),
  });
}

function aliasOf(frame: Frame, item: Tree.AggregateItem): string {
  if (item.alias !== undefined) return item.alias;
  throw faultAt(frame, item.at, 'bind.option-on', {
    name: 'aggregate',
    what: 'missing an alias for its result',
    instead: 'add "as" and a name',
  });
}

function bindFrom(frame: Frame, items: readonly Tree.AggregateFrom[]): Aggregation['from'] {
  return items.map(({ properties, method: name, at }) => {
    const method = methodNamed(frame, name ?? '', at);
    const groupings = properties.map((property) => frame.session.bind(frame, property));
    return { groupings, method };
  });
}

/** A name without a method is either a custom aggregate of the model, which is not supported, or lacks its method. */
function customAggregateError(
  frame: Frame,
  item: Tree.AggregateItem & { readonly kind: 'custom' },
): Fault {
  const name = show(item.path);
  const row = frame.current?.resolved;
  const type = row?.kind === 'row' ? row.type : undefined;
  const isCustom =
    type !== undefined && annotationValue(frame.model, type, 'CustomAggregate', name) !== undefined;
  if (isCustom) {
    return notBuilt(frame, `custom aggregate ${name}`, item.at);
  }
  const value = frame.session.bind(
    { ...frame, pathCollections: { collections: new Map() } },
    item.path,
  );
  const method = resultType('sum', value.type) === undefined ? 'countdistinct' : 'sum';
  return faultAt(frame, item.at, 'bind.option-on', {
    name,
    what: 'not a custom aggregate',
    instead: `add an aggregation method, for example ${name} with ${method} as Total`,
  });
}
