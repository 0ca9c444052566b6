// Compiles the selection of rows: FROM, WHERE, ORDER BY and paging. A page continues after the order values of the last returned row.
// OData 4.01 URL Conventions, "System Query Option $orderby".
import type { Expression } from '../../bind/bound.ts';
import type { RowSelection } from '../../plan/read-plan.ts';
import { applyToRows } from '../apply/apply.ts';
import { columnsOf, orderOfColumns, type Stage } from '../apply/transformation-rows.ts';
import type { TextWalk } from '../dialect/dialect.ts';
import { candidateWalk, indexOf } from '../expression/text-search.ts';
import { EMPTY, type Fragment, join, list, name, some, sql, where } from '../fragment.ts';
import { storageOf } from '../schema/value-storage.ts';
import { aliasOf, bindRows, bindThese, type Scope } from '../scope.ts';
import { type FoundRows, foundRows, HAS_MANY, lookupPage } from './lookup-page.ts';
import { type Key, keyOf, limitTo, limitUntil, orderBy, type RowRange } from './order-by.ts';
import { partsByRemaining, remainingCandidates } from './order-by-remaining.ts';
import { partsByTarget, type RowPart } from './order-by-target.ts';
import { isAfter } from './page-marks.ts';
import { type Origin, originOf } from './row-source.ts';
import { isIdentity, isIndexRange, isOrdered } from './scan-estimate.ts';
import { fromSource, identityColumn } from './union-source.ts';

export interface Selected extends Origin {
  readonly keys: readonly Key[];
  /** The rows after the last row of the previous page, as disjoint conditions that an index can serve one by one. */
  readonly after: readonly Fragment[];
  /** More items of ORDER BY, for rows that are equal in all keys. */
  readonly ties?: readonly Fragment[];
  /** Set if the rows may need sorting. */
  readonly sorted?: SortedRows;
  /** The rows of the page as parts of their own, instead of by `after`. */
  readonly parts?: readonly RowPart[];
  /** Whether one range of an index holds the rows in order, whatever the values of the request are. */
  readonly isRange?: boolean;
  /** Set if the rows are found through others. */
  readonly found?: FoundRows | undefined;
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
  const found =
    fromIndex ?? selectRows(withThese(originOf(scope, selecting.rows), selecting), selecting);
  const conditions = [...remainingCandidates(scope, selecting), ...found.conditions];
  const selected = { ...found, conditions };
  const isInOrder = isOrdered(scope.layout, selecting.rows, selecting);
  const after = isInOrder || selected.after.length < 2 ? selected.after : [some(selected.after)];
  const sorted =
    isInOrder && isWhole(selecting, after) ? undefined : sortedRows(selected, selecting);
  if (sorted === undefined) return { ...selected, after };
  const parts = partsByTarget(scope, selected, selecting) ?? partsByRemaining(scope, selecting);
  if (parts !== undefined) return { ...selected, after, sorted, parts };
  const isRange = after.length < 2 && isIndexRange(scope.layout, selecting.rows, selecting);
  const isFound = !isRange && fromIndex === undefined;
  const lookup = isFound ? foundRows(scope, selecting) : undefined;
  return { ...selected, after, sorted, isRange, found: lookup };
}

/** The rows of an index range without a subquery of identities, for columns that cost nothing in rows outside the page. */
export function inRange(selected: Selected): Selected {
  const { sorted: _, ...rows } = selected;
  return selected.isRange === true ? rows : selected;
}

/** Whether the rows are not filtered, and one index range holds those of the page. */
function isWhole({ rows, filter }: RowSelection, after: readonly Fragment[]): boolean {
  return filter === undefined && rows.where.length === 0 && after.length < 2;
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
  const selected = { ...selectRows(withThese(stage, selecting), selecting), ties: tiesOf(stage) };
  return selecting.inAppliedOrder === true
    ? { ...selected, keys: [...stage.keys, ...selected.keys] }
    : selected;
}

/** The columns of derived rows that the order of a plan leaves out: entities, complex values and collections. */
function tiesOf(stage: Stage): readonly Fragment[] {
  if (stage.row.kind !== 'derived') return [];
  const columns = columnsOf(stage.row).filter(
    ({ type, entity }) => entity !== undefined || storageOf(type).kind === 'json',
  );
  return orderOfColumns(stage, columns);
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

function sortedRows({ scope }: Selected, { rows, page }: RowSelection): SortedRows | undefined {
  const { row } = rows;
  if (page === undefined || row.source.kind === 'union') return undefined;
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
    after: after === undefined || keys.length === 0 ? [] : isAfter(scope, keys, after),
  };
}

/**
 * The SELECT of the columns: one page, or all rows in order if `page` is undefined. `joins` follow the rows and change neither their
 * number nor their order.
 */
export function selectPage(
  scope: Scope,
  selected: Selected,
  columns: readonly Fragment[],
  page: RowRange | undefined,
  joins: Fragment = EMPTY,
): Fragment {
  const { from, after, keys, ties, sorted, found } = selected;
  const conditions = found?.inOrder ?? selected.conditions;
  if (sorted === undefined || page === undefined) {
    const order = orderBy(scope, keys, ties);
    return sql`SELECT ${list(columns)} FROM ${from}${joins}${where([...conditions, ...orOf(after)])}${order}${limitTo(page)}`;
  }
  const whole = { from, conditions, keys, order: keys };
  const ranges = after.map((mark) => ({ ...whole, conditions: [...conditions, mark] }));
  const parts = selected.parts ?? (ranges.length === 0 ? [whole] : ranges);
  const either = found === undefined ? undefined : { found, from, marks: orOf(after) };
  return selectSorted(scope, { keys, sorted, parts, either, page, joins }, columns);
}

function orOf(conditions: readonly Fragment[]): readonly Fragment[] {
  return conditions.length < 2 ? conditions : [some(conditions)];
}

interface FoundPart {
  readonly found: FoundRows;
  readonly from: Fragment;
  readonly marks: readonly Fragment[];
}

interface Sorting {
  readonly keys: readonly Key[];
  readonly sorted: SortedRows;
  readonly parts: readonly RowPart[];
  /** The rows to be found through others, if they are few. */
  readonly either: FoundPart | undefined;
  readonly page: RowRange;
  readonly joins: Fragment;
}

/** `SELECT … FROM (SELECT t1."Uid" AS i, … ORDER BY … LIMIT 21) p JOIN "T" t1 ON t1."Uid" = p.i ORDER BY …`. */
function selectSorted(scope: Scope, sorting: Sorting, columns: readonly Fragment[]): Fragment {
  const { keys, sorted, joins } = sorting;
  const outerKeys = keys.map((key, index) => ({
    ...key,
    sort: { ...key.sort, sql: sql`p.${name(`s${index + 1}`)}` },
  }));
  const order = orderBy(scope, outerKeys);
  const pageRows = rowsOfPage(scope, sorting, order);
  return sql`SELECT ${list(columns)} FROM (${pageRows}) p JOIN ${sorted.table} ON ${sorted.identity} = p.i${joins}${order}`;
}

/** The identities and sort values of the rows of the page. */
function rowsOfPage(scope: Scope, sorting: Sorting, order: Fragment): Fragment {
  const { keys, sorted, parts, either, page } = sorting;
  const many = either === undefined ? [] : [HAS_MANY];
  const selects = parts.map((part) => {
    const conditions = [...part.conditions, ...many];
    const limit = parts.length < 2 ? limitTo(page) : limitUntil(page);
    return selectPart(scope, sorted.identity, { ...part, conditions }, limit);
  });
  const inOrder = selects.length < 2 ? join(selects, '') : merged(selects, order, page);
  if (either === undefined) return inOrder;
  const columns = pageColumns(sorted.identity, keys);
  const limited = sql`${order}${limitTo(page)}`;
  return lookupPage(scope, either.found, { ...either, columns, order: limited, inOrder });
}

function selectPart(
  scope: Scope,
  identity: Fragment,
  { from, conditions, keys, order }: RowPart,
  limit: Fragment,
): Fragment {
  return sql`SELECT ${pageColumns(identity, keys)} FROM ${from}${where(conditions)}${orderBy(scope, order)}${limit}`;
}

function pageColumns(identity: Fragment, keys: readonly Key[]): Fragment {
  const sorts = keys.map((key, index) => sql`${key.sort.sql} AS ${name(`s${index + 1}`)}`);
  return list([sql`${identity} AS i`, ...sorts]);
}

/** The first rows of several ordered selects. An index can serve each of them, but not their conditions joined by OR. */
function merged(selects: readonly Fragment[], order: Fragment, page: RowRange): Fragment {
  const parts = selects.map((part) => sql`SELECT * FROM (${part}) o`);
  return sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) p${order}${limitTo(page)}`;
}

/** The number of all rows, regardless of the page. */
export function selectCount(selected: Origin): Fragment {
  return sql`SELECT count(*) FROM ${selected.from}${where(selected.conditions)}`;
}
