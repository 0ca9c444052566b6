// This file pairs every operator with every other. OData 4.01 URL Conventions, "Operator Precedence".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

/** From the loosest to the tightest; those of one line are equals. OData 4.01 URL Conventions, "Operator Precedence". */
const LEVELS = [
  ['or'],
  ['and'],
  ['eq', 'ne'],
  ['gt', 'ge', 'lt', 'le'],
  ['add', 'sub'],
  ['mul', 'div', 'divby', 'mod'],
] as const;

const power = (operator: string) =>
  LEVELS.findIndex((level) => level.some((one) => one === operator));

/** What the service makes of expressions, all in one request. */
async function values(expressions: readonly string[]): Promise<readonly unknown[]> {
  const compute = expressions.map((one, index) => `${one} as V${index}`).join(',');
  const select = expressions.map((_, index) => `V${index}`).join(',');
  const { status, json } = await zoo.send('POST', '/Animals/$query', {
    headers: { 'content-type': 'text/plain', accept: 'application/json;odata.metadata=none' },
    body: `$top=1&$select=${select}&$compute=${encodeURIComponent(compute)}`,
  });
  expect([status, json.error?.message]).toEqual([200, undefined]);
  return expressions.map((_, index) => json.value[0][`V${index}`]);
}

type Triple = readonly [string, string, string];

const BOOLEANS: readonly Triple[] = ['true', 'false'].flatMap((a) =>
  ['true', 'false'].flatMap((b) => ['true', 'false'].map((c): Triple => [a, b, c])),
);
const NUMBERS: readonly Triple[] = [
  ['17', '5', '3'],
  ['7', '5', '2'],
  ['3', '7', '5'],
  ['-9', '5', '4'],
];

const pairs = (operators: readonly string[]) =>
  operators.flatMap((first) => operators.map((second) => [first, second] as const));

/** Operators that give the same whichever of two is done first. */
const ASSOCIATIVE: ReadonlySet<string> = new Set([
  'or or',
  'and and',
  'add add',
  'mul mul',
  'eq eq',
  'eq ne',
  'ne eq',
  'ne ne',
  'add sub',
  'mul divby',
  'or ge',
  'le or',
  'le ge',
  'and gt',
  'lt and',
  'lt gt',
]);

async function checkPair(first: string, second: string, triples: readonly Triple[]): Promise<void> {
  const isLeft = power(first) >= power(second);
  const plain = triples.map(([a, b, c]) => `${a} ${first} ${b} ${second} ${c}`);
  const left = triples.map(([a, b, c]) => `(${a} ${first} ${b}) ${second} ${c}`);
  const right = triples.map(([a, b, c]) => `${a} ${first} (${b} ${second} ${c})`);
  const found = await values([...plain, ...left, ...right]);
  const count = triples.length;
  const [ofPlain, ofLeft, ofRight] = [0, 1, 2].map((at) =>
    found.slice(at * count, (at + 1) * count),
  );
  expect(ofPlain).toEqual(isLeft ? ofLeft : ofRight);
  if (!ASSOCIATIVE.has(`${first} ${second}`)) expect(ofLeft).not.toEqual(ofRight);
}

describe('every pair of operators is grouped as the standard says', () => {
  it.each(pairs(['or', 'and', 'eq', 'ne', 'gt', 'ge', 'lt', 'le']))(
    'a %s b %s c, of conditions',
    async (first, second) => {
      await checkPair(first, second, BOOLEANS);
    },
  );

  it.each(pairs(['add', 'sub', 'mul', 'div', 'divby', 'mod']))(
    'a %s b %s c, of numbers',
    async (first, second) => {
      await checkPair(first, second, NUMBERS);
    },
  );

  const arithmetic = ['add', 'sub', 'mul', 'div', 'divby', 'mod'];
  const comparing = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];
  it.each(arithmetic.flatMap((one) => comparing.map((other) => [one, other] as const)))(
    'a %s b is calculated before it is compared by %s, on either side',
    async (one, other) => {
      const [behind, before, ...grouped] = await values([
        `17 ${one} 5 ${other} 4`,
        `4 ${other} 17 ${one} 5`,
        `(17 ${one} 5) ${other} 4`,
        `4 ${other} (17 ${one} 5)`,
      ]);
      expect([behind, before]).toEqual(grouped);
    },
  );
});

describe('what stands before or behind one value is tighter than what joins two', () => {
  it.each([
    ['not false lt false', false],
    ['not true and false', false],
    ['not false or true', true],
    ['not true eq false or false', true],
    ['-2 mul -3', 6],
    ['-7 mod 4', -3],
    ['10 sub -3', 13],
    ['-(2 add 3) mul 2', -10],
    ['1 in (1,2) eq true', true],
    ['1 add 1 in (2,3)', 'refused'],
    ["Skills has 'Runs' and Skills has 'Swims'", false],
    ["Skills has 'Runs' eq true", true],
    ['10 sub 3 sub 2', 5],
    ['2 add 3 mul 4 sub 6 div 3', 12],
    ['100 div 10 div 5', 2],
    ['100 div 10 mul 5', 50],
    ['17 mod 10 mod 4', 3],
  ])('%s is %s', async (expression, expected) => {
    if (expected !== 'refused') {
      expect(await values([expression])).toEqual([expected]);
      return;
    }
    const url = `/Animals?$compute=${encodeURIComponent(`${expression} as V`)}`;
    expect((await zoo.get(url)).status).toBe(400);
  });
});
