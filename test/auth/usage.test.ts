// This file counts the requests of a process by account and client.
import { describe, expect, it } from 'vitest';
import { UsageCounter } from '../../src/auth/usage/count-usage.ts';
import type { RequestObservation } from '../../src/base/observation.ts';

const request: RequestObservation = {
  ...{ kind: 'request', id: '1', method: 'GET', path: 'Persons(7)', route: () => 'Persons(*)' },
  ...{ isPart: false, status: 200, fault: undefined, milliseconds: 1.5, stages: {} },
  ...{ bytes: 100, planCached: undefined, responseCached: undefined, account: 'ada' },
  ...{ apiKey: undefined, client: 'curl/8.5.0', address: '192.0.2.7', trace: undefined },
};

function counted(...requests: readonly Partial<RequestObservation>[]) {
  const counter = new UsageCounter();
  for (const one of requests) counter.observe({ ...request, ...one });
  return counter.take();
}

describe('Usage', () => {
  it('is counted by account and client, without what was requested', () => {
    const [ada, bob, ...others] = counted(
      {},
      { status: 304, bytes: 0 },
      { status: 404 },
      { status: 503 },
      { account: 'bob' },
    );
    const none = { rejected: 0, failed: 0 };
    expect(ada).toEqual({
      ...{ account: 'ada', client: 'curl', requests: 4, rejected: 1, failed: 1 },
      ...{ microseconds: 6000, bytes: 300 },
    });
    expect(bob).toMatchObject({ account: 'bob', client: 'curl', requests: 1, ...none });
    expect(others).toEqual([]);
  });

  it('counts a batch as one request, and none without an account', () => {
    expect(counted({ isPart: true }, { account: undefined })).toEqual([]);
  });

  it('does not count what the service requests itself', () => {
    expect(counted({ account: 'docket schedule', address: '' })).toEqual([]);
  });

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'Mozilla'],
    [
      'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
      'Microsoft.Data.Mashup',
    ],
    ['python-requests/2.32', 'python-requests'],
    ['x'.repeat(300), 'x'.repeat(64)],
    ['(nothing but a comment)', 'unknown'],
    [undefined, 'unknown'],
  ])('of %s belongs to the client %s', (client, name) => {
    expect(counted({ client })[0]?.client).toBe(name);
  });

  it('of an API key belongs to the key, whatever it calls itself', () => {
    expect(counted({ apiKey: 17n }, { apiKey: 17n, client: 'wget/1' })).toMatchObject([
      { client: 'API key 17', requests: 2 },
    ]);
  });

  it('has at most 20 clients of an account, and others together', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ client: `c${index}/1` }));
    const usage = counted(...many, { client: 'c3/2' });
    expect(usage).toHaveLength(21);
    expect(usage.at(-1)).toMatchObject({ client: 'other', requests: 10 });
    expect(usage.find(({ client }) => client === 'c3')?.requests).toBe(2);
  });

  it('is taken once', () => {
    const counter = new UsageCounter();
    counter.observe(request);
    expect([counter.take().length, counter.take().length]).toEqual([1, 0]);
  });
});
