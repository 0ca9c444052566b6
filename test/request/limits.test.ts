// This file tests hostile input: nesting on every path ends in a fault, at the limit and far beyond it, and quickly.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import {
  parseApply,
  parseExpand,
  parseFilter,
  parseLiteral,
  parseOptions,
  parsePath,
  parseSearch,
  parseSelect,
} from './pieces.ts';

/** before × n + middle + after × n */
const nest = (before: string, middle: string, after: string) => (levels: number) =>
  `${before.repeat(levels)}${middle}${after.repeat(levels)}`;

const PATHS: readonly (readonly [string, (text: string) => unknown, (levels: number) => string])[] =
  [
    ['parentheses', parseFilter, nest('(', 'a', ')')],
    ['not', parseFilter, nest('not ', 'a', '')],
    ['not()', parseFilter, nest('not(', 'a', ')')],
    ['minus', parseFilter, nest('-', 'a', '')],
    ['minus with blanks', parseFilter, nest('- ', 'a', '')],
    ['calls', parseFilter, nest('f(', 'a', ')')],
    ['named arguments', parseFilter, nest('f(x=', 'a', ')')],
    ['unclosed calls', parseFilter, nest('f(', '', '')],
    ['lambdas', parseFilter, nest('a/any(x:', 'b', ')')],
    ['filter steps', parseFilter, nest('a/$filter(', 'b', ')')],
    ['count options', parseFilter, nest('a/$count($filter=', 'b', ')')],
    ['aggregate steps', parseFilter, nest('a/aggregate(', 'b', ' with sum)')],
    ['keys', parseFilter, nest('a(', '1', ')/b')],
    ['case', parseFilter, nest('case(', 'a:1', ':1)')],
    ['case values', parseFilter, nest('case(a:', '1', ')')],
    ['cast', parseFilter, nest('cast(', 'a', ',b)')],
    ['isof', parseFilter, nest('isof(', 'a', ',b)')],
    ['in', parseFilter, nest('a in (', 'b', ')')],
    ['right sides', parseFilter, nest('a add (', 'b', ')')],
    ['arrays', parseFilter, nest('[', '', ']')],
    ['objects', parseFilter, nest('{"a":', '1', '}')],
    [
      'geographic collections',
      parseLiteral,
      (levels) => `geography'SRID=0;${nest('GeometryCollection(', 'Point(1 2)', ')')(levels)}'`,
    ],
    ['aliases', (text) => parseOptions(`@a=${text}`), nest('(', 'a', ')')],
    ['search parentheses', parseSearch, nest('(', 'a', ')')],
    ['search NOT', parseSearch, nest('NOT ', 'a', '')],
    ['expand', parseExpand, nest('a($expand=', 'b', ')')],
    ['expand and filter', parseExpand, (levels) => `a($filter=${nest('(', 'a', ')')(levels)})`],
    ['select', parseSelect, nest('a($select=', 'b', ')')],
    ['concat', parseApply, nest('concat(', 'identity,identity', ',identity)')],
    ['groupby', parseApply, nest('groupby((a),', 'identity', ')')],
    ['nest', parseApply, nest('nest(', 'identity', ' as a)')],
    ['addnested', parseApply, nest('addnested(a,', 'identity', ' as a)')],
    ['join', parseApply, nest('join(a as b,', 'identity', ')')],
    ['ancestors', parseApply, nest('ancestors($root/A,B,C,', 'identity', ')')],
    ['traverse', parseApply, nest('traverse($root/A,B,C,preorder,', 'identity', ')')],
    [
      'rolluprecursive',
      parseApply,
      (levels) =>
        `groupby((rolluprecursive($root/A,B,C,${nest('ancestors($root/A,B,C,', 'identity', ')')(levels)})))`,
    ],
    [
      'aggregate',
      parseApply,
      (levels) => `aggregate(${nest('(', 'a', ')')(levels)} with sum as b)`,
    ],
    ['path filters', (text) => parsePath(`A/$filter(${text})`), nest('(', 'a', ')')],
  ];

function refusal(read: (text: string) => unknown, text: string): string {
  try {
    read(text);
    return 'read';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Time that grows with the square of the length takes seconds; anything else is done in milliseconds, on a busy machine too. */
const HANG_MS = 1000;

describe('nesting', () => {
  test.each(PATHS)('%s may be 20 levels deep', (_, read, make) => {
    expect(['read', 'request.syntax']).toContain(refusal(read, make(20)));
  });

  test.each(PATHS)('%s 101 levels deep is refused', (_, read, make) => {
    expect(refusal(read, make(101))).toBe('request.too-deep');
  });

  test.each(PATHS)('%s 10,000 levels deep is refused before it is read', (_, read, make) => {
    const text = make(10_000);
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      expect(refusal(read, text)).toBe('request.too-deep');
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(HANG_MS);
  });

  test('a hundred parentheses are the limit', () => {
    const levels = nest('(', 'a', ')');
    expect(refusal(parseFilter, levels(99))).toBe('read');
    expect(refusal(parseFilter, levels(100))).toBe('request.too-deep');
  });
});

describe('width', () => {
  test.each([
    ['or', (count: number) => Array(count).fill('a eq 1').join(' or ')],
    ['in', (count: number) => `a in (${Array(count).fill('1').join(',')})`],
    ['path steps', (count: number) => Array(count).fill('a').join('/')],
    ['arrays', (count: number) => `[${Array(count).fill('1').join(',')}]`],
    ['arguments', (count: number) => `f(${Array(count).fill('1').join(',')})`],
  ])('a filter of a hundred of %s is read, one of 5,000 refused', (_, make) => {
    expect(refusal(parseFilter, make(100))).toBe('read');
    expect(refusal(parseFilter, make(5000))).toBe('request.too-large');
  });

  test.each([
    ['$select', () => parseSelect(Array(5000).fill('a').join(','))],
    ['$expand', () => parseExpand(Array(5000).fill('a').join(','))],
    ['$search', () => parseSearch(Array(5000).fill('a').join(' '))],
    ['$apply', () => parseApply(Array(5000).fill('identity').join('/'))],
    ['aliases', () => parseOptions(Array.from({ length: 5000 }, (_, i) => `@a${i}=1`).join('&'))],
    [
      'custom options',
      () => parseOptions(Array.from({ length: 5000 }, (_, i) => `a${i}=1`).join('&')),
    ],
    ['the path', () => parsePath(Array(5000).fill('a').join('/'))],
  ])('%s of 5,000 parts is refused', (_, read) => {
    expect(refusal(read, '')).toBe('request.too-large');
  });

  test.each(['add', 'mul', 'eq', 'has'])(
    'two hundred values are joined by %s, not one more',
    (operator) => {
      const chain = (count: number) => Array(count).fill('a').join(` ${operator} `);
      expect(refusal(parseFilter, chain(200))).toBe('read');
      expect(refusal(parseFilter, chain(201))).toBe('request.chain');
      expect(refusal(parseFilter, chain(50_000))).toBe('request.chain');
    },
  );

  test('no chain of operators that is read is as high as a thousand', () => {
    const chain = (count: number) => Array(count).fill('a').join(' or ');
    expect(refusal(parseFilter, chain(600))).toBe('read');
    expect(refusal(parseFilter, chain(700))).toBe('request.too-large');
  });
});

describe('long texts', () => {
  test.each([
    ['blanks', ' '.repeat(60_000)],
    ['blanks in a filter', `a${' '.repeat(60_000)}eq${' '.repeat(60_000)}1`],
    ['digits', '1'.repeat(60_000)],
    ['digits with a point', `${'1'.repeat(60_000)}.`],
    ['quotes', "'".repeat(60_001)],
    ['an unclosed string', `'${'a'.repeat(60_000)}`],
    ['a long name', 'a'.repeat(60_000)],
    ['dots', 'a.'.repeat(30_000)],
    ['hyphens', '-1'.repeat(30_000)],
    ['times in case', `case(${'10:20 eq 10:20 and '.repeat(600)}true:1)`],
    ['a duration', `duration'P${'1'.repeat(60_000)}'`],
    ['base64', `binary'${'A'.repeat(60_001)}'`],
    ['semicolons in a search', `a/$count($search=${';a'.repeat(30_000)})`],
    ['backslashes', `["${'\\'.repeat(60_001)}"]`],
  ])('%s are read or refused in time in proportion', (_, text) => {
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      expect(refusal(parseExpression, text)).toMatch(/^read$|^request\./);
      return performance.now() - start;
    });
    // The best of three: others may have the processor meanwhile.
    expect(Math.min(...times)).toBeLessThan(HANG_MS);
  });
});
