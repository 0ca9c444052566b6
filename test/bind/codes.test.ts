// This file checks how codes are found by value and text.
import { describe, expect, test } from 'vitest';
import { codeListing, codesByText, hasText, permittedCodes } from '../../src/bind/codes.ts';

const entries = [
  { value: 1n, texts: { en: 'Open', de: 'Offen' }, disabled: false },
  { value: 2n, texts: { en: 'open', de: 'auf' }, disabled: false },
  { value: 3n, texts: { en: 'Done', de: 'Offen' }, disabled: true },
  { value: 4n, texts: { en: 'Straße' }, disabled: true },
];
const listing = codeListing('States', entries);

function values(text: string): readonly bigint[] {
  return codesByText(listing, text).map(({ value }) => value);
}

describe('codes by text', () => {
  test('the same case goes before another one', () => {
    expect(values('Open')).toEqual([1n]);
    expect(values('open')).toEqual([2n]);
    expect(values('OPEN')).toEqual([1n, 2n]);
  });

  test('codes in use go before those that are not', () => {
    expect(values('offen')).toEqual([1n]);
    expect(values('DONE')).toEqual([3n]);
    expect(values('straße')).toEqual([4n]);
  });

  test('blanks and other spellings are not guessed', () => {
    expect(values(' Open')).toEqual([]);
    expect(values('')).toEqual([]);
  });

  test('any language counts for agreement', () => {
    const [open] = entries;
    expect(open !== undefined && hasText(open, 'OFFEN')).toBe(true);
    expect(open !== undefined && hasText(open, 'auf')).toBe(false);
  });

  test('permitted codes are told in the language asked for, or the one there is', () => {
    expect(permittedCodes(listing, 'de')).toBe('1 "Offen", 2 "auf"');
    expect(permittedCodes(listing, 'xx')).toBe('1 "Open", 2 "open"');
    const many = Array.from({ length: 70 }, (_, at) => ({
      value: BigInt(at),
      texts: { en: `c${at}` },
      disabled: false,
    }));
    expect(permittedCodes(codeListing('Many', many), 'en')).toMatch(/59 "c59" and 10 more$/);
  });
});
