// This file parses temporal literals: date, dateTimeOffset, timeOfDay, and the text of a duration. It checks the range of each field;
// edm/ checks whether the day exists in its month.

import { CODE, type Cursor, isDigit } from '../cursor.ts';
import type { LiteralValue } from '../tree.ts';

const UPPER_T = 84;
const UPPER_Z = 90;
const UPPER_P = 80;
const LOWER_BIT = 32;

/** Whether a date starts here: [ "-" ] at least four digits, "-", a digit. */
export function isDateNext(cursor: Cursor): boolean {
  let ahead = cursor.code() === CODE.minus ? 1 : 0;
  const first = ahead;
  while (isDigit(cursor.code(ahead))) ahead += 1;
  if (ahead - first < 4 || cursor.code(ahead) !== CODE.minus) return false;
  return isDigit(cursor.code(ahead + 1));
}

/** Whether a time of day starts here: two digits, ":", a digit. */
export function isTimeNext(cursor: Cursor): boolean {
  return (
    isDigit(cursor.code()) &&
    isDigit(cursor.code(1)) &&
    cursor.code(2) === CODE.colon &&
    isDigit(cursor.code(3)) &&
    !endsCondition(cursor, 2)
  );
}

const LONGEST_LOOK = 2000;

/** In a condition of case(), the last colon before the comma or parenthesis ends the condition: case(A gt 10:20). */
function endsCondition(cursor: Cursor, colon: number): boolean {
  if (!cursor.colonEnds) return false;
  let depth = 0;
  for (let ahead = colon + 1; ahead < LONGEST_LOOK && cursor.code(ahead) !== -1; ahead++) {
    const code = cursor.code(ahead);
    if (code === CODE.quote || code === CODE.doubleQuote) ahead = skipString(cursor, ahead, code);
    if (OPENING.has(code)) depth += 1;
    if (CLOSING.has(code)) depth -= 1;
    if (depth < 0 || (depth === 0 && code === CODE.comma)) return true;
    if (depth === 0 && code === CODE.colon) return false;
  }
  return true;
}

const OPENING: ReadonlySet<number> = new Set([CODE.open, CODE.openBracket, CODE.openBrace]);
const CLOSING: ReadonlySet<number> = new Set([CODE.close, CODE.closeBracket, CODE.closeBrace]);

/** Returns the distance of the closing quote. A doubled quote ends one string and starts the next. */
function skipString(cursor: Cursor, ahead: number, quote: number): number {
  let end = ahead + 1;
  while (cursor.code(end) !== quote && cursor.code(end) !== -1) {
    end += quote === CODE.doubleQuote && cursor.code(end) === CODE.backslash ? 2 : 1;
  }
  return end;
}

/**
 * date = year "-" month "-" day, or date "T" timeOfDay ( "Z" / SIGN hour ":" minute ).
 * A space in the place of the sign is a plus that the client did not encode.
 */
export function readDateOrDateTime(cursor: Cursor): LiteralValue {
  const start = cursor.at;
  readDate(cursor);
  if ((cursor.code() & ~LOWER_BIT) !== UPPER_T) {
    return { kind: 'date', text: cursor.slice(start) };
  }
  const date = cursor.slice(start);
  cursor.at += 1;
  const time = cursor.at;
  readTimeOfDay(cursor);
  return { kind: 'dateTimeOffset', text: `${date}T${cursor.slice(time)}${readZone(cursor)}` };
}

/** timeOfDay = hour ":" minute [ ":" second [ "." fractionalSeconds ] ] */
export function readTimeOfDay(cursor: Cursor): void {
  twoDigits(cursor, 0, 23, 'an hour from 00 to 23');
  cursor.expect(CODE.colon);
  twoDigits(cursor, 0, 59, 'a minute from 00 to 59');
  if (cursor.code() !== CODE.colon || !isDigit(cursor.code(1)) || endsCondition(cursor, 0)) return;
  cursor.at += 1;
  twoDigits(cursor, 0, 60, 'a second from 00 to 59');
  if (cursor.code() !== CODE.dot) return;
  cursor.at += 1;
  const start = cursor.at;
  while (isDigit(cursor.code()) && cursor.at - start < 12) cursor.at += 1;
  if (cursor.at === start) cursor.fail('one to twelve digits of a second');
}

/** year = [ "-" ] ( "0" 3DIGIT / oneToNine 3*DIGIT ) */
function readDate(cursor: Cursor): void {
  cursor.take(CODE.minus);
  const start = cursor.at;
  cursor.skipDigits();
  if (cursor.at - start > 4 && cursor.text.charCodeAt(start) === CODE.zero) {
    cursor.fail('"-" after a year of four digits', start + 4);
  }
  cursor.expect(CODE.minus);
  twoDigits(cursor, 1, 12, 'a month from 01 to 12');
  cursor.expect(CODE.minus);
  twoDigits(cursor, 1, 31, 'a day from 01 to 31');
}

function readZone(cursor: Cursor): string {
  const sign = cursor.code();
  if ((sign & ~LOWER_BIT) === UPPER_Z) {
    cursor.at += 1;
    return 'Z';
  }
  if (
    sign !== CODE.plus &&
    sign !== CODE.minus &&
    !(sign === CODE.blank && isOffsetAfterBlank(cursor))
  ) {
    cursor.fail('"Z" or an offset such as +01:00');
  }
  cursor.at += 1;
  const start = cursor.at;
  twoDigits(cursor, 0, 23, 'an hour from 00 to 23');
  cursor.expect(CODE.colon);
  twoDigits(cursor, 0, 59, 'a minute from 00 to 59');
  return `${sign === CODE.minus ? '-' : '+'}${cursor.slice(start)}`;
}

function isOffsetAfterBlank(cursor: Cursor): boolean {
  return isDigit(cursor.code(1)) && isDigit(cursor.code(2)) && cursor.code(3) === CODE.colon;
}

function twoDigits(cursor: Cursor, least: number, greatest: number, expected: string): void {
  const tens = cursor.code() - CODE.zero;
  if (tens < 0 || tens > 9 || tens * 10 > greatest) cursor.fail(expected);
  const value = tens * 10 + cursor.code(1) - CODE.zero;
  if (!isDigit(cursor.code(1)) || value < least || value > greatest) {
    cursor.fail(expected, cursor.at + 1);
  }
  cursor.at += 2;
}

/**
 * durationValue = [ "-" ] "P" [ 1*DIGIT "D" ] [ "T" [ 1*DIGIT "H" ] [ 1*DIGIT "M" ] [ 1*DIGIT [ "." 1*DIGIT ] "S" ] ],
 * with at least one field, and at least one after T, as dayTimeDuration requires. Returns the text in upper case.
 */
export function readDuration(cursor: Cursor): string {
  const start = cursor.at;
  cursor.take(CODE.minus);
  if ((cursor.code() & ~LOWER_BIT) !== UPPER_P) cursor.fail('a duration such as P1DT2H');
  cursor.at += 1;
  const days = readFields(cursor, 'D');
  if ((cursor.code() & ~LOWER_BIT) === UPPER_T) {
    cursor.at += 1;
    if (readFields(cursor, 'HMS') === 0) cursor.fail('hours, minutes or seconds, such as 2H');
  } else if (days === 0) {
    cursor.fail('days, or T and hours, minutes or seconds');
  }
  return cursor.slice(start).toUpperCase();
}

function readFields(cursor: Cursor, designators: string): number {
  let next = 0;
  let count = 0;
  while (isDigit(cursor.code())) {
    const isFraction = readNumber(cursor);
    const letter = cursor.isAtEnd() ? '' : cursor.slice(cursor.at, cursor.at + 1).toUpperCase();
    const found = letter === '' ? -1 : designators.indexOf(letter, next);
    if (found < 0 || (isFraction && letter !== 'S')) {
      const open = isFraction ? ['S'] : [...designators.slice(next)];
      cursor.fail(open.length === 0 ? 'the end of the duration' : `one of ${open.join(', ')}`);
    }
    cursor.at += 1;
    next = found + 1;
    count += 1;
  }
  return count;
}

function readNumber(cursor: Cursor): boolean {
  cursor.skipDigits();
  if (cursor.code() !== CODE.dot) return false;
  cursor.at += 1;
  cursor.digits('a digit');
  return true;
}
