// This file binds add, sub, mul, div, divby, mod and unary minus. Numbers are promoted to a common type; timestamps, dates and durations
// combine as the standard defines. OData 4.01 URL Conventions, "Arithmetic Operators".
import type { Fault } from '../../base/fault.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { ArithmeticOperator, Expression, ValueType } from '../bound.ts';
import { type Frame, faultAt } from '../scope.ts';
import { constant } from './literal.ts';
import { asDynamicNumber, type Operand, promote, requireSimple, retype } from './promotion.ts';
import {
  DATE,
  DECIMAL,
  DURATION,
  digitsOf,
  isDuration,
  isFloating,
  isNumeric,
  type PrimitiveType,
  primitive,
  promoteNumbers,
  singlePrimitive,
  typeName,
} from './types.ts';

/** `left operator right`. Throws: bind.operand, bind.coded, bind.object, bind.division-by-zero. */
export function calculate(
  frame: Frame,
  operator: ArithmeticOperator,
  left: Operand,
  right: Operand,
): Expression {
  requireSimple(frame, left);
  requireSimple(frame, right);
  const first = typed(left.value, typeBeside(operator, right.value.type));
  const second = typed(right.value, typeBeside(operator, left.value.type));
  const mayBeZero = !isDivision(operator) || isFloating(first.type);
  const divisor = mayBeZero ? second : checkDivisor(frame, second, right);
  if (isNumeric(first.type) && isNumeric(divisor.type)) {
    return numericExpression(operator, first, divisor, promoteNumbers(first.type, divisor.type));
  }
  const type = temporalType(operator, first.type, divisor.type);
  if (type === undefined) throw operandFault(frame, operator, left, right);
  return { kind: 'arithmetic', operator, left: first, right: divisor, type };
}

/** `-operand`. Throws: bind.operand, bind.coded, bind.object. */
export function negate(frame: Frame, operand: Operand): Expression {
  requireSimple(frame, operand);
  const value = typed(operand.value, DECIMAL);
  if (isNumeric(value.type)) {
    const row = primitiveRow(value.type.name);
    const type = row.bounds?.least === 0n ? primitive('Edm.Int16') : value.type;
    return { kind: 'negate', operand: value, type };
  }
  if (isDuration(value.type)) return { kind: 'negate', operand: value, type: value.type };
  throw operandFault(frame, '-', operand, operand);
}

/** The type of null, or of a value without a declared type, with the other operand, so that the result has a type. */
function typeBeside(operator: ArithmeticOperator, other: ValueType): PrimitiveType {
  if (other.kind !== 'primitive') return DECIMAL;
  const isSum = operator === 'add' || operator === 'sub';
  if (isDuration(other)) return isSum ? other : DECIMAL;
  const isPoint = other.name === 'Edm.DateTimeOffset' || other.name === 'Edm.Date';
  return isPoint && operator === 'add' ? DURATION : other;
}

function typed(value: Expression, type: PrimitiveType): Expression {
  if (value.type.kind === 'untyped' && !value.type.collection)
    return retype(value, asDynamicNumber(type));
  return value.type.kind === 'null' ? promote(value, type) : value;
}

function numericExpression(
  operator: ArithmeticOperator,
  left: Expression,
  right: Expression,
  promoted: PrimitiveType,
): Expression {
  const isWhole = primitiveRow(promoted.name).class === 'integer';
  const type = operator === 'divby' && isWhole ? DECIMAL : promoted;
  const operandType = primitive(type.name);
  return {
    kind: 'arithmetic',
    operator,
    left: promote(left, operandType),
    right: promote(right, operandType),
    type: operandType,
  };
}

/** The result type for timestamps, dates and durations, or undefined if the operator does not support the operands. */
function temporalType(
  operator: ArithmeticOperator,
  left: ValueType,
  right: ValueType,
): ValueType | undefined {
  const [first, second] = [singlePrimitive(left), singlePrimitive(right)];
  if (first === undefined || second === undefined) return undefined;
  if (operator === 'add' || operator === 'sub') return sumType(operator, first, second);
  if (operator === 'mod') return undefined;
  if (isDuration(first) && isNumeric(second)) return DURATION;
  return operator === 'mul' && isNumeric(first) && isDuration(second) ? DURATION : undefined;
}

function sumType(
  operator: 'add' | 'sub',
  left: PrimitiveType,
  right: PrimitiveType,
): ValueType | undefined {
  const isTimestamp = left.name === 'Edm.DateTimeOffset';
  if (isDuration(right)) {
    if (isTimestamp) return left;
    if (left.name === 'Edm.Date') return DATE;
    return isDuration(left) ? DURATION : undefined;
  }
  const isDifference = operator === 'sub' && left.name === right.name;
  return isDifference && (isTimestamp || left.name === 'Edm.Date')
    ? primitive(
        'Edm.Duration',
        isTimestamp ? { precision: Math.max(digitsOf(left), digitsOf(right)) } : {},
      )
    : undefined;
}

/** Whether division by zero is an error. With divby it is INF, -INF or NaN. OData 4.01 URL Conventions, "Division". */
function isDivision(operator: ArithmeticOperator): boolean {
  return operator === 'div' || operator === 'mod';
}

/** A checked constant is no plan parameter, because a request with a zero divisor must not reuse the cached plan. */
function checkDivisor(frame: Frame, divisor: Expression, operand: Operand): Expression {
  if (divisor.kind !== 'literal') return divisor;
  const isZero = Number(divisor.value) === 0 && divisor.value !== null && !isFloating(divisor.type);
  if (!isZero) return constant(divisor.type, divisor.value);
  throw faultAt(frame, operand.tree.at, 'bind.division-by-zero');
}

function operandFault(
  frame: Frame,
  operator: ArithmeticOperator | '-',
  left: Operand,
  right: Operand,
): Fault {
  const types = [left, right].map((operand) => typeName(operand.value.type));
  return faultAt(frame, left.tree.at, 'bind.operand', {
    operator,
    types: operator === '-' ? (types[0] ?? '') : types.join(' and '),
    hint: hintFor(operator, left.value.type, right.value.type),
  });
}

function hintFor(operator: ArithmeticOperator | '-', left: ValueType, right: ValueType): string {
  const isSwapped = operator === 'add' && isDuration(left) && singlePrimitive(right) !== undefined;
  if (isSwapped && temporalType('add', right, left) !== undefined) {
    return ' Write the duration on the right.';
  }
  const hasText = [left, right].some((type) => singlePrimitive(type)?.name === 'Edm.String');
  return hasText ? ' Use concat(…) to join text, or cast(…) to convert it to a number.' : '';
}
