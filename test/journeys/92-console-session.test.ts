// This file signs in, refreshes and signs out as the console does: with a cookie that only the session endpoints get.
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processWorld } from '../../src/cli/wire.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk, PASSWORD } from './desk.ts';
import { ZOO } from './zoo-records.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const PATH = '/console/session';
const WRONG = { UserName: 'admin', Password: 'wrong' };
const RIGHT = { UserName: 'admin', Password: PASSWORD };

/** What the console sends from a page at https://desk.example, behind a proxy on this machine. */
const CONSOLE = {
  host: 'desk.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
  'content-type': 'application/json',
  'sec-fetch-site': 'same-origin',
  'x-docket-console': '1',
};

let ahead = 0;
const world = { ...processWorld, now: () => processWorld.now() + ahead };
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({
    world,
    settings: {
      trustedProxies: ['127.0.0.1'],
      corsOrigins: ['https://other.example'],
      idleMinutes: 45,
    },
  });
});
afterAll(async () => await desk.close());
beforeEach(() => {
  ahead += HOUR;
});

interface Sent {
  readonly cookie?: string;
  readonly body?: unknown;
  /** Overrides CONSOLE; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly to?: Desk;
}

async function send(method: string, path: string, { cookie, body, headers, to = desk }: Sent = {}) {
  const all = { ...CONSOLE, ...(cookie === undefined ? {} : { cookie }), ...headers };
  const defined = Object.entries(all).filter(([, value]) => value !== undefined);
  const payload = typeof body === 'object' ? JSON.stringify(body) : body;
  const answer = await to.app.server.inject({
    method,
    url: `${PATH}${path}`,
    headers: Object.fromEntries(defined),
    ...(payload === undefined ? {} : { payload }),
  } as InjectOptions);
  const set = answer.headers['set-cookie'];
  return {
    status: answer.statusCode,
    headers: answer.headers,
    set,
    /** The cookie that the browser sends from now on. */
    cookie: String(set ?? cookie).split(';')[0],
    json: answer.payload === '' ? undefined : answer.json(),
  };
}

const signIn = async (body: unknown = RIGHT, more: Sent = {}) =>
  await send('POST', '', { body, ...more });
const refresh = async (cookie: string | undefined, more: Sent = {}) =>
  await send('POST', '/refresh', { ...(cookie === undefined ? {} : { cookie }), ...more });

const FROM = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' };

async function read(token: string, to: Desk = desk): Promise<number> {
  const headers = { ...FROM, authorization: `Bearer ${token}` };
  return (await to.as('anonymous').get('/Persons?$top=1', headers)).status;
}

/** Sends a request as an administrator whose token has not expired. */
async function administer(method: string, path: string, body?: unknown) {
  const headers = { ...FROM, authorization: `Bearer ${(await signIn()).json.AccessToken}` };
  return await desk.as('anonymous').send(method, path, { headers, body });
}

describe('Signing in', () => {
  it('returns an access token for 10 minutes, and a cookie that scripts and other paths do not get', async () => {
    const { status, headers, set, json } = await signIn();
    expect(status).toBe(200);
    expect(json).toEqual({
      AccessToken: expect.stringMatching(/^[\w-]{43}$/),
      ExpiresIn: 600,
      IdleMinutes: 45,
      Account: { Uid: expect.any(Number), LoginName: 'admin', Name: 'The admin' },
    });
    expect(set).toMatch(
      /^__Secure-docket=[\w-]{43}; Path=\/console\/session; Max-Age=604800; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(set).not.toContain(json.AccessToken);
    expect(headers['cache-control']).toBe('no-store');
    expect(await read(json.AccessToken)).toBe(200);
    ahead += 599 * SECOND;
    expect(await read(json.AccessToken)).toBe(200);
    ahead += 2 * SECOND;
    expect(await read(json.AccessToken)).toBe(401);
  });

  it('returns the language of the account', async () => {
    const { Uid } = (await signIn()).json.Account;
    const change = async (Language: string | null) =>
      await administer('PATCH', `/Accounts(${Uid})`, { Language });
    expect((await change('nl')).status).toBe(204);
    expect((await signIn()).json.Language).toBe('nl');
    await change(null);
  });

  it('with a wrong name or password returns 401, the same for both', async () => {
    const wrong = await signIn(WRONG);
    const unknown = await signIn({ UserName: 'nobody at all', Password: PASSWORD });
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'auth.credentials']);
    expect(unknown.json).toEqual(wrong.json);
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="docket"');
    expect(wrong.set).toBeUndefined();
  });

  it('is slowed down together with the token endpoint', async () => {
    const headers = { ...CONSOLE, 'content-type': 'application/x-www-form-urlencoded' };
    for (let count = 0; count < 3; count++) await signIn({ ...WRONG, UserName: 'nobody' });
    for (let count = 0; count < 2; count++)
      await desk.as('anonymous').send('POST', '/token', {
        headers,
        body: 'grant_type=password&username=nobody&password=wrong',
      });
    const slowed = await signIn({ ...WRONG, UserName: 'nobody' });
    expect([slowed.status, slowed.json.error.code]).toEqual([429, 'auth.slowed']);
    expect(slowed.headers['retry-after']).toBe('1');
  });

  it('is in the audit trail, also when it fails, and so is signing out', async () => {
    const own = await openDesk({ settings: { trustedProxies: ['127.0.0.1'] } });
    const { cookie } = await signIn(RIGHT, { to: own });
    await signIn(WRONG, { to: own });
    await send('DELETE', '', { cookie: String(cookie), to: own });
    const entries = async () => {
      const filter = encodeURIComponent(`Address eq '192.0.2.7'`);
      const { json } = await own.get(`/AuditEntries?$filter=${filter}`);
      return json.value
        .map(({ Kind, Account }: Record<string, string>) => `${Kind}: ${Account}`)
        .sort();
    };
    await expect
      .poll(entries)
      .toEqual([
        'log-in refused: admin',
        'log-in: admin',
        'session end: admin',
        'unauthorized: null',
      ]);
    await own.close();
  });

  it.each([
    ['no JSON', 'UserName=admin', 'valid JSON'],
    ['a list', [], 'an object'],
    ['no password', { UserName: 'admin' }, 'Password'],
    ['a number', { UserName: 1, Password: 'x' }, 'UserName'],
    ['another member', { ...RIGHT, Remember: true }, '"Remember"'],
  ])('with %s returns 400', async (_what, body, reason) => {
    const { status, json } = await signIn(body);
    expect([status, json.error.code]).toEqual([400, 'request.body']);
    expect(json.error.message).toContain(reason);
  });

  it('names every mistake of a body', async () => {
    const { status, json } = await signIn({ UserNam: 'admin', Password: '', Code: 123456 });
    expect(status).toBe(400);
    const targets = json.error.details.map(({ target }: { target: string }) => target);
    expect(targets).toEqual(['UserNam', 'UserName', 'Password', 'Code']);
    expect(json.error.target).toBe('UserNam');
  });

  it('returns 503 until the service is enabled', async () => {
    const closed = await openDesk({ enabled: false });
    const headers = { 'x-forwarded-proto': undefined, host: 'localhost' };
    const { status, json, headers: sent } = await signIn(RIGHT, { headers, to: closed });
    expect([status, json.error.code, sent['retry-after']]).toEqual([
      503,
      'store.not-enabled',
      '60',
    ]);
    await closed.close();
  });
});

describe('Requests that are not of the console', () => {
  const REQUESTS = [
    ['POST', ''],
    ['POST', '/refresh'],
    ['DELETE', ''],
    ['DELETE', '/refresh'],
  ] as const;

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }],
    [
      'from another site with the own Origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://desk.example' },
    ],
    ['without an origin', { 'sec-fetch-site': undefined }],
    ['of another origin', { 'sec-fetch-site': undefined, origin: 'https://other.example' }],
    ['of another scheme', { 'sec-fetch-site': undefined, origin: 'http://desk.example' }],
    ['of no origin', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['without the header of the console', { 'x-docket-console': undefined }],
    ['with another value of it', { 'x-docket-console': '2' }],
  ])('%s are rejected with 403, and change nothing', async (_what, headers) => {
    const { cookie } = await signIn();
    for (const [method, path] of REQUESTS) {
      const { status, json, set } = await send(method, path, {
        ...(cookie === undefined ? {} : { cookie }),
        body: RIGHT,
        headers,
      });
      expect([method, path, status, json.error.code]).toEqual([method, path, 403, 'auth.console']);
      expect(set).toBeUndefined();
    }
    expect((await refresh(cookie)).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
    'with the Content-Type %s are rejected with 415',
    async (type) => {
      for (const [method, path] of REQUESTS) {
        const headers = { 'content-type': type };
        const { status } = await send(method, path, { body: '{}', headers });
        expect([method, path, status]).toEqual([method, path, 415]);
      }
    },
  );

  it('with the Origin of the service, and without fetch metadata, are accepted', async () => {
    const headers = { 'sec-fetch-site': undefined, origin: 'https://desk.example' };
    expect((await signIn(RIGHT, { headers })).status).toBe(200);
  });

  it('get no CORS headers, not even for configured origins', async () => {
    const headers = { origin: 'https://other.example' };
    const answer = await signIn(RIGHT, { headers });
    const preflight = await send('OPTIONS', '', {
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(405);
    for (const one of [answer, preflight])
      expect(Object.keys(one.headers).filter((name) => name.startsWith('access-control'))).toEqual(
        [],
      );
    const odata = await desk.get('/Persons?$top=1', headers);
    expect(odata.headers['access-control-allow-origin']).toBe('https://other.example');
  });

  it('use other methods or paths: 405 and 404', async () => {
    const get = await send('GET', '');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST, DELETE']);
    expect((await send('GET', '/refresh')).headers.allow).toBe('POST, DELETE');
    expect((await send('POST', '/constructor')).status).toBe(404);
    expect((await send('PUT', '')).status).toBe(405);
  });
});

describe('Refreshing', () => {
  it('returns new tokens for the cookie, in the same session', async () => {
    const first = await signIn();
    const second = await refresh(first.cookie);
    expect(second.status).toBe(200);
    expect(second.json).toEqual({ ...first.json, AccessToken: expect.any(String) });
    expect(second.json.AccessToken).not.toBe(first.json.AccessToken);
    expect(second.cookie).not.toBe(first.cookie);
    expect(await read(second.json.AccessToken)).toBe(200);
    expect((await refresh(second.cookie)).status).toBe(200);
  });

  it('in two tabs at the same time gives both an access token, and one of them a cookie', async () => {
    const { cookie } = await signIn();
    const tabs = await Promise.all([1, 2, 3].map(async () => await refresh(cookie)));
    expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(tabs.map(({ json }) => json.AccessToken)).size).toBe(3);
    for (const { json } of tabs) expect(await read(json.AccessToken)).toBe(200);
    const cookies = tabs.flatMap(({ set }) => (set === undefined ? [] : [String(set)]));
    expect(cookies).toHaveLength(1);
    expect((await refresh(cookies[0]?.split(';')[0])).status).toBe(200);
  });

  it('with a cookie that was used more than 10 seconds ago ends the session', async () => {
    const { cookie } = await signIn();
    const next = await refresh(cookie);
    ahead += 11 * SECOND;
    const late = await refresh(cookie);
    expect([late.status, late.json.error.code]).toEqual([401, 'auth.signed-out']);
    expect(late.set).toContain('Max-Age=0');
    desk.service.sessions.recheck();
    expect(await read(next.json.AccessToken)).toBe(401);
    expect((await refresh(next.cookie)).status).toBe(401);
  });

  it('of another machine is rejected, also while another tab is refreshing', async () => {
    const { cookie } = await signIn();
    const headers = { 'x-forwarded-for': '198.51.100.9' };
    expect((await refresh(cookie, { headers })).status).toBe(401);
    expect((await refresh(cookie)).status).toBe(200);
    expect((await refresh(cookie, { headers })).status).toBe(401);
  });

  it('without a cookie, with an unknown one, after 7 days or of a blocked account returns 401', async () => {
    expect((await refresh(undefined)).json.error.code).toBe('auth.signed-out');
    const unknown = await refresh('__Secure-docket=unknown; other=1');
    expect([unknown.status, unknown.headers['cache-control']]).toEqual([401, 'no-store']);
    const { cookie } = await signIn();
    ahead += 7 * DAY + SECOND;
    expect((await refresh(cookie)).status).toBe(401);
    await desk.join({ loginName: 'leaver', roles: ['administrator'] });
    const leaver = await signIn({ UserName: 'leaver', Password: PASSWORD });
    const { Uid } = leaver.json.Account;
    await refresh(leaver.cookie);
    expect((await administer('PATCH', `/Accounts(${Uid})`, { Blocked: true })).status).toBe(204);
    expect((await refresh(leaver.cookie)).status).toBe(401);
  });

  it('does not accept a cookie as an access token, or an access token as a cookie', async () => {
    const { json, cookie } = await signIn();
    expect(await read(String(cookie).replace('__Secure-docket=', ''))).toBe(401);
    expect((await refresh(`__Secure-docket=${json.AccessToken}`)).status).toBe(401);
  });

  it('continues in a new process', async () => {
    const own = await openDesk({ settings: { trustedProxies: ['127.0.0.1'] } });
    const { cookie } = await signIn(RIGHT, { to: own });
    const next = await own.restart();
    expect((await refresh(cookie, { to: next })).status).toBe(200);
    await next.close();
  });
});

describe('Signing out', () => {
  it('ends the session on every node, and makes the browser forget it', async () => {
    // The other node has the clock of this machine.
    ahead = 0;
    const other = await desk.another();
    const { json, cookie } = await signIn();
    expect([await read(json.AccessToken), await read(json.AccessToken, other)]).toEqual([200, 200]);
    const out = await send('DELETE', '', cookie === undefined ? {} : { cookie });
    expect([out.status, out.headers['clear-site-data'], out.headers['cache-control']]).toEqual([
      204,
      '"storage"',
      'no-store',
    ]);
    expect(out.set).toBe(
      '__Secure-docket=; Path=/console/session; Max-Age=0; HttpOnly; Secure; SameSite=Strict',
    );
    expect(await read(json.AccessToken)).toBe(401);
    await expect.poll(async () => await read(json.AccessToken, other)).toBe(401);
    expect((await refresh(cookie, { to: other })).status).toBe(401);
    await other.close();
  });

  it('after inactivity ends the session, and lets the browser keep drafts', async () => {
    const { json, cookie } = await signIn();
    const out = await send('DELETE', '/refresh', { cookie: String(cookie) });
    expect([out.status, out.headers['clear-site-data']]).toEqual([204, undefined]);
    expect(out.set).toContain('__Secure-docket=; ');
    expect(await read(json.AccessToken)).toBe(401);
    expect((await refresh(cookie)).status).toBe(401);
  });

  it('with a refresh token that another tab has used ends the session, too', async () => {
    const { cookie } = await signIn();
    const next = await refresh(cookie);
    expect((await send('DELETE', '', { cookie: String(cookie) })).status).toBe(204);
    expect((await refresh(next.cookie)).status).toBe(401);
  });

  it('leaves other sessions of the account alone', async () => {
    const [one, two] = [await signIn(), await signIn()];
    await send('DELETE', '', { cookie: String(one.cookie) });
    expect((await refresh(two.cookie)).status).toBe(200);
  });

  it('without a session returns 204 as well', async () => {
    const out = await send('DELETE', '');
    expect([out.status, String(out.set)]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  });
});

describe('The cookie', () => {
  it.each([
    ['127.0.0.1:5181', '__Secure-docket'],
    ['localhost:5181', '__Secure-docket'],
    ['[::1]:5181', '__Secure-docket'],
    ['desk.internal:5181', 'docket'],
    ['localhost.example', 'docket'],
  ])('over plain HTTP at %s is called %s', async (host, name) => {
    const headers = { host, 'x-forwarded-proto': 'http', 'x-forwarded-for': undefined };
    const { set, cookie } = await signIn(RIGHT, { headers });
    expect(String(set).split('=')[0]).toBe(name);
    expect(String(set).includes('; Secure')).toBe(name !== 'docket');
    expect((await refresh(cookie, { headers })).status).toBe(200);
  });

  it('that is not secure does not count where secure ones do', async () => {
    const { cookie } = await signIn();
    expect((await refresh(String(cookie).replace('__Secure-', ''))).status).toBe(401);
  });

  it('has the path that the browser knows', async () => {
    const behind = await signIn(RIGHT, { headers: { 'x-forwarded-prefix': '/tools' } });
    expect(behind.set).toContain('; Path=/tools/console/session;');
  });
});

describe('Options', () => {
  it('need no sign-in and no headers', async () => {
    const { status, json, headers } = await send('GET', '/options', {
      headers: {
        'content-type': undefined,
        'sec-fetch-site': 'none',
        'x-docket-console': undefined,
      },
    });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(json).toEqual({
      Issuers: [],
      Languages: ['en', 'nl', 'de', 'fr'],
      Version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });
});

describe('The setting console', () => {
  it('turns the endpoints off', async () => {
    const closed = await openDesk({ settings: { console: false } });
    const headers = { host: 'localhost', 'x-forwarded-proto': undefined };
    expect((await signIn(RIGHT, { headers, to: closed })).status).toBe(404);
    expect((await send('GET', '/options', { to: closed })).status).toBe(404);
    await closed.close();
  });
});

describe('A model of its own', () => {
  it('has sessions for its accounts, below the same path', async () => {
    const settings = { basePath: '/' };
    const zoo = await openForeignDesk(oddDefinition, ZOO, { settings });
    const headers = { host: 'localhost', 'x-forwarded-proto': undefined };
    const { status, json, cookie } = await signIn(RIGHT, { headers, to: zoo });
    expect([status, json.Account.Name]).toEqual([200, 'The admin']);
    expect((await refresh(cookie, { headers, to: zoo })).status).toBe(200);
    await zoo.close();
  });
});
