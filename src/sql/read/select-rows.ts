// This file compiles what is read of a set of rows: FROM, WHERE, ORDER BY and the page. A page goes on behind the order values of the
// last row given, in a condition that an index on the first of them serves; null comes before all other values.
// OData 4.01 URL Conventions, "System Query Option $orderby"; OData 4.01 Protocol, "Server-Driven Paging".
import type { Expression, LiteralPlace } from '../../bind/bound.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Selecting } from '../../plan/read-plan.ts';
import { appliedRows } from '../apply/apply.ts';
import type { Stage } from '../apply/transformation-rows.ts';
import type { TextWalk } from '../dialect/dialect.ts';
import { candidateWalk, indexOf } from '../expression/text-search.ts';
import { column, every, type Fragment, list, name, some, sql, where } from '../fragment.ts';
import { aliasOf, binding, meaning, type Scope } from '../scope.ts';
import { type Cut, type Key, keyOf, limitTo, orderBy } from './order-by.ts';
import { type Origin, originOf } from './row-source.ts';
import { isIdentity, isOrdered } from './scan-estimate.ts';
import { fromSource, useOf } from './union-source.ts';

export interface Selected extends Origin {
  readonly keys: readonly Key[];
  /** Behind the last row of the page before. */
  readonly after: readonly Fragment[];
  /** Where the rows may have to be sorted: what they are sorted without their contents as. */
  readonly sorted?: SortedRows;
}

/** Rows of one table that are sorted by their identities first, so that what is written is made for the rows of the page only. */
interface SortedRows {
  readonly table: Fragment;
  readonly identity: Fragment;
}

export function select(scope: Scope, selecting: Selecting): Selected {
  if (selecting.apply.length > 0) return selectApplied(scope, selecting);
  const isWalkable = selecting.these === undefined;
  const selected =
    (isWalkable ? walked(scope, selecting) : undefined) ??
    completed(withThese(originOf(scope, selecting.rows), selecting), selecting);
  const sorted = sortedRows(selected, selecting);
  return sorted === undefined ? selected : { ...selected, sorted };
}

/**
 * A page of the rows in which a part of a text is looked for, in the order of their identities: the text index is walked through in
 * that order until the page is full. All that it has would have to be gathered before the first row otherwise.
 */
function walked(scope: Scope, selecting: Selecting): Selected | undefined {
  const { rows, order, filter, page } = selecting;
  const [only, ...others] = order;
  const isByIdentity =
    only !== undefined &&
    others.length === 0 &&
    !only.descending &&
    isIdentity(scope.layout, rows, only.expression);
  if (!isByIdentity || page === undefined || rows.origin.kind !== 'source') return undefined;
  const inside = binding(scope, rows.row);
  const parts = filter?.kind === 'and' ? filter.operands : [filter];
  // What an index may answer with few rows is the better way to them.
  if (rows.where.length > 0 || parts.some(isSelective)) return undefined;
  for (const part of parts) {
    const walk = part === undefined ? undefined : walkFor(inside, rows.row, part);
    if (walk === undefined) continue;
    const origin = originOf({ ...scope, ...(part === undefined ? {} : { walked: part }) }, rows);
    const own = column(
      aliasOf(origin.scope, rows.row),
      useOf(scope.layout, rows.row.source).table.identity,
    );
    const joined = {
      ...origin,
      from: sql`${walk.from}${origin.from}`,
      conditions: [walk.condition, sql`${own} = ${walk.identity}`, ...origin.conditions],
    };
    return completed(joined, selecting, walk.identity);
  }
  return undefined;
}

function isSelective(part: Expression | undefined): boolean {
  return part?.kind === 'in' || (part?.kind === 'compare' && part.operator === 'eq');
}

/** The walk for a call that looks for a part of a text of the rows themselves. */
function walkFor(scope: Scope, row: Selecting['row'], part: Expression): TextWalk | undefined {
  if (part.kind !== 'call' || part.function !== 'contains') return undefined;
  const [content, literal] = part.arguments;
  if (content === undefined || literal?.kind !== 'literal') return undefined;
  const indexed = indexOf(scope, content);
  const isOwn = indexed?.row.kind === 'variable' && indexed.row.row.id === row.id;
  return indexed !== undefined && isOwn ? candidateWalk(scope, indexed, literal) : undefined;
}

function selectApplied(scope: Scope, selecting: Selecting): Selected {
  return finished(appliedRows(scope, selecting.rows, selecting.apply), selecting);
}

/** Rows that $apply has made, with the filter, the order and the page that are asked of them. */
export function finished(stage: Stage, selecting: Omit<Selecting, 'rows'>): Selected {
  const selected = completed(withThese(stage, selecting), selecting);
  return selecting.inAppliedOrder === true
    ? { ...selected, keys: [...stage.keys, ...selected.keys] }
    : selected;
}

/** The origin in whose scope the variables of $these stand for its rows, each for those that fit its condition. */
function withThese(origin: Origin, { row, these = [] }: Pick<Selecting, 'row' | 'these'>): Origin {
  const { from, conditions } = origin;
  let { scope } = origin;
  for (const { row: own, where: fits } of these) {
    const all = fits === undefined ? conditions : [...conditions, scope.condition(scope, fits)];
    const rows = sql`SELECT ${aliasOf(scope, row)}.* FROM ${from}${where(all)}`;
    scope = meaning(scope, own, { rows, groups: [] });
  }
  return { ...origin, scope };
}

function sortedRows({ scope }: Selected, selecting: Selecting): SortedRows | undefined {
  const { rows, filter, order, page } = selecting;
  const { row } = rows;
  const hasConditions = filter !== undefined || rows.where.length > 0;
  const isInOrder = !hasConditions && isOrdered(scope.layout, rows, order);
  if (page === undefined || isInOrder || row.source.kind === 'union') return undefined;
  const alias = aliasOf(scope, row);
  const { table } = useOf(scope.layout, row.source);
  return {
    table: fromSource(scope.layout, row.source, alias),
    identity: column(alias, table.identity),
  };
}

/** Rows with the filter, the order and the page that are asked of them. */
export function completed(
  origin: Origin,
  selecting: Pick<Selecting, 'filter' | 'order' | 'page'>,
  identity?: Fragment,
): Selected {
  const { scope } = origin;
  const filter = selecting.filter === undefined ? [] : [scope.condition(scope, selecting.filter)];
  const keys = selecting.order.map((item) => {
    const key = keyOf(scope, item);
    return identity === undefined ? key : { ...key, sort: { ...key.sort, sql: identity } };
  });
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
  page: Cut | undefined,
): Fragment {
  const { from, conditions, after, keys, sorted } = selected;
  const order = orderBy(scope, keys);
  const rows = sql`FROM ${from}${where([...conditions, ...after])}${order}${limitTo(page)}`;
  return sorted === undefined || page === undefined
    ? sql`SELECT ${list(columns)} ${rows}`
    : selectSorted(scope, { keys, sorted, rows }, columns);
}

interface Sorting {
  readonly keys: readonly Key[];
  readonly sorted: SortedRows;
  readonly rows: Fragment;
}

/** `SELECT … FROM (SELECT t1."Uid" AS i, … ORDER BY … LIMIT 21) p JOIN "T" t1 ON t1."Uid" = p.i ORDER BY …`. */
function selectSorted(
  scope: Scope,
  { keys, sorted, rows }: Sorting,
  columns: readonly Fragment[],
): Fragment {
  const named = keys.map((key, index) => ({ key, as: sql`p.${name(`s${index + 1}`)}` }));
  const sorts = keys.map((key, index) => sql`${key.sort.sql} AS ${name(`s${index + 1}`)}`);
  const chosen = sql`SELECT ${list([sql`${sorted.identity} AS i`, ...sorts])} ${rows}`;
  const order = orderBy(
    scope,
    named.map(({ key, as }) => ({ ...key, sort: { ...key.sort, sql: as } })),
  );
  return sql`SELECT ${list(columns)} FROM (${chosen}) p JOIN ${sorted.table} ON ${sorted.identity} = p.i${order}`;
}

/** The number of all rows, whatever the page. */
export function selectCount(selected: Origin): Fragment {
  return sql`SELECT count(*) FROM ${selected.from}${where(selected.conditions)}`;
}

/** A key and the value that the last row had in it. */
interface Mark {
  readonly key: Key;
  readonly at: Value;
  /** Where the request has it: in its skip token. */
  readonly place: LiteralPlace;
}

function behind(keys: readonly Key[], after: readonly Value[]): Fragment {
  const marks = keys.map((key, index) => ({
    key,
    at: after[index] ?? null,
    place: { part: 'skiptoken', at: index },
  }));
  const isPlain = marks.every(
    ({ key, at }) => !key.descending && !key.sort.nullable && at !== null,
  );
  if (isPlain && marks.length > 1) {
    const values = marks.map(({ key, at, place }) => key.bind(at, place));
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
function beyond({ key, at, place }: Mark): Fragment {
  const { sort, descending } = key;
  if (at === null) return descending ? sql`0` : sql`${sort.sql} IS NOT NULL`;
  if (!descending) return sql`${sort.sql} > ${key.bind(at, place)}`;
  const less = sql`${sort.sql} < ${key.bind(at, place)}`;
  return sort.nullable ? sql`(${less} OR ${sort.sql} IS NULL)` : less;
}

function equal({ key, at, place }: Mark): Fragment {
  return at === null ? sql`${key.sort.sql} IS NULL` : sql`${key.sort.sql} = ${key.bind(at, place)}`;
}

function rangeFrom({ key, at, place }: Mark): Fragment | undefined {
  if (at === null) return key.descending ? sql`${key.sort.sql} IS NULL` : undefined;
  if (!key.descending) return sql`${key.sort.sql} >= ${key.bind(at, place)}`;
  return key.sort.nullable ? undefined : sql`${key.sort.sql} <= ${key.bind(at, place)}`;
}
