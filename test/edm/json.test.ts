// This file reads and writes JSON without losing a digit.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberText, parseExactJson, printJson } from '../../src/edm/value/lossless-json.ts';

describe('Exact JSON', () => {
  it.each([
    ['9007199254740993', 9007199254740993n],
    ['7', 7],
    ['-0.5', -0.5],
    ['1.10', new NumberText('1.10')],
    ['1e400', new NumberText('1e400')],
    ['"12345678901234567890"', '12345678901234567890'],
    ['"a\\"1"', 'a"1'],
    ['"\\\\"', '\\'],
    ['[1,"2",{"3":4}]', [1, '2', { 3: 4 }]],
    ['null', null],
  ])('%s is read as it is', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
    expect(printJson(parseExactJson(text))).toBe(text);
  });

  it('is the same text when it is written again', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(printJson(parseExactJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});
