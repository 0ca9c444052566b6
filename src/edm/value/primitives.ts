// This file defines the properties of each primitive type: comparison, arithmetic, bounds, and conversion from and to JSON and
// literals. read-result.ts documents the canonical forms.
// OData CSDL 4.01, "Primitive Types"; OData JSON 4.01, "Primitive Value"; OData ABNF, "Literal Data Values".
import { unreachable } from '../../base/fault.ts';
import type { Facets, Model, QualifiedName, TypeReference } from '../model.ts';
import { readBinary } from './binary.ts';
import { exactInteger, readDecimal } from './decimal.ts';
import { type GeoKind, readGeoJson, readGeoText, writeGeoText } from './geo.ts';
import { type JsonInput, numberText, printJson } from './lossless-json.ts';
import { expected, found, type ReadResult, type Value } from './read-result.ts';
import { shortestSingle, writeSingle } from './single.ts';
import {
  readDate,
  readDuration,
  readPointInTime,
  readTimeOfDay,
  writeDuration,
} from './temporal.ts';

export type PrimitiveName = keyof typeof PRIMITIVES;

/** The class determines how a value is read and written. `abstract` types have no values of their own. */
export type PrimitiveClass =
  | 'boolean'
  | 'integer'
  | 'floating'
  | 'decimal'
  | 'string'
  | 'guid'
  | 'date'
  | 'point'
  | 'time'
  | 'duration'
  | 'binary'
  | 'geo'
  | 'stream'
  | 'untyped'
  | 'abstract';

export interface PrimitiveRow {
  readonly class: PrimitiveClass;
  /** ordered: all six comparisons; equatable: eq and ne; none: eq and ne with null only. */
  readonly comparison: 'ordered' | 'equatable' | 'none';
  /** The kind of result of add, sub, mul and div. */
  readonly arithmetic: 'integer' | 'decimal' | 'floating' | 'duration' | 'point' | 'date' | 'none';
  /** May be the type of a key property. OData CSDL 4.01, "Key". */
  readonly key: boolean;
  readonly bounds?: { readonly least: bigint; readonly greatest: bigint };
  readonly geo?: GeoKind;
  readonly facets: readonly (keyof Facets)[];
}

const bits = (count: bigint) => ({
  least: -(2n ** (count - 1n)),
  greatest: 2n ** (count - 1n) - 1n,
});
const ordered = { comparison: 'ordered', arithmetic: 'none', key: true, facets: [] } as const;
const integer = { ...ordered, class: 'integer', arithmetic: 'integer' } as const;
const floating = { ...ordered, class: 'floating', arithmetic: 'floating', key: false } as const;
const incomparable = { comparison: 'none', arithmetic: 'none', key: false, facets: [] } as const;
const geography = (shape?: string) => geo(shape, 4326);
const geometry = (shape?: string) => geo(shape, 0);

export const PRIMITIVES = {
  'Edm.Binary': { ...incomparable, class: 'binary', facets: ['maxLength'] },
  'Edm.Boolean': { ...ordered, class: 'boolean' },
  'Edm.Byte': { ...integer, bounds: { least: 0n, greatest: 255n } },
  'Edm.Date': { ...ordered, class: 'date', arithmetic: 'date' },
  'Edm.DateTimeOffset': {
    ...ordered,
    class: 'point',
    arithmetic: 'point',
    facets: ['precision', 'anyPrecision'],
  },
  'Edm.Decimal': {
    ...ordered,
    class: 'decimal',
    arithmetic: 'decimal',
    facets: ['precision', 'scale'],
  },
  'Edm.Double': floating,
  'Edm.Duration': { ...ordered, class: 'duration', arithmetic: 'duration', facets: ['precision'] },
  'Edm.Guid': { ...ordered, class: 'guid' },
  'Edm.Int16': { ...integer, bounds: bits(16n) },
  'Edm.Int32': { ...integer, bounds: bits(32n) },
  'Edm.Int64': { ...integer, bounds: bits(64n) },
  'Edm.SByte': { ...integer, bounds: bits(8n) },
  'Edm.Single': floating,
  'Edm.Stream': { ...incomparable, class: 'stream', facets: ['maxLength'] },
  'Edm.String': { ...ordered, class: 'string', facets: ['maxLength', 'unicode'] },
  'Edm.TimeOfDay': { ...ordered, class: 'time', facets: ['precision', 'anyPrecision'] },
  'Edm.Geography': geography(),
  'Edm.GeographyPoint': geography('Point'),
  'Edm.GeographyLineString': geography('LineString'),
  'Edm.GeographyPolygon': geography('Polygon'),
  'Edm.GeographyMultiPoint': geography('MultiPoint'),
  'Edm.GeographyMultiLineString': geography('MultiLineString'),
  'Edm.GeographyMultiPolygon': geography('MultiPolygon'),
  'Edm.GeographyCollection': geography('GeometryCollection'),
  'Edm.Geometry': geometry(),
  'Edm.GeometryPoint': geometry('Point'),
  'Edm.GeometryLineString': geometry('LineString'),
  'Edm.GeometryPolygon': geometry('Polygon'),
  'Edm.GeometryMultiPoint': geometry('MultiPoint'),
  'Edm.GeometryMultiLineString': geometry('MultiLineString'),
  'Edm.GeometryMultiPolygon': geometry('MultiPolygon'),
  'Edm.GeometryCollection': geometry('GeometryCollection'),
  'Edm.PrimitiveType': { ...incomparable, class: 'abstract' },
  'Edm.Untyped': { ...incomparable, class: 'untyped' },
} as const satisfies Record<`Edm.${string}`, PrimitiveRow>;

export function isPrimitive(type: QualifiedName): type is PrimitiveName {
  return Object.hasOwn(PRIMITIVES, type);
}

export function primitiveRow(type: PrimitiveName): PrimitiveRow {
  return PRIMITIVES[type];
}

export interface ResolvedPrimitive {
  readonly type: PrimitiveName;
  readonly facets: Facets;
}

/** The primitive type of a reference. Resolves type definitions, whose facets are the defaults. Undefined for other types. */
export function resolvePrimitive(
  model: Model,
  reference: Pick<TypeReference, 'type' | 'facets'>,
): ResolvedPrimitive | undefined {
  const { type, facets } = reference;
  if (isPrimitive(type)) return { type, facets };
  const definition = model.types.get(type);
  if (definition?.kind !== 'definition' || !isPrimitive(definition.underlying)) return undefined;
  return { type: definition.underlying, facets: { ...definition.facets, ...facets } };
}

/**
 * The most fraction digits of a point in time, a time of day or a duration. Those of any precision are stored with all digits, so that
 * text order is time order, and shown without zeros at the end.
 */
export function fractionDigits(type: PrimitiveName, facets: Facets): number {
  return (
    facets.precision ?? (facets.anyPrecision ? MOST_FRACTION_DIGITS : (FRACTION_DIGITS[type] ?? 0))
  );
}

/** Whether values are shown without zeros at the end of the fraction. */
export function hasAnyPrecision({ precision, anyPrecision }: Facets): boolean {
  return precision === undefined && anyPrecision === true;
}

/** OData CSDL JSON 4.01, "Precision". */
const MOST_FRACTION_DIGITS = 12;

const FRACTION_DIGITS: Readonly<Record<string, number>> = {
  'Edm.DateTimeOffset': 3,
  'Edm.Duration': 9,
};

/**
 * Reads a value from a body. Accepts null; the caller checks nullability. Int64 and Decimal may be strings, Double and Single the
 * strings INF, -INF and NaN.
 */
export function parseJson(type: PrimitiveName, facets: Facets, input: JsonInput): ReadResult {
  if (input === null) return found(null);
  const row = primitiveRow(type);
  switch (row.class) {
    case 'boolean':
      return typeof input === 'boolean' ? found(input) : expected('true or false');
    case 'integer':
    case 'decimal':
    case 'floating':
      return parseNumber(type, facets, input);
    case 'geo':
      return row.geo === undefined ? expected('GeoJSON') : readGeoJson(input, row.geo, facets);
    case 'untyped':
      return found(printJson(input));
    case 'stream':
      return expected('no value, because a stream is written by its own URL');
    case 'abstract':
      return expected('the type of the value in @odata.type');
    default:
      return typeof input === 'string'
        ? parseText(type, facets, input)
        : expected(`${describeText(row.class)} as a string`);
  }
}

/**
 * Reads a value from text: the content of a quoted literal, a default value or a string in a cast.
 * OData ABNF, rule primitiveValue.
 */
export function parseText(type: PrimitiveName, facets: Facets, text: string): ReadResult {
  const row = primitiveRow(type);
  switch (row.class) {
    case 'boolean':
      return /^(true|false)$/i.test(text)
        ? found(text.toLowerCase() === 'true')
        : expected('true or false');
    case 'integer':
      return /^[+-]?\d+$/.test(text) ? readInteger(row, text) : expected(describeInteger(row));
    case 'decimal':
      return readDecimal(text, facets);
    case 'floating':
      return readFloating(type, text);
    case 'string':
      return readString(text, facets);
    case 'guid':
      return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text)
        ? found(text.toLowerCase())
        : expected(describeText('guid'));
    case 'date':
      return readDate(text);
    case 'point':
      return readPointInTime(text, fractionDigits(type, facets));
    case 'time':
      return readTimeOfDay(text, fractionDigits(type, facets));
    case 'duration':
      return readDuration(text, fractionDigits(type, facets));
    case 'binary':
      return readBinary(text, facets);
    case 'geo':
      return row.geo === undefined ? expected('a shape') : readGeoText(text, row.geo, facets);
    case 'stream':
    case 'untyped':
    case 'abstract':
      return expected(`no value, because values of ${type} have no text representation`);
    default:
      return unreachable(row.class);
  }
}

/**
 * Reads the text of a literal without the facets of a property. All digits are kept, and points in time have at least three fraction
 * digits. fitFraction adapts the result to a property.
 */
export function parseLiteral(type: PrimitiveName, text: string): ReadResult {
  // The precision of a decimal counts all digits, not just the fraction.
  if (primitiveRow(type).class === 'decimal') return readDecimal(text, { scale: 'floating' });
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const least = fractionDigits(type, {});
  return parseText(
    type,
    { precision: Math.max(fraction.length, least), scale: 'floating', srid: 'variable' },
    text,
  );
}

export interface JsonOptions {
  /** Int64 and Decimal as strings. */
  readonly ieee754Compatible?: boolean;
}

/** The exact JSON text of a canonical value. */
export function writeJson(type: PrimitiveName, value: Value, options: JsonOptions = {}): string {
  if (value === null) return 'null';
  const text = writeText(type, value);
  switch (primitiveRow(type).class) {
    case 'boolean':
    case 'geo':
    case 'untyped':
      return text;
    case 'integer':
      return options.ieee754Compatible === true && type === 'Edm.Int64' ? `"${text}"` : text;
    case 'decimal':
      return options.ieee754Compatible === true || /[A-Z]/.test(text) ? `"${text}"` : text;
    case 'floating':
      return Number.isFinite(value) ? text : `"${text}"`;
    default:
      return JSON.stringify(text);
  }
}

/** The text of a canonical value that is not null, as in `/$value`, XML and quoted literals. */
function writeText(type: PrimitiveName, value: Exclude<Value, null>): string {
  if (typeof value === 'bigint' && type === 'Edm.Duration') return writeDuration(value);
  if (typeof value !== 'number') return String(value);
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return type === 'Edm.Single' ? writeSingle(value) : String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'INF' : '-INF';
}

/** Casts a value to a string; geo values become well-known text. OData 4.01 URL Conventions, "cast". */
export function castToString(type: PrimitiveName, value: Exclude<Value, null>): string {
  const { geo: kind } = primitiveRow(type);
  const text = writeText(type, value);
  return kind === undefined ? text : writeGeoText(text, kind);
}

/** The URL literal of a canonical value, before percent-encoding: `'O''Neil'`, `duration'PT1H'`, `12`. */
export function writeLiteral(type: PrimitiveName, value: Value): string {
  if (value === null) return 'null';
  const row = primitiveRow(type);
  const text = writeText(type, value);
  switch (row.class) {
    case 'string':
      return `'${text.replaceAll("'", "''")}'`;
    case 'duration':
      return `duration'${text}'`;
    case 'binary':
      return `binary'${text}'`;
    case 'geo':
      return `${type.startsWith('Edm.Geography') ? 'geography' : 'geometry'}'${writeGeoText(text, row.geo ?? { shape: undefined, srid: 0 })}'`;
    default:
      return text;
  }
}

function geo(shape: string | undefined, srid: number) {
  return { ...incomparable, class: 'geo', geo: { shape, srid }, facets: ['srid'] } as const;
}

function parseNumber(type: PrimitiveName, facets: Facets, input: JsonInput): ReadResult {
  const row = primitiveRow(type);
  const digits = numberText(input);
  const mayBeString =
    type === 'Edm.Int64' ||
    type === 'Edm.Decimal' ||
    (row.class === 'floating' && /^(-?INF|NaN)$/.test(String(input)));
  const text = digits ?? (mayBeString && typeof input === 'string' ? input : undefined);
  if (text === undefined) return expected(`${describeNumber(row)} without quotes`);
  if (row.class === 'integer') return readInteger(row, text);
  return row.class === 'decimal' ? readDecimal(text, facets) : readFloating(type, text);
}

function readInteger(row: PrimitiveRow, text: string): ReadResult {
  const value = exactInteger(text);
  const { least, greatest } = row.bounds ?? bits(64n);
  return value === undefined || value < least || value > greatest
    ? expected(describeInteger(row))
    : found(value);
}

/** Reads the nearest number of the type. Rejects numbers that are too large, which would become infinite. */
function readFloating(type: PrimitiveName, text: string): ReadResult {
  if (text === 'NaN') return found(Number.NaN);
  if (text === 'INF') return found(Number.POSITIVE_INFINITY);
  if (text === '-INF') return found(Number.NEGATIVE_INFINITY);
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return expected('a number, INF, -INF or NaN');
  const value = type === 'Edm.Single' ? shortestSingle(Number(text)) : Number(text);
  return Number.isFinite(value) ? found(value) : expected(`a number within the range of ${type}`);
}

function readString(text: string, facets: Facets): ReadResult {
  if (text.includes('\0')) return expected('text without the character U+0000');
  if (/\p{Surrogate}/u.test(text))
    return expected('valid Unicode text (it contains an unpaired surrogate)');
  const { maxLength } = facets;
  // UTF-16 code units are never fewer than characters, so most values need no counting.
  if (maxLength === undefined || text.length <= maxLength || [...text].length <= maxLength) {
    return found(text);
  }
  return expected(`at most ${maxLength} characters (there are ${[...text].length})`);
}

function describeNumber(row: PrimitiveRow): string {
  return row.class === 'integer' ? describeInteger(row) : 'a number';
}

function describeInteger(row: PrimitiveRow): string {
  const { least, greatest } = row.bounds ?? bits(64n);
  return `an integer from ${least} to ${greatest}`;
}

function describeText(kind: PrimitiveClass): string {
  const texts: Partial<Record<PrimitiveClass, string>> = {
    string: 'text',
    guid: 'a GUID such as 01234567-89ab-cdef-0123-456789abcdef',
    date: 'a date such as 2026-01-31',
    point: 'a point in time such as 2026-01-31T12:00:00Z',
    time: 'a time of day such as 08:30:00',
    duration: 'a duration such as P1DT2H30M',
    binary: 'base64url data',
  };
  return texts[kind] ?? 'a value';
}
