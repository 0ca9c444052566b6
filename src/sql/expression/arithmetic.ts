// This file compiles calculations: whole numbers and durations in the database's own integers, guarded where they could leave 64
// bits, decimals exactly, points in time and dates by functions. OData 4.01 URL Conventions, "Arithmetic Operators".
import { unreachable } from '../../base/fault.ts';
import type { Expression } from '../../bind/bound.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, integer, sql, text, word } from '../fragment.ts';
import { DECIMAL, FLOATING, INTEGER, type Storage, storageOf } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { toStorage } from './convert-storage.ts';

type Arithmetic = Expression & { readonly kind: 'arithmetic' };
type Negation = Expression & { readonly kind: 'negate' };

const SIGNS = { add: '+', sub: '-', mul: '*', div: '/' } as const;
const LARGEST = 2n ** 63n - 1n;

export function compileArithmetic(scope: Scope, expression: Arithmetic): Compiled {
  const left = scope.value(scope, expression.left);
  const right = scope.value(scope, expression.right);
  const storage = resultStorage(expression, left);
  const nullable = left.nullable || right.nullable;
  return { sql: calculate(scope, expression, { left, right, storage }), storage, nullable };
}

export function compileNegation(scope: Scope, expression: Negation): Compiled {
  const operand = scope.value(scope, expression.operand);
  const { storage } = operand;
  if (storage.kind === 'decimal') {
    return { ...operand, sql: scope.dialect.values.decimal('sub', text('0'), operand.sql) };
  }
  if (storage.kind === 'floating') {
    return { ...operand, sql: scope.dialect.values.floating('mul', operand.sql, integer(-1)) };
  }
  const negative = sql`(-${operand.sql})`;
  const isSafe = magnitude(expression.operand) <= LARGEST;
  return { ...operand, sql: isSafe ? negative : scope.dialect.values.checked(negative) };
}

interface Operands {
  readonly left: Compiled;
  readonly right: Compiled;
  readonly storage: Storage;
}

function resultStorage({ type }: Arithmetic, left: Compiled): Storage {
  const storage = storageOf(type);
  if (storage.kind === 'scaled') return DECIMAL;
  // A duration may bring in finer parts of a second than the point in time had.
  const isPoint = storage.kind === 'temporal' && left.storage.kind === 'temporal';
  return isPoint ? { ...storage, digits: Math.max(left.storage.digits, 3) } : storage;
}

function calculate(scope: Scope, expression: Arithmetic, operands: Operands): Fragment {
  const { storage } = operands;
  switch (storage.kind) {
    case 'integer':
      return wholeNumbers(scope.dialect, expression, operands);
    case 'decimal':
      return decimals(scope.dialect, expression, operands);
    case 'floating':
      return doubles(scope.dialect, expression, operands);
    case 'duration':
      return durations(scope.dialect, expression, operands);
    default:
      return moved(scope.dialect, expression, operands);
  }
}

function wholeNumbers(dialect: Dialect, expression: Arithmetic, operands: Operands): Fragment {
  const { operator } = expression;
  const [left, right] = inStorage(dialect, operands, INTEGER);
  if (operator === 'mod' || operator === 'div' || operator === 'divby') {
    return dialect.values.divideInteger(operator === 'mod' ? 'mod' : 'div', left, right);
  }
  const result = sql`(${left} ${word(SIGNS[operator])} ${right})`;
  return magnitude(expression) <= LARGEST ? result : dialect.values.checked(result);
}

function decimals(dialect: Dialect, { operator }: Arithmetic, operands: Operands): Fragment {
  const [left, right] = inStorage(dialect, operands, DECIMAL);
  return dialect.values.decimal(operator, left, right);
}

function doubles(dialect: Dialect, { operator }: Arithmetic, operands: Operands): Fragment {
  const [left, right] = inStorage(dialect, operands, FLOATING);
  return dialect.values.floating(operator === 'divby' ? 'div' : operator, left, right);
}

function durations(
  dialect: Dialect,
  { operator }: Arithmetic,
  { left, right }: Operands,
): Fragment {
  const isSpan = left.storage.kind === 'temporal' || left.storage.kind === 'text';
  if (isSpan) return dialect.values.between(left.sql, right.sql);
  if (left.storage.kind === 'duration' && right.storage.kind === 'duration') {
    return dialect.values.checked(
      sql`(${left.sql} ${word(operator === 'sub' ? '-' : '+')} ${right.sql})`,
    );
  }
  const [duration, factor] = left.storage.kind === 'duration' ? [left, right] : [right, left];
  const exact = factor.storage.kind === 'floating' ? factor : toStorage(dialect, factor, DECIMAL);
  const by = operator === 'mul' || operator === 'divby' ? operator : 'div';
  return dialect.values.stretch(by, duration.sql, exact.sql);
}

function moved(dialect: Dialect, { operator }: Arithmetic, operands: Operands): Fragment {
  const { left, right, storage } = operands;
  const digits = storage.kind === 'temporal' ? storage.digits : undefined;
  return dialect.values.move(left.sql, right.sql, digits, operator === 'sub');
}

function inStorage(
  dialect: Dialect,
  { left, right }: Operands,
  storage: Storage,
): readonly [Fragment, Fragment] {
  return [toStorage(dialect, left, storage).sql, toStorage(dialect, right, storage).sql];
}

/** The largest size that a whole number can have. */
function magnitude(expression: Expression): bigint {
  if (expression.kind === 'arithmetic') return resultMagnitude(expression);
  if (expression.kind === 'negate') return magnitude(expression.operand);
  // A literal's own size does not count: another literal of the type may take its place.
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
