// This file renders what is plain text or bytes: counts and the values of `/$value`. OData 4.01 Protocol, "Requesting an Individual
// Property's Raw Value", "Requesting the Number of Items in a Collection".
import { Fault } from '../base/fault.ts';
import type { ValueType } from '../bind/bound.ts';
import { primitiveRow, writeLiteral } from '../edm/value/primitives.ts';
import { accepts } from '../request/headers/media-types.ts';
import type { Wishes } from '../request/tree.ts';
import { contentType, headersOf, withCharset } from './headers.ts';
import type { Answer } from './response.ts';

/** A number as text. */
export function renderNumber(count: string, wishes: Wishes): Answer {
  const type = contentType(wishes.format, wishes.version);
  return { status: 200, headers: headersOf(wishes, { type }), body: count };
}

/** A single value as its text, or as its bytes. Faults: request.not-acceptable. */
export function renderRaw(text: string, type: ValueType, wishes: Wishes, language: string): Answer {
  const kind = type.kind === 'primitive' ? primitiveRow(type.name).class : 'string';
  const isBinary = kind === 'binary';
  const media = isBinary ? 'application/octet-stream' : 'text/plain';
  if (!accepts(wishes.accept, media)) {
    const supported = `it can be given as ${media}`;
    const accept = wishes.accept.map((range) => range.name).join(', ');
    throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
  }
  const headers = headersOf(wishes, {
    type: isBinary
      ? media
      : withCharset(media, wishes.format.kind === 'raw' && wishes.format.charset),
    language: kind === 'string' ? language : undefined,
  });
  const body = isBinary ? bytesOf(text) : kind === 'geo' ? geoText(text, type) : text;
  return { status: 200, headers, body };
}

/** `SRID=4326;Point(4.9 52.4)`: the literal without its prefix and quotes. */
function geoText(json: string, type: ValueType): string {
  return type.kind === 'primitive'
    ? writeLiteral(type.name, json).replace(/^[a-z]+'(.*)'$/, '$1')
    : json;
}

function bytesOf(base64url: string): Uint8Array {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
