// This file checks that bodies are read without loss, whichever of the two readers takes them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberText } from '../../src/edm/value/lossless-json.ts';
import { readJson } from '../../src/service/json-body.ts';

const read = (text: string) => readJson(Buffer.from(text, 'utf8'));

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(null, true, false, 0, -0, 1e21, 1e-7, 9007199254740992),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie('tree'), { maxKeys: 4 }),
  ),
}));

describe('a JSON body', () => {
  it('means the same with blanks in it and without', () => {
    const property = fc.property(tree, (value) => {
      const wrapped = { value };
      expect(read(JSON.stringify(wrapped))).toEqual(read(JSON.stringify(wrapped, null, 1)));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    ['{"a":9007199254740993}', { a: 9007199254740993n }],
    [`[${'9'.repeat(101)}]`, [new NumberText('9'.repeat(101))]],
    ['{"a":1.10}', { a: new NumberText('1.10') }],
    ['{"a":1.1}', { a: new NumberText('1.1') }],
    ['{"a":-0}', { a: 0n }],
    ['{"a":1e2}', { a: new NumberText('1e2') }],
    ['[1,{"2":[],"1":{}}]', [1n, { 2: [], 1: {} }]],
    ['"caf\\u00e9"', 'café'],
    ['7', 7n],
  ])('keeps every digit of %s', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each(['{"a":1,"a":2}', '{"a":1', '', '{"a":01}', 'undefined'])(
    'is refused when it is %s',
    (text) => {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'request.body' }));
    },
  );
});
