// This file writes and reads JSON text with the JSON functions of PostgreSQL and the routines of json-routines.ts. Values have the type
// json, never jsonb, which would change numbers and drop the order of members.
import { type Fragment, join, list, sql, text } from '../../fragment.ts';
import type { Storage } from '../../schema/value-storage.ts';
import type { Compiled, JsonDialect, MemberSelection } from '../dialect.ts';
import { deferredMembers, deferredRewrite } from './deferred-rewrites.ts';
import { JSON_CHANGES } from './json-changes.ts';

/** A PostgreSQL function takes at most 100 arguments. */
const MAX_ARGUMENTS = 100;

export const POSTGRES_JSON: JsonDialect = {
  recordsWrittenBy: 'service',
  concat,
  quote,
  concatRows: (content) => sql`string_agg(${content}, ',')`,
  integer: (content) => sql`CAST(${content} AS text)`,
  floating: (content, isSingle) =>
    isSingle ? sql`docket_single(${content})` : sql`docket_number(${content})`,
  toFloating: (content) => sql`docket_to_floating(${content})`,
  duration: (nanoseconds) => sql`docket_duration(${nanoseconds})`,
  binary: (bytes) => sql`translate(encode(${bytes}, 'base64'), E'+/=\\n', '-_')`,
  urlText: (content) => sql`docket_url_text(${content})`,
  escapeUrl: (url) => sql`replace(replace(${url}, '\\', '%5C'), '"', '%22')`,
  position: (positions, schedule) =>
    sql`CAST(CAST(${positions} AS json) ->> ('s' || ${schedule}) AS bigint)`,
  positions: (positions, alias) =>
    sql`(SELECT CAST(substr(key, 2) AS bigint) AS schedule, CAST(value AS bigint) AS now FROM json_each_text(CAST(${positions} AS json))) ${alias}`,
  items: (array, alias) => sql`docket_json_items(${array}) AS ${alias}(value, key)`,
  item: (alias) => sql`(${alias}.value #>> '{}')`,
  itemJson: (alias) => sql`CAST(${alias}.value AS text)`,
  itemIndex: (alias) => sql`${alias}.key`,
  typed,
  enumInteger: (names) => sql`docket_leading_integer(${names})`,
  valueOf: (content) => sql`(CAST(${content} AS json) #>> '{}')`,
  member: (object, path) => sql`(CAST(${object} AS json) #>> ${pathOf(path)})`,
  memberJson: (object, path) => sql`CAST(CAST(${object} AS json) #> ${pathOf(path)} AS text)`,
  withoutMembers: (object, names) =>
    names.reduce((rest, own) => sql`docket_json_set(${rest}, ARRAY[${text(own)}], NULL)`, object),
  token: (keys) =>
    sql`upper(encode(convert_to(${concat([text('['), join(keys.map(tokenValue), ", ',', "), text(']')])}, 'UTF8'), 'hex'))`,
  kind: (content) => sql`docket_json_kind(${content})`,
  rewrite: deferredRewrite,
  members,
  change: JSON_CHANGES,
};

function concat(pieces: readonly Fragment[]): Fragment {
  if (pieces.length <= MAX_ARGUMENTS) return sql`concat(${list(pieces)})`;
  const groups: Fragment[] = [];
  for (let at = 0; at < pieces.length; at += MAX_ARGUMENTS) {
    groups.push(concat(pieces.slice(at, at + MAX_ARGUMENTS)));
  }
  return concat(groups);
}

function quote(content: Fragment): Fragment {
  return sql`coalesce(CAST(to_json(CAST(${content} AS text)) AS text), 'null')`;
}

function typed(content: Fragment, { kind }: Storage): Fragment {
  switch (kind) {
    case 'integer':
      return sql`docket_json_integer(${content})`;
    case 'boolean':
      return sql`(CASE ${content} WHEN 'true' THEN true WHEN 'false' THEN false END)`;
    default:
      return content;
  }
}

function pathOf(path: readonly string[]): Fragment {
  return sql`ARRAY[${list(path.map(text))}]`;
}

/** As SQLite writes it: numbers plainly, booleans as 0 and 1. */
function tokenValue({ sql: content, storage }: Pick<Compiled, 'sql' | 'storage'>): Fragment {
  switch (storage.kind) {
    case 'integer':
    case 'duration':
    case 'scaled':
      return sql`coalesce(CAST(${content} AS text), 'null')`;
    case 'boolean':
      return sql`coalesce(CAST(CAST(${content} AS integer) AS text), 'null')`;
    case 'floating':
      return sql`coalesce(docket_number(${content}), 'null')`;
    default:
      return quote(content);
  }
}

function members(
  object: Fragment,
  selection: MemberSelection,
  rules: string | undefined,
): readonly Fragment[] {
  if (rules !== undefined) return [deferredMembers(object, selection, rules)];
  const { only, except = [] } = selection;
  if (only !== undefined) {
    return only.map(
      (name) =>
        sql`(${text(`,${JSON.stringify(name)}:`)} || ${POSTGRES_JSON.memberJson(object, [name])})`,
    );
  }
  if (except.length === 0) {
    const inside = sql`substr(${object}, 2, length(${object}) - 2)`;
    return [sql`CASE WHEN length(${object}) > 2 THEN ',' || ${inside} END`];
  }
  return [
    sql`(SELECT string_agg(concat(',', CAST(to_json(m.key) AS text), ':', CAST(m.value AS text)), '') FROM json_each(CAST(${object} AS json)) m WHERE m.key NOT IN (${list(except.map(text))}))`,
  ];
}
