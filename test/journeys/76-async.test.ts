// This file has requests answered later. OData 4.01 Protocol, "Asynchronous Requests".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPart } from './batches.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { REQUEST } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const ASYNC = { prefer: 'respond-async' };
const CURRENT = { 'odata-maxversion': '4.01' };

const create = async (Description: string, headers: Readonly<Record<string, string>> = ASYNC) =>
  await desk.send('POST', '/ServiceRequests', { headers, body: { Description } });

async function countOf(description: string): Promise<number> {
  const { json } = await desk.get(
    `/ServiceRequests?$filter=Description eq '${description}'&$count=true&$top=0`,
  );
  return json['@odata.count'];
}

/** Asks the monitor until it has an answer. */
async function result(
  monitor: unknown,
  headers: Readonly<Record<string, string>> = CURRENT,
): Promise<DeskAnswer> {
  for (let attempts = 0; attempts < 500; attempts++) {
    const answer = await desk.get(String(monitor), headers);
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the request does not come to an end');
}

describe('Prefer: respond-async', () => {
  it('is answered with 202 and a status monitor, which has the answer in the end', async () => {
    const { status, headers, text } = await create('later');
    expect([status, text]).toEqual([202, '']);
    expect(headers['preference-applied']).toBe('respond-async');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(String(headers.location)).toMatch(/^http:\/\/desk\.example\/odata\/.+/);
    const done = await result(headers.location);
    expect([done.status, done.headers.asyncresult]).toEqual([200, '201']);
    expect(done.json).toMatchObject({ Description: 'later' });
    expect(done.headers.location).toBe(`${desk.root}ServiceRequests(${done.json.Uid})`);
    expect(await countOf('later')).toBe(1);
  });

  it('gives each request a monitor of its own, which can be asked again', async () => {
    const [one, other] = [await create('two monitors'), await create('two monitors')];
    expect(one.headers.location).not.toBe(other.headers.location);
    const first = await result(one.headers.location);
    expect((await result(one.headers.location)).text).toBe(first.text);
  });

  it('works for reads and for batches', async () => {
    const read = await desk.get('/ServiceRequests?$count=true', ASYNC);
    expect((await result(read.headers.location)).json['@odata.count']).toBeGreaterThan(100);
    const requests = [
      { id: '1', method: 'post', url: 'ServiceRequests', body: { Description: 'batch later' } },
      { id: '2', method: 'get', url: '$1', headers: { prefer: 'respond-async' } },
    ];
    const batch = await desk.send('POST', '/$batch', { headers: ASYNC, body: { requests } });
    const done = await result(batch.headers.location);
    expect(done.json.responses).toMatchObject([{ status: 201 }, { status: 200 }]);
    expect(await countOf('batch later')).toBe(1);
  });

  it('tells what went wrong at the monitor', async () => {
    const { headers } = await desk.send('PATCH', '/Persons(999999)', {
      headers: ASYNC,
      body: { Jobtitle: 'x' },
    });
    const done = await result(headers.location);
    expect([done.status, done.headers.asyncresult]).toEqual([200, '404']);
    expect(done.json.error.code).toBe('write.not-found');
  });

  it('is not needed where the client waits long enough', async () => {
    const answer = await create('waited for', { prefer: 'respond-async, wait=20' });
    expect([answer.status, answer.json.Description]).toEqual([201, 'waited for']);
    expect(await countOf('waited for')).toBe(1);
  });

  it('is never answered with 202 where it was not asked for', async () => {
    expect((await create('now', { prefer: 'wait=1' })).status).toBe(201);
  });

  it('takes a token, as everything does', async () => {
    const { status } = await desk.as('anonymous').get('/Persons', ASYNC);
    expect(status).toBe(401);
  });

  it('is remembered for requests that are sent again', async () => {
    const headers = { ...ASYNC, 'idempotency-key': 'async-1' };
    const [first, second] = [await create('once', headers), await create('once', headers)];
    expect(second.status).toBe(202);
    expect(second.headers.location).toBe(first.headers.location);
    await result(first.headers.location);
    expect(await countOf('once')).toBe(1);
  });

  describe('for requests that are sent again without it', () => {
    it('gives the final response, while it is stored', async () => {
      const key = { 'idempotency-key': 'async-2' };
      const first = await create('final', { ...ASYNC, ...key });
      const done = await result(first.headers.location);
      const again = await create('final', key);
      expect([again.status, again.headers.location]).toEqual([201, done.headers.location]);
      expect(await countOf('final')).toBe(1);
      await desk.send('DELETE', String(first.headers.location));
      const deleted = await create('final', key);
      expect([deleted.status, deleted.json.error.code]).toEqual([404, 'async.unknown']);
    });

    it('runs batches once, in either order', async () => {
      const requests = [
        { id: '1', method: 'post', url: 'ServiceRequests', body: { Description: 'batch once' } },
      ];
      const send = async (headers: Readonly<Record<string, string>>) =>
        await desk.send('POST', '/$batch', { headers, body: { requests } });
      const key = { 'idempotency-key': 'async-3' };
      const first = await send({ ...ASYNC, ...key });
      const done = await result(first.headers.location);
      expect((await send(key)).json).toEqual(done.json);
      expect(await countOf('batch once')).toBe(1);
      const other = { 'idempotency-key': 'async-4' };
      const now = await send(other);
      const later = await send({ ...ASYNC, ...other });
      expect(later.status).toBe(200);
      expect(later.json.responses[0].body).toEqual(now.json.responses[0].body);
      expect(await countOf('batch once')).toBe(2);
    });
  });
});

describe('The answer at a status monitor', () => {
  it('is an HTTP message for 4.0, and where Accept asks for one', async () => {
    const { headers } = await desk.get(`/ServiceRequests(${REQUEST})?$select=Uid`, ASYNC);
    const alone = await desk.get(`/ServiceRequests(${REQUEST})?$select=Uid`);
    for (const asking of [
      {},
      { 'odata-maxversion': '4.0' },
      { accept: 'application/http', ...CURRENT },
    ]) {
      const done = await result(headers.location, asking);
      expect([done.status, done.headers['content-type']]).toEqual([200, 'application/http']);
      const message = readPart(done.text);
      expect([message.status, message.text]).toEqual([200, alone.text]);
      expect(message.headers.etag).toBe(alone.headers.etag);
    }
  });

  it('is the answer itself for 4.01, or where 4.0 accepts something else', async () => {
    const { headers } = await desk.get('/Workgroups', ASYNC);
    for (const asking of [CURRENT, { accept: 'application/json' }]) {
      const done = await result(headers.location, asking);
      expect([done.headers.asyncresult, done.json.value.length]).toEqual(['200', 1]);
    }
  });

  it('is for the account that asked', async () => {
    const { headers } = await desk.get('/Workgroups', ASYNC);
    const monitor = String(headers.location);
    expect((await desk.as('nobody').get(monitor)).status).toBe(404);
    expect((await desk.as('nobody').send('DELETE', monitor)).status).toBe(404);
    expect((await desk.as('anonymous').get(monitor)).status).toBe(401);
    expect((await result(monitor)).status).toBe(200);
  });

  it('can be let go of: then the monitor is gone', async () => {
    const { headers } = await desk.get('/Workgroups', ASYNC);
    const monitor = String(headers.location);
    await result(monitor);
    const remove = async () => (await desk.send('DELETE', monitor)).status;
    expect([await remove(), (await desk.get(monitor)).status, await remove()]).toEqual([
      204, 404, 404,
    ]);
  });

  it('can be asked for in a batch', async () => {
    const { headers } = await desk.get('/Workgroups', ASYNC);
    await result(headers.location);
    const requests = [{ id: '1', method: 'get', url: String(headers.location) }];
    const { json } = await desk.send('POST', '/$batch', { headers: CURRENT, body: { requests } });
    expect(json.responses).toMatchObject([
      { status: 200, headers: { asyncresult: '200' }, body: { value: [{}] } },
    ]);
  });

  it('takes no other method, and unknown monitors are not there', async () => {
    const { headers } = await desk.get('/Workgroups', ASYNC);
    const posted = await desk.send('POST', String(headers.location), { body: {} });
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD, DELETE']);
    expect((await desk.get('/$async/unknown')).status).toBe(404);
  });
});

describe('A restart', () => {
  it('keeps monitors and answers', async () => {
    const { headers } = await create('kept');
    const before = await result(headers.location);
    desk = await desk.restart();
    expect((await result(headers.location)).text).toBe(before.text);
  });

  it('does not lose what was accepted and not yet done, and does it once', async () => {
    const accepted = await Promise.all(
      Array.from({ length: 12 }, async () => (await create('over the restart')).headers.location),
    );
    desk = await desk.restart();
    desk = await desk.restart();
    for (const monitor of accepted) expect((await result(monitor)).headers.asyncresult).toBe('201');
    expect(await countOf('over the restart')).toBe(12);
  });
});
