// This file tests the text of the records that a client knows: any addresses come back, and damaged text is never taken for addresses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  KNOWN,
  MOST_KNOWN_RECORDS,
  readKnown,
  writeKnown,
} from '../../src/plan/read/known-records.ts';

const numeric = fc.integer({ min: 0, max: 999_999_999_999_999 }).map((key) => `Persons(${key})`);
const named = fc.string({ unit: 'grapheme', maxLength: 12 }).map((key) => `Codes('${key}')`);
const paired = fc.stringMatching(/^[😀😁]{1,3}$/u).map((key) => `Codes('${key}')`);
const odd = fc.constantFrom('Persons(007)', 'Persons(-7)', 'Rooms(1,2)', 'Other(7)', '(', 'x');
const addresses = fc.uniqueArray(fc.oneof(numeric, named, paired, odd), { maxLength: 40 });

describe('the text of known records', () => {
  it.each([
    ['numeric keys', fc.uniqueArray(numeric, { maxLength: 40 })],
    ['any keys', addresses],
  ])('contains the addresses, of %s', (_, some) => {
    fc.assert(
      fc.property(some, (list) => {
        const text = writeKnown(list);
        expect(text).toMatch(new RegExp(`^${KNOWN}$`));
        expect([...(readKnown(text ?? '') ?? ['damaged'])].sort()).toEqual([...list].sort());
      }),
    );
  });

  it('has a few bits for each record of a dense set', () => {
    const list = Array.from({ length: 2000 }, (_, index) => `ServiceRequests(${index * 97})`);
    expect(writeKnown(list)?.length).toBeLessThan(2800);
  });

  it('does not exist for more records than fit in a URL', () => {
    const list = Array.from({ length: MOST_KNOWN_RECORDS + 1 }, (_, index) => `Persons(${index})`);
    expect(writeKnown(list)).toBeUndefined();
    expect(writeKnown(list.slice(100))).toHaveLength(7884);
  });

  it('is rejected when it is damaged, or read as other addresses', () => {
    fc.assert(
      fc.property(addresses, fc.nat(), fc.nat(63), (list, place, character) => {
        const text = writeKnown(list) ?? '';
        const at = place % text.length;
        const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        const damaged = text.slice(0, at) + letters[character] + text.slice(at + 1);
        for (const other of [damaged, text.slice(0, at), `${text}A`]) {
          const found = readKnown(other);
          if (found !== undefined) expect(found.every((one) => typeof one === 'string')).toBe(true);
        }
      }),
    );
    const smile = [0xf0, 0x9f, 0x98, 0x80];
    for (const bytes of [
      [0, 0, 3, 97, 0, 98],
      [0, 0, 4, ...smile, 1, 1, 97],
    ])
      expect(readKnown(Buffer.from(bytes).toString('base64url'))).toBeUndefined();
    for (const text of ['', 'A', '.', 'Ag', 'AQhQZXI', 'AP__________', 'AAAJ', 'AAAA'])
      expect([text, readKnown(text)]).toEqual([text, undefined]);
  });
});
