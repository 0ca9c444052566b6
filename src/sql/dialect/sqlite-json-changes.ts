// This file implements changes of JSON text with the JSON functions of SQLite.
import { type Fragment, sql, value } from '../fragment.ts';
import type { JsonChangeDialect } from './dialect.ts';

export const JSON_CHANGES: JsonChangeDialect = {
  setMember: (object, path, json) =>
    sql`json_set(${object}, ${memberPath(path)}, ${jsonValue(json)})`,
  removeMember: (object, path) => sql`json_remove(${object}, ${memberPath(path)})`,
  ensureMember: (object, path) => sql`json_patch(${object}, ${value(emptyObjects(path))})`,
  append: (array, json) => sql`json_insert(${array}, '$[#]', ${jsonValue(json)})`,
  insert: (array, position, json) =>
    sql`(SELECT json_group_array(json("item")) FROM (
        SELECT ${array} -> "fullkey" AS "item", 2 * "key" + 1 AS "place" FROM json_each(${array})
        UNION ALL SELECT ${value(json)}, 2 * (${insertPlace(array, position)}) ORDER BY "place"))`,
  replace: (array, position, json) =>
    sql`json_replace(${array}, ${itemPath(position)}, ${jsonValue(json)})`,
  remove: (array, position) => sql`json_remove(${array}, ${itemPath(position)})`,
  length: (array) => sql`json_array_length(${array})`,
};

function jsonValue(json: string): Fragment {
  return sql`json(${value(json)})`;
}

/** A path of member names, quoted as JSON strings so that names may contain dots and brackets. */
export function pathText(path: readonly string[]): string {
  return `$${path.map((step) => `.${JSON.stringify(step)}`).join('')}`;
}

function memberPath(path: readonly string[]): Fragment {
  return value(pathText(path));
}

function itemPath(position: number): Fragment {
  return value(`$[${position < 0 ? `#${position}` : position}]`);
}

/** `{"First":{"Second":{}}}`. */
function emptyObjects(path: readonly string[]): string {
  return path.reduceRight((inner, step) => `{${JSON.stringify(step)}:${inner}}`, '{}');
}

function insertPlace(array: Fragment, position: number): Fragment {
  return position < 0
    ? sql`json_array_length(${array}) + ${value(BigInt(position + 1))}`
    : value(BigInt(position));
}
