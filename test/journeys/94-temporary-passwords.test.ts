// This file logs in with passwords that somebody else has chosen, which must be changed first.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, postToken } from './desk.ts';
import { openZoo } from './zoo.ts';

const FIRST = 'seven tired otters';
const OWN = 'eleven brisk herons';

async function logIn(place: Desk, username: string, password: string) {
  const { status, json } = await postToken(place, { grant_type: 'password', username, password });
  expect(status).toBe(200);
  return clientOf(place, json.access_token, json.refresh_token);
}

function clientOf(place: Desk, access: string, refreshToken: string) {
  const headers = { authorization: `Bearer ${access}` };
  return {
    refreshToken,
    get: async (path: string) => await place.as('anonymous').get(path, headers),
    send: async (method: string, path: string, body?: object, more = {}) =>
      await place.as('anonymous').send(method, path, { headers: { ...headers, ...more }, body }),
  };
}

async function addAccount(place: Desk, LoginName: string, more: object = {}): Promise<number> {
  const body = { LoginName, Name: LoginName, Password: FIRST, ...more };
  const { status, json, text } = await place.send('POST', '/Accounts', { body });
  expect([status, text]).toEqual([201, text]);
  expect(text).not.toContain('MustChangePassword');
  return json.Uid;
}

const codeOf = async (answer: Promise<{ status: number; json: { error?: { code: string } } }>) => {
  const { status, json } = await answer;
  return [status, json?.error?.code];
};
const DENIED = [403, 'auth.password-change'];

describe.each([
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const)('A password that must be changed, of %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(async () => await place?.close());

  it('permits ChangePassword only, and then everything', async () => {
    await addAccount(place, 'ada', { MustChangePassword: true });
    const ada = await logIn(place, 'ada', FIRST);
    for (const path of ['/Sessions', '/SetRights()', '/$ping'])
      expect([path, await codeOf(ada.get(path))]).toEqual([path, DENIED]);
    const denied = await ada.get('/Sessions');
    expect(denied.json.error.message).toContain('POST ChangePassword');
    const batch = { requests: [{ id: '1', method: 'get', url: 'Sessions' }] };
    expect(await codeOf(ada.send('POST', '/$batch', batch))).toEqual(DENIED);
    const later = { prefer: 'respond-async' };
    expect(await codeOf(ada.send('POST', '/CreateApiKey', { Name: 'x' }, later))).toEqual(DENIED);
    for (const path of ['/', '/$metadata']) expect((await ada.get(path)).status).toBe(200);
    const body = { CurrentPassword: FIRST, NewPassword: OWN };
    expect((await ada.send('POST', '/ChangePassword', body)).status).toBe(204);
    expect((await ada.get('/Sessions')).status).toBe(200);
    expect((await (await logIn(place, 'ada', OWN)).get('/Sessions')).status).toBe(200);
  });

  it('is not changed to itself', async () => {
    await addAccount(place, 'hedy', { MustChangePassword: true });
    const hedy = await logIn(place, 'hedy', FIRST);
    const body = { CurrentPassword: FIRST, NewPassword: FIRST };
    const { status, json } = await hedy.send('POST', '/ChangePassword', body);
    expect([status, json.error.code, json.error.target]).toEqual([
      ...[400, 'auth.password', 'NewPassword'],
    ]);
    expect(json.error.message).toContain('must differ from the current one');
    expect(await codeOf(hedy.get('/Sessions'))).toEqual(DENIED);
  });

  it('remains so with new tokens, and the session can be ended', async () => {
    await addAccount(place, 'emmy', { MustChangePassword: true });
    const first = await logIn(place, 'emmy', FIRST);
    const fields = { grant_type: 'refresh_token', refresh_token: first.refreshToken };
    const { json } = await postToken(place, fields);
    const renewed = clientOf(place, json.access_token, json.refresh_token);
    expect(await codeOf(renewed.get('/Sessions'))).toEqual(DENIED);
    const ended = await renewed.send('POST', `${new URL(place.root).origin}/connect/endsession`);
    expect(ended.status).toBe(204);
    expect((await renewed.get('/')).status).toBe(401);
  });

  it('can be demanded of an existing account, whose sessions end, and be waived', async () => {
    const uid = await addAccount(place, 'grace');
    const before = await logIn(place, 'grace', FIRST);
    expect((await before.get('/Sessions')).status).toBe(200);
    const mark = async (MustChangePassword: unknown) =>
      await place.send('PATCH', `/Accounts(${uid})`, { body: { MustChangePassword } });
    expect((await mark(true)).status).toBeLessThan(300);
    expect((await before.get('/Sessions')).status).toBe(401);
    const after = await logIn(place, 'grace', FIRST);
    expect(await codeOf(after.get('/Sessions'))).toEqual(DENIED);
    expect((await mark(false)).status).toBeLessThan(300);
    expect((await after.get('/Sessions')).status).toBe(200);
    const wrong = await mark('yes');
    expect([wrong.status, wrong.json.error.target]).toEqual([400, 'MustChangePassword']);
    const { json } = await place.get(
      `/AuditEntries?$filter=Target eq 'Accounts(${uid})' and startswith(Detail,'password ')&$orderby=Uid`,
    );
    expect(json.value.map(({ Detail }: { Detail: string }) => Detail)).toEqual([
      'password of grace',
      'password must be changed',
      'password need not be changed',
    ]);
  });

  it('does not concern API keys', async () => {
    await addAccount(place, 'mary', { MustChangePassword: true });
    const { json } = await place.send('POST', '/CreateApiKey', {
      body: { Name: 'feed', Account: 'mary' },
    });
    const headers = { authorization: `Bearer ${json.value}` };
    expect((await place.as('anonymous').get('/Sessions', headers)).status).toBe(200);
  });

  it('is demanded by a setting, unless the request decides otherwise or the account is its own', async () => {
    const set = async (Value: string | null) => {
      const answer = await place.send('PATCH', "/Settings('temporaryPasswords')", {
        body: { Value },
      });
      expect(answer.status).toBeLessThan(300);
    };
    await set('true');
    await addAccount(place, 'joan');
    expect(await codeOf((await logIn(place, 'joan', FIRST)).get('/Sessions'))).toEqual(DENIED);
    await addAccount(place, 'rosa', { MustChangePassword: false });
    expect((await (await logIn(place, 'rosa', FIRST)).get('/Sessions')).status).toBe(200);
    await addAccount(place, 'root', {
      'Roles@odata.bind': [`Roles(${await roleUid('administrator')})`],
      MustChangePassword: false,
    });
    const root = await logIn(place, 'root', FIRST);
    const { json } = await root.get("/Accounts?$filter=LoginName eq 'root'");
    await root.send('PATCH', `/Accounts(${json.value[0].Uid})`, { Password: OWN });
    expect((await (await logIn(place, 'root', OWN)).get('/Sessions')).status).toBe(200);
    await set(null);
    await addAccount(place, 'lise');
    expect((await (await logIn(place, 'lise', FIRST)).get('/Sessions')).status).toBe(200);
  });

  async function roleUid(name: string): Promise<number> {
    const { json } = await place.get(`/Roles?$filter=Name eq '${name}'`);
    return json.value[0].Uid;
  }
});

it('The setting does not concern accounts of programs', async () => {
  const desk = await openDesk({ settings: { temporaryPasswords: true } });
  await addAccount(desk, 'feed', { Type: { Text: 'Integration' } });
  expect((await (await logIn(desk, 'feed', FIRST)).get('/Sessions')).status).toBe(200);
  await desk.close();
});

it('The session of the console says so until the password is changed', async () => {
  const desk = await openDesk({ settings: { trustedProxies: ['127.0.0.1'] } });
  await addAccount(desk, 'ada', { MustChangePassword: true });
  const send = async (path: string, cookie = '', payload: object = {}) => {
    const answer = await desk.app.server.inject({
      method: 'POST',
      url: `/console/session${path}`,
      headers: {
        host: 'desk.example',
        'x-forwarded-proto': 'https',
        'x-docket-console': '1',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        cookie,
      },
      payload,
    });
    return { json: answer.json(), cookie: String(answer.headers['set-cookie']).split(';')[0] };
  };
  const first = await send('', '', { UserName: 'ada', Password: FIRST });
  expect(first.json.MustChangePassword).toBe(true);
  const second = await send('/refresh', first.cookie);
  expect(second.json.MustChangePassword).toBe(true);
  const headers = { authorization: `Bearer ${second.json.AccessToken}` };
  const body = { CurrentPassword: FIRST, NewPassword: OWN };
  const changed = await desk.as('anonymous').send('POST', '/ChangePassword', { headers, body });
  expect(changed.status).toBe(204);
  expect((await send('/refresh', second.cookie)).json).not.toHaveProperty('MustChangePassword');
  await desk.close();
});
