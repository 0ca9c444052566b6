// This file compiles what is read of a set of rows: FROM, WHERE, ORDER BY and the page. A page goes on behind the order values of the
// last row given, in a condition that an index on the first of them serves; null comes before all other values.
// OData 4.01 URL Conventions, "System Query Option $orderby"; OData 4.01 Protocol, "Server-Driven Paging".
import type { Value } from '../edm/reading.ts';
import type { Page, Selecting } from '../plan/plan.ts';
import { appliedRows } from './aggregate.ts';
import { every, type Fragment, list, some, sql, where } from './fragment.ts';
import { type Key, keyOf, limitTo, orderBy } from './order.ts';
import { type Origin, originOf } from './origin.ts';
import type { Scope } from './scope.ts';

export interface Selected extends Origin {
  readonly keys: readonly Key[];
  /** Behind the last row of the page before. */
  readonly after: readonly Fragment[];
}

export function select(scope: Scope, selecting: Selecting): Selected {
  const origin =
    selecting.apply.length === 0
      ? originOf(scope, selecting.rows)
      : appliedRows(scope, selecting.rows, selecting.apply);
  return completed(origin, selecting);
}

/** Rows with the filter, the order and the page that are asked of them. */
export function completed(
  origin: Origin,
  selecting: Pick<Selecting, 'filter' | 'order' | 'page'>,
): Selected {
  const { scope } = origin;
  const filter = selecting.filter === undefined ? [] : [scope.condition(scope, selecting.filter)];
  const keys = selecting.order.map((item) => keyOf(scope, item));
  const { after } = selecting.page ?? {};
  return {
    ...origin,
    conditions: [...origin.conditions, ...filter],
    keys,
    after: after === undefined || keys.length === 0 ? [] : [behind(keys, after)],
  };
}

/** The whole SELECT of the columns: a page of it where one is given, else all rows in order. */
export function selectPage(
  scope: Scope,
  selected: Selected,
  columns: readonly Fragment[],
  page: Pick<Page, 'limit' | 'skip'> | undefined,
): Fragment {
  const conditions = [...selected.conditions, ...selected.after];
  const order = orderBy(scope, selected.keys);
  return sql`SELECT ${list(columns)} FROM ${selected.from}${where(conditions)}${order}${limitTo(page)}`;
}

/** The number of all rows, whatever the page. */
export function selectCount(selected: Origin): Fragment {
  return sql`SELECT count(*) FROM ${selected.from}${where(selected.conditions)}`;
}

/** A key and the value that the last row had in it. */
interface Mark {
  readonly key: Key;
  readonly at: Value;
}

function behind(keys: readonly Key[], after: readonly Value[]): Fragment {
  const marks = keys.map((key, index) => ({ key, at: after[index] ?? null }));
  const isPlain = marks.every(
    ({ key, at }) => !key.descending && !key.sort.nullable && at !== null,
  );
  if (isPlain && marks.length > 1) {
    const values = marks.map(({ key, at }) => key.bind(at));
    return sql`(${list(keys.map((key) => key.sort.sql))}) > (${list(values)})`;
  }
  return behindMarks(marks);
}

/** `first >= ? AND (first > ? OR (first = ? AND second > ?))`: the range comes first, for the index. */
function behindMarks(marks: readonly Mark[]): Fragment {
  const [mark, ...others] = marks;
  if (mark === undefined) return sql`0`;
  if (others.length === 0) return beyond(mark);
  const rest = every([equal(mark), behindMarks(others)]);
  const either = some([beyond(mark), rest]);
  const range = rangeFrom(mark);
  return range === undefined ? either : every([range, either]);
}

/** Nothing follows null where values descend, since null is the least of all. */
function beyond({ key, at }: Mark): Fragment {
  const { sort, descending } = key;
  if (at === null) return descending ? sql`0` : sql`${sort.sql} IS NOT NULL`;
  if (!descending) return sql`${sort.sql} > ${key.bind(at)}`;
  const less = sql`${sort.sql} < ${key.bind(at)}`;
  return sort.nullable ? sql`(${less} OR ${sort.sql} IS NULL)` : less;
}

function equal({ key, at }: Mark): Fragment {
  return at === null ? sql`${key.sort.sql} IS NULL` : sql`${key.sort.sql} = ${key.bind(at)}`;
}

function rangeFrom({ key, at }: Mark): Fragment | undefined {
  if (at === null) return key.descending ? sql`${key.sort.sql} IS NULL` : undefined;
  if (!key.descending) return sql`${key.sort.sql} >= ${key.bind(at)}`;
  return key.sort.nullable ? undefined : sql`${key.sort.sql} <= ${key.bind(at)}`;
}
