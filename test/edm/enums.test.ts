// This file checks how values of enumerations are read and written.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEnumJson, parseEnumText, writeEnum } from '../../src/edm/value/enum.ts';
import { enumType } from '../define.ts';

const size = enumType('Shop.Size', { Small: 1, Large: 2 }, { underlying: 'Edm.Byte' });
const pattern = enumType('Shop.Pattern', { Plain: 0, Red: 1, Blue: 2, Solid: 8 }, { flags: true });

function mistake(reading: ReturnType<typeof parseEnumJson>): string {
  return reading.kind === 'mistake' ? reading.expected : '';
}

describe('a value of an enumeration', () => {
  test('is read by name or number', () => {
    expect(parseEnumJson(size, 'Large')).toEqual({ kind: 'value', value: 2n });
    expect(parseEnumJson(size, 1n)).toEqual({ kind: 'value', value: 1n });
    expect(parseEnumJson(size, '7')).toEqual({ kind: 'value', value: 7n });
    expect(parseEnumJson(size, null)).toEqual({ kind: 'value', value: null });
  });

  test('is refused with the names that exist', () => {
    expect(mistake(parseEnumJson(size, 'Lrge'))).toBe(
      'expected a member of Shop.Size: Small, Large. Did you mean "Large"?',
    );
    expect(mistake(parseEnumJson(size, true))).toContain('Small, Large');
    expect(mistake(parseEnumJson(size, 300n))).toContain('Edm.Byte');
    expect(mistake(parseEnumText(size, 'Small,Large'))).toContain('one member only');
  });

  test('can be several flags', () => {
    expect(parseEnumText(pattern, 'Red, Solid')).toEqual({ kind: 'value', value: 9n });
    expect(writeEnum(pattern, 9n)).toBe('Red,Solid');
    expect(writeEnum(pattern, 0n)).toBe('Plain');
    expect(writeEnum(pattern, 16n)).toBe('16');
    expect(writeEnum(size, 3n)).toBe('3');
  });

  test('survives the way to text and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100n }), (value) => {
        expect(parseEnumText(pattern, writeEnum(pattern, value))).toEqual({ kind: 'value', value });
      }),
    );
  });
});
