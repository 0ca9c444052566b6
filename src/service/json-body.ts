// This file parses JSON bodies without loss of precision: integers as bigint, other numbers with their original digits. Nesting is
// checked first, since JSON parsers are recursive.
import { parse } from 'lossless-json';
import { Fault } from '../base/fault.ts';
import { type JsonInput, NumberText } from '../edm/value/lossless-json.ts';
import { readText } from './text-body.ts';

/** Maximum nesting of a body. */
const DEPTH_LIMIT = 100;
/** Digits of an integer that becomes a bigint. */
const MOST_DIGITS = 100;

/** Parses a JSON body. Throws: request.body (not JSON, not UTF-8, duplicate member), write.too-deep. */
export function readJson(body: Uint8Array): JsonInput {
  const text = readText(body);
  checkDepth(text);
  const compact = readCompact(text);
  if (compact !== undefined) return compact;
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
 * Parses JSON without whitespace with the fast built-in parser. If stringifying the result yields the same text, no digit was lost and
 * no member was duplicated. Otherwise returns undefined.
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

/** Converts the numbers of a value to those of JsonInput, in place. */
function exact(value: unknown): JsonInput {
  if (typeof value === 'number') return readNumber(String(value));
  if (typeof value === 'object' && value !== null) convertNumbers(value as Record<string, unknown>);
  return value as JsonInput;
}

/** Storing members that stay the same would take longer than all else. */
function convertNumbers(members: Record<string, unknown>): void {
  for (const name in members) {
    const value = members[name];
    if (typeof value === 'number') members[name] = readNumber(String(value));
    else if (typeof value === 'object' && value !== null)
      convertNumbers(value as Record<string, unknown>);
  }
}

/** Very long integers remain text: the time to convert them grows with the square of their length. */
function readNumber(digits: string): bigint | NumberText {
  const isShort = digits.length <= MOST_DIGITS;
  return isShort && /^-?\d+$/.test(digits) ? BigInt(digits) : new NumberText(digits);
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
