// This file calculates with decimals of any length.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOrder } from '../../src/edm/value/decimal.ts';
import {
  calculateDecimal,
  foldDecimals,
  roundDecimal,
  unscale,
} from '../../src/sql/dialect/decimal-math.ts';

/** Decimals as digits and a scale, and their canonical text. */
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => ({
    digits: digits * 10n ** BigInt(12 - scale),
    text: unscale(digits, scale),
  }));

describe('decimals', () => {
  it('have an order as text that is their order as numbers', () => {
    fc.assert(
      fc.property(decimals, decimals, (left, right) => {
        const [a, b] = [decimalOrder(left.text), decimalOrder(right.text)];
        const byText = a < b ? -1 : a > b ? 1 : 0;
        const byNumber = left.digits < right.digits ? -1 : left.digits > right.digits ? 1 : 0;
        expect(byText).toBe(byNumber);
      }),
    );
  });

  it('are added and taken away without loss', () => {
    fc.assert(
      fc.property(decimals, decimals, ({ text: left }, { text: right }) => {
        expect(calculateDecimal('sub', calculateDecimal('add', left, right), right)).toBe(left);
      }),
    );
  });

  it.each([
    ['add', '0.1', '0.2', '0.3'],
    ['mul', '1.5', '-1.5', '-2.25'],
    ['div', '1', '3', '0.33333333333333333333'],
    ['div', '2', '3', '0.66666666666666666667'],
    ['div', '10', '4', '2.5'],
    ['mod', '-7.5', '2', '-1.5'],
    ['mod', '12345678901234567890.1', '-INF', '12345678901234567890.1'],
    ['add', 'INF', '1', 'INF'],
    ['sub', 'INF', 'INF', 'NaN'],
  ] as const)('%s(%s, %s) is %s', (operator, left, right, expected) => {
    expect(calculateDecimal(operator, left, right)).toBe(expected);
  });

  it.each([
    ['2.5', '3', '2', '3'],
    ['-2.5', '-3', '-3', '-2'],
    ['-0.4', '0', '-1', '0'],
    ['7', '7', '7', '7'],
  ])('%s is rounded to %s, down to %s, up to %s', (text, round, floor, ceiling) => {
    expect(roundDecimal('round', text)).toBe(round);
    expect(roundDecimal('floor', text)).toBe(floor);
    expect(roundDecimal('ceiling', text)).toBe(ceiling);
  });

  it('have a sum, a least and a greatest, and of none null', () => {
    expect(foldDecimals('sum', ['0.1', '0.2', '-5'])).toBe('-4.7');
    expect(foldDecimals('min', ['10', '9', '-1'])).toBe('-1');
    expect(foldDecimals('max', ['10', '9', '-1'])).toBe('10');
    expect(foldDecimals('sum', [])).toBeNull();
  });

  it('cannot be divided by zero', () => {
    expect(() => calculateDecimal('div', '1', '0')).toThrow(
      expect.objectContaining({ code: 'sql.division-by-zero' }),
    );
  });
});
