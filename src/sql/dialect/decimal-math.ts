// This file does exact arithmetic on decimals in canonical text. It serves databases without exact decimals of unlimited length.
import { Fault } from '../../base/fault.ts';
import {
  canonicalDecimal,
  decimalOrder,
  digitsAtScale,
  type ScaledInteger,
  scaledInteger,
} from '../../edm/value/decimal.ts';

/** Fraction digits to which quotients are rounded. */
const QUOTIENT_DIGITS = 20;

export type DecimalOperator = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';

/**
 * The result in canonical text. INF, -INF and NaN follow the rules of doubles, as does division by zero with divby.
 * Throws: sql.division-by-zero (div and mod).
 */
export function calculateDecimal(operator: DecimalOperator, left: string, right: string): string {
  const [a, b] = [scaledInteger(left), scaledInteger(right)];
  if (a === undefined || b === undefined) return calculateSpecial(operator, left, right);
  if (operator === 'mul') return write({ digits: a.digits * b.digits, scale: a.scale + b.scale });
  if (b.digits === 0n && operator === 'divby') return calculateSpecial(operator, left, right);
  if (b.digits === 0n && (operator === 'div' || operator === 'mod')) {
    throw new Fault('sql.division-by-zero');
  }
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [digitsAtScale(a, scale), digitsAtScale(b, scale)];
  switch (operator) {
    case 'add':
      return write({ digits: x + y, scale });
    case 'sub':
      return write({ digits: x - y, scale });
    case 'mod':
      return write({ digits: x % y, scale });
    case 'div':
    case 'divby': {
      const digits = divideRounded(x * 10n ** BigInt(QUOTIENT_DIGITS), y);
      return write({ digits, scale: QUOTIENT_DIGITS });
    }
  }
}

export type Rounding = 'round' | 'floor' | 'ceiling';

/** Rounds to an integer; `round` rounds half away from zero. */
export function roundDecimal(mode: Rounding, text: string): string {
  return roundToScale(mode, text, 0);
}

/** Rounds to a number of fraction digits. */
export function roundToScale(mode: Rounding, text: string, scale: number): string {
  const decimal = scaledInteger(text);
  if (decimal === undefined || decimal.scale <= scale) return text;
  const unit = 10n ** BigInt(decimal.scale - scale);
  const { digits } = decimal;
  const down = digits / unit - (digits % unit < 0n ? 1n : 0n);
  const rounded = {
    round: divideRounded(digits, unit),
    floor: down,
    ceiling: digits % unit === 0n ? down : down + 1n,
  };
  return write({ digits: rounded[mode], scale });
}

/** Canonical text of a scaled integer: (1250, 2) is `12.5`. */
export function unscale(digits: bigint, scale: number): string {
  return write({ digits, scale });
}

/** The sum, minimum or maximum of decimals; null if there are none. */
export function foldDecimals(method: string, texts: readonly string[]): string | null {
  const [first, ...others] = texts;
  if (first === undefined) return null;
  if (method === 'sum')
    return others.reduce((sum, one) => calculateDecimal('add', sum, one), first);
  const isBetter = (one: string, best: string) =>
    method === 'min'
      ? decimalOrder(one) < decimalOrder(best)
      : decimalOrder(one) > decimalOrder(best);
  return others.reduce((best, one) => (isBetter(one, best) ? one : best), first);
}

function write({ digits, scale }: ScaledInteger): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  const written = fraction === '' ? whole : `${whole}.${fraction}`;
  return digits === 0n ? '0' : sign + written;
}

function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n !== denominator < 0n;
  const [n, d] = [absolute(numerator), absolute(denominator)];
  const quotient = (2n * n + d) / (2n * d);
  return isNegative ? -quotient : quotient;
}

function absolute(integer: bigint): bigint {
  return integer < 0n ? -integer : integer;
}

function calculateSpecial(operator: DecimalOperator, left: string, right: string): string {
  const number = (text: string) => Number(text.replace('INF', 'Infinity'));
  const [a, b] = [number(left), number(right)];
  // The remainder is the number itself, which a double may not hold exactly.
  if (operator === 'mod' && Math.abs(b) === Number.POSITIVE_INFINITY && Number.isFinite(a))
    return left;
  const results = { add: a + b, sub: a - b, mul: a * b, div: a / b, divby: a / b, mod: a % b };
  const text = String(results[operator]).replace('Infinity', 'INF');
  return canonicalDecimal(text) ?? text;
}
