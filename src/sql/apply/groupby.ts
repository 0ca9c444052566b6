// This file compiles aggregate and groupby: GROUP BY over a stage, once for each grouping set, with values out of collections of related
// rows in queries of their own. OData Data Aggregation 4.0, "Transformation aggregate", "Transformation groupby".

import { variableOf } from '../../bind/apply/collection-paths.ts';
import type { Aggregation, DerivedColumn, Grouping, Transformation } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { collectionOrigin } from '../expression/collection.ts';
import { column, every, type Fragment, join, list, name, sql, where } from '../fragment.ts';
import type { Origin } from '../read/row-source.ts';
import { aliasOf } from '../scope.ts';
import { fold, whole } from './aggregation-methods.ts';
import { chainedRows, groupBy, groupName, isChained, namedKeys } from './chained-aggregate.ts';
import { countByCodes } from './group-by-code-text.ts';
import { joinNodes } from './hierarchy.ts';
import { columnsOf, fromRows, inColumn, nextStage, type Stage } from './transformation-rows.ts';

/** One row with the aggregates of all rows; inside a groupby one for each group. */
export function aggregate(
  stage: Stage,
  transformation: Transformation & { readonly kind: 'aggregate' },
): Stage {
  const { aggregations, output } = transformation;
  const { partition } = stage;
  const columns = columnsOf(output);
  const rows = groupedRows(stage, {
    keys: partition,
    columns,
    aggregations,
    carried: partition.length,
  });
  const { groups } = stage;
  const all =
    groups === undefined ? rows : sql`${rows} UNION ALL ${ofNone(stage, transformation, groups)}`;
  return carry(nextStage(stage.scope, output, all), partition.length);
}

/** The aggregates of the groups in which there are no rows: numbers of rows are 0, everything else is null. */
function ofNone(
  stage: Stage,
  { aggregations, output }: Transformation & { readonly kind: 'aggregate' },
  groups: Fragment,
): Fragment {
  const values = columnsOf(output).map((one) => {
    const found = aggregations.find(({ alias }) => alias === one.name);
    return found !== undefined && isCount(found)
      ? inColumn(stage.scope, whole(sql`0`), one)
      : sql`NULL`;
  });
  const [group = sql`NULL`] = stage.partition;
  const filled = sql`SELECT ${group} FROM ${stage.from}${where(stage.conditions)}`;
  const empty = groupName(0);
  return sql`SELECT ${list([...values, sql`g.${empty}`])} FROM (${groups}) g WHERE g.${empty} NOT IN (${filled})`;
}

/** What a query of groups gives. */
interface Grouped {
  /** What the groups are made by. */
  readonly keys: readonly Fragment[];
  readonly columns: readonly DerivedColumn[];
  readonly aggregations: readonly Aggregation[];
  /** The value of a column that is no aggregate. */
  readonly keyOf?: (column: DerivedColumn) => Fragment | undefined;
  /** How many of the keys, the first ones, stand in hidden columns too: those of groups around these. */
  readonly carried: number;
}

/** The one row with one aggregate of all rows of the stage, in a column of its name. */
export function aggregateOf(stage: Stage, aggregation: Aggregation): Fragment {
  const columns = [{ name: aggregation.alias, type: aggregation.type }];
  return groupedRows(stage, { keys: [], columns, aggregations: [aggregation], carried: 0 });
}

/** `SELECT … GROUP BY …`; aggregates in several steps are joined to it by the keys. */
function groupedRows(stage: Stage, grouped: Grouped): Fragment {
  const { keys, columns, aggregations, carried } = grouped;
  const chained = aggregations.filter(isChained);
  const plain = columns.filter(({ name: of }) => !chained.some(({ alias }) => alias === of));
  const values = plain.map(
    (one) =>
      sql`${grouped.keyOf?.(one) ?? aggregateByName(stage, aggregations, one)} AS ${name(one.name)}`,
  );
  // The count makes groups of the rows even where every aggregate is made elsewhere.
  const hidden = [
    ...namedKeys(chained.length > 0 ? keys : keys.slice(0, carried)),
    ...(chained.length > 0 ? [sql`count(*)`] : []),
  ];
  const rows = sql`SELECT ${list([...values, ...hidden])} FROM ${stage.from}${where(stage.conditions)}${groupBy(keys)}`;
  if (chained.length === 0) return rows;
  const joins = chained.map((aggregation, index) => {
    const alias = name(`f${index + 1}`);
    const same = keys.map((_, at) =>
      stage.scope.dialect.values.same(sql`m.${groupName(at)}`, sql`${alias}.${groupName(at)}`),
    );
    return sql` LEFT JOIN (${chainedRows(stage, keys, aggregation).rows}) ${alias} ON ${every(same)}`;
  });
  const selected = columns.map((one) => {
    const at = chained.findIndex(({ alias }) => alias === one.name);
    const [aggregation] = chained.slice(at, at + 1);
    if (at < 0 || aggregation === undefined) return sql`m.${name(one.name)}`;
    const { value } = chainedRows(stage, keys, aggregation);
    const found = sql`${name(`f${at + 1}`)}.v`;
    // A group whose rows lead to nothing has no row there.
    const isNumber = isCount(aggregation);
    const content = { ...value, sql: isNumber ? sql`coalesce(${found}, 0)` : found };
    return sql`${inColumn(stage.scope, content, one)} AS ${name(one.name)}`;
  });
  const kept = keys.slice(0, carried).map((_, at) => sql`m.${groupName(at)}`);
  return sql`SELECT ${list([...selected, ...kept])} FROM (${rows}) m${join(joins, '')}`;
}

/** The stage with the groups that its rows have in hidden columns. */
export function carry(stage: Stage, groups: number): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const partition = Array.from({ length: groups }, (_, index) => sql`${alias}.${groupName(index)}`);
  return { ...stage, partition };
}

function aggregateByName(
  stage: Stage,
  aggregations: readonly Aggregation[],
  wanted: DerivedColumn,
): Fragment {
  const found = aggregations.find((one) => one.alias === wanted.name);
  if (found === undefined) return sql`NULL`;
  return inColumn(stage.scope, aggregateValue(stage, found), wanted);
}

function aggregateValue(stage: Stage, { method, expression }: Aggregation): Compiled {
  const { scope } = stage;
  if (expression === undefined) return whole(sql`count(*)`);
  const content = scope.value(scope, expression);
  // What is counted of a row is a number of items.
  return method === 'count'
    ? whole(sql`coalesce(sum(${content.sql}), 0)`)
    : fold(scope, method, content);
}

/** Whether the result is a number of rows or values, which is 0 of none. */
function isCount({ from, method }: Aggregation): boolean {
  const last = from.at(-1)?.method ?? method;
  return last === 'count' || last === 'countdistinct';
}

type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;
type GroupBy = Transformation & { readonly kind: 'groupby' };

/** One row for each group of every grouping set. */
export function groupRows(stage: Stage, transformation: GroupBy, applyAll: ApplyAll): Stage {
  const { groupings, sets, output } = transformation;
  const { stage: spread } = spreadOver(stage, groupings, applyAll);
  const keys = groupings.map((grouping) => keyOf(spread, grouping));
  const parts = sets.map((set) => groupOneSet(spread, transformation, { keys, set }));
  const rows = nextStage(stage.scope, output, join(parts, ' UNION ALL '));
  return carry(rows, stage.partition.length);
}

/** The grouped value, in the storage of its column. */
export function keyOf(stage: Stage, grouping: Grouping): Fragment {
  const isSpread = grouping.over !== undefined || grouping.tree !== undefined;
  const spreadKey = stage.row.kind === 'entity' && isSpread;
  const { name: of, type } = grouping;
  if (spreadKey) return column(aliasOf(stage.scope, stage.row), `$over/${of}`);
  const content = stage.scope.value(stage.scope, grouping.expression);
  return inColumn(stage.scope, content, { name: of, type });
}

interface GroupingSet {
  readonly keys: readonly Fragment[];
  /** Which of the keys this set groups by. */
  readonly set: readonly number[];
}

function groupOneSet(
  stage: Stage,
  { groupings, aggregations, output }: GroupBy,
  grouped: GroupingSet,
): Fragment {
  const { keys, set } = grouped;
  const counted = isSpread(groupings)
    ? undefined
    : countByCodes(stage, { groupings, aggregations, keys, set }, output);
  if (counted !== undefined) return counted;
  const own = [...stage.partition, ...set.flatMap((index) => keys[index] ?? [])];
  const keyOf = (one: DerivedColumn) => groupKeyOf(groupings, { keys, set }, one);
  const columns = columnsOf(output);
  const rows = groupedRows(stage, {
    keys: own,
    columns,
    aggregations,
    keyOf,
    carried: stage.partition.length,
  });
  // Without keys and aggregates there would be a row for each row.
  const isBare = own.length === 0 && aggregations.length === 0;
  return isBare ? sql`SELECT * FROM (${rows} LIMIT 1)` : rows;
}

/** Whether rows may be in several groups. */
function isSpread(groupings: readonly Grouping[]): boolean {
  return groupings.some(({ over, tree, entity }) => [over, tree, entity].some(Boolean));
}

/** What a column of groupings has in a grouping set: its key, null where the set leaves it out, or which of the two it is. */
function groupKeyOf(
  groupings: readonly Grouping[],
  { keys, set }: GroupingSet,
  { name: of, tells }: DerivedColumn,
): Fragment | undefined {
  const at = groupings.findIndex(({ name: own }) => own === of);
  if (at >= 0) return (set.includes(at) ? keys[at] : undefined) ?? sql`NULL`;
  if (tells?.what !== 'defined') return undefined;
  const told = groupings.findIndex(({ name: own }) => own === tells.of);
  if (told < 0) return undefined;
  return set.includes(told) ? sql`1` : sql`0`;
}

/** Rows that are in several groups, and, where a tree is grouped by, all the groups that it makes. */
export interface SpreadRows {
  readonly stage: Stage;
  readonly groups: Fragment | undefined;
}

/**
 * Where a grouping leads through a collection, each row once for every different value that it reaches there, or once with null;
 * where it is by a tree, once for its node and for every node above. Rows are in several groups, but never twice in one.
 */
export function spreadOver(
  stage: Stage,
  groupings: readonly Grouping[],
  applyAll: ApplyAll,
): SpreadRows {
  const through = groupings.filter(({ over, tree }) => over !== undefined || tree !== undefined);
  if (through.length === 0) return { stage, groups: undefined };
  const alias = aliasOf(stage.scope, stage.row);
  const origins = originsOf(stage, through);
  const trees = treesOf(stage, through, applyAll);
  const joins = [
    ...[...origins.values()].map(
      ({ from, conditions }) => sql` LEFT JOIN ${from} ON ${every(conditions)}`,
    ),
    ...[...trees.values()].map((tree) => tree.join),
  ];
  const columns = through.map((grouping) => {
    const { name: of, over, type, expression } = grouping;
    const as = name(`$over/${of}`);
    const node = trees.get(of);
    if (node !== undefined) return sql`, ${node.node} AS ${as}`;
    const last = over?.at(-1);
    const origin = last === undefined ? undefined : origins.get(variableOf(last).id);
    const { scope } = origin ?? stage;
    return sql`, ${inColumn(scope, scope.value(scope, expression), { name: of, type })} AS ${as}`;
  });
  const rows = sql`SELECT DISTINCT ${alias}.*${join(columns, '')} FROM ${stage.from}${join(joins, '')}${where(stage.conditions)}`;
  const [only] = trees.values();
  const groups =
    only === undefined ? undefined : sql`SELECT id AS ${groupName(0)} FROM (${only.all})`;
  return { stage: fromRows(stage, rows), groups };
}

/** Each collection once, by its variable, in the order in which they can be joined. */
function originsOf({ scope }: Stage, through: readonly Grouping[]): ReadonlyMap<number, Origin> {
  const origins = new Map<number, Origin>();
  for (const { over = [] } of through) {
    let around = scope;
    for (const collection of over) {
      const { id } = variableOf(collection);
      const origin = origins.get(id) ?? collectionOrigin(around, collection);
      origins.set(id, origin);
      around = origin.scope;
    }
  }
  return origins;
}

type JoinedNodes = ReturnType<typeof joinNodes> & { readonly node: Fragment };

function treesOf(
  stage: Stage,
  through: readonly Grouping[],
  applyAll: ApplyAll,
): ReadonlyMap<string, JoinedNodes> {
  return new Map(
    through.flatMap(({ name: of, tree }, index) => {
      if (tree === undefined) return [];
      const alias = name(`n${index + 1}`);
      const joined = joinNodes(stage, tree, alias, applyAll);
      return [[of, { ...joined, node: sql`${alias}.x` }] as const];
    }),
  );
}
