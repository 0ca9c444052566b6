// This file turns literals into typed values: first into the type that their form says, then into the type of what they stand
// beside, so that 'Meat' becomes a member of an enumeration and 5 a decimal where that is asked for.
import { Fault, unreachable } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { EnumType } from '../../edm/model.ts';
import {
  type PrimitiveName,
  parseLiteral,
  primitiveRow,
  writeLiteral,
} from '../../edm/value/primitives.ts';
import type { Reading, Value } from '../../edm/value/read-result.ts';
import { found } from '../../edm/value/read-result.ts';
import { fitFraction } from '../../edm/value/temporal.ts';
import type * as Tree from '../../request/tree.ts';
import type { LiteralExpression, LiteralPlace, ValueType } from '../bound.ts';
import { findType } from '../names.ts';
import { type Frame, placeOf } from '../scope.ts';
import { show } from './excerpt.ts';
import {
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DURATION,
  digitsOf,
  hasFraction,
  INT64,
  NULL,
  type PrimitiveType,
  primitive,
  STRING,
  singlePrimitive,
} from './types.ts';

export type { LiteralExpression };

/** A literal in the type of its form. Faults: bind.literal, bind.unknown-type, bind.unknown-member. */
export function bindLiteral(frame: Frame, tree: Tree.Literal): LiteralExpression {
  if (tree.value.kind === 'enum') return bindEnumLiteral(frame, tree, tree.value);
  const { type, reading } = readNatural(tree.value);
  if (reading.kind === 'mistake') {
    throw new Fault(
      'bind.literal',
      { text: show(tree), expected: reading.expected, place: placeOf(frame, tree.at) },
      { position: tree.at, target: frame.part.target },
    );
  }
  return literal(type, reading.value, placeFor(frame, tree));
}

/** A constant that no text of the client stands for. */
export function constant(type: ValueType, value: Value): LiteralExpression {
  return { kind: 'literal', type, value };
}

export const TRUE: LiteralExpression = constant(BOOLEAN, true);
export const FALSE: LiteralExpression = constant(BOOLEAN, false);

/**
 * The same constant as a value of the given type, or undefined where it cannot be one. Numbers are widened, never rounded to a
 * narrower type; text becomes a duration or a member of an enumeration; null fits everything.
 */
export function fitLiteral(
  from: LiteralExpression,
  type: ValueType,
): LiteralExpression | undefined {
  if (from.value === null) return literal(type, null);
  if (type.kind === 'enum' && !type.collection) return fitEnum(from, type);
  if (type.kind === 'untyped') return from;
  if (type.kind !== 'primitive' || type.collection || from.type.kind !== 'primitive')
    return undefined;
  const reading = fitPrimitive(from.type, from.value, type);
  return reading?.kind === 'value' ? { ...from, type, value: reading.value } : undefined;
}

/**
 * A constant that is given as a value of the type: a key, or a parameter. Fraction digits beyond its precision are cut off, as they are in
 * bodies, so that a client finds what it has stored. In other expressions a constant keeps them all.
 */
export function fitGiven(from: LiteralExpression, type: ValueType): LiteralExpression | undefined {
  const [given, wanted] = [singlePrimitive(from.type), singlePrimitive(type)];
  const isTime = wanted !== undefined && hasFraction(wanted.name) && given?.name === wanted.name;
  if (!isTime || from.value === null) return fitLiteral(from, type);
  const { value, exact } = fitFraction(String(from.value), digitsOf(wanted));
  // A constant that was cut is no parameter of a plan.
  return exact ? fitLiteral(from, type) : constant(type, value);
}

/** The number that members of an enumeration stand for, or the first one that is none of it. */
export function enumValue(
  type: EnumType,
  members: readonly string[],
): { readonly value: bigint } | { readonly unknown: string } {
  let value = 0n;
  for (const name of members) {
    const member = type.members.find((one) => one.name === name.trim());
    const number =
      member?.value ?? (/^[+-]?\d+$/.test(name.trim()) ? BigInt(name.trim()) : undefined);
    if (number === undefined || (members.length > 1 && !type.flags)) return { unknown: name };
    value |= number;
  }
  return { value };
}

/** The constant as a client would write it. */
export function showLiteral(expression: LiteralExpression): string {
  const { type, value } = expression;
  if (type.kind === 'primitive') return writeLiteral(type.name, value);
  return value === null ? 'null' : String(value);
}

function literal(type: ValueType, value: Value, place?: LiteralPlace): LiteralExpression {
  return place === undefined
    ? { kind: 'literal', type, value }
    : { kind: 'literal', type, value, place };
}

/** null is no parameter: what is asked changes with it. */
function placeFor(frame: Frame, tree: Tree.Literal): LiteralPlace | undefined {
  if (frame.part.name === undefined || tree.value.kind === 'null') return undefined;
  return { part: frame.part.name, at: tree.at };
}

interface Natural {
  readonly type: ValueType;
  readonly reading: Reading;
}

function readNatural(value: Exclude<Tree.LiteralValue, { readonly kind: 'enum' }>): Natural {
  switch (value.kind) {
    case 'null':
      return { type: NULL, reading: found(null) };
    case 'boolean':
      return { type: BOOLEAN, reading: found(value.value) };
    case 'integer':
      return readInteger(value.value);
    case 'decimal':
      return readText(DECIMAL, value.text);
    case 'double':
      return readText(DOUBLE, value.text);
    case 'string':
      return readText(STRING, value.value);
    case 'guid':
      return readText(primitive('Edm.Guid'), value.text);
    case 'date':
      return readText(DATE, value.text);
    case 'dateTimeOffset':
      return readText(primitive('Edm.DateTimeOffset'), value.text);
    case 'timeOfDay':
      return readText(primitive('Edm.TimeOfDay'), value.text);
    case 'duration':
      return readText(DURATION, value.text);
    case 'binary':
      return readText(primitive('Edm.Binary'), value.text);
    case 'geography':
    case 'geometry':
      return readText(primitive(geoType(value)), value.text);
    default:
      return unreachable(value);
  }
}

function readInteger(value: bigint): Natural {
  const { bounds } = primitiveRow('Edm.Int64');
  const isLong = bounds !== undefined && value >= bounds.least && value <= bounds.greatest;
  return isLong ? { type: INT64, reading: found(value) } : readText(DECIMAL, String(value));
}

/** The precision of a point in time or a time of day is that of its text. */
function readText(type: PrimitiveType, text: string): Natural {
  const reading = parseLiteral(type.name, text);
  if (!hasFraction(type.name) || reading.kind === 'mistake') return { type, reading };
  const [, fraction = ''] = /\.(\d+)/.exec(String(reading.value)) ?? [];
  return { type: primitive(type.name, { precision: fraction.length }), reading };
}

function geoType(value: Tree.GeoLiteral): PrimitiveName {
  const family = value.kind === 'geography' ? 'Edm.Geography' : 'Edm.Geometry';
  const { kind } = value.shape;
  return kind === 'GeometryCollection' ? `${family}Collection` : `${family}${kind}`;
}

function bindEnumLiteral(
  frame: Frame,
  tree: Tree.Literal,
  value: Tree.LiteralValue & { readonly kind: 'enum' },
): LiteralExpression {
  const type = findType(frame, value.type, tree.at);
  const place = placeOf(frame, tree.at);
  const where = { position: tree.at, target: frame.part.target };
  if (type.kind !== 'enum') {
    const text = show(tree);
    throw new Fault(
      'bind.literal',
      { text, expected: `${type.name} is no enumeration`, place },
      where,
    );
  }
  const result = enumValue(type, value.members);
  if ('unknown' in result) {
    const names = type.members.map((member) => member.name);
    const hint = didYouMean(result.unknown, names);
    throw new Fault(
      'bind.unknown-member',
      { type: type.name, name: result.unknown, hint, place },
      where,
    );
  }
  return literal({ kind: 'enum', type, collection: false }, result.value, placeFor(frame, tree));
}

function fitEnum(
  from: LiteralExpression,
  type: ValueType & { readonly kind: 'enum' },
): LiteralExpression | undefined {
  if (from.type.kind === 'enum') return from.type.type === type.type ? from : undefined;
  if (from.type.kind !== 'primitive' || from.type.name !== 'Edm.String') return undefined;
  const result = enumValue(type.type, String(from.value).split(','));
  return 'unknown' in result ? undefined : { ...from, type, value: result.value };
}

function fitPrimitive(
  from: PrimitiveType,
  value: Exclude<Value, null>,
  to: PrimitiveType,
): Reading | undefined {
  if (hasFraction(to.name) && from.name === to.name) {
    const fitted = fitFraction(String(value), digitsOf(to));
    return fitted.exact ? found(fitted.value) : undefined;
  }
  if (from.name === to.name) return found(value);
  const target = primitiveRow(to.name).class;
  if (from.name === 'Edm.String') {
    return to.name === 'Edm.Duration' ? parseLiteral(to.name, String(value)) : undefined;
  }
  const isNumber =
    from.name === 'Edm.Int64' || from.name === 'Edm.Decimal' || from.name === 'Edm.Double';
  if (isNumber && target === 'floating') return parseLiteral(to.name, numberText(value));
  if (from.name === 'Edm.Double' || !isNumber) return undefined;
  return target === 'decimal' || (target === 'integer' && from.name === 'Edm.Int64')
    ? parseLiteral(to.name, String(value))
    : undefined;
}

function numberText(value: Exclude<Value, null>): string {
  return typeof value === 'number' ? writeLiteral('Edm.Double', value) : String(value);
}
