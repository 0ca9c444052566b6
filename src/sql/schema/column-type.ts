// This file describes the types of columns as data. Several types have the same storage, so a migration needs the types to know which
// values a column has.
import type { ValueType } from '../../bind/bound.ts';
import type { PrimitiveType } from '../../bind/expression/types.ts';
import type { EnumType, Facets } from '../../edm/model.ts';
import { type PrimitiveClass, primitiveRow } from '../../edm/value/primitives.ts';

export type ColumnType =
  | PrimitiveType
  | {
      readonly kind: 'enum';
      readonly flags: boolean;
      /** The numbers by name, as text, because JSON has no integers of 64 bits. */
      readonly members: Readonly<Record<string, string>>;
      readonly collection: boolean;
    }
  | { readonly kind: 'complex' | 'untyped'; readonly collection: boolean }
  /** The names of types that records of a table can have. */
  | { readonly kind: 'type'; readonly types: readonly string[]; readonly collection: false };

/** The values of an enumeration. */
export interface EnumValues extends Pick<EnumType, 'flags'> {
  readonly members: readonly Pick<EnumType['members'][number], 'name' | 'value'>[];
}

export type EnumColumn = Extract<ColumnType, { kind: 'enum' }>;

/** The type of a column with values of a property; undefined for the identities of records. */
export function columnType(type: ValueType): ColumnType | undefined {
  switch (type.kind) {
    case 'primitive': {
      const { kind, name, facets, collection } = type;
      return { kind, name, facets: storedFacets(facets), collection };
    }
    case 'enum': {
      const { flags, members } = type.type;
      const values = Object.fromEntries(members.map(({ name, value }) => [name, String(value)]));
      return { kind: 'enum', flags, members: values, collection: type.collection };
    }
    case 'complex':
      return type.type.coded === undefined || type.collection
        ? { kind: 'complex', collection: type.collection }
        : { kind: 'primitive', name: 'Edm.Int64', facets: {}, collection: false };
    case 'untyped':
      return { kind: 'untyped', collection: type.collection };
    default:
      return undefined;
  }
}

/** The facets on which the form of a value depends. Others, such as the maximum length, do not change the values that are stored. */
function storedFacets({ precision, anyPrecision, scale, srid }: Facets): Facets {
  return {
    ...(precision === undefined ? {} : { precision }),
    ...(anyPrecision === undefined ? {} : { anyPrecision }),
    ...(scale === undefined ? {} : { scale }),
    ...(srid === undefined ? {} : { srid }),
  };
}

export function enumValues({ flags, members }: EnumColumn): EnumValues {
  return {
    flags,
    members: Object.entries(members).map(([name, value]) => ({ name, value: BigInt(value) })),
  };
}

/** Whether each value of the old type, in the same storage, is the same value of the new one. */
export function keepsValues(from: ColumnType, to: ColumnType): boolean {
  if (to.kind === 'untyped' && !to.collection) return true;
  if (from.collection !== to.collection) return false;
  if (from.kind === 'enum') {
    if (to.kind === 'enum') return keepsMembers(from, to);
    return from.collection && to.kind === 'primitive' && to.name === 'Edm.String';
  }
  if (from.kind === 'primitive' && to.kind === 'primitive') return contains(to, from);
  if (from.kind === 'type' && to.kind === 'type')
    return from.types.every((type) => to.types.includes(type));
  return from.kind === to.kind;
}

/** Items of collections are stored by name. */
function keepsMembers(from: EnumColumn, to: EnumColumn): boolean {
  if (from.flags && !to.flags) return false;
  return Object.entries(from.members).every(([name, value]) =>
    from.collection ? to.members[name] !== undefined : to.members[name] === value,
  );
}

const WRITTEN_AS_TEXT: readonly PrimitiveClass[] = [
  'guid',
  'date',
  'point',
  'time',
  'duration',
  'binary',
];

/** Whether the stored form of each value is that of the same value in the wider type. */
function contains(wide: PrimitiveType, type: PrimitiveType): boolean {
  const [own, other] = [primitiveRow(wide.name), primitiveRow(type.name)];
  if (wide.name === type.name)
    return own.class !== 'decimal' || wide.collection || keepsDigits(wide.facets, type.facets);
  switch (own.class) {
    case 'integer':
      return other.class === 'integer' && areWithin(other.bounds, own.bounds);
    case 'decimal':
      return other.class === 'integer';
    case 'floating':
      return other.class === 'integer' || type.name === 'Edm.Single';
    case 'string':
      return WRITTEN_AS_TEXT.includes(other.class);
    case 'geo':
      return (
        other.class === 'geo' && own.geo?.shape === undefined && own.geo?.srid === other.geo?.srid
      );
    default:
      return false;
  }
}

/** Whether a decimal keeps all digits, before and after the point. Items of collections keep theirs until they are written. */
function keepsDigits(wide: Facets, facets: Facets): boolean {
  return places(wide) >= places(facets) && wholeDigits(wide) >= wholeDigits(facets);
}

/** The most digits after the point. */
export function places({ scale }: Facets): number {
  return typeof scale === 'number' ? scale : Infinity;
}

/** The most digits before the point. */
export function wholeDigits({ precision = Infinity, scale }: Facets): number {
  return precision - (typeof scale === 'number' ? scale : 0);
}

type Bounds = { readonly least: bigint; readonly greatest: bigint } | undefined;

function areWithin(inner: Bounds, outer: Bounds): boolean {
  if (inner === undefined || outer === undefined) return false;
  return inner.least >= outer.least && inner.greatest <= outer.greatest;
}
