// This file makes many records by each way in which a client can send many at once. How fast that is, bench/bulk.mjs measures.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipart } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { CALLER } from './records.ts';

const MANY = 1000;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const bodies = Array.from({ length: MANY }, (_, index) => ({
  Description: `Printer number ${index} is on fire`,
  Information: 'Smoke since nine.\nSecond line.',
  Status: { Value: 101003 },
  Priority: { Value: 110001 },
  Deadline: '2026-03-30T14:30:00.000Z',
  'Caller@odata.bind': `Persons(${CALLER})`,
}));

const JSON_TYPE = { 'content-type': 'application/json' };

const ways = {
  'a JSON batch of one group': async () => {
    const requests = bodies.map((body, index) => ({
      id: String(index),
      atomicityGroup: 'all',
      method: 'POST',
      url: 'ServiceRequests',
      headers: JSON_TYPE,
      body,
    }));
    return await desk.send('POST', '/$batch', { body: { requests } });
  },
  'a change set of a multipart batch': async () => {
    const parts = bodies.map((body) => ({ method: 'POST', url: 'ServiceRequests', body }));
    const headers = { 'content-type': 'multipart/mixed; boundary="batch_of:tests"' };
    return await desk.send('POST', '/$batch', { headers, body: multipart([parts]) });
  },
  'a deep insert': async () => {
    const Workorders = bodies.map(({ Description }) => ({ Description }));
    const body = { Description: 'All at once', Workorders };
    return await desk.send('POST', '/ServiceRequests', {
      body,
      headers: { prefer: 'return=minimal' },
    });
  },
  'a list of changes': async () => {
    const value = bodies.map(({ Description }) => ({ Description }));
    return await desk.send('PATCH', '/Workorders', {
      body: { '@context': '#$delta', value },
      headers: { 'odata-version': '4.01', 'odata-maxversion': '4.01' },
    });
  },
} as const;

async function count(): Promise<number> {
  const [requests, orders] = [
    await desk.get('/ServiceRequests/$count'),
    await desk.get('/Workorders/$count'),
  ];
  return Number(requests.text) + Number(orders.text);
}

describe('A thousand records at once', () => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])(
    'are all made by %s',
    { timeout: 60_000 },
    async (way) => {
      const before = await count();
      const answer = await ways[way]();
      expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(300);
      expect(await count()).toBeGreaterThanOrEqual(before + MANY);
    },
  );
});
