// This file converts the values of a column to another type: what each becomes, and which of them are lost or lose digits. It follows
// the types, because columns of different types can have the same storage. A value that the new type cannot hold becomes null.
import type { PrimitiveType } from '../../bind/expression/types.ts';
import { type PrimitiveClass, primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { convertPrimitive } from '../expression/convert-primitive.ts';
import {
  enumNames,
  enumNumber,
  fromUntyped,
  type JsonPiece,
  toSortable,
  toStorage,
} from '../expression/convert-storage.ts';
import { type Fragment, integer, join, list, name, sql, text } from '../fragment.ts';
import {
  type ColumnType,
  type EnumColumn,
  type EnumValues,
  enumValues,
  places,
  wholeDigits,
} from './column-type.ts';
import { type Column, holdsSameValues } from './layout.ts';
import { type Storage, storageOf } from './value-storage.ts';

export interface Conversion {
  /** The new value. */
  readonly content: Fragment;
  /** Selects the rows whose value is lost; absent if the new type can hold every value. */
  readonly unfit?: Fragment;
  /** Selects the rows whose value is kept with fewer digits. */
  readonly rounded?: Fragment;
}

/** Undefined if no value can be converted. */
export function convertColumn(from: Column, to: Column, dialect: Dialect): Conversion | undefined {
  const column = name(from.name);
  if (holdsSameValues(from, to)) return { content: column };
  const [old, next] = [typeOf(from), typeOf(to)];
  if (old === undefined || next === undefined) return undefined;
  if (old.collection || next.collection) {
    const isEnum = old.kind === 'enum' && next.kind === 'enum' && old.collection && next.collection;
    return isEnum ? convertItems(column, old, next, dialect) : undefined;
  }
  if (old.kind === 'type' && next.kind === 'type') return keepTypes(column, next.types);
  if (old.kind === 'enum') return fromEnum(column, old, next, dialect);
  if (old.kind !== 'primitive') return undefined;
  if (next.kind === 'enum') return toEnum(column, old, next, dialect);
  if (next.kind !== 'primitive' || !isConvertible(old, next)) return undefined;
  return convertValue({ sql: column, storage: from.storage, nullable: true }, old, next, dialect);
}

/**
 * The values of a dynamic property in the type of a column. Undefined if no value can be converted. `unfit` selects the rows without a
 * value, too.
 */
export function convertDynamic(
  piece: JsonPiece,
  to: Column,
  dialect: Dialect,
): Conversion | undefined {
  const next = typeOf(to);
  if (next === undefined || next.collection) return undefined;
  if (next.kind === 'enum') {
    const names = fromUntyped(dialect, piece, TEXT);
    return withUnfit(toEnum(names.sql, TEXT, next, dialect));
  }
  if (next.kind === 'untyped') return { content: piece.json };
  if (next.kind !== 'primitive') return undefined;
  const [via] = [BOOLEAN, NUMBER, TEXT].filter((type) => readsFrom(type, next));
  if (via === undefined) return undefined;
  return withUnfit(convertValue(fromUntyped(dialect, piece, via), via, next, dialect));
}

const TEXT: PrimitiveType = {
  kind: 'primitive',
  name: 'Edm.String',
  facets: {},
  collection: false,
};
const BOOLEAN: PrimitiveType = { ...TEXT, name: 'Edm.Boolean' };
const NUMBER: PrimitiveType = { ...TEXT, name: 'Edm.Decimal', facets: { scale: 'floating' } };

/** Whether values of a type are JSON values of the first one. */
function readsFrom(json: PrimitiveType, type: PrimitiveType): boolean {
  if (classOf(type) === 'geo' || classOf(type) === 'binary') return false;
  return NUMBERS.includes(classOf(type))
    ? json === NUMBER
    : classOf(type) === 'boolean'
      ? json === BOOLEAN
      : json === TEXT && isConvertible(TEXT, type);
}

function withUnfit(conversion: Conversion | undefined): Conversion | undefined {
  return conversion && { ...conversion, unfit: sql`(${conversion.content}) IS NULL` };
}

/** Records of types that the model no longer has lose their type. */
function keepTypes(column: Fragment, types: readonly string[]): Conversion {
  const isKnown = sql`${column} IN (${list(types.map(text))})`;
  return { content: sql`CASE WHEN ${isKnown} THEN ${column} END`, unfit: sql`NOT ${isKnown}` };
}

/** The type of values, or the one that their storage is made for if it is not recorded. */
function typeOf({ type, storage, references }: Column): ColumnType | undefined {
  return references === undefined ? (type ?? typeOfStorage(storage)) : undefined;
}

function typeOfStorage(storage: Storage): PrimitiveType | undefined {
  const primitive = (typeName: PrimitiveType['name'], facets = {}): PrimitiveType => {
    return { kind: 'primitive', name: typeName, facets, collection: false };
  };
  switch (storage.kind) {
    case 'boolean':
      return primitive('Edm.Boolean');
    case 'integer':
      return primitive('Edm.Int64');
    case 'floating':
      return primitive('Edm.Double');
    case 'decimal':
      return primitive('Edm.Decimal', { scale: 'floating' });
    case 'scaled':
      return primitive('Edm.Decimal', { precision: 18, scale: storage.scale });
    case 'text':
      return primitive('Edm.String');
    case 'temporal':
      return primitive(storage.zone ? 'Edm.DateTimeOffset' : 'Edm.TimeOfDay', {
        precision: storage.digits,
      });
    case 'duration':
      return primitive('Edm.Duration');
    case 'binary':
      return primitive('Edm.Binary');
    default:
      return undefined;
  }
}

// ---- primitive types ------------------------------------------------------------------------------------------------

const NUMBERS: readonly PrimitiveClass[] = ['integer', 'decimal', 'floating'];
const WITHOUT_TEXT: readonly PrimitiveClass[] = ['stream', 'untyped', 'abstract'];

function classOf(type: PrimitiveType): PrimitiveClass {
  return primitiveRow(type.name).class;
}

/** Whether values of the old type mean values of the new one. A point in time, for example, is not a time of day. */
function isConvertible(from: PrimitiveType, to: PrimitiveType): boolean {
  const [old, next] = [classOf(from), classOf(to)];
  if (WITHOUT_TEXT.includes(old) || WITHOUT_TEXT.includes(next)) return false;
  if (old === next || old === 'string' || next === 'string') return true;
  if (NUMBERS.includes(old) && NUMBERS.includes(next)) return true;
  return (old === 'boolean' && next === 'integer') || (old === 'point' && next === 'date');
}

function convertValue(
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
  dialect: Dialect,
): Conversion {
  const converted = convertStored(content, from, to, dialect);
  const rounded = mayRound(from, to)
    ? roundedCondition(content, converted, { from, to, dialect })
    : undefined;
  return {
    content: converted.sql,
    ...(fitsAlways(from, to) ? {} : unfitCondition(content.sql, converted.sql)),
    ...(rounded === undefined ? {} : { rounded }),
  };
}

function unfitCondition(content: Fragment, converted: Fragment): { readonly unfit: Fragment } {
  return { unfit: sql`${content} IS NOT NULL AND (${converted}) IS NULL` };
}

/** The value in the storage of the new type. */
export function convertStored(
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
  dialect: Dialect,
): Compiled {
  const storage = storageOf(to);
  const [old, next] = [classOf(from), classOf(to)];
  if (old === 'boolean' && next === 'integer')
    return { ...content, sql: asNumber(content, dialect) };
  if (old === 'point' && next === 'date')
    return { ...content, sql: sql`substr(${content.sql}, 1, 10)`, storage };
  if (storage.kind === 'temporal' && old === next) return toStorage(dialect, content, storage);
  const converted = convertPrimitive(dialect, content, from, to);
  if (storage.kind === 'scaled' && converted.storage.kind === 'decimal')
    return { ...converted, sql: dialect.values.scale(converted.sql, storage.scale), storage };
  return toStorage(dialect, converted, storage);
}

/** A boolean as 0 or 1. */
function asNumber({ sql: content }: Compiled, { columnTypes }: Dialect): Fragment {
  return columnTypes.boolean === columnTypes.integer ? content : sql`CAST(${content} AS integer)`;
}

// ---- what is lost ---------------------------------------------------------------------------------------------------

/** Whether the new type has a value for every value of the old one, digits aside. */
function fitsAlways(from: PrimitiveType, to: PrimitiveType): boolean {
  const [old, next] = [classOf(from), classOf(to)];
  if (next === 'string' || old === 'boolean' || old === 'point' || old === 'time') return true;
  if (next === 'floating') return old === 'integer' || isLimited(from);
  if (next !== 'decimal') return false;
  if (to.facets.precision === undefined)
    return (
      old === 'integer' ||
      isLimited(from) ||
      (NUMBERS.includes(old) && to.facets.scale === 'floating')
    );
  return isLimited(from) && isLimited(to) && wholeDigits(from.facets) <= wholeDigits(to.facets);
}

/** Whether a decimal has a limited number of digits before the point. */
function isLimited(type: PrimitiveType): boolean {
  const { precision, scale } = type.facets;
  return classOf(type) === 'decimal' && precision !== undefined && typeof scale === 'number';
}

function mayRound(from: PrimitiveType, to: PrimitiveType): boolean {
  const [old, next] = [classOf(from), classOf(to)];
  if (old === 'point' && next === 'date') return true;
  if (next === 'point' || next === 'time') return fraction(from) > fraction(to);
  if (next === 'floating') return from.name !== 'Edm.Single';
  if (!NUMBERS.includes(old)) return false;
  if (next === 'integer') return old !== 'integer';
  return next === 'decimal' && old !== 'integer' && places(from.facets) > places(to.facets);
}

/** The most digits of a second; a text may have any number. */
function fraction(type: PrimitiveType): number {
  const storage = storageOf(type);
  return storage.kind === 'temporal' ? storage.digits : Infinity;
}

/** Compares both values in a type that can hold every digit. */
function roundedCondition(
  content: Compiled,
  converted: Compiled,
  { from, to, dialect }: { from: PrimitiveType; to: PrimitiveType; dialect: Dialect },
): Fragment {
  const next = classOf(to);
  if (next === 'date') return sql`trim(substr(${content.sql}, 12), '0:.Z') <> ''`;
  const exactType: PrimitiveType =
    next === 'point' || next === 'time'
      ? { ...to, facets: { precision: MOST_FRACTION_DIGITS } }
      : { ...to, name: 'Edm.Decimal', facets: { scale: 'floating' } };
  const exact = (value: Compiled, type: PrimitiveType) =>
    toSortable(dialect, convertStored(value, type, exactType, dialect)).sql;
  return sql`${exact(content, from)} <> ${exact(converted, to)}`;
}

const MOST_FRACTION_DIGITS = 12;

// ---- enumerations ---------------------------------------------------------------------------------------------------

/** Values keep their names. */
function fromEnum(
  column: Fragment,
  from: EnumColumn,
  to: ColumnType,
  dialect: Dialect,
): Conversion | undefined {
  if (to.kind === 'enum') {
    const content = renumbered(column, enumValues(from), to);
    return { content, ...unfitCondition(column, content) };
  }
  if (to.kind !== 'primitive') return undefined;
  if (to.name === 'Edm.String') return { content: enumNames(column, enumValues(from)) };
  if (classOf(to) !== 'integer') return undefined;
  const number: PrimitiveType = { ...to, name: 'Edm.Int64', facets: {} };
  const stored: Compiled = { sql: column, storage: storageOf(number), nullable: true };
  return convertValue(stored, number, to, dialect);
}

/** The number that the names of a value have in the new type; null if it lacks one. Numbers without a name are kept. */
function renumbered(column: Fragment, from: EnumValues, to: EnumColumn): Fragment {
  const pairs = from.members.map(({ name: member, value }) => {
    const next = to.members[member];
    return { value, next: next === undefined ? undefined : BigInt(next) };
  });
  if (!from.flags) {
    const cases = pairs.map(
      ({ value, next }) =>
        sql`WHEN ${integer(value)} THEN ${next === undefined ? sql`NULL` : integer(next)}`,
    );
    return cases.length === 0
      ? column
      : sql`(CASE ${column} ${join(cases, ' ')} ELSE ${column} END)`;
  }
  const sum = (members: readonly { readonly value: bigint; readonly result: bigint }[]) =>
    join(
      [
        integer(0),
        ...members.map(
          ({ value, result }) =>
            sql`CASE WHEN (${column} & ${integer(value)}) = ${integer(value)} THEN ${integer(result)} ELSE 0 END`,
        ),
      ],
      ' | ',
    );
  const same = ({ value }: { readonly value: bigint }) => ({ value, result: value });
  const kept = pairs.flatMap(({ value, next }) => (next === undefined ? [] : [{ value, next }]));
  const next = to.flags
    ? sum(kept.map((one) => ({ value: one.value, result: one.next })))
    : sql`NULL`;
  return sql`(CASE WHEN (${sum(kept.map(same))}) = ${column} THEN ${next} WHEN (${sum(pairs.map(same))}) = ${column} THEN NULL ELSE ${column} END)`;
}

function toEnum(
  column: Fragment,
  from: PrimitiveType,
  to: EnumColumn,
  dialect: Dialect,
): Conversion | undefined {
  const values = enumValues(to);
  if (from.name === 'Edm.String') {
    const number = enumNumber(dialect, column, values);
    const content = sql`(CASE WHEN ${enumNames(number, values)} = ${column} THEN ${number} END)`;
    return { content, ...unfitCondition(column, content) };
  }
  if (classOf(from) !== 'integer') return undefined;
  const content = sql`(CASE WHEN ${isNamed(column, values)} THEN ${column} END)`;
  return { content, ...unfitCondition(column, content) };
}

function isNamed(column: Fragment, { flags, members }: EnumValues): Fragment {
  const numbers = members.map(({ value }) => value);
  if (!flags) return sql`${column} IN (${list(numbers.map(integer))})`;
  const mask = integer(numbers.reduce((all, value) => all | value, 0n));
  return sql`(${column} | ${mask}) = ${mask}`;
}

/** Items are stored by name. A collection with a name that the new type lacks is emptied. */
function convertItems(
  column: Fragment,
  from: EnumColumn,
  to: EnumColumn,
  dialect: Dialect,
): Conversion {
  const removed = Object.keys(from.members).filter((member) => to.members[member] === undefined);
  const names = sql`replace(${column}, '"', ',')`;
  const uses = removed.map(
    (member) => sql`${dialect.values.position(names, text(`,${member},`))} > 0`,
  );
  const isCombined =
    from.flags && !to.flags
      ? [sql`replace(replace(${column}, ' ', ''), '","', '') LIKE '%,%'`]
      : [];
  const unfit = join([...uses, ...isCombined], ' OR ');
  return { content: sql`(CASE WHEN ${unfit} THEN '[]' ELSE ${column} END)`, unfit };
}
