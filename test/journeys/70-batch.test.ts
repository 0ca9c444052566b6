// This file sends batches in both formats. OData 4.01 Protocol, "Batch Requests".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PartAnswer, sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { CALLER, MEMBER, REQUEST, WORKGROUP } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const newRequest = (Description: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  method: 'POST',
  url: 'ServiceRequests',
  body: { Description },
});

async function countOf(description: string): Promise<number> {
  const { json } = await desk.get(
    `/ServiceRequests?$filter=startswith(Description,'${description}')&$count=true&$top=0`,
  );
  return json['@odata.count'];
}

function one(item: PartAnswer | readonly PartAnswer[] | undefined): PartAnswer {
  if (item === undefined || !('status' in item)) throw new Error('expected one answer');
  return item;
}

function several(item: PartAnswer | readonly PartAnswer[] | undefined): readonly PartAnswer[] {
  if (item === undefined || 'status' in item) throw new Error('expected a change set');
  return item;
}

const statuses = (items: readonly (PartAnswer | readonly PartAnswer[])[]) =>
  items.map((item) => ('status' in item ? item.status : item.map(({ status }) => status)));

describe('A batch', () => {
  it('is answered with 200 and one part for each request, in order', async () => {
    const { answer, items } = await sendBatch(desk, [
      { method: 'GET', url: `Persons(${CALLER})?$select=Uid,Name` },
      newRequest('single in a batch'),
      { method: 'GET', url: '$metadata' },
    ]);
    expect([answer.status, answer.headers['odata-version']]).toEqual([200, '4.0']);
    expect(statuses(items)).toEqual([200, 201, 200]);
    expect(one(items[0]).json).toMatchObject({ Name: "O'Neil, Zoë" });
    expect(await countOf('single in a batch')).toBe(1);
  });

  it.each([
    ['no body', 'multipart/mixed; boundary=b', '', 400],
    ['no boundary', 'multipart/mixed', 'x', 400],
    ['a boundary that does not occur', 'multipart/mixed; boundary=b', 'x', 400],
    ['another type', 'text/plain', 'x', 415],
    ['JSON that is none', 'application/json', '{', 400],
  ])('with %s is refused', async (_what, type, body, status) => {
    const { status: found, json } = await desk.send('POST', '/$batch', {
      headers: { 'content-type': type },
      ...(body === '' ? {} : { body }),
    });
    expect([found, typeof json.error.code]).toEqual([status, 'string']);
  });

  it('in JSON has no members but its requests and control information', async () => {
    const requests = [{ id: '1', method: 'GET', url: 'Persons?$top=0' }];
    const body = { '@odata.context': '#', requests, request: [] };
    const { status, json } = await desk.send('POST', '/$batch', { body });
    expect([status, json.error.details]).toEqual([
      400,
      [
        expect.objectContaining({
          target: 'request',
          message: expect.stringContaining('requests'),
        }),
      ],
    ]);
  });

  it('can only be posted, by those who have a token', async () => {
    const { status, headers } = await desk.get('/$batch');
    expect([status, headers.allow]).toEqual([405, 'POST']);
    const { answer } = await sendBatch(desk.as('anonymous'), [newRequest('by a stranger')]);
    expect(answer.status).toBe(401);
    const smuggled = await sendBatch(desk.as('anonymous'), [
      {
        ...newRequest('by a stranger'),
        headers: { Authorization: 'Bearer x', 'Content-Type': 'application/json' },
      },
    ]);
    expect([smuggled.answer.status, await countOf('by a stranger')]).toEqual([401, 0]);
  });

  it('does not look at who its parts say is asking', async () => {
    const { items } = await sendBatch(desk, [
      { method: 'GET', url: 'Me', headers: { Authorization: 'Bearer somebody-else' } },
    ]);
    expect(one(items[0]).json).toMatchObject({ Uid: desk.me });
  });

  it('cannot have options or isolation, which belong to its parts', async () => {
    const send = async (path: string, headers: Readonly<Record<string, string>>) => {
      const body = { requests: [] };
      return (await desk.send('POST', path, { headers, body })).status;
    };
    expect(await send('/$batch', {})).toBe(200);
    expect(await send('/$batch?$top=1', {})).toBe(400);
    expect(await send('/$batch', { isolation: 'snapshot' })).toBe(412);
  });

  it.each(['minimal', 'representation'])(
    'ignores Prefer: return=%s of its own, which is about none of its parts',
    async (form) => {
      const requests = [newRequest(`in a batch that prefers ${form}`)];
      const { answer, items } = await sendBatch(desk, requests, { prefer: `return=${form}` });
      expect([answer.status, statuses(items)]).toEqual([200, [201]]);
      expect(answer.headers['preference-applied']).toBeUndefined();
      const body = { requests: [{ id: '1', method: 'GET', url: 'Persons?$top=1' }] };
      const headers = { prefer: `return=${form}` };
      const json = await desk.send('POST', '/$batch', { body, headers });
      expect([json.status, json.json.responses[0].status]).toEqual([200, 200]);
      expect(json.headers['preference-applied']).toBeUndefined();
    },
  );

  it('stands in no other batch and reaches no other service', async () => {
    const { items } = await sendBatch(
      desk,
      [
        { method: 'POST', url: '$batch', body: { requests: [] } },
        { method: 'GET', url: 'http://other.example/odata/Persons' },
        { method: 'GET', url: '/odata/Persons(31)', headers: { Host: 'other.example' } },
        { method: 'GET', url: 'http://desk.example/token' },
      ],
      { prefer: 'odata.continue-on-error' },
    );
    expect(items.map((item) => one(item).json.error.code)).toEqual([
      'batch.nested',
      'batch.foreign-url',
      'batch.foreign-url',
      'batch.foreign-url',
    ]);
  });

  it('has at most as many requests as the setting says', async () => {
    const small = await openDesk({ settings: { limits: { batchRequests: 2 } } });
    try {
      const get = (id: string) => ({ id, method: 'GET', url: 'Workgroups' });
      const fine = await sendJsonBatch(small, [get('1'), get('2')]);
      expect(fine.statuses).toEqual({ 1: 200, 2: 200 });
      const { answer } = await sendJsonBatch(small, [get('1'), get('2'), get('3')]);
      expect([answer.status, answer.json.error.code]).toEqual([413, 'batch.too-many']);
    } finally {
      await small.close();
    }
  });
});

describe('A part of a batch', () => {
  it.each([
    `Persons(${CALLER})`,
    `/Persons(${CALLER})`,
    `/odata/Persons(${CALLER})`,
    `http://desk.example/odata/Persons(${CALLER})`,
    `Persons?$filter=Uid eq ${CALLER} and Name eq 'O''Neil, Zoë'`,
  ])('can be addressed as %s', async (url) => {
    const { items } = await sendBatch(desk, [{ method: 'GET', url }]);
    expect(one(items[0]).status).toBe(200);
    expect(one(items[0]).text).toContain(`"Uid":${CALLER}`);
  });

  it('is answered exactly as it would be alone', async () => {
    const requests = [
      { method: 'GET', url: `ServiceRequests(${REQUEST})?$expand=Caller($select=Name)` },
      { method: 'GET', url: 'Persons?$top=1', headers: { Accept: 'application/atom+xml' } },
      {
        method: 'GET',
        url: 'Workgroups',
        headers: { 'OData-MaxVersion': '4.01', Prefer: 'maxpagesize=1' },
      },
      { method: 'GET', url: 'Workgroups/$count' },
      { method: 'GET', url: `ServiceRequests(${REQUEST})`, headers: { 'If-None-Match': '*' } },
      { method: 'GET', url: 'Nothing' },
      { method: 'GET', url: 'Persons(999999)', headers: { Accept: 'application/xml' } },
      { method: 'PATCH', url: 'Persons(999999)', body: { Jobtitle: 'x' } },
      { method: 'HEAD', url: `Persons(${CALLER})` },
    ];
    const { items } = await sendBatch(desk, requests, { prefer: 'continue-on-error' });
    expect(items).toHaveLength(requests.length);
    for (const [index, { method, url, headers = {}, body }] of requests.entries()) {
      const alone = await desk.send(method, `/${url}`, { headers, body });
      const part = one(items[index]);
      expect([url, part.status]).toEqual([url, alone.status]);
      const updated = (text: string) => text.replace(/<updated>[^<]*<\/updated>/g, '');
      if (method !== 'HEAD') expect(updated(part.text)).toBe(updated(alone.text));
      for (const name of ['content-type', 'etag', 'odata-version', 'preference-applied', 'vary'])
        expect([url, name, part.headers[name]]).toEqual([url, name, alone.headers[name]]);
    }
  });

  it('keeps 64-bit integers and bytes as they are', async () => {
    const { items } = await sendBatch(desk, [
      { method: 'GET', url: 'ServiceRequests?$filter=ID lt 9007199254740993&$top=1&$count=true' },
      {
        method: 'GET',
        url: 'ServiceRequests?$top=1&$select=Uid',
        headers: { Accept: 'application/json;IEEE754Compatible=true' },
      },
    ]);
    expect(one(items[0]).status).toBe(200);
    expect(one(items[1]).json.value[0].Uid).toBe(String(REQUEST));
  });

  it('that cannot be read is answered with 400 alone', async () => {
    const { items } = await sendBatch(
      desk,
      [
        'Content-Type: application/http\r\n\r\nthis is no request',
        'Content-Type: text/plain\r\n\r\nnor is this',
        'Content-Type: application/http\r\nnot a header\r\n\r\nGET Persons HTTP/1.1\r\n\r\n',
        { method: 'GET', url: `Persons(${CALLER})/Name` },
      ],
      { prefer: 'continue-on-error=true' },
    );
    expect(statuses(items)).toEqual([400, 400, 400, 200]);
    expect(one(items[0]).json.error.code).toBe('batch.part');
  });

  it('stops the batch where it fails, unless the batch goes on', async () => {
    const requests = [
      newRequest('before the error'),
      { method: 'GET', url: 'Persons(999999)' },
      newRequest('after the error'),
    ];
    const stopped = await sendBatch(desk, requests);
    expect(statuses(stopped.items)).toEqual([201, 404]);
    expect(await countOf('after the error')).toBe(0);
    const gone = await sendBatch(desk, requests, { prefer: 'odata.continue-on-error=true' });
    expect(statuses(gone.items)).toEqual([201, 404, 201]);
    expect(gone.answer.headers['preference-applied']).toBe('odata.continue-on-error=true');
    expect(await countOf('before the error')).toBe(2);
  });
});

describe('A change set', () => {
  it('is done as a whole, and its answers carry their Content-IDs', async () => {
    const { items } = await sendBatch(desk, [
      [
        newRequest('in a set', '1'),
        {
          id: '2',
          method: 'PATCH',
          url: `Persons(${CALLER})`,
          body: { Jobtitle: 'Head of tests' },
          headers: { 'Content-Type': 'application/json', Prefer: 'return=representation' },
        },
        { id: '3', method: 'DELETE', url: 'ServiceRequests(4299)' },
      ],
    ]);
    const answers = several(items[0]);
    expect(answers.map(({ id, status }) => [id, status])).toEqual([
      ['1', 201],
      ['2', 200],
      ['3', 204],
    ]);
    expect(answers[0]?.headers.location).toMatch(/^http:\/\/desk\.example\/odata\/Service/);
    expect(answers[1]?.headers['preference-applied']).toBe('return=representation');
    expect((await desk.get('/ServiceRequests(4299)')).status).toBe(404);
  });

  it('that fails leaves nothing and is answered by one error', async () => {
    const { items } = await sendBatch(
      desk,
      [
        [
          newRequest('never kept', '1'),
          { id: '2', method: 'DELETE', url: 'ServiceRequests(4298)' },
          { id: '3', method: 'PATCH', url: 'ServiceRequests(999999)', body: { Solution: 'x' } },
          newRequest('never kept either', '4'),
        ],
        { method: 'GET', url: 'ServiceRequests(4298)' },
      ],
      { prefer: 'continue-on-error' },
    );
    expect(statuses(items)).toEqual([404, 200]);
    expect(one(items[0])).toMatchObject({ id: '3', json: { error: { code: 'write.not-found' } } });
    expect(await countOf('never kept')).toBe(0);
  });

  it('fails by a body that is wrong, a stale ETag, a duplicate or a read in it', async () => {
    const failing = [
      { id: '2', method: 'POST', url: 'ServiceRequests', body: { Nothing: 1 } },
      {
        id: '2',
        method: 'PATCH',
        url: `ServiceRequests(${REQUEST})`,
        headers: { 'If-Match': 'W/"77"', 'Content-Type': 'application/json' },
        body: { Solution: 'x' },
      },
      { id: '2', method: 'GET', url: 'Persons' },
      newRequest('the same id', '1'),
    ];
    const found: number[] = [];
    for (const part of failing) {
      const { items } = await sendBatch(desk, [[newRequest('kept by nobody', '1'), part]]);
      found.push(one(items[0]).status);
    }
    expect(found).toEqual([400, 412, 400, 400]);
    expect(await countOf('kept by nobody')).toBe(0);
  });

  it('lets later requests refer to what earlier ones made, in URLs, bodies and headers', async () => {
    const { items } = await sendBatch(desk, [
      [
        { id: 'p', method: 'POST', url: 'Persons', body: { LastName: 'Newcomer' } },
        {
          id: 'r',
          method: 'POST',
          url: 'ServiceRequests',
          body: { Description: 'asked by a newcomer', 'Caller@odata.bind': '$p' },
        },
        { id: 'w', method: 'POST', url: '$r/Workorders', body: { Description: 'for $r' } },
        {
          id: 'm',
          method: 'POST',
          url: `Workgroups(${WORKGROUP})/Members/$ref`,
          body: { '@odata.id': '$p' },
        },
        {
          id: 'e',
          method: 'PATCH',
          url: '$p',
          headers: { 'If-Match': '$p', 'Content-Type': 'application/json' },
          body: { Jobtitle: 'Trainee' },
        },
      ],
      { method: 'GET', url: '$r?$expand=Caller,Workorders' },
      { method: 'GET', url: '$p/Workgroups' },
    ]);
    expect(statuses(items)).toEqual([[201, 201, 201, 204, 204], 200, 200]);
    expect(one(items[1]).json).toMatchObject({
      Caller: { LastName: 'Newcomer', Jobtitle: 'Trainee' },
      Workorders: [{ Description: 'for $r' }],
    });
    expect(one(items[1]).text).not.toContain('"$p');
    expect(one(items[2]).json.value).toMatchObject([{ Uid: WORKGROUP }]);
  });

  it('that refers to nothing, or to what has failed, is refused', async () => {
    const refused = async (url: string) => {
      const { items } = await sendBatch(desk, [
        [newRequest('alone', '1'), { method: 'POST', url, body: { Description: 'x' } }],
      ]);
      return one(items[0]).json.error.code;
    };
    expect(await refused('$2/Workorders')).toBe('batch.reference');
    const { items } = await sendBatch(
      desk,
      [
        { id: '1', method: 'GET', url: 'Persons(999999)' },
        { method: 'GET', url: '$1/Organization' },
      ],
      { prefer: 'continue-on-error' },
    );
    expect(statuses(items)).toEqual([404, 424]);
  });

  it('is seen by others as a whole only', async () => {
    const reads: number[] = [];
    const writing = sendBatch(desk, [
      Array.from({ length: 50 }, (_, index) => newRequest('all at once', String(index))),
    ]);
    for (let round = 0; round < 20; round++) reads.push(await countOf('all at once'));
    await writing;
    reads.push(await countOf('all at once'));
    expect(reads.filter((count) => count !== 0 && count !== 50)).toEqual([]);
    expect(reads.at(-1)).toBe(50);
  });

  it('may be a dry run: answered as if done, and not kept', async () => {
    const { items } = await sendBatch(desk, [
      [
        newRequest('not meant', '1'),
        {
          ...newRequest('not meant', '2'),
          headers: { 'Content-Type': 'application/json', Prefer: 'dry-run' },
        },
      ],
    ]);
    expect(statuses(items)).toEqual([[201, 201]]);
    expect(await countOf('not meant')).toBe(0);
  });
});

describe('Prefer: dry-run on a batch', () => {
  const dryRun = { Prefer: 'dry-run, odata.continue-on-error' };
  const typed = { 'Content-Type': 'application/json' };

  it('stores nothing of its parts and change sets, whatever they prefer', async () => {
    const { answer, items } = await sendBatch(
      desk,
      [
        newRequest('as if', '1'),
        [
          newRequest('as if', '2'),
          { method: 'PATCH', url: '$2', body: { Description: 'as if changed' } },
        ],
        { ...newRequest('as if', '3'), headers: { ...typed, Prefer: 'return="minimal' } },
        { ...newRequest('as if', '4'), headers: { ...typed, Prefer: 'return=minimal' } },
        { method: 'PATCH', url: '$1', body: { Description: 'as if changed' } },
        { method: 'GET', url: `Persons(${CALLER})` },
        { method: 'POST', url: 'ServiceRequests', body: {} },
      ],
      dryRun,
    );
    expect(statuses(items)).toEqual([201, [201, 204], 201, 204, 404, 200, 400]);
    expect(one(items[0]).headers['preference-applied']).toContain('dry-run');
    expect(one(items[3]).headers['preference-applied']).toContain('return=minimal');
    expect(answer.headers['preference-applied']).toContain('dry-run');
    expect(await countOf('as if')).toBe(0);
  });

  it('stores nothing of a JSON batch', async () => {
    const { answer, statuses: found } = await sendJsonBatch(
      desk,
      [
        { id: 'a', method: 'post', url: 'ServiceRequests', body: { Description: 'as if' } },
        {
          id: 'b',
          atomicityGroup: 'g',
          method: 'post',
          url: 'ServiceRequests',
          headers: typed,
          body: { Description: 'as if' },
        },
        {
          id: 'c',
          atomicityGroup: 'g',
          method: 'post',
          url: '$b/Workorders',
          body: { Description: 'as if' },
        },
        { id: 'd', method: 'delete', url: `ServiceRequests(${REQUEST})` },
      ],
      dryRun,
    );
    expect(found).toEqual({ a: 201, b: 201, c: 201, d: 204 });
    expect(answer.headers['preference-applied']).toContain('dry-run');
    expect(await countOf('as if')).toBe(0);
    expect((await desk.get(`/ServiceRequests(${REQUEST})`)).status).toBe(200);
  });
});

describe('The JSON format', () => {
  it('carries requests and answers, bodies as JSON', async () => {
    const {
      answer,
      statuses: found,
      of,
    } = await sendJsonBatch(desk, [
      { id: 'a', method: 'get', url: `/odata/Persons(${MEMBER})` },
      { id: 'b', method: 'post', url: 'ServiceRequests', body: { Description: 'as JSON' } },
      { id: 'c', method: 'get', url: 'Workgroups/$count' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(found).toEqual({ a: 200, b: 201, c: 200 });
    expect(of('a').body).toMatchObject({ Uid: MEMBER });
    expect(of('b').headers.location).toBe(`${desk.root}ServiceRequests(${of('b').body.Uid})`);
    expect(of('c').body).toBe('1');
  });

  it('stops at the first error; with continue-on-error only what depends on it is left out', async () => {
    const requests = [
      { id: '1', method: 'delete', url: 'Persons(999999)' },
      { id: '2', method: 'get', url: 'Workgroups', dependsOn: ['1'] },
      { id: '3', method: 'get', url: 'Workgroups', dependsOn: ['2'] },
      { id: '4', method: 'get', url: 'Workgroups' },
    ];
    for (const headers of [{}, { prefer: 'continue-on-error=false' }])
      expect((await sendJsonBatch(desk, requests, headers)).statuses).toEqual({ 1: 404 });
    const whole = await sendJsonBatch(desk, requests, { prefer: 'continue-on-error' });
    expect(whole.statuses).toEqual({ 1: 404, 2: 424, 3: 424, 4: 200 });
  });

  it('does nothing after the first error: no write, no group', async () => {
    const create = { method: 'post', url: 'ServiceRequests', body: { Description: 'too late' } };
    const requests = [
      { id: '1', method: 'get', url: 'Workgroups' },
      { id: '2', method: 'get', url: 'Nothing' },
      { id: '3', ...create },
      { id: '4', ...create, atomicityGroup: 'g' },
    ];
    for (const version of ['4.0', '4.01']) {
      const headers = { 'odata-maxversion': version };
      const { statuses: found } = await sendJsonBatch(desk, requests, headers);
      expect(found).toEqual({ 1: 200, 2: 404 });
    }
    expect(await countOf('too late')).toBe(0);
  });

  it('has groups whose requests find the texts that earlier ones have changed', async () => {
    const change = (id: string, url: string, body: unknown) => ({
      id,
      method: 'patch',
      url,
      atomicityGroup: 'g',
      headers: { 'odata-version': '4.01' },
      body,
    });
    const filter = encodeURIComponent("contains(Description,'unusual heliotrope')");
    const done = await sendJsonBatch(desk, [
      change('1', `ServiceRequests(${REQUEST})`, { Description: 'an unusual heliotrope printer' }),
      change('2', `ServiceRequests/$filter(@f)/$each?@f=${filter}`, { Workaround: 'repaint it' }),
      { id: '3', method: 'get', url: `ServiceRequests?$filter=${filter}&$select=Uid,Workaround` },
    ]);
    expect(done.statuses).toEqual({ 1: 204, 2: 204, 3: 200 });
    expect(done.of('3').body).toMatchObject({
      value: [{ Uid: REQUEST, Workaround: 'repaint it' }],
    });
  });

  it('has groups that are done as a whole', async () => {
    const group = (id: string, body: unknown) => ({
      id,
      method: 'post',
      url: 'ServiceRequests',
      atomicityGroup: 'g',
      body,
    });
    const done = await sendJsonBatch(desk, [
      group('1', { Description: 'grouped' }),
      { ...group('2', { Description: 'grouped' }), url: '$1/Workorders', dependsOn: ['1'] },
      { id: '3', method: 'get', url: '$1', dependsOn: ['g'] },
    ]);
    expect(done.statuses).toEqual({ 1: 201, 2: 201, 3: 200 });
    expect([done.of('1').atomicityGroup, done.of('3').atomicityGroup]).toEqual(['g', undefined]);
    const requests = [
      group('1', { Description: 'ungrouped' }),
      group('2', { Nothing: 1 }),
      group('3', { Description: 'ungrouped' }),
      { id: '4', method: 'get', url: 'Workgroups', dependsOn: ['g'] },
      { id: '5', method: 'get', url: 'Workgroups' },
    ];
    const stopped = await sendJsonBatch(desk, requests);
    expect(stopped.statuses).toEqual({ 1: 424, 2: 400, 3: 424 });
    const failed = await sendJsonBatch(desk, requests, { prefer: 'continue-on-error' });
    expect(failed.statuses).toEqual({ 1: 424, 2: 400, 3: 424, 4: 424, 5: 200 });
    expect(failed.of('3').body.error.message).toContain('(2)');
    expect(await countOf('ungrouped')).toBe(0);
  });

  it('does not do what has a condition, since it cannot tell whether it holds', async () => {
    const { statuses: found } = await sendJsonBatch(desk, [
      { id: '1', method: 'get', url: 'Workgroups' },
      { id: '2', method: 'get', url: 'Workgroups', if: '$1/$succeeded eq false' },
    ]);
    expect(found).toEqual({ 1: 200, 2: 424 });
  });

  it.each([
    [
      'an id twice',
      [
        { id: '1', method: 'get', url: 'a' },
        { id: '1', method: 'get', url: 'a' },
      ],
    ],
    [
      'a group named like a request',
      [{ id: '1', atomicityGroup: '1', method: 'delete', url: 'a' }],
    ],
    [
      'a dependency on what comes later',
      [
        { id: '1', dependsOn: ['2'], method: 'get', url: 'a' },
        { id: '2', method: 'get', url: 'a' },
      ],
    ],
    ['a body of GET', [{ id: '1', method: 'get', url: 'a', body: {} }]],
    ['a member that is unknown', [{ id: '1', method: 'get', url: 'a', dependson: [] }]],
    ['no id', [{ method: 'get', url: 'a' }]],
    ['an empty id', [{ id: '', method: 'get', url: 'a' }]],
  ])('refuses a batch with %s', async (_what, requests) => {
    const { status, json } = await desk.send('POST', '/$batch', { body: { requests } });
    expect([status, json.error.details.length > 0]).toEqual([400, true]);
  });

  it.each(['a b', 'größe', 'a/b', '{1}', 'a"b', '<1>', 'a%20b', 'x'.repeat(256)])(
    'refuses the id %j, which is none, and says what is one',
    async (id) => {
      const requests = [
        { id: 'A-z_0.9~', method: 'get', url: 'Workgroups' },
        { id, method: 'get', url: 'Workgroups' },
      ];
      const { status, json } = await desk.send('POST', '/$batch', { body: { requests } });
      expect(status).toBe(400);
      expect(json.error.details).toEqual([
        {
          code: 'request.body',
          target: 'requests[1]/id',
          message: expect.stringMatching(
            /^The id ".+" is not valid. Use at most 255 letters, digits, "-"/,
          ),
        },
      ]);
      const good = await desk.send('POST', '/$batch', { body: { requests: requests.slice(0, 1) } });
      expect([good.status, good.json.responses[0].id]).toEqual([200, 'A-z_0.9~']);
    },
  );

  it('is answered in the other format where Accept asks for it, and the other way round in 4.01', async () => {
    const asMultipart = await desk.send('POST', '/$batch', {
      headers: { accept: 'multipart/mixed' },
      body: { requests: [{ id: 'x', method: 'get', url: 'Workgroups' }] },
    });
    expect(asMultipart.headers['content-type']).toMatch(/^multipart\/mixed; boundary=/);
    expect(asMultipart.text).toContain('Content-ID: x');
    const { answer } = await sendBatch(
      desk,
      [[newRequest('both', 'a'), newRequest('both', 'b')], { method: 'GET', url: 'Workgroups' }],
      { accept: 'application/json', 'odata-maxversion': '4.01' },
    );
    expect(answer.json.responses).toMatchObject([
      { id: 'a', status: 201, atomicityGroup: expect.any(String) },
      { id: 'b', status: 201 },
      { status: 200 },
    ]);
    expect(answer.json.responses[2]).not.toHaveProperty('id');
  });
});

describe('Accept: application/json with a multipart batch', () => {
  it.each<Readonly<Record<string, string>>>([
    {},
    { 'odata-maxversion': '4.0' },
    { 'odata-version': '4.0', 'odata-maxversion': '4.0;NetFx' },
    { accept: 'application/json;odata.metadata=full, */*;q=0.1' },
  ])('and %j is answered in multipart: 4.0 knows no JSON batches', async (headers) => {
    const { answer, items } = await sendBatch(desk, [{ method: 'GET', url: 'Workgroups' }], {
      accept: 'application/json',
      ...headers,
    });
    expect(answer.headers['content-type']).toMatch(/^multipart\/mixed; boundary=/);
    expect(items).toMatchObject([{ status: 200, json: { value: expect.any(Array) } }]);
  });
});

describe('The metadata', () => {
  it('says what batches can do', async () => {
    const { json } = await desk.get('/$metadata?$format=json');
    const text = JSON.stringify(json);
    expect(text).toContain('"@Capabilities.BatchSupport":{"Supported":true');
    expect(text).toContain('"EtagReferencesSupported":true');
    expect(text).toContain('"RequestDependencyConditionsSupported":false');
    expect(text).toContain('"@Repeatability.Supported":true');
    expect(text).toContain('"@Capabilities.AsynchronousRequestsSupported":true');
    expect(text).toContain('"@Capabilities.CallbackSupported":{"CallbackProtocols":[]}');
  });
});

describe('Many requests in one batch', () => {
  it('a thousand are answered, one by one or as one deed', async () => {
    const parts = Array.from({ length: 500 }, (_, index) => newRequest('bulk', String(index)));
    const { items } = await sendBatch(desk, [parts, ...parts.slice(0, 499)]);
    expect(several(items[0])).toHaveLength(500);
    expect(items.slice(1).every((item) => one(item).status === 201)).toBe(true);
    expect(await countOf('bulk')).toBe(999);
  });
});
