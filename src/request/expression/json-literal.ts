// This file parses JSON arrays and objects in URLs. Unlike in standard JSON, their values may be expressions, such as
// [$root/Persons(1),$root/Persons(2)].

import { CODE, type Cursor, isHexDigit, type Reader } from '../cursor.ts';
import type { ArrayLiteral, Expression, ObjectLiteral, ObjectMember } from '../tree.ts';

/** array = begin-array [ valueInUrl *( value-separator valueInUrl ) ] end-array ; the cursor is at the bracket */
export function readArray(cursor: Cursor, read: Reader<Expression>): ArrayLiteral {
  const at = cursor.at;
  const items = readItems(cursor, CODE.closeBracket, () => readValue(cursor, read));
  return { kind: 'array', at, end: cursor.at, items };
}

/** object = begin-object [ member *( value-separator member ) ] end-object ; the cursor is at the brace */
export function readObject(cursor: Cursor, read: Reader<Expression>): ObjectLiteral {
  const at = cursor.at;
  const members = readItems(cursor, CODE.closeBrace, () => readMember(cursor, read));
  return { kind: 'object', at, end: cursor.at, members };
}

/** Parses items separated by commas, from the opening bracket to the closing one. */
function readItems<Item>(cursor: Cursor, close: number, read: () => Item): readonly Item[] {
  const items: Item[] = [];
  cursor.spend();
  cursor.at += 1;
  cursor.skipBlanks();
  if (cursor.take(close)) return items;
  do items.push(read());
  while (cursor.takeSpaced(CODE.comma));
  cursor.skipBlanks();
  if (!cursor.take(close)) cursor.fail(`"," or "${String.fromCharCode(close)}"`);
  return items;
}

/** member = stringInUrl name-separator valueInUrl */
function readMember(cursor: Cursor, read: Reader<Expression>): ObjectMember {
  const at = cursor.at;
  if (cursor.code() !== CODE.doubleQuote) cursor.fail('a member name in double quotes');
  const name = readJsonString(cursor);
  if (!cursor.takeSpaced(CODE.colon)) cursor.fail('":"');
  return { at, name, value: readValue(cursor, read) };
}

/** valueInUrl = stringInUrl / commonExpr */
function readValue(cursor: Cursor, read: Reader<Expression>): Expression {
  if (cursor.code() !== CODE.doubleQuote) return read(cursor);
  const at = cursor.at;
  cursor.spend();
  const value = readJsonString(cursor);
  return { kind: 'literal', at, end: cursor.at, value: { kind: 'string', value } };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** stringInUrl = quotation-mark *charInJSON quotation-mark ; the cursor is at the quotation mark */
function readJsonString(cursor: Cursor): string {
  cursor.at += 1;
  let start = cursor.at;
  let decoded = '';
  for (;;) {
    const code = cursor.code();
    if (code === -1) cursor.fail('a closing double quote (")');
    if (code < CODE.blank) cursor.fail('an escape such as \\n');
    if (code === CODE.doubleQuote) break;
    if (code !== CODE.backslash) {
      cursor.at += 1;
      continue;
    }
    decoded += cursor.slice(start) + readEscape(cursor);
    start = cursor.at;
  }
  const value = decoded + cursor.slice(start);
  cursor.at += 1;
  return value;
}

function readEscape(cursor: Cursor): string {
  cursor.at += 1;
  const letter = cursor.slice(cursor.at, Math.min(cursor.at + 1, cursor.end));
  if (letter === 'u') return readCodeUnit(cursor);
  const character =
    ESCAPES.get(letter) ?? cursor.fail('one of " \\ / b f n r t u after the backslash');
  cursor.at += 1;
  return character;
}

/** %s"u" 4HEXDIG */
function readCodeUnit(cursor: Cursor): string {
  cursor.at += 1;
  const start = cursor.at;
  while (cursor.at < start + 4) {
    if (!isHexDigit(cursor.code())) cursor.fail('four hexadecimal digits');
    cursor.at += 1;
  }
  return String.fromCharCode(Number.parseInt(cursor.slice(start), 16));
}
