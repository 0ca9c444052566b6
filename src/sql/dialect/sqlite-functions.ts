// This file defines the SQL functions that SQLite lacks. They are pure and deterministic, take 64-bit integers as bigint, and return
// null if an argument is null. store/sqlite/connection.ts registers them.
import { Fault, invariant } from '../../base/fault.ts';
import type { Facets, Json } from '../../edm/model.ts';
import { decimalOrder } from '../../edm/value/decimal.ts';
import {
  castToString,
  fractionDigits,
  type PrimitiveName,
  parseJson,
  parseText,
  primitiveRow,
  writeJson,
} from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { matchesPattern } from '../../edm/value/regular-expression.ts';
import { dateOfDay, fitFraction, writeDuration } from '../../edm/value/temporal.ts';
import { base64url, bytesOf, scaleDecimal } from '../schema/value-storage.ts';
import {
  calculateDecimal,
  type DecimalOperator,
  foldDecimals,
  type Rounding,
  roundDecimal,
  roundToScale,
  unscale,
} from './decimal-math.ts';
import { type GeoFamily, geoDistance, geoIntersects, geoLength } from './geo-math.ts';
import { endsWithList, indexOfList, startsWithList, sublist } from './list-functions.ts';
import { type DocumentRules, rewriteDocument } from './rewrite-document.ts';
import { MOST_CHARACTERS } from './standard-functions.ts';

/** An argument or result of an SQL function. */
export type SqlValue = null | bigint | number | string | Uint8Array;

type NonNull = Exclude<SqlValue, null>;
type Argument = NonNull | undefined;

/** A function that is called only without null arguments. */
type StrictFunction = (...values: readonly NonNull[]) => SqlValue;

const STRICT_FUNCTIONS: Readonly<Record<string, StrictFunction>> = {
  docket_lower: (text) => String(text).toLowerCase(),
  docket_upper: (text) => String(text).toUpperCase(),
  docket_trim: (text) => String(text).trim(),
  docket_substring: (text, start, length) => substring(String(text), start, length),
  docket_matches: (text, pattern) => sqlBoolean(matchesPattern(String(text), String(pattern))),
  docket_integer: (sum) => checkedInteger(sum),
  docket_divide: (left, right) => divideIntegers('div', left, right),
  docket_modulo: (left, right) => divideIntegers('mod', left, right),
  docket_add_floating: (left, right) => sqlDouble(Number(left) + Number(right)),
  docket_subtract_floating: (left, right) => sqlDouble(Number(left) - Number(right)),
  docket_multiply_floating: (left, right) => sqlDouble(Number(left) * Number(right)),
  docket_divide_floating: (left, right) => sqlDouble(Number(left) / Number(right)),
  docket_modulo_floating: (left, right) => sqlDouble(Number(left) % Number(right)),
  docket_floor_floating: (content) => sqlDouble(Math.floor(Number(content))),
  docket_ceiling_floating: (content) => sqlDouble(Math.ceil(Number(content))),
  docket_round_floating: (content) => sqlDouble(roundHalfAwayFromZero(Number(content))),
  docket_decimal: (operator, left, right) =>
    calculateDecimal(operatorOf(operator), String(left), String(right)),
  docket_decimal_round: (mode, decimal) => roundDecimal(roundingOf(mode), String(decimal)),
  docket_decimal_order: (decimal) => decimalOrder(String(decimal)),
  docket_decimal_fold: (method, json) => foldDecimals(String(method), valuesOf(json)),
  docket_scale: (decimal, scale) => toScaled(String(decimal), Number(scale)),
  docket_unscale: (digits, scale) => unscale(bigintOf(digits), Number(scale)),
  docket_move: (start, nanoseconds, digits) =>
    shiftTime(String(start), checkedInteger(nanoseconds), Number(digits)),
  docket_between: (end, start) => instantOf(String(end)) - instantOf(String(start)),
  docket_stretch: (operator, duration, by) => scaleDuration(operatorOf(operator), duration, by),
  docket_convert: (content, from, to) => convert(content, String(from), String(to)),
  docket_number: (double) => writeJson('Edm.Double', doubleOf(double)),
  docket_single: (double) => writeJson('Edm.Single', doubleOf(double)),
  docket_duration: (nanoseconds) => writeDuration(bigintOf(nanoseconds)),
  docket_base64url: (bytes) => (bytes instanceof Uint8Array ? base64url(bytes) : String(bytes)),
  docket_url_text: (text) => encodeURIComponent(`'${String(text).replaceAll("'", "''")}'`),
  docket_has_subset: (all, part) => sqlBoolean(hasSubset(textsOf(all), textsOf(part))),
  docket_has_subsequence: (all, part) => sqlBoolean(hasSubsequence(textsOf(all), textsOf(part))),
  docket_list_index: (all, part) => BigInt(indexOfList(String(all), String(part))),
  docket_list_starts: (all, part) => sqlBoolean(startsWithList(String(all), String(part))),
  docket_list_ends: (all, part) => sqlBoolean(endsWithList(String(all), String(part))),
  docket_list_part: (all, start, length) =>
    sublist(String(all), Number(start), length === undefined ? undefined : Number(length)),
  docket_concat: (left, right) => joinTexts(String(left), String(right)),
  docket_json_concat: (left, right) => joinArrays(String(left), String(right)),
  docket_rewrite: (json, rules) => rewriteDocument(String(json), rulesOf(String(rules))),
  docket_geo_distance: (family, left, right) =>
    geoDistance(familyOf(family), jsonOf(left), jsonOf(right)),
  docket_geo_intersects: (point, polygon) =>
    sqlBoolean(geoIntersects(jsonOf(point), jsonOf(polygon))),
  docket_geo_length: (family, line) => geoLength(familyOf(family), jsonOf(line)),
};

/** The functions by SQL name. */
export const SQLITE_FUNCTIONS: Readonly<
  Record<string, (...values: readonly SqlValue[]) => SqlValue>
> = Object.fromEntries(
  Object.entries(STRICT_FUNCTIONS).map(([name, strict]) => [
    name,
    (...values: readonly SqlValue[]) => {
      const present = values.filter((one) => one !== null);
      return present.length === values.length ? checkRange(strict(...present)) : null;
    },
  ]),
);

/** SQLite has 64-bit integers. Throws: sql.overflow for a larger result. */
function checkRange(result: SqlValue): SqlValue {
  if (typeof result === 'bigint' && result !== BigInt.asIntN(64, result)) {
    throw new Fault('sql.overflow');
  }
  return result;
}

function sqlBoolean(condition: boolean): bigint {
  return condition ? 1n : 0n;
}

function bigintOf(content: Argument): bigint {
  invariant(typeof content === 'bigint', 'expected an integer from the database');
  return content;
}

/** A double as SQLite can store it: NaN becomes text. */
function sqlDouble(content: number): number | string {
  return Number.isNaN(content) ? 'NaN' : content;
}

function doubleOf(content: Argument): number {
  return content === 'NaN' ? Number.NaN : Number(content);
}

function roundHalfAwayFromZero(content: number): number {
  const whole = Math.trunc(content);
  return Math.abs(content - whole) >= 0.5 ? whole + Math.sign(content) : whole;
}

/** Counts in code points; a negative start counts from the end. Throws: sql.negative-length. */
function substring(text: string, start: Argument, length: Argument): string {
  const characters = [...text];
  const from = Number(start);
  const first = from < 0 ? Math.max(characters.length + from, 0) : from;
  if (length === undefined) return characters.slice(first).join('');
  if (Number(length) < 0) throw new Fault('sql.negative-length');
  return characters.slice(first, first + Number(length)).join('');
}

/** Throws: sql.long-text. */
function joinTexts(left: string, right: string): string {
  if (left.length + right.length > MOST_CHARACTERS) throw new Fault('sql.long-text');
  return left + right;
}

/** SQLite switches to doubles when a result exceeds 64 bits. Throws: sql.overflow instead. */
function checkedInteger(sum: Argument): bigint {
  if (typeof sum !== 'bigint') throw new Fault('sql.overflow');
  return sum;
}

function divideIntegers(operator: 'div' | 'mod', left: Argument, right: Argument): bigint {
  const [a, b] = [bigintOf(left), bigintOf(right)];
  if (b === 0n) throw new Fault('sql.division-by-zero');
  return operator === 'div' ? a / b : a % b;
}

function operatorOf(content: Argument): DecimalOperator {
  return oneOf(['add', 'sub', 'mul', 'div', 'divby', 'mod'], content);
}

function roundingOf(content: Argument): Rounding {
  return oneOf(['round', 'floor', 'ceiling'], content);
}

function oneOf<Text extends string>(texts: readonly Text[], content: Argument): Text {
  const found = texts.find((text) => text === content);
  invariant(found !== undefined, 'unknown operator or mode');
  return found;
}

const DAY = 86_400_000_000_000n;
const SECOND = 1_000_000_000n;

/** Milliseconds from the start of the year 0001 to 1970. */
const TO_1970 = -Date.parse('0001-01-01');

/** Nanoseconds from the start of the year 0001 to a canonical date or timestamp. */
function instantOf(canonical: string): bigint {
  const isFine = canonical.length > 24;
  const start = isFine ? `${canonical.slice(0, 23)}Z` : canonical;
  const milliseconds = BigInt(Date.parse(start) + TO_1970) * 1_000_000n;
  const digits = isFine ? canonical.slice(23, 29).replace('Z', '') : '';
  return digits === '' ? milliseconds : milliseconds + BigInt(digits.padEnd(6, '0'));
}

/** Adds nanoseconds. The result is a date if `digits` is negative. Throws: sql.overflow. */
function shiftTime(start: string, nanoseconds: bigint, digits: number): string {
  const instant = instantOf(start) + nanoseconds;
  const day = instant >= 0n ? dateOfDay(Number(instant / DAY)) : undefined;
  if (day === undefined) throw new Fault('sql.overflow');
  if (digits < 0) return day;
  const rest = instant % DAY;
  const seconds = rest / SECOND;
  const pad = (part: bigint) => String(part).padStart(2, '0');
  const clock = `${pad(seconds / 3600n)}:${pad((seconds / 60n) % 60n)}:${pad(seconds % 60n)}`;
  const fraction = String(rest % SECOND)
    .padStart(9, '0')
    .padEnd(digits, '0')
    .slice(0, digits);
  return `${day}T${clock}${fraction === '' ? '' : `.${fraction}`}Z`;
}

function scaleDuration(operator: DecimalOperator, duration: Argument, by: Argument): bigint {
  const factor = typeof by === 'number' ? String(by) : (by ?? '0');
  const decimal = typeof factor === 'string' ? factor.replace(/e\+?/, 'e') : String(factor);
  const exact = calculateDecimal(operator, String(duration), decimal);
  if (/[A-Z]/.test(exact)) throw new Fault('sql.overflow');
  return BigInt(roundDecimal('round', exact));
}

interface ConvertedType {
  readonly type: PrimitiveName;
  readonly precision?: number;
  readonly anyPrecision?: true;
  readonly scale?: NonNullable<Facets['scale']>;
  readonly maxLength?: number;
}

/**
 * Converts a primitive value to another type; null if that fails. Numbers are rounded, and timestamps truncated to the precision. Text is
 * parsed like a literal, geo values like in a request body. OData 4.01 URL Conventions, "cast".
 */
function convert(content: Argument, from: string, to: string): SqlValue {
  const source = JSON.parse(from) as ConvertedType;
  const target = JSON.parse(to) as ConvertedType;
  const { type, ...facets } = target;
  const isGeo = primitiveRow(type).class === 'geo' && source.type !== 'Edm.String';
  const reading = isGeo
    ? parseJson(type, facets, jsonOf(content))
    : parseText(type, facets, textOf(edmValue(content, source), source, target));
  return reading.kind === 'value' ? sqlValue(reading.value, type) : null;
}

function edmValue(content: Argument, { type }: ConvertedType): Exclude<Value, null> {
  const kind = primitiveRow(type).class;
  if (kind === 'boolean') return content === 1n;
  if (kind === 'floating') return doubleOf(content);
  if (content instanceof Uint8Array) return base64url(content);
  return content ?? '';
}

function textOf(
  content: Exclude<Value, null>,
  source: ConvertedType,
  target: ConvertedType,
): string {
  const [from, to] = [primitiveRow(source.type).class, primitiveRow(target.type).class];
  const isSingleText = source.type === 'Edm.Single' && to !== 'string';
  const text = castToString(isSingleText ? 'Edm.Double' : source.type, content);
  const isNumber = from === 'floating' || from === 'decimal' || from === 'integer';
  if (isNumber && to === 'integer') return roundDecimal('round', text);
  if (isNumber && to === 'decimal') {
    return typeof target.scale === 'number' ? roundToScale('round', text, target.scale) : text;
  }
  if (from === to && (to === 'point' || to === 'time')) {
    return fitFraction(text, fractionDigits(target.type, target)).value;
  }
  return text;
}

function sqlValue(content: Value, type: PrimitiveName): SqlValue {
  if (typeof content === 'boolean') return sqlBoolean(content);
  if (typeof content === 'number') return sqlDouble(content);
  return type === 'Edm.Binary' && typeof content === 'string' ? bytesOf(content) : content;
}

function jsonOf(content: Argument): Json {
  return JSON.parse(String(content)) as Json;
}

/** The items of a JSON array as texts that are equal for equal items. */
function textsOf(content: Argument): readonly string[] {
  const items = jsonOf(content);
  if (!Array.isArray(items)) return [];
  return items.map((item: Json) => (typeof item === 'string' ? item : JSON.stringify(item)));
}

/** The items of a JSON array as text, without nulls. */
function valuesOf(content: Argument): readonly string[] {
  const items = jsonOf(content);
  return Array.isArray(items) ? items.filter((item) => item !== null).map(String) : [];
}

function toScaled(decimal: string, scale: number): bigint {
  return scaleDecimal(roundToScale('round', decimal, scale), scale).value;
}

function hasSubset(all: readonly string[], part: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const item of all) left.set(item, (left.get(item) ?? 0) + 1);
  return part.every((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count > 0;
  });
}

function hasSubsequence(all: readonly string[], part: readonly string[]): boolean {
  let found = 0;
  for (const item of all) if (item === part[found]) found++;
  return found >= part.length;
}

/** Joins arrays as text, so that numbers keep all digits. */
function joinArrays(left: string, right: string): string {
  const inside = [left, right].map((text) => text.trim().slice(1, -1).trim());
  return `[${inside.filter((text) => text !== '').join(',')}]`;
}

/** Rules are constants of statements, so each is parsed once. */
const parsedRules = new Map<string, DocumentRules>();
const MAX_CACHED_RULES = 200;

function rulesOf(json: string): DocumentRules {
  const cached = parsedRules.get(json);
  if (cached !== undefined) return cached;
  const rules = JSON.parse(json) as DocumentRules;
  if (parsedRules.size >= MAX_CACHED_RULES) parsedRules.clear();
  parsedRules.set(json, rules);
  return rules;
}

function familyOf(content: Argument): GeoFamily {
  return content === 'geometry' ? 'geometry' : 'geography';
}
