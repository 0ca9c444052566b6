// This file reads and ends sessions as the account to which they belong.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';
import { openZoo } from './zoo.ts';

interface Session {
  readonly Uid: number;
}

describe.each([
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const)('Sessions of an account of %s', (_what, open) => {
  let place: Desk;
  let others: readonly number[];
  beforeAll(async () => {
    place = await open();
    for (const loginName of ['ada', 'emmy']) await place.join({ loginName, roles: [] });
    // Sessions that `join` has opened.
    await (await logIn('ada')).send('POST', '/EndOtherSessions');
    others = await allSessionsExcept('ada');
  });
  afterAll(async () => await place?.close());

  /** Logs in as a program, and begins the session. */
  async function logIn(username: string, agent = 'feed/1.0') {
    const { json } = await place.as('anonymous').send('POST', '/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': agent },
      body: new URLSearchParams({
        grant_type: 'password',
        username,
        password: PASSWORD,
      }).toString(),
    });
    const headers = { authorization: `Bearer ${json.access_token}` };
    const client = {
      refreshToken: String(json.refresh_token),
      get: async (path: string) => await place.as('anonymous').get(path, headers),
      send: async (method: string, path: string, body?: object) =>
        await place.as('anonymous').send(method, path, { headers, body }),
    };
    expect((await client.get('/$ping')).status).toBe(200);
    return client;
  }

  async function allSessionsExcept(name: string): Promise<readonly number[]> {
    const { json } = await place.get(`/Sessions?$filter=Account/LoginName ne '${name}'&$top=100`);
    return json.value.map(({ Uid }: Session) => Uid);
  }

  let [first, second, third]: Awaited<ReturnType<typeof logIn>>[] = [];
  beforeEach(async () => {
    [first, second, third] = [
      await logIn('ada'),
      await logIn('ada', 'phone/2.1'),
      await logIn('ada'),
    ];
    await first.send('POST', '/EndOtherSessions');
    [second, third] = [await logIn('ada', 'phone/2.1'), await logIn('ada')];
  });

  const uidOf = async (client = first) => Number((await client?.get('/CurrentSession'))?.json.Uid);

  it('are listed to it with the place, the program and the times, and no others', async () => {
    const own = await first?.get('/Sessions?$orderby=Uid&$count=true');
    expect(own?.json['@odata.count']).toBe(3);
    expect(own?.json.value[1]).toMatchObject({
      Address: '127.0.0.1',
      Client: 'phone/2.1',
      Opened: expect.stringMatching(/^20.*Z$/),
      LastUsed: expect.stringMatching(/^20.*Z$/),
    });
    expect(own?.text).not.toContain(PASSWORD);
    expect((await first?.get(`/Sessions(${others[0]})`))?.status).toBe(404);
    expect((await first?.get('/Sessions?$expand=Tokens'))?.status).toBe(403);
    expect((await place.get('/Sessions?$top=100')).json.value.length).toBe(others.length + 3);
  });

  it('have one that is the session of the request', async () => {
    const uids = [await uidOf(first), await uidOf(second), await uidOf(third)];
    const { json } = (await second?.get('/Sessions?$orderby=Uid')) ?? {};
    expect(uids).toEqual(json.value.map(({ Uid }: Session) => Uid));
    const selected = await second?.get('/CurrentSession?$select=Client');
    expect(selected?.json.Client).toBe('phone/2.1');
  });

  it('can be ended one by one: the tokens are dead, and those of others cannot', async () => {
    const ended = await first?.send('DELETE', `/Sessions(${await uidOf(second)})`);
    expect(ended?.status).toBe(204);
    expect((await second?.get('/$ping'))?.status).toBe(401);
    const refresh_token = second?.refreshToken ?? '';
    const again = await postToken(place, { grant_type: 'refresh_token', refresh_token });
    expect(again.json.error).toBe('invalid_grant');
    expect((await third?.get('/$ping'))?.status).toBe(200);
    for (const uid of others)
      expect((await first?.send('DELETE', `/Sessions(${uid})`))?.status).toBe(404);
    expect(await allSessionsExcept('ada')).toEqual(others);
    expect((await first?.send('PATCH', `/Sessions(${await uidOf(third)})`, {}))?.status).toBe(405);
  });

  it('are all ended but that of the request by EndOtherSessions, which is audited', async () => {
    expect((await first?.send('POST', '/EndOtherSessions'))?.status).toBe(204);
    expect((await first?.get('/$ping'))?.status).toBe(200);
    for (const client of [second, third]) expect((await client?.get('/$ping'))?.status).toBe(401);
    expect(await allSessionsExcept('ada')).toEqual(others);
    const { json } = await place.get(
      "/AuditEntries?$filter=Account eq 'ada' and Kind eq 'session end'&$orderby=Uid desc&$top=1",
    );
    expect(json.value).toMatchObject([{ Detail: 'other sessions of ada ended' }]);
  });

  it('are those of the account only, also for administrators', async () => {
    const admin = await logIn('admin');
    expect((await admin.send('POST', '/EndOtherSessions')).status).toBe(204);
    for (const client of [first, second, third])
      expect((await client?.get('/$ping'))?.status).toBe(200);
    expect((await admin.get('/$ping')).status).toBe(200);
    expect((await place.get('/$ping')).status).toBe(401);
  });
});

it('Requests with an API key have no session, and those without a token get 401', async () => {
  const desk = await openDesk();
  const ada = await desk.join({ loginName: 'ada', roles: [] });
  const { json } = await ada.send('POST', '/CreateApiKey', { body: { Name: 'feed' } });
  const headers = { authorization: `Bearer ${json.value}` };
  expect((await desk.as('anonymous').get('/CurrentSession', headers)).status).toBe(204);
  expect((await desk.as('anonymous').get('/CurrentSession')).status).toBe(401);
  const ended = await desk.as('anonymous').send('POST', '/EndOtherSessions', { headers });
  expect(ended.status).toBe(204);
  expect((await ada.get('/$ping')).status).toBe(401);
  await desk.close();
});
