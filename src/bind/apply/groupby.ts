// This file binds groupby: what the rows are grouped by, the grouping sets that rollup makes, and what is done inside each group.
// OData Data Aggregation 4.0, "Transformation groupby", "Grouping with rollup".
import { Fault } from '../../base/fault.ts';
import { isAssignable } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  Aggregation,
  DerivedColumn,
  Expression,
  Grouping,
  NodeTree,
  RowVariable,
  ValueType,
} from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { stepByName, valueAt } from '../expression/member.ts';
import { BOOLEAN, isCollection, typeName } from '../expression/types.ts';
import {
  type Frame,
  newEntityRow,
  placeOf,
  type Reached,
  reachValue,
  type Spread,
  whereOf,
} from '../scope.ts';
import { bindAggregations } from './aggregate.ts';
import { chainTo } from './collection-paths.ts';
import { columnsOfValue, tellingColumn, tellingName } from './derived-columns.ts';
import { hierarchyHint, leveledHierarchy } from './hierarchy-annotations.ts';

/** What the rows are grouped by. */
export interface Groupings {
  readonly groupings: readonly Grouping[];
  /** Each a list of indexes into `groupings`. */
  readonly sets: readonly (readonly number[])[];
}

/** Faults: bind.operand for what cannot be grouped by, bind.aggregated-away, not-built, and those of paths. */
export function bindGroupings(
  frame: Frame,
  elements: readonly Tree.GroupElement[],
  bindTree: BindTree,
): Groupings {
  const spread: Spread = { collections: new Map() };
  const draft: Draft = { frame: { ...frame, spread }, groupings: [], bindTree };
  const alternatives = elements.map((element) => addElement(draft, element));
  return { groupings: draft.groupings, sets: combine(alternatives) };
}

/** The aggregations of `groupby(…,aggregate(…))`; undefined where something else is done inside the groups. */
export function plainAggregations(
  frame: Frame,
  taken: ReadonlySet<string>,
  apply: Tree.Apply | undefined,
): readonly Aggregation[] | undefined {
  const [only, ...others] = apply ?? [];
  if (only === undefined) return [];
  if (only.kind !== 'aggregate' || others.length > 0) return undefined;
  return bindAggregations(frame, only.items, taken);
}

/** The columns of the groupings, and what tells where rollup has left one out. */
export function groupingColumns(
  groupings: readonly Grouping[],
  sets: Groupings['sets'],
): readonly DerivedColumn[] {
  const partial = groupings.filter(
    ({ tells }, index) => tells === undefined && !sets.every((set) => set.includes(index)),
  );
  return [
    ...groupings.map(({ expression: _, over: __, tree: ___, ...column }) => column),
    ...partial.map(({ name }) => tellingColumn('defined', name)),
  ];
}

/** Groupings while they are being collected; all of them share the collections that their paths lead through. */
interface Draft {
  readonly frame: Frame & { readonly spread: Spread };
  readonly groupings: Grouping[];
  readonly bindTree: BindTree;
}

export type RollupRecursive = Tree.GroupElement & { readonly kind: 'rolluprecursive' };
type BindTree = (element: RollupRecursive) => NodeTree;

type Indexes = readonly number[];

/** The alternatives that an element gives: one for a property, one per level for a rollup. */
function addElement(draft: Draft, element: Tree.GroupElement): readonly Indexes[] {
  switch (element.kind) {
    case 'property':
      return [addPath(draft, element.path)];
    case 'rollup':
      return levels(element.levels.map((path) => addPath(draft, path)));
    case 'rollup-named':
      return levels(namedLevels(draft.frame, element).map((path) => addPath(draft, path)));
    case 'rolluprecursive':
      return [[addTree(draft, element)]];
  }
}

/** The node that rows belong to, or one above it: whole where a navigation leads to it, or where the rows are nodes themselves. */
function addTree(draft: Draft, element: RollupRecursive): number {
  const { frame } = draft;
  const tree = draft.bindTree(element);
  const { row } = tree.nodes;
  const steps = element.hierarchy.property.steps.slice(0, -1);
  const owner: Tree.PathExpression = { ...element.hierarchy.property, steps };
  const name = tree.related !== undefined && leadsTo(frame, owner, row) ? show(owner) : OWN_NODE;
  const type: ValueType = { kind: 'entity', type: row.type, collection: false };
  const target = newEntityRow(frame.session, row.source, row.type);
  const expression: Expression = { kind: 'row', row: { kind: 'variable', row }, type };
  return addOne(draft, { name, expression, type, entity: row.source, target, tree });
}

/** The column of the node where the rows are nodes themselves; its properties become those of the result. */
export const OWN_NODE = '$node';

function leadsTo(frame: Frame, owner: Tree.PathExpression, row: RowVariable): boolean {
  if (owner.steps.length === 0 || row.kind !== 'entity') return false;
  const reached = frame.session.reach({ ...frame }, owner);
  return reached.kind === 'row' && isAssignable(frame.session.scope.model, reached.type, row.type);
}

/** All levels, all but the last, and so on to the first alone. */
function levels(all: readonly Indexes[]): readonly Indexes[] {
  return all.map((_, index) => all.slice(0, all.length - index).flat());
}

/** Every alternative of one element with every one of the others. */
function combine(alternatives: readonly (readonly Indexes[])[]): readonly Indexes[] {
  return alternatives.reduce<readonly Indexes[]>(
    (sets, own) => sets.flatMap((set) => own.map((more) => [...new Set([...set, ...more])])),
    [[]],
  );
}

/** The paths of a leveled hierarchy that the model defines. */
function namedLevels(
  frame: Frame,
  element: Tree.GroupElement & { readonly kind: 'rollup-named' },
): readonly Tree.PathExpression[] {
  const reached = frame.current?.reached;
  const type = reached?.kind === 'row' ? reached.type : undefined;
  const { model } = frame.session.scope;
  const { hierarchy, at } = element;
  const paths = type === undefined ? undefined : leveledHierarchy(model, type, hierarchy);
  if (paths !== undefined) return paths.map((path) => pathTree(path, at));
  const hint = type === undefined ? '' : hierarchyHint(model, type, 'LeveledHierarchy', hierarchy);
  throw new Fault(
    'bind.unknown-hierarchy',
    { name: hierarchy, hint, place: placeOf(frame, at) },
    whereOf(frame, at),
  );
}

function pathTree(path: string, at: number): Tree.PathExpression {
  const steps = path
    .split('/')
    .map((name) => ({ kind: 'name', at, name, arguments: undefined, key: undefined }) as const);
  return { kind: 'path', at, root: { kind: 'current' }, steps };
}

/** The groupings of a path: one, or one for each part of a complex value. */
function addPath(draft: Draft, path: Tree.PathExpression): Indexes {
  const { frame } = draft;
  const name = show(path);
  const reached = frame.session.reach(frame, path);
  if (reached.kind === 'derived') return addColumns(draft, reached, name);
  const value = valueAt(frame, reached, path);
  if (value.type.kind === 'entity' && !value.type.collection) {
    return [addOne(draft, wholeEntity(frame, name, value, value.type))];
  }
  if (!isGroupable(value.type)) throw notGroupable(frame, path, value.type);
  const { model } = frame.session.scope;
  const parts = columnsOfValue(model, name, value.type);
  const over = chainTo(frame.spread, value);
  return parts.map((part) => {
    const { tells } = part;
    const rest = (tells?.of ?? part.name).slice(name.length + 1);
    const expression = partOf(frame, value, rest, path);
    return addOne(draft, {
      ...part,
      expression: tells === undefined ? expression : isThere(expression),
      ...(over.length === 0 ? {} : { over }),
    });
  });
}

/** Whether the value is not null. */
export function isThere(value: Expression): Expression {
  const nothing: Expression = { kind: 'literal', type: { kind: 'null' }, value: null };
  const sides = { left: value, right: nothing, operandType: value.type };
  return { kind: 'compare', operator: 'ne', ...sides, type: BOOLEAN };
}

/** Rows that lead to the same entity, which is shown. OData Data Aggregation 4.0, "Simple Grouping". */
function wholeEntity(
  frame: Draft['frame'],
  name: string,
  value: Expression,
  type: ValueType & { readonly kind: 'entity' },
): Grouping {
  const over = chainTo(frame.spread, value);
  const source = sourceOf(value);
  const base = { name, expression: value, type, ...(over.length === 0 ? {} : { over }) };
  if (source === undefined) return base;
  const target = newEntityRow(frame.session, source, type.type);
  return { ...base, entity: source, target };
}

/** The source of the row that the value is, where it is one. */
function sourceOf(value: Expression): Source | undefined {
  const inner = value.kind === 'case' ? value.branches[0]?.then : value;
  if (inner?.kind === 'cast') return sourceOf(inner.operand);
  if (inner?.kind !== 'row') return undefined;
  const { row } = inner;
  if (row.kind === 'follow') return row.target.source;
  if (row.kind === 'addressed') return row.rows.row.source;
  return row.row.kind === 'entity' ? row.row.source : undefined;
}

/** The columns of a derived row whose names begin with the path. */
function addColumns(
  draft: Draft,
  { row, prefix }: Reached & { readonly kind: 'derived' },
  name: string,
): Indexes {
  const object = tellingName('object', prefix);
  const columns = [...row.columns.values()].filter(
    (column) => column.name === object || column.name.startsWith(`${prefix}/`),
  );
  return columns.map((column) => {
    const { tells } = column;
    const renamed = (old: string) => `${name}${old.slice(prefix.length)}`;
    return addOne(draft, {
      ...column,
      name: renamed(column.name),
      ...(tells === undefined ? {} : { tells: { ...tells, of: renamed(tells.of) } }),
      expression: { kind: 'column', row, name: column.name, type: column.type },
    });
  });
}

function addOne(draft: Draft, grouping: Grouping): number {
  const known = draft.groupings.findIndex(({ name }) => name === grouping.name);
  return known >= 0 ? known : draft.groupings.push(grouping) - 1;
}

/** The part of a complex value that the rest of a path leads to. */
function partOf(
  frame: Frame,
  value: Expression,
  rest: string,
  path: Tree.PathExpression,
): Expression {
  if (rest === '') return value;
  const reached = pathTree(rest, path.at).steps.reduce<Reached>(
    (before, step) => (step.kind === 'name' ? stepByName(frame, before, step) : before),
    reachValue(value),
  );
  return valueAt(frame, reached, path);
}

function isGroupable(type: ValueType): boolean {
  if (isCollection(type)) return false;
  if (type.kind === 'primitive') return primitiveRow(type.name).comparison === 'ordered';
  return type.kind === 'enum' || type.kind === 'complex' || type.kind === 'untyped';
}

function notGroupable(frame: Frame, path: Tree.PathExpression, type: ValueType): Fault {
  return new Fault(
    'bind.operand',
    {
      operator: 'groupby',
      types: `${show(path)} of type ${typeName(type)}`,
      place: placeOf(frame, path.at),
      hint: ' Group by single primitive values.',
    },
    whereOf(frame, path.at),
  );
}
