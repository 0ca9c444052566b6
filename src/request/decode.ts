// This file undoes percent-encoding, once, after the text has been split at its delimiters.

import { Fault } from '../base/fault.ts';

/**
 * The text that a piece of the query stands for; a plus is a blank, as forms send it.
 * Faults: request.encoding for what is not percent-encoded UTF-8.
 */
export function decodeQueryPiece(raw: string, target: string): string {
  return decode(raw.includes('+') ? raw.replaceAll('+', ' ') : raw, target);
}

/** The text that a segment of the path stands for; a plus is a plus. Faults: request.encoding. */
export function decodeSegment(raw: string): string {
  return decode(raw, 'the path');
}

const NONE: ReadonlySet<number> = new Set();

/**
 * The offsets in the decoded text of semicolons that were percent-encoded. In a nested search a raw semicolon ends the option, and
 * an encoded one belongs to the word.
 */
export function encodedSemicolons(raw: string, read: (raw: string) => string): ReadonlySet<number> {
  if (!/%3b/i.test(raw)) return NONE;
  const offsets = new Set<number>();
  let offset = 0;
  for (const piece of raw.split(/%3b/i)) {
    offset += read(piece).length;
    offsets.add(offset);
    offset += 1;
  }
  offsets.delete(offset - 1);
  return offsets;
}

function decode(raw: string, target: string): string {
  if (/\p{Surrogate}/u.test(raw)) {
    throw new Fault('request.encoding', { text: 'half a character' }, { target });
  }
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Fault('request.encoding', { text: findUndecodable(raw) }, { target });
  }
}

/** The first run of percent-encoded bytes that is no text, cut to what a message can bear. */
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
