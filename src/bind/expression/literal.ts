// This file binds literals: first with the type that their syntax implies, then converted to the type that the context requires, so that
// 'Meat' can become an enumeration member, and 5 a decimal.
import { Fault, unreachable } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { EnumType } from '../../edm/model.ts';
import {
  type PrimitiveName,
  parseLiteral,
  primitiveRow,
  writeLiteral,
} from '../../edm/value/primitives.ts';
import type { ReadResult, Value } from '../../edm/value/read-result.ts';
import { found } from '../../edm/value/read-result.ts';
import { fitFraction } from '../../edm/value/temporal.ts';
import type * as Tree from '../../request/tree.ts';
import type { LiteralExpression, LiteralPlace, ValueType } from '../bound.ts';
import { findType } from '../names.ts';
import { type Frame, positionText } from '../scope.ts';
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

/** The literal with the type that its syntax implies. Throws: bind.literal, bind.unknown-type, bind.unknown-member. */
export function bindLiteral(frame: Frame, tree: Tree.Literal): LiteralExpression {
  if (tree.value.kind === 'enum') return bindEnumLiteral(frame, tree, tree.value);
  const { type, reading } = readNatural(tree.value);
  if (reading.kind === 'mistake') {
    throw new Fault(
      'bind.literal',
      { text: show(tree), expected: reading.expected, place: positionText(frame, tree.at) },
      { position: tree.at, target: frame.part.target },
    );
  }
  return literal(type, reading.value, placeFor(frame, tree));
}

/** A constant that has no place in the request text, and is therefore no plan parameter. */
export function constant(type: ValueType, value: Value): LiteralExpression {
  return { kind: 'literal', type, value };
}

export const TRUE: LiteralExpression = constant(BOOLEAN, true);
export const FALSE: LiteralExpression = constant(BOOLEAN, false);

/**
 * The constant converted to the type, or undefined if that is not possible without loss. Integers become decimals or doubles, text
 * becomes a duration or an enumeration member, and null fits every type.
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
 * The constant as a key or parameter value of the type, or undefined. As in request bodies, fraction digits beyond the precision are
 * truncated, so that clients find what they have stored. In other expressions, constants keep all digits.
 */
export function fitTruncated(
  from: LiteralExpression,
  type: ValueType,
): LiteralExpression | undefined {
  const [source, target] = [singlePrimitive(from.type), singlePrimitive(type)];
  const isTime = target !== undefined && hasFraction(target.name) && source?.name === target.name;
  if (!isTime || from.value === null) return fitLiteral(from, type);
  const { value, exact } = fitFraction(String(from.value), digitsOf(target));
  // A truncated constant is no plan parameter.
  return exact ? fitLiteral(from, type) : constant(type, value);
}

/** The combined value of the enumeration members, or the first name that is not a member. */
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

/** The constant in URL syntax. */
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

/** null is no plan parameter, because comparisons with null need different SQL. */
function placeFor(frame: Frame, tree: Tree.Literal): LiteralPlace | undefined {
  if (frame.part.name === undefined || tree.value.kind === 'null') return undefined;
  return { part: frame.part.name, at: tree.at };
}

interface Natural {
  readonly type: ValueType;
  readonly reading: ReadResult;
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

/** The precision of a timestamp or time of day is the number of fraction digits in its text. */
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
  const place = positionText(frame, tree.at);
  const where = { position: tree.at, target: frame.part.target };
  if (type.kind !== 'enum') {
    const text = show(tree);
    throw new Fault(
      'bind.literal',
      { text, expected: `${type.name} is not an enumeration`, place },
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
): ReadResult | undefined {
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
