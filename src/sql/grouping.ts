// This file compiles aggregate and groupby: GROUP BY over a stage, once for each grouping set, with values out of collections of related
// rows put together row by row first. OData Data Aggregation 4.0, "Transformation aggregate", "Transformation groupby".
import { Fault, unreachable } from '../base/fault.ts';
import type { Aggregation, DerivedColumn, Grouping, Transformation } from '../bind/bound.ts';
import type { Compiled } from './dialect.ts';
import { toStorage } from './forms.ts';
import { column, EMPTY, every, type Fragment, join, list, name, sql, where } from './fragment.ts';
import { originOf } from './origin.ts';
import { aliasOf, type Scope } from './scope.ts';
import { columnsOf, fromRows, inColumn, nextStage, type Stage, selectColumns } from './stage.ts';
import { DECIMAL, INTEGER, type Storage } from './storage.ts';

type Method = Aggregation['method'];

/** One row with the aggregates of all rows; inside a groupby one for each group. */
export function aggregate(
  stage: Stage,
  transformation: Transformation & { readonly kind: 'aggregate' },
): Stage {
  const { aggregations, output } = transformation;
  const carried = stage.partition.map((key, index) => sql`${key} AS ${groupName(index)}`);
  const columns = columnsOf(output).map(
    (one) => sql`${aggregateByName(stage, aggregations, one)} AS ${name(one.name)}`,
  );
  const rows = sql`SELECT ${list([...columns, ...carried])} FROM ${stage.from}${where(stage.conditions)}${groupBy(stage.partition)}`;
  const next = nextStage(stage.scope, output, rows);
  return carry(next, stage.partition.length);
}

function groupBy(keys: readonly Fragment[]): Fragment {
  return keys.length === 0 ? EMPTY : sql` GROUP BY ${list(keys)}`;
}

/** Hidden columns of the groups that rows belong to inside a groupby. */
export function groupName(index: number): Fragment {
  return name(`$g${index + 1}`);
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

function aggregateValue(stage: Stage, aggregation: Aggregation): Compiled {
  const { over, method, expression, from } = aggregation;
  if (from.length > 0) throw new Fault('not-built', { feature: 'the keyword from in aggregate' });
  if (over !== undefined) return aggregateRelated(stage, { ...aggregation, over });
  if (expression === undefined || method === 'count') return whole(sql`count(*)`);
  return fold(stage.scope, method, stage.scope.value(stage.scope, expression));
}

function whole(count: Fragment): Compiled {
  return { sql: count, storage: INTEGER, nullable: false };
}

/** An aggregate of a value over the rows of a group. */
function fold(scope: Scope, method: Method, content: Compiled): Compiled {
  const { values } = scope.dialect;
  const of = content.sql;
  const result = (folded: Fragment, storage: Storage = content.storage): Compiled => ({
    sql: folded,
    storage,
    nullable: true,
  });
  switch (method) {
    case 'count':
      return whole(sql`count(*)`);
    case 'countdistinct':
      return whole(sql`count(DISTINCT ${of})`);
    case 'sum':
    case 'min':
    case 'max':
      return content.storage.kind === 'decimal'
        ? result(values.foldDecimals(method, of))
        : result(sql`${METHODS[method]}(${of})`);
    case 'average':
      return average(scope, content);
    default:
      return unreachable(method);
  }
}

const METHODS = { sum: sql`sum`, min: sql`min`, max: sql`max` } as const;

function average(scope: Scope, content: Compiled): Compiled {
  const { kind } = content.storage;
  const of = content.sql;
  if (kind === 'floating')
    return { sql: sql`avg(${of})`, storage: content.storage, nullable: true };
  if (kind === 'duration') {
    return { sql: sql`(sum(${of}) / count(${of}))`, storage: content.storage, nullable: true };
  }
  return quotient(scope, fold(scope, 'sum', content), whole(sql`count(${of})`));
}

function quotient(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  const { dialect } = scope;
  const [left, right] = [sum, count].map((one) => toStorage(dialect, one, DECIMAL).sql);
  const divided = dialect.values.decimal('div', left ?? sum.sql, right ?? count.sql);
  return { sql: divided, storage: DECIMAL, nullable: true };
}

type Related = Aggregation & { readonly over: NonNullable<Aggregation['over']> };

/** Values of related rows: those of one row are put together in a sub-select, and these over the group. */
function aggregateRelated(stage: Stage, aggregation: Related): Compiled {
  const { method, expression, over } = aggregation;
  const origin = originOf(stage.scope, over);
  const { scope } = origin;
  const inner = (selected: Fragment) =>
    sql`(SELECT ${selected} FROM ${origin.from}${where(origin.conditions)})`;
  if (expression === undefined || method === 'count')
    return whole(sql`sum(${inner(sql`count(*)`)})`);
  const content = scope.value(scope, expression);
  const part = (of: 'sum' | 'min' | 'max'): Compiled => ({
    ...content,
    sql: inner(fold(scope, of, content).sql),
  });
  switch (method) {
    case 'countdistinct':
      return whole(
        scope.dialect.values.countDistinct(inner(scope.dialect.json.gatherValues(content.sql))),
      );
    case 'average': {
      const sum = fold(stage.scope, 'sum', part('sum'));
      const count = whole(sql`sum(${inner(sql`count(${content.sql})`)})`);
      return averageOf(scope, sum, count);
    }
    default:
      return fold(stage.scope, method, part(method));
  }
}

function averageOf(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  if (sum.storage.kind === 'floating') {
    return { ...sum, sql: sql`(${sum.sql} / ${count.sql})` };
  }
  if (sum.storage.kind === 'duration') return { ...sum, sql: sql`(${sum.sql} / ${count.sql})` };
  return quotient(scope, sum, count);
}

type GroupBy = Transformation & { readonly kind: 'groupby' };

/** One row for each group of every grouping set. */
export function groupRows(stage: Stage, transformation: GroupBy): Stage {
  const { groupings, sets, output } = transformation;
  const spread = spreadOver(stage, groupings);
  const keys = groupings.map((grouping) => keyOf(spread, grouping));
  const parts = sets.map((set) => groupOneSet(spread, transformation, { keys, set }));
  return nextStage(stage.scope, output, join(parts, ' UNION ALL '));
}

/** The grouped value, in the storage of its column. */
export function keyOf(stage: Stage, grouping: Grouping): Fragment {
  const spreadKey = stage.row.kind === 'entity' && grouping.over !== undefined;
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
  const own = set.flatMap((index) => keys[index] ?? []);
  const columns = selectColumns(columnsOf(output), (one) => {
    const at = groupings.findIndex((grouping) => grouping.name === one.name);
    if (at >= 0) return (set.includes(at) ? keys[at] : undefined) ?? sql`NULL`;
    return aggregateByName(stage, aggregations, one);
  });
  const only = own.length === 0 && aggregations.length === 0 ? sql` LIMIT 1` : EMPTY;
  const rows = sql`SELECT ${columns} FROM ${stage.from}${where(stage.conditions)}${groupBy(own)}`;
  return only === EMPTY ? rows : sql`SELECT * FROM (${rows}${only})`;
}

/**
 * Where a grouping leads through a collection, each row once for every different value that it reaches there, or once with null:
 * rows are in several groups, but never twice in one.
 */
function spreadOver(stage: Stage, groupings: readonly Grouping[]): Stage {
  const through = groupings.filter((grouping) => grouping.over !== undefined);
  if (through.length === 0) return stage;
  const alias = aliasOf(stage.scope, stage.row);
  const origins = new Map(
    through.flatMap(({ over }) =>
      over === undefined ? [] : [[over.row.id, originOf(stage.scope, over)] as const],
    ),
  );
  const joins = [...origins.values()].map(
    ({ from, conditions }) => sql` LEFT JOIN ${from} ON ${every(conditions)}`,
  );
  const columns = through.map(({ expression, name: of, over, type }) => {
    const scope = origins.get(over?.row.id ?? -1)?.scope ?? stage.scope;
    const content = inColumn(scope, scope.value(scope, expression), { name: of, type });
    return sql`, ${content} AS ${name(`$over/${of}`)}`;
  });
  const rows = sql`SELECT DISTINCT ${alias}.*${join(columns, '')} FROM ${stage.from}${join(joins, '')}${where(stage.conditions)}`;
  return fromRows(stage, rows);
}
