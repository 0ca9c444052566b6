// This file tests that reads which are recognized by an earlier one get the responses that they would get alone: their own keys in messages,
// the checks of all headers, and the rights that hold now.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from '../../src/request/parse.ts';
import { repeatedRead } from '../../src/service/cache/prepared-plans.ts';
import { RepeatedReads } from '../../src/service/cache/repeated-reads.ts';
import type { Call } from '../../src/service/service.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { FIRST_OF_MANY, REQUEST } from '../journeys/records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const headers = {};
function callOf(url: string): Call {
  const [path = '', query = ''] = url.split('?');
  const [address, root] = ['127.0.0.1', 'http://desk.example/odata/'];
  return { id: '1', method: 'GET', path, query, headers, body: undefined, address, root };
}

describe('what is recognized', () => {
  const limits = { urlLength: 60, queryLength: 1, nodes: 99, depth: 9 };
  const find = (reads: RepeatedReads, call: Call) =>
    reads.find(call, 'm ', { limits, unread: new Map() });
  const treeOf = ({ path, query }: Call, own = limits) =>
    parse({ method: 'GET', path, query, headers }, own);
  const keep = (reads: RepeatedReads, call: Call) => reads.keep(call, 'm ', treeOf(call));

  it.each([
    ['Persons(1)', 'Persons(23)', [23n]],
    ['Persons(1)/Manager', 'Persons(0)/Manager', [0n]],
    ['Persons', 'Persons', []],
    ['Persons(1)/Name', 'Persons(999999999999999)/Name', [999_999_999_999_999n]],
    ['Persons(1)/A(2)', 'Persons(3)/A(2)', [3n, 2n]],
    ['Persons/1/A(1)', 'Persons/1/A(2)', [2n]],
    ["Persons('(1)')", "Persons('(1)')", ['(1)']],
    ['Persons(Uid=1)', 'Persons(Uid=1)', [1n]],
    ['Persons?$filter=ID%20eq%201', 'Persons?$filter=ID%20eq%201', [1n]],
    ['Persons(1)?$filter=ID%20eq%201', 'Persons(2)?$filter=ID%20eq%201', [2n, 1n]],
    ['Persons(1)?$skip=20', 'Persons(2)?$skip=20', [2n, 20n]],
  ])('%s, then %s', (first, second, values) => {
    const reads = new RepeatedReads();
    expect(find(reads, callOf(first))).toBeUndefined();
    keep(reads, callOf(first));
    const found = find(reads, callOf(second));
    expect(found?.values).toEqual(values);
    const alone = treeOf(callOf(second));
    expect(found?.template).toBe(alone.template.text);
    expect(found?.tree.path).toEqual(alone.path);
    expect(found?.tree.options).toEqual(alone.options);
    expect(found?.tree.template.values).toEqual(values);
    expect(found?.tree.negotiated).toEqual(alone.negotiated);
  });

  it.each([
    ['Persons(1)', 'Persons(01)'],
    ['Persons(1)', 'Persons(-1)'],
    ['Persons(1)', 'Persons(1.0)'],
    ['Persons(1)', "Persons('1')"],
    ['Persons(1)', 'Persons(1000000000000000)'],
    ['Persons(1)', 'Persons()'],
    ['Persons(1)', 'Persons(1'],
    ['Persons(1)', 'Persons(1)/Manager'],
    ['Persons(1)/A(2)', 'Persons(1)/A(3)'],
    ['Persons(Uid=1)', 'Persons(Uid=2)'],
    ['Persons?$filter=ID%20eq%201', 'Persons?$filter=ID%20eq%202'],
    ['Persons?$skiptoken=1.a.b.c', 'Persons?$skiptoken=1.a.b.c'],
    ["Persons('(1)')", "Persons('(2)')"],
    ['Persons(1)', `Persons(${'1'.repeat(9)})${'/Manager'.repeat(6)}`],
  ])('not %s, then %s', (first, second) => {
    const reads = new RepeatedReads();
    keep(reads, callOf(first));
    expect(find(reads, callOf(second))).toBeUndefined();
  });

  it('any key of up to 15 digits, without leading zeros', () => {
    const reads = new RepeatedReads();
    keep(reads, callOf('Persons(1)'));
    fc.assert(
      fc.property(fc.stringMatching(/^[-0-9a.]{0,17}$/), (digits) => {
        const isKey = /^(?:0|[1-9]\d{0,14})$/.test(digits);
        const values = find(reads, callOf(`Persons(${digits})`))?.values;
        expect(values).toEqual(isKey ? [BigInt(digits)] : undefined);
      }),
    );
  });

  it('not with a body, nor beyond the limit of URLs', () => {
    const reads = new RepeatedReads();
    const long = callOf(`Persons?$select=${'Name,'.repeat(9)}Name`);
    keep(reads, callOf('Persons'));
    expect(find(reads, { ...callOf('Persons'), body: new Uint8Array() })).toBeUndefined();
    reads.keep(long, 'm ', treeOf(long, { ...limits, urlLength: 99 }));
    expect(find(reads, long)).toBeUndefined();
  });
});

describe('over HTTP', () => {
  /** The second of them is recognized by the first. */
  const readTwice = async () => {
    for (const key of [REQUEST, FIRST_OF_MANY])
      expect((await desk.get(`/ServiceRequests(${key})`)).status).toBe(200);
  };

  it('a read is recognized', async () => {
    await readTwice();
    const sent = { ...callOf(`ServiceRequests(${REQUEST})`), root: desk.root };
    expect(repeatedRead(sent, desk.service)?.values).toEqual([BigInt(REQUEST)]);
  });

  it('messages tell the own key', async () => {
    await readTwice();
    const { status, text } = await desk.get('/ServiceRequests(4000001)');
    expect(status).toBe(404);
    expect(text).toContain('ServiceRequests(4000001)');
  });

  it('invalid headers are rejected', async () => {
    await readTwice();
    const path = `/ServiceRequests(${REQUEST})`;
    expect((await desk.get(path, { 'content-type': 'json' })).status).toBe(400);
    expect((await desk.get(path, { 'if-none-match': 'tag' })).status).toBe(400);
    expect((await desk.get(path, { accept: 'image/png' })).status).toBe(406);
  });

  it('preconditions are checked', async () => {
    await readTwice();
    const path = `/ServiceRequests(${REQUEST})`;
    const etag = String((await desk.get(path)).headers.etag);
    expect((await desk.get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await desk.get(path, { 'if-match': '"other"' })).status).toBe(412);
  });
});
