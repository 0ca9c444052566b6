// This file brings compiled values from one storage into another: numbers to a common form, points in time to the same digits,
// and values out of JSON into the form that columns have.
import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import type { EnumType } from '../../edm/model.ts';
import type { PrimitiveName } from '../../edm/value/primitives.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, integer, join, sql, text, word } from '../fragment.ts';
import {
  DECIMAL,
  FLOATING,
  JSON_TEXT,
  type Storage,
  sameStorage,
  storageOf,
} from '../schema/value-storage.ts';

export const NOTHING: Compiled = { sql: sql`NULL`, storage: { kind: 'text' }, nullable: true };

/** The value in the storage asked for. Numbers become what they are in it, exactly where it can hold them. */
export function toStorage(dialect: Dialect, given: Compiled, storage: Storage): Compiled {
  if (sameStorage(given.storage, storage)) return given;
  const changed = changeStorage(dialect, given, storage);
  return changed === undefined ? given : { ...given, sql: changed, storage };
}

function changeStorage(dialect: Dialect, given: Compiled, to: Storage): Fragment | undefined {
  const from = given.storage;
  switch (to.kind) {
    case 'floating':
      return toFloating(given);
    case 'decimal':
      if (from.kind === 'scaled') return dialect.values.unscale(given.sql, from.scale);
      if (from.kind === 'integer') return sql`CAST(${given.sql} AS text)`;
      return from.kind === 'floating' ? convertFloating(dialect, given) : undefined;
    case 'scaled':
      return toScale(dialect, given, to.scale);
    case 'temporal':
      return from.kind === 'temporal' ? withDigits(given.sql, from, to.digits) : undefined;
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

function toFloating(given: Compiled): Fragment | undefined {
  if (given.storage.kind === 'scaled') {
    return sql`(CAST(${given.sql} AS real) / ${word(`1${'0'.repeat(given.storage.scale)}.0`)})`;
  }
  const isNumber = given.storage.kind === 'integer' || given.storage.kind === 'decimal';
  return isNumber ? sql`CAST(${given.sql} AS real)` : undefined;
}

function convertFloating(dialect: Dialect, given: Compiled): Fragment {
  return dialect.values.convert(
    given.sql,
    typeText('Edm.Double', {}),
    typeText('Edm.Decimal', { scale: 'floating' }),
  );
}

/** An integer with more digits behind its point; undefined where the value has other digits than can be had so. */
function toScale(dialect: Dialect, given: Compiled, scale: number): Fragment | undefined {
  const { storage } = given;
  if (storage.kind === 'integer') return dialect.values.checked(raised(given.sql, scale));
  if (storage.kind === 'scaled' && storage.scale <= scale) {
    return dialect.values.checked(raised(given.sql, scale - storage.scale));
  }
  return undefined;
}

function raised(scaled: Fragment, digits: number): Fragment {
  return sql`(${scaled} * ${integer(10n ** BigInt(digits))})`;
}

function withDigits(
  content: Fragment,
  from: Storage & { readonly kind: 'temporal' },
  digits: number,
): Fragment {
  const length = (from.zone ? 19 : 8) + (from.digits === 0 ? 0 : from.digits + 1);
  const wanted = (from.zone ? 19 : 8) + (digits === 0 ? 0 : digits + 1);
  const zone = from.zone ? 'Z' : '';
  const kept = sql`substr(${content}, 1, ${integer(Math.min(length, wanted))})`;
  if (wanted <= length) return zone === '' ? kept : sql`(${kept} || ${text(zone)})`;
  const point = from.digits === 0 ? '.' : '';
  return sql`(${kept} || ${text(point + '0'.repeat(digits - from.digits) + zone)})`;
}

/** Two values in a form in which the database compares them as the standard wants it. */
export function toComparable(
  dialect: Dialect,
  left: Compiled,
  right: Compiled,
): readonly [Compiled, Compiled] {
  const storage = commonStorage(left.storage, right.storage);
  const both = [left, right].map((one) => toStorage(dialect, one, storage));
  const [first = left, second = right] = both;
  return storage.kind === 'decimal'
    ? [inDecimalOrder(dialect, first), inDecimalOrder(dialect, second)]
    : [first, second];
}

/** The value in a form whose order is the value's. */
export function toSortable(dialect: Dialect, given: Compiled): Compiled {
  return given.storage.kind === 'decimal' ? inDecimalOrder(dialect, given) : given;
}

function inDecimalOrder(dialect: Dialect, given: Compiled): Compiled {
  return { ...given, sql: dialect.values.decimalOrder(given.sql), storage: { kind: 'text' } };
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

/** The name of a primitive type and its facets, as the function for conversions takes them. */
export function typeText(name: PrimitiveName, facets: object): string {
  return JSON.stringify({ type: name, ...facets });
}

/** A piece of JSON as SQL: `value` is what the database makes of it, `json` its text. */
export interface JsonPiece {
  readonly value: Fragment;
  readonly json: Fragment;
}

/** A value out of a JSON column that the service has written itself, so that it is of its type. */
export function fromJson(dialect: Dialect, piece: JsonPiece, type: ValueType): Compiled {
  const storage = storageOf(type);
  const plain: Compiled = { sql: piece.value, storage, nullable: true };
  if (storage.kind === 'json') return { ...plain, sql: nullOfJson(piece) };
  if (type.kind === 'enum') return { ...plain, sql: enumNumber(dialect, piece.value, type.type) };
  switch (storage.kind) {
    case 'floating':
      return { ...plain, sql: floatingOfJson(piece.value) };
    case 'decimal':
    case 'scaled':
      return { ...plain, sql: sql`trim(${nullOfJson(piece)}, '"')`, storage: DECIMAL };
    case 'geo':
      return { ...plain, sql: nullOfJson(piece) };
    case 'duration':
    case 'binary':
      return { ...plain, sql: fromText(dialect, piece.value, type) };
    default:
      return plain;
  }
}

/** A value out of JSON that may be of any type: null where it is not of the one that is asked for. */
export function fromUntyped(dialect: Dialect, piece: JsonPiece, type: ValueType): Compiled {
  const storage = storageOf(type);
  if (storage.kind === 'json') {
    return { sql: nullOfJson(piece), storage: JSON_TEXT, nullable: true };
  }
  if (type.kind !== 'primitive') return { ...NOTHING, storage };
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
      return piece.value;
    case 'floating':
      return floatingOfJson(piece.value);
    case 'geo':
      // Untyped values hold any object: other objects than GeoJSON of the type are null.
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

/** The kinds of JSON values that can be a value of the type, as the dialect calls them. */
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

function nullOfJson({ json }: JsonPiece): Fragment {
  return sql`nullif(${json}, 'null')`;
}

function floatingOfJson(content: Fragment): Fragment {
  return sql`CASE ${content} WHEN 'INF' THEN 9e999 WHEN '-INF' THEN -9e999 WHEN 'NaN' THEN 'NaN' ELSE CAST(${content} AS real) END`;
}

/** The number of an enumeration's value out of its names: `Runs,Swims` is 3. */
export function enumNumber(dialect: Dialect, names: Fragment, type: EnumType): Fragment {
  if (!type.flags) {
    const cases = type.members.map(
      (member) => sql`WHEN ${text(member.name)} THEN ${integer(member.value)}`,
    );
    return sql`(CASE ${names} ${join(cases, ' ')} ELSE CAST(${names} AS integer) END)`;
  }
  const flags = type.members.map(
    (member) =>
      sql`(CASE WHEN ${dialect.values.position(sql`',' || ${names} || ','`, text(`,${member.name},`))} > 0 THEN ${integer(member.value)} ELSE 0 END)`,
  );
  const digits = sql`CAST(${names} AS integer)`;
  return sql`(CASE WHEN ${names} IS NOT NULL THEN ${join([digits, ...flags], ' | ')} END)`;
}

/** The names of an enumeration's value: a member's name, those of its flags, or the number. */
export function enumNames(number: Fragment, type: EnumType): Fragment {
  const exact = join(
    type.members.map((member) => sql`WHEN ${integer(member.value)} THEN ${text(member.name)}`),
    ' ',
  );
  const digits = sql`CAST(${number} AS text)`;
  if (!type.flags) return sql`(CASE ${number} ${exact} ELSE ${digits} END)`;
  const flags = type.members.filter((member) => member.value !== 0n);
  const isSet = flags.map(
    (member) => sql`${number} & ${integer(member.value)} = ${integer(member.value)}`,
  );
  const part = (build: (index: number) => Fragment) =>
    flags.map((_, index) => sql`CASE WHEN (${isSet[index] ?? sql`0`}) THEN ${build(index)} `);
  const sum = part((index) => integer(flags[index]?.value ?? 0n)).map(
    (one) => sql`${one}ELSE 0 END`,
  );
  const names = part((index) => text(`,${flags[index]?.name ?? ''}`)).map(
    (one) => sql`${one}ELSE '' END`,
  );
  return sql`(CASE ${number} ${exact} ELSE CASE WHEN ${number} <> 0 AND (${join(sum, ' | ')}) = ${number} THEN substr(${join(names, ' || ')}, 2) ELSE ${digits} END END)`;
}
