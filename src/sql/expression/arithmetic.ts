// This file compiles arithmetic. Integers and durations use the database's own integers, with an overflow check where the result may
// exceed 64 bits. Decimals are exact. Dates and timestamps use functions. OData 4.01 URL Conventions, "Arithmetic Operators".
import { unreachable } from '../../base/fault.ts';
import type { Expression, ExpressionOf } from '../../bind/bound.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, integer, sql, text, word } from '../fragment.ts';
import { DECIMAL, FLOATING, INTEGER, type Storage, storageOf } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { isNullAsWritten, NULL_VALUE, toStorage } from './convert-storage.ts';

type Arithmetic = ExpressionOf<'arithmetic'>;
type Negation = ExpressionOf<'negate'>;

const SIGNS = { add: '+', sub: '-', mul: '*', div: '/' } as const;
const LARGEST = 2n ** 63n - 1n;

export function compileArithmetic(scope: Scope, expression: Arithmetic): Compiled {
  const left = scope.value(scope, expression.left);
  const right = scope.value(scope, expression.right);
  const storage = resultStorage(expression, left);
  const nullable = left.nullable || right.nullable;
  if (isNullAsWritten(left) || isNullAsWritten(right)) return { ...NULL_VALUE, storage };
  return { sql: calculate(scope, expression, { left, right, storage }), storage, nullable };
}

export function compileNegation(scope: Scope, expression: Negation): Compiled {
  const operand = scope.value(scope, expression.operand);
  const { storage } = operand;
  if (isNullAsWritten(operand)) return operand;
  if (storage.kind === 'decimal') {
    return { ...operand, sql: scope.dialect.values.decimal('sub', text('0'), operand.sql) };
  }
  if (storage.kind === 'floating') {
    return { ...operand, sql: scope.dialect.values.floating('mul', operand.sql, integer(-1)) };
  }
  const negated = sql`(-${operand.sql})`;
  const isSafe = magnitude(expression.operand) <= LARGEST;
  return { ...operand, sql: isSafe ? negated : scope.dialect.values.checked(negated) };
}

interface Operands {
  readonly left: Compiled;
  readonly right: Compiled;
  readonly storage: Storage;
}

function resultStorage({ type }: Arithmetic, left: Compiled): Storage {
  const storage = storageOf(type);
  if (storage.kind === 'scaled') return DECIMAL;
  // A duration may be more precise than the timestamp it is added to.
  const isTimestamp = storage.kind === 'temporal' && left.storage.kind === 'temporal';
  return isTimestamp ? { ...storage, digits: Math.max(left.storage.digits, 3) } : storage;
}

function calculate(scope: Scope, expression: Arithmetic, operands: Operands): Fragment {
  const { storage } = operands;
  switch (storage.kind) {
    case 'integer':
      return calculateIntegers(scope.dialect, expression, operands);
    case 'decimal':
      return calculateDecimals(scope.dialect, expression, operands);
    case 'floating':
      return calculateDoubles(scope.dialect, expression, operands);
    case 'duration':
      return calculateDurations(scope.dialect, expression, operands);
    default:
      return shiftTime(scope.dialect, expression, operands);
  }
}

function calculateIntegers(dialect: Dialect, expression: Arithmetic, operands: Operands): Fragment {
  const { operator } = expression;
  const [left, right] = convertOperands(dialect, operands, INTEGER);
  if (operator === 'mod' || operator === 'div' || operator === 'divby') {
    return dialect.values.divideInteger(operator === 'mod' ? 'mod' : 'div', left, right);
  }
  const result = sql`(${left} ${word(SIGNS[operator])} ${right})`;
  return magnitude(expression) <= LARGEST ? result : dialect.values.checked(result);
}

function calculateDecimals(
  dialect: Dialect,
  { operator }: Arithmetic,
  operands: Operands,
): Fragment {
  const [left, right] = convertOperands(dialect, operands, DECIMAL);
  return dialect.values.decimal(operator, left, right);
}

function calculateDoubles(
  dialect: Dialect,
  { operator }: Arithmetic,
  operands: Operands,
): Fragment {
  const [left, right] = convertOperands(dialect, operands, FLOATING);
  return dialect.values.floating(operator === 'divby' ? 'div' : operator, left, right);
}

function calculateDurations(
  dialect: Dialect,
  { operator }: Arithmetic,
  { left, right }: Operands,
): Fragment {
  const isDifference = left.storage.kind === 'temporal' || left.storage.kind === 'text';
  if (isDifference) return dialect.values.timeDifference(left.sql, right.sql);
  if (left.storage.kind === 'duration' && right.storage.kind === 'duration') {
    return dialect.values.checked(
      sql`(${left.sql} ${word(operator === 'sub' ? '-' : '+')} ${right.sql})`,
    );
  }
  const [duration, factor] = left.storage.kind === 'duration' ? [left, right] : [right, left];
  const exact = factor.storage.kind === 'floating' ? factor : toStorage(dialect, factor, DECIMAL);
  const by = operator === 'mul' || operator === 'divby' ? operator : 'div';
  return dialect.values.scaleDuration(by, duration.sql, exact.sql);
}

function shiftTime(dialect: Dialect, { operator }: Arithmetic, operands: Operands): Fragment {
  const { left, right, storage } = operands;
  const digits = storage.kind === 'temporal' ? storage.digits : undefined;
  return dialect.values.shiftTime(left.sql, right.sql, digits, operator === 'sub');
}

function convertOperands(
  dialect: Dialect,
  { left, right }: Operands,
  storage: Storage,
): readonly [Fragment, Fragment] {
  return [toStorage(dialect, left, storage).sql, toStorage(dialect, right, storage).sql];
}

/** The largest absolute value that an integer expression can have. */
function magnitude(expression: Expression): bigint {
  if (expression.kind === 'arithmetic') return resultMagnitude(expression);
  if (expression.kind === 'negate') return magnitude(expression.operand);
  // Not the value of a literal: the statement may run again with another literal of the type.
  return typeMagnitude(expression.type);
}

function typeMagnitude(type: Expression['type']): bigint {
  const bounds = type.kind === 'primitive' ? primitiveRow(type.name).bounds : undefined;
  if (bounds === undefined) return LARGEST + 1n;
  return -bounds.least > bounds.greatest ? -bounds.least : bounds.greatest;
}

function resultMagnitude({ operator, left, right }: Arithmetic): bigint {
  const [first, second] = [magnitude(left), magnitude(right)];
  switch (operator) {
    case 'add':
    case 'sub':
      return first + second;
    case 'mul':
      return first * second;
    case 'div':
    case 'divby':
    case 'mod':
      return first;
    default:
      return unreachable(operator);
  }
}
