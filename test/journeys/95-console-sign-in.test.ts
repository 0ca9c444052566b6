// This file signs in to the console at an OpenID Connect issuer, as a browser does: oidc-provider on this machine, and a service behind a proxy.
import { type JWTPayload, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { processWorld } from '../../src/cli/wire.ts';
import { SECRET, startTokenIssuer, type TokenIssuer } from '../contracts/token-issuer.ts';
import { type Desk, openDesk } from './desk.ts';

const SECOND = 1000;
const SERVER = 'https://desk.example';
const CALLBACK = `${SERVER}/console/session/callback`;
const ATTEMPT = '__Secure-docket-sign-in';
const SESSION = '__Secure-docket';
const HEADERS = {
  host: 'desk.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
  'sec-fetch-site': 'same-origin',
};

let issuer: TokenIssuer;
let posting: TokenIssuer;
let open: TokenIssuer;
let desk: Desk;
/** How far all clocks are ahead. */
let ahead = 0;
/** What has been observed for logs and the audit trail. */
const seen: string[] = [];

beforeAll(async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  issuer = await startTokenIssuer(
    {},
    {
      browserClients: [{ id: 'docket console', redirectUris: [CALLBACK] }],
      people: {
        joan: { preferred_username: 'Joan', name: 'Joan Kept' },
        ann: { preferred_username: 'ann', name: 'Ann New', roles: ['Desk.Agent'] },
        bob: { preferred_username: 'bob', roles: [] },
        leaver: { preferred_username: 'leaver' },
        nameless: {},
      },
    },
  );
  const people = { joan: { preferred_username: 'joan' } };
  const redirectUris = [CALLBACK];
  posting = await startTokenIssuer(
    {},
    {
      browserClients: [{ id: 'form', redirectUris, method: 'client_secret_post' }],
      people,
      clientAuthMethods: ['client_secret_post'],
    },
  );
  open = await startTokenIssuer(
    {},
    { browserClients: [{ id: 'public', redirectUris, method: 'none' }], people },
  );
  desk = await openSignInDesk();
  for (const loginName of ['joan', 'leaver'])
    await desk.join({ loginName, roles: ['administrator'] });
  const agent = { Name: 'agent', EntityAccess: [{ Entity: 'Person', Read: true }] };
  expect((await desk.send('POST', '/Roles', { body: agent })).status).toBe(201);
  const { observe } = desk.service;
  vi.spyOn(desk.service, 'observe').mockImplementation((event) => {
    seen.push(JSON.stringify(event, (_, value) => (value instanceof Error ? `${value}` : value)));
    observe(event);
  });
});
afterAll(async () => {
  await desk.close();
  for (const one of [issuer, posting, open]) await one.close();
  vi.restoreAllMocks();
});
beforeEach(() => {
  issuer.setDown(false);
  issuer.replaceIdToken(undefined);
  ahead += 6 * SECOND;
});

async function openSignInDesk(): Promise<Desk> {
  return await openDesk({
    world: { ...processWorld, now: () => Date.now() },
    settings: {
      trustedProxies: ['127.0.0.1'],
      issuers: [
        {
          url: issuer.url,
          audience: 'https://desk.example',
          createAccounts: true,
          roles: { map: { 'Desk.Agent': 'agent' } },
          console: { name: 'Example login', clientId: 'docket console', clientSecret: SECRET },
        },
        { url: 'http://127.0.0.1:1', audience: 'x', console: { name: 'Down', clientId: 'x' } },
        { url: 'http://127.0.0.1:2', audience: 'x' },
        {
          url: posting.url,
          audience: 'x',
          console: { name: 'Posting', clientId: 'form', clientSecret: SECRET },
        },
        { url: open.url, audience: 'x', console: { name: 'Open', clientId: 'public' } },
      ],
    },
  });
}

type Headers = Readonly<Record<string, string | undefined>>;

/** A browser that navigates to an endpoint of the session. */
async function navigate(path: string, headers: Headers = {}, to = desk) {
  const all = Object.entries({ ...HEADERS, ...headers });
  const answer = await to.app.server.inject({
    url: `/console/session${path}`,
    headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
  });
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map(String);
  const pairOf = (name: string) =>
    cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(';')[0] ?? '';
  return {
    status: answer.statusCode,
    headers: answer.headers,
    location: String(answer.headers.location),
    cookies,
    attempt: pairOf(ATTEMPT),
    session: pairOf(SESSION),
  };
}

async function begin(path = '/console/s/Persons?q=1', to = desk, url = issuer.url) {
  const query = new URLSearchParams({ issuer: url, return: path });
  return await navigate(`/sign-in?${query}`, {}, to);
}

/** Signs in at the issuer. Returns the query with which it sends the browser back. */
async function atIssuer(location: string, name: string): Promise<URLSearchParams> {
  const jar = new Map<string, string>();
  let next = new URL(location);
  let form: URLSearchParams | undefined;
  while (next.origin !== SERVER) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const answer: Response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const one of answer.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      jar.set(key, value);
    }
    form = answer.status === 200 ? new URLSearchParams({ name }) : undefined;
    next = new URL(answer.headers.get('location') ?? next, next);
  }
  expect(`${next.origin}${next.pathname}`).toBe(CALLBACK);
  return next.searchParams;
}

async function finish(answer: URLSearchParams, cookie: string, to = desk) {
  const headers = { cookie, 'sec-fetch-site': 'cross-site' };
  return await navigate(`/callback?${answer}`, headers, to);
}

async function signIn(name: string, path?: string, to = desk) {
  const begun = await begin(path, to);
  const answer = await atIssuer(begun.location, name);
  return { begun, answer, finished: await finish(answer, begun.attempt, to) };
}

async function session(method: 'POST' | 'DELETE', path: string, cookie: string) {
  const answer = await desk.app.server.inject({
    method,
    url: `/console/session${path}`,
    headers: { ...HEADERS, cookie, 'content-type': 'application/json', 'x-docket-console': '1' },
    payload: '{}',
  });
  return { status: answer.statusCode, json: answer.payload === '' ? {} : answer.json() };
}

function refresh(cookie: string) {
  return session('POST', '/refresh', cookie);
}

describe('Options', () => {
  it('name the issuers at which the console is a client', async () => {
    const { json } = await desk.get('http://desk.example/console/session/options');
    expect(json.Issuers).toEqual([
      { Issuer: issuer.url, Name: 'Example login' },
      { Issuer: 'http://127.0.0.1:1', Name: 'Down' },
      { Issuer: posting.url, Name: 'Posting' },
      { Issuer: open.url, Name: 'Open' },
    ]);
  });
});

describe('Signing in at an issuer', () => {
  it('opens a session of the account, and returns to the page', async () => {
    const { begun, finished } = await signIn('joan');
    expect([finished.status, finished.location]).toEqual([303, '/console/s/Persons?q=1']);
    expect(finished.headers['cache-control']).toBe('no-store');
    expect(finished.headers['referrer-policy']).toBe('no-referrer');
    expect(finished.cookies).toEqual([
      `${ATTEMPT}=; Path=/console/session/callback; Max-Age=0; HttpOnly; Secure; SameSite=Lax`,
      expect.stringMatching(
        /^__Secure-docket=[\w-]{43}; Path=\/console\/session; Max-Age=604800; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(begun.cookies).toEqual([
      expect.stringMatching(
        /^__Secure-docket-sign-in=[\w-]+; Path=\/console\/session\/callback; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const first = await refresh(finished.session);
    expect([first.status, first.json.Account.LoginName]).toEqual([200, 'joan']);
  });

  it('uses PKCE, a state and a nonce, which are new each time', async () => {
    const [one, two] = [await begin(), await begin()].map(
      ({ location }) => new URL(location).searchParams,
    );
    expect(Object.fromEntries(one ?? [])).toEqual({
      response_type: 'code',
      client_id: 'docket console',
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(one?.get(name)).not.toBe(two?.get(name));
    const before = issuer.tokenRequests.length;
    await signIn('joan');
    expect(issuer.tokenRequests.slice(before)).toEqual([
      expect.stringMatching(/"code_verifier":"[\w-]{43}"/),
    ]);
  });

  it('works for issuers that want the secret in the form, and for clients without one', async () => {
    for (const url of [posting.url, open.url]) {
      const begun = await begin('/console/', desk, url);
      const { location } = await finish(await atIssuer(begun.location, 'joan'), begun.attempt);
      expect([url, location]).toEqual([url, '/console/']);
    }
    expect(posting.tokenRequests[0]).toContain(`"client_secret":"${SECRET}"`);
    expect(open.tokenRequests[0]).not.toContain('secret');
  });

  it('creates the account of a new user with the mapped roles', async () => {
    const { finished } = await signIn('ann');
    expect((await refresh(finished.session)).json.Account.Name).toBe('Ann New');
    const { json } = await desk.get(`/Accounts?$filter=LoginName eq 'ann'&$expand=Roles`);
    expect(json.value).toMatchObject([{ Name: 'Ann New', Roles: [{ Name: 'agent' }] }]);
  });

  it('is in the audit trail, as is a failure with its reason', async () => {
    await signIn('joan');
    await signIn('nameless');
    const filter = encodeURIComponent(`Address eq '192.0.2.7'`);
    const entries = async () =>
      (await desk.get(`/AuditEntries?$filter=${filter}`)).json.value.map(
        ({ Kind, Account, Detail }: Record<string, string>) => `${Kind}: ${Account ?? Detail}`,
      );
    await expect
      .poll(entries)
      .toEqual(
        expect.arrayContaining([
          'log-in: joan',
          expect.stringContaining('log-in refused: it has no text in the claim preferred_username'),
        ]),
      );
  });

  it('ends when the account signs out', async () => {
    const { finished } = await signIn('joan');
    const { json } = await refresh(finished.session);
    const again = await signIn('joan');
    expect((await session('DELETE', '', again.finished.session)).status).toBe(204);
    expect((await refresh(again.finished.session)).status).toBe(401);
    expect(json.AccessToken).toMatch(/^[\w-]{43}$/);
  });
});

describe('A sign-in fails, without a session', () => {
  const failed = (finished: { readonly location: string; readonly session: string }) => [
    new URL(finished.location, SERVER).searchParams.get('sign-in'),
    finished.session,
  ];

  it('with another state, or without the cookie of the browser that began it', async () => {
    const begun = await begin();
    const answer = await atIssuer(begun.location, 'joan');
    expect(failed(await finish(answer, ''))).toEqual(['restart', '']);
    const victim = await begin();
    expect(failed(await finish(answer, victim.attempt))).toEqual(['restart', '']);
    const other = new URLSearchParams(answer);
    other.set('state', 'x'.repeat(43));
    expect(failed(await finish(other, begun.attempt))).toEqual(['restart', '']);
    other.delete('state');
    expect(failed(await finish(other, begun.attempt))).toEqual(['restart', '']);
    // The attempt itself was fine.
    expect(failed(await finish(answer, begun.attempt))[0]).toBeNull();
  });

  it('with a cookie that was changed', async () => {
    const begun = await begin();
    const answer = await atIssuer(begun.location, 'joan');
    const [name = '', value = ''] = begun.attempt.split('=');
    const list: unknown[] = JSON.parse(Buffer.from(value, 'base64url').toString());
    for (const changed of [list.with(1, '/console/x'), list.with(2, Date.now() + 1), {}, 'x']) {
      const text = Buffer.from(JSON.stringify(changed)).toString('base64url');
      const finished = await finish(answer, `${name}=${text}`);
      expect(failed(finished)).toEqual(['restart', '']);
    }
    expect(failed(await finish(answer, `${name}=%%%`))).toEqual(['restart', '']);
  });

  it('with a code that was used, or belongs to the sign-in of another browser', async () => {
    const { answer, begun, finished } = await signIn('joan');
    expect(failed(finished)[0]).toBeNull();
    expect(failed(await finish(answer, begun.attempt))).toEqual(['rejected', '']);
    const thief = await atIssuer((await begin()).location, 'joan');
    const victim = await begin();
    const own = await atIssuer(victim.location, 'ann');
    own.set('code', thief.get('code') ?? '');
    expect(failed(await finish(own, victim.attempt))).toEqual(['rejected', '']);
  });

  it('after ten minutes', async () => {
    const begun = await begin();
    const answer = await atIssuer(begun.location, 'joan');
    ahead += 601 * SECOND;
    expect(failed(await finish(answer, begun.attempt))).toEqual(['restart', '']);
  });

  it('when the person cancels, or the issuer reports an error or no code', async () => {
    const { finished, begun } = await signIn('');
    expect(failed(finished)).toEqual(['cancelled', '']);
    const state = new URL(begun.location).searchParams.get('state') ?? '';
    const iss = issuer.url;
    const error = { state, iss, error: 'server_error\n<b>' };
    expect(failed(await finish(new URLSearchParams(error), begun.attempt))[0]).toBe('rejected');
    expect(failed(await finish(new URLSearchParams({ state, iss }), begun.attempt))[0]).toBe(
      'rejected',
    );
  });

  it('with a response of another issuer, or one that does not name itself', async () => {
    const begun = await begin();
    const answer = await atIssuer(begun.location, 'joan');
    for (const iss of ['http://127.0.0.1:1', undefined]) {
      const other = new URLSearchParams(answer);
      if (iss === undefined) other.delete('iss');
      else other.set('iss', iss);
      expect(failed(await finish(other, begun.attempt))).toEqual(['rejected', '']);
    }
  });

  it.each<[string, (claims: JWTPayload) => Promise<string>, string]>([
    ['another nonce', (claims) => sign({ ...claims, nonce: 'x'.repeat(43) }), 'claim nonce'],
    ['no nonce', (claims) => sign({ ...claims, nonce: undefined }), 'claim nonce is missing'],
    ['an expired token', (claims) => sign({ ...claims, exp: seconds(-61) }), 'has expired'],
    ['another audience', (claims) => sign({ ...claims, aud: 'other' }), 'claim aud'],
    ['another client', (claims) => sign({ ...claims, azp: 'other' }), 'claim azp'],
    [
      'several audiences',
      (claims) => sign({ ...claims, aud: ['docket console', 'other'] }),
      'claim azp',
    ],
    ['another issuer', (claims) => sign({ ...claims, iss: 'http://127.0.0.1:1' }), 'claim iss'],
    ['an access token', (claims) => sign(claims, { typ: 'at+jwt' }), 'not an ID token'],
    ['an unknown key', (claims) => sign(claims, { kid: 'x' }), 'key ID (kid)'],
    ['no signature', async (claims) => new UnsecuredJWT(claims).encode(), '(alg) is not one of'],
    ['a broken token', async () => 'a.b.c', 'not a valid signed token'],
  ])('with an ID token that has %s', async (_, replace, reason) => {
    issuer.replaceIdToken(replace);
    const { finished } = await signIn('joan');
    expect(failed(finished)).toEqual(['rejected', '']);
    expect(seen.at(-1)).toContain(reason);
  });

  const sign = (claims: JWTPayload, header: Record<string, string> = {}) =>
    issuer.sign({ ...claims }, { typ: 'JWT', ...header });
  const seconds = (from: number) => Math.floor(Date.now() / 1000) + from;

  it('for a blocked account, and for a user without an account or a role', async () => {
    const { json } = await desk.get(`/Accounts?$filter=LoginName eq 'leaver'`);
    const block = { body: { Blocked: true } };
    await desk.send('PATCH', `/Accounts(${json.value[0].Uid})`, block);
    for (const name of ['leaver', 'bob', 'nameless', 'stranger'])
      expect([name, ...failed((await signIn(name)).finished)]).toEqual([name, 'account', '']);
  });

  it('at an issuer that is unknown, has no client for the console, or does not respond', async () => {
    for (const [url, obstacle] of [
      ['https://other.example', 'issuer'],
      ['http://127.0.0.1:2', 'issuer'],
      ['', 'issuer'],
      ['http://127.0.0.1:1', 'unavailable'],
    ] as const) {
      const begun = await begin(undefined, desk, url);
      expect([url, ...failed(begun)]).toEqual([url, obstacle, '']);
      expect(begun.attempt).toBe('');
      expect(begun.location).toBe(`/console/s/Persons?q=1&sign-in=${obstacle}`);
    }
    const begun = await begin();
    const answer = await atIssuer(begun.location, 'joan');
    issuer.setDown(true);
    expect(failed(await finish(answer, begun.attempt))).toEqual(['unavailable', '']);
  });

  it('when another site begins it', async () => {
    const query = new URLSearchParams({ issuer: issuer.url });
    for (const site of ['cross-site', 'same-site'])
      expect(failed(await navigate(`/sign-in?${query}`, { 'sec-fetch-site': site }))).toEqual([
        'restart',
        '',
      ]);
  });
});

describe('The page after the sign-in', () => {
  const returned = async (path: string) =>
    new URL((await begin(path, desk, 'unknown')).location, SERVER).pathname;

  it.each(['/console', '/console/', '/console/s/Persons(1)', '/console/sessions'])(
    'is %s',
    async (path) => expect(await returned(path)).toBe(path),
  );

  it.each([
    '',
    'console/s',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '/console/\\..\\..\\evil',
    'https://evil.example/console/',
    'https://desk.example/console/',
    '/console/../odata/Persons',
    '/console/%2e%2e/odata',
    '/consoles',
    '/odata/Persons',
    '/console/session/sign-in',
    '/console/x/../session/callback',
    'javascript:alert(1)',
    '/console/\n/x',
    '/console/ü',
    `/console/${'x'.repeat(2300)}`,
  ])('is the start page in place of %j', async (path) =>
    expect(await returned(path)).toBe('/console/'),
  );

  it('is below the path that the browser knows', async () => {
    const query = new URLSearchParams({ issuer: issuer.url, return: '/tools/console/s' });
    const begun = await navigate(`/sign-in?${query}`, { 'x-forwarded-prefix': '/tools' });
    expect(new URL(begun.location).searchParams.get('redirect_uri')).toBe(
      `${SERVER}/tools/console/session/callback`,
    );
    expect(begun.cookies[0]).toContain('; Path=/tools/console/session/callback;');
  });
});

describe('An ID token', () => {
  it('is no access token, not even for the same audience', async () => {
    const tokens: string[] = [];
    issuer.replaceIdToken(async (claims) => {
      const token = await issuer.sign({ ...claims, aud: 'https://desk.example' }, { typ: 'JWT' });
      tokens.push(token);
      return token;
    });
    await signIn('joan');
    const answer = await desk
      .as('anonymous')
      .get('/Persons?$top=1', { authorization: `Bearer ${tokens[0]}` });
    expect([answer.status, answer.json.error.code]).toEqual([401, 'auth.issuer-token']);
  });

  it('and the code and the secrets are in no log', async () => {
    const { answer, begun } = await signIn('joan');
    for (const secret of [answer.get('code') ?? '', begun.attempt.split('=')[1] ?? '', SECRET]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(seen.join('\n')).not.toContain(secret);
    }
  });
});
