// Reads the content of a media entity in a body, in `$value` with `@odata.mediaContentType`: JSON unchanged, text as a string, and
// anything else, or everything if `$value@odata.type` is `#Binary`, as base64url.
// OData JSON Format 4.01, "Media Entity", "Stream Property".
import { bytesOf, readBinary } from '../../edm/value/binary.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import { plainMediaType } from '../../request/headers/media-types.ts';
import type { FileInput } from '../write/bound-write.ts';
import type { Body } from './body-context.ts';
import { memberPath, noteInvalidValue } from './body-errors.ts';
import type { SortedObject } from './control-information.ts';

/** The member with the content. */
const INLINE = '$value';

/** An object without its content, and the content as a file if there is any. */
export interface SplitMedia {
  readonly sorted: SortedObject;
  readonly file?: FileInput;
}

/** Separates the content from the object of a media entity. Adds a mistake if it is invalid. */
export function takeInlineFile(body: Body, sorted: SortedObject, target: string): SplitMedia {
  const input = sorted.members.get(INLINE);
  if (input === undefined) return { sorted };
  body.parameters?.reject();
  const members = new Map([...sorted.members].filter(([name]) => name !== INLINE));
  const mediaType = readType(body, sorted.controls.get('mediaContentType') ?? '', target);
  const type = sorted.memberControls.get(INLINE)?.get('type');
  const isBinary = type === '#Binary' || type === '#Edm.Binary';
  const bytes = readInline(input, isBinary ? ANY_TYPE : mediaType);
  if (bytes === undefined) {
    const expected = isText(mediaType) && !isBinary ? 'a string' : 'base64url-encoded content';
    noteInvalidValue(
      body,
      slotOf('Edm.Stream'),
      { input, target: memberPath(target, INLINE) },
      expected,
    );
  }
  const file = { kind: 'inline', mediaType, bytes: bytes ?? new Uint8Array(0) } as const;
  return { sorted: { ...sorted, members }, file };
}

const ANY_TYPE = 'application/octet-stream';

/** The media type; application/octet-stream by default. It must be valid in the Content-Type header of a download. */
function readType(body: Body, input: JsonInput, target: string): string {
  if (input === '') return ANY_TYPE;
  const plain = typeof input === 'string' ? plainMediaType(input) : undefined;
  if (plain !== undefined) return plain;
  const place = memberPath(target, '@odata.mediaContentType');
  noteInvalidValue(
    body,
    slotOf('Edm.String'),
    { input, target: place },
    'a media type, such as image/png',
  );
  return ANY_TYPE;
}

function slotOf(type: string) {
  return { name: INLINE, type, collection: false };
}

function readInline(input: JsonInput, mediaType: string): Uint8Array | undefined {
  if (/^application\/(?:json|[\w.+-]+\+json)\b/i.test(mediaType))
    return new TextEncoder().encode(printJson(input));
  if (typeof input !== 'string') return undefined;
  if (isText(mediaType)) return new TextEncoder().encode(input);
  const read = readBinary(input, {});
  return read.kind === 'value' ? bytesOf(read.value) : undefined;
}

function isText(mediaType: string): boolean {
  return /^text\//i.test(mediaType);
}
