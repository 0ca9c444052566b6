// This file sends what is nested, repeated or broad without end: it is refused at once, or answered.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk, DeskAnswer } from './desk.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => await zoo?.close());

/** A machine that runs other tests beside this one is given four times as long. */
const ALLOWED_MS = 5000;
const DEEP = 10_000;

const nest = (before: string, middle: string, after: string, levels = DEEP) =>
  `${before.repeat(levels)}${middle}${after.repeat(levels)}`;

async function query(text: string): Promise<DeskAnswer> {
  return await zoo.send('POST', '/Animals/$query', {
    headers: { 'content-type': 'text/plain' },
    body: text,
  });
}

/** The answer, with the best time of three equal requests: other tests run beside this one, and the first one still compiles code. */
async function timed(ask: () => Promise<DeskAnswer>): Promise<[DeskAnswer, number]> {
  let best = Number.POSITIVE_INFINITY;
  let answer = await ask();
  for (let turn = 0; turn < 3 && best > ALLOWED_MS / 4; turn++) {
    const began = performance.now();
    answer = await ask();
    best = Math.min(best, performance.now() - began);
  }
  return [answer, best];
}

/** Forty definitions, each of which uses the one before or after it twice. */
const doubled = (write: (at: number) => string, separator: string) =>
  Array.from({ length: 40 }, (_, at) => write(at)).join(separator);

const ALIASES = `$filter=Id eq @a0&${doubled((at) => `@a${at}=@a${at + 1} add @a${at + 1}`, '&')}&@a40=1`;
const COMPUTED = `$compute=Id as C0,${doubled((at) => `C${at} add C${at} as C${at + 1}`, ',')}&$select=C40`;

const HOSTILE: readonly (readonly [string, string])[] = [
  ['parentheses', `$filter=${nest('(', 'true', ')')}`],
  ['not', `$filter=${nest('not ', 'Tame', '')}`],
  ['minus signs', `$filter=${nest('-', 'Weight', '')} eq 1`],
  ['calls', `$filter=${nest('trim(', 'Name', ')')} eq 'x'`],
  ['calls that are never closed', `$filter=${nest('trim(', '', '')}`],
  ['lambdas', `$filter=${nest('Children/any(c:', 'true', ')')}`],
  ['counts', `$filter=${nest('Children/$count($filter=', 'true', ')')}`],
  ['case', `$filter=${nest('case(true:', '1', ')')} eq 1`],
  ['arrays', `$filter=Name in ${nest('[', '', ']')}`],
  ['objects', `$filter=Care eq ${nest('{"Room":', '1', '}')}`],
  ['an alias', `$filter=@a&@a=${nest('(', 'true', ')')}`],
  ['paths', `$filter=${'Mother/'.repeat(DEEP)}Name eq 'x'`],
  ['$search', `$search=${nest('(', 'a', ')')}`],
  ['$search with NOT', `$search=${nest('NOT ', 'a', '')}`],
  ['$expand', `$expand=${nest('Children($expand=', 'Children', ')')}`],
  ['$select', `$select=${nest('Care($select=', 'Since', ')')}`],
  ['$orderby', `$orderby=${nest('(', 'Name', ')')}`],
  ['$compute', `$compute=${nest('(', 'Weight', ')')} as W`],
  ['concat in $apply', `$apply=${nest('concat(', 'identity,identity', ',identity)')}`],
  ['groupby in $apply', `$apply=${nest('groupby((Tame),', 'identity', ')')}`],
  [
    'concat in $apply behind each other',
    `$apply=${'concat(identity,top(1))/'.repeat(DEEP)}identity`,
  ],
  ['joins in $apply', `$apply=${nest('join(Children as C,', 'identity', ')')}`],
  ['nest in $apply', `$apply=${nest('nest(', 'identity', ' as N)')}`],
  ['addnested in $apply', `$apply=${nest('addnested(Children,', 'identity', ' as N)')}`],
  [
    'walks in $apply',
    `$apply=${nest('ancestors($root/AllSpecies,Tree,Latin,', 'identity', ')', 5000)}`,
  ],
  ['parentheses in $apply', `$apply=filter(${nest('(', 'Tame', ')')})`],
  ['$search in $apply', `$apply=search(${nest('(', 'a', ')')})`],
  ['$search in $count', `$filter=Children/$count($search=${nest('NOT ', 'a', '')}) gt 1`],
  ['$filter in $expand', `$expand=Children($filter=${nest('(', 'Tame', ')')})`],
  ['lambdas in $orderby', `$orderby=${nest('Children/any(c:', 'true', ')')}`],
  ['$apply in $expand', `$expand=Children($apply=${nest('groupby((Tame),', 'identity', ')')})`],
  ['places', `$filter=Place eq geography'SRID=0;${nest('Collection(', 'Point(1 2)', ')')}'`],
  ['a sum', `$filter=${'1 add '.repeat(DEEP)}1 gt 5`],
  ['comparisons of comparisons', `$filter=${'Tame eq '.repeat(DEEP)}true`],
  ['a sum that the grammar can read', `$filter=${'1 add '.repeat(600)}1 gt 5`],
  ['a path that the grammar can read', `$filter=${'Mother/'.repeat(80)}Name eq 'x'`],
  ['words to look for', `$search=${'a '.repeat(DEEP)}`],
  ['a long $apply', `$apply=${'identity/'.repeat(DEEP)}identity`],
  ['aliases of aliases', ALIASES],
  ['computed properties of computed ones', COMPUTED],
  ['unions of unions', `$apply=${'concat(identity,identity)/'.repeat(20)}aggregate($count as N)`],
  ['wide $expand', `$expand=${Array.from({ length: DEEP }, () => 'Children').join(',')}`],
  ['a wide $select', `$select=${Array.from({ length: DEEP }, (_, at) => `N${at}`).join(',')}`],
  ['a wide $orderby', `$orderby=${Array.from({ length: DEEP }, () => 'Name').join(',')}`],
];

/** Each of the levels asks for five relations of every record. */
function bomb(levels: number): string {
  const relations = ['Mother', 'Children', 'Enclosure', 'Keepers', 'Species'];
  if (levels === 0) return relations.join(',');
  return `Mother($expand=${bomb(levels - 1)}),Children($expand=${bomb(levels - 1)})`;
}

describe('What is nested or repeated without end is refused at once', () => {
  it.each(HOSTILE)('%s', async (_name, text) => {
    const [answer, took] = await timed(async () => await query(text));
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toMatch(/./);
    expect(answer.text.length).toBeLessThan(2000);
    expect(took).toBeLessThan(ALLOWED_MS);
  });

  it.each([
    ['levels', '$expand=Children($levels=1000000)'],
    ['breadth', `$expand=${bomb(7)}`],
    ['levels of everything', '$expand=*($levels=1000)'],
  ])('an expansion that explodes by %s', async (_name, text) => {
    const [answer, took] = await timed(async () => await query(text));
    expect([answer.status, answer.json.error?.message]).toEqual([400, expect.stringMatching(/./)]);
    expect(took).toBeLessThan(ALLOWED_MS);
  });

  it('a URL over its limit: 414, and the way out is named', async () => {
    const [answer, took] = await timed(
      async () =>
        await zoo.get(`/Animals?$filter=Name eq '${'x'.repeat(20_000)}'`.replaceAll(' ', '%20')),
    );
    expect([answer.status, answer.json.error.message]).toEqual([
      414,
      expect.stringContaining('$query'),
    ]);
    expect(took).toBeLessThan(ALLOWED_MS);
  });

  it.each([
    ['of 3 MB', `$filter=Name eq '${"''".repeat(1_500_000)}'`, 413, 'request.body-too-large'],
    [
      'with an integer of 250,000 digits',
      `$filter=Id eq ${'9'.repeat(250_000)}`,
      400,
      'bind.literal',
    ],
  ])('a query in a body %s', async (_name, body, status, code) => {
    const [answer, took] = await timed(async () => await query(body));
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(took).toBeLessThan(ALLOWED_MS);
  });

  it.each([
    ['arrays', nest('[', '', ']', 100_000)],
    ['objects', nest('{"a":', '1', '}', 100_000)],
    ['a property', `{"Name":${nest('[', '', ']', 100_000)}}`],
    ['related records', nest('{"Name":"x","Mother":', 'null', '}', 20_000)],
  ])('a JSON body of deep %s', async (_name, body) => {
    const headers = { 'content-type': 'application/json' };
    const [answer, took] = await timed(
      async () => await zoo.send('POST', '/Animals', { headers, body }),
    );
    expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringMatching(/./)]);
    expect(took).toBeLessThan(ALLOWED_MS);
  });

  it('memory stays flat over hundreds of them, and the service goes on', async () => {
    const hostile = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        await query(HOSTILE[turn % HOSTILE.length]?.[1] ?? '');
      }
    };
    await hostile(HOSTILE.length * 2);
    const before = heapInUse();
    await hostile(HOSTILE.length * 10);
    expect((heapInUse() - before) / 1024 / 1024).toBeLessThan(16);
    expect((await zoo.get('/Animals/$count')).text).toBe('4');
  });
});

/** Bytes in use once everything that is no longer needed has been collected. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('garbage cannot be collected on demand');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe('What is broad but flat is answered', () => {
  const many = (count: number, one: (at: number) => string, between: string) =>
    Array.from({ length: count }, (_, at) => one(at)).join(between);

  it.each([
    [
      'a thousand ORs',
      `$filter=${many(1000, (at) => `Name eq 'x${at}'`, ' or ')} or Name eq 'Rex'`,
    ],
    [
      'a thousand ORs of different kinds',
      `$filter=${many(1000, (at) => `(Number gt ${at + 5} and Tame)`, ' or ')} or Name eq 'Rex'`,
    ],
    [
      'a thousand ANDs',
      `$filter=${many(1000, (at) => `Name ne 'x${at}'`, ' and ')} and Weight gt 2`,
    ],
    [
      'in, with two thousand texts',
      `$filter=Name in (${many(2000, (at) => `'x${at}'`, ',')},'Rex')`,
    ],
    [
      'in, with two thousand numbers',
      `$filter=Number in (${many(2000, (at) => `${at + 4}`, ',')})`,
    ],
    ['a search for a thousand words', `$search=${many(1000, (at) => `w${at}`, ' OR ')} OR wild`],
    ['a sum of a hundred and fifty', `$filter=${many(150, () => 'Weight', ' add ')} gt 1000`],
  ])('%s', async (_name, text) => {
    const { status, json } = await query(`${text}&$select=Name`);
    expect([status, json.error?.message]).toEqual([200, undefined]);
    expect(json.value.map(({ Name }: { Name: string }) => Name)).toEqual(['Rex']);
  });
});
