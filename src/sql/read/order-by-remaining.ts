// Compiles pages in the order of the remaining time of clocks, and filters by it, so that an index serves them. The index holds positions in the
// working time of each schedule, whose distance from the present position is the remaining time:
//     ServiceRequests?$orderby=Sla/Remaining     FROM (… json_each(?)) a CROSS JOIN "ServiceRequests" t1 WHERE t1."Uid" IN
//                                                (SELECT t1."Uid" FROM "ServiceRequests" t1 WHERE t1."Deadline#schedule" = a.schedule
//                                                ORDER BY t1."Sla/Remaining", t1."Uid" LIMIT 21)
// Clocks that do not run have a schedule with the position 0. Rows without a schedule are parts of their own: they have no remaining time.
import type { Expression, LiteralExpression, OrderItem } from '../../bind/bound.ts';
import { isNull } from '../../bind/expression/literal.ts';
import { PAUSED, STOPPED } from '../../edm/clocks/clock-members.ts';
import type { Page, RowSelection } from '../../plan/read-plan.ts';
import { POSITIONS } from '../expression/clock-time.ts';
import { compileLiteral, storedLiteral } from '../expression/literal.ts';
import {
  column,
  type Fragment,
  integer,
  name,
  some,
  sql,
  value,
  where,
  word,
} from '../fragment.ts';
import { type ClockColumn, columnName } from '../schema/layout.ts';
import { storageOf } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type KnownSchedule, type Scope } from '../scope.ts';
import { type Key, keyOf, limitUntil, orderBy } from './order-by.ts';
import type { RowPart } from './order-by-target.ts';
import { isAfter } from './page-marks.ts';
import { comparedColumn, isSelective, partsOf } from './scan-estimate.ts';
import { fromSource, identityColumn, useOf } from './union-source.ts';

/** The remaining time of a clock of the rows. */
interface Remaining {
  readonly clock: ClockColumn;
  /** The name of the column of positions. */
  readonly name: string;
  /** The columns. */
  readonly position: Fragment;
  readonly schedule: Fragment;
}

/** The clock whose remaining time the expression is; undefined for anything else. */
function remainingOf(
  scope: Scope,
  { rows }: RowSelection,
  expression: Expression,
): Remaining | undefined {
  if (expression.kind !== 'property' || rows.row.source.kind === 'union') return undefined;
  const { row, path } = expression;
  if (row.kind !== 'variable' || row.row.id !== rows.row.id) return undefined;
  const use = useOf(scope.layout, rows.row.source);
  const own = columnName(use, path);
  const clock = use.clocks.get(own);
  if (clock?.kind !== 'remaining') return undefined;
  const alias = aliasOf(bindRows(scope, rows.row), rows.row);
  const [position, schedule] = [column(alias, own), column(alias, clock.schedule)];
  return { clock, name: own, position, schedule };
}

/** The schedules and their present positions, as a table. */
const SCHEDULES = name('a');
const OWN_SCHEDULE = column(SCHEDULES, 'schedule');
const NOW = column(SCHEDULES, 'now');

/** The rows of the page; undefined if they are not in the order of remaining time. */
export function partsByRemaining(
  scope: Scope,
  selecting: RowSelection,
): readonly RowPart[] | undefined {
  const { rows, order, page } = selecting;
  const [item, ...others] = order;
  if (rows.origin.kind !== 'source' || page === undefined || item === undefined) return undefined;
  const remaining = remainingOf(scope, selecting, item.expression);
  if (remaining === undefined) return undefined;
  const ordering = { scope, selecting, page, remaining, item, others };
  return [...partsWithout(ordering), ...partsWith(ordering)];
}

interface Ordering {
  readonly scope: Scope;
  readonly selecting: RowSelection;
  readonly page: Page;
  readonly remaining: Remaining;
  readonly item: OrderItem;
  /** The rest of the order. */
  readonly others: readonly OrderItem[];
}

// ---- rows with a schedule -------------------------------------------------------------------------------------------

function partsWith(ordering: Ordering): readonly RowPart[] {
  const { scope, selecting, page, remaining, item, others } = ordering;
  const { rows } = selecting;
  const [first, ...rest] = page.after ?? [];
  // In ascending order, rows without a time come first.
  if (first !== undefined && isNull(first) && item.descending) return [];
  const inside = inSchedule(scope, selecting, { now: NOW });
  const keys = others.map((one) => keyOf(inside, one));
  const byPosition = positionKey(remaining, item);
  const after =
    first === undefined || isNull(first)
      ? []
      : isAfter(scope, [byPosition, ...keys], [first, ...rest]);
  const conditions = [...conditionsOf(scope, selecting, remaining), ...either(after)];
  const table = fromSource(scope.layout, rows.row.source, aliasOf(inside, rows.row));
  const identity = identityColumn(inside, rows.row);
  const found = sql`SELECT ${identity} FROM ${table}${where(conditions)}${orderBy(scope, [asInIndex(byPosition), ...keys])}${limitUntil(page)}`;
  const schedules = scope.dialect.json.positions(POSITIONS, SCHEDULES);
  const all = [keyOf(inside, item), ...keys];
  const part = { keys: all, order: all };
  const { forEach } = scope.dialect;
  if (forEach === undefined)
    return [
      {
        ...part,
        from: sql`${schedules} CROSS JOIN ${table}`,
        conditions: [sql`${identity} IN (${found})`],
      },
    ];
  const each = forEach(sql`SELECT x.* FROM (${found}) x(id)`, name('y'));
  return [
    { ...part, from: sql`${schedules}${each} JOIN ${table} ON ${identity} = y.id`, conditions: [] },
  ];
}

/** The scope of rows whose schedule is known. */
function inSchedule(
  scope: Scope,
  { rows }: RowSelection,
  known: Omit<KnownSchedule, 'row'>,
): Scope {
  return { ...bindRows(scope, rows.row), schedule: { row: rows.row.id, ...known } };
}

/** The order in an index: by position, which differs from the remaining time by a constant. */
function positionKey({ position }: Remaining, { expression, descending }: OrderItem): Key {
  const storage = storageOf(expression.type);
  return {
    value: position,
    storage,
    sort: { sql: position, storage, nullable: false },
    descending,
    bind: (at) => sql`(${storedLiteral(at, storage)} + ${NOW})`,
  };
}

/** No position is null, but the column may be: the index has nulls first, and PostgreSQL sorts the rows unless their order has them first, too. */
function asInIndex(key: Key): Key {
  return { ...key, sort: { ...key.sort, nullable: true } };
}

/** The conditions for the rows of one schedule, with those that an index serves. */
function conditionsOf(
  scope: Scope,
  selecting: RowSelection,
  remaining: Remaining,
): readonly Fragment[] {
  const { rows, filter } = selecting;
  const inside = inSchedule(scope, selecting, { now: NOW });
  const parts = [...rows.where, ...partsOf(filter)];
  return [
    sql`${remaining.schedule} = ${OWN_SCHEDULE}`,
    ...rangesOf(scope, selecting, remaining),
    ...parts.map((part) => scope.condition(inside, part)),
  ];
}

/** The ranges of positions to which the conditions limit the rows, and whether they leave any rows of a schedule. */
function rangesOf(
  scope: Scope,
  selecting: RowSelection,
  remaining: Remaining,
): readonly Fragment[] {
  const { rows, filter } = selecting;
  const { clock, position } = remaining;
  const state = { column: clock.state, content: stateOf(clock) };
  const inside = inSchedule(scope, selecting, { now: NOW, state });
  const sumOf = ({ literal }: Limit) =>
    scope.dialect.values.boundedSum(compileLiteral(literal).sql, NOW);
  return [...rows.where, ...partsOf(filter)].flatMap((part) => {
    const limit = limitIn(scope, selecting, part);
    if (limit !== undefined && limit.remaining.name === remaining.name)
      return [sql`${position} ${word(limit.sign)} ${sumOf(limit)}`];
    return isOnState(scope, selecting, clock, part) ? [scope.condition(inside, part)] : [];
  });
}

/** The state of the clocks that run by a schedule, or by none. */
function stateOf({ codes }: ClockColumn): Fragment {
  return sql`(CASE ${OWN_SCHEDULE} WHEN ${integer(PAUSED)} THEN ${value(codes.paused)} WHEN ${integer(STOPPED)} THEN ${value(codes.stopped)} ELSE ${value(codes.running)} END)`;
}

function isOnState(
  { layout }: Scope,
  { rows }: RowSelection,
  { state }: ClockColumn,
  part: Expression,
): boolean {
  if (part.kind !== 'in' && part.kind !== 'compare') return false;
  const compared = part.kind === 'in' ? part.list : [part.right];
  const isConstant = compared.every(({ kind }) => kind === 'literal');
  return isConstant && comparedColumn(layout, rows, part.left) === state;
}

const SIGNS = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;
const MIRRORED = { eq: '=', gt: '<', ge: '<=', lt: '>', le: '>=' } as const;

interface Limit {
  readonly remaining: Remaining;
  readonly sign: string;
  readonly literal: LiteralExpression;
}

/** The limit of a remaining time that the condition contains. */
function limitIn(scope: Scope, selecting: RowSelection, part: Expression): Limit | undefined {
  if (part.kind !== 'compare' || part.operator === 'ne') return undefined;
  const { left, right, operator } = part;
  const [ofLeft, ofRight] = [left, right].map((side) => remainingOf(scope, selecting, side));
  if (isConstant(right) && ofLeft !== undefined)
    return { remaining: ofLeft, sign: SIGNS[operator], literal: right };
  if (isConstant(left) && ofRight !== undefined)
    return { remaining: ofRight, sign: MIRRORED[operator], literal: left };
  return undefined;
}

function isConstant(side: Expression): side is LiteralExpression {
  return side.kind === 'literal' && !isNull(side);
}

// ---- rows without a schedule ----------------------------------------------------------------------------------------

/** Those that have a position nevertheless, such as loaded ones, are apart, so that the index has the others in order. */
function partsWithout(ordering: Ordering): readonly RowPart[] {
  const { scope, selecting, page, remaining, item, others } = ordering;
  const { rows, filter } = selecting;
  const [first, ...rest] = page.after ?? [];
  if (first !== undefined && !isNull(first) && !item.descending) return [];
  const inside = inSchedule(scope, selecting, { now: undefined });
  const own = others.map((one) => keyOf(inside, one));
  const after = first !== undefined && isNull(first) ? isAfter(scope, own, rest) : [];
  const conditions = [
    sql`${remaining.schedule} IS NULL`,
    ...[...rows.where, ...partsOf(filter)].map((part) => scope.condition(inside, part)),
    ...either(after),
  ];
  const from = fromSource(scope.layout, rows.row.source, aliasOf(inside, rows.row));
  return [sql`IS NULL`, sql`IS NOT NULL`].map((is) => ({
    from,
    conditions: [...conditions, sql`${remaining.position} ${is}`],
    keys: [keyOf(inside, item), ...own],
    order: own,
  }));
}

function either(conditions: readonly Fragment[]): readonly Fragment[] {
  return conditions.length === 0 ? [] : [some(conditions)];
}

// ---- filters --------------------------------------------------------------------------------------------------------

/** A condition that finds the rows by an index, if they are filtered by remaining time and nothing else is likely to find fewer. */
export function remainingCandidates(scope: Scope, selecting: RowSelection): readonly Fragment[] {
  const { rows, filter } = selecting;
  if (rows.origin.kind !== 'source' || rows.row.source.kind === 'union') return [];
  const parts = partsOf(filter);
  for (const part of parts) {
    const { remaining } = limitIn(scope, selecting, part) ?? {};
    if (remaining === undefined) continue;
    if (parts.some((one) => isSelective(scope.layout, rows, one))) return [];
    const inside = bindRows(scope, rows.row);
    const identity = identityColumn(inside, rows.row);
    const table = fromSource(scope.layout, rows.row.source, aliasOf(inside, rows.row));
    const conditions = [
      sql`${remaining.schedule} = ${OWN_SCHEDULE}`,
      ...rangesOf(scope, selecting, remaining),
    ];
    return [scope.dialect.isAmong(identity, inSchedules(scope, { identity, table, conditions }))];
  }
  return [];
}

interface ConditionalRows {
  readonly identity: Fragment;
  readonly table: Fragment;
  readonly conditions: readonly Fragment[];
}

/** The identities of the rows of all schedules. */
function inSchedules(
  { dialect }: Scope,
  { identity, table, conditions }: ConditionalRows,
): Fragment {
  const { forEach } = dialect;
  const schedules = dialect.json.positions(POSITIONS, SCHEDULES);
  const condition = where(conditions);
  if (forEach === undefined)
    return sql`SELECT ${identity} FROM ${schedules} CROSS JOIN ${table}${condition}`;
  const each = forEach(sql`SELECT ${identity} AS id FROM ${table}${condition}`, name('y'));
  return sql`SELECT y.id FROM ${schedules}${each}`;
}
