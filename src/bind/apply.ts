// This file binds $apply: each transformation takes the rows that the one before it made. Where rows are only chosen or ordered they
// stay entities; aggregate, groupby, join and concat of unlike rows derive rows with columns by name.
// OData Data Aggregation 4.0, "Set Transformations".
import { Fault } from '../base/fault.ts';
import type { EntityType, Model } from '../edm/model.ts';
import type * as Tree from '../request/tree.ts';
import { bindAggregations } from './aggregation.ts';
import type {
  Computed,
  DerivedColumn,
  Expression,
  Rows,
  RowVariable,
  Transformation,
  ValueType,
} from './bound.ts';
import {
  columnsOfRow,
  computedColumns,
  derivedRow,
  isColumnName,
  tellingColumn,
  underName,
} from './columns.ts';
import { bindGroupings, groupingColumns, plainAggregations } from './grouping.ts';
import { bindHierarchy } from './hierarchy.ts';
import { callFunction } from './operation.ts';
import { bindCompute, bindOrder } from './ordering.ts';
import { bindCondition, bindOperand, refuseCoded } from './promotion.ts';
import { subjectWith } from './query.ts';
import { type EntityRow, type Frame, placeOf, reachVariable, whereOf } from './scope.ts';
import { bindSearch } from './search.ts';
import { show } from './show.ts';
import { commonType, isDuration, isNumeric, typeName } from './types.ts';

/** The rows between two transformations. */
export interface Stage {
  readonly row: RowVariable;
  /** The type that the rows had at first: aggregates are no properties that it declares. */
  readonly type: EntityType;
  /** Properties that compute has added to entities; those of derived rows are columns. */
  readonly computed: readonly Computed[];
}

/** What comes out of a chain of transformations. */
export interface AppliedRows extends Stage {
  readonly apply: readonly Transformation[];
}

/** Faults: those of each transformation; bind.aggregated-away for names that are no longer there; not-built. */
export function bindApply(frame: Frame, row: EntityRow, apply: Tree.Apply): AppliedRows {
  return bindChain(frame, { row, type: row.type, computed: [] }, apply);
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

interface Step {
  readonly stage: Stage;
  readonly made: readonly Transformation[];
}

type Of<Kind extends Tree.Transformation['kind']> = Tree.Transformation & { readonly kind: Kind };

function bindOne(outer: Frame, stage: Stage, tree: Tree.Transformation): Step {
  const frame = stageFrame(outer, stage);
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
    case 'addnested':
      throw notBuilt(frame, `the transformation ${tree.kind}`, tree.at);
    case 'ancestors':
    case 'descendants':
    case 'traverse': {
      const walk = bindHierarchy(frame, stage.row, tree, (start) => bindStart(frame, stage, start));
      return keeping(stage, walk);
    }
    case 'function':
      return calling(frame, stage, tree);
  }
}

/** Names without a root mean members of the stage's rows. */
function stageFrame(frame: Frame, { row, computed }: Stage): Frame {
  const subject = subjectWith(reachVariable(row), computed);
  return { ...frame, current: subject, it: subject, this: subject };
}

type Unplaced<One> = One extends unknown ? Omit<One, 'input' | 'output'> : never;

/** A transformation that leaves the rows what they are. */
function keeping(stage: Stage, transformation: Unplaced<Transformation>): Step {
  const { row } = stage;
  return { stage, made: [{ ...transformation, input: row, output: row } as Transformation] };
}

/** A transformation that makes rows with these columns. */
function deriving(
  frame: Frame,
  { row, type }: Stage,
  transformation: Unplaced<Transformation>,
  columns: readonly DerivedColumn[],
): Step {
  const output = derivedRow(frame.session, columns);
  const made = { ...transformation, input: row, output } as Transformation;
  return { stage: { row: output, type, computed: [] }, made: [made] };
}

function searching(frame: Frame, stage: Stage, tree: Of<'search'>): Step {
  return keeping(stage, { kind: 'search', search: bindSearch(frame, tree.search) });
}

function computing(frame: Frame, stage: Stage, tree: Of<'compute'>): Step {
  const { row } = stage;
  const subject = subjectWith(reachVariable(row), stage.computed);
  const { model } = frame.session.scope;
  const taken = (name: string) =>
    row.kind === 'derived'
      ? isColumnName(row, name)
      : row.kind === 'entity' && model.members(row.type).has(name);
  const computed = bindCompute(frame, subject, tree.items, taken);
  if (row.kind === 'derived') {
    const columns = [...columnsOfRow(model, row), ...computedColumns(computed)];
    return deriving(frame, stage, { kind: 'compute', computed }, columns);
  }
  const made: Transformation = { kind: 'compute', input: row, output: row, computed };
  return { stage: { ...stage, computed: [...stage.computed, ...computed] }, made: [made] };
}

function aggregating(frame: Frame, stage: Stage, tree: Of<'aggregate'>): Step {
  const aggregations = bindAggregations(frame, tree.items, declaredNames(frame, stage));
  const columns = aggregations.map(({ alias, type }) => ({ name: alias, type }));
  return deriving(frame, stage, { kind: 'aggregate', aggregations }, columns);
}

/** Names that no aggregate can be given. OData Data Aggregation 4.0, "Keyword as". */
function declaredNames(frame: Frame, { type }: Stage): ReadonlySet<string> {
  return new Set(frame.session.scope.model.members(type).keys());
}

function grouping(frame: Frame, stage: Stage, tree: Of<'groupby'>): Step {
  const { groupings, sets } = bindGroupings(frame, tree.elements);
  const keys = groupingColumns(groupings, sets);
  const taken = new Set([...declaredNames(frame, stage), ...keys.map(({ name }) => name)]);
  const plain = plainAggregations(frame, taken, tree.apply);
  const base = { kind: 'groupby', groupings, sets } as const;
  if (plain !== undefined) {
    const columns = [...keys, ...plain.map(({ alias, type }) => ({ name: alias, type }))];
    const then: readonly Transformation[] = [];
    return deriving(frame, stage, { ...base, aggregations: plain, then }, columns);
  }
  const inner = bindChain(frame, stage, tree.apply ?? []);
  const columns = [...keys, ...spreadOut(frame, inner)];
  const then = inner.apply;
  return deriving(frame, stage, { ...base, aggregations: [], then }, columns);
}

/** The columns of the stage's rows, entities spread out into their properties with those that were computed. */
function spreadOut(frame: Frame, { row, computed }: Stage): readonly DerivedColumn[] {
  const columns = columnsOfRow(frame.session.scope.model, row);
  return [...columns, ...computedColumns(computed)];
}

function concatenating(frame: Frame, stage: Stage, tree: Of<'concat'>): Step {
  const results = tree.branches.map((branch) => bindChain(frame, stage, branch));
  const branches = results.map(({ apply }) => apply);
  const isAlike = results.every(
    ({ row, computed }) => row === stage.row && computed === stage.computed,
  );
  if (isAlike) return keeping(stage, { kind: 'concat', branches });
  const parts = results.map((result) => spreadOut(frame, result));
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
  const own = spreadOut(frame, stage);
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
  const joined = underName(tree.alias, spreadOut(frame, inner));
  const outer = tree.kind === 'outerjoin';
  const object = outer ? [tellingColumn('object', tree.alias)] : [];
  const then = inner.apply;
  const join = { kind: 'join', outer, rows, alias: tree.alias, then } as const;
  return deriving(frame, stage, join, [...own, ...object, ...joined]);
}

function ranking(frame: Frame, stage: Stage, tree: Of<'rank'>): Step {
  const end = tree.method.startsWith('top') ? 'top' : 'bottom';
  const measure = measureOf(tree.method);
  const by = bindOperand(frame, tree.value);
  refuseCoded(frame, by);
  const amount = bindOperand({ ...frame, current: undefined }, tree.amount);
  requireNumber(frame, amount.value, tree.amount, tree.method);
  if (measure !== 'count') requireNumber(frame, by.value, tree.value, tree.method);
  else bindOrder(frame, [{ at: tree.at, expression: tree.value, descending: false }]);
  return keeping(stage, {
    kind: 'extreme',
    end,
    measure,
    amount: checkAmount(frame, measure, amount.value, tree),
    by: by.value,
  });
}

/** A constant that is out of bounds is refused; it is looked at now, so it is no parameter. Faults: bind.operand. */
function checkAmount(
  frame: Frame,
  measure: 'count' | 'sum' | 'percent',
  amount: Expression,
  tree: Of<'rank'>,
): Expression {
  if (amount.kind !== 'literal' || measure === 'sum') return amount;
  const number = Number(amount.value);
  const isRight = measure === 'count' ? Number.isInteger(number) : number <= 100;
  if (number >= 0 && isRight) return { kind: 'literal', type: amount.type, value: amount.value };
  throw new Fault(
    'bind.operand',
    {
      operator: tree.method,
      types: `${show(tree.amount)} of type ${typeName(amount.type)}`,
      place: placeOf(frame, tree.amount.at),
      hint: measure === 'count' ? ' It needs a whole number.' : ' It needs a number from 0 to 100.',
    },
    whereOf(frame, tree.amount.at),
  );
}

function measureOf(method: Tree.RankMethod): 'count' | 'sum' | 'percent' {
  if (method.endsWith('count')) return 'count';
  return method.endsWith('sum') ? 'sum' : 'percent';
}

function requireNumber(
  frame: Frame,
  value: Expression,
  tree: Tree.Expression,
  method: string,
): void {
  const { type } = value;
  if (isNumeric(type) || isDuration(type) || type.kind === 'untyped') return;
  throw new Fault(
    'bind.operand',
    {
      operator: method,
      types: `${show(tree)} of type ${typeName(type)}`,
      place: placeOf(frame, tree.at),
      hint: ' It needs numbers.',
    },
    whereOf(frame, tree.at),
  );
}

/** Where the walk through a hierarchy starts: rows of the stage itself. */
function bindStart(frame: Frame, stage: Stage, apply: Tree.Apply): readonly Transformation[] {
  const start = bindChain(frame, stage, apply);
  if (start.row === stage.row) return start.apply;
  throw notBuilt(frame, 'derived rows as the start of a hierarchy', apply[0]?.at ?? 0);
}

/** A function bound to the collection: one that only chooses rows is a filter. */
function calling(frame: Frame, stage: Stage, tree: Of<'function'>): Step {
  const { row } = stage;
  if (row.kind !== 'entity') throw notBuilt(frame, 'functions of derived rows', tree.at);
  const rows: Rows = { row, origin: { kind: 'source' }, where: [] };
  const { name, at, arguments: args } = tree;
  const binding = { kind: 'rows', rows } as const;
  const reached = callFunction(frame, { name, at, arguments: args, binding });
  if (reached.kind !== 'rows' || reached.rows.row.id !== row.id) {
    throw notBuilt(frame, `the function ${name} as a transformation`, at);
  }
  const made = reached.rows.where.map(
    (predicate): Transformation => ({ kind: 'filter', input: row, output: row, predicate }),
  );
  return { stage, made };
}

function notBuilt(frame: Frame, feature: string, at: number): Fault {
  return new Fault('not-built', { feature }, whereOf(frame, at));
}
