// This file checks the limits of requests in a minute, of an account and of an address, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/service/rate-limit.ts';
import { type Desk, openDesk } from './desk.ts';

describe('without a limit', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(async () => await desk?.close());

  it('nothing is counted, and nothing is said', async () => {
    const { status, headers } = await desk.get('/Persons');
    expect([status, headers['ratelimit-limit']]).toEqual([200, undefined]);
  });
});

describe('with limits', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ settings: { limits: { accountRequests: 5, addressRequests: 20 } } });
  });
  afterAll(async () => await desk?.close());

  it('an account is told how many requests may follow, and refused when it has sent too many', async () => {
    const statuses: number[] = [];
    for (const path of ['/Persons', '/Nothing', '/$batch', '/Persons', '/Persons'])
      statuses.push((await desk.get(path)).status);
    expect(statuses).toEqual([200, 404, 405, 200, 200]);
    const refused = await desk.get('/Persons');
    expect([refused.status, refused.json.error.code]).toEqual([429, 'service.rate']);
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'retry-after': refused.headers['ratelimit-reset'],
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('another account goes on, until the address has sent too many', async () => {
    const other = desk.as('nobody');
    const first = await other.get('/Nothing');
    expect([first.status, first.headers['ratelimit-remaining']]).toEqual([404, '4']);
    const statuses: number[] = [];
    for (let count = 0; count < 15; count++)
      statuses.push((await desk.as('anonymous').get('/Persons')).status);
    expect(statuses.slice(0, 13)).toEqual(Array(13).fill(401));
    expect(statuses.slice(13)).toEqual([429, 429]);
  });
});

it('a machine with many IPv6 addresses counts as one address', () => {
  const rates = new RateLimiter(() => 0);
  rates.count('address', '2001:db8:1:2::1', 1);
  expect(() => rates.count('address', '2001:db8:1:2:ffff::2', 1)).toThrow(/more than 1 requests/);
  expect(rates.count('address', '2001:db8:1:3::1', 1)).toBeDefined();
});

it('a new minute begins with nothing counted', () => {
  let now = 1000;
  const rates = new RateLimiter(() => now);
  const count = () => rates.count('account', 'ada', 2);
  expect(count()).toMatchObject({ 'RateLimit-Remaining': '1', 'RateLimit-Reset': '60' });
  count();
  now += 59_999;
  expect(count).toThrow(/more than 2 requests/);
  now += 1;
  expect(count()).toMatchObject({ 'RateLimit-Remaining': '1', 'RateLimit-Reset': '60' });
});
