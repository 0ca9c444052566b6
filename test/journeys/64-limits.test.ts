import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, type DeskAnswer, openForeignDesk } from './desk.ts';
import { ZOO } from './zoo-records.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openForeignDesk(oddDefinition, ZOO);
});
afterAll(async () => await zoo?.close());

/** A machine that runs other tests beside this one is given four times as long. */
const ALLOWED_MS = 50 * 4;
const DEEP = 10_000;

const nest = (before: string, middle: string, after: string, levels = DEEP) =>
  `${before.repeat(levels)}${middle}${after.repeat(levels)}`;

async function query(text: string): Promise<DeskAnswer> {
  return await zoo.send('POST', '/Animals/$query', {
    headers: { 'content-type': 'text/plain' },
    body: text,
  });
}

/** The answer of the second of two equal requests, with how long it took; the first one may still compile code. */
async function timed(ask: () => Promise<DeskAnswer>): Promise<[DeskAnswer, number]> {
  await ask();
  const began = performance.now();
  const answer = await ask();
  return [answer, performance.now() - began];
}

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
  ['a long $apply', `$apply=${'identity/'.repeat(DEEP)}identity`],
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
    const before = process.memoryUsage().heapUsed;
    await hostile(HOSTILE.length * 10);
    const grown = (process.memoryUsage().heapUsed - before) / 1024 / 1024;
    expect(grown).toBeLessThan(128);
    expect((await zoo.get('/Animals/$count')).text).toBe('4');
  });
});
