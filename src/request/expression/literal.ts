// This file parses primitive literals. Those that start with a word (null, duration'…', NS.Enum'…') are recognised only after that word,
// because a path may start with it as well; the others are recognised by their first character.

import { CODE, type Cursor, isDigit, isHexDigit, isLetter, mayStartName } from '../cursor.ts';
import type { Literal, LiteralValue } from '../tree.ts';
import { isGeoPrefix, readGeo } from './geo-literal.ts';
import { UNTERMINATED_STRING } from './syntax-hints.ts';
import {
  isDateNext,
  isTimeNext,
  readDateOrDateTime,
  readDuration,
  readTimeOfDay,
} from './temporal-literal.ts';

/**
 * primitiveLiteral. Consumes nothing and returns undefined if no literal starts here.
 * Throws: request.syntax for a malformed literal.
 * Source: OData 4.01 ABNF, "Literal Data Values".
 */
export function takeLiteral(cursor: Cursor): Literal | undefined {
  const start = cursor.at;
  const code = cursor.code();
  if (code === CODE.quote)
    return finish(cursor, start, { kind: 'string', value: readString(cursor) });
  if (isDigit(code) || isSignedNumber(cursor, code)) return readNumeric(cursor, start);
  if (!mayStartName(code)) return undefined;
  const literal = takeWordLiteral(cursor, start, cursor.takeName());
  if (literal === undefined) cursor.at = start;
  return literal;
}

/** Parses the rest of a literal whose first word has been consumed; undefined if it is not a literal. `start` is the offset of the word. */
export function takeWordLiteral(cursor: Cursor, start: number, word: string): Literal | undefined {
  const next = cursor.code();
  if (next === CODE.quote && word !== '') return readPrefixed(cursor, start, word);
  if (next === CODE.minus && word.length === 8 && isGuidAt(cursor, start)) {
    return finish(cursor, start, readGuid(cursor, start));
  }
  if (word.length > 5 || next === CODE.open || next === CODE.slash) return undefined;
  const value = wordValue(word);
  return value === undefined ? undefined : finish(cursor, start, value);
}

/** SQUOTE *( SQUOTE-in-string / pchar-no-SQUOTE ) SQUOTE ; two quotes represent one */
function readString(cursor: Cursor): string {
  const start = cursor.at + 1;
  let at = start;
  let isDoubled = false;
  for (;;) {
    const quote = cursor.text.indexOf("'", at);
    if (quote < 0 || quote >= cursor.end)
      cursor.fail("a closing quote (')", cursor.end, UNTERMINATED_STRING);
    at = quote + 1;
    if (at >= cursor.end || cursor.text.charCodeAt(at) !== CODE.quote) break;
    at += 1;
    isDoubled = true;
  }
  cursor.at = at;
  const text = cursor.slice(start, at - 1);
  return isDoubled ? text.replaceAll("''", "'") : text;
}

function finish(cursor: Cursor, at: number, value: LiteralValue): Literal {
  cursor.spend();
  const literal: Literal = { kind: 'literal', at, end: cursor.at, value };
  addToTemplate(cursor, literal);
  return literal;
}

/** Other literals are few different ones, and make different plans. */
function addToTemplate({ budget }: Cursor, literal: Literal): void {
  const { value, at, end } = literal;
  switch (value.kind) {
    case 'boolean':
    case 'integer':
    case 'string':
      budget.template.add(value.kind, value.value, at, end, literal);
      break;
    case 'decimal':
    case 'double':
    case 'guid':
    case 'date':
    case 'dateTimeOffset':
    case 'timeOfDay':
    case 'duration':
    case 'binary':
      budget.template.add(value.kind, value.text, at, end, literal);
  }
}

function wordValue(word: string): LiteralValue | undefined {
  if (word === 'null') return { kind: 'null' };
  if (word === 'INF' || word === 'NaN') return { kind: 'double', text: word };
  const lower = word.toLowerCase();
  if (lower === 'true') return { kind: 'boolean', value: true };
  if (lower === 'false') return { kind: 'boolean', value: false };
  return undefined;
}

function isSignedNumber(cursor: Cursor, code: number): boolean {
  if (code !== CODE.minus && code !== CODE.plus) return false;
  return isDigit(cursor.code(1)) || (code === CODE.minus && isInfinityNext(cursor));
}

function isInfinityNext(cursor: Cursor): boolean {
  const end = cursor.at + 4;
  return cursor.slice(cursor.at, end) === '-INF' && !cursor.isNameCharacter(end);
}

function readNumeric(cursor: Cursor, start: number): Literal {
  if (isGuidAt(cursor, start)) return finish(cursor, start, readGuid(cursor, start));
  if (isDateNext(cursor)) return finish(cursor, start, readDateOrDateTime(cursor));
  if (isTimeNext(cursor)) {
    readTimeOfDay(cursor);
    return finish(cursor, start, { kind: 'timeOfDay', text: cursor.slice(start) });
  }
  return finish(cursor, start, readNumber(cursor, start));
}

/** [ SIGN ] 1*DIGIT [ "." 1*DIGIT ] [ "e" [ SIGN ] 1*DIGIT ] / "-INF" ; the suffix L of an Int64 is accepted */
function readNumber(cursor: Cursor, start: number): LiteralValue {
  if (cursor.code() === CODE.minus && isInfinityNext(cursor)) {
    cursor.at += 4;
    return { kind: 'double', text: '-INF' };
  }
  if (cursor.code() === CODE.minus || cursor.code() === CODE.plus) cursor.at += 1;
  cursor.skipDigits();
  const isDecimal = cursor.code() === CODE.dot && isDigit(cursor.code(1));
  if (isDecimal) {
    cursor.at += 1;
    cursor.skipDigits();
  }
  if (cursor.takeExponent() || takeBlankExponent(cursor)) {
    return { kind: 'double', text: unsigned(cursor.slice(start)).replace(' ', '+') };
  }
  if (isDecimal) return { kind: 'decimal', text: unsigned(cursor.slice(start)) };
  const text = unsigned(cursor.slice(start));
  takeSuffix(cursor);
  return text.length > MOST_DIGITS
    ? { kind: 'decimal', text }
    : { kind: 'integer', value: BigInt(text) };
}

/** Longer integers remain text: the time to convert them grows with the square of their length. */
const MOST_DIGITS = 100;

function unsigned(text: string): string {
  return text.charCodeAt(0) === CODE.plus ? text.slice(1) : text;
}

/** 1e+5 with an unencoded plus arrives as "1e 5". */
function takeBlankExponent(cursor: Cursor): boolean {
  if ((cursor.code() | 32) !== 101 || cursor.code(1) !== CODE.blank) return false;
  if (!isDigit(cursor.code(2))) return false;
  cursor.at += 2;
  cursor.skipDigits();
  return true;
}

function takeSuffix(cursor: Cursor): void {
  if ((cursor.code() | 32) === 108 && !cursor.isNameCharacter(cursor.at + 1)) cursor.at += 1;
}

/** Whether eight and four hexadecimal digits, each followed by a hyphen, start here. No other literal starts like this. */
function isGuidAt(cursor: Cursor, start: number): boolean {
  if (start + 13 >= cursor.end) return false;
  if (cursor.text.charCodeAt(start + 8) !== CODE.minus) return false;
  if (cursor.text.charCodeAt(start + 13) !== CODE.minus) return false;
  for (let at = start; at < start + 13; at++) {
    if (at !== start + 8 && !isHexDigit(cursor.text.charCodeAt(at))) return false;
  }
  return true;
}

/** guid = 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG */
function readGuid(cursor: Cursor, start: number): LiteralValue {
  cursor.at = start;
  for (let index = 0; index < 36; index++) {
    const isHyphen = index === 8 || index === 13 || index === 18 || index === 23;
    if (isHyphen ? cursor.code() !== CODE.minus : !isHexDigit(cursor.code())) {
      cursor.fail(isHyphen ? '"-" of a guid' : 'a hexadecimal digit of a guid');
    }
    cursor.at += 1;
  }
  return { kind: 'guid', text: cursor.slice(start) };
}

function readPrefixed(cursor: Cursor, start: number, word: string): Literal {
  const prefix = word.toLowerCase();
  const read = prefixedReader(prefix, word);
  if (read === undefined) {
    cursor.fail(
      "duration'…', binary'…', geography'…', geometry'…' or an enumeration with the namespace of its type",
      start,
    );
  }
  cursor.at += 1;
  const value = read(cursor);
  if (!cursor.take(CODE.quote)) cursor.fail("a closing quote (')");
  return finish(cursor, start, value);
}

function prefixedReader(
  prefix: string,
  word: string,
): ((cursor: Cursor) => LiteralValue) | undefined {
  if (prefix === 'duration') return (cursor) => ({ kind: 'duration', text: readDuration(cursor) });
  if (prefix === 'binary') return (cursor) => ({ kind: 'binary', text: readBinary(cursor) });
  if (isGeoPrefix(prefix)) return (cursor) => readGeo(cursor, prefix);
  if (!word.includes('.')) return undefined;
  return (cursor) => ({ kind: 'enum', type: word, members: readMembers(cursor) });
}

/** singleEnumLiteral *( COMMA singleEnumLiteral ) */
function readMembers(cursor: Cursor): readonly string[] {
  const members = [readMember(cursor)];
  while (cursor.take(CODE.comma)) members.push(readMember(cursor));
  return members;
}

function readMember(cursor: Cursor): string {
  const name = cursor.takeIdentifier();
  if (name !== '') return name;
  const start = cursor.at;
  if (!cursor.take(CODE.minus)) cursor.take(CODE.plus);
  cursor.digits('the name or number of an enumeration member');
  return unsigned(cursor.slice(start));
}

const ENDS_OF_TWO_BYTES = 'AEIMQUYcgkosw048';
const ENDS_OF_ONE_BYTE = 'AQgw';

/** binaryValue = *(4base64char) [ base64b16 / base64b8 ] ; base64url, padding optional */
function readBinary(cursor: Cursor): string {
  const start = cursor.at;
  while (isBase64Character(cursor.code())) cursor.at += 1;
  const rest = (cursor.at - start) % 4;
  const last = rest === 0 ? '' : cursor.slice(cursor.at - 1);
  const ends = rest === 3 ? ENDS_OF_TWO_BYTES : ENDS_OF_ONE_BYTE;
  if (rest === 1) cursor.fail('base64url text in groups of four characters');
  if (!ends.includes(last)) cursor.fail(`one of ${ends} before the end`, cursor.at - 1);
  if (rest !== 0 && cursor.take(CODE.equals) && rest === 2) cursor.expect(CODE.equals);
  return cursor.slice(start);
}

function isBase64Character(code: number): boolean {
  return isDigit(code) || code === CODE.minus || code === 95 || isLetter(code);
}
