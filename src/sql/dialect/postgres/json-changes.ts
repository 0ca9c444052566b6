// This file implements changes of JSON text with the routines of json-routines.ts.
import { type Fragment, integer, list, sql, value } from '../../fragment.ts';
import type { JsonChangeDialect } from '../dialect.ts';

export const JSON_CHANGES: JsonChangeDialect = {
  setMember: (object, path, json) =>
    sql`docket_json_set(${object}, ${steps(path)}, ${value(json)})`,
  removeMember: (object, path) => sql`docket_json_set(${object}, ${steps(path)}, NULL)`,
  ensureMember: (object, path) => sql`docket_json_ensure(${object}, ${steps(path)})`,
  append: (array, json) => sql`docket_json_concat(${array}, '[' || ${value(json)} || ']')`,
  insert: (array, position, json) =>
    sql`docket_json_insert(${array}, ${integer(position)}, ${value(json)})`,
  replace: (array, position, json) =>
    sql`docket_json_replace(${array}, ${integer(position)}, ${value(json)})`,
  remove: (array, position) => sql`docket_json_replace(${array}, ${integer(position)}, NULL)`,
  length: (array) => sql`json_array_length(CAST(${array} AS json))`,
};

/** The names are bound: those of dynamic properties come from requests. */
function steps(path: readonly string[]): Fragment {
  return sql`ARRAY[${list(path.map((step) => value(step)))}]`;
}
