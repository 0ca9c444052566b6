// This file creates API keys, uses them as bearer tokens and by Basic authentication, and revokes them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wireService } from '../../src/cli/wire.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';
import { makeReachable } from './listening.ts';

type Client = Pick<Desk, 'get' | 'send'>;
type Headers = Readonly<Record<string, string>>;

let desk: Desk;
let ada: Client;
beforeAll(async () => {
  desk = await openDesk({ settings: { idleMinutes: 30, trustedProxies: ['10.0.0.0/8'] } });
  for (const body of [AGENT, READER]) await desk.send('POST', '/Roles', { body });
  ada = await desk.join({ loginName: 'ada', roles: ['agent', 'reader'] });
});
afterAll(async () => await desk.close());

const AGENT = {
  Name: 'agent',
  EntityAccess: [{ Entity: 'Person', Read: true, Create: true, Change: true }],
};
const READER = {
  Name: 'reader',
  EntityAccess: [{ Entity: 'Location', Read: true }],
};

async function create(client: Client, parameters: object, headers: Headers = {}) {
  return await client.send('POST', '/CreateApiKey', { body: parameters, headers });
}

async function keyOf(client: Client, parameters: object = {}): Promise<string> {
  const { status, json } = await create(client, { Name: 'feed', ...parameters });
  expect(status).toBe(200);
  return json.value;
}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const basic = (name: string, key: string): Headers => ({
  authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
});

async function read(headers: Headers, path = '/Persons?$top=1') {
  return await desk.as('anonymous').get(path, headers);
}

async function uidOf(key: string): Promise<number> {
  const { json } = await desk.get(`/ApiKeys?$filter=Start eq '${key.slice(0, 8)}'`);
  return json.value[0].Uid;
}

async function revoke(client: Client, key: string): Promise<number> {
  return (await client.send('DELETE', `/ApiKeys(${await uidOf(key)})`)).status;
}

describe('creation', () => {
  it('returns the key once, with a prefix for scanners, and no response that may be cached', async () => {
    const answer = await create(ada, { Name: 'feed' });
    expect(answer.status).toBe(200);
    expect(answer.json.value).toMatch(/^dkt_[\w-]{43}$/);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { text } = await desk.get('/ApiKeys');
    expect(text).not.toContain(answer.json.value);
    expect(text).toContain(answer.json.value.slice(0, 8));
  });

  it.each([
    ['$orderby', '$orderby=x'],
    ['$select', '$select=x'],
    ['$expand', '$expand=Roles'],
  ])('rejects %s, since the response is the whole key', async (option, query) => {
    const { status, json } = await ada.send('POST', `/CreateApiKey?${query}`, {
      body: { Name: 'feed' },
    });
    expect([status, json.error.code, json.error.target]).toEqual([
      400,
      'request.misplaced-option',
      option,
    ]);
    expect(json.error.message).toContain('CreateApiKey, which always returns all of its result');
    const { json: keys } = await desk.get("/ApiKeys?$filter=Name eq 'feed'&$count=true&$top=0");
    expect(keys['@odata.count']).toBe(1);
  });

  it('is audited with the name of the key and its account', async () => {
    const key = await keyOf(ada, { Name: 'quarterly report' });
    const uid = await uidOf(key);
    const { json } = await desk.get(`/AuditEntries?$filter=Target eq 'ApiKeys(${uid})'`);
    expect(json.value).toMatchObject([
      { Account: 'ada', Detail: 'insert API key "quarterly report" of ada' },
    ]);
    expect(await revoke(ada, key)).toBe(204);
    const after = await desk.get(`/AuditEntries?$filter=Target eq 'ApiKeys(${uid})'&$orderby=Uid`);
    expect(after.json.value[1]).toMatchObject({ Account: 'ada', Detail: 'delete' });
  });

  it('is possible for other accounts only to administrators', async () => {
    const key = await keyOf(desk, { Account: 'ada' });
    expect((await read(basic('ada', key))).status).toBe(200);
    const denied = await create(ada, { Name: 'x', Account: 'admin' });
    expect([denied.status, denied.json.error.code]).toEqual([403, 'auth.key-of-other']);
    expect((await create(desk, { Name: 'x', Account: 'nobody-at-all' })).status).toBe(404);
  });

  it('reports all mistakes of the parameters', async () => {
    const mistakes = { Name: ' ', Expires: '2001-01-01T00:00:00Z', Roles: ['agnet'], PageSize: 0 };
    const { status, json } = await create(ada, mistakes);
    expect(status).toBe(400);
    expect(json.error.details.map((one: { target: string }) => one.target)).toEqual([
      'Roles',
      'Name',
      'Expires',
      'PageSize',
    ]);
    expect(json.error.details[0].message).toContain('agent');
    const large = await create(ada, { Name: 'x', PageSize: 5001 });
    expect([large.status, large.json.error.target]).toEqual([400, 'PageSize']);
    expect(large.json.error.message).toContain('1 to 5000');
    expect((await create(ada, { Name: 'x', Roles: [] })).status).toBe(400);
    expect((await create(ada, { Name: 'x', Roles: ['administrator'] })).status).toBe(400);
  });

  it('is not stored as the response to a repeatable or asynchronous request, nor possible without an account or by a key', async () => {
    const repeatable = {
      'repeatability-request-id': '5942d83c-7cb8-4c65-a24d-0f5d1c1c2c11',
      'repeatability-first-sent': new Date().toUTCString(),
    };
    const repeated = await create(ada, { Name: 'x' }, repeatable);
    expect([repeated.status, repeated.json.error.code]).toEqual([400, 'auth.key-alone']);
    expect((await create(ada, { Name: 'x' }, { prefer: 'respond-async' })).status).toBe(200);
    expect((await create(desk.as('anonymous'), { Name: 'x' })).status).toBe(401);
    const body = { Name: 'x' };
    const headers = bearer(await keyOf(ada));
    const answer = await desk.as('anonymous').send('POST', '/CreateApiKey', { headers, body });
    expect(answer.json.error.code).toBe('auth.key-of-key');
  });
});

describe('use', () => {
  it('works as a bearer token and by Basic authentication with the name of the account', async () => {
    const key = await keyOf(ada);
    expect((await read(bearer(key))).status).toBe(200);
    expect((await read(basic('ADA', key))).status).toBe(200);
    const other = await read(basic('admin', key));
    expect([other.status, other.json.error.code]).toEqual([401, 'auth.key-invalid']);
    const { json } = await ada.get(`/ApiKeys(${await uidOf(key)})`);
    expect(Date.parse(json.LastUsed)).toBeGreaterThan(0);
  });

  it('works by Basic authentication for an account whose name contains colons', async () => {
    const name = 'urn:desk:feed';
    await desk.join({ loginName: name, roles: ['administrator'] });
    const { json } = await desk.send('POST', '/CreateApiKey', {
      body: { Name: 'feed', Account: name },
    });
    expect((await read(basic(name, json.value))).status).toBe(200);
    expect((await read(basic('urn', json.value))).status).toBe(401);
  });

  it('never accepts a password by Basic authentication', async () => {
    const answer = await read(basic('ada', PASSWORD));
    expect([answer.status, answer.json.error.code]).toEqual([401, 'auth.token-invalid']);
    expect(answer.json.error.message).toContain('send an API key in place of the password');
  });

  it('is offered by Basic authentication to programs that ask their user for it, over safe connections', async () => {
    const challenge = async (headers: Headers) => (await read(headers)).headers['www-authenticate'];
    const excel = { 'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/)' };
    const offer = 'Bearer realm="docket", Basic realm="docket", charset="UTF-8"';
    expect(await challenge(excel)).toBe(offer);
    expect(await challenge({ ...excel, ...basic('ada', 'wrong') })).toContain('Basic');
    expect(await challenge({ 'user-agent': 'Mozilla/5.0' })).toBe('Bearer realm="docket"');
    const { headers } = await desk.app.server.inject({
      url: '/odata/Persons',
      remoteAddress: '203.0.113.7',
      headers: { host: 'desk.example', ...excel },
    });
    expect(headers['www-authenticate']).toBe('Bearer realm="docket"');
  });

  it('rejects Basic credentials over plain HTTP from other machines, unless a trusted proxy has encrypted them', async () => {
    const key = await keyOf(ada);
    const from = async (remoteAddress: string, headers: Headers = {}) => {
      const { statusCode } = await desk.app.server.inject({
        url: '/odata/Persons?$top=1',
        remoteAddress,
        headers: { host: 'desk.example', ...basic('ada', key), ...headers },
      });
      return statusCode;
    };
    const client = { 'x-forwarded-for': '203.0.113.7' };
    expect(await from('127.0.0.1')).toBe(200);
    expect(await from('203.0.113.7')).toBe(403);
    expect(await from('203.0.113.7', { 'x-forwarded-proto': 'https' })).toBe(403);
    expect(await from('10.0.0.1', { ...client, 'x-forwarded-proto': 'https' })).toBe(200);
    expect(await from('10.0.0.1', { ...client, 'x-forwarded-proto': 'http' })).toBe(403);
  });

  it('has a setting that turns Basic authentication off within a second', async () => {
    const key = await keyOf(ada);
    expect((await read(basic('ada', key))).status).toBe(200);
    const set = async (Value: string | null) =>
      (await desk.send('PATCH', `/Settings('basicKeys')`, { body: { Value } })).status;
    expect(await set('false')).toBeLessThan(300);
    const off = await read(basic('ada', key));
    expect([off.status, off.json.error.code]).toEqual([401, 'auth.token-invalid']);
    expect(off.json.error.message).toContain('basicKeys');
    const excel = { 'user-agent': 'Microsoft.Data.Mashup' };
    expect((await read(excel)).headers['www-authenticate']).toBe('Bearer realm="docket"');
    expect((await read(bearer(key))).status).toBe(200);
    await set(null);
    expect((await read(basic('ada', key))).status).toBe(200);
  });

  it('ends with the expiry, the revocation and the block of the account', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const [expiring, revoked, blocked] = [
      await keyOf(ada, { Expires: soon }),
      await keyOf(ada),
      await keyOf(ada),
    ];
    for (const key of [expiring, revoked, blocked])
      expect((await read(bearer(key))).status).toBe(200);
    expect(await revoke(ada, revoked)).toBe(204);
    expect((await read(bearer(revoked))).status).toBe(401);
    const { json } = await desk.get(`/Accounts?$filter=LoginName eq 'ada'&$select=Uid`);
    const block = async (Blocked: boolean) =>
      await desk.send('PATCH', `/Accounts(${json.value[0].Uid})`, { body: { Blocked } });
    await block(true);
    expect((await read(bearer(blocked))).status).toBe(401);
    await block(false);
    expect((await read(bearer(blocked))).status).toBe(200);
    ada = await asking('ada');
  });

  it('has the page size of the key on the principal', async () => {
    const key = await keyOf(ada, { PageSize: 5000 });
    const principal = await desk.service.sessions.authenticate(`Bearer ${key}`, '127.0.0.1');
    expect(principal).toMatchObject({ key: { readOnly: false }, pageSize: 5000 });
  });
});

/** Logs an account in. */
async function asking(username: string, place = desk): Promise<Client> {
  const fields = { grant_type: 'password', username, password: PASSWORD };
  const { json } = await postToken(place, fields);
  return withKey(json.access_token, place);
}

function withKey(key: string, place = desk): Client {
  const client = place.as('anonymous');
  return {
    get: async (path, headers) => await client.get(path, { ...bearer(key), ...headers }),
    send: async (method, path, message = {}) =>
      await client.send(method, path, {
        ...message,
        headers: { ...bearer(key), ...message.headers },
      }),
  };
}

describe('rights', () => {
  const status = async (client: Client, method: string, path: string, body?: object) =>
    (await client.send(method, path, { body, headers: { 'if-match': '*' } })).status;

  it('are those of the account without a limit, and those of the roles of a limited key', async () => {
    const [whole, reader] = [
      withKey(await keyOf(ada)),
      withKey(await keyOf(ada, { Roles: ['reader'] })),
    ];
    expect((await whole.get('/Persons')).status).toBe(200);
    expect((await whole.get('/Locations')).status).toBe(200);
    expect((await reader.get('/Persons')).status).toBe(403);
    expect((await reader.get('/Locations')).status).toBe(200);
  });

  it('of an administrator may be limited to any role', async () => {
    const agent = withKey(await keyOf(desk, { Roles: ['agent'] }));
    expect((await agent.get('/Persons')).status).toBe(200);
    expect((await agent.get('/Locations')).status).toBe(403);
    expect((await agent.get('/Accounts')).status).toBe(403);
  });

  it('of a key end with the role of the account', async () => {
    const key = withKey(await keyOf(ada, { Roles: ['reader'] }));
    const { json } = await desk.get(`/Accounts?$filter=LoginName eq 'ada'&$expand=Roles`);
    const [{ Uid, Roles }] = json.value;
    const role = Roles.find(({ Name }: { Name: string }) => Name === 'reader');
    await desk.send('DELETE', `/Accounts(${Uid})/Roles(${role.Uid})/$ref`);
    expect((await key.get('/Locations')).status).toBe(403);
    const reference = { '@odata.id': `${desk.root}Roles(${role.Uid})` };
    await desk.send('POST', `/Accounts(${Uid})/Roles/$ref`, { body: reference });
    expect((await key.get('/Locations')).status).toBe(200);
  });

  it.each(['ada', 'admin'])('of a read-only key of %s permit reading only', async (name) => {
    const owner = name === 'ada' ? ada : desk;
    const text = await keyOf(owner, { ReadOnly: true });
    const key = withKey(text);
    expect((await key.get('/Persons?$top=1')).status).toBe(200);
    const { json } = await owner.get('/Persons?$top=1&$select=Uid');
    const person = `/Persons(${json.value[0].Uid})`;
    expect(await status(key, 'POST', '/Persons', { Name: 'New' })).toBe(403);
    expect(await status(key, 'PATCH', person, { FirstName: 'New' })).toBe(403);
    expect(await status(key, 'DELETE', `/ApiKeys(${await uidOf(text)})`)).toBe(403);
    const rights = await key.get(`${person}/EffectiveRights()`);
    expect(rights.json).toMatchObject({ Read: true, Change: false, Create: false });
    const members: readonly { Change: boolean }[] = rights.json.Members;
    expect(members.filter(({ Change }) => Change)).toEqual([]);
    const requests = [{ id: '1', method: 'PATCH', url: person.slice(1), body: { FirstName: 'N' } }];
    const batch = await key.send('POST', '/$batch', { body: { requests } });
    expect(batch.json.responses[0].status).toBe(403);
    expect(await status(owner, 'PATCH', person, { FirstName: 'Ann' })).toBeLessThan(300);
  });

  it('to see and revoke keys: accounts their own, administrators all', async () => {
    const [own, other] = [await keyOf(ada), await keyOf(desk)];
    const seen = await ada.get('/ApiKeys?$select=Start');
    const starts = seen.json.value.map(({ Start }: { Start: string }) => Start);
    expect(starts).toContain(own.slice(0, 8));
    expect(starts).not.toContain(other.slice(0, 8));
    expect(await revoke(ada, other)).toBe(404);
    expect((await read(bearer(other))).status).toBe(200);
    expect(await revoke(desk, own)).toBe(204);
    expect((await read(bearer(own))).status).toBe(401);
    expect((await desk.as('anonymous').get('/ApiKeys')).status).toBe(401);
    expect(await status(desk, 'POST', '/ApiKeys', { Name: 'x' })).toBe(405);
    expect(await status(ada, 'PATCH', `/ApiKeys(${await uidOf(other)})`, { Name: 'x' })).toBe(405);
  });

  it('of asynchronous requests end with the key', async () => {
    const key = withKey(await keyOf(ada, { Roles: ['reader'] }));
    const answer = await key.get('/Persons', { prefer: 'respond-async, wait=10' });
    expect(answer.status).toBe(403);
  });
});

describe('session slots', () => {
  const world = fixedWorld();
  const settings = { maximumUsers: 4, accountSessions: 2, reservedSessions: 0, idleMinutes: 10 };
  let place: Desk;
  let feed: readonly string[];
  beforeAll(async () => {
    place = await openDesk({ world, records: [], settings });
    const Type = { Value: 204_003 };
    const body = { LoginName: 'robot', Password: PASSWORD, Type };
    expect((await place.send('POST', '/Accounts', { body })).status).toBe(201);
    const account = { Account: 'robot' };
    feed = await Promise.all(Array.from({ length: 9 }, async () => await keyOf(place, account)));
  });
  afterAll(async () => await place.close());

  const ping = async (client: Client) => (await client.get('/$metadata')).status;

  it('are shared by the keys and the log-ins of an integration account, and remain a limit for people', async () => {
    for (const key of feed) expect(await ping(withKey(key, place))).toBe(200);
    for (let count = 0; count < 9; count++)
      expect(await ping(await asking('robot', place))).toBe(200);
    // The administrator and the robot have one slot each.
    const people = [await asking('nobody', place), await asking('nobody', place)];
    expect(await Promise.all(people.map(ping))).toEqual([200, 200]);
    expect(await ping(await asking('admin', place))).toBe(503);
    expect(await ping(withKey(feed[0] ?? '', place))).toBe(200);
  });

  it('are free again when no key has been used for idleMinutes', async () => {
    world.advance(11 * 60_000);
    for (let count = 0; count < 2; count++)
      expect(await ping(await asking('admin', place))).toBe(200);
    for (let count = 0; count < 2; count++)
      expect(await ping(await asking('nobody', place))).toBe(200);
    expect(await ping(withKey(feed[0] ?? '', place))).toBe(503);
    world.advance(11 * 60_000);
    expect(await ping(withKey(feed[0] ?? '', place))).toBe(200);
  });

  it('are not needed by a key that has expired or been revoked, in any process', async () => {
    const admin = await asking('admin', place);
    const Expires = new Date(world.now() + 60_000).toISOString();
    const [expiring, revoked] = [await keyOf(admin, { Expires }), await keyOf(admin)];
    const { service } = await wireService(place.installation);
    const elsewhere = async (key: string) =>
      await service.sessions.authenticate(`Bearer ${key}`, '127.0.0.1');
    for (const key of [expiring, revoked]) expect((await elsewhere(key)).loginName).toBe('admin');
    const { json } = await admin.get(`/ApiKeys?$filter=Start eq '${revoked.slice(0, 8)}'`);
    await admin.send('DELETE', `/ApiKeys(${json.value[0].Uid})`);
    world.advance(600);
    await expect(elsewhere(revoked)).rejects.toMatchObject({ code: 'auth.key-invalid' });
    world.advance(60_000);
    await expect(elsewhere(expiring)).rejects.toMatchObject({ code: 'auth.key-invalid' });
    await service.sessions.close();
  });

  it('Guessing is slowed down for an address, but neither its valid keys nor other addresses', async () => {
    const guess = async (key: string, remoteAddress = '203.0.113.9') =>
      (
        await place.app.server.inject({
          url: '/odata/$metadata',
          remoteAddress,
          headers: { host: 'desk.example', ...bearer(key) },
        })
      ).statusCode;
    const old = `dkt_${'o'.repeat(43)}`;
    for (let count = 0; count < 60; count++) expect(await guess(old)).toBe(401);
    for (let count = 1; count < 50; count++) expect(await guess(`dkt_${count}`)).toBe(401);
    expect(await guess('dkt_another')).toBe(429);
    expect(await guess(feed[0] ?? '')).toBe(200);
    expect(await guess('dkt_another', '203.0.113.10')).toBe(401);
    expect(await ping(await asking('nobody', place))).toBe(200);
  });
});

it('curl -u signs in with the name of the account and a key', async () => {
  const reachable = await makeReachable(desk);
  const url = `${reachable.origin}/odata/Persons?$top=1`;
  const curl = async (user: string) => {
    const options = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-u', user, url];
    return (await promisify(execFile)('curl', options)).stdout;
  };
  const key = await keyOf(ada);
  try {
    expect(await curl(`ada:${key}`)).toBe('200');
    expect(await curl(`ada:${PASSWORD}`)).toBe('401');
  } finally {
    await reachable.stop();
  }
});
