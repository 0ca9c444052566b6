// Finds the rows that a response depends on: those of its source, and all rows that conditions, values and expansions reach
// through navigation properties. A response cannot be tracked if it depends on anything that the change log does not record, such
// as the current time, accounts, or rows that no navigation property reaches. It is long because every kind of node that can
// reach a row is handled here. OData 4.01 Protocol, "Delta Links".
import { unreachable } from '../../base/fault.ts';
import type {
  Aggregation,
  Collection,
  Expression,
  RowExpression,
  Rows,
  RowVariable,
} from '../../bind/bound.ts';
import type { Navigation, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type {
  LinkPart,
  Selecting,
  Shape,
  ShapeMember,
  ValueMember,
  Watched,
  WatchedStep,
} from '../read-plan.ts';

/** The rows that a query and its records depend on; undefined if the change log does not cover them. */
export function watch(select: Selecting, shape: Shape): Watched | undefined {
  const { rows } = select;
  if (rows.origin.kind !== 'source') return undefined;
  const root = makeNode(rows.row.source);
  const watching: Watching = { nodes: new Map([[rows.row.id, root]]), isSound: true };
  lookAtSelecting(watching, select);
  lookAtShape(watching, shape);
  return watching.isSound ? freeze(root) : undefined;
}

/** Rows reached by the same path. */
interface Node {
  readonly source: Source;
  readonly steps: Map<string, Step>;
}

interface Step {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
  readonly target: Node;
}

/** The rows found so far, by variable id. */
interface Watching {
  readonly nodes: Map<number, Node>;
  isSound: boolean;
}

function makeNode(source: Source): Node {
  return { source, steps: new Map() };
}

function freeze({ source, steps }: Node): Watched {
  const frozen = [...steps.values()].map(
    ({ path, navigation, target }): WatchedStep => ({ path, navigation, target: freeze(target) }),
  );
  return { source, steps: frozen };
}

function giveUp(watching: Watching): undefined {
  watching.isSound = false;
  return undefined;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

/** The node of a row; undefined for collection items and rows that cannot be tracked. */
function lookAtRow(watching: Watching, row: RowExpression): Node | undefined {
  switch (row.kind) {
    case 'variable':
      return nodeOf(watching, row.row);
    case 'follow': {
      const near = lookAtRow(watching, row.from);
      const node = lookAlong(watching, near, row, row.target);
      if (row.visible !== undefined) lookAt(watching, row.visible);
      return node;
    }
    case 'addressed':
      return giveUp(watching);
    default:
      return unreachable(row);
  }
}

function nodeOf(watching: Watching, row: RowVariable): Node | undefined {
  if (row.kind === 'element') return undefined;
  return watching.nodes.get(row.id) ?? giveUp(watching);
}

interface Departure {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

/**
 * Follows a navigation property. References inside collection items cannot be found from their target, so they are not trackable.
 */
function lookAlong(
  watching: Watching,
  near: Node | undefined,
  { path, navigation }: Departure,
  target: RowVariable & { readonly kind: 'entity' },
): Node | undefined {
  const { source } = target;
  if (near === undefined || source.set?.administrative === true) return giveUp(watching);
  const by = [...path, navigation].map((step) => step.name).join('/');
  const known = near.steps.get(`${by} ${source.id}`);
  const step = known ?? { path, navigation, target: makeNode(source) };
  near.steps.set(`${by} ${source.id}`, step);
  watching.nodes.set(target.id, step.target);
  return step.target;
}

function lookAtRows(watching: Watching, { row, origin, where }: Rows): void {
  if (origin.kind === 'navigated') {
    lookAlong(watching, lookAtRow(watching, origin.from), origin, row);
  } else if (!watching.nodes.has(row.id)) {
    giveUp(watching);
  }
  for (const condition of where) lookAt(watching, condition);
}

function lookAtSelecting(watching: Watching, select: Selecting): void {
  const { rows, apply, compute, filter, order } = select;
  lookAtRows(watching, rows);
  // Results of $apply have no identity to report a change for.
  if (apply.length > 0) giveUp(watching);
  for (const { expression } of [...compute, ...order]) lookAt(watching, expression);
  if (filter !== undefined) lookAt(watching, filter);
}

// ---- expressions ----------------------------------------------------------------------------------------------------

function lookAt(watching: Watching, expression: Expression): void {
  switch (expression.kind) {
    case 'literal':
    case 'json':
      return;
    case 'context':
      // Results that depend on the time change without a transaction.
      if (expression.name === 'now') giveUp(watching);
      return;
    case 'property':
    case 'dynamic':
    case 'row':
    case 'search':
      lookAtRow(watching, expression.row);
      return;
    case 'column':
      giveUp(watching);
      return;
    case 'computed':
      lookAt(watching, expression.definition);
      return;
    case 'aggregate':
      lookAtCollection(watching, expression.collection);
      lookAtAggregation(watching, expression.aggregation);
      return;
    default:
      for (const part of partsOf(expression)) lookAt(watching, part);
      if ('collection' in expression) lookAtCollection(watching, expression.collection);
      if ('predicate' in expression && expression.predicate !== undefined)
        lookAt(watching, expression.predicate);
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

function lookAtAggregation(watching: Watching, { over = [], expression, from }: Aggregation): void {
  for (const collection of over) lookAtCollection(watching, collection);
  if (expression !== undefined) lookAt(watching, expression);
  for (const { groupings } of from) for (const one of groupings) lookAt(watching, one);
}

/** Visits the rows of a collection before any expression that refers to them. */
function lookAtCollection(watching: Watching, collection: Collection): void {
  if (collection.kind === 'rows') {
    lookAtRows(watching, collection.rows);
    return;
  }
  if (collection.kind === 'made') {
    giveUp(watching);
    return;
  }
  lookAt(watching, collection.of);
  for (const condition of collection.where) lookAt(watching, condition);
}

// ---- records --------------------------------------------------------------------------------------------------------

function lookAtShape(watching: Watching, { members }: Shape): void {
  for (const member of members) lookAtMember(watching, member);
}

function lookAtMember(watching: Watching, member: ShapeMember): void {
  if ('when' in member && member.when !== undefined) lookAt(watching, member.when);
  switch (member.kind) {
    case 'value':
      lookAtValue(watching, member);
      return;
    case 'link':
      for (const part of member.parts) lookAtPart(watching, part);
      return;
    case 'etag':
    case 'type':
    case 'media':
    case 'dynamic':
      lookAtRow(watching, member.row);
      return;
    case 'constant':
      return;
    case 'bytes':
      giveUp(watching);
      return;
    case 'object':
      for (const inner of member.members) lookAtMember(watching, inner);
      return;
    case 'list':
      for (const inner of member.items.flat()) lookAtMember(watching, inner);
      return;
    case 'one':
    case 'many':
      lookAtSelecting(watching, member.select);
      lookAtShape(watching, member.shape);
      return;
    case 'count':
      lookAtSelecting(watching, member.select);
      return;
    default:
      unreachable(member);
  }
}

function lookAtPart(watching: Watching, part: LinkPart): void {
  if (part.kind === 'key') lookAt(watching, part.value);
}

function lookAtValue(
  watching: Watching,
  { value, members = [], besides = [], items }: ValueMember,
): void {
  lookAt(watching, value);
  for (const inner of [...members, ...besides]) lookAtMember(watching, inner);
  if (items?.filter !== undefined) lookAt(watching, items.filter);
  for (const { expression } of items?.order ?? []) lookAt(watching, expression);
}
