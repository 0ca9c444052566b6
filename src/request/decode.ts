// This file percent-decodes parts of a URL, once, after the URL has been split at its delimiters.

import { Fault } from '../base/fault.ts';

/** Decodes a part of the query; a plus becomes a space, as in forms. Throws: request.encoding. */
export function decodeQueryPiece(raw: string, target: string): string {
  return decode(raw.includes('+') ? raw.replaceAll('+', ' ') : raw, target);
}

/** Decodes a path segment; a plus stays a plus. Throws: request.encoding. */
export function decodeSegment(raw: string): string {
  return decode(raw, 'the path');
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Returns the offsets in the decoded text of semicolons that were percent-encoded. In a nested search a raw semicolon ends the
 * option, while an encoded one belongs to the word.
 */
export function encodedSemicolons(
  raw: string,
  decodePart: (raw: string) => string,
): ReadonlySet<number> {
  if (!raw.includes('%') || !/%3b/i.test(raw)) return NONE;
  const offsets = new Set<number>();
  let offset = 0;
  for (const part of raw.split(/%3b/i)) {
    offset += decodePart(part).length;
    offsets.add(offset);
    offset += 1;
  }
  offsets.delete(offset - 1);
  return offsets;
}

function decode(raw: string, target: string): string {
  if (!raw.isWellFormed()) {
    throw new Fault('request.encoding', { text: 'half a character' }, { target });
  }
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Fault('request.encoding', { text: findUndecodable(raw) }, { target });
  }
}

/** The decoded text; unchanged if it cannot be decoded. */
export function decodedIfPossible(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the first sequence of percent-encoded bytes that is not UTF-8, shortened for the message. */
function findUndecodable(raw: string): string {
  for (const run of raw.matchAll(/%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*|%.{0,2}/g)) {
    if (!isDecodable(run[0])) return run[0].slice(0, 30);
  }
  return raw.slice(0, 30);
}

function isDecodable(run: string): boolean {
  try {
    decodeURIComponent(run);
    return true;
  } catch {
    return false;
  }
}
