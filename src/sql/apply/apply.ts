// This file compiles $apply: each transformation selects from the rows of the previous one, as nested sub-selects.
//     groupby((Status/Value),aggregate($count as N))/filter(N gt 5)
//     FROM (SELECT t1."Status" AS "Status/Value", count(*) AS "N" FROM "ServiceRequests" t1 GROUP BY t1."Status") t2 WHERE t2."N" > ?
// OData Data Aggregation 4.0, "Set Transformations".
import { invariant, unreachable } from '../../base/fault.ts';
import type { Expression, Rows, RowVariable, Transformation } from '../../bind/bound.ts';
import { compileCast } from '../expression/cast.ts';
import { toStorage } from '../expression/convert-storage.ts';
import { compileSearch } from '../expression/text-search.ts';
import { EMPTY, type Fragment, integer, join, list, sql, where } from '../fragment.ts';
import { type Key, keyOf, limitTo, positionKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { fromSource, identityColumn } from '../read/union-source.ts';
import { FLOATING, INTEGER } from '../schema/value-storage.ts';
import { aliasOf, bindThese, type Scope } from '../scope.ts';
import { groupName, namedKeys } from './chained-aggregate.ts';
import {
  aggregate,
  keyOf as groupKey,
  groupRows,
  unnestGroupings,
  withGroupsOf,
  withPartition,
} from './groupby.ts';
import { walkHierarchy } from './hierarchy.ts';
import { joinRows } from './join.ts';
import {
  asSubselect,
  columnByName,
  firstStage,
  fromRows,
  identityOfStage,
  keyColumns,
  nextStage,
  type Stage,
  selectAll,
  selectColumns,
  toColumn,
  totalOrderOf,
  withHiddenColumn,
  withOrderOf,
} from './transformation-rows.ts';

/** Applies a chain of transformations to rows. */
export function applyToRows(scope: Scope, rows: Rows, apply: readonly Transformation[]): Stage {
  const origin = originOf(scope, rows);
  return applyAll(firstStage(origin, rows.row), apply);
}

/** Applies a chain of transformations to a stage. */
export function applyAll(stage: Stage, apply: readonly Transformation[]): Stage {
  return apply.reduce(applyOne, stage);
}

function applyOne(previous: Stage, transformation: Transformation): Stage {
  const stage = withThese(previous, transformation.these);
  const { scope } = stage;
  switch (transformation.kind) {
    case 'identity':
      return stage;
    case 'filter':
      return addCondition(stage, scope.condition(scope, transformation.predicate));
    case 'search': {
      const row = { kind: 'variable', row: stage.row } as const;
      return addCondition(stage, compileSearch(scope, row, transformation.search));
    }
    case 'orderby': {
      const keys = transformation.items.map((item) => keyOf(scope, item));
      return { ...stage, keys: [...keys, ...stage.keys] };
    }
    case 'skip':
    case 'top':
      return skipOrTop(stage, transformation.kind, transformation.count);
    case 'compute':
      return compute(stage, transformation);
    case 'aggregate':
      return aggregate(stage, transformation);
    case 'groupby':
      return transformation.then.length === 0
        ? groupRows(stage, transformation, applyAll)
        : applyInGroups(stage, transformation);
    case 'concat':
      return concat(stage, transformation);
    case 'extreme':
      return extreme(stage, transformation);
    case 'join':
      return joinRows(stage, transformation, applyAll);
    case 'nest':
      return emptyRows(stage, transformation.output);
    case 'hierarchy':
      return walkHierarchy(stage, transformation, applyAll);
    default:
      return unreachable(transformation);
  }
}

/** The stage with $these set to all its rows, or to those of the same group. */
function withThese(stage: Stage, row: RowVariable | undefined): Stage {
  if (row === undefined) return stage;
  const groups = stage.partition.map((around, index) => ({ column: groupName(index), around }));
  return { ...stage, scope: bindThese(stage.scope, row, { rows: selectAll(stage), groups }) };
}

/** One row without values; within groupby, one for each group. */
function emptyRows(stage: Stage, output: RowVariable): Stage {
  const { scope, partition, groups } = stage;
  const one = sql`SELECT 1 AS "$one"`;
  const rows = partition.length === 0 ? one : (groups ?? distinctGroups(stage));
  return withGroupsOf(stage, nextStage(scope, output, rows));
}

function addCondition(stage: Stage, condition: Fragment): Stage {
  return { ...stage, conditions: [...stage.conditions, condition] };
}

/** Adds the result of a window function as a hidden column and keeps the rows that meet a condition on it. */
function filterByWindow(
  stage: Stage,
  windowValue: Fragment,
  condition: (column: Fragment) => Fragment,
): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const { stage: next, hidden } = withHiddenColumn(stage);
  const rows = numberedRows(stage, sql`, ${windowValue} AS ${hidden}`, hidden);
  return addCondition(fromRows(next, rows), condition(sql`${alias}.${hidden}`));
}

/** All columns and one more, by a window function. SQLite sorts only the identities of stored rows, since whole rows take it much longer. */
function numberedRows(stage: Stage, more: Fragment, hidden: Fragment): Fragment {
  const { scope, row, from, stored, conditions, partition } = stage;
  if (row.kind !== 'entity' || stored === undefined || !scope.dialect.numbersKeys)
    return selectAll(stage, more);
  const identity = identityColumn(scope, row);
  const groups = join(
    partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`),
    '',
  );
  const numbered = sql`SELECT ${identity} AS "$i"${groups}${more} FROM ${from}${where(conditions)}`;
  const added = [...partition.map((_, index) => groupName(index)), hidden];
  const columns = join(
    added.map((column) => sql`, w.${column}`),
    '',
  );
  return sql`SELECT ${aliasOf(scope, row)}.*${columns} FROM (${numbered}) w JOIN ${stored} ON ${identity} = w."$i"`;
}

/** `OVER (PARTITION BY … ORDER BY …)`. */
function windowOf(stage: Stage, order: Fragment, frame: Fragment = EMPTY): Fragment {
  const partition =
    stage.partition.length === 0 ? EMPTY : sql`PARTITION BY ${list(stage.partition)}`;
  return sql` OVER (${partition}${order}${frame})`;
}

function skipOrTop(stage: Stage, kind: 'skip' | 'top', count: number): Stage {
  if (stage.partition.length > 0) {
    const number = sql`row_number()${windowOf(stage, totalOrderOf(stage))}`;
    return filterByWindow(stage, number, (at) =>
      kind === 'top' ? sql`${at} <= ${integer(count)}` : sql`${at} > ${integer(count)}`,
    );
  }
  const range =
    kind === 'top' ? { limit: count, skip: 0 } : { limit: Number.MAX_SAFE_INTEGER, skip: count };
  return asSubselect(stage, sql`${totalOrderOf(stage)}${limitTo(range)}`);
}

type Of<Kind extends Transformation['kind']> = Transformation & { readonly kind: Kind };

/** Adds computed columns. An entity keeps its columns: its computed expressions are substituted where they are used. */
function compute(stage: Stage, { computed, output }: Of<'compute'>): Stage {
  const { scope } = stage;
  if (output.kind !== 'derived') {
    return { ...stage, computed: [...stage.computed, ...computed] };
  }
  const columns = selectColumns(output, (one) => {
    const found = computed.find((item) => item.name === one.name);
    return found === undefined
      ? columnByName(stage, one)
      : toColumn(scope, scope.value(scope, found.expression), one);
  });
  const groups = stage.partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const rows = sql`SELECT ${columns}${join(groups, '')}${keyColumns(stage)} FROM ${stage.from}${where(stage.conditions)}`;
  return withGroupsOf(stage, withOrderOf(stage, nextStage(scope, output, rows)));
}

/** Applies transformations within each group of every grouping set. Rows carry their group; skip and top count per group. */
function applyInGroups(stage: Stage, transformation: Of<'groupby'>): Stage {
  const { groupings, sets, output } = transformation;
  const { stage: unnested, groups } = unnestGroupings(stage, groupings, applyAll);
  const parts = sets.map((set, index) =>
    applyInSet(unnested, transformation, { set, index, groups }),
  );
  const next = nextStage(
    stage.scope,
    output,
    join(
      parts.map(({ rows }) => rows),
      ' UNION ALL ',
    ),
  );
  const inGroups = withGroupsOf(stage, next);
  return parts.some(({ isOrdered }) => isOrdered) ? inBranchOrder(inGroups) : inGroups;
}

interface InSet {
  readonly set: readonly number[];
  /** The position of the set. */
  readonly index: number;
  readonly groups: Fragment | undefined;
}

/** The rows of a grouping set, with their positions if the transformations order them. */
function applyInSet(
  stage: Stage,
  { groupings, then, output }: Of<'groupby'>,
  { set, index: at, groups: all }: InSet,
): { readonly rows: Fragment; readonly isOrdered: boolean } {
  const outer = stage.partition.length;
  const own = set.flatMap((index) => groupings[index] ?? []);
  const keys = own.map(
    (key, index) => sql`, ${groupKey(stage, key)} AS ${groupName(outer + index)}`,
  );
  const keyed = fromRows(stage, selectAll(stage, join(keys, '')));
  const grouped = withPartition({ ...keyed, stored: stage.stored }, outer + own.length);
  const groups = outer + own.length === 1 && all !== undefined ? all : groupsOf(grouped, then);
  const result = applyAll({ ...grouped, groups }, then);
  const { literal } = stage.scope.dialect;
  // A property that the set leaves out keeps the value of the row, if the row still has it.
  const columns = selectColumns(output, (one) => {
    const described = one.indicates?.what === 'defined' ? one.indicates.of : one.name;
    const key = own.findIndex(({ name }) => name === described);
    if (key < 0) return columnByName(result, one);
    return described === one.name ? (result.partition[outer + key] ?? sql`NULL`) : literal.true;
  });
  const around = result.partition
    .slice(0, outer)
    .map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const isOrdered = result.keys.length > 0;
  const inGroups = { ...result, keys: [...result.partition.map(groupOrder), ...result.keys] };
  const hidden = [...around, ...(isOrdered ? [positionColumns(inGroups, at)] : [])];
  const rows = sql`SELECT ${columns}${join(hidden, '')} FROM ${result.from}${where(result.conditions)}`;
  return { rows, isOrdered };
}

/** The groups of the stage; undefined if none of them can lose all of its rows. */
function groupsOf(stage: Stage, then: readonly Transformation[]): Fragment | undefined {
  const isKept = then.every(({ kind }) => KEEPING_ROWS.includes(kind));
  return isKept || stage.partition.length === 0 ? undefined : distinctGroups(stage);
}

const KEEPING_ROWS: readonly Transformation['kind'][] = [
  'identity',
  'orderby',
  'compute',
  'aggregate',
  'nest',
];

function distinctGroups({ from, conditions, partition }: Stage): Fragment {
  return sql`SELECT DISTINCT ${list(namedKeys(partition))} FROM ${from}${where(conditions)}`;
}

/** The sort key that keeps the rows of a group together. */
function groupOrder(group: Fragment): Key {
  const key = positionKey(group, INTEGER);
  return { ...key, sort: { ...key.sort, nullable: true } };
}

/** The results of all branches, one after the other, each in its own order. */
function concat(stage: Stage, { branches, output }: Of<'concat'>): Stage {
  const results = branches.map((branch) => applyAll(stage, branch));
  const rows = results.map((result, index) => branchRows(result, index, output));
  const union = join(rows, ' UNION ALL ');
  const next =
    output.kind === 'derived'
      ? nextStage(stage.scope, output, union)
      : fromRows({ ...stage, keys: [], hiddenColumns: 0 }, entityRows(stage, union));
  return inBranchOrder(withGroupsOf(stage, next));
}

const BRANCH = sql`"$b"`;
const POSITION = sql`"$p"`;

/** The rows in the order of their positionColumns. */
function inBranchOrder(stage: Stage): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const keys = [BRANCH, POSITION].map((column) => positionKey(sql`${alias}.${column}`, INTEGER));
  return { ...stage, keys };
}

/** The hidden columns with the number of a branch and the positions of its rows. */
function positionColumns(stage: Stage, branch: number): Fragment {
  const position = sql`row_number() OVER (${totalOrderOf(stage)})`;
  return sql`, ${integer(branch)} AS ${BRANCH}, ${position} AS ${POSITION}`;
}

/** The rows of a branch with their groups and positions. Entities are only identities, since branches may differ in hidden columns. */
function branchRows(result: Stage, index: number, output: RowVariable): Fragment {
  const columns =
    output.kind === 'derived'
      ? selectColumns(output, (one) => columnByName(result, one))
      : sql`${identityOfStage(result)?.sql ?? sql`NULL`} AS "$i"`;
  const groups = result.partition.map((key, at) => sql`, ${key} AS ${groupName(at)}`);
  const hidden = sql`${join(groups, '')}${positionColumns(result, index)}`;
  return sql`SELECT ${columns}${hidden} FROM ${result.from}${where(result.conditions)}`;
}

/** The entities with the identities that the rows contain. */
function entityRows({ scope, row, partition }: Stage, union: Fragment): Fragment {
  invariant(row.kind === 'entity', 'only entities have an identity');
  const alias = aliasOf(scope, row);
  const groups = partition.map((_, at) => sql`, u.${groupName(at)}`);
  const entities = fromSource(scope.layout, row.source, alias);
  return sql`SELECT ${alias}.*${join(groups, '')}, u.${BRANCH}, u.${POSITION} FROM (${union}) u JOIN ${entities} ON ${identityColumn(scope, row)} = u."$i"`;
}

/** The first rows by a value: a fixed number, or as many as needed to reach a sum or a percentage of the total. */
function extreme(stage: Stage, transformation: Of<'extreme'>): Stage {
  const { scope } = stage;
  const { end, measure, amount, by } = transformation;
  const key = keyOf(scope, { expression: by, descending: end === 'top' });
  const ordered = { ...stage, keys: [key] };
  if (measure === 'count') return { ...firstRows(ordered, amount), keys: stage.keys };
  const order = totalOrderOf(ordered);
  const limit = doubleOf(scope, amount);
  const { values } = scope.dialect;
  const value = { sql: sql`coalesce(${measureOf(scope, by, key)}, 0)`, storage: FLOATING };
  const preceding = sql`ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING`;
  const sumBefore = sql`coalesce(${values.aggregate('sum', value, windowOf(stage, order, sql` ${preceding}`))}, 0)`;
  const total = values.aggregate('sum', value, windowOf(stage, EMPTY));
  // As functions, since a sum may be NaN, with which not every database calculates.
  const wanted =
    measure === 'sum'
      ? limit
      : values.floating('div', values.floating('mul', limit, total), sql`100.0`);
  return filterByWindow(stage, sql`(${sumBefore} < ${wanted})`, (at) => at);
}

/** The first rows in their order, as many as the amount; from an index if that is a constant. */
function firstRows(stage: Stage, amount: Expression): Stage {
  const count = amount.kind === 'literal' ? Number(amount.value) : Number.NaN;
  if (Number.isSafeInteger(count)) return skipOrTop(stage, 'top', count);
  const limit = doubleOf(stage.scope, amount);
  const number = sql`row_number()${windowOf(stage, totalOrderOf(stage))}`;
  return filterByWindow(stage, number, (at) => sql`${at} <= ${limit}`);
}

/** An amount as a double, as which values are added up. The text of a decimal would compare greater than any number. */
function doubleOf(scope: Scope, amount: Expression): Fragment {
  if (amount.type.kind === 'untyped') return castToDouble(scope, amount);
  return toStorage(scope.dialect, scope.value(scope, amount), FLOATING).sql;
}

/** The value that topsum and others add up. */
function measureOf(scope: Scope, by: Expression, { value, storage }: Key): Fragment {
  if (storage.kind === 'floating') return value;
  return by.type.kind === 'untyped' ? castToDouble(scope, by) : scope.dialect.values.double(value);
}

/** Untyped values that are not numbers are null. */
function castToDouble(scope: Scope, operand: Expression): Fragment {
  const type = { kind: 'primitive', name: 'Edm.Double', facets: {}, collection: false } as const;
  return compileCast(scope, { kind: 'cast', operand, type }).sql;
}
