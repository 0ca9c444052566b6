// This file renders counts, and raw values for `/$value`. OData 4.01 Protocol, "Requesting an Individual Property's Raw Value",
// "Requesting the Number of Items in a Collection".
import { Fault } from '../base/fault.ts';
import type { ValueType } from '../bind/bound.ts';
import { bytesOf } from '../edm/value/binary.ts';
import { type PrimitiveName, primitiveRow, writeLiteral } from '../edm/value/primitives.ts';
import { accepts } from '../request/headers/media-types.ts';
import { misplacedSegment } from '../request/path.ts';
import type { Negotiated, Tree } from '../request/tree.ts';
import { contentType, headersOf, withCharset } from './headers.ts';
import type { Answer } from './response.ts';

/** Renders a count as text. */
export function renderNumber(count: string, negotiated: Negotiated): Answer {
  const type = contentType(negotiated.format, negotiated.version);
  return { status: 200, headers: headersOf(negotiated, { type }), body: count };
}

/**
 * Whether an untyped value is primitive is known only when it has been read. Throws: request.misplaced-segment for objects and lists.
 * OData 4.01 URL Conventions, "Addressing the Raw Value of a Property".
 */
export function requirePrimitive(json: string, { kind }: ValueType, { segments }: Tree['path']) {
  if (kind !== 'untyped' || !/^[[{]/.test(json)) return;
  const place = json.startsWith('{') ? 'after an object' : 'after a list of values';
  throw misplacedSegment('$value', place, segments.at(-1)?.at ?? 0);
}

/** Renders a single value as text, or as bytes if it is binary. Throws: request.not-acceptable. */
export function renderRaw(
  text: string,
  type: ValueType,
  negotiated: Negotiated,
  language: string,
): Answer {
  const kind = type.kind === 'primitive' ? primitiveRow(type.name).class : 'string';
  const isBinary = kind === 'binary';
  const media = isBinary ? 'application/octet-stream' : 'text/plain';
  if (!accepts(negotiated.accept, media)) {
    const supported = `the only supported format is ${media}`;
    const accept = negotiated.accept.map((range) => range.name).join(', ');
    throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
  }
  const headers = headersOf(negotiated, {
    type: isBinary
      ? media
      : withCharset(media, negotiated.format.kind === 'raw' && negotiated.format.charset),
    language: kind === 'string' ? language : undefined,
  });
  const body = isBinary ? bytesOf(text) : rawText(text, type);
  return { status: 200, headers, body };
}

/** The value without its form as JSON, which the database returns for geo values and values of type Edm.Untyped, such as dynamic ones. */
function rawText(text: string, type: ValueType): string {
  if (type.kind === 'untyped') return text.startsWith('"') ? String(JSON.parse(text)) : text;
  const isGeo = type.kind === 'primitive' && primitiveRow(type.name).class === 'geo';
  return isGeo ? geoText(type.name, text) : text;
}

/** Returns the literal without prefix and quotes, such as `SRID=4326;Point(4.9 52.4)`. */
function geoText(name: PrimitiveName, json: string): string {
  return writeLiteral(name, json).replace(/^[a-z]+'(.*)'$/, '$1');
}
