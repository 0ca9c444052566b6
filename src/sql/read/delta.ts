// This file compiles the question what has changed to one statement: the rows of the source that were changed since, or that something
// they show was changed for; of each the record where it belongs to the query now, else the address by which the client knows it.
//     Persons changed since 7   SELECT …, (SELECT concat('{"Uid":', t1."Uid", …) FROM "Persons" t1 WHERE t1."Uid" = c."id") AS "json", …
//                               FROM (SELECT "identity" AS "id" FROM "docket_change" WHERE "source" = 'Persons' AND "seq" > 7) c
// What is asked of the rows is asked in the same statement, so that the answer shows one moment, and says which.
import { unreachable } from '../../base/fault.ts';
import type { DeltaPlan, Span, Watched, WatchedStep } from '../../plan/read-plan.ts';
import {
  column,
  EMPTY,
  type Fragment,
  integer,
  join,
  list,
  name,
  sql,
  text,
  value,
} from '../fragment.ts';
import { columnName, PARENT_COLUMN } from '../schema/layout.ts';
import { arrivalOf, type LinkUse, membersOf } from '../schema/relation-storage.ts';
import { aliasOf, binding, type Scope } from '../scope.ts';
import type { DeltaScript } from '../script.ts';
import { NEWEST_CHANGE } from '../write/change-log.ts';
import { finish } from './read.ts';
import { recordText } from './record-json.ts';
import { addressText } from './row-address.ts';
import { type Selected, select } from './select-rows.ts';
import { fromSource, useOf } from './union-source.ts';

export function compileDelta(scope: Scope, plan: DeltaPlan): DeltaScript {
  const { count } = plan.select;
  const isCount = plan.output === 'count';
  const changed = candidates(scope, plan);
  const moment = list([
    sql`${NEWEST_CHANGE} AS "newest"`,
    sql`coalesce((SELECT min("seq") FROM "docket_change"), 1) AS "oldest"`,
    sql`${count || isCount ? sql`(SELECT count(*) FROM (${changed}))` : sql`NULL`} AS "count"`,
  ]);
  const columns = list(COLUMNS.map(name));
  const statement = isCount
    ? sql`SELECT ${moment}, NULL AS "id"`
    : sql`SELECT ${columns} FROM (SELECT ${moment}) LEFT JOIN (${page(scope, plan, changed)}) ON 1 ORDER BY "id"`;
  return { kind: 'delta', statement: finish(scope, statement) };
}

const COLUMNS = ['newest', 'oldest', 'count', 'id', 'json', 'address', 'deleted'] as const;

// ---- rows of the answer ---------------------------------------------------------------------------------------------

/** One row more than the page holds, in the order of identities: a row that is made anew under an old address comes behind the old one. */
function page(scope: Scope, plan: DeltaPlan, changed: Fragment): Fragment {
  const { after } = plan.span;
  const id = sql`c."id"`;
  const behind = after === undefined ? sql`1` : sql`"id" > ${value(after)}`;
  const columns = [
    sql`${id} AS "id"`,
    sql`(${matching(scope, plan, id, 'record')}) AS "json"`,
    sql`coalesce((${present(scope, plan, id, 'address')}), (${lastAddress(plan, id)})) AS "address"`,
    sql`NOT EXISTS (${present(scope, plan, id, 'row')}) AS "deleted"`,
  ];
  const rows = sql`SELECT "id" FROM (${changed}) WHERE ${behind} ORDER BY "id" LIMIT ${integer(plan.limit + 1)}`;
  return sql`SELECT ${list(columns)} FROM (${rows}) c`;
}

/** The row where it belongs to the query. */
function matching(
  scope: Scope,
  { select: selecting, shape }: DeltaPlan,
  id: Fragment,
  wanted: 'record' | 'row',
): Fragment {
  const inside = { ...scope, language: shape.form.language };
  const selected = select(wanted === 'record' ? inside : scope, selecting);
  const content =
    wanted === 'record' ? recordText({ ...selected.scope, record: shape.row }, shape) : sql`1`;
  return sql`SELECT ${content} FROM ${selected.from} WHERE ${join([isRow(selected, selecting, id), ...selected.conditions], ' AND ')}`;
}

function isRow(
  { scope }: Pick<Selected, 'scope'>,
  { rows }: Pick<DeltaPlan['select'], 'rows'>,
  id: Fragment,
): Fragment {
  const { table } = useOf(scope.layout, rows.row.source);
  return sql`${column(aliasOf(scope, rows.row), table.identity)} = ${id}`;
}

/** The row whether it belongs to the query or not. */
function present(
  scope: Scope,
  { select: selecting, address }: DeltaPlan,
  id: Fragment,
  wanted: 'address' | 'row',
): Fragment {
  const { row } = selecting.rows;
  const inside = binding(scope, row);
  const content = wanted === 'address' ? addressText(inside, address) : sql`1`;
  const from = fromSource(scope.layout, row.source, aliasOf(inside, row));
  return sql`SELECT ${content} FROM ${from} WHERE ${isRow({ scope: inside }, selecting, id)}`;
}

function lastAddress({ select: selecting }: DeltaPlan, id: Fragment): Fragment {
  const { source } = selecting.rows.row;
  return sql`SELECT "address" FROM "docket_change" WHERE "identity" = ${id} AND "source" = ${text(source.id)} AND "deed" = 'delete' ORDER BY "seq" DESC LIMIT 1`;
}

/**
 * Rows that the client has to be told of: those that belong to the query, and those that were there when it asked last and may have
 * belonged to it.
 */
function candidates(scope: Scope, plan: DeltaPlan): Fragment {
  const { watched, span } = plan;
  const id = sql`a."id"`;
  const noted = (deed: 'create' | 'delete') =>
    sql`EXISTS (SELECT 1 FROM "docket_change" WHERE "identity" = ${id} AND "source" = ${text(watched.source.id)} AND "deed" = ${text(deed)} AND ${inSpan(span)})`;
  const belongs = sql`EXISTS (${matching(scope, plan, id, 'row')})`;
  const wasThere = sql`EXISTS (${present(scope, plan, id, 'row')}) OR ${noted('delete')}`;
  return sql`SELECT ${id} FROM (${changedRows(scope, watched, span)}) a WHERE ${belongs} OR (NOT ${noted('create')} AND (${wasThere}))`;
}

// ---- what was changed -----------------------------------------------------------------------------------------------

/** Identities, each once, of rows that were changed themselves or that a changed row belongs to. */
function changedRows(scope: Scope, watched: Watched, span: Span): Fragment {
  const own = sql`SELECT DISTINCT "identity" AS "id" FROM ${changes(watched, span)}`;
  const reached = watched.steps.flatMap((step) => changedAlong(scope, watched, step, span));
  return join([own, ...reached], ' UNION ');
}

function changes({ source }: Pick<Watched, 'source'>, span: Span): Fragment {
  const ids = membersOf(source).map((member) => text(member.id));
  return sql`"docket_change" WHERE "source" IN (${list(ids)}) AND ${inSpan(span)}`;
}

function inSpan({ since, until }: Span): Fragment {
  const end = until === undefined ? EMPTY : sql` AND "seq" <= ${value(until)}`;
  return sql`"seq" > ${value(since)}${end}`;
}

/** Near rows of a step whose far rows were changed: as they are connected now, and as they were when they were let go of. */
function changedAlong(
  scope: Scope,
  near: Watched,
  { path, navigation, target }: WatchedStep,
  span: Span,
): readonly Fragment[] {
  const { relation } = arrivalOf(scope.layout, { from: near.source, path, navigation });
  const far = changedRows(scope, target, span);
  const former = (by: Fragment) =>
    sql`SELECT "other" FROM ${changes(target, span)} AND "deed" IN ('link', 'unlink') AND "other" IS NOT NULL${by}`;
  const pointing = (from: Watched, at: string, wanted: string) =>
    pointers(scope, from, { at, wanted, far });
  switch (relation.kind) {
    case 'reference':
      return [
        pointing(near, columnName(useOf(scope.layout, near.source), relation.path), IDENTITY),
      ];
    case 'parent':
      return [pointing(near, PARENT_COLUMN, IDENTITY)];
    case 'children':
      return [
        pointing(target, IDENTITY, PARENT_COLUMN),
        former(sql` AND "navigation" = ${text(PARENT_COLUMN)}`),
      ];
    case 'inverse': {
      const by = columnName(useOf(scope.layout, target.source), [relation.navigation]);
      return [pointing(target, IDENTITY, by), former(sql` AND "navigation" = ${text(by)}`)];
    }
    case 'links':
      return [...relation.links.map((link) => pairsWith(link, far)), former(EMPTY)];
    default:
      return unreachable(relation);
  }
}

/** Stands for the column of the identity, whatever it is called. */
const IDENTITY = '';

interface Pointing {
  /** Column that must be one of `far`. */
  readonly at: string;
  readonly wanted: string;
  readonly far: Fragment;
}

function pointers(scope: Scope, { source }: Watched, { at, wanted, far }: Pointing): Fragment {
  const { table } = useOf(scope.layout, source);
  const alias = name('w');
  const named = (at: string) => column(alias, at === IDENTITY ? table.identity : at);
  const from = fromSource(scope.layout, source, alias);
  return sql`SELECT ${named(wanted)} FROM ${from} WHERE ${named(at)} IN (${far}) AND ${named(wanted)} IS NOT NULL`;
}

function pairsWith({ table, near, far: end }: LinkUse, far: Fragment): Fragment {
  return sql`SELECT ${name(near)} FROM ${name(table)} WHERE ${name(end)} IN (${far})`;
}
