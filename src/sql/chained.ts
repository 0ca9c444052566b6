// This file compiles aggregates in several steps: `Amount with sum from Day with average` adds up within each day and takes the average
// of the days. Each step groups by fewer keys than the one before. OData Data Aggregation 4.0, "Keyword from".
import type { Aggregation } from '../bind/bound.ts';
import type { Compiled } from './dialect.ts';
import { fold, whole } from './fold.ts';
import { EMPTY, type Fragment, list, name, sql, where } from './fragment.ts';
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

/** The aggregate of every group that the keys make. */
export function chainedRows(
  stage: Stage,
  keys: readonly Fragment[],
  { expression, method, from }: Aggregation,
): Chained {
  const { scope } = stage;
  const steps = from.map(({ grouping }) => scope.value(scope, grouping).sql);
  const content = expression === undefined ? undefined : scope.value(scope, expression);
  const first = content === undefined ? whole(sql`count(*)`) : fold(scope, method, content);
  const own = keys.map((_, index) => groupName(index));
  const named = [
    ...namedKeys(keys),
    ...steps.map((step, index) => sql`${step} AS ${stepName(index)}`),
  ];
  const start: Chained = {
    rows: sql`SELECT ${list([...named, sql`${first.sql} AS v`])} FROM ${stage.from}${where(stage.conditions)}${groupBy([...keys, ...steps])}`,
    value: first,
  };
  return from.reduce<Chained>((before, { method: next }, index) => {
    const value = fold(scope, next, { ...before.value, sql: sql`v`, nullable: true });
    const left = steps.slice(index + 1).map((_, at) => stepName(index + 1 + at));
    const columns = list([...own, ...left, sql`${value.sql} AS v`]);
    return {
      rows: sql`SELECT ${columns} FROM (${before.rows})${groupBy([...own, ...left])}`,
      value,
    };
  }, start);
}

function stepName(index: number): Fragment {
  return name(`$f${index + 1}`);
}
