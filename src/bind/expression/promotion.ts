import { didYouMean } from '../../base/nearest-name.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { type Frame, faultAt } from '../scope.ts';
import { show } from './excerpt.ts';
import { constant, fitLiteral, isNull } from './literal.ts';
import {
  BOOLEAN,
  codedParts,
  commonType,
  DECIMAL,
  digitsOf,
  hasFraction,
  isBoolean,
  isCollection,
  isInteger,
  isString,
  singlePrimitive,
  typeName,
  typeOfReference,
} from './types.ts';

/** A bound expression and its syntax tree. */
export interface Operand {
  readonly tree: Tree.Expression;
  readonly value: Expression;
}

export function bindOperand(frame: Frame, tree: Tree.Expression): Operand {
  return { tree, value: frame.session.bind(frame, tree) };
}

/** The value converted to the type, which must be at least as wide as its own. */
export function promote(value: Expression, type: ValueType): Expression {
  if (value.kind === 'literal') {
    const fitted = fitLiteral(value, type);
    if (fitted !== undefined) return fitted;
  }
  if (value.type.kind === 'untyped') return retype(value, type);
  return needsCast(value.type, type) ? { kind: 'cast', operand: value, type } : value;
}

/** Assumes that an untyped value has the type. At run time, values of another type become null. */
export function retype(value: Expression, type: ValueType): Expression {
  if (type.kind === 'untyped' || type.kind === 'null') return value;
  const isObject = (value.kind === 'json' || value.kind === 'built') && !isCollection(value.type);
  const single = singlePrimitive(type);
  // A JSON object in the request cannot be a primitive value, except a geo value.
  if (isObject && single !== undefined && primitiveRow(single.name).class !== 'geo') {
    return constant(type, null);
  }
  if (value.kind === 'dynamic' || value.kind === 'json' || value.kind === 'built') {
    return { ...value, type };
  }
  return { kind: 'cast', operand: value, type };
}

/**
 * The common type of two operands, or undefined if there is none. A literal takes the type of the other operand if possible.
 * Throws: bind.unknown-member for text that is no member of the other operand's enumeration.
 */
export function sharedType(frame: Frame, left: Operand, right: Operand): ValueType | undefined {
  const byLeft = literalType(frame, right, left.value.type);
  if (byLeft !== undefined) return byLeft;
  const byRight = literalType(frame, left, right.value.type);
  return byRight ?? commonType(frame.model, typeBeside(left, right), typeBeside(right, left));
}

/** The type of the operand; beside an untyped value, integers are decimals, because that value may be any number. */
function typeBeside({ value }: Operand, other: Operand): ValueType {
  return other.value.type.kind === 'untyped' ? asDynamicNumber(value.type) : value.type;
}

/** The type in which an untyped value is combined with one of the type: a number of any kind if that one is an integer. */
export function asDynamicNumber(type: ValueType): ValueType {
  return isInteger(type) && !isCollection(type) ? DECIMAL : type;
}

/** The operand as a Boolean. Throws: bind.condition. */
export function asCondition(frame: Frame, operand: Operand): Expression {
  const { value, tree } = operand;
  if (isBoolean(value.type)) return value;
  if (value.type.kind === 'null') return constant(BOOLEAN, null);
  const isUnknown = value.type.kind === 'untyped' && !value.type.collection;
  if (isUnknown && !isObject(value)) return retype(value, BOOLEAN);
  const type = typeName(value.type);
  throw faultAt(frame, tree.at, 'bind.condition', { thing: show(tree), type });
}

export function bindCondition(frame: Frame, tree: Tree.Expression): Expression {
  return asCondition(frame, bindOperand(frame, tree));
}

/** A coded value cannot be used as a primitive value, only its members can. Throws: bind.coded. */
export function rejectCodedValue(frame: Frame, operand: Operand): void {
  const coded = codedParts(operand.value.type);
  if (coded === undefined) return;
  throw faultAt(frame, operand.tree.at, 'bind.coded', { thing: show(operand.tree), ...coded });
}

/** Whether the value is a JSON object of the URL, which has no declared type, but cannot be primitive. */
export function isObject({ kind, type }: Expression): boolean {
  return (kind === 'json' || kind === 'built') && type.kind === 'untyped' && !type.collection;
}

/** Throws: bind.coded for coded values, bind.object for JSON objects. */
export function requireSimple(frame: Frame, operand: Operand): void {
  rejectCodedValue(frame, operand);
  if (!isObject(operand.value)) return;
  throw faultAt(frame, operand.tree.at, 'bind.object', { thing: show(operand.tree) });
}

/** The value itself, or the Value of a coded value. */
export function codedValue(frame: Frame, value: Expression): Expression {
  const coded = codedParts(value.type);
  if (coded === undefined || value.kind !== 'property' || value.type.kind !== 'complex')
    return value;
  const part = frame.model.members(value.type.type).get(coded.value);
  if (part?.kind !== 'property') return value;
  return { ...value, path: [...value.path, part], type: typeOfReference(frame.model, part) };
}

function literalType(frame: Frame, operand: Operand, type: ValueType): ValueType | undefined {
  const { value, tree } = operand;
  if (value.kind !== 'literal' || isNull(value) || type.kind === 'untyped') return undefined;
  if (fitLiteral(value, type) !== undefined) return type;
  if (type.kind !== 'enum' || !isString(value.type)) return undefined;
  const names = type.type.members.map((member) => member.name);
  const name = String(value.value).slice(0, 100);
  throw faultAt(frame, tree.at, 'bind.unknown-member', {
    type: type.type.name,
    name,
    hint: didYouMean(name, names),
  });
}

/** Conversions within a class of types need no cast, unless the number of fraction digits changes. */
function needsCast(from: ValueType, to: ValueType): boolean {
  if (from.kind !== 'primitive' || to.kind !== 'primitive') return false;
  if (primitiveRow(from.name).class !== primitiveRow(to.name).class) return true;
  return hasFraction(from.name) && digitsOf(from) !== digitsOf(to);
}
