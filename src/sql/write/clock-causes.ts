// This file finds in the change log why clocks are outdated: which agreements, levels and schedules were changed, and by whom.
import { memoized, perPair } from '../../base/memo.ts';
import { type EntityType, lineage, type Model } from '../../edm/model.ts';
import { allSources, type Source } from '../../edm/source.ts';
import type { Dialect } from '../dialect/dialect.ts';
import {
  column,
  type Fragment,
  integer,
  join,
  local,
  name,
  nullOf,
  sql,
  tableName,
  text,
  value,
  word,
} from '../fragment.ts';
import { type Layout, PARENT_COLUMN, tableOf } from '../schema/layout.ts';
import type { Statement } from '../script.ts';
import { displayName } from './history.ts';
import { statement, type WriteScope } from './steps.ts';

/** The local with the time since which the clocks are outdated, as the change log contains times. */
export const OUTDATED_SINCE = 'outdated since';

/** How many causes a history entry shows. */
export const SHOWN_CAUSES = 3;

/** A query for what was changed since then and by whom, the earliest changes first. It may return one more than is shown. */
export function compileCauses(rules: readonly Source[], scope: WriteScope): Statement {
  const key = rules.map(({ id }) => id).join(' ');
  return memoized(causesOf(scope.layout, scope.dialect), key, () => causesQuery(rules, scope));
}

/** By the sources of rules. */
const causesOf = perPair((_layout: Layout, _: Dialect) => new Map<string, Statement>());

function causesQuery(rules: readonly Source[], scope: WriteScope): Statement {
  const changes = rules.map((source) => changesOf(source, scope));
  const query = sql`SELECT "what", "account" FROM (${join(changes, ' UNION ALL ')}) AS ${word('changes')}
    WHERE "what" IS NOT NULL GROUP BY "what", "account" ORDER BY min("seq") LIMIT ${integer(SHOWN_CAUSES + 1)}`;
  return statement(query, scope);
}

const LOGGED = word('logged');

/** The time is an expression, so that the index of sources is used: other records change all the time. */
function changesOf(source: Source, scope: WriteScope): Fragment {
  const what = changedRecord(source, column(LOGGED, 'identity'), scope);
  return sql`SELECT ${what} AS "what", "account", "seq" FROM ${tableName('docket_change')} AS ${LOGGED}
    WHERE "source" = ${value(source.id)} AND "at" || '' >= ${local(OUTDATED_SINCE, 'text')}`;
}

/** The name of the record that was changed; if that is contained, of the one that contains it, which the log has of deleted ones. */
function changedRecord(source: Source, identity: Fragment, scope: WriteScope): Fragment {
  const owner = ownerOf(scope.layout.model, source);
  if (owner === undefined) return nameOfRecord(source, identity, scope);
  const { table } = tableOf(scope.layout, source);
  const stored = sql`(SELECT ${name(PARENT_COLUMN)} FROM ${tableName(table.name)} WHERE ${name(table.identity)} = ${identity})`;
  const parent = sql`CASE WHEN ${column(LOGGED, 'navigation')} = ${text(PARENT_COLUMN)} THEN ${column(LOGGED, 'other')} ELSE ${stored} END`;
  return changedRecord(owner, parent, scope);
}

/** `Schedule: Silver`. A deleted record has its address in the log instead of a name. */
function nameOfRecord(source: Source, identity: Fragment, scope: WriteScope): Fragment {
  const { model } = scope.layout;
  const [language = ''] = model.definition.languages;
  const { labels, name: typeName } = source.type;
  const label = labels?.[language] ?? typeName.slice(typeName.lastIndexOf('.') + 1);
  const display = displayName(scope, tableOf(scope.layout, source), identity) ?? nullOf('text');
  const key = sql`CAST(${identity} AS text)`;
  return sql`${text(`${label}: `)} || coalesce(${display}, ${column(LOGGED, 'address')}, ${key})`;
}

function ownerOf(model: Model, { kind, owner }: Source): Source | undefined {
  if (kind !== 'containment' || owner === undefined) return undefined;
  const isOwner = (type: EntityType) => lineage(type, model.types).some((one) => one === owner);
  return allSources(model).find(({ type }) => isOwner(type));
}
