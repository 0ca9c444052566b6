// This file compiles aggregates in several steps: `Amount with sum from Day with average` adds up within each day and takes the average
// of the days. Each step groups by fewer keys than the one before. OData Data Aggregation 4.0, "Keyword from".

import { rowOf, variableOf } from '../../bind/apply/collection-paths.ts';
import type {
  Aggregation,
  RowExpression,
  RowVariable,
  StoredCollection,
} from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { collectionOrigin } from '../expression/collection.ts';
import { EMPTY, every, type Fragment, join, list, name, sql, where } from '../fragment.ts';
import { identityOf } from '../read/row-source.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { fold, whole } from './aggregation-methods.ts';
import type { Stage } from './transformation-rows.ts';

/** Hidden columns of the groups that rows belong to. */
export function groupName(index: number): Fragment {
  return name(`$g${index + 1}`);
}

export function namedKeys(keys: readonly Fragment[]): readonly Fragment[] {
  return keys.map((key, index) => sql`${key} AS ${groupName(index)}`);
}

export function groupBy(keys: readonly Fragment[]): Fragment {
  return keys.length === 0 ? EMPTY : sql` GROUP BY ${list(keys)}`;
}

export interface Chained {
  /** A query of the hidden columns of the keys, and the value as `v`. */
  readonly rows: Fragment;
  /** Storage of the value. */
  readonly value: Compiled;
}

/** Whether the aggregate needs a query of its own beside that of its group. */
export function isChained(aggregation: Aggregation): boolean {
  const { from, over } = aggregation;
  return from.length > 0 || over !== undefined || reachedOnce(aggregation) !== undefined;
}

/** The aggregate of every group that the keys make. */
export function chainedRows(
  stage: Stage,
  keys: readonly Fragment[],
  aggregation: Aggregation,
): Chained {
  const { from } = aggregation;
  const { scope } = stage;
  const steps = from.flatMap(({ groupings }) =>
    groupings.map((one) => scope.value(scope, one).sql),
  );
  const own = keys.map((_, index) => groupName(index));
  const named = [
    ...namedKeys(keys),
    ...steps.map((step, index) => sql`${step} AS ${stepName(index)}`),
  ];
  const all = [...own, ...steps.map((_, index) => stepName(index))];
  const { rows, content } = valuesOf(stage, aggregation, named);
  const first =
    content === undefined ? whole(sql`count(*)`) : fold(scope, aggregation.method, content);
  const start: Chained = {
    rows: sql`SELECT ${list([...all, sql`${first.sql} AS v`])} FROM (${rows})${groupBy(all)}`,
    value: first,
  };
  let done = 0;
  return from.reduce<Chained>((before, { groupings, method: next }) => {
    const value = fold(scope, next, { ...before.value, sql: sql`v`, nullable: true });
    done += groupings.length;
    const left = steps.slice(done).map((_, at) => stepName(done + at));
    const columns = list([...own, ...left, sql`${value.sql} AS v`]);
    return {
      rows: sql`SELECT ${columns} FROM (${before.rows})${groupBy([...own, ...left])}`,
      value,
    };
  }, start);
}

/**
 * The values that are aggregated, with their keys. Values of entities that rows lead to count once for each entity, however many
 * rows lead there; items of a collection in them count each. OData Data Aggregation 4.0, "Aggregation Algorithm".
 */
function valuesOf(
  stage: Stage,
  aggregation: Aggregation,
  named: readonly Fragment[],
): { readonly rows: Fragment; readonly content: Compiled | undefined } {
  const { expression, over = [] } = aggregation;
  const { scope, joins } = joinOver(stage.scope, over);
  const content = expression === undefined ? undefined : scope.value(scope, expression);
  const once = reachedOnce(aggregation);
  const value = content === undefined ? [] : [sql`${content.sql} AS "$v"`];
  const distinct = once === undefined ? EMPTY : sql`DISTINCT `;
  const marks = once === undefined ? [] : marksOf(scope, once);
  const columns = list([...named, ...marks, ...value, sql`1 AS "$one"`]);
  return {
    rows: sql`SELECT ${distinct}${columns} FROM ${stage.from}${join(joins, '')}${where(stage.conditions)}`,
    content: content === undefined ? undefined : { ...content, sql: sql`"$v"` },
  };
}

/** The collections joined to the rows, each to the one before. */
function joinOver(
  outside: Scope,
  over: readonly StoredCollection[],
): { readonly scope: Scope; readonly joins: readonly Fragment[] } {
  let scope = outside;
  const joins = over.map((collection) => {
    const origin = collectionOrigin(scope, collection);
    ({ scope } = origin);
    return sql` JOIN ${origin.from} ON ${every(origin.conditions)}`;
  });
  return { scope, joins };
}

/** An entity of which values are taken once, and the items in it that the values are of, from the inside out. */
interface Once {
  readonly entity: RowExpression;
  readonly items: readonly RowVariable[];
}

/** What tells one value that is reached from another. */
function marksOf(scope: Scope, { entity, items }: Once): readonly Fragment[] {
  const places = items.map(
    (row, index) =>
      sql`${scope.dialect.json.itemIndex(aliasOf(scope, row))} AS ${name(`$p${index}`)}`,
  );
  return [sql`${identityOf(scope, entity)} AS "$i"`, ...places];
}

/** The last entity on the way to the value, where the way leads over a relation; the least and the greatest are the same for all. */
function reachedOnce({ over = [], expression, method }: Aggregation): Once | undefined {
  const row = (expression && rowOf(expression)) ?? itemRow(over.at(-1));
  if (row === undefined) return undefined;
  const once = onceOf(row, over);
  const isCounted = method === 'sum' || method === 'average' || method === 'count';
  return isCounted || over.length > 0 ? once : undefined;
}

function itemRow(collection: StoredCollection | undefined): RowExpression | undefined {
  return collection === undefined ? undefined : { kind: 'variable', row: variableOf(collection) };
}

function onceOf(row: RowExpression, over: readonly StoredCollection[]): Once | undefined {
  if (row.kind !== 'variable') return { entity: row, items: [] };
  const collection = over.find((one) => variableOf(one).id === row.row.id);
  if (collection === undefined) return undefined;
  if (collection.kind === 'rows') return { entity: row, items: [] };
  const around = rowOf(collection.of);
  const outer = around === undefined ? undefined : onceOf(around, over);
  return outer === undefined ? undefined : { ...outer, items: [row.row, ...outer.items] };
}

function stepName(index: number): Fragment {
  return name(`$f${index + 1}`);
}
