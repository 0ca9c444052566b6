// Applies the read rights of the principal to a bound read, wherever it refers to rows or members. No other module rewrites the
// bound tree, and plans are built only from the result. It is long because every kind of node that can hold a row, an expression
// or a transformation is handled here; a new kind does not compile until it is handled too.

import { Fault, unreachable } from '../../base/fault.ts';
import type {
  Aggregation,
  BoundRead,
  BoundReadRequest,
  Collection,
  Computed,
  ElementQuery,
  Expansion,
  Expression,
  Grouping,
  NestedRows,
  NodeTree,
  OrderItem,
  Query,
  RowExpression,
  RowOrigin,
  Rows,
  RowVariable,
  Search,
  SelectedItem,
  Selection,
  StoredCollection,
  Transformation,
  Wanted,
} from '../../bind/bound.ts';
import { entityIn, joinConditions, variable } from '../../bind/expression/constructors.ts';
import { BOOLEAN, STRING } from '../../bind/expression/types.ts';
import { searchIn } from '../../bind/query/search.ts';
import { disclosureOf } from '../../edm/disclosure.ts';
import type { EntityType, Member, Navigation, Property } from '../../edm/model.ts';
import {
  type Guard,
  mask,
  maySeeAny,
  ownersAmongDerived,
  readableMember,
  restrictedMembers,
  unreadableMember,
  visibleEntries,
  visibleRows,
} from './row-conditions.ts';

/**
 * Restricts a bound read: invisible rows are filtered out, and unreadable members become null in the rows concerned.
 * Throws: access.read, access.member if a type or member can be read in no row.
 */
export function secure(guard: Guard, bound: BoundReadRequest): BoundReadRequest {
  if (guard.rights.everything) return bound;
  switch (bound.kind) {
    case 'read':
      return secureRead(guard, bound);
    case 'all':
      return {
        ...bound,
        reads: bound.reads
          .filter(({ rows }) => maySeeAny(guard, rows.row))
          .map((read) => secureRead(guard, read)),
      };
    case 'crossjoin':
      return {
        ...bound,
        sources: bound.sources.map(({ name, rows }) => ({ name, rows: secureRows(guard, rows) })),
        where: bound.where.map((condition) => secureExpression(guard, condition)),
        query: secureQuery(guard, bound.query),
      };
    case 'evaluate':
      return { ...bound, value: secureExpression(guard, bound.value) };
    case 'document':
      return bound;
    default:
      return unreachable(bound);
  }
}

/** Restricts a read, its query and the row that it starts from. Throws: access.read, access.member. */
export function secureRead(guard: Guard, read: BoundRead): BoundRead {
  if (guard.rights.everything) return read;
  return {
    ...read,
    rows: secureRows(guard, read.rows),
    wanted: secureWanted(guard, read.rows.row.type, read.wanted),
    query: secureQuery(guard, read.query),
    parent: read.parent && secureRows(guard, read.parent),
  };
}

/** Restricts rows to visible ones, reached through visible rows. Throws: access.read, access.member. */
export function secureRows(guard: Guard, rows: Rows): Rows {
  if (guard.rights.everything) return rows;
  const conditions = rows.where.map((condition) => secureExpression(guard, condition));
  // $these refers to rows that are already restricted.
  if (rows.origin.kind === 'these') {
    return { row: rows.row, origin: secureOrigin(guard, rows.origin), where: conditions };
  }
  return {
    row: rows.row,
    origin: secureOrigin(guard, rows.origin),
    where: [
      ...visibleRows(guard, rows.row, navigationTo(rows.origin)),
      ...visibleEntries(guard, rows),
      ...conditions,
    ],
  };
}

/** The navigation property used to reach the rows, if any. */
export function navigationTo(origin: RowOrigin): Navigation | undefined {
  return origin.kind === 'related' || origin.kind === 'navigated' ? origin.navigation : undefined;
}

function secureOrigin(guard: Guard, origin: RowOrigin): RowOrigin {
  switch (origin.kind) {
    case 'source':
      return origin;
    case 'related': {
      requireMember(guard, origin.from.row.type, origin.path[0] ?? origin.navigation);
      return { ...origin, from: secureRows(guard, origin.from) };
    }
    case 'these':
      return {
        ...origin,
        of: origin.of && secureRows(guard, origin.of),
        limit: origin.limit && {
          ...origin.limit,
          orderby: secureOrder(guard, origin.limit.orderby),
        },
      };
    case 'navigated': {
      requireStep(guard, origin.from, origin.path[0] ?? origin.navigation);
      return { ...origin, from: secureRow(guard, origin.from) };
    }
    default:
      return unreachable(origin);
  }
}

function secureRow(guard: Guard, row: RowExpression): RowExpression {
  switch (row.kind) {
    case 'variable':
      return row;
    case 'follow': {
      requireStep(guard, row.from, row.path[0] ?? row.navigation);
      const [first, ...others] = visibleRows(guard, row.target, row.navigation);
      const from = secureRow(guard, row.from);
      return first === undefined
        ? { ...row, from }
        : { ...row, from, visible: joinConditions('and', [first, ...others]) };
    }
    case 'addressed':
      return { kind: 'addressed', rows: secureRows(guard, row.rows) };
    default:
      return unreachable(row);
  }
}

function requireStep(guard: Guard, from: RowExpression, member: Member): void {
  const type = entityIn(from)?.type;
  if (type !== undefined) requireMember(guard, type, member);
}

/** Requires that a navigation property is readable in every row: rights that depend on the row are not enough to follow it. */
function requireMember(guard: Guard, type: EntityType, member: Member): void {
  if (restrictedMembers(guard, type).has(member.name)) throw unreadableMember(type, member.name);
}

// ---- expressions ----------------------------------------------------------------------------------------------------

export function secureExpression(guard: Guard, expression: Expression): Expression {
  const inner = (part: Expression) => secureExpression(guard, part);
  switch (expression.kind) {
    case 'literal':
    case 'json':
    case 'context':
    case 'column':
      return expression;
    case 'built': {
      const parts = expression.parts.map((part) => (typeof part === 'string' ? part : inner(part)));
      return { ...expression, parts };
    }
    case 'property':
    case 'dynamic':
      return secureProperty(guard, expression);
    case 'computed':
      return { ...expression, definition: inner(expression.definition) };
    case 'row':
      return { ...expression, row: secureRow(guard, expression.row) };
    case 'not':
    case 'negate':
    case 'cast':
    case 'instance':
      return { ...expression, operand: inner(expression.operand) };
    case 'and':
    case 'or':
      return { ...expression, operands: expression.operands.map(inner) };
    case 'compare':
    case 'arithmetic':
    case 'has':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) };
    case 'in':
      return { ...expression, left: inner(expression.left), list: expression.list.map(inner) };
    case 'call':
      return { ...expression, arguments: expression.arguments.map(inner) };
    case 'case':
      return {
        ...expression,
        branches: expression.branches.map((branch) => {
          const [when, then] = [inner(branch.when), inner(branch.then)];
          return { when, then };
        }),
      };
    case 'any':
    case 'all':
    case 'count':
    case 'in-collection':
    case 'aggregate':
      return secureOverCollection(guard, expression);
    case 'search':
      return secureSearch(guard, expression);
    default:
      return unreachable(expression);
  }
}

type OverCollection = Expression & {
  readonly kind: 'any' | 'all' | 'count' | 'in-collection' | 'aggregate';
};

function secureOverCollection(guard: Guard, expression: OverCollection): Expression {
  const inner = (part: Expression) => secureExpression(guard, part);
  const collection = secureCollection(guard, expression.collection);
  switch (expression.kind) {
    case 'any':
    case 'all':
      return {
        ...expression,
        collection,
        predicate: expression.predicate && inner(expression.predicate),
      };
    case 'count':
      return { ...expression, collection };
    case 'in-collection':
      return { ...expression, collection, left: inner(expression.left) };
    case 'aggregate': {
      const aggregation = secureAggregation(guard, expression.aggregation);
      return { ...expression, collection, aggregation };
    }
    default:
      return unreachable(expression);
  }
}

type PropertyExpression = Expression & { readonly kind: 'property' | 'dynamic' };

/** Replaces the value by null in rows in which the first member of the path is not readable. Throws: access.member. */
export function secureProperty(guard: Guard, expression: PropertyExpression): Expression {
  const secured = { ...expression, row: secureRow(guard, expression.row) };
  const type = entityIn(expression.row)?.type;
  const name = expression.path[0]?.name ?? (expression.kind === 'dynamic' ? expression.name : '');
  if (type === undefined || name === '') return secured;
  const condition = readableMember(guard, secured.row, type, name);
  if (condition === false)
    throw unreadableMember(ownersAmongDerived(guard.model, type, name)[0] ?? type, name);
  return condition === true ? secured : mask(secured, condition);
}

function secureCollection(guard: Guard, collection: Collection): Collection {
  if (collection.kind !== 'made') return secureStored(guard, collection);
  const where = collection.where.map((condition) => secureExpression(guard, condition));
  return { ...collection, where };
}

function secureStored(guard: Guard, collection: StoredCollection): StoredCollection {
  if (collection.kind === 'rows') {
    return { kind: 'rows', rows: secureRows(guard, collection.rows) };
  }
  const where = collection.where.map((condition) => secureExpression(guard, condition));
  return { ...collection, of: secureExpression(guard, collection.of), where };
}

type SearchExpression = Expression & { readonly kind: 'search' };

/** If a searched member is restricted, searches the readable members one by one instead. */
function secureSearch(guard: Guard, expression: SearchExpression): Expression {
  const row = secureRow(guard, expression.row);
  const type = entityIn(expression.row)?.type;
  if (type === undefined) return { ...expression, row };
  const searched = searchable(guard, type);
  const restricted = restrictedMembers(guard, type);
  if (!searched.some((property) => restricted.has(property.name))) return { ...expression, row };
  const texts = searched
    .filter((property) => readableMember(guard, row, type, property.name) !== false)
    .map((property) =>
      secureProperty(guard, { kind: 'property', row, path: [property], type: STRING }),
    );
  return searchIn(texts, expression.search);
}

/** The searchable properties of the type and its derived types. */
function searchable({ model }: Guard, type: EntityType): readonly Property[] {
  const derived = model.derived(type).flatMap((other) => other.members);
  return [...model.members(type).values(), ...derived].filter(
    (member): member is Property => member.kind === 'property' && member.searchable === true,
  );
}

// ---- options --------------------------------------------------------------------------------------------------------

function secureWanted(guard: Guard, type: EntityType, wanted: Wanted): Wanted {
  switch (wanted.kind) {
    case 'property':
      return {
        ...wanted,
        value: secureExpression(guard, wanted.value),
        elements: wanted.elements && secureElements(guard, wanted.elements),
        selection: wanted.selection && secureSelection(guard, wanted.selection),
      };
    case 'raw':
      return { ...wanted, value: secureExpression(guard, wanted.value) };
    case 'property-count':
      return {
        ...wanted,
        value: secureExpression(guard, wanted.value),
        elements: wanted.elements && secureElements(guard, wanted.elements),
      };
    case 'stream':
      if (wanted.property !== undefined) requireMember(guard, type, wanted.property);
      return wanted;
    case 'reference':
    case 'references':
      requireAddress(guard, type);
      return wanted;
    default:
      return wanted;
  }
}

/** Selected members are not restricted here, but in the shape of the response: property-values.ts calls secureProperty for each. */
function secureQuery(guard: Guard, query: Query): Query {
  for (const { property } of query.streams) {
    if (property !== undefined) requireStep(guard, { kind: 'variable', row: query.row }, property);
  }
  return {
    ...query,
    apply: secureApply(guard, query.apply),
    compute: secureComputed(guard, query.compute),
    filter: query.filter && secureExpression(guard, query.filter),
    orderby: secureOrder(guard, query.orderby),
    selection: secureSelection(guard, query.selection),
    expansions: query.expansions.flatMap((expansion) => secureExpansion(guard, expansion)),
    nested: query.nested?.map((one) => secureNested(guard, one)),
  };
}

function secureNested(guard: Guard, nested: NestedRows): NestedRows {
  return {
    ...nested,
    rows: nested.rows && secureRows(guard, nested.rows),
    query: secureQuery(guard, nested.query),
  };
}

/** $search as a condition on the row, without restricted members. */
export function searchCondition(guard: Guard, row: RowExpression, search: Search): Expression {
  const condition: SearchExpression = { kind: 'search', row, search, type: BOOLEAN };
  return guard.rights.everything ? condition : secureSearch(guard, condition);
}

/** A reference contains the key, which must be visible in every row. Throws: access.read. */
function requireAddress(guard: Guard, type: EntityType): void {
  if (!guard.rights.everything && disclosureOf(guard.model, type) !== undefined)
    throw new Fault('access.read', { type: type.name });
}

/** Restricts an expansion. `*` silently skips navigation properties that the principal may not read. */
function secureExpansion(guard: Guard, expansion: Expansion): readonly Expansion[] {
  try {
    const rows = secureRows(guard, expansion.rows);
    if (expansion.form === 'references') requireAddress(guard, rows.row.type);
    return [{ ...expansion, rows, query: secureQuery(guard, expansion.query) }];
  } catch (error) {
    const isWithheld = error instanceof Fault && error.code.startsWith('access.');
    if (expansion.isStarred === true && isWithheld) return [];
    throw error;
  }
}

function secureSelection(guard: Guard, selection: Selection): Selection {
  const secureItem = (item: SelectedItem): SelectedItem => {
    if (item.kind !== 'property') return item;
    return {
      ...item,
      selection: item.selection && secureSelection(guard, item.selection),
      query: item.query && secureElements(guard, item.query),
    };
  };
  return {
    ...selection,
    items: selection.items.map(secureItem),
    compute: selection.compute && secureComputed(guard, selection.compute),
  };
}

function secureElements(guard: Guard, query: ElementQuery): ElementQuery {
  return {
    ...query,
    filter: query.filter && secureExpression(guard, query.filter),
    orderby: secureOrder(guard, query.orderby),
  };
}

function secureOrder(guard: Guard, items: readonly OrderItem[]): readonly OrderItem[] {
  return items.map((item) => ({ ...item, expression: secureExpression(guard, item.expression) }));
}

function secureComputed(guard: Guard, computed: readonly Computed[]): readonly Computed[] {
  return computed.map((one) => ({
    ...one,
    expression: secureExpression(guard, one.expression),
  }));
}

// ---- $apply ---------------------------------------------------------------------------------------------------------

function secureApply(guard: Guard, apply: readonly Transformation[]): readonly Transformation[] {
  return apply.map((step) => secureTransformation(guard, step));
}

function secureTransformation(guard: Guard, step: Transformation): Transformation {
  switch (step.kind) {
    case 'identity':
    case 'skip':
    case 'top':
    case 'nest':
      return step;
    case 'filter':
      return { ...step, predicate: secureExpression(guard, step.predicate) };
    case 'search': {
      const { input, output, search } = step;
      const predicate = searchCondition(guard, variable(input), search);
      return { kind: 'filter', input, output, predicate };
    }
    case 'orderby':
      return { ...step, items: secureOrder(guard, step.items) };
    case 'compute':
      return { ...step, computed: secureComputed(guard, step.computed) };
    case 'aggregate':
      return { ...step, aggregations: secureAggregations(guard, step.aggregations) };
    case 'groupby': {
      const groupings = step.groupings.map((grouping) => secureGrouping(guard, grouping));
      const aggregations = secureAggregations(guard, step.aggregations);
      const then = secureApply(guard, step.then);
      return { ...step, groupings, aggregations, then };
    }
    case 'concat':
      return secureConcat(guard, step);
    case 'extreme':
      return {
        ...step,
        amount: secureExpression(guard, step.amount),
        by: secureExpression(guard, step.by),
      };
    case 'join':
      return secureJoin(guard, step);
    case 'hierarchy':
      return {
        ...step,
        tree: secureTree(guard, step.tree),
        start: secureApply(guard, step.start),
        orderby: secureOrder(guard, step.orderby),
      };
    default:
      return unreachable(step);
  }
}

function secureConcat(
  guard: Guard,
  step: Transformation & { readonly kind: 'concat' },
): Transformation {
  for (const branch of step.branches)
    requireColumns(guard, branch.at(-1)?.output ?? step.input, step.output, '');
  return { ...step, branches: step.branches.map((branch) => secureApply(guard, branch)) };
}

function secureJoin(
  guard: Guard,
  step: Transformation & { readonly kind: 'join' },
): Transformation {
  requireColumns(guard, step.input, step.output, '');
  requireColumns(guard, step.rows.row, step.output, `${step.alias}/`);
  const then = secureApply(guard, step.then);
  return { ...step, rows: secureRows(guard, step.rows), then };
}

/**
 * Rejects columns from whole entities if they contain a member that is not readable in every row: there is no expression in which
 * to replace its value.
 */
function requireColumns(guard: Guard, from: RowVariable, to: RowVariable, prefix: string): void {
  if (from.kind !== 'entity' || to.kind !== 'derived') return;
  const columns = [...to.columns.keys()];
  for (const member of restrictedMembers(guard, from.type)) {
    const name = prefix + member;
    const isThere = columns.some((column) => column === name || column.startsWith(`${name}/`));
    if (isThere) throw unreadableMember(from.type, member);
  }
}

function secureAggregations(
  guard: Guard,
  aggregations: readonly Aggregation[],
): readonly Aggregation[] {
  return aggregations.map((aggregation) => secureAggregation(guard, aggregation));
}

function secureAggregation(guard: Guard, aggregation: Aggregation): Aggregation {
  return {
    ...aggregation,
    expression: aggregation.expression && secureExpression(guard, aggregation.expression),
    over: aggregation.over && secureOver(guard, aggregation.over),
    from: aggregation.from.map(({ groupings, method }) => ({
      groupings: groupings.map((grouping) => secureExpression(guard, grouping)),
      method,
    })),
  };
}

function secureGrouping(guard: Guard, grouping: Grouping): Grouping {
  return {
    ...grouping,
    expression: secureExpression(guard, grouping.expression),
    over: grouping.over && secureOver(guard, grouping.over),
    tree: grouping.tree && secureTree(guard, grouping.tree),
  };
}

function secureOver(guard: Guard, over: readonly StoredCollection[]): readonly StoredCollection[] {
  return over.map((collection) => secureStored(guard, collection));
}

function secureTree(guard: Guard, tree: NodeTree): NodeTree {
  requireMember(guard, tree.nodes.row.type, tree.parent);
  return {
    ...tree,
    nodes: secureRows(guard, tree.nodes),
    start: secureApply(guard, tree.start),
    related: tree.related && {
      value: secureExpression(guard, tree.related.value),
      identifier: secureExpression(guard, tree.related.identifier),
    },
  };
}
