// This file parses numbers exactly, without a conversion to double: decimals as text, integers as bigint.
import type { Facets } from '../model.ts';
import { expected, found, type ReadResult } from './read-result.ts';

/** More digits than any double needs; the limit prevents `1e999999999` from exhausting the memory. */
const MAX_DIGITS = 400;

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/;

/**
 * The canonical form of a decimal: no sign on zero, no exponent, no superfluous zeros; `+1.50e1` becomes `15`. Undefined if the text
 * is not a number or has more than 400 digits.
 */
export function canonicalDecimal(text: string): string | undefined {
  const match = NUMBER.exec(text);
  if (match === null || text.length > 2 * MAX_DIGITS) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const point = digits.length - fraction.length + Number(exponent);
  if (Math.abs(point) > MAX_DIGITS || digits.length > MAX_DIGITS) return undefined;
  return (sign === '-' ? '-' : '') + placePoint(digits, point);
}

/** The integer in a decimal text (`12`, `12.0`, `1.2e1`); undefined if it is not an integer. */
export function exactInteger(text: string): bigint | undefined {
  const canonical = canonicalDecimal(text);
  return canonical === undefined || canonical.includes('.') ? undefined : BigInt(canonical);
}

/**
 * Reads a decimal that fits its facets. Without a scale, any number of fraction digits is valid; INF, -INF and NaN only with a
 * floating scale.
 * OData CSDL 4.01, "Precision", "Scale".
 */
export function readDecimal(text: string, facets: Facets): ReadResult {
  if (/^(-?INF|NaN)$/.test(text)) {
    return facets.scale === 'floating' ? found(text) : expected('a finite decimal number');
  }
  const value = canonicalDecimal(text);
  if (value === undefined) return expected('a decimal number such as 12.5');
  return fits(value, facets) ? found(value) : expected(describeDecimal(facets));
}

function fits(value: string, facets: Facets): boolean {
  const [whole = '', fraction = ''] = value.replace('-', '').split('.');
  const wholeDigits = whole === '0' ? 0 : whole.length;
  const { precision, scale = 'variable' } = facets;
  if (scale === 'floating') {
    const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '').length;
    return precision === undefined || significant <= precision;
  }
  if (scale === 'variable')
    return precision === undefined || wholeDigits + fraction.length <= precision;
  const wholeFits = precision === undefined || wholeDigits <= precision - scale;
  return wholeFits && fraction.length <= scale;
}

function describeDecimal({ precision, scale = 'variable' }: Facets): string {
  const digits = precision === undefined ? '' : ` of at most ${precision} digits`;
  const places = typeof scale === 'number' ? `, at most ${scale} of them after the point` : '';
  return `a decimal number${digits}${digits === '' ? places.replace(' of them', '') : places}`;
}

/** A number as `digits` times 10 to the power of `-scale`. */
export interface ScaledInteger {
  readonly digits: bigint;
  readonly scale: number;
}

/** The exact value of a decimal text; undefined if it is not a finite number. */
export function scaledInteger(text: string): ScaledInteger | undefined {
  const canonical = canonicalDecimal(text);
  if (canonical === undefined) return undefined;
  const [whole = '0', fraction = ''] = canonical.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** The digits of the same number at a larger scale. */
export function digitsAtScale({ digits, scale }: ScaledInteger, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

/** Whether the number is an integer multiple of a positive unit. INF, -INF and NaN are not. */
export function isMultiple(text: string, unit: string): boolean {
  const [number, divisor] = [scaledInteger(text), scaledInteger(unit)];
  if (number === undefined || divisor === undefined || divisor.digits === 0n) return false;
  const scale = Math.max(number.scale, divisor.scale);
  return digitsAtScale(number, scale) % digitsAtScale(divisor, scale) === 0n;
}

const OFFSET = 1000;

/** Text that sorts like the numbers: -INF, negative numbers, zero, positive numbers, INF, NaN. */
export function decimalOrder(canonical: string): string {
  const special = { '-INF': 'M', '0': 'O', INF: 'Q', NaN: 'R' }[canonical];
  if (special !== undefined) return special;
  const isNegative = canonical.startsWith('-');
  const [whole = '0', fraction = ''] = canonical.replace('-', '').split('.');
  const all = (whole === '0' ? '' : whole) + fraction;
  const digits = all.replace(/^0+/, '');
  const leading = whole === '0' ? digits.length - all.length : whole.length;
  const key = String(OFFSET + leading).padStart(4, '0') + digits.replace(/0+$/, '');
  if (!isNegative) return `P${key}`;
  return `N${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}:`;
}

/** `point` is the number of digits before the decimal point. It may be negative or exceed the number of digits. */
function placePoint(digits: string, point: number): string {
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits;
  const place = Math.max(point, 1);
  const whole = padded.slice(0, place).padEnd(place, '0');
  const fraction = padded.slice(place).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
