// This file matches patterns, hostile ones among them, in time that stays in proportion.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../src/edm/value/regular-expression.ts';

/** Patterns over few letters, so that they match often. */
const patterns: fc.Arbitrary<string> = fc.letrec((tie) => ({
  pattern: fc.array(tie('term'), { minLength: 1, maxLength: 4 }).map((terms) => terms.join('')),
  term: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?'))
    .map((parts) => parts.join('')),
  atom: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '\\d', '\\w', '[ab]', '[^a]', '[a-c1]', '\\.', '\\u0061'),
    tie('pattern').map((inner) => `(${inner})`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
  ),
})).pattern as fc.Arbitrary<string>;

const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', '1', '.', ' ', 'é', '😀'), { maxLength: 5 })
  .map((all) => all.join(''));

describe('matchesPattern', () => {
  it('agrees with the platform on patterns that both know', () => {
    fc.assert(
      fc.property(patterns, texts, fc.boolean(), fc.boolean(), (pattern, text, start, end) => {
        // The platform backtracks: on longer patterns and texts it can take minutes.
        fc.pre(pattern.length < 80);
        const anchored = `${start ? '^' : ''}${pattern}${end ? '$' : ''}`;
        expect(matchesPattern(text, anchored)).toBe(new RegExp(anchored, 'u').test(text));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['Peter', '^P.*r$', true],
    ['peter', '^P', false],
    ['a b', '\\bb\\b', true],
    ['ab', '\\Bb', true],
    ['x', '^(?<name>x|y)$', true],
    ['Größe', '^\\p{Lu}\\p{Ll}+$', true],
    ['a\nb', 'a.b', false],
    ['a]b', '[\\]]', true],
    ['-', '[a-]', true],
    ['', '^$', true],
    ['{', '{', true],
  ])('%s by %s: %s', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it.each([
    ['(a', 'an unmatched ('],
    ['a)', 'an unmatched )'],
    ['[a', 'ends unexpectedly'],
    ['*a', 'nothing to repeat'],
    ['(a)\\1', 'back reference'],
    ['(?=a)', 'uses lookahead'],
    ['(?<!a)', 'uses lookahead or lookbehind'],
    ['a{2,1}', 'minimum exceeds its maximum'],
    ['a{5000}', 'repeats more than'],
    ['((a{50}){50}){50}', 'too many nested repetitions'],
    ['[b-a]', 'range'],
    ['\\p{Nonsense}', 'unknown Unicode property'],
    ['('.repeat(60), 'nested too deeply'],
    ['a'.repeat(1001), 'longer than'],
  ])('%s is rejected: it %s', (pattern, reason) => {
    expect(() => matchesPattern('a', pattern)).toThrow(reason);
  });

  /** Backtracking would take longer than anybody waits; anything else is done in milliseconds. */
  const HANG_MS = 15_000;

  it('takes time in proportion to the text, whatever the pattern', () => {
    const text = `${'a'.repeat(5000)}!`;
    const start = performance.now();
    expect(matchesPattern(text, '^(a+)+$')).toBe(false);
    expect(matchesPattern(text, '^(a|aa)*$')).toBe(false);
    expect(performance.now() - start).toBeLessThan(HANG_MS);
  });
});
