// Compiles the selection of rows: FROM, WHERE, ORDER BY and paging. A page continues after the order values of the last returned row,
// by a condition that an index on the first order value can serve. Null sorts before all other values.
// OData 4.01 URL Conventions, "System Query Option $orderby"; OData 4.01 Protocol, "Server-Driven Paging".
import type { Expression, LiteralExpression } from '../../bind/bound.ts';
import { isNull } from '../../bind/expression/literal.ts';
import type { RowSelection } from '../../plan/read-plan.ts';
import { applyToRows } from '../apply/apply.ts';
import type { Stage } from '../apply/transformation-rows.ts';
import type { LiteralDialect, TextWalk } from '../dialect/dialect.ts';
import { candidateWalk, indexOf } from '../expression/text-search.ts';
import { every, type Fragment, list, name, some, sql, where } from '../fragment.ts';
import { aliasOf, bindRows, bindThese, type Scope } from '../scope.ts';
import { type Key, keyOf, limitTo, orderBy, type RowRange } from './order-by.ts';
import { type Origin, originOf } from './row-source.ts';
import { isIdentity, isOrdered } from './scan-estimate.ts';
import { fromSource, identityColumn } from './union-source.ts';

export interface Selected extends Origin {
  readonly keys: readonly Key[];
  /** Conditions for rows after the last row of the previous page. */
  readonly after: readonly Fragment[];
  /** Set if the rows may need sorting. */
  readonly sorted?: SortedRows;
}

/** Rows of one table to be sorted in a subquery of identities, so that JSON is built only for the rows of the page. */
interface SortedRows {
  readonly table: Fragment;
  readonly identity: Fragment;
}

export function select(scope: Scope, selecting: RowSelection): Selected {
  if (selecting.apply.length > 0) return selectApplied(scope, selecting);
  const fromIndex =
    selecting.these === undefined ? selectFromTextIndex(scope, selecting) : undefined;
  const selected =
    fromIndex ?? selectRows(withThese(originOf(scope, selecting.rows), selecting), selecting);
  const sorted = sortedRows(selected, selecting);
  return sorted === undefined ? selected : { ...selected, sorted };
}

/**
 * A page of rows that contain a substring, in the order of their identities. The text index is read in that order until the page is
 * full; otherwise, all of its matches would be collected before the first row.
 */
function selectFromTextIndex(scope: Scope, selecting: RowSelection): Selected | undefined {
  const { rows, order, filter, page } = selecting;
  const [only, ...others] = order;
  const isByIdentity =
    only !== undefined &&
    others.length === 0 &&
    !only.descending &&
    isIdentity(scope.layout, rows, only.expression);
  if (!isByIdentity || page === undefined || rows.origin.kind !== 'source') return undefined;
  const inside = bindRows(scope, rows.row);
  const parts = filter?.kind === 'and' ? filter.operands : [filter];
  // A selective index is faster.
  if (rows.where.length > 0 || parts.some(isSelective)) return undefined;
  for (const part of parts) {
    const walk = part === undefined ? undefined : walkFor(inside, rows.row, part);
    if (walk === undefined) continue;
    const origin = originOf({ ...scope, indexedCall: part }, rows);
    const own = identityColumn(origin.scope, rows.row);
    const joined = {
      ...origin,
      from: sql`${walk.from}${origin.from}`,
      conditions: [walk.condition, sql`${own} = ${walk.identity}`, ...origin.conditions],
    };
    return selectRows(joined, selecting, walk.identity);
  }
  return undefined;
}

function isSelective(part: Expression | undefined): boolean {
  return part?.kind === 'in' || (part?.kind === 'compare' && part.operator === 'eq');
}

/** The text index scan for a `contains` on a property of the rows themselves. */
function walkFor(scope: Scope, row: RowSelection['row'], part: Expression): TextWalk | undefined {
  if (part.kind !== 'call' || part.function !== 'contains') return undefined;
  const [content, literal] = part.arguments;
  if (content === undefined || literal?.kind !== 'literal') return undefined;
  const indexed = indexOf(scope, content);
  const isOwn = indexed?.row.kind === 'variable' && indexed.row.row.id === row.id;
  return indexed !== undefined && isOwn ? candidateWalk(scope, indexed, literal) : undefined;
}

function selectApplied(scope: Scope, selecting: RowSelection): Selected {
  return selectStage(applyToRows(scope, selecting.rows, selecting.apply), selecting);
}

/** The result rows of $apply, with filter, order and page. */
export function selectStage(stage: Stage, selecting: Omit<RowSelection, 'rows'>): Selected {
  const selected = selectRows(withThese(stage, selecting), selecting);
  return selecting.inAppliedOrder === true
    ? { ...selected, keys: [...stage.keys, ...selected.keys] }
    : selected;
}

/** The origin, with the $these variables bound to those of its rows that meet their conditions. */
function withThese(
  origin: Origin,
  { row, these = [] }: Pick<RowSelection, 'row' | 'these'>,
): Origin {
  const { from, conditions } = origin;
  let { scope } = origin;
  for (const { row: own, where: filter } of these) {
    const all = filter === undefined ? conditions : [...conditions, scope.condition(scope, filter)];
    const rows = sql`SELECT ${aliasOf(scope, row)}.* FROM ${from}${where(all)}`;
    scope = bindThese(scope, own, { rows, groups: [] });
  }
  return { ...origin, scope };
}

function sortedRows({ scope }: Selected, selecting: RowSelection): SortedRows | undefined {
  const { rows, filter, order, page } = selecting;
  const { row } = rows;
  const hasConditions = filter !== undefined || rows.where.length > 0;
  const isInOrder = !hasConditions && isOrdered(scope.layout, rows, order);
  if (page === undefined || isInOrder || row.source.kind === 'union') return undefined;
  return {
    table: fromSource(scope.layout, row.source, aliasOf(scope, row)),
    identity: identityColumn(scope, row),
  };
}

/** The rows of an origin, with filter, order and page. `identity` replaces the sort expression of the keys. */
export function selectRows(
  origin: Origin,
  selecting: Pick<RowSelection, 'filter' | 'order' | 'page'>,
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
    after: after === undefined || keys.length === 0 ? [] : [isAfter(scope, keys, after)],
  };
}

/** The SELECT of the columns: one page, or all rows in order if `page` is undefined. */
export function selectPage(
  scope: Scope,
  selected: Selected,
  columns: readonly Fragment[],
  page: RowRange | undefined,
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
  const outerKeys = keys.map((key, index) => ({
    ...key,
    sort: { ...key.sort, sql: sql`p.${name(`s${index + 1}`)}` },
  }));
  const sorts = keys.map((key, index) => sql`${key.sort.sql} AS ${name(`s${index + 1}`)}`);
  const pageRows = sql`SELECT ${list([sql`${sorted.identity} AS i`, ...sorts])} ${rows}`;
  const order = orderBy(scope, outerKeys);
  return sql`SELECT ${list(columns)} FROM (${pageRows}) p JOIN ${sorted.table} ON ${sorted.identity} = p.i${order}`;
}

/** The number of all rows, regardless of the page. */
export function selectCount(selected: Origin): Fragment {
  return sql`SELECT count(*) FROM ${selected.from}${where(selected.conditions)}`;
}

/** A sort key and its value in the last row of the previous page. */
interface Mark {
  readonly key: Key;
  readonly at: LiteralExpression;
}

function isAfter(
  scope: Scope,
  keys: readonly Key[],
  after: readonly LiteralExpression[],
): Fragment {
  const marks = keys.flatMap((key, index) => {
    const at = after[index];
    return at === undefined ? [] : [{ key, at }];
  });
  const isPlain = marks.every(
    ({ key, at }) => !key.descending && !key.sort.nullable && !isNull(at),
  );
  if (isPlain && marks.length > 1) {
    const values = marks.map(({ key, at }) => key.bind(at));
    return sql`(${list(keys.map((key) => key.sort.sql))}) > (${list(values)})`;
  }
  return isAfterMarks(marks, scope.dialect.literal);
}

/** `first >= ? AND (first > ? OR (first = ? AND second > ?))`: the range comes first so that an index can serve it. */
function isAfterMarks(marks: readonly Mark[], literal: LiteralDialect): Fragment {
  const [mark, ...others] = marks;
  if (mark === undefined) return literal.false;
  if (others.length === 0) return isBeyond(mark, literal);
  const rest = every([isEqual(mark), isAfterMarks(others, literal)]);
  const either = some([isBeyond(mark, literal), rest]);
  const range = rangeFrom(mark);
  return range === undefined ? either : every([range, either]);
}

/** In descending order nothing follows null, the lowest value. */
function isBeyond({ key, at }: Mark, literal: LiteralDialect): Fragment {
  const { sort, descending } = key;
  if (isNull(at)) return descending ? literal.false : sql`${sort.sql} IS NOT NULL`;
  if (!descending) return sql`${sort.sql} > ${key.bind(at)}`;
  const less = sql`${sort.sql} < ${key.bind(at)}`;
  return sort.nullable ? sql`(${less} OR ${sort.sql} IS NULL)` : less;
}

function isEqual({ key, at }: Mark): Fragment {
  return isNull(at) ? sql`${key.sort.sql} IS NULL` : sql`${key.sort.sql} = ${key.bind(at)}`;
}

function rangeFrom({ key, at }: Mark): Fragment | undefined {
  if (isNull(at)) return key.descending ? sql`${key.sort.sql} IS NULL` : undefined;
  if (!key.descending) return sql`${key.sort.sql} >= ${key.bind(at)}`;
  return key.sort.nullable ? undefined : sql`${key.sort.sql} <= ${key.bind(at)}`;
}
