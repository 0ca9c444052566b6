// This file compiles aggregate and groupby as GROUP BY over a stage, once per grouping set. Aggregates of related rows get queries of
// their own. OData Data Aggregation 4.0, "Transformation aggregate", "Transformation groupby".

import { variableOf } from '../../bind/apply/collection-paths.ts';
import type { Aggregation, DerivedColumn, Grouping, Transformation } from '../../bind/bound.ts';
import { columnAt, derivedColumns } from '../derived-column.ts';
import type { Compiled, LiteralDialect } from '../dialect/dialect.ts';
import { collectionOrigin } from '../expression/collection.ts';
import { every, type Fragment, integer, join, list, name, sql, where } from '../fragment.ts';
import type { Origin } from '../read/row-source.ts';
import { aliasOf } from '../scope.ts';
import { aggregateValues, countOf } from './aggregation-methods.ts';
import { chainedRows, groupBy, groupName, isChained, namedKeys } from './chained-aggregate.ts';
import { type Groups, groupByReferences } from './group-by-reference.ts';
import { joinNodes } from './hierarchy.ts';
import { columnsOf, fromRows, nextStage, type Stage, toColumn } from './transformation-rows.ts';

/** One row with the aggregates of all rows; within groupby, one for each group. */
export function aggregate(
  stage: Stage,
  transformation: Transformation & { readonly kind: 'aggregate' },
): Stage {
  const { aggregations, output } = transformation;
  const { partition, groups } = stage;
  const columns = columnsOf(output);
  const rows = groupedRows(stage, {
    keys: partition,
    columns,
    aggregations,
    outerKeys: partition.length,
  });
  const all =
    groups === undefined
      ? rows
      : sql`${rows} UNION ALL ${emptyGroups(stage, transformation, groups)}`;
  return withGroupsOf(stage, nextStage(stage.scope, output, all));
}

/** The aggregates of groups without rows: counts are 0, everything else is null. */
function emptyGroups(
  stage: Stage,
  { aggregations, output }: Transformation & { readonly kind: 'aggregate' },
  groups: Fragment,
): Fragment {
  const values = columnsOf(output).map((one) => {
    const found = aggregations.find(({ alias }) => alias === one.name);
    return found !== undefined && isCountResult(found)
      ? toColumn(stage.scope, countOf(integer(0)), one)
      : sql`NULL`;
  });
  const nonEmpty = sql`SELECT ${list(stage.partition)} FROM ${stage.from}${where(stage.conditions)}`;
  const keys = stage.partition.map((_, index) => sql`g.${groupName(index)}`);
  return sql`SELECT ${list([...values, ...keys])} FROM (${groups} EXCEPT ${nonEmpty}) g`;
}

/** The parts of a GROUP BY query. */
interface GroupQuery {
  /** What the query groups by. */
  readonly keys: readonly Fragment[];
  readonly columns: readonly DerivedColumn[];
  readonly aggregations: readonly Aggregation[];
  /** The value of a column that is not an aggregate. */
  readonly keyOf?: (column: DerivedColumn) => Fragment | undefined;
  /** The aggregates, if the rows are groups to be merged. */
  readonly merged?: ReadonlyMap<Aggregation, Compiled> | undefined;
  /** Number of keys at the start that are also hidden columns: those of the enclosing groups. */
  readonly outerKeys: number;
}

/** One row with one aggregate of all rows of the stage. */
export function aggregateOf(stage: Stage, aggregation: Aggregation): Fragment {
  const columns = [{ name: aggregation.alias, type: aggregation.type }];
  return groupedRows(stage, { keys: [], columns, aggregations: [aggregation], outerKeys: 0 });
}

/** `SELECT … GROUP BY …`. Aggregates that need a query of their own are joined by the keys. */
function groupedRows(stage: Stage, query: GroupQuery): Fragment {
  const { keys, columns, aggregations, outerKeys } = query;
  const chained = aggregations.filter(isChained);
  const values = columns.flatMap((one, position) => {
    if (chained.some(({ alias }) => alias === one.name)) return [];
    const content = query.keyOf?.(one) ?? aggregateByName(stage, query, one);
    return [sql`${content} AS ${columnAt(position)}`];
  });
  // The count makes this a grouped query even if every aggregate has a query of its own.
  const hidden = [
    ...namedKeys(chained.length > 0 ? keys : keys.slice(0, outerKeys)),
    ...(chained.length > 0 ? [sql`count(*)`] : []),
  ];
  const rows = sql`SELECT ${list([...values, ...hidden])} FROM ${stage.from}${where(stage.conditions)}${groupBy(keys)}`;
  if (chained.length === 0) return rows;
  const joins = chained.map((aggregation, index) => {
    const alias = name(`f${index + 1}`);
    const same = keys.map((_, at) =>
      stage.scope.dialect.values.same(sql`m.${groupName(at)}`, sql`${alias}.${groupName(at)}`),
    );
    return sql` LEFT JOIN (${chainedRows(stage, keys, aggregation).rows}) ${alias} ON ${every(same, stage.scope.dialect.literal.true)}`;
  });
  const selected = columns.map((one, position) => {
    const at = chained.findIndex(({ alias }) => alias === one.name);
    const [aggregation] = chained.slice(at, at + 1);
    if (at < 0 || aggregation === undefined) return sql`m.${columnAt(position)}`;
    const { value } = chainedRows(stage, keys, aggregation);
    const found = sql`${name(`f${at + 1}`)}.v`;
    // The joined query has no row for a group without related rows.
    const isCount = isCountResult(aggregation);
    const content = { ...value, sql: isCount ? sql`coalesce(${found}, 0)` : found };
    return toColumn(stage.scope, content, one);
  });
  const outer = keys.slice(0, outerKeys).map((_, at) => sql`, m.${groupName(at)}`);
  return sql`SELECT ${derivedColumns(selected)}${join(outer, '')} FROM (${rows}) m${join(joins, '')}`;
}

/** The stage partitioned by the given number of hidden key columns that its rows have. */
export function withPartition(stage: Stage, keys: number, groups?: Fragment): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const partition = Array.from({ length: keys }, (_, index) => sql`${alias}.${groupName(index)}`);
  return { ...stage, partition, groups };
}

/** The stage in the groups of the previous one, whose hidden key columns its rows have. */
export function withGroupsOf({ partition, groups }: Stage, stage: Stage): Stage {
  return withPartition(stage, partition.length, groups);
}

function aggregateByName(
  stage: Stage,
  { aggregations, merged }: GroupQuery,
  wanted: DerivedColumn,
): Fragment {
  const found = aggregations.find((one) => one.alias === wanted.name);
  if (found === undefined) return sql`NULL`;
  return toColumn(stage.scope, merged?.get(found) ?? aggregateValue(stage, found), wanted);
}

function aggregateValue(stage: Stage, { method, expression }: Aggregation): Compiled {
  const { scope } = stage;
  if (expression === undefined) return countOf(sql`count(*)`);
  const content = scope.value(scope, expression);
  // For count, the value of each row is already a number of items.
  return method === 'count'
    ? countOf(sql`coalesce(${scope.dialect.values.aggregate('sum', content)}, 0)`)
    : aggregateValues(scope, method, content);
}

/** Whether the result is a count, which is 0 rather than null without rows. */
function isCountResult({ from, method }: Aggregation): boolean {
  const last = from.at(-1)?.method ?? method;
  return last === 'count' || last === 'countdistinct';
}

type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;
type GroupBy = Transformation & { readonly kind: 'groupby' };

/** One row for each group of every grouping set. */
export function groupRows(stage: Stage, transformation: GroupBy, applyAll: ApplyAll): Stage {
  const { groupings, sets, output } = transformation;
  const { stage: unnested } = unnestGroupings(stage, groupings, applyAll);
  const keys = groupings.map((grouping) => keyOf(unnested, grouping));
  const parts = sets.map((set) => groupOneSet(unnested, transformation, { keys, set }));
  return withGroupsOf(stage, nextStage(stage.scope, output, join(parts, ' UNION ALL ')));
}

/** The value that a grouping groups by, in the storage of its column. */
export function keyOf(stage: Stage, grouping: Grouping): Fragment {
  const { name: key, type, over, tree } = grouping;
  const isUnnested = over !== undefined || tree !== undefined;
  if (isUnnested) return sql`${aliasOf(stage.scope, stage.row)}.${unnestedColumn(stage, grouping)}`;
  const content = stage.scope.value(stage.scope, grouping.expression);
  return toColumn(stage.scope, content, { name: key, type });
}

/** The hidden column with the value of a grouping for a repeated row. */
function unnestedColumn({ scope }: Stage, grouping: Grouping): Fragment {
  return name(scope.dialect.schema.objectName(`$over/${grouping.name}`));
}

type GroupingSet = Pick<Groups, 'keys' | 'set'>;

function groupOneSet(
  all: Stage,
  { groupings, aggregations, output }: GroupBy,
  { keys: values, set }: GroupingSet,
): Fragment {
  const grouped = mayRepeatRows(groupings)
    ? undefined
    : groupByReferences(all, { groupings, aggregations, keys: values, set });
  const { stage, keys } = grouped ?? { stage: all, keys: values };
  const own = [...stage.partition, ...set.flatMap((index) => keys[index] ?? [])];
  const keyOf = (one: DerivedColumn) =>
    groupKeyOf(groupings, { keys, set }, one, stage.scope.dialect.literal);
  const columns = columnsOf(output);
  const rows = groupedRows(stage, {
    keys: own,
    columns,
    aggregations,
    keyOf,
    merged: grouped?.values,
    outerKeys: stage.partition.length,
  });
  // Without keys and aggregates the query would return every row.
  const isBare = own.length === 0 && aggregations.length === 0;
  return isBare ? sql`SELECT * FROM (${rows} LIMIT 1) q` : rows;
}

/** Whether a row may be in several groups. */
function mayRepeatRows(groupings: readonly Grouping[]): boolean {
  return groupings.some(({ over, tree, entity }) => [over, tree, entity].some(Boolean));
}

/** The value of a column in a grouping set: the key, null if the set leaves it out, or the flag that distinguishes the two. */
function groupKeyOf(
  groupings: readonly Grouping[],
  { keys, set }: GroupingSet,
  { name: wanted, indicates }: DerivedColumn,
  literal: LiteralDialect,
): Fragment | undefined {
  const at = groupings.findIndex((grouping) => grouping.name === wanted);
  if (at >= 0) return (set.includes(at) ? keys[at] : undefined) ?? sql`NULL`;
  if (indicates?.what !== 'defined') return undefined;
  const described = groupings.findIndex((grouping) => grouping.name === indicates.of);
  if (described < 0) return undefined;
  return set.includes(described) ? literal.true : literal.false;
}

/** Rows repeated for each of their groups and, when grouping by a hierarchy, all groups that the hierarchy has. */
export interface UnnestedRows {
  readonly stage: Stage;
  readonly groups: Fragment | undefined;
}

/**
 * Repeats rows that are in several groups, but never twice for one group. A grouping through a collection repeats a row for every
 * different value in the collection, or keeps it once with null. A grouping by a hierarchy repeats it for its node and all ancestors.
 */
export function unnestGroupings(
  stage: Stage,
  groupings: readonly Grouping[],
  applyAll: ApplyAll,
): UnnestedRows {
  const nested = groupings.filter(({ over, tree }) => over !== undefined || tree !== undefined);
  if (nested.length === 0) return { stage, groups: undefined };
  const alias = aliasOf(stage.scope, stage.row);
  const origins = originsOf(stage, nested);
  const trees = treesOf(stage, nested, applyAll);
  const joins = [
    ...[...origins.values()].map(
      ({ from, conditions }) =>
        sql` LEFT JOIN ${from} ON ${every(conditions, stage.scope.dialect.literal.true)}`,
    ),
    ...[...trees.values()].map((tree) => tree.join),
  ];
  const columns = nested.map((grouping) => {
    const { name: key, over, type, expression } = grouping;
    const as = unnestedColumn(stage, grouping);
    const node = trees.get(key);
    if (node !== undefined) return sql`, ${node.node} AS ${as}`;
    const last = over?.at(-1);
    const origin = last === undefined ? undefined : origins.get(variableOf(last).id);
    const { scope } = origin ?? stage;
    return sql`, ${toColumn(scope, scope.value(scope, expression), { name: key, type })} AS ${as}`;
  });
  const rows = sql`SELECT DISTINCT ${alias}.*${join(columns, '')} FROM ${stage.from}${join(joins, '')}${where(stage.conditions)}`;
  const [only] = trees.values();
  const groups =
    only === undefined ? undefined : sql`SELECT id AS ${groupName(0)} FROM (${only.all}) q`;
  return { stage: fromRows(stage, rows), groups };
}

/** Each collection once, by the id of its variable, in an order in which they can be joined. */
function originsOf({ scope }: Stage, nested: readonly Grouping[]): ReadonlyMap<number, Origin> {
  const origins = new Map<number, Origin>();
  for (const { over = [] } of nested) {
    let inner = scope;
    for (const collection of over) {
      const { id } = variableOf(collection);
      const origin = origins.get(id) ?? collectionOrigin(inner, collection, true);
      origins.set(id, origin);
      inner = origin.scope;
    }
  }
  return origins;
}

type JoinedNodes = ReturnType<typeof joinNodes> & { readonly node: Fragment };

function treesOf(
  stage: Stage,
  nested: readonly Grouping[],
  applyAll: ApplyAll,
): ReadonlyMap<string, JoinedNodes> {
  return new Map(
    nested.flatMap(({ name: key, tree }, index) => {
      if (tree === undefined) return [];
      const alias = name(`n${index + 1}`);
      const joined = joinNodes(stage, tree, alias, applyAll);
      return [[key, { ...joined, node: sql`${alias}.x` }] as const];
    }),
  );
}
