// Binds $apply: the output rows of each transformation are the input of the next. Filtering and ordering keep entities; aggregate,
// groupby, join and concat of different row types produce derived rows with named columns.
// OData Data Aggregation 4.0, "Set Transformations".
import { invariant } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  DerivedColumn,
  Expression,
  Rows,
  RowVariable,
  Transformation,
  ValueType,
} from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { callFunction } from '../expression/operation-call.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseRows } from '../expression/these-variable.ts';
import { commonType, typeName } from '../expression/types.ts';
import { subjectWith } from '../query/option-scope.ts';
import { bindCompute, bindOrder } from '../query/order-and-compute.ts';
import { requireTransformable } from '../query/restrictions.ts';
import { bindSearch } from '../query/search.ts';
import type { DerivedRow, EntityRow, Frame, Resolved } from '../scope.ts';
import { faultAt, notBuilt, resolvedVariable } from '../scope.ts';
import { bindAggregations } from './aggregate.ts';
import {
  type AppliedRows,
  columnsOfRow,
  computedColumns,
  declaredNames,
  deriveRows,
  indicatorColumn,
  isTakenName,
  keepRows,
  type Of,
  prefixColumns,
  type Stage,
  type Step,
} from './derived-columns.ts';
import {
  bindGroupings,
  groupingColumns,
  OWN_NODE,
  plainAggregations,
  withNode,
} from './groupby.ts';
import { bindHierarchy, bindNodeTree } from './hierarchy.ts';
import { bindAddNested, bindNest, nestedInGroups, withNested } from './nest.ts';
import { bindRank } from './top-bottom.ts';

/** Throws: bind.aggregated-away for names that a transformation removed, not-built, and the errors of each transformation. */
export function bindApply(frame: Frame, row: EntityRow, apply: Tree.Apply): AppliedRows {
  return bindChain(frame, { row, type: row.type, computed: [] }, apply);
}

/** Binds $apply on derived rows, such as those of a $crossjoin. Throws: as bindApply. */
export function bindApplyToDerived(frame: Frame, row: DerivedRow, apply: Tree.Apply): AppliedRows {
  return bindChain(frame, { row, type: undefined, computed: [] }, apply);
}

function bindChain(frame: Frame, start: Stage, apply: Tree.Apply): AppliedRows {
  return apply.reduce<AppliedRows>(
    (before, tree) => {
      const step = bindOne(frame, before, tree);
      return { ...step.stage, apply: [...before.apply, ...step.transformations] };
    },
    { ...start, apply: [] },
  );
}

/** Binds a transformation, and adds the variable for `$these` if it refers to its whole input. */
function bindOne(outer: Frame, stage: AppliedRows, tree: Tree.Transformation): Step {
  const own = theseRows(outer.session, stage.row, stage.computed);
  const step = bindKind({ ...stageFrame(outer, stage), these: own }, stage, tree);
  // A function of the model may use what clients cannot.
  if (tree.kind !== 'function') step.transformations.forEach(requireTransformable);
  const these = own.used();
  const [first, ...others] = step.transformations;
  if (these === undefined || first === undefined) return step;
  return { ...step, transformations: [{ ...first, these }, ...others] };
}

function bindKind(frame: Frame, stage: AppliedRows, tree: Tree.Transformation): Step {
  switch (tree.kind) {
    case 'identity':
      return { stage, transformations: [] };
    case 'filter':
      return keepRows(stage, { kind: 'filter', predicate: bindCondition(frame, tree.condition) });
    case 'search':
      return keepRows(stage, { kind: 'search', search: bindSearch(frame, tree.search) });
    case 'orderby':
      return keepRows(stage, { kind: 'orderby', items: bindOrder(frame, tree.items) });
    case 'skip':
    case 'top':
      return keepRows(stage, { kind: tree.kind, count: tree.count });
    case 'rank':
      return bindRank(frame, stage, tree);
    case 'compute':
      return bindComputeStep(frame, stage, tree);
    case 'aggregate':
      return bindAggregateStep(frame, stage, tree);
    case 'groupby':
      return bindGroupby(frame, stage, tree);
    case 'concat':
      return bindConcat(frame, stage, tree);
    case 'join':
    case 'outerjoin':
      return bindJoin(frame, stage, tree);
    case 'nest':
      return bindNest(frame, stage, tree, bindChain);
    case 'addnested':
      return bindAddNested(frame, stage, tree, bindChain);
    case 'ancestors':
    case 'descendants':
    case 'traverse': {
      const walk = bindHierarchy(frame, stage.row, tree, {
        rows: (apply) => bindStart(frame, stage, apply),
        nodes: (nodes, apply) => bindNodes(frame, nodes, apply),
      });
      return keepRows(stage, walk);
    }
    case 'function':
      return bindFunctionCall(frame, stage, tree);
  }
}

/** Names without a root refer to members of the stage's rows. */
function stageFrame(frame: Frame, { row, computed, nested }: Stage): Frame {
  const subject = subjectWith(resolvedVariable(row), computed, nested);
  return { ...frame, current: subject, it: subject, this: subject };
}

function bindComputeStep(frame: Frame, stage: Stage, tree: Of<'compute'>): Step {
  const { row } = stage;
  const subject = subjectWith(resolvedVariable(row), stage.computed, stage.nested);
  const isTaken = (name: string) => isTakenName(frame.model, row, name);
  const computed = bindCompute(frame, subject, tree.items, isTaken);
  if (row.kind === 'derived') {
    const columns = [...columnsOfRow(frame.model, row), ...computedColumns(computed)];
    const { nested = [] } = stage;
    if (nested.length > 0 && row.columns.size > 0) {
      throw notBuilt(frame, 'compute after nest inside groupby', tree.at);
    }
    return withNested(deriveRows(frame, stage, { kind: 'compute', computed }, columns), nested);
  }
  const compute: Transformation = { kind: 'compute', input: row, output: row, computed };
  const next = { ...stage, computed: [...stage.computed, ...computed] };
  return { stage: next, transformations: [compute] };
}

function bindAggregateStep(frame: Frame, stage: Stage, tree: Of<'aggregate'>): Step {
  const aggregations = bindAggregations(frame, tree.items, declaredNames(frame, stage));
  const columns = aggregations.map(({ alias, type }) => ({ name: alias, type }));
  return deriveRows(frame, stage, { kind: 'aggregate', aggregations }, columns);
}

function bindGroupby(frame: Frame, stage: AppliedRows, tree: Of<'groupby'>): Step {
  const nodes = (of: Rows, apply: Tree.Apply) => bindNodes(frame, of, apply);
  const { groupings, sets } = bindGroupings(frame, tree.elements, (element) =>
    bindNodeTree(frame, stage.row, element, { nodes }),
  );
  const keys = groupingColumns(groupings, sets);
  const taken = new Set([...declaredNames(frame, stage), ...keys.map(({ name }) => name)]);
  const hasTree = groupings.some((one) => one.tree !== undefined);
  const all = hasTree ? undefined : plainAggregations(frame, taken, tree.apply);
  // Aggregations that use `$these` refer to the whole group, so they are bound as transformations inside it.
  const plain = frame.these?.used() === undefined ? all : undefined;
  const base = { kind: 'groupby', groupings, sets } as const;
  if (plain !== undefined) {
    const columns = [...keys, ...plain.map(({ alias, type }) => ({ name: alias, type }))];
    const then: readonly Transformation[] = [];
    return deriveRows(frame, stage, { ...base, aggregations: plain, then }, columns);
  }
  const inner =
    tree.apply === undefined ? emptyRow(frame, stage) : bindChain(frame, stage, tree.apply);
  // The rows of nest are queried when the response is written, so they do not become columns of the group.
  const isNest = inner.nested?.every(({ rows }) => rows === undefined) === true;
  const others = isNest ? columnsOfStage(frame, inner) : flatColumns(frame, inner, tree.at);
  const columns = [...keys, ...others];
  // A groupby without transformations aggregates its groups, so identity is one.
  const identity = keepRows(stage, { kind: 'identity' }).transformations;
  const then = inner.apply.length === 0 ? identity : inner.apply;
  const derived = deriveRows(frame, stage, { ...base, aggregations: [], then }, columns);
  const grouped = withNested(
    derived,
    nestedInGroups(frame, stage, { derived, base, inner, at: tree.at }),
  );
  const node = groupings.find(({ name }) => name === OWN_NODE);
  return node === undefined ? grouped : withNode(frame, grouped, node, tree);
}

/** The result of groupby without a second parameter: one row without properties per group. */
function emptyRow(frame: Frame, stage: Stage): AppliedRows {
  const step = deriveRows(frame, stage, { kind: 'aggregate', aggregations: [] }, []);
  return { ...step.stage, apply: step.transformations };
}

/** The columns of the stage's rows; an entity has one per property, declared or computed. Throws: not-built for nested rows. */
function flatColumns(frame: Frame, stage: Stage, at: number): readonly DerivedColumn[] {
  if (stage.nested !== undefined) {
    throw notBuilt(frame, 'nested rows inside groupby, concat or join', at);
  }
  return columnsOfStage(frame, stage);
}

function columnsOfStage(frame: Frame, { row, computed }: Stage): readonly DerivedColumn[] {
  const columns = columnsOfRow(frame.model, row);
  return [...columns, ...computedColumns(computed)];
}

function bindConcat(frame: Frame, stage: Stage, tree: Of<'concat'>): Step {
  const results = tree.branches.map((branch) => bindChain(frame, stage, branch));
  const branches = results.map(({ apply }) => apply);
  const isAlike = results.every(
    ({ row, computed, nested }) =>
      row === stage.row && computed === stage.computed && nested === stage.nested,
  );
  if (isAlike) return keepRows(stage, { kind: 'concat', branches });
  const parts = results.map((result) => flatColumns(frame, result, tree.at));
  const columns = parts.reduce<readonly DerivedColumn[]>(
    (before, part) => mergeColumns(frame, before, part, tree.at),
    [],
  );
  const all = [...columns, ...definedColumns(columns, parts)];
  return deriveRows(frame, stage, { kind: 'concat', branches }, all);
}

/** Indicators that distinguish rows without a member from rows in which it is null. */
function definedColumns(
  columns: readonly DerivedColumn[],
  parts: readonly (readonly DerivedColumn[])[],
): readonly DerivedColumn[] {
  const names = parts.map((part) => new Set(part.map(({ name }) => name)));
  return columns
    .filter(({ name, indicates }) => indicates === undefined && names.some((own) => !own.has(name)))
    .map(({ name }) => indicatorColumn('defined', name));
}

/** The columns of both sides. Throws: bind.operand if a column has different types in them. */
function mergeColumns(
  frame: Frame,
  left: readonly DerivedColumn[],
  right: readonly DerivedColumn[],
  at: number,
): readonly DerivedColumn[] {
  const byName = new Map(left.map((column) => [column.name, column]));
  for (const column of right) {
    const known = byName.get(column.name);
    const type =
      known === undefined ? column.type : mergedType(frame.model, known.type, column.type);
    if (type === undefined) {
      const types = `${typeName(known?.type ?? column.type)} and ${typeName(column.type)}`;
      throw faultAt(frame, at, 'bind.operand', {
        operator: 'concat',
        types: `${column.name} of types ${types}`,
        hint: ' Give them different names.',
      });
    }
    byName.set(column.name, { ...column, type });
  }
  return [...byName.values()];
}

/** Facets are kept if both types have the same. */
function mergedType(model: Model, left: ValueType, right: ValueType): ValueType | undefined {
  const common = commonType(model, left, right);
  if (left.kind !== 'primitive' || right.kind !== 'primitive') return common;
  const isSame = left.name === right.name && left.facets.scale === right.facets.scale;
  return isSame && left.facets.precision === right.facets.precision ? left : common;
}

/** Combines each row with each row of the path, whose columns get the alias as a prefix. */
function bindJoin(frame: Frame, stage: Stage, tree: Of<'join' | 'outerjoin'>): Step {
  const resolved = frame.session.resolve(frame, tree.path);
  if (resolved.kind !== 'rows') {
    throw faultAt(frame, tree.at, 'bind.operand', {
      operator: tree.kind,
      types: show(tree.path),
      hint: ' Name a collection of entities.',
    });
  }
  const { rows } = resolved;
  const own = flatColumns(frame, stage, tree.at);
  if (own.some(({ name }) => name === tree.alias || name.startsWith(`${tree.alias}/`))) {
    throw faultAt(frame, tree.at, 'bind.name-taken', { name: tree.alias });
  }
  const inner = bindChain(
    frame,
    { row: rows.row, type: rows.row.type, computed: [] },
    tree.apply ?? [],
  );
  const joined = prefixColumns(tree.alias, flatColumns(frame, inner, tree.at));
  const outer = tree.kind === 'outerjoin';
  const object = outer ? [indicatorColumn('object', tree.alias)] : [];
  const then = inner.apply;
  const join = { kind: 'join', outer, rows, alias: tree.alias, then } as const;
  return deriveRows(frame, stage, join, [...own, ...object, ...joined]);
}

/** Binds the start rows of a hierarchical transformation. Throws: not-built unless they are rows of the stage itself. */
function bindStart(frame: Frame, stage: Stage, apply: Tree.Apply): readonly Transformation[] {
  const start = bindChain(frame, stage, apply);
  if (start.row === stage.row) return start.apply;
  throw notBuilt(frame, 'derived rows as the start of a hierarchy', apply[0]?.at ?? 0);
}

/** Binds the transformations that select nodes of a hierarchy. Throws: not-built for derived rows. */
function bindNodes(frame: Frame, nodes: Rows, apply: Tree.Apply): readonly Transformation[] {
  const { row } = nodes;
  const chosen = bindChain(frame, { row, type: row.type, computed: [] }, apply);
  if (chosen.row === row) return chosen.apply;
  throw notBuilt(frame, 'derived rows as nodes of a hierarchy', apply[0]?.at ?? 0);
}

/** Binds a function that is bound to the collection. If it only selects rows, it becomes filters. Throws: not-built for others. */
function bindFunctionCall(frame: Frame, stage: Stage, tree: Of<'function'>): Step {
  const { row } = stage;
  const { name, at, arguments: args } = tree;
  const resolved = callFunction(frame, { name, at, arguments: args, binding: wholeStage(stage) });
  const conditions = conditionsOf(resolved, row);
  if (conditions === undefined)
    throw notBuilt(frame, `the function ${name} as a transformation`, at);
  const transformations = conditions.map((predicate, index): Transformation => {
    const filter = { kind: 'filter', input: row, output: row, predicate } as const;
    // `$these` in the function refers to the rows of the stage.
    return index === 0 && row.kind === 'derived' ? { ...filter, these: row } : filter;
  });
  return { stage, transformations };
}

/** All rows of the stage, as the binding parameter of a function. */
function wholeStage({ row, type }: Stage): Resolved {
  if (row.kind === 'entity')
    return { kind: 'rows', rows: { row, origin: { kind: 'source' }, where: [] } };
  invariant(row.kind === 'derived', 'no items are transformed');
  const collection = {
    kind: 'made',
    row,
    where: [],
    type,
  } as const;
  return { kind: 'made', collection };
}

/** The conditions that a function put on the rows; undefined if it returns other rows. */
function conditionsOf(resolved: Resolved, { id }: RowVariable): readonly Expression[] | undefined {
  if (resolved.kind === 'rows')
    return resolved.rows.row.id === id ? resolved.rows.where : undefined;
  const isOwn = resolved.kind === 'made' && resolved.collection.row.id === id;
  return isOwn ? resolved.collection.where : undefined;
}
