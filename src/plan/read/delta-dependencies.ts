// Finds the rows that a response depends on: those of its source, and all rows that conditions, values and expansions reach
// through navigation properties. A response cannot be tracked if it depends on anything that the change log does not record, such
// as the current time, accounts, or rows that no navigation property reaches. It is long because every kind of node that can
// reach a row is handled here. OData 4.01 Protocol, "Delta Links".

import { unreachable } from '../../base/fault.ts';
import type {
  Aggregation,
  Collection,
  Expression,
  NavigationPath,
  RowExpression,
  Rows,
  RowVariable,
} from '../../bind/bound.ts';
import { isOfTheMoment } from '../../bind/expression/constructors.ts';
import { type Model, pathName } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type {
  RowDependencies,
  RowSelection,
  Shape,
  ShapeMember,
  ValueMember,
} from '../read-plan.ts';

/** The rows that a query and its records depend on; undefined if the change log does not cover them. */
export function findDependencies(
  model: Model,
  select: RowSelection,
  shape: Shape,
): RowDependencies | undefined {
  const { rows } = select;
  if (rows.origin.kind !== 'source') return undefined;
  const root = makeNode(rows.row.source);
  const tracker: Tracker = { nodes: new Map([[rows.row.id, root]]), model, isTrackable: true };
  visitSelection(tracker, select);
  visitShape(tracker, shape);
  return tracker.isTrackable ? freeze(root) : undefined;
}

/** Rows reached by the same path. */
interface Node {
  readonly source: Source;
  readonly steps: Map<string, Step>;
}

interface Step extends NavigationPath {
  readonly target: Node;
}

/** The rows found so far, by variable id. */
interface Tracker {
  readonly nodes: Map<number, Node>;
  readonly model: Model;
  isTrackable: boolean;
}

function makeNode(source: Source): Node {
  return { source, steps: new Map() };
}

function freeze({ source, steps }: Node): RowDependencies {
  const frozen = [...steps.values()].map((step) => ({ ...step, target: freeze(step.target) }));
  return { source, steps: frozen };
}

function markUntrackable(tracker: Tracker): undefined {
  tracker.isTrackable = false;
  return undefined;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

/** The node of a row; undefined for collection items and rows that cannot be tracked. */
function visitRow(tracker: Tracker, row: RowExpression): Node | undefined {
  switch (row.kind) {
    case 'variable':
      return nodeOf(tracker, row.row);
    case 'follow': {
      const from = visitRow(tracker, row.from);
      const node = follow(tracker, from, row, row.target);
      if (row.visible !== undefined) visit(tracker, row.visible);
      return node;
    }
    case 'addressed':
      return markUntrackable(tracker);
    default:
      return unreachable(row);
  }
}

function nodeOf(tracker: Tracker, row: RowVariable): Node | undefined {
  if (row.kind === 'element') return undefined;
  return tracker.nodes.get(row.id) ?? markUntrackable(tracker);
}

/** Follows a navigation property. References inside collection items cannot be found from their target, so they are not trackable. */
function follow(
  tracker: Tracker,
  from: Node | undefined,
  { path, navigation }: NavigationPath,
  target: RowVariable & { readonly kind: 'entity' },
): Node | undefined {
  const { source } = target;
  if (from === undefined || source.set?.administrative === true) return markUntrackable(tracker);
  const key = pathName([...path, navigation]);
  const existing = from.steps.get(`${key} ${source.id}`);
  const step = existing ?? { path, navigation, target: makeNode(source) };
  from.steps.set(`${key} ${source.id}`, step);
  tracker.nodes.set(target.id, step.target);
  return step.target;
}

function visitRows(tracker: Tracker, { row, origin, where }: Rows): void {
  if (origin.kind === 'navigated') {
    follow(tracker, visitRow(tracker, origin.from), origin, row);
  } else if (!tracker.nodes.has(row.id)) {
    markUntrackable(tracker);
  }
  for (const condition of where) visit(tracker, condition);
}

function visitSelection(tracker: Tracker, select: RowSelection): void {
  const { rows, apply, compute, filter, order } = select;
  visitRows(tracker, rows);
  // Results of $apply have no identity to report a change for.
  if (apply.length > 0) markUntrackable(tracker);
  for (const { expression } of [...compute, ...order]) visit(tracker, expression);
  if (filter !== undefined) visit(tracker, filter);
}

// ---- expressions ----------------------------------------------------------------------------------------------------

function visit(tracker: Tracker, expression: Expression): void {
  switch (expression.kind) {
    case 'literal':
    case 'json':
      return;
    case 'context':
      // Results that depend on the time change without a transaction.
      if (expression.name === 'now' || expression.name === 'present') markUntrackable(tracker);
      return;
    case 'property':
      if (isOfTheMoment(tracker.model, expression)) markUntrackable(tracker);
      visitRow(tracker, expression.row);
      return;
    case 'dynamic':
    case 'row':
    case 'search':
      visitRow(tracker, expression.row);
      return;
    case 'column':
      markUntrackable(tracker);
      return;
    case 'computed':
      visit(tracker, expression.definition);
      return;
    case 'aggregate':
      visitCollection(tracker, expression.collection);
      visitAggregation(tracker, expression.aggregation);
      return;
    default:
      for (const part of partsOf(expression)) visit(tracker, part);
      if ('collection' in expression) visitCollection(tracker, expression.collection);
      if ('predicate' in expression && expression.predicate !== undefined)
        visit(tracker, expression.predicate);
  }
}

type Leaf = 'literal' | 'json' | 'context' | 'property' | 'dynamic' | 'row' | 'search' | 'column';
type Compound = Exclude<Expression, { readonly kind: Leaf | 'computed' | 'aggregate' }>;

function partsOf(expression: Compound): readonly Expression[] {
  switch (expression.kind) {
    case 'not':
    case 'negate':
    case 'cast':
    case 'instance':
      return [expression.operand];
    case 'and':
    case 'or':
      return expression.operands;
    case 'compare':
    case 'arithmetic':
    case 'has':
      return [expression.left, expression.right];
    case 'in':
      return [expression.left, ...expression.list];
    case 'in-collection':
      return [expression.left];
    case 'call':
      return expression.arguments;
    case 'built':
      return expression.parts.filter((part) => typeof part !== 'string');
    case 'case':
      return expression.branches.flatMap(({ when, then }) => [when, then]);
    case 'any':
    case 'all':
    case 'count':
      return [];
    default:
      return unreachable(expression);
  }
}

function visitAggregation(tracker: Tracker, { over = [], expression, from }: Aggregation): void {
  for (const collection of over) visitCollection(tracker, collection);
  if (expression !== undefined) visit(tracker, expression);
  for (const { groupings } of from) for (const one of groupings) visit(tracker, one);
}

/** Visits the rows of a collection before any expression that refers to them. */
function visitCollection(tracker: Tracker, collection: Collection): void {
  if (collection.kind === 'rows') {
    visitRows(tracker, collection.rows);
    return;
  }
  if (collection.kind === 'made') {
    markUntrackable(tracker);
    return;
  }
  visit(tracker, collection.of);
  for (const condition of collection.where) visit(tracker, condition);
}

// ---- records --------------------------------------------------------------------------------------------------------

function visitShape(tracker: Tracker, { members }: Shape): void {
  for (const member of members) visitMember(tracker, member);
}

function visitMember(tracker: Tracker, member: ShapeMember): void {
  if ('when' in member && member.when !== undefined) visit(tracker, member.when);
  switch (member.kind) {
    case 'value':
      visitValue(tracker, member);
      return;
    case 'link':
      for (const part of member.parts) if (part.kind === 'key') visit(tracker, part.value);
      return;
    case 'etag':
    case 'type':
    case 'media':
    case 'dynamic':
      visitRow(tracker, member.row);
      return;
    case 'constant':
      return;
    case 'bytes':
    case 'clock-inputs':
      markUntrackable(tracker);
      return;
    case 'shared':
    case 'object':
      for (const inner of member.members) visitMember(tracker, inner);
      return;
    case 'list':
      for (const item of member.items)
        if ('members' in item) for (const inner of item.members) visitMember(tracker, inner);
      return;
    case 'one':
    case 'many':
      visitSelection(tracker, member.select);
      visitShape(tracker, member.shape);
      return;
    case 'count':
      visitSelection(tracker, member.select);
      return;
    default:
      unreachable(member);
  }
}

function visitValue(
  tracker: Tracker,
  { value, members = [], besides = [], items }: ValueMember,
): void {
  visit(tracker, value);
  for (const inner of [...members, ...besides]) visitMember(tracker, inner);
  if (items?.filter !== undefined) visit(tracker, items.filter);
  for (const { expression } of items?.order ?? []) visit(tracker, expression);
}
