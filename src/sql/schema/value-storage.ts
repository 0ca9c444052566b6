// The representation of values in the database: how each type is stored and calculated with, in every dialect. Also converts
// canonical values to that representation.
import { invariant, unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import type { Facets } from '../../edm/model.ts';
import { fractionDigits, type PrimitiveName, primitiveRow } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';

/**
 * boolean: 0 and 1. integer: also identities, enumerations and coded values. floating: double; NaN is the text `NaN`.
 * scaled: a decimal times 10 to the power of `scale`, as an integer. decimal: canonical text. text: strings, GUIDs and dates.
 * temporal: a point in time or time of day in canonical text with `digits` fraction digits; `zone`: it ends in Z.
 * duration: nanoseconds. binary: bytes. geo: GeoJSON text. json: JSON text of a collection, complex or untyped value.
 */
export type Storage =
  | { readonly kind: 'boolean' | 'integer' | 'floating' | 'decimal' | 'text' | 'duration' }
  | { readonly kind: 'binary' | 'json' }
  | { readonly kind: 'geo'; readonly family: 'geography' | 'geometry' }
  | { readonly kind: 'scaled'; readonly scale: number }
  | { readonly kind: 'temporal'; readonly digits: number; readonly zone: boolean };

/** Type names of SQL by storage, for casts. Columns of text also have a collation. */
export const SQL_TYPES = {
  boolean: 'boolean',
  integer: 'bigint',
  floating: 'double precision',
  decimal: 'text',
  text: 'text',
  duration: 'bigint',
  binary: 'bytea',
  geo: 'text',
  json: 'text',
  scaled: 'bigint',
  temporal: 'text',
} as const satisfies Readonly<Record<Storage['kind'], string>>;

export const INTEGER: Storage = { kind: 'integer' };
export const BOOLEAN: Storage = { kind: 'boolean' };
export const TEXT: Storage = { kind: 'text' };
export const FLOATING: Storage = { kind: 'floating' };
export const DECIMAL: Storage = { kind: 'decimal' };
export const JSON_TEXT: Storage = { kind: 'json' };

/** The most digits that always fit a 64-bit integer. */
const MAX_SCALED_DIGITS = 18;

export function storageOf(type: ValueType): Storage {
  if (type.kind === 'null') return TEXT;
  if (type.collection) return JSON_TEXT;
  switch (type.kind) {
    case 'primitive':
      return primitiveStorage(type.name, type.facets);
    case 'enum':
    case 'entity':
      return INTEGER;
    case 'complex':
      return type.type.coded === undefined ? JSON_TEXT : INTEGER;
    case 'untyped':
      return JSON_TEXT;
    default:
      return unreachable(type);
  }
}

function primitiveStorage(name: PrimitiveName, facets: Facets): Storage {
  const kind = primitiveRow(name).class;
  switch (kind) {
    case 'boolean':
    case 'integer':
    case 'floating':
    case 'duration':
    case 'binary':
      return { kind };
    case 'geo':
      return { kind, family: name.startsWith('Edm.Geometry') ? 'geometry' : 'geography' };
    case 'decimal':
      return decimalStorage(facets);
    case 'point':
    case 'time':
      return { kind: 'temporal', digits: fractionDigits(name, facets), zone: kind === 'point' };
    case 'string':
    case 'guid':
    case 'date':
      return TEXT;
    case 'stream':
      return INTEGER;
    case 'untyped':
    case 'abstract':
      return JSON_TEXT;
    default:
      return unreachable(kind);
  }
}

export function sameStorage(left: Storage, right: Storage): boolean {
  if (left.kind !== right.kind) return false;
  if (left.kind === 'scaled' && right.kind === 'scaled') return left.scale === right.scale;
  if (left.kind === 'temporal' && right.kind === 'temporal')
    return left.digits === right.digits && left.zone === right.zone;
  return true;
}

/** A canonical decimal times 10 to the power of `scale`. `exact` is false if excess places were rounded down. */
export function scaleDecimal(
  canonical: string,
  scale: number,
): { readonly value: bigint; readonly exact: boolean } {
  const [whole = '0', fraction = ''] = canonical.replace('-', '').split('.');
  const size = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  const exact = fraction.length <= scale;
  if (!canonical.startsWith('-')) return { value: size, exact };
  return { value: exact ? -size : -size - 1n, exact };
}

/** The stored form of a canonical primitive or enumeration value. Throws: InvariantError if a decimal has more places than the storage. */
export function storedValue(storage: Storage, content: Value): Value | Uint8Array {
  if (content === null) return null;
  switch (storage.kind) {
    case 'scaled': {
      const { value, exact } = scaleDecimal(String(content), storage.scale);
      invariant(exact, 'a decimal has more places than its property');
      return value;
    }
    case 'binary':
      return typeof content === 'string' ? bytesOf(content) : content;
    default:
      return content;
  }
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The bytes of canonical base64url text. */
export function bytesOf(base64url: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((base64url.length * 3) / 4));
  let bits = 0;
  let buffer = 0;
  let at = 0;
  for (const character of base64url) {
    buffer = ((buffer << 6) | BASE64URL.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (buffer >> bits) & 0xff;
  }
  return bytes;
}

/** Base64url text without padding. */
export function base64url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += BASE64URL[(buffer >> bits) & 63];
    }
  }
  return bits === 0 ? text : text + BASE64URL[(buffer << (6 - bits)) & 63];
}

function decimalStorage(facets: Facets): Storage {
  const { precision, scale } = facets;
  const fits = precision !== undefined && precision <= MAX_SCALED_DIGITS;
  return fits && typeof scale === 'number' ? { kind: 'scaled', scale } : DECIMAL;
}
