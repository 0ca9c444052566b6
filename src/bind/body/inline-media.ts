// This file reads the bytes of a media entity that stand in a body, `$value` beside `@odata.mediaContentType`: JSON as it is, text as a
// string, everything else in base64url; all in base64url where `$value@odata.type` is `#Binary`. OData JSON Format 4.01, "Media Entity", "Stream Property".
import { bytesOf, readBinary } from '../../edm/value/binary.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import { plainMediaType } from '../../request/headers/media-types.ts';
import type { FileInput } from '../write/bound-write.ts';
import type { Body } from './body-context.ts';
import { within } from './body-errors.ts';
import type { SortedObject } from './control-information.ts';
import { noValue } from './value-context.ts';

/** The member that holds the bytes. */
const INLINE = '$value';

/** An object without its bytes, and these apart; no file where the object has none. */
export interface Apart {
  readonly sorted: SortedObject;
  readonly file?: FileInput;
}

/** Takes the bytes out of the object of a media entity. What is wrong with them is noted as a mistake. */
export function takeInlineFile(body: Body, sorted: SortedObject, target: string): Apart {
  const input = sorted.members.get(INLINE);
  if (input === undefined) return { sorted };
  body.lifting?.spoil();
  const members = new Map([...sorted.members].filter(([name]) => name !== INLINE));
  const mediaType = readType(body, sorted.controls.get('mediaContentType') ?? '', target);
  const type = sorted.memberControls.get(INLINE)?.get('type');
  const isBinary = type === '#Binary' || type === '#Edm.Binary';
  const bytes = readInline(input, isBinary ? ANY_TYPE : mediaType);
  if (bytes === undefined) {
    const expected = isText(mediaType) && !isBinary ? 'a text' : 'the bytes in base64url';
    noValue(body, slotOf('Edm.Stream'), { input, target: within(target, INLINE) }, expected);
  }
  const file = { kind: 'inline', mediaType, bytes: bytes ?? new Uint8Array(0) } as const;
  return { sorted: { ...sorted, members }, file };
}

const ANY_TYPE = 'application/octet-stream';

/** What the bytes are said to be; nothing said is nothing known. What could not stand in the header of a download is a mistake. */
function readType(body: Body, told: JsonInput, target: string): string {
  if (told === '') return ANY_TYPE;
  const plain = typeof told === 'string' ? plainMediaType(told) : undefined;
  if (plain !== undefined) return plain;
  const place = within(target, '@odata.mediaContentType');
  noValue(
    body,
    slotOf('Edm.String'),
    { input: told, target: place },
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
