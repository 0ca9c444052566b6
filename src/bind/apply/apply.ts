// This file binds $apply: each transformation takes the rows that the one before it made. Where rows are only chosen or ordered they
// stay entities; aggregate, groupby, join and concat of unlike rows derive rows with columns by name.
// OData Data Aggregation 4.0, "Set Transformations".
import { Fault, invariant } from '../../base/fault.ts';
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
import { bindSearch } from '../query/search.ts';
import {
  type DerivedRow,
  type EntityRow,
  type Frame,
  placeOf,
  type Reached,
  reachVariable,
  whereOf,
} from '../scope.ts';
import { bindAggregations } from './aggregate.ts';
import {
  columnsOfRow,
  computedColumns,
  isColumnName,
  tellingColumn,
  underName,
} from './derived-columns.ts';
import { bindGroupings, groupingColumns, OWN_NODE, plainAggregations } from './groupby.ts';
import { bindHierarchy, bindNodeTree } from './hierarchy.ts';
import { withNode } from './hierarchy-node.ts';
import { addingNested, nestedInGroups, nesting, withNested } from './nest.ts';
import { ranking } from './top-bottom.ts';
import {
  type AppliedRows,
  declaredNames,
  deriving,
  keeping,
  notBuilt,
  type Of,
  type Stage,
  type Step,
} from './transformation-rows.ts';

/** Faults: those of each transformation; bind.aggregated-away for names that are no longer there; not-built. */
export function bindApply(frame: Frame, row: EntityRow, apply: Tree.Apply): AppliedRows {
  return bindChain(frame, { row, type: row.type, computed: [] }, apply);
}

/** The same of rows that are combinations of entities. */
export function bindApplyToDerived(frame: Frame, row: DerivedRow, apply: Tree.Apply): AppliedRows {
  return bindChain(frame, { row, type: undefined, computed: [] }, apply);
}

function bindChain(frame: Frame, start: Stage, apply: Tree.Apply): AppliedRows {
  return apply.reduce<AppliedRows>(
    (before, tree) => {
      const step = bindOne(frame, before, tree);
      return { ...step.stage, apply: [...before.apply, ...step.made] };
    },
    { ...start, apply: [] },
  );
}

/** The transformation with the variable by which it speaks of its whole input, where it does. */
function bindOne(outer: Frame, stage: AppliedRows, tree: Tree.Transformation): Step {
  const own = theseRows(outer.session, stage.row, stage.computed);
  const step = bindKind({ ...stageFrame(outer, stage), these: own }, stage, tree);
  const these = own.used();
  const [first, ...others] = step.made;
  if (these === undefined || first === undefined) return step;
  return { ...step, made: [{ ...first, these }, ...others] };
}

function bindKind(frame: Frame, stage: AppliedRows, tree: Tree.Transformation): Step {
  switch (tree.kind) {
    case 'identity':
      return { stage, made: [] };
    case 'filter':
      return keeping(stage, { kind: 'filter', predicate: bindCondition(frame, tree.condition) });
    case 'search':
      return searching(frame, stage, tree);
    case 'orderby':
      return keeping(stage, { kind: 'orderby', items: bindOrder(frame, tree.items) });
    case 'skip':
    case 'top':
      return keeping(stage, { kind: tree.kind, count: tree.count });
    case 'rank':
      return ranking(frame, stage, tree);
    case 'compute':
      return computing(frame, stage, tree);
    case 'aggregate':
      return aggregating(frame, stage, tree);
    case 'groupby':
      return grouping(frame, stage, tree);
    case 'concat':
      return concatenating(frame, stage, tree);
    case 'join':
    case 'outerjoin':
      return joining(frame, stage, tree);
    case 'nest':
      return nesting(frame, stage, tree, bindChain);
    case 'addnested':
      return addingNested(frame, stage, tree, bindChain);
    case 'ancestors':
    case 'descendants':
    case 'traverse': {
      const walk = bindHierarchy(frame, stage.row, tree, {
        rows: (apply) => bindStart(frame, stage, apply),
        nodes: (nodes, apply) => bindNodes(frame, nodes, apply),
      });
      return keeping(stage, walk);
    }
    case 'function':
      return calling(frame, stage, tree);
  }
}

/** Names without a root mean members of the stage's rows. */
function stageFrame(frame: Frame, { row, computed, nested }: Stage): Frame {
  const subject = subjectWith(reachVariable(row), computed, nested);
  return { ...frame, current: subject, it: subject, this: subject };
}

function searching(frame: Frame, stage: Stage, tree: Of<'search'>): Step {
  return keeping(stage, { kind: 'search', search: bindSearch(frame, tree.search) });
}

function computing(frame: Frame, stage: Stage, tree: Of<'compute'>): Step {
  const { row } = stage;
  const subject = subjectWith(reachVariable(row), stage.computed, stage.nested);
  const { model } = frame.session.scope;
  const taken = (name: string) =>
    row.kind === 'derived'
      ? isColumnName(row, name)
      : row.kind === 'entity' && model.members(row.type).has(name);
  const computed = bindCompute(frame, subject, tree.items, taken);
  if (row.kind === 'derived') {
    const columns = [...columnsOfRow(model, row), ...computedColumns(computed)];
    const { nested = [] } = stage;
    if (nested.length > 0 && row.columns.size > 0) {
      throw notBuilt(frame, 'compute behind nest inside groups', tree.at);
    }
    return withNested(deriving(frame, stage, { kind: 'compute', computed }, columns), nested);
  }
  const made: Transformation = { kind: 'compute', input: row, output: row, computed };
  return { stage: { ...stage, computed: [...stage.computed, ...computed] }, made: [made] };
}

function aggregating(frame: Frame, stage: Stage, tree: Of<'aggregate'>): Step {
  const aggregations = bindAggregations(frame, tree.items, declaredNames(frame, stage));
  const columns = aggregations.map(({ alias, type }) => ({ name: alias, type }));
  return deriving(frame, stage, { kind: 'aggregate', aggregations }, columns);
}

function grouping(frame: Frame, stage: AppliedRows, tree: Of<'groupby'>): Step {
  const nodes = (of: Rows, apply: Tree.Apply) => bindNodes(frame, of, apply);
  const { groupings, sets } = bindGroupings(frame, tree.elements, (element) =>
    bindNodeTree(frame, stage.row, element, { nodes }),
  );
  const keys = groupingColumns(groupings, sets);
  const taken = new Set([...declaredNames(frame, stage), ...keys.map(({ name }) => name)]);
  const hasTree = groupings.some((one) => one.tree !== undefined);
  const all = hasTree ? undefined : plainAggregations(frame, taken, tree.apply);
  // What speaks of the whole group is done inside the group.
  const plain = frame.these?.used() === undefined ? all : undefined;
  const base = { kind: 'groupby', groupings, sets } as const;
  if (plain !== undefined) {
    const columns = [...keys, ...plain.map(({ alias, type }) => ({ name: alias, type }))];
    const then: readonly Transformation[] = [];
    return deriving(frame, stage, { ...base, aggregations: plain, then }, columns);
  }
  const inner =
    tree.apply === undefined ? oneForEach(frame, stage) : bindChain(frame, stage, tree.apply);
  // What nest has made of a group is asked for where the group is written.
  const isNest = inner.nested?.every(({ rows }) => rows === undefined) === true;
  const others = isNest ? columnsOfStage(frame, inner) : spreadOut(frame, inner, tree.at);
  const columns = [...keys, ...others];
  const then = inner.apply;
  const derived = deriving(frame, stage, { ...base, aggregations: [], then }, columns);
  const grouped = withNested(
    derived,
    nestedInGroups(frame, stage, { derived, base, inner, at: tree.at }),
  );
  const node = groupings.find(({ name }) => name === OWN_NODE);
  return node === undefined ? grouped : withNode(frame, grouped, node, tree);
}

/** What no second parameter of groupby means: one row without properties, even of no rows. */
function oneForEach(frame: Frame, stage: Stage): AppliedRows {
  const { stage: next, made } = deriving(frame, stage, { kind: 'aggregate', aggregations: [] }, []);
  return { ...next, apply: made };
}

/** The columns of the stage's rows, entities spread out into their properties with those that were computed. */
function spreadOut(frame: Frame, stage: Stage, at: number): readonly DerivedColumn[] {
  if (stage.nested !== undefined) {
    throw notBuilt(frame, 'nested rows inside groupby, concat or join', at);
  }
  return columnsOfStage(frame, stage);
}

function columnsOfStage(frame: Frame, { row, computed }: Stage): readonly DerivedColumn[] {
  const columns = columnsOfRow(frame.session.scope.model, row);
  return [...columns, ...computedColumns(computed)];
}

function concatenating(frame: Frame, stage: Stage, tree: Of<'concat'>): Step {
  const results = tree.branches.map((branch) => bindChain(frame, stage, branch));
  const branches = results.map(({ apply }) => apply);
  const isAlike = results.every(
    ({ row, computed, nested }) =>
      row === stage.row && computed === stage.computed && nested === stage.nested,
  );
  if (isAlike) return keeping(stage, { kind: 'concat', branches });
  const parts = results.map((result) => spreadOut(frame, result, tree.at));
  const columns = parts.reduce<readonly DerivedColumn[]>(
    (before, part) => unite(frame, before, part, tree.at),
    [],
  );
  const all = [...columns, ...definedColumns(columns, parts)];
  return deriving(frame, stage, { kind: 'concat', branches }, all);
}

/** What tells apart rows that have no such member from those in which it is null. */
function definedColumns(
  columns: readonly DerivedColumn[],
  parts: readonly (readonly DerivedColumn[])[],
): readonly DerivedColumn[] {
  const names = parts.map((part) => new Set(part.map(({ name }) => name)));
  return columns
    .filter(({ name, tells }) => tells === undefined && names.some((own) => !own.has(name)))
    .map(({ name }) => tellingColumn('defined', name));
}

/** The columns of both; one that both have must be of one type. */
function unite(
  frame: Frame,
  left: readonly DerivedColumn[],
  right: readonly DerivedColumn[],
  at: number,
): readonly DerivedColumn[] {
  const { model } = frame.session.scope;
  const byName = new Map(left.map((column) => [column.name, column]));
  for (const column of right) {
    const known = byName.get(column.name);
    const type = known === undefined ? column.type : unitedType(model, known.type, column.type);
    if (type === undefined) {
      const types = `${typeName(known?.type ?? column.type)} and ${typeName(column.type)}`;
      throw new Fault(
        'bind.operand',
        {
          operator: 'concat',
          types: `${column.name} of types ${types}`,
          place: placeOf(frame, at),
          hint: ' Give them different names.',
        },
        whereOf(frame, at),
      );
    }
    byName.set(column.name, { ...column, type });
  }
  return [...byName.values()];
}

/** Facets stay where both have the same. */
function unitedType(model: Model, left: ValueType, right: ValueType): ValueType | undefined {
  const common = commonType(model, left, right);
  if (left.kind !== 'primitive' || right.kind !== 'primitive') return common;
  const isSame = left.name === right.name && left.facets.scale === right.facets.scale;
  return isSame && left.facets.precision === right.facets.precision ? left : common;
}

/** Each row with each of the rows that the path leads to, under the alias. */
function joining(frame: Frame, stage: Stage, tree: Of<'join' | 'outerjoin'>): Step {
  const reached = frame.session.reach(frame, tree.path);
  if (reached.kind !== 'rows') {
    throw new Fault(
      'bind.operand',
      {
        operator: tree.kind,
        types: show(tree.path),
        place: placeOf(frame, tree.at),
        hint: ' Name a collection of entities.',
      },
      whereOf(frame, tree.at),
    );
  }
  const { rows } = reached;
  const own = spreadOut(frame, stage, tree.at);
  if (own.some(({ name }) => name === tree.alias || name.startsWith(`${tree.alias}/`))) {
    throw new Fault(
      'bind.name-taken',
      { name: tree.alias, place: placeOf(frame, tree.at) },
      whereOf(frame, tree.at),
    );
  }
  const inner = bindChain(
    frame,
    { row: rows.row, type: rows.row.type, computed: [] },
    tree.apply ?? [],
  );
  const joined = underName(tree.alias, spreadOut(frame, inner, tree.at));
  const outer = tree.kind === 'outerjoin';
  const object = outer ? [tellingColumn('object', tree.alias)] : [];
  const then = inner.apply;
  const join = { kind: 'join', outer, rows, alias: tree.alias, then } as const;
  return deriving(frame, stage, join, [...own, ...object, ...joined]);
}

/** Where the walk through a hierarchy starts: rows of the stage itself. */
function bindStart(frame: Frame, stage: Stage, apply: Tree.Apply): readonly Transformation[] {
  const start = bindChain(frame, stage, apply);
  if (start.row === stage.row) return start.apply;
  throw notBuilt(frame, 'derived rows as the start of a hierarchy', apply[0]?.at ?? 0);
}

/** What chooses among the nodes of a hierarchy. */
function bindNodes(frame: Frame, nodes: Rows, apply: Tree.Apply): readonly Transformation[] {
  const { row } = nodes;
  const chosen = bindChain(frame, { row, type: row.type, computed: [] }, apply);
  if (chosen.row === row) return chosen.apply;
  throw notBuilt(frame, 'derived rows as nodes of a hierarchy', apply[0]?.at ?? 0);
}

/** A function bound to the collection: one that only chooses rows is a filter. */
function calling(frame: Frame, stage: Stage, tree: Of<'function'>): Step {
  const { row } = stage;
  const { name, at, arguments: args } = tree;
  const reached = callFunction(frame, { name, at, arguments: args, binding: wholeStage(stage) });
  const chosen = chosenOf(reached, row);
  if (chosen === undefined) throw notBuilt(frame, `the function ${name} as a transformation`, at);
  const made = chosen.map((predicate, index): Transformation => {
    const filter = { kind: 'filter', input: row, output: row, predicate } as const;
    // What the function asks of all rows that it was given is asked of those of the stage.
    return index === 0 && row.kind === 'derived' ? { ...filter, these: row } : filter;
  });
  return { stage, made };
}

/** All rows of the stage, as what a function is bound to. */
function wholeStage({ row, type }: Stage): Reached {
  if (row.kind === 'entity')
    return { kind: 'rows', rows: { row, origin: { kind: 'source' }, where: [] } };
  invariant(row.kind === 'derived', 'no items are transformed');
  const collection = {
    kind: 'made',
    row,
    where: [],
    ...(type === undefined ? {} : { type }),
  } as const;
  return { kind: 'made', collection };
}

/** The conditions by which rows were chosen; undefined where others were reached. */
function chosenOf(reached: Reached, { id }: RowVariable): readonly Expression[] | undefined {
  if (reached.kind === 'rows') return reached.rows.row.id === id ? reached.rows.where : undefined;
  const isOwn = reached.kind === 'made' && reached.collection.row.id === id;
  return isOwn ? reached.collection.where : undefined;
}
