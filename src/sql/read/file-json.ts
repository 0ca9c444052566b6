// This file writes what is known of the bytes of a file as JSON: for the answer that they are, or as a mark inside a record, in the
// place of which whoever reads the bytes puts them.
import type { RowExpression } from '../../bind/bound.ts';
import type { Property } from '../../edm/model.ts';
import type { ShapeMember } from '../../plan/read-plan.ts';
import { fileOf } from '../expression/property.ts';
import { type Fragment, sql, text, value } from '../fragment.ts';
import type { Scope } from '../scope.ts';

/** Stands before and behind a mark. No text in JSON has it, since control characters are escaped there. */
export const MARK = '\u0001';

/** `{"key":…,"store":…,"mediaType":…,"size":…,"sha256":…,"fileName":…}`; null where there are no bytes. */
export function fileFacts(
  scope: Scope,
  row: RowExpression,
  path: readonly Property[],
  fileName: Fragment | undefined,
): Fragment {
  const { json } = scope.dialect;
  const named = fileName === undefined ? undefined : json.quote(fileName);
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
    named === undefined ? text('null') : sql`coalesce(${named}, 'null')`,
    text('}'),
  ]);
  return sql`(SELECT ${object} FROM "docket_file" WHERE "id" = ${fileOf(scope, row, path)})`;
}

/** The member with the bytes, or, where there are some, the mark in its place: names and facts between two signs. */
export function bytesText(
  scope: Scope,
  { name, typeName, row, property }: ShapeMember & { readonly kind: 'bytes' },
): Fragment {
  const { json } = scope.dialect;
  const facts = fileFacts(scope, row, property === undefined ? [] : [property], undefined);
  const names = `{"name":${JSON.stringify(name)},"typeName":${JSON.stringify(typeName)},"file":`;
  const mark = json.concat([value(MARK), text(names), sql`f.j`, text('}'), value(MARK)]);
  const found = sql`(SELECT ${mark} FROM (SELECT ${facts} AS j) f WHERE f.j IS NOT NULL)`;
  return sql`coalesce(${found}, ${text(`${JSON.stringify(name)}:null`)})`;
}
