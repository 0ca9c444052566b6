// This file reads JSON bodies without loss: integers as bigint, other numbers with the digits that were written. Depth is checked before
// the reader runs, since readers of JSON recurse.
import { parse } from 'lossless-json';
import { Fault } from '../base/fault.ts';
import { type JsonInput, NumberText } from '../edm/value/lossless-json.ts';

/** Levels of nesting a body may have. */
const DEPTH_LIMIT = 100;

/** The value of a JSON body. Faults request.body (not JSON, not UTF-8, a member twice), write.too-deep. */
export function readJson(body: Uint8Array): JsonInput {
  const text = decode(body);
  checkDepth(text);
  const plain = readCompact(text);
  if (plain !== undefined) return plain;
  try {
    return parse(text, undefined, readNumber) as JsonInput;
  } catch (error) {
    throw new Fault('request.body', {
      reason:
        error instanceof Error
          ? `it is not valid JSON: ${error.message.slice(0, 200)}`
          : 'it is not valid JSON',
    });
  }
}

/**
 * JSON as programs write it, without blanks: the reader of the language is quick, and right whenever writing again what it has read
 * gives the very same text, since then no digit was lost and no member was there twice. Undefined where that cannot be told.
 */
function readCompact(text: string): JsonInput | undefined {
  if (/^[[{]\s/.test(text) || text.includes('": ') || text.includes('__proto__')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? exact(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The same value with its numbers in the form of JsonInput. */
function exact(value: unknown): JsonInput {
  if (typeof value === 'number') return readNumber(String(value));
  if (typeof value !== 'object' || value === null) return value as JsonInput;
  const members = value as Record<string, unknown>;
  for (const name in members) members[name] = exact(members[name]);
  return members as JsonInput;
}

function readNumber(digits: string): bigint | NumberText {
  return /^-?\d+$/.test(digits) ? BigInt(digits) : new NumberText(digits);
}

/** UTF-8, with or without a byte order mark. */
function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Fault('request.body', { reason: 'it is not valid UTF-8' });
  }
}

function checkDepth(text: string): void {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === 92) at++;
      else if (code === 34) isString = false;
    } else if (code === 34) isString = true;
    else if (code === 123 || code === 91) {
      if (++depth > DEPTH_LIMIT) throw new Fault('write.too-deep', { limit: DEPTH_LIMIT });
    } else if (code === 125 || code === 93) depth--;
  }
}
