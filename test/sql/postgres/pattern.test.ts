// This file compares the regular expressions of PostgreSQL with those of matchesPattern, for random patterns and texts.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../src/edm/value/regular-expression.ts';
import { postgresPattern } from '../../../src/sql/dialect/postgres/pattern.ts';
import { type Connection, connect } from './connection.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await connect();
});

afterAll(() => connection.close());

const ATOMS =
  'a b . ^ $ \\b \\B \\d \\D \\w \\W \\s \\S [ab] [^a] [a-c1] [] [^] [\\d_] [^\\W] [\\]-] - \\. \\u0061 \\x41 \\n \\p{L} \\P{L} \\p{Lu} \\u{1F600} ( ) é 😀 ] } { \\0 [\\b] \\s{0} \\b+ (?:) (?<n>a)';

const patterns: fc.Arbitrary<string> = fc.letrec<{ pattern: string; term: string; atom: string }>(
  (tie) => ({
    pattern: fc.array(tie('term'), { minLength: 1, maxLength: 4 }).map((terms) => terms.join('')),
    term: fc
      .tuple(
        tie('atom'),
        fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '{0}'),
      )
      .map((parts) => parts.join('')),
    atom: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      fc.constantFrom(...ATOMS.split(' ')),
      tie('pattern').map((inner) => `(${inner})`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      tie('pattern').map((inner) => `(|${inner})`),
    ),
  }),
).pattern;

const texts = fc
  .array(fc.constantFrom(...'abc1.A_ -é😀\n\r\u2028\u0001\u0008\u00a0Ωß]}{'), { maxLength: 6 })
  .map((all) => all.join(''));

/** The result of a function; undefined if it rejects the pattern. */
function attempt<Result>(of: () => Result): Result | undefined {
  try {
    return of();
  } catch {
    return undefined;
  }
}

interface Case {
  readonly text: string;
  readonly translated: string;
}

/** Matches all cases in one statement, or in smaller ones to find the patterns that are too complex for PostgreSQL. */
async function matchAll(cases: readonly Case[]): Promise<readonly string[]> {
  try {
    const rows = await connection.rows(
      'SELECT docket_matches(a, b) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS calls(a, b, place) ORDER BY place',
      [cases.map((one) => one.text), cases.map((one) => one.translated)],
    );
    return rows.map(([result]) => String(result));
  } catch (error) {
    if (!String(error).includes('too complex')) throw error;
    if (cases.length === 1) return ['too complex'];
    const middle = cases.length >> 1;
    const first = await matchAll(cases.slice(0, middle));
    return [...first, ...(await matchAll(cases.slice(middle)))];
  }
}

describe('patterns', () => {
  it('match the same texts in PostgreSQL', async () => {
    // Both take seconds for a few long patterns with nested repetitions.
    const short = patterns.filter((pattern) => pattern.length < 50);
    const cases = fc.sample(fc.tuple(short, texts), 2000).flatMap(([pattern, text]) => {
      const translated = attempt(() => postgresPattern(pattern));
      const expected = attempt(() => matchesPattern(text, pattern));
      expect(translated === undefined, pattern).toBe(expected === undefined);
      return translated === undefined ? [] : [{ pattern, text, translated, expected }];
    });
    const results = await matchAll(cases);
    const differences = cases.filter((one, index) => {
      const result = results[index];
      return result !== 'too complex' && (result === 't') !== one.expected;
    });
    expect(differences.slice(0, 5)).toEqual([]);
    const rejected = results.filter((result) => result === 'too complex').length;
    expect(rejected).toBeLessThan(cases.length / 50);
    expect(cases.length).toBeGreaterThan(700);
  });

  it.each([
    ['^a{300}$', 'a'.repeat(300), true],
    ['^a{300}$', 'a'.repeat(299), false],
    ['^a{256,600}$', 'a'.repeat(600), true],
    ['^a{256,600}$', 'a'.repeat(601), false],
    ['^(a+)+$', `${'a'.repeat(5000)}!`, false],
    ['^(a|aa)*$', `${'a'.repeat(5000)}!`, false],
  ])('%s', async (pattern, text, expected) => {
    const [row] = await connection.rows('SELECT docket_matches($1, $2)', [
      text,
      postgresPattern(pattern),
    ]);
    expect(row?.[0]).toBe(expected ? 't' : 'f');
  });
});
