// This file binds literals: first with the type that their syntax implies, then converted to the type that the context requires, so that
// 'Meat' can become an enumeration member, and 5 a decimal. Literals that are parameters stay parameters where they can.
import { unreachable } from '../../base/fault.ts';
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
import type { Expression, LiteralExpression, ValueType } from '../bound.ts';
import { findType } from '../names.ts';
import type { Parameter, Question, SlotValue } from '../parameter.ts';
import { type Frame, faultAt } from '../scope.ts';
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
  const { value } = tree;
  if (value.kind === 'enum') return bindEnumLiteral(frame, tree, value);
  const { type, reading } = readNatural(value);
  if (reading.kind === 'mistake') {
    const { expected } = reading;
    throw faultAt(frame, tree.at, 'bind.literal', { text: show(tree), expected });
  }
  const parameter = frame.session.scope.parameters?.ofNode(tree);
  return parameter === undefined
    ? constant(type, reading.value)
    : naturalParameter(type, value, parameter);
}

/** A constant that is no parameter of the plan. */
export function constant(type: ValueType, value: Value): LiteralExpression {
  return { kind: 'literal', type, value };
}

/** A literal whose value other requests may exchange. Reading its value makes the plan depend on it. */
export function parameterLiteral(type: ValueType, parameter: Parameter): LiteralExpression {
  return {
    kind: 'literal',
    type,
    parameter,
    get value() {
      return parameter.value;
    },
  };
}

/** The answer to a question about the value. The plan depends on the answer only. */
export function askLiteral<Answer extends string | number | boolean | undefined>(
  literal: LiteralExpression,
  question: Question<Answer>,
): Answer {
  return literal.parameter === undefined
    ? question.of(literal.value)
    : literal.parameter.ask(question);
}

/** Whether the expression is the literal null, which is never a parameter. */
export function isNull(expression: Expression): boolean {
  return (
    expression.kind === 'literal' && expression.parameter === undefined && expression.value === null
  );
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
  if (isNull(from)) return constant(type, null);
  if (type.kind === 'enum' && !type.collection) return fitEnum(from, type);
  if (type.kind === 'untyped') return from;
  if (type.kind !== 'primitive' || type.collection || from.type.kind !== 'primitive')
    return undefined;
  const source = from.type;
  if (source.name === type.name && !hasFraction(type.name) && from.parameter !== undefined)
    return parameterLiteral(type, from.parameter);
  return converted(from, type, `${keyOfType(source)} as ${keyOfType(type)}`, (value) => {
    const reading = fitPrimitive(source, value, type);
    return reading?.kind === 'value' ? reading.value : undefined;
  });
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
  if (!isTime || isNull(from)) return fitLiteral(from, type);
  const digits = digitsOf(target);
  return converted(
    from,
    type,
    `${digits} digits`,
    (value) => fitFraction(String(value), digits).value,
  );
}

/** The literal with a converted value; undefined if the value has no such form. */
function converted(
  from: LiteralExpression,
  type: ValueType,
  name: string,
  convert: (value: NonNullable<Value>) => Value | undefined,
): LiteralExpression | undefined {
  if (from.parameter === undefined) {
    const value = from.value === null ? null : convert(from.value);
    return value === undefined ? undefined : constant(type, value);
  }
  const of = (value: SlotValue) => convert(value as NonNullable<Value>);
  const parameter = from.parameter.convert({ name, of });
  return parameter && parameterLiteral(type, parameter);
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

/** The parameter with its value in the form of the type that its syntax implies, which can depend on the value. */
function naturalParameter(
  type: ValueType,
  { kind }: Tree.LiteralValue,
  parameter: Parameter,
): LiteralExpression {
  if (kind === 'string' || kind === 'boolean') return parameterLiteral(type, parameter);
  if (kind === 'integer' && parameter.ask(IS_LONG)) return parameterLiteral(type, parameter);
  const of = (raw: SlotValue) => {
    const { reading } = readNatural(rawLiteral(kind, raw));
    return reading.kind === 'value' ? reading.value : undefined;
  };
  const value = parameter.convert({ name: kind, of });
  if (value === undefined) return constant(type, parameter.value);
  if (type.kind === 'primitive' && hasFraction(type.name)) value.ask(FRACTION_DIGITS);
  return parameterLiteral(type, value);
}

/** The literal of a kind that the parser has read as `raw`. */
function rawLiteral(kind: Tree.LiteralValue['kind'], raw: SlotValue): NaturalValue {
  const value = kind === 'integer' ? { kind, value: raw } : { kind, text: raw };
  return value as NaturalValue;
}

/** Other integers are decimals. */
const IS_LONG: Question<boolean> = { name: '64 bits', of: (raw) => isLong(raw as bigint) };

function isLong(value: bigint): boolean {
  return value === BigInt.asIntN(64, value);
}

/** The precision of a timestamp or time of day is the number of fraction digits in its text. */
export const FRACTION_DIGITS: Question<number> = {
  name: 'fraction digits',
  of: (value) => /\.(\d+)/.exec(String(value))?.[1]?.length ?? 0,
};

function keyOfType(type: ValueType): string {
  return type.kind === 'primitive' ? `${type.name}${JSON.stringify(type.facets)}` : type.kind;
}

type NaturalValue = Exclude<Tree.LiteralValue, { readonly kind: 'enum' }>;

interface Natural {
  readonly type: ValueType;
  readonly reading: ReadResult;
}

function readNatural(value: NaturalValue): Natural {
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
  return isLong(value) ? { type: INT64, reading: found(value) } : readText(DECIMAL, String(value));
}

function readText(type: PrimitiveType, text: string): Natural {
  const reading = parseLiteral(type.name, text);
  if (!hasFraction(type.name) || reading.kind === 'mistake') return { type, reading };
  const precision = FRACTION_DIGITS.of(reading.value);
  return { type: primitive(type.name, { precision }), reading };
}

function geoType(value: Tree.GeoLiteral): PrimitiveName {
  const family = value.kind === 'geography' ? 'Edm.Geography' : 'Edm.Geometry';
  return value.shape === 'GeometryCollection' ? `${family}Collection` : `${family}${value.shape}`;
}

function bindEnumLiteral(
  frame: Frame,
  tree: Tree.Literal,
  value: Tree.LiteralValue & { readonly kind: 'enum' },
): LiteralExpression {
  const type = findType(frame, value.type, tree.at);
  if (type.kind !== 'enum') {
    const expected = `${type.name} is not an enumeration`;
    throw faultAt(frame, tree.at, 'bind.literal', { text: show(tree), expected });
  }
  const result = enumValue(type, value.members);
  if ('unknown' in result) {
    const name = result.unknown;
    const hint = didYouMean(
      name,
      type.members.map((member) => member.name),
    );
    throw faultAt(frame, tree.at, 'bind.unknown-member', { type: type.name, name, hint });
  }
  return constant({ kind: 'enum', type, collection: false }, result.value);
}

function fitEnum(
  from: LiteralExpression,
  type: ValueType & { readonly kind: 'enum' },
): LiteralExpression | undefined {
  if (from.type.kind === 'enum') return from.type.type === type.type ? from : undefined;
  if (from.type.kind !== 'primitive' || from.type.name !== 'Edm.String') return undefined;
  const result = enumValue(type.type, String(from.value).split(','));
  return 'unknown' in result ? undefined : constant(type, result.value);
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
