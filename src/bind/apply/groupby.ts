// Binds groupby: the grouping properties, the grouping sets of rollup, plain aggregations inside groups, and the node of
// rolluprecursive in the result: its properties if the input rows are nodes themselves, its identifier if the rows contain only that.
// OData Data Aggregation 4.0, "Transformation groupby", "Grouping with rollup", "Grouping with rolluprecursive".
import { Fault, invariant } from '../../base/fault.ts';
import { isAssignable, type Model, pathName, propertyPath } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  Aggregation,
  Computed,
  DerivedColumn,
  Expression,
  Grouping,
  NodeTree,
  Rows,
  RowVariable,
  ValueType,
} from '../bound.ts';
import { entityIn, entityValue, isNotNull, variable } from '../expression/constructors.ts';
import { show } from '../expression/excerpt.ts';
import { stepByName, valueAt } from '../expression/member.ts';
import { isOrdered, typeName, typeOfReference } from '../expression/types.ts';
import {
  countInserted,
  type Frame,
  faultAt,
  newEntityRow,
  type PathCollections,
  type Resolved,
  resolvedValue,
} from '../scope.ts';
import { bindAggregations } from './aggregate.ts';
import { collectionsOnPath } from './collection-paths.ts';
import {
  columnsOfRow,
  columnsOfValue,
  deriveRows,
  indicatorColumn,
  indicatorName,
  type Of,
  rowsOfColumn,
  type Step,
} from './derived-columns.ts';
import { hierarchyHint, leveledHierarchy } from './hierarchy-annotations.ts';

export interface Groupings {
  readonly groupings: readonly Grouping[];
  /** Each a list of indexes into `groupings`. */
  readonly sets: readonly (readonly number[])[];
}

/** Throws: bind.operand for values that cannot be grouped by, bind.aggregated-away, bind.too-large, not-built, and the errors of paths. */
export function bindGroupings(
  frame: Frame,
  elements: readonly Tree.GroupElement[],
  bindTree: BindTree,
): Groupings {
  const pathCollections: PathCollections = { collections: new Map() };
  const draft: Draft = { frame: { ...frame, pathCollections }, groupings: [], bindTree };
  const alternatives = elements.map((element) => addElement(draft, element));
  const { groupings } = draft;
  countInserted(
    frame,
    alternatives.reduce((sets, { length }) => sets * length, groupings.length),
  );
  return { groupings, sets: combine(alternatives) };
}

/** The aggregations of `groupby(…,aggregate(…))`; undefined for other transformations inside the groups. */
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

/** The columns of the groupings, with indicators for those that rollup omits from some rows. */
export function groupingColumns(
  groupings: readonly Grouping[],
  sets: Groupings['sets'],
): readonly DerivedColumn[] {
  const partial = groupings.filter(
    ({ indicates }, index) => indicates === undefined && !sets.every((set) => set.includes(index)),
  );
  return [
    ...groupings.map(({ expression: _, over: __, tree: ___, ...column }) => column),
    ...partial.map(({ name }) => indicatorColumn('defined', name)),
  ];
}

/** Groupings collected so far; all share the collections on their paths. */
interface Draft {
  readonly frame: Frame & { readonly pathCollections: PathCollections };
  readonly groupings: Grouping[];
  readonly bindTree: BindTree;
}

type RollupRecursive = Tree.GroupElement & { readonly kind: 'rolluprecursive' };
type BindTree = (element: RollupRecursive) => NodeTree;

type Indexes = readonly number[];

/** The grouping sets of an element: one for a property, one per level for a rollup. */
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

/** Groups by the node of each row and its ancestors. The column holds an entity: the target of a navigation, or the row itself. */
function addTree(draft: Draft, element: RollupRecursive): number {
  const { frame } = draft;
  const tree = draft.bindTree(element);
  const { row } = tree.nodes;
  const steps = element.hierarchy.property.steps.slice(0, -1);
  const owner: Tree.PathExpression = { ...element.hierarchy.property, steps };
  const name =
    tree.related !== undefined && isOwnerNode(frame, owner, row) ? show(owner) : OWN_NODE;
  const target = newEntityRow(frame.session, row.source, row.type);
  const expression = entityValue(variable(row), row.type);
  const { type } = expression;
  return addOne(draft, { name, expression, type, entity: row.source, target, tree });
}

/** The column of the node if rows are nodes themselves or have only its identifier; `withNode` replaces it. */
export const OWN_NODE = '$node';

function isOwnerNode(frame: Frame, owner: Tree.PathExpression, row: RowVariable): boolean {
  if (owner.steps.length === 0 || row.kind !== 'entity') return false;
  const resolved = frame.session.resolve({ ...frame }, owner);
  return resolved.kind === 'row' && isAssignable(frame.model, resolved.type, row.type);
}

/** All levels, then all but the last, and so on down to the first. */
function levels(all: readonly Indexes[]): readonly Indexes[] {
  return all.map((_, index) => all.slice(0, all.length - index).flat());
}

/** Combines every grouping set of each element with every grouping set of the others. */
function combine(alternatives: readonly (readonly Indexes[])[]): readonly Indexes[] {
  return alternatives.reduce<readonly Indexes[]>(
    (sets, own) => sets.flatMap((set) => own.map((more) => [...new Set([...set, ...more])])),
    [[]],
  );
}

/** The paths of a leveled hierarchy of the model. Throws: bind.unknown-hierarchy. */
function namedLevels(
  frame: Frame,
  element: Tree.GroupElement & { readonly kind: 'rollup-named' },
): readonly Tree.PathExpression[] {
  const resolved = frame.current?.resolved;
  const type = resolved?.kind === 'row' ? resolved.type : undefined;
  const { hierarchy, at } = element;
  const paths = type === undefined ? undefined : leveledHierarchy(frame.model, type, hierarchy);
  if (paths !== undefined) return paths.map((path) => pathTree(path, at));
  const hint =
    type === undefined ? '' : hierarchyHint(frame.model, type, 'LeveledHierarchy', hierarchy);
  throw faultAt(frame, at, 'bind.unknown-hierarchy', { name: hierarchy, hint });
}

/** The syntax tree of a path of names. */
export function pathTree(path: string, at: number): Tree.PathExpression {
  const steps = path
    .split('/')
    .map((name) => ({ kind: 'name', at, name, arguments: undefined, key: undefined }) as const);
  return { kind: 'path', at, root: { kind: 'current' }, steps };
}

/** Adds the groupings of a path: one, or one per property of a complex value. */
function addPath(draft: Draft, path: Tree.PathExpression): Indexes {
  const { frame } = draft;
  const name = show(path);
  const resolved = frame.session.resolve(frame, path);
  if (resolved.kind === 'derived') return addColumns(draft, resolved, name);
  const value = valueAt(frame, resolved, path);
  if (value.type.kind === 'entity' && !value.type.collection) {
    return [addOne(draft, wholeEntity(frame, name, value, value.type))];
  }
  if (!isGroupable(value.type)) throw notGroupable(frame, path, value.type);
  const parts = columnsOfValue(frame.model, name, value.type);
  const over = collectionsOnPath(frame.pathCollections, value);
  return parts.map((part) => {
    const { indicates } = part;
    const rest = (indicates?.of ?? part.name).slice(name.length + 1);
    const expression = partOf(frame, value, rest, path);
    return addOne(draft, {
      ...part,
      expression: indicates === undefined ? expression : isNotNull(expression),
      ...(over.length === 0 ? {} : { over }),
    });
  });
}

/** Groups by a single-valued navigation; the result contains the entity. OData Data Aggregation 4.0, "Simple Grouping". */
function wholeEntity(
  frame: Draft['frame'],
  name: string,
  value: Expression,
  type: ValueType & { readonly kind: 'entity' },
): Grouping {
  const over = collectionsOnPath(frame.pathCollections, value);
  const source = sourceOf(value);
  const base = { name, expression: value, type, ...(over.length === 0 ? {} : { over }) };
  if (source === undefined) return base;
  const target = newEntityRow(frame.session, source, type.type);
  return { ...base, entity: source, target };
}

/** The source of the row; undefined if the value is not a row. */
function sourceOf(value: Expression): Source | undefined {
  const inner = value.kind === 'case' ? value.branches[0]?.then : value;
  if (inner?.kind === 'cast') return sourceOf(inner.operand);
  return inner?.kind === 'row' ? entityIn(inner.row)?.source : undefined;
}

/** Adds the columns of a derived row whose names start with the path. */
function addColumns(
  draft: Draft,
  { row, prefix }: Resolved & { readonly kind: 'derived' },
  name: string,
): Indexes {
  const object = indicatorName('object', prefix);
  const columns = [...row.columns.values()].filter(
    (column) => column.name === object || column.name.startsWith(`${prefix}/`),
  );
  return columns.map((column) => {
    const { indicates } = column;
    const rename = (old: string) => `${name}${old.slice(prefix.length)}`;
    return addOne(draft, {
      ...column,
      name: rename(column.name),
      ...(indicates === undefined ? {} : { indicates: { ...indicates, of: rename(indicates.of) } }),
      expression: { kind: 'column', row, name: column.name, type: column.type },
    });
  });
}

function addOne(draft: Draft, grouping: Grouping): number {
  const known = draft.groupings.findIndex(({ name }) => name === grouping.name);
  return known >= 0 ? known : draft.groupings.push(grouping) - 1;
}

/** The part of a complex value at the rest of the path. */
function partOf(
  frame: Frame,
  value: Expression,
  rest: string,
  path: Tree.PathExpression,
): Expression {
  if (rest === '') return value;
  const resolved = pathTree(rest, path.at).steps.reduce<Resolved>(
    (position, step) => (step.kind === 'name' ? stepByName(frame, position, step) : position),
    resolvedValue(value),
  );
  return valueAt(frame, resolved, path);
}

function isGroupable(type: ValueType): boolean {
  if (type.kind === 'complex' || type.kind === 'untyped') return !type.collection;
  return isOrdered(type);
}

function notGroupable(frame: Frame, path: Tree.PathExpression, type: ValueType): Fault {
  return faultAt(frame, path.at, 'bind.operand', {
    operator: 'groupby',
    types: `${show(path)} of type ${typeName(type)}`,
    hint: ' Group by single primitive values.',
  });
}

/** Replaces the node column by the properties of the node, or by its identifier. Throws: bind.name-taken. */
export function withNode(
  frame: Frame,
  { stage, transformations }: Step,
  grouping: Grouping,
  tree: Of<'groupby'>,
): Step {
  const { row } = stage;
  const node = row.kind === 'derived' ? row.columns.get(OWN_NODE) : undefined;
  const rows = row.kind === 'derived' && node !== undefined ? rowsOfColumn(row, node) : undefined;
  if (rows === undefined) return { stage, transformations };
  const { model } = frame;
  const identifier = identifierOf(grouping, tree);
  const own = identifier === undefined ? columnsOfRow(model, rows.row) : [identifier.column];
  const computed = own.map(({ name, indicates }): Computed => {
    const value = propertyOf(model, rows, identifier?.path ?? indicates?.of ?? name);
    return { name, expression: indicates === undefined ? value : isNotNull(value) };
  });
  const others = columnsOfRow(model, row).filter(({ name }) => name !== OWN_NODE);
  const clash = others.find((column) => own.some(({ name }) => name === column.name));
  if (clash !== undefined) {
    const params = { name: clash.name, place: 'in groupby' };
    throw new Fault('bind.name-taken', params, { target: frame.part.target });
  }
  const step = deriveRows(frame, stage, { kind: 'compute', computed }, [...own, ...others]);
  return { stage: step.stage, transformations: [...transformations, ...step.transformations] };
}

/** The identifier of the node, in a column named after the property by which rows refer to it. */
function identifierOf(
  { tree }: Grouping,
  { elements }: Of<'groupby'>,
): { readonly path: string; readonly column: DerivedColumn } | undefined {
  const element = elements.find((one) => one.kind === 'rolluprecursive');
  const identifier = tree?.related?.identifier;
  if (element === undefined || identifier?.kind !== 'property') return undefined;
  const path = pathName(identifier.path);
  return { path, column: { name: show(element.hierarchy.property), type: identifier.type } };
}

/** The property at a path of a row, as an expression. */
function propertyOf(model: Model, rows: Rows, path: string): Expression {
  const steps = propertyPath(model, rows.row.type, path) ?? [];
  const last = steps.at(-1);
  invariant(last !== undefined, `${path} is a path of properties`);
  const type = typeOfReference(model, last);
  return { kind: 'property', row: { kind: 'addressed', rows }, path: steps, type };
}
