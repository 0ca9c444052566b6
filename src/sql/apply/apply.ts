// This file compiles $apply: each transformation makes rows out of the rows of the one before, as sub-selects in each other.
//     groupby((Status/Value),aggregate($count as N))/filter(N gt 5)
//     FROM (SELECT t1."Status" AS "Status/Value", count(*) AS "N" FROM "ServiceRequests" t1 GROUP BY t1."Status") t2 WHERE t2."N" > ?
// OData Data Aggregation 4.0, "Set Transformations".
import { invariant, unreachable } from '../../base/fault.ts';
import type { Rows, RowVariable, Transformation } from '../../bind/bound.ts';
import { toStorage } from '../expression/convert-storage.ts';
import { compileSearch } from '../expression/text-search.ts';
import { column, EMPTY, type Fragment, integer, join, list, sql, where } from '../fragment.ts';
import { keyOf, orderBy, placeKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { fromSource, useOf } from '../read/union-source.ts';
import { FLOATING, INTEGER } from '../schema/value-storage.ts';
import { aliasOf, meaning, type Scope } from '../scope.ts';
import { groupName } from './chained-aggregate.ts';
import { aggregate, carry, keyOf as groupKey, groupRows, spreadOver } from './groupby.ts';
import { walkHierarchy } from './hierarchy.ts';
import { joinRows } from './join.ts';
import {
  closed,
  columnByName,
  columnsOf,
  enclosed,
  firstStage,
  fromRows,
  identityOfStage,
  inColumn,
  inOrderOf,
  keyColumns,
  marked,
  nextStage,
  type Stage,
  selectColumns,
  totalOrderOf,
} from './transformation-rows.ts';

/** The rows that a chain of transformations makes of the given rows. */
export function appliedRows(scope: Scope, rows: Rows, apply: readonly Transformation[]): Stage {
  const origin = originOf(scope, rows);
  return applyAll(firstStage(origin, rows.row), apply);
}

/** The stage after a chain of transformations. */
export function applyAll(stage: Stage, apply: readonly Transformation[]): Stage {
  return apply.reduce(applyOne, stage);
}

function applyOne(before: Stage, transformation: Transformation): Stage {
  const stage = withThese(before, transformation.these);
  const { scope } = stage;
  switch (transformation.kind) {
    case 'identity':
      return stage;
    case 'filter':
      return narrowed(stage, scope.condition(scope, transformation.predicate));
    case 'search': {
      const row = { kind: 'variable', row: stage.row } as const;
      return narrowed(stage, compileSearch(scope, row, transformation.search));
    }
    case 'orderby': {
      const keys = transformation.items.map((item) => keyOf(scope, item));
      return { ...stage, keys: [...keys, ...stage.keys] };
    }
    case 'skip':
    case 'top':
      return cut(stage, transformation.kind, transformation.count);
    case 'compute':
      return compute(stage, transformation);
    case 'aggregate':
      return aggregate(stage, transformation);
    case 'groupby':
      return transformation.then.length === 0
        ? groupRows(stage, transformation, applyAll)
        : insideGroups(stage, transformation);
    case 'concat':
      return concat(stage, transformation);
    case 'extreme':
      return extreme(stage, transformation);
    case 'join':
      return joinRows(stage, transformation, applyAll);
    case 'nest':
      return oneRow(stage, transformation.output);
    case 'hierarchy':
      return walkHierarchy(stage, transformation, applyAll);
    default:
      return unreachable(transformation);
  }
}

/** The stage in which a variable stands for all its rows, within each group where there are groups. */
function withThese(stage: Stage, row: RowVariable | undefined): Stage {
  if (row === undefined) return stage;
  const groups = stage.partition.map((around, index) => ({ column: groupName(index), around }));
  return { ...stage, scope: meaning(stage.scope, row, { rows: closed(stage), groups }) };
}

/** One row without values; inside a groupby one for each group. */
function oneRow({ scope, from, conditions, partition, groups }: Stage, output: RowVariable): Stage {
  const keys = partition.map((key, index) => sql`${key} AS ${groupName(index)}`);
  const each = sql`SELECT DISTINCT ${list(keys)} FROM ${from}${where(conditions)}`;
  const rows = keys.length === 0 ? sql`SELECT 1 AS "$one"` : (groups ?? each);
  return carry(nextStage(scope, output, rows), keys.length);
}

function narrowed(stage: Stage, condition: Fragment): Stage {
  return { ...stage, conditions: [...stage.conditions, condition] };
}

/** The rows with their numbers in order, within each group where there are groups, of which those below a limit are kept. */
function numbered(stage: Stage, number: Fragment, keep: (number: Fragment) => Fragment): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const { stage: next, mark } = marked(stage);
  const rows = closed(stage, sql`, ${number} AS ${mark}`);
  return narrowed(fromRows(next, rows), keep(sql`${alias}.${mark}`));
}

/** `OVER (PARTITION BY … ORDER BY …)`. */
function windowOf(stage: Stage, order: Fragment, frame: Fragment = EMPTY): Fragment {
  const partition =
    stage.partition.length === 0 ? EMPTY : sql`PARTITION BY ${list(stage.partition)}`;
  return sql`OVER (${partition}${order}${frame})`;
}

function cut(stage: Stage, kind: 'skip' | 'top', count: number): Stage {
  if (stage.partition.length > 0) {
    const number = sql`row_number() ${windowOf(stage, totalOrderOf(stage))}`;
    return numbered(stage, number, (at) =>
      kind === 'top' ? sql`${at} <= ${integer(count)}` : sql`${at} > ${integer(count)}`,
    );
  }
  const limit =
    kind === 'top' ? sql` LIMIT ${integer(count)}` : sql` LIMIT -1 OFFSET ${integer(count)}`;
  return enclosed(stage, sql`${totalOrderOf(stage)}${limit}`);
}

type Of<Kind extends Transformation['kind']> = Transformation & { readonly kind: Kind };

/** New columns beside the others. An entity keeps its columns: what is computed of it is put in where it is used. */
function compute(stage: Stage, { computed, output }: Of<'compute'>): Stage {
  const { scope } = stage;
  if (output.kind !== 'derived') {
    return { ...stage, computed: [...stage.computed, ...computed] };
  }
  const columns = selectColumns(columnsOf(output), (one) => {
    const found = computed.find((item) => item.name === one.name);
    return found === undefined
      ? columnByName(stage, one)
      : inColumn(scope, scope.value(scope, found.expression), one);
  });
  const groups = stage.partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const rows = sql`SELECT ${columns}${join(groups, '')}${keyColumns(stage)} FROM ${stage.from}${where(stage.conditions)}`;
  return carry(inOrderOf(stage, nextStage(scope, output, rows)), stage.partition.length);
}

/** Transformations within each group of every grouping set: rows carry their group, and what is cut is cut in each. */
function insideGroups(stage: Stage, transformation: Of<'groupby'>): Stage {
  const { groupings, sets, output } = transformation;
  const { stage: spread, groups } = spreadOver(stage, groupings, applyAll);
  const parts = sets.map((set) => insideSet(spread, transformation, { set, groups }));
  const next = nextStage(stage.scope, output, join(parts, ' UNION ALL '));
  return carry(next, stage.partition.length);
}

function insideSet(
  stage: Stage,
  { groupings, then, output }: Of<'groupby'>,
  { set, groups: all }: { readonly set: readonly number[]; readonly groups: Fragment | undefined },
): Fragment {
  const around = stage.partition.length;
  const own = set.flatMap((index) => groupings[index] ?? []);
  const marks = own.map(
    (key, index) => sql`, ${groupKey(stage, key)} AS ${groupName(around + index)}`,
  );
  const grouped = carry(fromRows(stage, closed(stage, join(marks, ''))), around + own.length);
  const isAlone = around + own.length === 1 && all !== undefined;
  const result = applyAll(isAlone ? { ...grouped, groups: all } : grouped, then);
  // What a set leaves out is that of the rows themselves, where these still have it.
  const columns = selectColumns(columnsOf(output), (one) => {
    const of = one.tells?.what === 'defined' ? one.tells.of : one.name;
    const at = own.findIndex(({ name }) => name === of);
    if (at < 0) return columnByName(result, one);
    return of === one.name ? (result.partition[around + at] ?? sql`NULL`) : sql`1`;
  });
  const groups = result.partition
    .slice(0, around)
    .map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  return sql`SELECT ${columns}${join(groups, '')} FROM ${result.from}${where(result.conditions)}`;
}

/** The results of all branches one after the other, each in its own order. */
function concat(stage: Stage, { branches, output }: Of<'concat'>): Stage {
  const results = branches.map((branch) => applyAll(stage, branch));
  const rows = results.map((result, index) => branchRows(result, index, output));
  const united = join(rows, ' UNION ALL ');
  const next =
    output.kind === 'derived'
      ? nextStage(stage.scope, output, united)
      : fromRows({ ...stage, keys: [], marks: 0 }, wholeRows(stage, united));
  const alias = aliasOf(next.scope, next.row);
  const keys = [BRANCH, PLACE].map((place) => placeKey(sql`${alias}.${place}`, INTEGER));
  return { ...carry(next, stage.partition.length), keys };
}

const BRANCH = sql`"$b"`;
const PLACE = sql`"$p"`;

/** What a branch gives, with its groups and the places of its rows; of entities only the identities, since branches may differ in hidden columns. */
function branchRows(result: Stage, index: number, output: RowVariable): Fragment {
  const columns =
    output.kind === 'derived'
      ? selectColumns(columnsOf(output), (one) => columnByName(result, one))
      : sql`${identityOfStage(result)?.sql ?? sql`NULL`} AS "$i"`;
  const groups = result.partition.map((key, at) => sql`, ${key} AS ${groupName(at)}`);
  const place = sql`row_number() OVER (${totalOrderOf(result)})`;
  const hidden = sql`${join(groups, '')}, ${integer(index)} AS ${BRANCH}, ${place} AS ${PLACE}`;
  return sql`SELECT ${columns}${hidden} FROM ${result.from}${where(result.conditions)}`;
}

/** The entities of which the rows have the identities. */
function wholeRows({ scope, row, partition }: Stage, united: Fragment): Fragment {
  invariant(row.kind === 'entity', 'only entities have an identity');
  const alias = aliasOf(scope, row);
  const groups = partition.map((_, at) => sql`, u.${groupName(at)}`);
  const { table } = useOf(scope.layout, row.source);
  const entities = fromSource(scope.layout, row.source, alias);
  return sql`SELECT ${alias}.*${join(groups, '')}, u.${BRANCH}, u.${PLACE} FROM (${united}) u JOIN ${entities} ON ${column(alias, table.identity)} = u."$i"`;
}

/** The first rows by a value: so many, or as many as it takes to reach a sum or a part of the sum of all. */
function extreme(stage: Stage, transformation: Of<'extreme'>): Stage {
  const { scope } = stage;
  const { end, measure, amount, by } = transformation;
  const key = keyOf(scope, { expression: by, descending: end === 'top' });
  const order = orderBy(scope, [key]);
  const given = scope.value(scope, amount);
  // The numbers are added up as doubles; the text of a decimal would be greater than any of them.
  const limit = measure === 'count' ? given.sql : toStorage(scope.dialect, given, FLOATING).sql;
  if (measure === 'count') {
    const number = sql`row_number() ${windowOf(stage, order)}`;
    return numbered(stage, number, (at) => sql`${at} <= ${limit}`);
  }
  const value = sql`coalesce(CAST(${key.value} AS real), 0)`;
  const before = sql`ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING`;
  const reached = sql`coalesce(sum(${value}) ${windowOf(stage, order, sql` ${before}`)}, 0)`;
  const wanted =
    measure === 'sum' ? limit : sql`(${limit} * (sum(${value}) ${windowOf(stage, EMPTY)}) / 100.0)`;
  return numbered(stage, sql`(${reached} < ${wanted})`, (at) => at);
}
