// Compiles a delta query to one statement: the rows that have changed since a point in the change log, or that show data from changed
// rows. Each row has the record if it matches the query now, else the address by which the client knows it.
//     Persons changed since 7   SELECT …, (SELECT concat('{"Uid":', t1."Uid", …) FROM "Persons" t1 WHERE t1."Uid" = c."id") AS "json", …
//                               FROM (SELECT "identity" AS "id" FROM "docket_change" WHERE "source" = 'Persons' AND "seq" > 7) c
// A single statement guarantees a consistent snapshot, including the change number that the response reports.
import { unreachable } from '../../base/fault.ts';
import type {
  DeltaPlan,
  DependencyStep,
  KnownRecords,
  RowDependencies,
  Span,
} from '../../plan/read-plan.ts';
import {
  column,
  EMPTY,
  type Fragment,
  integer,
  join,
  list,
  name,
  sql,
  tableName,
  text,
  value,
} from '../fragment.ts';
import { isKnownTo } from '../schema/known-record-table.ts';
import { columnName, PARENT_COLUMN } from '../schema/layout.ts';
import { type LinkUse, membersOf, resolveNavigation } from '../schema/relation-storage.ts';
import { TEXT } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import type { DeltaScript } from '../script.ts';
import { NEWEST_CHANGE } from '../write/change-log.ts';
import { finish } from './read.ts';
import { recordText } from './record-json.ts';
import { addressText } from './row-address.ts';
import { selectFrom } from './row-source.ts';
import { type Selected, select } from './select-rows.ts';
import { fromSource, identityColumn, useOf } from './union-source.ts';

export function compileDelta(scope: Scope, plan: DeltaPlan): DeltaScript {
  const { count } = plan.select;
  const isCount = plan.output === 'count';
  if (plan.output === 'addresses') return addressesOfAll(scope, plan);
  const changed = candidates(scope, plan);
  const state = list([
    sql`${NEWEST_CHANGE} AS "newest"`,
    sql`coalesce((SELECT min("seq") FROM ${tableName('docket_change')}), 1) AS "oldest"`,
    sql`${count || isCount ? sql`(SELECT count(*) FROM (${changed}) q)` : sql`NULL`} AS "count"`,
  ]);
  const columns = list(COLUMNS.map(name));
  const statement = isCount
    ? sql`SELECT ${state}, NULL AS "id"`
    : sql`SELECT ${columns} FROM (SELECT ${state}) s LEFT JOIN (${page(scope, plan, changed)}) p ON ${scope.dialect.literal.true} ORDER BY ${orderOf(plan)}`;
  return { kind: 'delta', statement: finish(scope, statement) };
}

/** All rows that match, with their addresses only. */
function addressesOfAll(scope: Scope, plan: DeltaPlan): DeltaScript {
  const rows = sql`SELECT "row", "url" FROM (${matchingRows(scope, plan)}) m LIMIT ${integer(plan.limit + 1)}`;
  const { true: always } = scope.dialect.literal;
  const statement = sql`SELECT ${NEWEST_CHANGE} AS "newest", 0 AS "oldest", NULL AS "count", p."row" AS "id", NULL AS "json", p."url" AS "address", 0 AS "deleted", 0 AS "created", 0 AS "seq", ${text('')} AS "at" FROM (SELECT 1 AS "one") s LEFT JOIN (${rows}) p ON ${always}`;
  return { kind: 'delta', statement: finish(scope, statement) };
}

const COLUMNS = [
  'newest',
  'oldest',
  'count',
  'id',
  'json',
  'address',
  'deleted',
  'created',
  'seq',
  'at',
] as const;

/** By identity, so that a row recreated at an old address follows the deleted one; or by the last change of each row. */
function orderOf({ order }: DeltaPlan): Fragment {
  return order === 'identity' ? sql`"id"` : sql`"seq", "id"`;
}

// ---- result rows ----------------------------------------------------------------------------------------------------

/** One row more than the page holds. */
function page(scope: Scope, plan: DeltaPlan, changed: Fragment): Fragment {
  const { after } = plan.span;
  const id = sql`c."id"`;
  const isAfter =
    after === undefined
      ? scope.dialect.literal.true
      : sql`("id" > ${value(after)} OR "address" IS NOT NULL)`;
  const columns = [
    sql`${id} AS "id"`,
    sql`(${matchingRow(scope, plan, id, 'record')}) AS "json"`,
    sql`coalesce(c."address", (${existingRow(scope, plan, id, 'address')}), (${lastAddress(plan, id)})) AS "address"`,
    sql`(c."address" IS NULL AND NOT EXISTS (${existingRow(scope, plan, id, 'row')})) AS "deleted"`,
    sql`c."created" AS "created"`,
    sql`c."seq" AS "seq"`,
    sql`(SELECT n."at" FROM ${tableName('docket_change')} n WHERE n."seq" = c."seq") AS "at"`,
  ];
  const rows = sql`SELECT "id", "created", "seq", "address" FROM (${changed}) q WHERE ${isAfter} ORDER BY ${orderOf(plan)} LIMIT ${integer(plan.limit + 1)}`;
  return sql`SELECT ${list(columns)} FROM (${rows}) c`;
}

/** The row, if it matches the query. */
function matchingRow(
  scope: Scope,
  { select: selecting, shape }: DeltaPlan,
  id: Fragment,
  output: 'record' | 'row',
): Fragment {
  const inside = { ...scope, language: shape.form.language };
  const selected = select(output === 'record' ? inside : scope, selecting);
  const content =
    output === 'record' ? recordText({ ...selected.scope, record: shape.row }, shape) : integer(1);
  return sql`SELECT ${content} FROM ${selected.from} WHERE ${join([isRow(selected, selecting, id), ...selected.conditions], ' AND ')}`;
}

/** The row, if the principal may see it, whether it matches the query or not. */
function visibleRow(scope: Scope, plan: DeltaPlan, id: Fragment): Fragment {
  const everything = { ...plan.select, compute: [], filter: undefined, order: [] };
  const selected = select(scope, everything);
  return sql`SELECT 1 FROM ${selected.from} WHERE ${join([isRow(selected, everything, id), ...selected.conditions], ' AND ')}`;
}

function isRow(
  { scope }: Pick<Selected, 'scope'>,
  { rows }: Pick<DeltaPlan['select'], 'rows'>,
  id: Fragment,
): Fragment {
  return sql`${identityColumn(scope, rows.row)} = ${id}`;
}

/** The row, whether it matches the query or not. */
function existingRow(
  scope: Scope,
  { select: selecting, address }: DeltaPlan,
  id: Fragment,
  output: 'address' | 'row',
): Fragment {
  const { row } = selecting.rows;
  const inside = bindRows(scope, row);
  const content = output === 'address' ? addressText(inside, address) : integer(1);
  const from = fromSource(scope.layout, row.source, aliasOf(inside, row));
  return sql`SELECT ${content} FROM ${from} WHERE ${isRow({ scope: inside }, selecting, id)}`;
}

function lastAddress({ select: selecting }: DeltaPlan, id: Fragment): Fragment {
  const { source } = selecting.rows.row;
  return sql`SELECT "address" FROM ${tableName('docket_change')} WHERE "identity" = ${id} AND "source" = ${text(source.id)} AND "deed" = 'delete' ORDER BY "seq" DESC LIMIT 1`;
}

/** Changed rows to report: those that match the query, and those that existed at the previous request and may have matched it then. */
function candidates(scope: Scope, plan: DeltaPlan): Fragment {
  const { dependencies, span, known } = plan;
  if (known !== undefined && plan.order === 'change') return eventsOfKnown(scope, plan, known);
  if (known?.kind === 'listed') return changesOfKnown(scope, plan, known.addresses);
  const id = sql`a."id"`;
  const matches = sql`EXISTS (${matchingRow(scope, plan, id, 'row')})`;
  const exists = sql`EXISTS (${existingRow(scope, plan, id, 'row')})`;
  const changed = changedRows(scope, dependencies, span);
  const mayHaveMatched =
    plan.hidesInvisible === true
      ? sql`EXISTS (${visibleRow(scope, plan, id)})`
      : sql`(a."deleted" = 1 OR ${exists})`;
  const reported = sql`(${matches} OR (a."created" = 0 AND ${mayHaveMatched}))`;
  return sql`SELECT ${id}, a."created", a."seq", ${NO_TEXT} AS "address" FROM (${changed}) a WHERE ${reported}${unreported(span, sql`a."seq"`, id)}`;
}

/**
 * For events of an account that may read some records: changed rows that match now, or that the client knows. The addresses of the latter
 * are filled in, so that nothing is said about what became of them.
 */
function eventsOfKnown(scope: Scope, plan: DeltaPlan, known: KnownRecords): Fragment {
  const { dependencies, span } = plan;
  const id = sql`a."id"`;
  const last = sql`coalesce((${existingRow(scope, plan, id, 'address')}), (${lastAddress(plan, id)}))`;
  const address = sql`CASE WHEN EXISTS (${matchingRow(scope, plan, id, 'row')}) THEN NULL ELSE ${last} END`;
  const changed = sql`SELECT ${id}, a."created", a."seq", a."deleted", ${address} AS "address" FROM (${changedRows(scope, dependencies, span)}) a`;
  return sql`SELECT b."id", b."created", b."seq", b."address" FROM (${changed}) b WHERE ${isKnownOrNull(scope, known, sql`b."address"`)}${unreported(span, sql`b."seq"`, sql`b."id"`)}`;
}

function isKnownOrNull(scope: Scope, known: KnownRecords, address: Fragment): Fragment {
  const stored =
    known.kind === 'stored'
      ? isKnownTo(known.reader, address)
      : sql`${address} IN ${scope.dialect.values.unpack(value(JSON.stringify(known.addresses)), TEXT)}`;
  return sql`(${address} IS NULL OR ${stored})`;
}

/**
 * For an account that may read some records: rows that match the query now and have changed, or that the client does not know; and first,
 * with negative identities, the records that it knows and that no longer match.
 */
function changesOfKnown(scope: Scope, plan: DeltaPlan, known: readonly string[]): Fragment {
  const { dependencies, span } = plan;
  const { values, json } = scope.dialect;
  const addresses = value(JSON.stringify(known));
  const item = name('k');
  const isKnown = (address: Fragment) => sql`${address} IN ${values.unpack(addresses, TEXT)}`;
  const matching = sql`SELECT * FROM (${matchingRows(scope, plan)}) m LEFT JOIN (${changedRows(scope, dependencies, span)}) l ON l."id" = m."row"`;
  const changed = sql`SELECT "row" AS "id", 0 AS "created", coalesce("seq", 0) AS "seq", ${NO_TEXT} AS "address" FROM "matching" WHERE "seq" IS NOT NULL OR NOT ${isKnown(sql`"url"`)}`;
  const removed = sql`SELECT - row_number() OVER (ORDER BY ${json.item(item)} DESC), 0, 0, ${json.item(item)} FROM ${json.items(addresses, item)} WHERE ${json.item(item)} NOT IN (SELECT "url" FROM "matching")`;
  return sql`WITH "matching" AS (${matching}) ${changed} UNION ALL ${removed}`;
}

const NO_TEXT = sql`CAST(NULL AS text)`;

/** The identities and addresses of all rows that match the query. */
function matchingRows(scope: Scope, { select: selecting, address }: DeltaPlan): Fragment {
  const selected = select(scope, selecting);
  const columns = [
    sql`${identityColumn(selected.scope, selecting.rows.row)} AS "row"`,
    sql`${addressText(selected.scope, address)} AS "url"`,
  ];
  return selectFrom(selected, list(columns));
}

// ---- changed rows ---------------------------------------------------------------------------------------------------

/** Rows that have changed or that depend on a changed row: whether each was created and deleted in the span, and its last change. */
function changedRows(scope: Scope, dependencies: RowDependencies, span: Span): Fragment {
  const isNew = unreported(span, name('seq'), name('identity'));
  const own = sql`SELECT "identity" AS "id", ${isDeed('create')} AS "created", ${isDeed('delete')} AS "deleted", "seq" FROM ${changes(dependencies, span)}${isNew}`;
  const dependent =
    dependencies.steps.length === 0
      ? EMPTY
      : sql` UNION ALL SELECT d."id", 0, 0, d."seq" FROM (${changedIdentities(scope, dependencies, span)}) d`;
  return sql`SELECT l."id", max(l."created") AS "created", max(l."deleted") AS "deleted", max(l."seq") AS "seq" FROM (${own}${dependent}) l GROUP BY l."id"`;
}

/** Excludes the rows of the first change of the span that an earlier part has reported. */
function unreported({ since, part }: Span, seq: Fragment, id: Fragment): Fragment {
  if (part === undefined) return EMPTY;
  return sql` AND NOT (${seq} = ${value(since + 1n)} AND ${id} <= ${value(part)})`;
}

/** Identities of rows that have changed or that depend on a changed row, each with the number of its last change. */
function changedIdentities(scope: Scope, dependencies: RowDependencies, span: Span): Fragment {
  const own = sql`SELECT "identity" AS "id", "seq" FROM ${changes(dependencies, span)}`;
  const dependent = dependencies.steps.flatMap((step) =>
    changedAlong(scope, dependencies, step, span),
  );
  const all = join([own, ...dependent], ' UNION ALL ');
  return sql`SELECT e."id", max(e."seq") AS "seq" FROM (${all}) e GROUP BY e."id"`;
}

function isDeed(kind: 'create' | 'delete'): Fragment {
  return sql`CASE "deed" WHEN ${text(kind)} THEN 1 ELSE 0 END`;
}

function changes({ source }: Pick<RowDependencies, 'source'>, span: Span): Fragment {
  const ids = membersOf(source).map((member) => text(member.id));
  return sql`${tableName('docket_change')} WHERE "source" IN (${list(ids)}) AND ${inSpan(span)}`;
}

function inSpan({ since, until }: Span): Fragment {
  const end = until === undefined ? EMPTY : sql` AND "seq" <= ${value(until)}`;
  return sql`"seq" > ${value(since)}${end}`;
}

/** Rows whose related rows, along a step, have changed: rows related now, and rows whose relation ended in the span. */
function changedAlong(
  scope: Scope,
  near: RowDependencies,
  { path, navigation, target }: DependencyStep,
  span: Span,
): readonly Fragment[] {
  const { relation } = resolveNavigation(scope.layout, { from: near.source, path, navigation });
  const far = changedIdentities(scope, target, span);
  const previous = (by: Fragment) =>
    sql`SELECT "other", "seq" FROM ${changes(target, span)} AND "deed" IN ('link', 'unlink') AND "other" IS NOT NULL${by}`;
  const current = (from: RowDependencies, column: string, result: string) =>
    selectColumn(scope, from, { column, result, far });
  switch (relation.kind) {
    case 'reference':
      return [current(near, columnName(useOf(scope.layout, near.source), relation.path), IDENTITY)];
    case 'parent':
      return [current(near, PARENT_COLUMN, IDENTITY)];
    case 'children':
      return [
        current(target, IDENTITY, PARENT_COLUMN),
        previous(sql` AND "navigation" = ${text(PARENT_COLUMN)}`),
      ];
    case 'inverse': {
      const by = columnName(useOf(scope.layout, target.source), [relation.navigation]);
      return [current(target, IDENTITY, by), previous(sql` AND "navigation" = ${text(by)}`)];
    }
    case 'links':
      return [...relation.links.map((link) => linkedRows(link, far)), previous(EMPTY)];
    default:
      return unreachable(relation);
  }
}

/** Represents the identity column, whose name depends on the table. */
const IDENTITY = '';

interface ColumnQuery {
  /** The column that must be in `far`. */
  readonly column: string;
  readonly result: string;
  readonly far: Fragment;
}

function selectColumn(scope: Scope, { source }: RowDependencies, query: ColumnQuery): Fragment {
  const { table } = useOf(scope.layout, source);
  const alias = name('w');
  const columnNamed = (path: string) => column(alias, path === IDENTITY ? table.identity : path);
  const result = columnNamed(query.result);
  const from = fromSource(scope.layout, source, alias);
  return sql`SELECT ${result}, f."seq" FROM (${query.far}) f JOIN ${from} ON ${columnNamed(query.column)} = f."id" WHERE ${result} IS NOT NULL`;
}

function linkedRows({ table, near, far: end }: LinkUse, far: Fragment): Fragment {
  return sql`SELECT k.${name(near)}, f."seq" FROM (${far}) f JOIN ${tableName(table)} k ON k.${name(end)} = f."id"`;
}
