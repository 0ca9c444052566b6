// This file turns lines of JSON into records and changes. A member that an export of the stored record would contain as well changes
// nothing.
import type { EntityType, Model } from '../../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { readJson } from '../json-body.ts';
import { membersOf } from './columns.ts';
import type { CellPlace, ImportRow } from './import-row.ts';
import { recordQuery } from './record-query.ts';
import type { StoredRecord } from './stored-record.ts';

export function jsonRow(
  model: Model,
  type: EntityType,
  number: number,
  body: JsonObject,
): ImportRow {
  const members = membersOf(model, type);
  const isComputed = (name: string) => {
    const member = members.get(name);
    return member?.kind === 'property' && member.computed === true;
  };
  return {
    number,
    textAt: (path) => textAt(body, path),
    etag: textAt(body, '@odata.etag'),
    form: {
      accept: 'application/x-ndjson;odata.metadata=minimal',
      query: recordQuery(model, type, pathsIn(body)),
    },
    record: () => body,
    changesOf: (stored) => changesOf(body, stored, isComputed),
    relatedReads: () => [],
    mistakesOf: () => [],
    placeOf: (target) => placeOf(body, target),
  };
}

/** The paths of all values, also in related entities. */
function pathsIn(body: JsonObject): readonly (readonly string[])[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const [inner = null] = isJsonArray(value) ? value : [value];
    return isJsonObject(inner)
      ? [[name], ...pathsIn(inner).map((path) => [name, ...path])]
      : [[name]];
  });
}

function valueAt(body: JsonObject, path: string): JsonInput | undefined {
  let value: JsonInput | undefined = body;
  for (const name of path.split('/')) {
    // The first item of a collection identifies the entity.
    if (isJsonArray(value)) [value] = value;
    value = isJsonObject(value) ? value[name] : undefined;
  }
  return value;
}

function textAt(body: JsonObject, path: string): string | undefined {
  const value = valueAt(body, path);
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : printJson(value);
}

function changesOf(
  body: JsonObject,
  { json }: StoredRecord,
  isComputed: (name: string) => boolean,
): JsonObject {
  const stored = readJson(Buffer.from(json));
  if (!isJsonObject(stored)) return body;
  const different = new Set(
    Object.entries(body)
      .filter(([name, value]) => !isSame(value, storedMember(stored, name)))
      .map(([name]) => memberOf(name)),
  );
  const changed = Object.entries(body).filter(
    ([name]) => !name.startsWith('@') && !isComputed(name) && different.has(memberOf(name)),
  );
  const type = Object.entries(body).filter(([name]) => /^@(?:odata\.)?type$/.test(name));
  return changed.length === 0 ? {} : Object.fromEntries([...type, ...changed]);
}

/** The member to which an annotation such as `Since@odata.type` belongs. */
function memberOf(name: string): string {
  return name.split('@')[0] ?? '';
}

/** Stored records have annotations in the form of OData 4.01: `Since@type`. */
function storedMember(stored: JsonObject, name: string): JsonInput | undefined {
  return stored[name.replace('@odata.', '@')];
}

/** Whether the stored value has all that the value has. */
function isSame(value: JsonInput, stored: JsonInput | undefined): boolean {
  if (stored === undefined) return false;
  if (isJsonArray(value) && isJsonArray(stored))
    return (
      value.length === stored.length && value.every((item, index) => isSame(item, stored[index]))
    );
  if (isJsonObject(value) && isJsonObject(stored))
    return Object.entries(value).every(([name, inner]) =>
      isSame(inner, storedMember(stored, name)),
    );
  return printJson(value) === printJson(stored);
}

function placeOf(body: JsonObject, target: string | undefined): CellPlace {
  if (target === undefined) return {};
  const value = valueAt(body, target);
  const [name = ''] = target.split(/[/[]/);
  const shown = value ?? body[name];
  return {
    column: target,
    ...(shown === undefined ? {} : { value: typeof shown === 'string' ? shown : printJson(shown) }),
  };
}
