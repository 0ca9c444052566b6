// This file provides the value types of expressions: constants, tests, conversion from the model, common types, and names for messages.
import { unreachable } from '../../base/fault.ts';
import type { Facets, Model, Property, StructuredType, TypeReference } from '../../edm/model.ts';
import { isAssignable } from '../../edm/model.ts';
import {
  fractionDigits,
  hasAnyPrecision,
  type PrimitiveName,
  primitiveRow,
  resolvePrimitive,
} from '../../edm/value/primitives.ts';
import type { ValueType } from '../bound.ts';

export type PrimitiveType = ValueType & { readonly kind: 'primitive' };

export const NULL: ValueType = { kind: 'null' };
export const UNTYPED: ValueType = { kind: 'untyped', collection: false };

/** Represents a dynamic property in paths, of which only the name is known. */
export function dynamicProperty(name: string): Property {
  return {
    kind: 'property',
    name,
    type: 'Edm.Untyped',
    collection: false,
    nullable: true,
    facets: {},
  };
}

export function primitive(name: PrimitiveName, facets: Facets = {}): PrimitiveType {
  return { kind: 'primitive', name, facets, collection: false };
}

export const BOOLEAN = primitive('Edm.Boolean');
export const INT32 = primitive('Edm.Int32');
export const INT64 = primitive('Edm.Int64');
export const DECIMAL = primitive('Edm.Decimal');
export const DOUBLE = primitive('Edm.Double');
export const STRING = primitive('Edm.String');
export const DURATION = primitive('Edm.Duration');
export const DATE = primitive('Edm.Date');
export const TIMESTAMP = primitive('Edm.DateTimeOffset', { precision: 3 });

/** The type of a property, parameter or result. Type definitions are replaced by their underlying types. */
export function typeOfReference(
  model: Model,
  reference: TypeReference & { readonly codeList?: string },
): ValueType {
  const { collection } = reference;
  if (reference.type === 'Edm.Untyped') return { kind: 'untyped', collection };
  const resolved = resolvePrimitive(model, reference);
  if (resolved !== undefined) {
    return { kind: 'primitive', name: resolved.type, facets: resolved.facets, collection };
  }
  const type = model.types.get(reference.type);
  switch (type?.kind) {
    case 'enum':
      return { kind: 'enum', type, collection };
    case 'complex':
      return reference.codeList === undefined
        ? { kind: 'complex', type, collection }
        : { kind: 'complex', type, collection, codeList: reference.codeList };
    case 'entity':
      return { kind: 'entity', type, collection };
    default:
      return { kind: 'untyped', collection };
  }
}

export function structureOf(type: ValueType): StructuredType | undefined {
  return type.kind === 'complex' || type.kind === 'entity' ? type.type : undefined;
}

export function isCollection(type: ValueType): boolean {
  return type.kind !== 'null' && type.collection;
}

export function itemType(type: ValueType): ValueType {
  return type.kind === 'null' ? type : { ...type, collection: false };
}

export function collectionOf(type: ValueType): ValueType {
  return type.kind === 'null'
    ? { kind: 'untyped', collection: true }
    : { ...type, collection: true };
}

/** The type name for messages: `Edm.Int32`, `Collection(Model.Person)`, `null`. */
export function typeName(type: ValueType): string {
  const name = bareName(type);
  return isCollection(type) ? `Collection(${name})` : name;
}

function bareName(type: ValueType): string {
  switch (type.kind) {
    case 'primitive':
      return type.name;
    case 'enum':
    case 'complex':
    case 'entity':
      return type.type.name;
    case 'null':
      return 'null';
    case 'untyped':
      return 'Edm.Untyped';
    default:
      return unreachable(type);
  }
}

/** The type if it is a single primitive value, else undefined. */
export function singlePrimitive(type: ValueType): PrimitiveType | undefined {
  return type.kind === 'primitive' && !type.collection ? type : undefined;
}

export function isBoolean(type: ValueType): boolean {
  return singlePrimitive(type)?.name === 'Edm.Boolean';
}

export function isString(type: ValueType): boolean {
  return singlePrimitive(type)?.name === 'Edm.String';
}

export function isNumeric(type: ValueType): type is PrimitiveType {
  const row = singlePrimitive(type);
  return row !== undefined && NUMERIC.includes(row.name);
}

export function isInteger(type: ValueType): boolean {
  return type.kind === 'primitive' && primitiveRow(type.name).class === 'integer';
}

export function isFloating(type: ValueType): boolean {
  return type.kind === 'primitive' && primitiveRow(type.name).class === 'floating';
}

/** Whether the type has an order: a single primitive value, or an enumeration. */
export function isOrdered(type: ValueType): boolean {
  if (isCollection(type)) return false;
  return (
    type.kind === 'enum' ||
    (type.kind === 'primitive' && primitiveRow(type.name).comparison === 'ordered')
  );
}

export function isDuration(type: ValueType): boolean {
  return singlePrimitive(type)?.name === 'Edm.Duration';
}

/** The member names of a coded value, which stores only its code, such as {Value, Text}. */
export function codedParts(type: ValueType): { value: string; text: string } | undefined {
  return type.kind === 'complex' ? type.type.coded : undefined;
}

/** Numeric types, widest first. */
const NUMERIC: readonly PrimitiveName[] = [
  'Edm.Double',
  'Edm.Single',
  'Edm.Decimal',
  'Edm.Int64',
  'Edm.Int32',
  'Edm.Int16',
  'Edm.SByte',
  'Edm.Byte',
];

/**
 * The type to which two numbers are promoted, which is the wider one.
 * OData 4.01 URL Conventions, "Numeric Promotion".
 */
export function promoteNumbers(left: PrimitiveType, right: PrimitiveType): PrimitiveType {
  if (left.name === right.name) return primitive(left.name);
  const wider = NUMERIC[Math.min(NUMERIC.indexOf(left.name), NUMERIC.indexOf(right.name))];
  return primitive(wider === 'Edm.SByte' || wider === undefined ? 'Edm.Int16' : wider);
}

/**
 * The common type of two values in a comparison, a list or the results of case, or undefined if there is none.
 * null has any type, and an untyped value takes the type of the other.
 */
export function commonType(model: Model, left: ValueType, right: ValueType): ValueType | undefined {
  if (left.kind === 'null') return right;
  if (right.kind === 'null') return left;
  if (left.collection !== right.collection) return undefined;
  if (left.kind === 'untyped') return right;
  if (right.kind === 'untyped') return left;
  if (left.kind === 'primitive' && right.kind === 'primitive') return commonPrimitive(left, right);
  if (left.kind === 'enum' && right.kind === 'enum') {
    return left.type === right.type ? left : undefined;
  }
  const isStructured = left.kind === 'complex' || left.kind === 'entity';
  if (!isStructured || left.kind !== right.kind) return undefined;
  return commonStructure(model, left, right);
}

function commonStructure<Type extends ValueType & { readonly type: StructuredType }>(
  model: Model,
  left: Type,
  right: ValueType & { readonly kind: 'complex' | 'entity' },
): ValueType | undefined {
  if (isAssignable(model, right.type, left.type)) return left;
  return isAssignable(model, left.type, right.type) ? right : undefined;
}

function commonPrimitive(left: PrimitiveType, right: PrimitiveType): ValueType | undefined {
  const { collection } = left;
  if (NUMERIC.includes(left.name) && NUMERIC.includes(right.name)) {
    return { ...promoteNumbers(left, right), collection };
  }
  const isSame = left.name === right.name;
  if (!isSame) return geoFamily(left.name, right.name) ? { ...left, facets: {} } : undefined;
  if (!hasFraction(left.name)) return { ...left, facets: {} };
  const any = [left, right].find(({ facets }) => hasAnyPrecision(facets));
  return any ?? { ...left, facets: { precision: Math.max(digitsOf(left), digitsOf(right)) } };
}

function geoFamily(left: PrimitiveName, right: PrimitiveName): boolean {
  return ['Edm.Geography', 'Edm.Geometry'].some(
    (family) => left.startsWith(family) && right.startsWith(family),
  );
}

/** Whether the precision of the type is its number of fractional-second digits. */
export function hasFraction(name: PrimitiveName): boolean {
  return name === 'Edm.DateTimeOffset' || name === 'Edm.TimeOfDay';
}

/** The number of fractional-second digits of a timestamp or time of day. */
export function digitsOf(type: PrimitiveType): number {
  return fractionDigits(type.name, type.facets);
}

/** The type for a property's annotation; undefined if the value itself reveals or names it. */
export function typeNote(type: ValueType): string | undefined {
  const fragment = typeFragment(type);
  const isComplex = type.kind === 'complex' && !type.collection;
  return fragment === undefined || isComplex || EVIDENT.has(fragment) ? undefined : fragment;
}

/**
 * The type name in annotations: `#Int64`, `#Collection(String)`, `#Model.Code`. OData JSON Format 4.01, "Control
 * Information: type".
 */
function typeFragment(type: ValueType): string | undefined {
  const item = itemType(type);
  const name =
    item.kind === 'primitive'
      ? item.name.replace(/^Edm\./, '')
      : item.kind === 'null' || item.kind === 'untyped'
        ? undefined
        : item.type.name;
  if (name === undefined) return undefined;
  return isCollection(type) ? `#Collection(${name})` : `#${name}`;
}

/** Types that clients recognise in the JSON. */
const EVIDENT: ReadonlySet<string> = new Set(['#String', '#Boolean', '#Double']);
