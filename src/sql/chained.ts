// This file compiles aggregates in several steps: `Amount with sum from Day with average` adds up within each day and takes the average
// of the days. Each step groups by fewer keys than the one before. OData Data Aggregation 4.0, "Keyword from".
import type { Aggregation, RowExpression } from '../bind/bound.ts';
import type { Compiled } from './dialect.ts';
import { fold, whole } from './fold.ts';
import { EMPTY, every, type Fragment, list, name, sql, where } from './fragment.ts';
import { identityOf, originOf } from './origin.ts';
import type { Stage } from './stage.ts';

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
  return aggregation.from.length > 0 || reachedEntity(aggregation) !== undefined;
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
 * rows lead there. OData Data Aggregation 4.0, "Aggregation Algorithm".
 */
function valuesOf(
  stage: Stage,
  aggregation: Aggregation,
  named: readonly Fragment[],
): { readonly rows: Fragment; readonly content: Compiled | undefined } {
  const { expression, over } = aggregation;
  const origin = over === undefined ? undefined : originOf(stage.scope, over);
  const scope = origin?.scope ?? stage.scope;
  const content = expression === undefined ? undefined : scope.value(scope, expression);
  const entity = reachedEntity(aggregation);
  const identity = entity === undefined ? [] : [sql`${identityOf(scope, entity)} AS "$i"`];
  const value = content === undefined ? [] : [sql`${content.sql} AS "$v"`];
  const joined =
    origin === undefined ? EMPTY : sql` JOIN ${origin.from} ON ${every(origin.conditions)}`;
  const distinct = entity === undefined ? EMPTY : sql`DISTINCT `;
  const columns = list([...named, ...identity, ...value, sql`1 AS "$one"`]);
  return {
    rows: sql`SELECT ${distinct}${columns} FROM ${stage.from}${joined}${where(stage.conditions)}`,
    content: content === undefined ? undefined : { ...content, sql: sql`"$v"` },
  };
}

/** The entity whose value a path leads to, where it leads over a relation; the least and the greatest are the same for all. */
function reachedEntity({ over, expression, method }: Aggregation): RowExpression | undefined {
  if (over !== undefined) return { kind: 'variable', row: over.row };
  const isCounted = method === 'sum' || method === 'average';
  const isFollowed = expression?.kind === 'property' && expression.row.kind === 'follow';
  return isCounted && isFollowed ? expression.row : undefined;
}

function stepName(index: number): Fragment {
  return name(`$f${index + 1}`);
}
