// This file parses the syntax that HTTP headers share: lists with quoted strings, parameters, media types and weights.

import { Fault } from '../../base/fault.ts';
import type { MediaRange, MediaType } from '../tree.ts';

/** Splits a header value at the separators outside of quoted strings; returns the trimmed, non-empty parts. */
export function splitHeader(value: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(value.slice(start, at).trim());
      start = at + 1;
    }
  }
  parts.push(value.slice(start).trim());
  return parts.filter((part) => part !== '');
}

/** Returns the content of a quoted string without escapes; other text unchanged. RFC 9110, "Quoted Strings". */
export function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** name [ = value ], with optional spaces around the sign. Returns the name in lower case and the unquoted value or undefined. */
export function splitPair(text: string): readonly [name: string, value: string | undefined] {
  const equals = text.indexOf('=');
  if (equals < 0) return [text.toLowerCase(), undefined];
  const name = text.slice(0, equals).trim().toLowerCase();
  return [name, unquote(text.slice(equals + 1).trim())];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Parses a media type; undefined if it is malformed. RFC 9110, "Media Type". */
export function readMediaType(value: string): MediaType | undefined {
  const [name = '', ...rest] = splitHeader(value, ';');
  const slash = name.indexOf('/');
  if (!TOKEN.test(name.slice(0, slash)) || !TOKEN.test(name.slice(slash + 1))) return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [key, text] = splitPair(part);
    if (!TOKEN.test(key) || text === undefined || parameters.has(key)) return undefined;
    parameters.set(key, text);
  }
  return slash < 0 ? undefined : { name: name.toLowerCase(), parameters };
}

const LONGEST_TYPE = 255;

/** Returns the trimmed media type if it is safe to send in a header; undefined for any other text. */
export function plainMediaType(text: string): string | undefined {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text.length <= LONGEST_TYPE;
  return isPlain && readMediaType(text) !== undefined ? text.trim() : undefined;
}

/** Returns the ranges of an Accept header in their order. Throws: request.header. RFC 9110, "Accept". */
export function readAccept(value: string): readonly MediaRange[] {
  return splitHeader(value, ',').map((part) => {
    const range = readRange(part);
    if (range !== undefined) return range;
    throw invalidHeader('Accept', value, 'write media ranges such as application/json;q=0.9');
  });
}

/** Some old clients send * for any type. */
function readRange(part: string): MediaRange | undefined {
  const type = readMediaType(/^\*\s*(?:;|$)/.test(part) ? `*/${part}` : part);
  if (type === undefined) return undefined;
  const quality = readQuality(type.parameters.get('q'));
  if (quality === undefined) return undefined;
  const parameters = new Map([...type.parameters].filter(([name]) => name !== 'q'));
  return { name: type.name, parameters, quality };
}

function readQuality(text: string | undefined): number | undefined {
  if (text === undefined) return 1;
  const quality = /^[0-9]*\.?[0-9]*$/.test(text) && text !== '' ? Number(text) : Number.NaN;
  return quality >= 0 && quality <= 1 ? quality : undefined;
}

/** Whether the range covers the media type, ignoring parameters. */
export function covers(range: MediaType, name: string): boolean {
  if (range.name === name || range.name === '*/*') return true;
  return range.name.endsWith('/*') && name.startsWith(range.name.slice(0, -1));
}

/**
 * Whether the client accepts this media type: the most specific range decides, and without ranges every type is accepted.
 * Needed for /$value, whose type is known only to the model or the stored file.
 */
export function accepts(ranges: readonly MediaRange[], name: string): boolean {
  if (ranges.length === 0) return true;
  const specificity = (range: MediaRange) => range.name.replaceAll('*', '').length;
  const covering = ranges.filter((range) => covers(range, name));
  const highest = Math.max(...covering.map(specificity), 0);
  return covering.some((range) => specificity(range) === highest && range.quality > 0);
}

/** Returns the tokens of a weighted list (Accept-Language, Accept-Charset), best first, without those of weight 0. */
export function readWeighted(value: string): readonly string[] {
  const entries = splitHeader(value, ',').map((part) => {
    const [token = '', ...rest] = splitHeader(part, ';');
    const weight = rest.map(splitPair).find(([name]) => name === 'q');
    return { token, quality: readQuality(weight?.[1]) ?? 0 };
  });
  const accepted = entries.filter((entry) => entry.quality > 0 && TOKEN.test(entry.token));
  return accepted.sort((left, right) => right.quality - left.quality).map((entry) => entry.token);
}

export function invalidHeader(header: string, value: string, expected: string): Fault {
  return new Fault(
    'request.header',
    { header, value: value.slice(0, 100), expected },
    { target: header },
  );
}

/** A content coding supported for request bodies. */
export type Coding = 'gzip' | 'identity';

/** Parses Content-Encoding; the default is identity. Throws: request.media-type. RFC 9110, "Content-Encoding". */
export function readCoding(header: string | undefined): Coding {
  const coding = header?.trim().toLowerCase() ?? 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  if (coding === 'identity') return 'identity';
  throw new Fault(
    'request.media-type',
    {
      type: `Content-Encoding ${coding.slice(0, 40)}`,
      supported: 'the body with gzip or without Content-Encoding',
    },
    { target: 'Content-Encoding', headers: { 'Accept-Encoding': 'gzip' } },
  );
}
