// This file brings values to the types in which they can stand side by side: literals change their type, other values are cast
// where the classes of the types differ. OData 4.01 URL Conventions, "Numeric Promotion".
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { type Frame, placeOf } from '../scope.ts';
import { show } from './excerpt.ts';
import { constant, fitLiteral } from './literal.ts';
import {
  BOOLEAN,
  codedParts,
  commonType,
  digitsOf,
  hasFraction,
  isBoolean,
  isCollection,
  isString,
  singlePrimitive,
  typeName,
  typeOfReference,
} from './types.ts';

/** A bound expression and what the client wrote for it. */
export interface Operand {
  readonly tree: Tree.Expression;
  readonly value: Expression;
}

export function bindOperand(frame: Frame, tree: Tree.Expression): Operand {
  return { tree, value: frame.session.bind(frame, tree) };
}

/** The value as one of the type, which must be at least as wide as its own. */
export function promote(value: Expression, type: ValueType): Expression {
  if (value.kind === 'literal') {
    const fitted = fitLiteral(value, type);
    if (fitted !== undefined) return fitted;
  }
  if (value.type.kind === 'untyped') return retype(value, type);
  return needsCast(value.type, type) ? { kind: 'cast', operand: value, type } : value;
}

/** A value whose type only the stored data know, expected to be of the given type; where it is not, it is null. */
export function retype(value: Expression, type: ValueType): Expression {
  if (type.kind === 'untyped' || type.kind === 'null') return value;
  const isObject = (value.kind === 'json' || value.kind === 'built') && !isCollection(value.type);
  const single = singlePrimitive(type);
  // An object that the client writes is no number and no text, though it may be a place.
  if (isObject && single !== undefined && primitiveRow(single.name).class !== 'geo') {
    return constant(type, null);
  }
  if (value.kind === 'dynamic' || value.kind === 'json' || value.kind === 'built') {
    return { ...value, type };
  }
  return { kind: 'cast', operand: value, type };
}

/**
 * The type in which the two stand side by side, literals taking that of the other side; undefined where there is none.
 * Faults: bind.unknown-member for text beside an enumeration that has no such member.
 */
export function sharedType(frame: Frame, left: Operand, right: Operand): ValueType | undefined {
  const { model } = frame.session.scope;
  const byLeft = literalType(frame, right, left.value.type);
  if (byLeft !== undefined) return byLeft;
  const byRight = literalType(frame, left, right.value.type);
  return byRight ?? commonType(model, left.value.type, right.value.type);
}

/** The value as a condition. Faults: bind.condition. */
export function asCondition(frame: Frame, operand: Operand): Expression {
  const { value, tree } = operand;
  if (isBoolean(value.type)) return value;
  if (value.type.kind === 'null') return constant(BOOLEAN, null);
  const isUnknown = value.type.kind === 'untyped' && !value.type.collection;
  if (isUnknown && !isObject(value)) return retype(value, BOOLEAN);
  const place = placeOf(frame, tree.at);
  throw new Fault(
    'bind.condition',
    { thing: show(tree), type: typeName(value.type), place },
    { position: tree.at, target: frame.part.target },
  );
}

export function bindCondition(frame: Frame, tree: Tree.Expression): Expression {
  return asCondition(frame, bindOperand(frame, tree));
}

/** A coded value cannot stand where a simple one is asked for; its parts can. Faults: bind.coded. */
export function refuseCoded(frame: Frame, operand: Operand): void {
  const coded = codedParts(operand.value.type);
  if (coded === undefined) return;
  throw new Fault(
    'bind.coded',
    { thing: show(operand.tree), ...coded, place: placeOf(frame, operand.tree.at) },
    { position: operand.tree.at, target: frame.part.target },
  );
}

/** Whether the value is a JSON object of the URL: it has no declared type, but is certainly no primitive value. */
export function isObject({ kind, type }: Expression): boolean {
  return (kind === 'json' || kind === 'built') && type.kind === 'untyped' && !type.collection;
}

/** A single primitive value is needed. Faults: bind.coded, bind.object. */
export function requireSimple(frame: Frame, operand: Operand): void {
  refuseCoded(frame, operand);
  if (!isObject(operand.value)) return;
  throw new Fault(
    'bind.object',
    { thing: show(operand.tree), place: placeOf(frame, operand.tree.at) },
    { position: operand.tree.at, target: frame.part.target },
  );
}

/** The value itself, or of a coded one the Value, which stands for the whole. */
export function codedValue(frame: Frame, value: Expression): Expression {
  const coded = codedParts(value.type);
  if (coded === undefined || value.kind !== 'property' || value.type.kind !== 'complex')
    return value;
  const { model } = frame.session.scope;
  const part = model.members(value.type.type).get(coded.value);
  if (part?.kind !== 'property') return value;
  return { ...value, path: [...value.path, part], type: typeOfReference(model, part) };
}

function literalType(frame: Frame, operand: Operand, type: ValueType): ValueType | undefined {
  const { value, tree } = operand;
  if (value.kind !== 'literal' || value.value === null || type.kind === 'untyped') return undefined;
  if (fitLiteral(value, type) !== undefined) return type;
  if (type.kind !== 'enum' || !isString(value.type)) return undefined;
  const names = type.type.members.map((member) => member.name);
  const name = String(value.value).slice(0, 100);
  throw new Fault(
    'bind.unknown-member',
    { type: type.type.name, name, hint: didYouMean(name, names), place: placeOf(frame, tree.at) },
    { position: tree.at, target: frame.part.target },
  );
}

/** Integers are widened in silence; other changes of class or of precision have to be made. */
function needsCast(from: ValueType, to: ValueType): boolean {
  if (from.kind !== 'primitive' || to.kind !== 'primitive') return false;
  if (primitiveRow(from.name).class !== primitiveRow(to.name).class) return true;
  return hasFraction(from.name) && digitsOf(from) !== digitsOf(to);
}
