// Estimates whether a read may scan many records, because no key, reference or index finds its rows. Such reads run on reader threads.
// Where an index finds rows that must all be looked at, only the database knows whether they are many. A wrong estimate costs time but
// never changes the result.
import type { Expression, OrderItem, RowExpression, Rows } from '../../bind/bound.ts';
import type { RowSelection, Shape, ShapeMember } from '../../plan/read-plan.ts';
import { columnName, type Layout, type TableUse } from '../schema/layout.ts';
import { useOf } from './union-source.ts';

/** The most rows that a page with expanded collections may have to be read on the main thread. */
const FEW_PARENTS = 50;
/** The most related collections, of all rows together, that may have to be read on the main thread. */
const FEW_COLLECTIONS = 200;
/** The most rows that may be skipped on the main thread. */
const MANY_ROWS = 10_000;

/** Whether a read may scan many rows. */
export type ScanEstimate =
  | { readonly kind: 'few' | 'many' }
  /** No more than the rows that are found by the conditions of any of the lists. */
  | { readonly kind: 'found'; readonly lookups: readonly (readonly Expression[])[] };

const FEW: ScanEstimate = { kind: 'few' };
const MANY: ScanEstimate = { kind: 'many' };

/**
 * Estimates how many rows a read has to look at.
 * @param counts whether all matching rows are counted, regardless of the page
 */
export function estimateScan(
  layout: Layout,
  selecting: RowSelection,
  shape: Shape | undefined,
  counts: boolean = selecting.count,
): ScanEstimate {
  const { rows, filter, order } = selecting;
  if (selecting.these !== undefined) return MANY;
  if (selecting.apply.length > 0 || isBroad(layout, selecting, shape) || isDeep(selecting))
    return MANY;
  const conditions = [...rows.where, ...partsOf(filter)];
  if (conditions.some((condition) => isLookup(layout, rows, condition, 'key'))) return FEW;
  if (conditions.some((condition) => hasKeyedMatch(layout, condition))) return FEW;
  if (rows.origin.kind !== 'source') return estimateRelated(layout, selecting, counts);
  if (conditions.length === 0) return isOrdered(layout, rows, selecting) ? FEW : MANY;
  if (!counts && isReadInOrder(layout, rows, conditions, order)) return FEW;
  const lookups = lookupsIn(layout, rows, conditions);
  return lookups.length === 0 ? MANY : { kind: 'found', lookups };
}

/** Related rows are found by their reference, but all of them are looked at to filter, sort or count them. */
function estimateRelated(layout: Layout, selecting: RowSelection, counts: boolean): ScanEstimate {
  const { rows, page } = selecting;
  const isOne = page === undefined && !counts;
  const isInOrder = rows.where.length === 0 && !counts && !looksAtAll(layout, selecting);
  return isOne || isInOrder ? FEW : { kind: 'found', lookups: [[]] };
}

/** Whether an index finds the rows in the order of the page, so that no others are read. */
function isReadInOrder(
  layout: Layout,
  rows: Rows,
  conditions: readonly Expression[],
  order: readonly OrderItem[],
): boolean {
  if (isWholeRange(layout, rows, conditions, order)) return true;
  const [only, ...others] = conditions;
  const isServed = only !== undefined && isLookup(layout, rows, only, 'look-up');
  return isServed && others.length === 0 && isByIdentity(layout, rows, order);
}

/** For each index, the conditions that fix its leading columns, without those lists that another contains. */
function lookupsIn(
  layout: Layout,
  rows: Rows,
  conditions: readonly Expression[],
): readonly (readonly Expression[])[] {
  if (rows.row.source.kind === 'union') return [];
  const fixed = new Map<string, Expression>();
  for (const condition of conditions) {
    const column = lookedUpColumn(layout, rows, condition);
    if (column !== undefined) fixed.set(column, condition);
  }
  const { table } = useOf(layout, rows.row.source);
  const lists = table.indexes.map(({ columns }) => leadingOf(columns, fixed));
  const longest = lists.sort((left, right) => right.length - left.length);
  const kept: (readonly Expression[])[] = [];
  for (const list of longest) {
    const isCovered = kept.some((other) => list.every((condition) => other.includes(condition)));
    if (!isCovered) kept.push(list);
  }
  return kept.filter((list) => list.length > 0);
}

function leadingOf(
  columns: readonly string[],
  fixed: ReadonlyMap<string, Expression>,
): readonly Expression[] {
  const end = columns.findIndex((column) => !fixed.has(column));
  const leading = end === -1 ? columns : columns.slice(0, end);
  return leading.flatMap((column) => fixed.get(column) ?? []);
}

/** The column whose values the condition names. */
function lookedUpColumn(layout: Layout, rows: Rows, condition: Expression): string | undefined {
  if (condition.kind === 'in') return comparedColumn(layout, rows, condition.left);
  return fixedColumn(layout, rows, condition);
}

function isByIdentity(layout: Layout, rows: Rows, [first]: readonly OrderItem[]): boolean {
  return first === undefined || isIdentity(layout, rows, first.expression);
}

/** Whether rows can be read in the order without sorting. */
export function isOrdered(
  layout: Layout,
  rows: Rows,
  { filter, order }: Pick<RowSelection, 'filter' | 'order'>,
): boolean {
  const [first] = order;
  if (first === undefined || isOwnIndexed(layout, rows, first.expression, 'order')) return true;
  return rangesIn(layout, rows, [...rows.where, ...partsOf(filter)], order).length > 0;
}

/** Whether one index holds the rows that meet all conditions, in their order, so that only those of the page are read. */
export function isIndexRange(
  layout: Layout,
  rows: Rows,
  { filter, order }: Pick<RowSelection, 'filter' | 'order'>,
): boolean {
  return isWholeRange(layout, rows, [...rows.where, ...partsOf(filter)], order);
}

/** Whether all conditions and the order are those of one index. */
function isWholeRange(
  layout: Layout,
  rows: Rows,
  conditions: readonly Expression[],
  order: readonly OrderItem[],
): boolean {
  const fixed = conditions.map((condition) => fixedColumn(layout, rows, condition));
  return rangesIn(layout, rows, conditions, order).some((leading) =>
    fixed.every((column) => column !== undefined && leading.includes(column)),
  );
}

/** The leading columns of each index in which the conditions fix them, and the first order value follows. */
function rangesIn(
  layout: Layout,
  rows: Rows,
  conditions: readonly Expression[],
  [first]: readonly OrderItem[],
): readonly (readonly string[])[] {
  const ordered = first === undefined ? undefined : ownColumn(layout, rows, first.expression);
  if (ordered === undefined) return [];
  const fixed = conditions.map((condition) => fixedColumn(layout, rows, condition));
  return useOf(layout, rows.row.source).table.indexes.flatMap(({ columns }) => {
    const leading = columns.slice(0, columns.indexOf(ordered));
    const isServed = columns.includes(ordered) && leading.every((one) => fixed.includes(one));
    return isServed ? [leading] : [];
  });
}

/** The column that the condition compares with a constant for equality. */
export function fixedColumn(layout: Layout, rows: Rows, condition: Expression): string | undefined {
  if (condition.kind !== 'compare' || condition.operator !== 'eq') return undefined;
  const { left, right } = condition;
  if (isConstant(right)) return comparedColumn(layout, rows, left);
  return isConstant(left) ? comparedColumn(layout, rows, right) : undefined;
}

/** The column of the rows themselves that represents the value when it is compared. */
export function comparedColumn(
  layout: Layout,
  rows: Rows,
  expression: Expression,
): string | undefined {
  if (expression.kind === 'cast') return comparedColumn(layout, rows, expression.operand);
  if (expression.kind !== 'property') return undefined;
  const { row, path } = expression;
  const use = useOf(layout, rows.row.source);
  if (row.kind === 'follow') {
    // `Caller/Uid eq 5` compares the reference.
    const isOwn = row.from.kind === 'variable' && row.from.row.id === rows.row.id;
    const target = useOf(layout, row.target.source);
    const isIdentity = columnName(target, path) === target.table.identity;
    const isReference = isOwn && isIdentity && row.visible === undefined;
    return isReference ? columnName(use, [...row.path, row.navigation]) : undefined;
  }
  // Value and Text of a coded property are compared by its column.
  const own = ownColumn(layout, rows, expression);
  if (own !== undefined || use.clocks.has(columnName(use, path))) return own;
  return isOf(rows, row) ? columnName(use, path.slice(0, -1)) : undefined;
}

/** The column that holds the value; undefined for elapsed and remaining time, which it does not hold as such. */
export function ownColumn(layout: Layout, rows: Rows, expression: Expression): string | undefined {
  if (expression.kind !== 'property' || !isOf(rows, expression.row)) return undefined;
  const use = useOf(layout, rows.row.source);
  const own = columnName(use, expression.path);
  return use.columns.has(own) && !use.clocks.has(own) ? own : undefined;
}

function isOf(rows: Rows, row: RowExpression): boolean {
  return row.kind === 'variable' && row.row.id === rows.row.id;
}

/** Whether the condition is that a certain related row exists. */
export function hasKeyedMatch(layout: Layout, condition: Expression): boolean {
  if (condition.kind !== 'any' || condition.collection.kind !== 'rows') return false;
  const { rows } = condition.collection;
  const conditions = [...rows.where, ...partsOf(condition.predicate)];
  return (
    rows.origin.kind === 'navigated' &&
    rows.origin.from.kind === 'variable' &&
    conditions.some((part) => isLookup(layout, rows, part, 'key'))
  );
}

/** Whether the expression is the identity of the rows. */
export function isIdentity(layout: Layout, rows: Rows, expression: Expression): boolean {
  return isOwnIndexed(layout, rows, expression, 'identity');
}

/** Whether many rows have expanded collections, or some rows of a page have collections of which all rows are looked at. */
function isBroad(layout: Layout, { page }: RowSelection, shape: Shape | undefined): boolean {
  if (shape === undefined) return false;
  if (collectionsIn(shape.members, page?.limit ?? 1) > FEW_COLLECTIONS) return true;
  if (page === undefined) return false;
  const isLong = page.limit > FEW_PARENTS;
  return expandedIn(shape.members).some(
    ({ kind, select }) => kind === 'count' || isLong || looksAtAll(layout, select),
  );
}

/** The most collections that are read for a number of rows: those of each row of an expanded collection count as well. */
function collectionsIn(members: readonly ShapeMember[], rows: number): number {
  return members.reduce((sum, member) => sum + collectionsOf(member, rows), 0);
}

function collectionsOf(member: ShapeMember, rows: number): number {
  switch (member.kind) {
    case 'count':
      return rows;
    case 'many': {
      const { limit = Number.POSITIVE_INFINITY } = member.select.page ?? {};
      const nested = collectionsIn(member.shape.members, 1);
      return nested === 0 ? rows : rows + rows * limit * nested;
    }
    case 'one':
      return collectionsIn(member.shape.members, rows);
    case 'object':
      return collectionsIn(member.members, rows);
    default:
      return 0;
  }
}

type Expanded = Extract<ShapeMember, { readonly kind: 'many' | 'count' }>;

function expandedIn(members: readonly ShapeMember[]): readonly Expanded[] {
  return members.flatMap((member) => {
    switch (member.kind) {
      case 'count':
        return [member];
      case 'many':
        return [member, ...expandedIn(member.shape.members)];
      case 'one':
        return expandedIn(member.shape.members);
      case 'object':
        return expandedIn(member.members);
      default:
        return [];
    }
  });
}

function looksAtAll(layout: Layout, selecting: RowSelection): boolean {
  const { rows, apply, filter, order, count } = selecting;
  return count || apply.length > 0 || filter !== undefined || !isByIdentity(layout, rows, order);
}

/** Whether many rows are skipped, each of which is read. */
function isDeep({ page }: RowSelection): boolean {
  const skip = page?.skipParameter;
  return (
    skip?.ask({ name: 'deep', of: (count) => Number(count) > MANY_ROWS }) ??
    (page?.skip ?? 0) > MANY_ROWS
  );
}

/** The conditions that all must be true. */
export function partsOf(filter: Expression | undefined): readonly Expression[] {
  if (filter === undefined) return [];
  return filter.kind === 'and' ? filter.operands : [filter];
}

/** Whether few of the rows are likely to meet the condition, because an index on a key, texts or times finds them. */
export function isSelective(layout: Layout, rows: Rows, condition: Expression): boolean {
  return [...rows.where, ...partsOf(condition)].some(
    (part) =>
      isLookup(layout, rows, part, 'key') ||
      (isLookup(layout, rows, part, 'look-up') && hasManyValues(layout, rows, part)) ||
      isTextLookup(layout, rows, part),
  );
}

/** Whether a column of texts or times is compared. Codes, flags and references have few values, each of them in many rows. */
function hasManyValues(layout: Layout, rows: Rows, condition: Expression): boolean {
  if (condition.kind !== 'compare' && condition.kind !== 'in') return false;
  const sides = condition.kind === 'in' ? [condition.left] : [condition.left, condition.right];
  return sides.some((side) => {
    if (side.kind !== 'property' || side.type.kind !== 'primitive') return false;
    const { row, path, type } = side;
    const use = useOf(layout, row.kind === 'follow' ? row.target.source : rows.row.source);
    return MANY_VALUES.has(type.name) && use.columns.has(columnName(use, path));
  });
}

const MANY_VALUES: ReadonlySet<string> = new Set(['Edm.String', 'Edm.DateTimeOffset', 'Edm.Guid']);

/** Whether a text index or an index on the text serves the call. */
function isTextLookup(layout: Layout, rows: Rows, condition: Expression): boolean {
  if (condition.kind !== 'call' || !TEXT_LOOKUPS.has(condition.function)) return false;
  const [content, part] = condition.arguments;
  const own = content === undefined ? undefined : ownColumn(layout, rows, content);
  const { table } = useOf(layout, rows.row.source);
  return (
    own !== undefined && part?.kind === 'literal' && table.text?.columns.includes(own) === true
  );
}

const TEXT_LOOKUPS: ReadonlySet<string> = new Set(['contains', 'startswith', 'endswith']);

/** The purpose of an index: finding the row of a key, finding the rows of a value, or sorting. */
type Purpose = 'key' | 'look-up' | 'order' | 'identity';

/** Whether the condition compares with a constant and an index serves it. */
export function isLookup(
  layout: Layout,
  rows: Rows,
  condition: Expression,
  purpose: Purpose,
): boolean {
  const isServed = (side: Expression) => isOwnIndexed(layout, rows, side, purpose);
  if (condition.kind === 'in') return isServed(condition.left);
  if (condition.kind !== 'compare' || condition.operator !== 'eq') return false;
  const { left, right } = condition;
  return (isConstant(right) && isServed(left)) || (isConstant(left) && isServed(right));
}

function isConstant({ kind }: Expression): boolean {
  return kind === 'literal' || kind === 'context';
}

function isOwnIndexed(
  layout: Layout,
  rows: Rows,
  expression: Expression,
  purpose: Purpose,
): boolean {
  if (expression.kind === 'cast' && purpose === 'look-up') {
    return isOwnIndexed(layout, rows, expression.operand, purpose);
  }
  if (expression.kind !== 'property') return false;
  const { row, path } = expression;
  const use = useOf(layout, rows.row.source);
  if (row.kind === 'follow' && purpose === 'look-up') {
    // `Caller/Uid eq 5` compares the reference. Other properties of the target need their own index.
    const isOwn = row.from.kind === 'variable' && row.from.row.id === rows.row.id;
    const target = useOf(layout, row.target.source);
    const isServed =
      isOwn && isLeading(use, columnName(use, [...row.path, row.navigation]), purpose);
    return isServed && isLeading(target, columnName(target, path), purpose);
  }
  if (row.kind !== 'variable' || row.row.id !== rows.row.id) return false;
  if (use.clocks.has(columnName(use, path))) return false;
  if (isLeading(use, columnName(use, path), purpose)) return true;
  // Value and Text of a coded property are compared by its column.
  return purpose === 'look-up' && isLeading(use, columnName(use, path.slice(0, -1)), purpose);
}

function isLeading({ table }: TableUse, column: string, purpose: Purpose): boolean {
  if (column === table.identity) return true;
  if (purpose === 'identity') return false;
  return table.indexes.some(
    ({ columns: [first, ...others], unique }) =>
      first === column && (purpose !== 'key' || (unique && others.length === 0)),
  );
}
