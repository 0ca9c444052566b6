// This file takes multipart bodies apart that come in any pieces, with parts that look like boundaries, almost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readParts } from '../../src/attachments/multipart.ts';

const BOUNDARY = 'ab-a';

/** Bytes made of what boundaries are made of. */
const content = fc
  .array(
    fc.constantFrom('\r', '\n', '\r\n', '-', '--', 'a', 'ab', 'ab-', '\r\n--ab-', 'x', '\r\n--'),
    {
      maxLength: 30,
    },
  )
  .map((texts) => texts.join('').replaceAll(`\r\n--${BOUNDARY}`, '!'))
  // What stands before the boundary must not make one together with it.
  .filter((text) => !`${text}\r\n--`.includes(`\r\n--${BOUNDARY}`));

/** The text in pieces that end at random places. */
function* split(text: string, sizes: readonly number[]): Generator<Uint8Array> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0, turn = 0; at < bytes.byteLength; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    yield new Uint8Array(bytes.subarray(at, end));
    at = end;
  }
}

async function* coming(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function readAll(
  text: string,
  sizes: readonly number[],
): Promise<readonly [name: string | undefined, bytes: string][]> {
  const found: [string | undefined, string][] = [];
  for await (const { headers, bytes } of readParts(coming(split(text, sizes)), BOUNDARY)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    found.push([headers.name, Buffer.concat(pieces).toString('latin1')]);
  }
  return found;
}

function written(parts: readonly string[], preamble: string): string {
  const all = parts.map((part, index) => `--${BOUNDARY}\r\nName: ${index}\r\n\r\n${part}\r\n`);
  return `${preamble}${all.join('')}--${BOUNDARY}--\r\n`;
}

const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });

describe('parts', () => {
  it('are those that were written, whatever pieces they come in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', 'before\r\n'),
        sizes,
        async (parts, preamble, cuts) => {
          const expected = parts.map((part, index) => [String(index), part]);
          expect(await readAll(written(parts, preamble), cuts)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('that do not end are refused, wherever they break off', async () => {
    const text = written(['one', 'two\r\n--ab-'], '');
    const whole = text.length - '\r\n'.length;
    for (let end = 0; end < whole; end++)
      for (const cut of [1, 3, 50])
        await expect(readAll(text.slice(0, end), [cut])).rejects.toMatchObject({
          code: 'file.form',
        });
    expect(await readAll(text.slice(0, whole), [5])).toHaveLength(2);
  });
});
