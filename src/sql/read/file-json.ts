// Writes the metadata of a file as JSON: for a response that streams the file, or as a marker inside a record that the service later
// replaces with the content.
import type { RowExpression } from '../../bind/bound.ts';
import type { Property } from '../../edm/model.ts';
import type { ShapeMember } from '../../plan/read-plan.ts';
import { fileOf } from '../expression/property.ts';
import { type Fragment, sql, tableName, text, value } from '../fragment.ts';
import type { Scope } from '../scope.ts';

/** Delimits a marker. It cannot occur in JSON text, where control characters are escaped. */
export const MARKER = '\u0001';

/** `{"key":…,"store":…,"mediaType":…,"size":…,"sha256":…,"fileName":…}`; null if there is no file. */
export function fileFacts(
  scope: Scope,
  row: RowExpression,
  path: readonly Property[],
  fileName: Fragment | undefined,
): Fragment {
  const { json } = scope.dialect;
  const nameJson = fileName === undefined ? undefined : json.quote(fileName);
  const object = json.concat([
    text('{"key":'),
    json.quote(sql`"key"`),
    text(',"store":'),
    json.quote(sql`"store"`),
    text(',"mediaType":'),
    json.quote(sql`"media_type"`),
    text(',"size":'),
    sql`"size"`,
    text(',"sha256":'),
    json.quote(sql`"sha256"`),
    text(',"fileName":'),
    nameJson === undefined ? text('null') : sql`coalesce(${nameJson}, 'null')`,
    text('}'),
  ]);
  return sql`(SELECT ${object} FROM ${tableName('docket_file')} WHERE "id" = ${fileOf(scope, row, path)})`;
}

/** A member for inline stream content: null, or a marker with the member's names and the file's metadata. */
export function bytesText(
  scope: Scope,
  { name, typeName, row, property }: ShapeMember & { readonly kind: 'bytes' },
): Fragment {
  const { json } = scope.dialect;
  const facts = fileFacts(scope, row, property === undefined ? [] : [property], undefined);
  const names = `{"name":${JSON.stringify(name)},"typeName":${JSON.stringify(typeName)},"file":`;
  const mark = json.concat([value(MARKER), text(names), sql`f.j`, text('}'), value(MARKER)]);
  const found = sql`(SELECT ${mark} FROM (SELECT ${facts} AS j) f WHERE f.j IS NOT NULL)`;
  return sql`coalesce(${found}, ${text(`${JSON.stringify(name)}:null`)})`;
}
