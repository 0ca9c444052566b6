// This file converts compiled values between storages: numbers to a common form, timestamps to the same number of fraction digits,
// and values in JSON to the form of columns.
import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import type { PrimitiveName } from '../../edm/value/primitives.ts';
import { hasAnyPrecision, primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, integer, join, sql, text, word } from '../fragment.ts';
import type { EnumValues } from '../schema/column-type.ts';
import {
  DECIMAL,
  FLOATING,
  JSON_TEXT,
  SQL_TYPES,
  type Storage,
  sameStorage,
  storageOf,
} from '../schema/value-storage.ts';

export const NULL_VALUE: Compiled = { sql: sql`NULL`, storage: { kind: 'text' }, nullable: true };

/** Null with the type of a storage, for a branch of a UNION: PostgreSQL takes a column that is null in the first two branches for text. */
export function nullIn({ kind }: Storage): Fragment {
  return sql`CAST(NULL AS ${word(SQL_TYPES[kind])})`;
}

/** Whether the value is null as written. A database with typed operators cannot calculate with such a null. */
export function isNullAsWritten(content: Compiled): boolean {
  return content.sql === NULL_VALUE.sql;
}

/** Converts a value to a storage. Returns it unchanged if there is no conversion; numbers keep their exact value where possible. */
export function toStorage(dialect: Dialect, content: Compiled, storage: Storage): Compiled {
  if (sameStorage(content.storage, storage)) return content;
  const converted = changeStorage(dialect, content, storage);
  return converted === undefined ? content : { ...content, sql: converted, storage };
}

function changeStorage(dialect: Dialect, content: Compiled, to: Storage): Fragment | undefined {
  const from = content.storage;
  switch (to.kind) {
    case 'floating':
      return toFloating(dialect, content);
    case 'decimal':
      if (from.kind === 'scaled') return dialect.values.unscale(content.sql, from.scale);
      if (from.kind === 'integer') return sql`CAST(${content.sql} AS text)`;
      return from.kind === 'floating' ? convertFloating(dialect, content) : undefined;
    case 'scaled':
      return toScale(dialect, content, to.scale);
    case 'temporal':
      return from.kind === 'temporal' ? withDigits(content.sql, from, to.digits) : undefined;
    case 'integer':
    case 'boolean':
    case 'text':
    case 'duration':
    case 'binary':
    case 'geo':
    case 'json':
      return undefined;
    default:
      return unreachable(to);
  }
}

function toFloating(dialect: Dialect, content: Compiled): Fragment | undefined {
  if (content.storage.kind === 'scaled') {
    return sql`(${dialect.values.double(content.sql)} / ${word(`1${'0'.repeat(content.storage.scale)}.0`)})`;
  }
  const isNumber = content.storage.kind === 'integer' || content.storage.kind === 'decimal';
  return isNumber ? dialect.values.double(content.sql) : undefined;
}

function convertFloating(dialect: Dialect, content: Compiled): Fragment {
  return dialect.values.convert(
    content.sql,
    typeText('Edm.Double', {}),
    typeText('Edm.Decimal', { scale: 'floating' }),
  );
}

/** A number at a higher scale; undefined if the conversion is not a multiplication. */
function toScale(dialect: Dialect, content: Compiled, scale: number): Fragment | undefined {
  const { storage } = content;
  if (storage.kind === 'integer') return dialect.values.checked(scaleUp(content.sql, scale));
  if (storage.kind === 'scaled' && storage.scale <= scale) {
    return dialect.values.checked(scaleUp(content.sql, scale - storage.scale));
  }
  return undefined;
}

function scaleUp(scaled: Fragment, digits: number): Fragment {
  return sql`(${scaled} * ${integer(10n ** BigInt(digits))})`;
}

function withDigits(
  content: Fragment,
  from: Storage & { readonly kind: 'temporal' },
  digits: number,
): Fragment {
  const length = (from.zone ? 19 : 8) + (from.digits === 0 ? 0 : from.digits + 1);
  const newLength = (from.zone ? 19 : 8) + (digits === 0 ? 0 : digits + 1);
  const zone = from.zone ? 'Z' : '';
  const start = sql`substr(${content}, 1, ${integer(Math.min(length, newLength))})`;
  if (newLength <= length) return zone === '' ? start : sql`(${start} || ${text(zone)})`;
  const point = from.digits === 0 ? '.' : '';
  return sql`(${start} || ${text(point + '0'.repeat(digits - from.digits) + zone)})`;
}

/** Two values in a form that the database compares as OData requires. */
export function toComparable(
  dialect: Dialect,
  left: Compiled,
  right: Compiled,
): readonly [Compiled, Compiled] {
  const storage = commonStorage(left.storage, right.storage);
  const both = [left, right].map((one) => toStorage(dialect, one, storage));
  const [first = left, second = right] = both;
  return storage.kind === 'decimal'
    ? [toDecimalOrder(dialect, first), toDecimalOrder(dialect, second)]
    : [first, second];
}

/** The value in a form that the database sorts by value. */
export function toSortable(dialect: Dialect, content: Compiled): Compiled {
  return content.storage.kind === 'decimal' ? toDecimalOrder(dialect, content) : content;
}

function toDecimalOrder(dialect: Dialect, content: Compiled): Compiled {
  return { ...content, sql: dialect.values.decimalOrder(content.sql), storage: { kind: 'text' } };
}

const NUMBERS: readonly Storage['kind'][] = ['integer', 'scaled', 'decimal', 'floating'];

function commonStorage(left: Storage, right: Storage): Storage {
  if (sameStorage(left, right)) return left;
  if (left.kind === 'temporal' && right.kind === 'temporal') {
    return left.digits > right.digits ? left : right;
  }
  if (!NUMBERS.includes(left.kind) || !NUMBERS.includes(right.kind)) return left;
  return left.kind === 'floating' || right.kind === 'floating' ? FLOATING : DECIMAL;
}

/** A primitive type with its facets as JSON, for `dialect.values.convert`. */
export function typeText(name: PrimitiveName, facets: object): string {
  return JSON.stringify({ type: name, ...facets });
}

/** A part of a JSON document: `value` is the SQL value, `json` the JSON text. */
export interface JsonPiece {
  readonly value: Fragment;
  readonly json: Fragment;
}

/** A value in a JSON column. The service has validated it on write, so it has the declared type. */
export function fromJson(dialect: Dialect, piece: JsonPiece, type: ValueType): Compiled {
  const storage = storageOf(type);
  const plain: Compiled = { sql: piece.value, storage, nullable: true };
  if (storage.kind === 'json') return { ...plain, sql: jsonOrNull(piece) };
  if (type.kind === 'enum') return { ...plain, sql: enumNumber(dialect, piece.value, type.type) };
  switch (storage.kind) {
    case 'floating':
      return { ...plain, sql: dialect.json.toFloating(piece.value) };
    case 'decimal':
    case 'scaled':
      return { ...plain, sql: sql`trim(${jsonOrNull(piece)}, '"')`, storage: DECIMAL };
    case 'geo':
      return { ...plain, sql: jsonOrNull(piece) };
    case 'duration':
    case 'binary':
      return { ...plain, sql: fromText(dialect, piece.value, type) };
    case 'temporal': {
      // Documents have times of any precision as clients see them, columns have all digits.
      const isAny = type.kind === 'primitive' && hasAnyPrecision(type.facets);
      const stored = isAny ? fromText(dialect, piece.value, type) : piece.value;
      return { ...plain, sql: dialect.json.typed(stored, storage) };
    }
    default:
      return { ...plain, sql: dialect.json.typed(piece.value, storage) };
  }
}

/** A value in JSON of unknown type: null if it is not of the requested type. */
export function fromUntyped(dialect: Dialect, piece: JsonPiece, type: ValueType): Compiled {
  const storage = storageOf(type);
  if (storage.kind === 'json') {
    return { sql: jsonOrNull(piece), storage: JSON_TEXT, nullable: true };
  }
  if (type.kind === 'enum') {
    const number = enumNumber(dialect, piece.value, type.type);
    const isMember = sql`${dialect.json.kind(piece.json)} = 'text' AND ${enumNames(number, type.type)} = ${piece.value}`;
    return { sql: sql`(CASE WHEN ${isMember} THEN ${number} END)`, storage, nullable: true };
  }
  if (type.kind !== 'primitive') return { ...NULL_VALUE, storage };
  const converted = sql`CASE WHEN ${dialect.json.kind(piece.json)} IN (${kindsOf(type.name)}) THEN ${untypedValue(dialect, piece, type)} END`;
  const stored = storage.kind === 'scaled' ? DECIMAL : storage;
  return { sql: sql`(${converted})`, storage: stored, nullable: true };
}

function untypedValue(
  dialect: Dialect,
  piece: JsonPiece,
  type: ValueType & { readonly kind: 'primitive' },
): Fragment {
  switch (primitiveRow(type.name).class) {
    case 'boolean':
    case 'integer':
    case 'string':
      return dialect.json.typed(piece.value, storageOf(type));
    case 'floating':
      return dialect.json.toFloating(piece.value);
    case 'geo':
      // Untyped values may be any object: anything but GeoJSON of the type becomes null.
      return dialect.values.convert(
        piece.json,
        typeText('Edm.Untyped', {}),
        typeText(type.name, { srid: 'variable' }),
      );
    case 'decimal':
      return fromText(dialect, sql`trim(${piece.json}, '"')`, type);
    default:
      return fromText(dialect, piece.value, type);
  }
}

/** The kinds of JSON values that the type accepts; see `JsonDialect.kind`. */
function kindsOf(name: PrimitiveName): Fragment {
  switch (primitiveRow(name).class) {
    case 'boolean':
      return sql`'true','false'`;
    case 'integer':
      return sql`'integer'`;
    case 'floating':
    case 'decimal':
      return sql`'integer','real'`;
    case 'geo':
      return sql`'object'`;
    default:
      return sql`'text'`;
  }
}

function fromText(dialect: Dialect, content: Fragment, type: ValueType): Fragment {
  if (type.kind !== 'primitive') return content;
  const facets = type.name === 'Edm.Decimal' ? { scale: 'floating' } : type.facets;
  return dialect.values.convert(
    content,
    typeText('Edm.String', {}),
    typeText(type.name, type.name === 'Edm.Duration' ? { precision: 9 } : facets),
  );
}

function jsonOrNull({ json }: JsonPiece): Fragment {
  return sql`nullif(${json}, 'null')`;
}

/** The number of an enumeration value given by name: `Runs,Swims` is 3. */
export function enumNumber(dialect: Dialect, names: Fragment, type: EnumValues): Fragment {
  const digits = dialect.json.enumInteger(names);
  if (!type.flags) {
    const cases = type.members.map(
      (member) => sql`WHEN ${text(member.name)} THEN ${integer(member.value)}`,
    );
    return sql`(CASE ${names} ${join(cases, ' ')} ELSE ${digits} END)`;
  }
  const flags = type.members.map(
    (member) =>
      sql`(CASE WHEN ${dialect.values.position(sql`',' || ${names} || ','`, text(`,${member.name},`))} > 0 THEN ${integer(member.value)} ELSE 0 END)`,
  );
  return sql`(CASE WHEN ${names} IS NOT NULL THEN ${join([digits, ...flags], ' | ')} END)`;
}

/** An enumeration value by name: its member, its flags, or the number if it has no name. */
export function enumNames(number: Fragment, type: EnumValues): Fragment {
  const exact = join(
    type.members.map((member) => sql`WHEN ${integer(member.value)} THEN ${text(member.name)}`),
    ' ',
  );
  const digits = sql`CAST(${number} AS text)`;
  if (!type.flags) return sql`(CASE ${number} ${exact} ELSE ${digits} END)`;
  const flags = type.members.filter((member) => member.value !== 0n);
  const ifSet = (member: EnumValues['members'][number], then: Fragment, otherwise: Fragment) =>
    sql`CASE WHEN (${number} & ${integer(member.value)} = ${integer(member.value)}) THEN ${then} ELSE ${otherwise} END`;
  const sum = flags.map((member) => ifSet(member, integer(member.value), integer(0)));
  const names = flags.map((member) => ifSet(member, text(`,${member.name}`), text('')));
  return sql`(CASE ${number} ${exact} ELSE CASE WHEN ${number} <> 0 AND (${join(sum, ' | ')}) = ${number} THEN substr(${join(names, ' || ')}, 2) ELSE ${digits} END END)`;
}
