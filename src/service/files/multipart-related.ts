// This file reads multipart/related requests, which carry a record and its files. The first part is the record in JSON; media entities in
// it refer to the other parts with "@odata.mediaReadLink": "cid:…", and are rewritten to contain the bytes inline.
// Sources: RFC 2387 "The MIME Multipart/Related Content-type"; RFC 2392 "Content-ID and Message-ID Uniform Resource Locators".
import { chunksOf, readAll } from '../../attachments/byte-streams.ts';
import { boundaryOf, malformed, readParts } from '../../attachments/multipart.ts';
import { mediaTypeOf } from '../../attachments/upload-headers.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { readJson } from '../json-body.ts';
import type { Call } from '../service.ts';

interface File {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Rewrites a multipart/related call to a JSON call with inline files. Returns other calls unchanged. Throws: file.form, request.body. */
export async function withRelated(call: Call): Promise<Call> {
  const type = call.headers['content-type'] ?? '';
  if (call.body === undefined || !/^multipart\/related\b/i.test(type)) return call;
  const [root, files] = await readRelated(call.body, boundaryOf(type));
  const unusedIds = new Set(files.keys());
  const record = withBytes(readJson(root), files, unusedIds);
  const [unused] = unusedIds;
  if (unused !== undefined)
    throw malformed(`no "@odata.mediaReadLink" is "cid:${unused.slice(0, 100)}"`);
  const headers = { ...call.headers, 'content-type': 'application/json' };
  return { ...call, headers, body: Buffer.from(printJson(record)) };
}

async function readRelated(
  body: Uint8Array,
  boundary: string,
): Promise<readonly [Buffer, Map<string, File>]> {
  let root: Buffer | undefined;
  const files = new Map<string, File>();
  for await (const { headers, bytes } of readParts(chunksOf(body), boundary)) {
    const content = await readAll(bytes);
    const mediaType = mediaTypeOf(headers);
    if (root === undefined) {
      if (!/^application\/json\b/i.test(mediaType))
        throw malformed('its first part must be the record, in application/json');
      root = content;
      continue;
    }
    const id = /^<?([^<>]+)>?$/.exec(headers['content-id'] ?? '')?.[1];
    if (id === undefined || files.has(id)) throw malformed('each file needs a unique Content-ID');
    files.set(id, { mediaType, bytes: content });
  }
  if (root === undefined) throw malformed('it has no part');
  return [root, files];
}

/** Replaces links to parts with their content, and removes the ids that it finds from `unused`. */
function withBytes(
  input: JsonInput,
  files: ReadonlyMap<string, File>,
  unused: Set<string>,
): JsonInput {
  if (isJsonArray(input)) return input.map((item) => withBytes(item, files, unused));
  if (!isJsonObject(input)) return input;
  const members: Record<string, JsonInput> = {};
  for (const [name, value] of Object.entries(input)) {
    const id = /^@(?:odata\.)?mediaReadLink$/.test(name) ? contentIdIn(value) : undefined;
    if (id === undefined) members[name] = withBytes(value, files, unused);
    else Object.assign(members, inlineFile(id, files, unused));
  }
  return members;
}

function contentIdIn(value: JsonInput): string | undefined {
  const id = typeof value === 'string' ? /^cid:(.+)$/i.exec(value)?.[1] : undefined;
  return id === undefined ? undefined : decodeURIComponent(id);
}

function inlineFile(
  id: string,
  files: ReadonlyMap<string, File>,
  unused: Set<string>,
): Readonly<Record<string, JsonInput>> {
  const file = files.get(id);
  if (file === undefined)
    throw malformed(`it has no part with the Content-ID <${id.slice(0, 100)}>`);
  unused.delete(id);
  return {
    '@odata.mediaContentType': file.mediaType,
    '$value@odata.type': '#Binary',
    $value: file.bytes.toString('base64url'),
  };
}
