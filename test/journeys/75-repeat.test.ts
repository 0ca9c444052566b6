// This file sends writes again whose answers were lost. OASIS Repeatable Requests 1.0.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { type PartAnswer, sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { RECORDS, REQUEST } from './records.ts';

const entities = entityKeys(suiteModel());

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
});
afterAll(async () => await desk.close());

let keys = 0;
const newKey = () => `key-${++keys}`;

const repeatable = (id: string, sent = new Date()) => ({
  'repeatability-request-id': id,
  'repeatability-first-sent': sent.toUTCString(),
});

const create = async (headers: Readonly<Record<string, string>>, Description: string) =>
  await desk.send('POST', '/ServiceRequests', { headers, body: { Description } });

async function countOf(description: string): Promise<number> {
  const { json } = await desk.get(
    `/ServiceRequests?$filter=Description eq '${description}'&$count=true&$top=0`,
  );
  return json['@odata.count'];
}

/** What must be the same in both answers. */
const essence = ({ status, headers, text }: DeskAnswer) => [
  status,
  text,
  headers.location,
  headers.etag,
  headers['content-type'],
  headers['preference-applied'],
];

describe('A write that is sent again with the same id', () => {
  it.each([
    ['Repeatability-Request-ID', (id: string) => repeatable(id)],
    ['Idempotency-Key', (id: string) => ({ 'idempotency-key': `"${id}"` })],
  ])('gets the first answer, and nothing happens twice (%s)', async (header, headersOf) => {
    const headers = headersOf(newKey());
    const first = await create(headers, header);
    const second = await create(headers, header);
    expect(first.status).toBe(201);
    expect(essence(second)).toEqual(essence(first));
    expect(await countOf(header)).toBe(1);
  });

  it('is told that it was accepted', async () => {
    const headers = repeatable(newKey());
    const first = await create(headers, 'told');
    const second = await create(headers, 'told');
    expect(first.headers['repeatability-result']).toBe('accepted');
    expect(second.headers['repeatability-result']).toBe('accepted');
  });

  it('is recognized by either header', async () => {
    const id = newKey();
    const first = await create({ 'idempotency-key': id }, 'either');
    const second = await create(repeatable(id), 'either');
    expect(essence(second)).toEqual(essence(first));
    expect(await countOf('either')).toBe(1);
  });

  it('gets the first answer to PATCH, PUT, DELETE and $ref as well, whatever became of the record since', async () => {
    const { json } = await create({}, 'changed and deleted');
    const path = `/ServiceRequests(${json.Uid})`;
    const twice = async (method: string, to: string, body?: unknown) => {
      const { etag } = (await desk.get(path)).headers;
      const headers = { ...repeatable(newKey()), 'if-match': String(etag) };
      const first = await desk.send(method, to, { headers, body });
      const second = await desk.send(method, to, { headers, body });
      expect([method, ...essence(second)]).toEqual([method, ...essence(first)]);
      return first.status;
    };
    expect(await twice('PATCH', path, { Solution: 'x' })).toBe(204);
    expect(await twice('PUT', path, { Description: 'replaced' })).toBe(204);
    expect(await twice('PUT', `${path}/Caller/$ref`, { '@odata.id': 'Persons(31)' })).toBe(204);
    expect(await twice('DELETE', path)).toBe(204);
  });

  it('gets the first answer although the template that it names is gone, also in a batch', async () => {
    const template = async () => {
      const body = {
        Name: 'short-lived',
        'Entity@odata.bind': `Entities(${entities.ServiceRequest})`,
      };
      return `Templates(${(await desk.send('POST', '/Templates', { body })).json.Uid})`;
    };
    const headers = { 'idempotency-key': newKey() };
    const url = await template();
    const body = { Description: 'by a template', 'Template@odata.bind': url };
    const request = { id: '1', method: 'post', url: 'ServiceRequests', body };
    const send = async () => [
      await desk.send('POST', '/ServiceRequests', { headers, body }),
      await desk.send('POST', '/$batch', {
        headers: { 'idempotency-key': `${headers['idempotency-key']}-batch` },
        body: { requests: [request, { ...request, id: '2', atomicityGroup: 'g' }] },
      }),
    ];
    const first = await send();
    expect((await desk.send('DELETE', `/${url}`)).status).toBe(204);
    const second = await send();
    expect(second.map(({ status }) => status)).toEqual([201, 200]);
    expect(second[0]?.text).toBe(first[0]?.text);
    const statuses = second[1]?.json.responses.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual([201, 201]);
    expect(await countOf('by a template')).toBe(3);
    const other = await desk.send('POST', '/ServiceRequests', {
      headers: { 'idempotency-key': newKey() },
      body,
    });
    expect(other.status).toBe(400);
  });

  it('gets the first answer after a restart', async () => {
    const headers = repeatable(newKey());
    const first = await create(headers, 'before the restart');
    desk = await desk.restart();
    const second = await create(headers, 'before the restart');
    expect(essence(second)).toEqual(essence(first));
    expect(await countOf('before the restart')).toBe(1);
  });

  it('gets the first answer where both tries are under way at once', async () => {
    const headers = { 'idempotency-key': newKey() };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => await create(headers, 'at once')),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(essence(answer)))).size).toBe(1);
    expect(await countOf('at once')).toBe(1);
  });

  it('is another write for another account', async () => {
    const headers = { 'idempotency-key': newKey() };
    await create(headers, 'two accounts');
    const other = await desk.as('nobody').send('POST', '/ServiceRequests', {
      headers,
      body: { Description: 'two accounts' },
    });
    expect([other.status, await countOf('two accounts')]).toEqual([201, 2]);
  });

  it('is another write for another client of the same account', async () => {
    const headers = repeatable(newKey());
    await create({ ...headers, 'repeatability-client-id': 'a' }, 'two clients');
    await create({ ...headers, 'repeatability-client-id': 'b' }, 'two clients');
    await create({ ...headers, 'repeatability-client-id': 'b' }, 'two clients');
    expect(await countOf('two clients')).toBe(2);
  });

  it('is tried anew where the first try was refused, since that has done nothing', async () => {
    const headers = repeatable(newKey());
    const refused = await desk.send('POST', '/ServiceRequests', { headers, body: { Nothing: 1 } });
    const done = await create(headers, 'corrected');
    expect([refused.status, done.status]).toEqual([400, 201]);
  });

  it('has not happened where it was a dry run', async () => {
    const headers = { 'idempotency-key': newKey() };
    await create({ ...headers, prefer: 'dry-run' }, 'dry');
    expect(await countOf('dry')).toBe(0);
    const meant = await create(headers, 'dry');
    expect([meant.status, await countOf('dry')]).toEqual([201, 1]);
  });
});

describe('An id that was given to another request', () => {
  it.each([
    ['another body', 'POST', '/ServiceRequests', { Description: 'other' }],
    ['another URL', 'POST', '/Incidents', { Description: 'reused' }],
    ['another method', 'PATCH', `/ServiceRequests(${REQUEST})`, { Description: 'reused' }],
  ])('is refused for %s', async (_what, method, path, body) => {
    const headers = repeatable(newKey());
    await create(headers, 'reused');
    const { status, json, headers: found } = await desk.send(method, path, { headers, body });
    expect([status, json.error.code]).toEqual([400, 'repeat.reused']);
    expect(found['repeatability-result']).toBe('rejected');
  });
});

describe('OASIS Repeatable Requests 1.0', () => {
  const day = 24 * 3_600_000;

  it.each([
    ['no Repeatability-First-Sent', { 'repeatability-request-id': 'x' }, 400],
    ['no Repeatability-Request-ID', { 'repeatability-first-sent': new Date().toUTCString() }, 400],
    [
      'a time that is none',
      { 'repeatability-request-id': 'x', 'repeatability-first-sent': 'yesterday' },
      400,
    ],
    [
      'a time in another form',
      { 'repeatability-request-id': 'x', 'repeatability-first-sent': new Date().toISOString() },
      400,
    ],
    ['an id with blanks', repeatable('a b'), 400],
    ['an empty id', repeatable(''), 400],
    ['two ids that differ', { ...repeatable('a'), 'idempotency-key': 'b' }, 400],
    [
      'a time before the answers that are kept',
      repeatable('x', new Date(Date.now() - 3 * day)),
      412,
    ],
    ['a time in the future', repeatable('x', new Date(Date.now() + day)), 412],
  ])('a request with %s is rejected', async (_what, headers, status) => {
    const answer = await create(headers, 'rejected');
    expect([answer.status, answer.headers['repeatability-result']]).toEqual([status, 'rejected']);
    expect(await countOf('rejected')).toBe(0);
  });

  it('reads do not care', async () => {
    const { status, headers } = await desk.get('/Workgroups', { 'repeatability-request-id': 'x' });
    expect([status, headers['repeatability-result']]).toEqual([200, undefined]);
  });
});

describe('In a batch', () => {
  const part = (key: string, Description: string, id = '1') => ({
    id,
    method: 'POST',
    url: 'ServiceRequests',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: { Description },
  });
  const textOf = (item: unknown) => (item as PartAnswer).text;

  it('a part is done once, alone or in a change set', async () => {
    const [alone, grouped] = [newKey(), newKey()];
    const batch = [part(alone, 'part once'), [part(grouped, 'part once')]];
    const first = await sendBatch(desk, batch);
    const second = await sendBatch(desk, batch);
    expect(textOf(second.items[0])).toBe(textOf(first.items[0]));
    expect(await countOf('part once')).toBe(2);
    const third = await desk.send('POST', '/ServiceRequests', {
      headers: { 'idempotency-key': alone },
      body: { Description: 'part once' },
    });
    expect(third.text).toBe(textOf(first.items[0]));
  });

  it('a change set that failed has not stored the answers of its first requests', async () => {
    const key = newKey();
    await sendBatch(desk, [[part(key, 'rolled back'), part(newKey(), 'rolled back', '1')]]);
    expect(await countOf('rolled back')).toBe(0);
    await sendBatch(desk, [[part(key, 'rolled back')]]);
    expect(await countOf('rolled back')).toBe(1);
  });

  it('everything is done once where the batch as a whole is repeatable', async () => {
    const headers = repeatable(newKey());
    const requests = [
      { id: 'a', method: 'post', url: 'ServiceRequests', body: { Description: 'whole' } },
      { id: 'b', method: 'patch', url: '$a', body: { Solution: 'done' }, dependsOn: ['a'] },
      {
        id: 'c',
        method: 'post',
        url: 'ServiceRequests',
        atomicityGroup: 'g',
        body: { Description: 'whole' },
      },
      { id: 'd', method: 'get', url: '$a?$select=Solution', dependsOn: ['a'] },
    ];
    const first = await sendJsonBatch(desk, requests, headers);
    const second = await sendJsonBatch(desk, requests, headers);
    expect(first.statuses).toEqual({ a: 201, b: 204, c: 201, d: 200 });
    expect(first.answer.headers['repeatability-result']).toBe('accepted');
    for (const id of ['a', 'b', 'c', 'd']) expect(second.of(id).body).toEqual(first.of(id).body);
    expect(await countOf('whole')).toBe(2);
    const other = await sendJsonBatch(desk, requests.slice(0, 1), headers);
    expect([other.answer.status, other.answer.json.error.code]).toEqual([400, 'repeat.reused']);
  });
});
