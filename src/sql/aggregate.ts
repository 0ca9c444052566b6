// This file compiles $apply: each transformation makes rows out of the rows of the one before, as sub-selects in each other.
//     groupby((Status/Value),aggregate($count as N))/filter(N gt 5)
//     FROM (SELECT t1."Status" AS "Status/Value", count(*) AS "N" FROM "ServiceRequests" t1 GROUP BY t1."Status") t2 WHERE t2."N" > ?
// OData Data Aggregation 4.0, "Set Transformations".
import { Fault, unreachable } from '../base/fault.ts';
import type { Rows, RowVariable, Transformation } from '../bind/bound.ts';
import { groupName } from './chained.ts';
import { toStorage } from './forms.ts';
import {
  column,
  EMPTY,
  every,
  type Fragment,
  integer,
  join,
  list,
  sql,
  where,
} from './fragment.ts';
import { aggregate, carry, keyOf as groupKey, groupRows } from './grouping.ts';
import { walkHierarchy } from './hierarchy.ts';
import { keyOf, orderBy } from './order.ts';
import { type Origin, originOf } from './origin.ts';
import { aliasOf, type Scope } from './scope.ts';
import {
  closed,
  columnByName,
  columnsOf,
  enclosed,
  fromRows,
  inColumn,
  nextStage,
  orderOf,
  type Stage,
  selectColumns,
} from './stage.ts';
import { FLOATING } from './storage.ts';
import { compileSearch } from './text-search.ts';
import { useOf } from './union.ts';

/** The rows that a chain of transformations makes of the given rows. */
export function appliedRows(scope: Scope, rows: Rows, apply: readonly Transformation[]): Origin {
  const origin = originOf(scope, rows);
  return applyAll({ ...origin, row: rows.row, keys: [], partition: [] }, apply);
}

function applyAll(stage: Stage, apply: readonly Transformation[]): Stage {
  return apply.reduce(applyOne, stage);
}

function applyOne(stage: Stage, transformation: Transformation): Stage {
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
    case 'orderby':
      return { ...stage, keys: transformation.items.map((item) => keyOf(scope, item)) };
    case 'skip':
    case 'top':
      return cut(stage, transformation.kind, transformation.count);
    case 'compute':
      return compute(stage, transformation);
    case 'aggregate':
      return aggregate(stage, transformation);
    case 'groupby':
      return transformation.then.length === 0
        ? groupRows(stage, transformation)
        : insideGroups(stage, transformation);
    case 'concat':
      return concat(stage, transformation);
    case 'extreme':
      return extreme(stage, transformation);
    case 'join':
      return joined(stage, transformation);
    case 'nest':
      throw new Fault('not-built', { feature: 'the transformation addnested or nest' });
    case 'hierarchy': {
      const start = applyAll(stage, transformation.start);
      return walkHierarchy(stage, transformation, start);
    }
    default:
      return unreachable(transformation);
  }
}

function narrowed(stage: Stage, condition: Fragment): Stage {
  return { ...stage, conditions: [...stage.conditions, condition] };
}

/** The rows with their numbers in order, within each group where there are groups, of which those below a limit are kept. */
function numbered(stage: Stage, number: Fragment, keep: (number: Fragment) => Fragment): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const mark = sql`"$n"`;
  const rows = closed(stage, sql`, ${number} AS ${mark}`);
  const columns = sql`SELECT ${alias}.* FROM (${rows}) ${alias} WHERE ${keep(sql`${alias}.${mark}`)}`;
  return fromRows(stage, columns);
}

/** `OVER (PARTITION BY … ORDER BY …)`. */
function windowOf(stage: Stage, order: Fragment, frame: Fragment = EMPTY): Fragment {
  const partition =
    stage.partition.length === 0 ? EMPTY : sql`PARTITION BY ${list(stage.partition)}`;
  return sql`OVER (${partition}${order}${frame})`;
}

function cut(stage: Stage, kind: 'skip' | 'top', count: number): Stage {
  if (stage.partition.length > 0) {
    const number = sql`row_number() ${windowOf(stage, orderOf(stage))}`;
    return numbered(stage, number, (at) =>
      kind === 'top' ? sql`${at} <= ${integer(count)}` : sql`${at} > ${integer(count)}`,
    );
  }
  const limit =
    kind === 'top' ? sql` LIMIT ${integer(count)}` : sql` LIMIT -1 OFFSET ${integer(count)}`;
  return enclosed(stage, sql`${orderOf(stage)}${limit}`);
}

type Of<Kind extends Transformation['kind']> = Transformation & { readonly kind: Kind };

/** New columns beside the others. An entity keeps its columns: what is computed of it is put in where it is used. */
function compute(stage: Stage, { computed, output }: Of<'compute'>): Stage {
  const { scope } = stage;
  if (output.kind !== 'derived') return stage;
  const columns = selectColumns(columnsOf(output), (one) => {
    const found = computed.find((item) => item.name === one.name);
    return found === undefined
      ? columnByName(stage, one)
      : inColumn(scope, scope.value(scope, found.expression), one);
  });
  const groups = stage.partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const rows = sql`SELECT ${columns}${join(groups, '')} FROM ${stage.from}${where(stage.conditions)}`;
  return carry(nextStage(scope, output, rows), stage.partition.length);
}

/** Transformations within each group: rows carry their group, and what is cut is cut in each. */
function insideGroups(stage: Stage, transformation: Of<'groupby'>): Stage {
  const { groupings, sets, then, output } = transformation;
  const [only = [], ...others] = sets;
  const isPlain = others.length === 0 && groupings.every(({ over }) => over === undefined);
  if (!isPlain)
    throw new Fault('not-built', {
      feature: 'rollup or collections with other transformations in groupby',
    });
  const keys = only.flatMap((index) => groupings[index] ?? []);
  const marks = keys.map((key, index) => sql`, ${groupKey(stage, key)} AS ${groupName(index)}`);
  const grouped = carry(fromRows(stage, closed(stage, join(marks, ''))), keys.length);
  const result = applyAll(grouped, then);
  const columns = selectColumns(columnsOf(output), (one) => {
    const at = keys.findIndex((key) => key.name === one.name);
    return result.partition[at] ?? columnByName(result, one);
  });
  const rows = sql`SELECT ${columns} FROM ${result.from}${where(result.conditions)}`;
  return nextStage(stage.scope, output, rows);
}

/** The results of all branches one after the other. */
function concat(stage: Stage, { branches, output }: Of<'concat'>): Stage {
  const results = branches.map((branch) => applyAll(stage, branch));
  const parts = results.map((result) => branchRows(result, output));
  const rows = join(parts, ' UNION ALL ');
  return output.kind === 'derived'
    ? nextStage(stage.scope, output, rows)
    : fromRows({ ...stage, keys: [] }, rows);
}

function branchRows(result: Stage, output: RowVariable): Fragment {
  // A branch that ends with a cut has it in its own sub-select already.
  if (output.kind !== 'derived') return closed(result);
  const columns = selectColumns(columnsOf(output), (one) => columnByName(result, one));
  return sql`SELECT ${columns} FROM ${result.from}${where(result.conditions)}`;
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

/** Each row with each of the rows that it leads to; with outer also rows that lead to none. */
function joined(stage: Stage, transformation: Of<'join'>): Stage {
  const { rows, alias, outer, then, output } = transformation;
  const origin = originOf(stage.scope, rows);
  const all: Stage = { ...origin, row: rows.row, keys: [], partition: [] };
  // What is cut or grouped for each row apart cannot stand in a join of tables; what is only chosen can.
  if (then.some(({ kind }) => kind !== 'filter' && kind !== 'search')) {
    throw new Fault('not-built', {
      feature: 'other transformations than filter and search in join',
    });
  }
  const target = applyAll(all, then);
  const columns = selectColumns(columnsOf(output), (one) => {
    if (one.name === alias) {
      const { table } = useOf(stage.scope.layout, rows.row.source);
      return column(aliasOf(origin.scope, rows.row), table.identity);
    }
    const isTarget = one.name.startsWith(`${alias}/`);
    return isTarget
      ? columnByName(target, { ...one, name: one.name.slice(alias.length + 1) })
      : columnByName(stage, one);
  });
  const kind = outer ? sql`LEFT JOIN` : sql`JOIN`;
  const from = sql`${stage.from} ${kind} ${origin.from} ON ${every(target.conditions)}`;
  return nextStage(
    stage.scope,
    output,
    sql`SELECT ${columns} FROM ${from}${where(stage.conditions)}`,
  );
}
