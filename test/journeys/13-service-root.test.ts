// This file moves the service root: another base path, a public URL, a prefix that a trusted proxy has removed. Every URL that the service
// writes must start with the root that clients know, and URLs with that root are accepted. OData 4.01 Protocol, "Service Root URL".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, type DeskAnswer, type Message, openDesk, openForeignDesk } from './desk.ts';
import { makeReachable } from './listening.ts';
import { CALLER, MEMBER } from './records.ts';

const FORWARDED = {
  'x-forwarded-host': 'www.example.com',
  'x-forwarded-proto': 'https',
  'x-forwarded-prefix': '/tools/desk',
};

const PLACES = [
  {
    name: 'the default',
    settings: { basePath: '/odata', publicUrl: undefined },
    headers: {},
    inside: '/odata/',
    server: 'http://desk.example',
  },
  {
    name: 'basePath /',
    settings: { basePath: '/', publicUrl: undefined },
    headers: {},
    inside: '/',
    server: 'http://desk.example',
  },
  {
    name: 'basePath /api/v1',
    settings: { basePath: '/api/v1', publicUrl: undefined },
    headers: {},
    inside: '/api/v1/',
    server: 'http://desk.example',
  },
  {
    name: 'publicUrl',
    settings: { basePath: '/odata', publicUrl: 'https://www.example.com/desk/' },
    headers: FORWARDED,
    inside: '/odata/',
    server: 'https://www.example.com/desk',
  },
  {
    name: 'X-Forwarded-Prefix of a trusted proxy',
    settings: { basePath: '/odata', publicUrl: undefined, trustedProxies: ['127.0.0.1'] },
    headers: FORWARDED,
    inside: '/odata/',
    server: 'https://www.example.com/tools/desk',
  },
  {
    name: 'X-Forwarded-Prefix and basePath /',
    settings: { basePath: '/', publicUrl: undefined, trustedProxies: ['127.0.0.1'] },
    headers: FORWARDED,
    inside: '/',
    server: 'https://www.example.com/tools/desk',
  },
  {
    name: 'X-Forwarded-Prefix of another client',
    settings: { basePath: '/odata', publicUrl: undefined, trustedProxies: ['10.0.0.1'] },
    headers: FORWARDED,
    inside: '/odata/',
    server: 'http://desk.example',
  },
];

/** All strings of a JSON value that are URLs. */
function urlsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^https?:\/\//.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(urlsIn);
}

describe.each(PLACES)('The service root: $name', ({ settings, headers, inside, server }) => {
  let desk: Desk;
  const root = `${server}${inside}`;

  beforeAll(async () => {
    desk = await openDesk({
      settings: { ...settings, limits: { pageSize: 20 } },
    });
  });
  afterAll(async () => await desk?.close());

  /** Sends a request as a proxy would forward it. */
  const send = async (method: string, url: string, message: Message = {}): Promise<DeskAnswer> => {
    const path = url.startsWith(root) ? url.slice(root.length) : url;
    return await desk.send(method, `http://desk.example${inside}${path}`, {
      ...message,
      headers: { ...headers, ...message.headers },
    });
  };
  const get = async (url: string, more: Readonly<Record<string, string>> = {}) =>
    await send('GET', url, { headers: more });

  it('is in context URLs and links of pages, which can be followed', async () => {
    const { json } = await get('');
    expect(json['@odata.context']).toBe(`${root}$metadata`);
    const first = await get('ServiceRequests?$select=Uid', { prefer: 'track-changes' });
    expect(first.json['@odata.nextLink'].startsWith(`${root}ServiceRequests?`)).toBe(true);
    let page = first;
    while (page.json['@odata.nextLink'] !== undefined)
      page = await get(page.json['@odata.nextLink']);
    const delta = page.json['@odata.deltaLink'];
    expect(delta.startsWith(`${root}ServiceRequests?`)).toBe(true);
    expect((await get(delta)).status).toBe(200);
  });

  it('is in the links of entities, streams and Atom entries', async () => {
    const full = { accept: 'application/json;odata.metadata=full' };
    const { json } = await get(`Persons(${CALLER})?$expand=Organization`, full);
    const urls = urlsIn(json);
    expect(urls.length).toBeGreaterThan(3);
    expect(urls.filter((url) => !url.startsWith(root))).toEqual([]);
    expect(json['@odata.id']).toBe(`${root}Persons(${CALLER})`);
    expect((await get(json['@odata.id'])).json.Uid).toBe(CALLER);
    const atom = await get(`Persons(${CALLER})`, { accept: 'application/atom+xml' });
    expect(atom.text).toContain(`xml:base="${root}"`);
  });

  it('is in Location and OData-EntityId of created entities, and in media links', async () => {
    const body = { Description: 'Moved', 'Caller@odata.bind': `${root}Persons(${CALLER})` };
    const minimal = { prefer: 'return=minimal' };
    const created = await send('POST', 'ServiceRequests', { body, headers: minimal });
    expect(created.status, created.text).toBe(204);
    expect(created.headers.location).toMatch(/ServiceRequests\(\d+\)$/);
    expect(String(created.headers.location).startsWith(root)).toBe(true);
    expect(created.headers['odata-entityid']).toBe(created.headers.location);
    const read = await get(`${created.headers.location}?$expand=Caller($select=Uid)`);
    expect(read.json.Caller.Uid).toBe(CALLER);
    const upload = await send('POST', `${created.headers.location}/Attachments`, {
      body: Buffer.from('text'),
      headers: {
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename=a.txt',
      },
    });
    expect(upload.status, upload.text).toBe(201);
    const media = await get(`${created.headers.location}/Attachments`, {
      accept: 'application/json;odata.metadata=full',
    });
    const urls = urlsIn(media.json);
    expect(urls.length).toBeGreaterThan(1);
    expect(urls.filter((url) => !url.startsWith(root))).toEqual([]);
  });

  it('is accepted in $ref bodies, in $id, and in batches, absolute and relative to the host', async () => {
    const { json } = await send('POST', 'ServiceRequests', { body: { Description: 'Related' } });
    const request = `ServiceRequests(${json.Uid})`;
    const path = new URL(root).pathname;
    for (const id of [`${root}Persons(${MEMBER})`, `${path}Persons(${CALLER})`]) {
      const related = await send('PUT', `${request}/Caller/$ref`, { body: { '@odata.id': id } });
      expect(related.status, related.text).toBe(204);
      expect((await get(`$entity?$id=${encodeURIComponent(id)}`)).status).toBe(200);
      const requests = [
        { id: '1', method: 'GET', url: id },
        { id: '2', method: 'PATCH', url: `${root}${request}`, body: { 'Caller@odata.bind': id } },
        { id: '3', method: 'GET', url: `${request}?$select=Uid` },
      ];
      const batch = await send('POST', '$batch', { body: { requests } });
      expect(batch.json.responses.map(({ status }: { status: number }) => status)).toEqual([
        200, 204, 200,
      ]);
      expect(batch.json.responses[0].body['@odata.context'].startsWith(root)).toBe(true);
    }
    const foreign = { '@odata.id': `https://other.example/odata/Persons(${CALLER})` };
    const rejected = await send('PUT', `${request}/Caller/$ref`, { body: foreign });
    expect([rejected.status, rejected.json.error.message]).toEqual([
      400,
      expect.stringContaining(root),
    ]);
  });

  it('is in the status monitor and in the OpenAPI description, with the token endpoint', async () => {
    const later = await get('ServiceRequests(1001)', { prefer: 'respond-async' });
    expect(later.status).toBe(202);
    expect(String(later.headers.location).startsWith(root)).toBe(true);
    expect([200, 202]).toContain((await get(String(later.headers.location))).status);
    const { json } = await desk.get('http://desk.example/openapi.json', headers);
    expect(json.servers).toEqual([{ url: root.slice(0, -1) }]);
    expect(json.components.securitySchemes.token.flows.password).toMatchObject({
      tokenUrl: `${server}/token`,
      refreshUrl: `${server}/token`,
    });
  });

  it('leaves the other endpoints where they are', async () => {
    expect((await desk.get('http://desk.example/healthz')).text).toBe('ok\n');
    expect((await desk.get('http://desk.example/readyz')).status).toBe(200);
    expect((await desk.send('POST', '/token', { body: {} })).json.error).toBe('invalid_request');
    expect((await desk.get(`http://desk.example${inside}NoSuchSet`)).status).toBe(404);
  });
});

it('The service root / and the other endpoints are reached over a connection', async () => {
  const desk = await openDesk({ settings: { basePath: '/' } });
  const { origin, token, stop } = await makeReachable(desk);
  const headers = { authorization: `Bearer ${token}` };
  const answers = await Promise.all(
    [
      '/',
      `/Persons(${CALLER})`,
      '?$format=json',
      '/healthz',
      '/readyz?x=1',
      '/openapi.json',
      '/$metadata',
    ].map(async (path) => (await fetch(`${origin}${path}`, { headers })).status),
  );
  await stop();
  await desk.close();
  expect(answers).toEqual([200, 200, 200, 200, 200, 200, 200]);
});

describe('A model below the service root /', () => {
  const modelWith = (set: string) =>
    readCsdl({
      $Version: '4.01',
      $EntityContainer: 'Shop.Container',
      Shop: {
        Thing: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int32' } },
        Container: {
          $Kind: 'EntityContainer',
          [set]: { $Collection: true, $Type: 'Shop.Thing' },
        },
      },
    }).definition;

  it('cannot have a set that an endpoint of the server would hide', async () => {
    const settings = { basePath: '/' };
    await expect(openForeignDesk(modelWith('token'), {}, { settings })).rejects.toThrow(
      'basePath: expected a path such as /odata, because with "/" the endpoint /token of the server would hide token',
    );
    const elsewhere = await openForeignDesk(modelWith('token'), {});
    expect((await elsewhere.get('http://desk.example/odata/token')).json).toMatchObject({
      value: [],
    });
    await elsewhere.close();
  });

  it('can have any other set', async () => {
    const shop = await openForeignDesk(modelWith('Things'), {}, { settings: { basePath: '/' } });
    expect((await shop.get('http://desk.example/Things')).json).toMatchObject({ value: [] });
    await shop.close();
  });
});

describe('An invalid X-Forwarded-Prefix', () => {
  it.each(['tools', '/a b', '//evil.example', '/tools?x', '/"><script>'])(
    '"%s" is rejected',
    async (prefix) => {
      const desk = await openDesk({ settings: { trustedProxies: ['127.0.0.1'] } });
      const { status, json } = await desk.get('/Persons', { 'x-forwarded-prefix': prefix });
      await desk.close();
      expect([status, json.error.code]).toEqual([400, 'request.header']);
    },
  );
});
