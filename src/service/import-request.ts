// This file decides how a record of an import is written: a record is posted to its set, a singleton is changed, and a record with the
// URL of a reference, such as `"@odata.id": "Orders/ByReference(System='shop',Number='7')"`, is changed or created at that URL.
import { Fault } from '../base/fault.ts';
import { relativePath } from '../bind/path/entity-url.ts';
import type { Model } from '../edm/model.ts';
import { type JsonObject, showInput } from '../edm/value/lossless-json.ts';

/** The root of the requests. */
export const ROOT = 'http://localhost/odata/';

const ID = /^@(?:odata\.)?id$/;

/** `Orders/ByReference(…)`, with or without the namespace of the function. */
const REFERENCE = /^([^/(]+)\/(?:[\w.]+\.)?ByReference\(.*\)$/s;

interface ImportRequest {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: JsonObject;
}

/** The request that stores the record. Throws: write.reference. */
export function requestOf(set: string, body: JsonObject, model: Model): ImportRequest {
  const [path, rest] = splitReference(set, body);
  if (path !== undefined) return { method: 'PATCH', path, body: rest };
  const method = model.sets.get(set)?.kind === 'singleton' ? 'PATCH' : 'POST';
  return { method, path: encodeURIComponent(set), body };
}

/** The path of the reference in the record, and the record without it. Other URLs state where a record was read. */
function splitReference(
  set: string,
  body: JsonObject,
): readonly [path: string | undefined, rest: JsonObject] {
  const [name, id] = Object.entries(body).find(([member]) => ID.test(member)) ?? [];
  if (name === undefined || typeof id !== 'string') return [undefined, body];
  const path = relativePath({ root: ROOT, contentIds: new Map() }, id);
  const referred = 'relative' in path ? REFERENCE.exec(path.relative) : null;
  if (referred === null) return [undefined, body];
  const [whole, other] = referred;
  if (other !== set) {
    const reason = `It names a record of ${other}, but this is one of ${set}.`;
    throw new Fault('write.reference', { text: showInput(id), reason }, { target: name });
  }
  const { [name]: _, ...rest } = body;
  return [whole, rest];
}
