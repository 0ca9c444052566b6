// This file reads the headers of answers: ETags and what they are good for, preferences and what is said of them, what an answer varies
// with, its length and coding, and that refusals have all of it too.
import { request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { entityTag } from './etags.ts';
import { makeReachable, type Reachable } from './listening.ts';
import { CALLER, MEMBER, REQUEST, WORKGROUP } from './records.ts';

let desk: Desk;
let reachable: Reachable;
beforeAll(async () => {
  desk = await openDesk();
  reachable = await makeReachable(desk);
});
afterAll(async () => {
  await reachable.stop();
  await desk.close();
});

const path = `/ServiceRequests(${REQUEST})`;
const etag = async (of = path) => String((await desk.get(of)).headers.etag);

describe('An ETag', () => {
  it('is weak, and starts with the version that the record shows, in every format', async () => {
    const answer = await desk.get(path);
    expect(answer.headers.etag).toMatch(/^W\/"\d+\.[\w-]{16}"$/);
    const version = answer.json['@odata.etag'];
    expect(version).toMatch(/^W\/"\d+"$/);
    for (const other of [
      answer,
      await desk.get(path, { accept: 'application/xml' }),
      await desk.get(`${path}?$select=Uid`),
      await desk.send('HEAD', path),
    ])
      expect(entityTag(other.headers.etag)).toBe(version);
    const { json } = await desk.get(`/ServiceRequests?$filter=Uid eq ${REQUEST}`);
    expect(json.value[0]['@odata.etag']).toBe(version);
  });

  it('changes with the record and with its relations', async () => {
    const seen = new Set([await etag()]);
    await desk.send('PATCH', path, { body: { Solution: 'One' } });
    seen.add(await etag());
    await desk.send('PUT', `${path}/Caller/$ref`, { body: { '@odata.id': `Persons(${MEMBER})` } });
    seen.add(await etag());
    const { json } = await desk.send('POST', `${path}/Workorders`, { body: { Description: 'x' } });
    seen.add(await etag());
    await desk.send('DELETE', `${path}/Workorders(${json.Uid})/$ref`);
    seen.add(await etag());
    expect(seen.size).toBe(5);
  });

  it('that is known saves the answer: 304 without a body', async () => {
    const known = await etag();
    for (const tags of [known, `"x", ${known}`, '*', known.slice(2)]) {
      const answer = await desk.get(path, { 'if-none-match': tags });
      expect([answer.status, answer.text, answer.headers.etag], tags).toEqual([304, '', known]);
    }
    expect((await desk.get(path, { 'if-none-match': 'W/"0"' })).status).toBe(200);
  });

  it.each([
    ['PATCH', path, { Solution: 'Never' }],
    ['PUT', path, { Description: 'Never' }],
    ['DELETE', path, undefined],
    ['PUT', `${path}/Solution`, { value: 'Never' }],
    ['PATCH', `${path}/Assignment`, {}],
    ['PUT', `${path}/Caller/$ref`, { '@odata.id': `Persons(${CALLER})` }],
    ['DELETE', `${path}/Caller/$ref`, undefined],
  ])('that is stale stops %s %s: 412, nothing is changed', async (method, address, body) => {
    const before = (await desk.get(path)).text;
    const message = body === undefined ? {} : { body };
    for (const tags of ['W/"0"', '"x", W/"0"']) {
      const answer = await desk.send(method, address, {
        ...message,
        headers: { 'if-match': tags },
      });
      expect([answer.status, answer.json.error.target], tags).toEqual([412, 'If-Match']);
    }
    expect((await desk.get(path)).text).toBe(before);
  });

  it.each<readonly [string, string, unknown]>([
    ['POST', '/ServiceRequests', { Description: 'Never made' }],
    ['POST', `${path}/Workorders`, { Description: 'Never made' }],
    ['PATCH', '/Workorders', { '@context': '#$delta', value: [{ Description: 'Never made' }] }],
    ['PATCH', "/Workorders/$filter(Description eq 'x')/$each", { Description: 'Never made' }],
    ['DELETE', '/Workorders/$each', undefined],
  ])('that is of no collection stops %s %s: 412, * does not', async (method, address, body) => {
    const send = async (tags: string) => {
      const headers = { 'if-match': tags, 'odata-version': '4.01' };
      return await desk.send(method, address, { ...(body === undefined ? {} : { body }), headers });
    };
    const before = (await desk.get('/Workorders/$count')).text;
    for (const tags of ['W/"1"', await etag(), '"x", W/"1"']) {
      const { status, json } = await send(tags);
      const { code, target } = json.error;
      expect([status, code, target], tags).toEqual([412, 'write.no-etag', 'If-Match']);
    }
    expect((await desk.get('/Workorders/$count')).text).toBe(before);
    if (method === 'POST') expect((await send('*')).status).toBe(201);
    expect((await desk.get(address.replace(/\/\$(?:filter|each).*/, ''))).headers.etag).toBe(
      undefined,
    );
  });

  it('that is of no collection is refused however often the same was written without one', async () => {
    const send = async (headers: Readonly<Record<string, string>>) =>
      (await desk.send('POST', '/Persons', { body: { LastName: 'Made often' }, headers })).status;
    for (let time = 0; time < 4; time++) {
      expect(await send({})).toBe(201);
      expect(await send({ 'if-match': `W/"${time}"` })).toBe(412);
    }
  });

  it('that no collection has is told only of a collection that is there: 404', async () => {
    const message = { body: { Description: 'x' }, headers: { 'if-match': 'W/"1"' } };
    const { status } = await desk.send('POST', '/ServiceRequests(999999)/Workorders', message);
    expect(status).toBe(404);
  });

  it('that holds, one of a list that does, and * let a write happen', async () => {
    for (const tags of [await etag(), `"x", ${await etag()}`, '*']) {
      const current = tags === '*' ? tags : tags.replace(/W\/"[^"]+"/, await etag());
      const headers = { 'if-match': current };
      const answer = await desk.send('PATCH', path, { body: { Solution: current }, headers });
      expect(answer.status, current).toBe(204);
      expect(answer.headers.etag).toBe(entityTag(await etag()));
    }
  });

  it('in If-None-Match of a write stops what would change that version: 412', async () => {
    const headers = { 'if-none-match': await etag() };
    const answer = await desk.send('PATCH', path, { body: { Solution: 'Never' }, headers });
    expect(answer.status).toBe(412);
  });

  it('that is none is refused: 400', async () => {
    for (const name of ['if-match', 'if-none-match']) {
      const answer = await desk.send('PATCH', path, { body: {}, headers: { [name]: 'nonsense' } });
      expect(answer.status, name).toBe(400);
    }
  });

  it('that says nothing is refused each time, however often the same was written without one', async () => {
    const send = async (headers: Readonly<Record<string, string>>, time: number) =>
      (await desk.send('PATCH', path, { body: { Solution: `Time ${time}` }, headers })).status;
    for (let time = 0; time < 4; time++) {
      expect(await send({}, time)).toBe(204);
      expect(await send({ 'if-match': '' }, -1)).toBe(400);
      expect(await send({ 'if-none-match': '' }, -1)).toBe(400);
    }
    expect((await desk.get(path)).json.Solution).toBe('Time 3');
  });

  it('is asked for by no set: a write without If-Match is done, and the metadata demand none', async () => {
    expect((await desk.send('PATCH', path, { body: { Solution: 'Free' } })).status).toBe(204);
    expect((await desk.get('/$metadata')).text).not.toContain('OptimisticConcurrency');
  });
});

describe('Preferences', () => {
  it.each([
    ['POST', '/Workorders', { Description: 'x' }],
    ['PATCH', path, { Solution: 'Preferred' }],
    ['PUT', path, { Description: 'Preferred as a whole' }],
    ['PUT', `${path}/Solution`, { value: 'Preferred too' }],
    ['PUT', `${path}/Caller/$ref`, { '@odata.id': `Persons(${CALLER})` }],
  ])(
    'return= of %s %s decides about the body, and is said to have been applied',
    async (method, address, body) => {
      const asked = (prefer: string) => desk.send(method, address, { body, headers: { prefer } });
      const minimal = await asked('return=minimal');
      expect([minimal.status, minimal.text]).toEqual([204, '']);
      expect(minimal.headers['preference-applied']).toBe('return=minimal');
      const whole = await asked('return=representation');
      expect([200, 201]).toContain(whole.status);
      expect(whole.headers['preference-applied']).toBe('return=representation');
      expect(whole.json).toBeDefined();
    },
  );

  it.each([
    ['GET', path],
    ['HEAD', path],
    ['GET', '/ServiceRequests?$top=2'],
    ['GET', `${path}/Description`],
    ['GET', `${path}/Description/$value`],
    ['GET', `${path}/Workorders/$ref`],
    ['GET', '/ServiceRequests/$count'],
    ['GET', '/$metadata'],
    ['GET', '/$ping'],
    ['GET', '/Me'],
    ['GET', ''],
    ['OPTIONS', path],
  ])('return= is ignored for %s %s', async (method, address) => {
    const plain = await desk.send(method, address);
    for (const form of ['minimal', 'representation']) {
      const headers = { prefer: `return=${form}` };
      const answer = await desk.send(method, address, { headers });
      expect([answer.status, answer.text], form).toEqual([plain.status, plain.text]);
      expect(answer.headers['preference-applied'], form).toBeUndefined();
    }
  });

  it('return= is ignored for deletions', async () => {
    const { json } = await desk.send('POST', '/Workorders', { body: { Description: 'x' } });
    const headers = { prefer: 'return=minimal' };
    const gone = await desk.send('DELETE', `/Workorders(${json.Uid})`, { headers });
    expect([gone.status, gone.headers['preference-applied']]).toEqual([204, undefined]);
  });

  it('those about the write and those about what it shows are all named, each as it is written', async () => {
    const prefer = 'Return=representation, odata.include-annotations="*", omit-values=nulls';
    const body = { Solution: 'Preferred in many ways' };
    const answer = await desk.send('PATCH', path, { body, headers: { prefer } });
    expect([answer.status, answer.headers['preference-applied']]).toEqual([
      200,
      'omit-values=nulls, odata.include-annotations="*", Return=representation',
    ]);
    const rehearsed = await desk.send('PATCH', path, { body, headers: { prefer: 'Dry-Run' } });
    expect(rehearsed.headers['preference-applied']).toBe('Dry-Run');
  });

  it('maxpagesize is applied and said; what is unknown is ignored unsaid', async () => {
    const page = await desk.get('/ServiceRequests', { prefer: 'maxpagesize=3, polite, wait=1' });
    expect([page.json.value.length, page.headers['preference-applied']]).toEqual([
      3,
      'maxpagesize=3',
    ]);
    const odd = await desk.get(path, { prefer: 'be-quick; now, x="y,z"' });
    expect([odd.status, odd.headers['preference-applied']]).toEqual([200, undefined]);
  });
});

describe('Preferences that change nothing', () => {
  it.each([
    'allow-entityreferences',
    'odata.allow-entityreferences',
    'callback; url="http://elsewhere.example/"',
    'conflict-resolution=rename',
    'omit-values=something',
    'maxpagesize=0',
    'return=everything',
  ])('%s is not said to have been applied', async (prefer) => {
    const plain = await desk.get(`${path}?$expand=Caller`);
    const answer = await desk.get(`${path}?$expand=Caller`, { prefer });
    expect([answer.status, answer.headers['preference-applied']]).toEqual([200, undefined]);
    expect(answer.text).toBe(plain.text);
  });

  it('conflict-resolution is for uploads only: a record is made as ever, and nothing is said', async () => {
    for (const way of ['rename', 'replace', 'none']) {
      const headers = { prefer: `conflict-resolution=${way}` };
      const body = { Description: 'No upload' };
      const answer = await desk.send('POST', '/Workorders', { body, headers });
      expect([answer.status, answer.headers['preference-applied']], way).toEqual([201, undefined]);
    }
  });
});

describe('Vary', () => {
  it('names every header that selects a representation, in 304 too', async () => {
    for (const address of [path, '/ServiceRequests', '/$metadata', '']) {
      const { etag, vary } = (await desk.get(address)).headers;
      expect(String(vary).split(', '), address).toEqual([
        'Accept',
        'Accept-Charset',
        'Accept-Encoding',
        'Accept-Language',
        'Authorization',
        'OData-MaxVersion',
        'Prefer',
      ]);
      if (etag === undefined) continue;
      const known = await desk.get(address, { 'if-none-match': String(etag) });
      expect([known.status, known.headers.vary], address).toEqual([304, vary]);
    }
  });
});

describe('Isolation', () => {
  it.each(['isolation', 'odata-isolation'])(
    '%s: snapshot is not to be had: 412; anything else is 400',
    async (name) => {
      expect((await desk.get('/Persons', { [name]: 'snapshot' })).status).toBe(412);
      expect((await desk.get('/Persons', { [name]: 'serializable' })).status).toBe(400);
    },
  );
});

describe('Coding and length', () => {
  interface Raw {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly bytes: Buffer;
  }

  function raw(method: string, address: string, headers: object, body?: Buffer): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const own = { authorization: `Bearer ${reachable.token}`, ...headers };
      const options = { port: reachable.port, method, path: `/odata${address}`, headers: own };
      const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  it('Content-Length is the number of bytes, whatever the characters, and that of GET for HEAD', async () => {
    const answer = await raw('GET', `/Persons(${MEMBER})`, {});
    expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length);
    const head = await raw('HEAD', `/Persons(${MEMBER})`, {});
    expect(head.headers['content-length']).toBe(answer.headers['content-length']);
    expect(head.bytes.length).toBe(0);
  });

  it('answers come in gzip where the client takes it', async () => {
    const plain = await raw('GET', '/ServiceRequests?$top=50&$orderby=Uid', {});
    const coded = await raw('GET', '/ServiceRequests?$top=50&$orderby=Uid', {
      'accept-encoding': 'gzip',
    });
    expect([plain.headers['content-encoding'], coded.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(Number(coded.headers['content-length'])).toBe(coded.bytes.length);
    expect(gunzipSync(coded.bytes).equals(plain.bytes)).toBe(true);
    expect(coded.headers.vary).toContain('Accept-Encoding');
  });

  const gzipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  it('bodies are taken in gzip', async () => {
    const body = Buffer.from(JSON.stringify({ Description: 'Zoë in gzip' }));
    const answer = await raw('POST', '/Workorders', gzipped, gzipSync(body));
    expect(answer.status, answer.bytes.toString()).toBe(201);
    expect(JSON.parse(answer.bytes.toString()).Description).toBe('Zoë in gzip');
  });

  it('what is no gzip is refused: 400; a coding that is not known: 415', async () => {
    expect((await raw('POST', '/Workorders', gzipped, Buffer.from('{}'))).status).toBe(400);
    const brotli = { ...gzipped, 'content-encoding': 'br' };
    const refused = await raw('POST', '/Workorders', brotli, Buffer.from('{}'));
    expect([refused.status, refused.headers['accept-encoding']]).toEqual([415, 'gzip']);
  });

  it('a small body that would become a huge one is stopped: 413', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 32));
    const start = process.memoryUsage.rss();
    const answer = await raw('POST', '/Workorders', gzipped, bomb);
    expect(answer.status).toBe(413);
    expect(process.memoryUsage.rss() - start).toBeLessThan(150_000_000);
  });
});

describe('Refusals', () => {
  it.each([
    ['GET', '/Nothing', {}],
    ['GET', '/Persons(1)/Nothing', {}],
    ['GET', '/Persons?$filter=', {}],
    ['GET', '/Persons', { accept: 'image/png' }],
    ['DELETE', '/Persons', {}],
    ['POST', '/Persons', { 'content-type': 'text/csv' }],
  ])('%s %s has OData-Version and the error format', async (method, address, headers) => {
    const answer = await desk.send(method, address, {
      headers,
      ...(method === 'POST' ? { body: 'x' } : {}),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers['odata-version']).toBe('4.0');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(Object.keys(answer.json)).toEqual(['error']);
    expect(answer.json.error).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
    expect(answer.headers['x-request-id']).toBeDefined();
  });
});

describe('Edit links', () => {
  it('are the addresses of records by convention, told where all metadata are wanted', async () => {
    const full = { accept: 'application/json;odata.metadata=full' };
    const { json } = await desk.get(`${path}/Caller`, full);
    const link = String(json['@odata.editLink'] ?? json['@odata.id']);
    expect(new URL(link, desk.root).href).toMatch(/\/Persons\(\d+\)$/);
  });

  it('every address of a record takes PATCH and DELETE: keys, navigation, casts, singular names', async () => {
    const { json } = await desk.send('POST', '/ServiceRequests', {
      body: {
        Description: 'Addressed',
        'Caller@odata.bind': `Persons(${CALLER})`,
        Workorders: [{ Description: 'a' }, { Description: 'b' }],
      },
      headers: { prefer: 'return=representation' },
    });
    const own = `/ServiceRequests(${json.Uid})`;
    const [first, second] = json.Workorders;
    const addresses = [
      own,
      `/ServiceRequest(${json.Uid})`,
      `/ServiceRequests(Uid=${json.Uid})`,
      `${own}/Service.Web.OData.Model.ServiceRequest`,
      `/Workorders(${first.Uid})/ServiceRequest`,
    ];
    for (const [index, address] of addresses.entries()) {
      const body = { Solution: `By address ${index}` };
      expect((await desk.send('PATCH', address, { body })).status, address).toBe(204);
      expect((await desk.get(own)).json.Solution).toBe(body.Solution);
    }
    expect(
      (await desk.send('PATCH', `${own}/Caller`, { body: { Jobtitle: 'Caller' } })).status,
    ).toBe(204);
    expect((await desk.send('DELETE', `${own}/Workorders(${first.Uid})`)).status).toBe(204);
    expect((await desk.get(`/Workorders(${first.Uid})`)).status).toBe(404);
    expect((await desk.send('DELETE', `/Workorders(${second.Uid})/ServiceRequest`)).status).toBe(
      204,
    );
    expect((await desk.get(own)).status).toBe(404);
  });

  it('a reference is deleted by its path and by $id; $id on a single one is refused', async () => {
    const members = `/Workgroups(${WORKGROUP})/Members`;
    const add = async () =>
      await desk.send('POST', `${members}/$ref`, { body: { '@odata.id': `Persons(${CALLER})` } });
    await add();
    expect((await desk.send('DELETE', `${members}(${CALLER})/$ref`)).status).toBe(204);
    await add();
    const byId = `${members}/$ref?$id=${desk.root}Persons(${CALLER})`;
    expect((await desk.send('DELETE', byId)).status).toBe(204);
    expect((await desk.get(members)).json.value).toEqual([]);
    const single = await desk.send('DELETE', `${path}/Caller/$ref?$id=Persons(${CALLER})`);
    expect(single.status).toBe(400);
  });
});
