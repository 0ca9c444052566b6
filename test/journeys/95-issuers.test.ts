// This file signs in with access tokens of an OpenID Connect issuer: oidc-provider on this machine, and a service that listens on a port.
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountQuery } from '../../src/auth/accounts.ts';
import { tableRecords } from '../../src/auth/auth-store.ts';
import { rightsRevision } from '../../src/auth/policy-reader.ts';
import { processWorld } from '../../src/cli/wire.ts';
import { startTokenIssuer, type TokenIssuer } from '../contracts/token-issuer.ts';
import { type Desk, openDesk, principalNamed } from './desk.ts';
import { makeReachable, type Reachable } from './listening.ts';

const AUDIENCE = 'https://desk.example.com';
const SIGN_IN = 'https://login.example.com/authorize';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const world = { ...processWorld, now: () => Date.now() };

let issuer: TokenIssuer;
let desk: Desk;
let service: Reachable;
/** Tokens that have been sent, and what has been observed for logs and the audit trail. */
const sent: string[] = [];
const seen: string[] = [];
/** How far the clocks of all parts are ahead. */
let ahead = 0;

beforeAll(async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  issuer = await startTokenIssuer({
    joan: { preferred_username: 'Joan' },
    ann: { preferred_username: 'ann', name: 'Ann Other', roles: ['Desk.Agent', 'unrelated'] },
    bob: { preferred_username: 'bob', roles: ['unrelated'] },
    eve: { preferred_username: 'eve', roles: ['Desk.Gone'] },
    nobody: {},
  });
  desk = await openDesk({
    world,
    settings: {
      maximumUsers: 8,
      reservedSessions: 0,
      issuers: [
        {
          url: issuer.url,
          audience: AUDIENCE,
          createAccounts: true,
          roles: { map: { 'Desk.Agent': 'agent', 'Desk.Gone': ['missing'] } },
          authorizationUri: SIGN_IN,
        },
        { url: 'http://127.0.0.1:1', audience: [AUDIENCE] },
      ],
    },
  });
  await desk.join({ loginName: 'joan', roles: ['administrator'] });
  const { observe } = desk.service;
  vi.spyOn(desk.service, 'observe').mockImplementation((event) => {
    seen.push(JSON.stringify(event, (_, value) => (value instanceof Error ? `${value}` : value)));
    observe(event);
  });
  const agent = { Name: 'agent', EntityAccess: [{ Entity: 'Person', Read: true }] };
  expect((await desk.send('POST', '/Roles', { body: agent })).status).toBe(201);
  service = await makeReachable(desk);
});
afterAll(async () => {
  await service.stop();
  await desk.close();
  await issuer.close();
  vi.restoreAllMocks();
});
beforeEach(() => issuer.setDown(false));
afterEach(() => desk.service.sessions.recheck());

async function get(token: string | undefined, path = 'Persons?$top=1') {
  sent.push(token ?? '');
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.origin}/odata/${path}`, { headers });
  const json: ReturnType<typeof JSON.parse> = await answer.json();
  return { status: answer.status, headers: answer.headers, json };
}

async function rejection(token: string) {
  const { status, headers, json } = await get(token);
  const challenge = headers.get('www-authenticate') ?? '';
  expect(challenge).toContain(`authorization_uri="${SIGN_IN}"`);
  return { status, code: json.error.code, challenge };
}

async function sessionsOf(loginName: string): Promise<readonly { readonly Uid: number }[]> {
  const filter = encodeURIComponent(`Account/LoginName eq '${loginName}' and LastUsed ne null`);
  const { json } = await desk.get(`/Sessions?$filter=${filter}`);
  return json.value;
}

async function accounts(loginName: string) {
  const filter = encodeURIComponent(`LoginName eq '${loginName}'`);
  return (await desk.get(`/Accounts?$filter=${filter}&$expand=Roles`)).json.value;
}

describe('A token of the issuer', () => {
  it('is accepted as a Bearer token of the account that it names, regardless of case', async () => {
    const token = await issuer.token('joan', AUDIENCE);
    const { status, json } = await get(token, 'Accounts?$top=1');
    expect(status).toBe(200);
    expect(json.value).toHaveLength(1);
  });

  it('shares one session with all other tokens of the account', async () => {
    for (let count = 0; count < 10; count++)
      expect((await get(await issuer.token('joan', AUDIENCE))).status).toBe(200);
    expect(await sessionsOf('joan')).toHaveLength(1);
  });

  it('keeps the session while it is used at least once a week', async () => {
    const { auth, layout } = desk.installation;
    const records = tableRecords(auth, accountQuery(layout), rightsRevision(layout));
    const { account } = await principalNamed(desk.service, 'nobody');
    const owner = { account, address: '' };
    const start = Date.now();
    const first = await records.sharedLogin(owner, start);
    expect(await records.sharedLogin(owner, start + 6 * DAY)).toBe(first);
    expect(await records.sharedLogin(owner, start + 12 * DAY)).toBe(first);
    expect(await records.findOwner({ account, session: first }, start + 18 * DAY)).toBeDefined();
    await records.endLogin(first);
    expect(await records.sharedLogin(owner, start + 12 * DAY)).not.toBe(first);
  });

  it('is verified once, and then accepted until it expires while the issuer is down', async () => {
    const token = await issuer.token('joan', AUDIENCE);
    await get(token);
    issuer.setDown(true);
    ahead += 11 * MINUTE - 5000;
    expect((await get(token)).status).toBe(200);
    issuer.setDown(false);
    ahead += 6000;
    expect(await rejection(token)).toMatchObject({
      status: 401,
      code: 'auth.issuer-token',
      challenge: expect.stringContaining('it has expired (claim exp)'),
    });
  });

  it('is accepted after the issuer has changed its keys, and old keys are not', async () => {
    const old = await issuer.token('joan', AUDIENCE);
    const sign = issuer.sign;
    await get(old);
    await issuer.rotate();
    ahead += 11_000;
    expect((await get(await issuer.token('joan', AUDIENCE))).status).toBe(200);
    const stranger = await sign(claims(), { kid: 'another' });
    expect((await rejection(stranger)).challenge).toContain('matches its key ID (kid)');
  });

  it('with an unknown key does not make the service read the keys again and again', async () => {
    await get(await issuer.token('joan', AUDIENCE));
    ahead += 11_000;
    const before = issuer.keyReads();
    for (let count = 0; count < 5; count++)
      await rejection(await issuer.sign(claims(), { kid: `unknown ${count}` }));
    expect(issuer.keyReads() - before).toBe(1);
  });
});

/** Claims that are accepted. */
function claims(): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { aud: AUDIENCE, preferred_username: 'joan', iat: now, exp: now + 600 };
}

type Case = readonly [string, () => Promise<string>, string];

const secret = new TextEncoder().encode('a secret that the service does not have');
const CASES: readonly Case[] = [
  ['for another audience', () => issuer.token('joan', 'https://other.example.com'), AUDIENCE],
  ['of an unknown issuer', () => issuer.sign({ ...claims(), iss: 'https://other' }), 'claim iss'],
  ['that has expired', () => issuer.sign({ ...claims(), exp: seconds(-61) }), 'has expired'],
  ['that is not valid yet', () => issuer.sign({ ...claims(), nbf: seconds(70) }), 'claim nbf'],
  ['without an expiry', () => issuer.sign({ ...claims(), exp: undefined }), 'claim exp is missing'],
  ['without an audience', () => issuer.sign({ ...claims(), aud: undefined }), 'claim aud'],
  ['with another signature', async () => `${await issuer.sign(claims())}AA`, 'its signature'],
  ['with changed claims', () => changed(), 'its signature was not made by a key of'],
  ['signed with a secret', () => signedWithSecret(), 'its algorithm (alg) is not one of RS256'],
  ['without a signature', async () => new UnsecuredJWT(issued()).encode(), '(alg) is not one of'],
  ['of an unknown key', () => issuer.sign(claims(), { kid: 'x' }), 'key ID (kid)'],
  ['that is an ID token', () => issuer.sign({ ...claims(), at_hash: 'x' }), 'not an access token'],
  ['for a sign-in', () => issuer.sign({ ...claims(), nonce: 'x' }), 'not an access token'],
  ['for a log-out', () => issuer.sign(claims(), { typ: 'logout+jwt' }), 'not an access token'],
  ['bound to a key', () => issuer.sign({ ...claims(), cnf: { jkt: 'x' } }), 'bound to a key'],
  ['without a name', () => issuer.token('nobody', AUDIENCE), 'claim preferred_username'],
  ['without a known role', () => issuer.token('bob', AUDIENCE), 'claim roles contains no role'],
  ['with a missing role', () => issuer.token('eve', AUDIENCE), 'there is no role missing'],
  ['that is no JWT', async () => 'a.b.c', 'not a valid JSON Web Token'],
];

function seconds(from: number): number {
  return Math.floor(Date.now() / 1000) + from;
}

function issued(): JWTPayload {
  return { ...claims(), iss: issuer.url };
}

async function changed(): Promise<string> {
  const [header, , signature] = (await issuer.sign(claims())).split('.');
  const other = Buffer.from(JSON.stringify({ ...issued(), preferred_username: 'admin' }));
  return [header, other.toString('base64url'), signature].join('.');
}

async function signedWithSecret(): Promise<string> {
  return await new SignJWT(issued()).setProtectedHeader({ alg: 'HS256' }).sign(secret);
}

describe('A token is rejected with 401 and the reason', () => {
  it.each(CASES)('%s', async (_, token, reason) => {
    const { status, code, challenge } = await rejection(await token());
    expect({ status, code }).toEqual({ status: 401, code: 'auth.issuer-token' });
    expect(challenge).toContain('Bearer realm="docket"');
    expect(challenge).toContain('error="invalid_token", error_description="The access token');
    expect(challenge).toContain(reason);
  });

  it('within the permitted difference of clocks it is accepted', async () => {
    const early = await issuer.sign({ ...claims(), nbf: seconds(50) });
    const late = await issuer.sign({ ...claims(), exp: seconds(-50) });
    expect([(await get(early)).status, (await get(late)).status]).toEqual([200, 200]);
  });
});

describe('Without a token', () => {
  it.each([undefined, ''])('the response names where to sign in (%s)', async (token) => {
    const { status, headers } = await get(token);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer realm="docket", authorization_uri="https:\/\/login\.example\.com\/authorize"/,
    );
  });
});

describe('An issuer that cannot be reached', () => {
  it('gives 503 with its name and Retry-After, for tokens that have not been verified', async () => {
    const down = 'http://127.0.0.1:1';
    const { status, headers, json } = await get(await issuer.sign({ ...claims(), iss: down }));
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('10');
    expect(json.error).toMatchObject({
      code: 'auth.issuer-unavailable',
      message: expect.stringContaining(`The issuer ${down} cannot be reached`),
    });
  });

  it('is asked again after some seconds, also for keys that are too old', async () => {
    await get(await issuer.token('joan', AUDIENCE));
    const token = await issuer.token('joan', AUDIENCE);
    issuer.setDown(true);
    ahead += 10 * MINUTE;
    const early = await issuer.sign(claims());
    expect([(await get(token)).status, (await get(early)).status]).toEqual([503, 503]);
    issuer.setDown(false);
    expect((await get(early)).status).toBe(503);
    ahead += 5001;
    expect((await get(early)).status).toBe(200);
  });
});

describe('The first sign-in of a user', () => {
  it('creates one account with the mapped roles, and an entry in the audit trail', async () => {
    const token = await issuer.token('ann', AUDIENCE);
    const answers = await Promise.all([get(token), get(token), get(token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const created = await accounts('ann');
    expect(created).toMatchObject([{ Name: 'Ann Other', Roles: [{ Name: 'agent' }] }]);
    const filter = encodeURIComponent(`Account eq 'issuer ${issuer.url}'`);
    const { json } = await desk.get(`/AuditEntries?$filter=${filter}`);
    expect(json.value[0]).toMatchObject({ Kind: 'administration', Address: '127.0.0.1' });
    expect(json.value[0].Target).toContain(`(${created[0].Uid})`);
  });

  it('has no effect on accounts that exist, whatever roles the token contains', async () => {
    await get(await issuer.sign({ ...claims(), roles: ['Desk.Agent'] }));
    expect(await accounts('joan')).toMatchObject([{ Roles: [{ Name: 'administrator' }] }]);
  });
});

describe('An account that signs in with tokens', () => {
  it('is rejected as soon as it is blocked, with the same token', async () => {
    const token = await issuer.token('ann', AUDIENCE);
    expect((await get(token)).status).toBe(200);
    const [{ Uid }] = await accounts('ann');
    await desk.send('PATCH', `/Accounts(${Uid})`, { body: { Blocked: true } });
    expect((await rejection(token)).challenge).toContain('the account is blocked');
    await desk.send('PATCH', `/Accounts(${Uid})`, { body: { Blocked: false } });
    expect((await get(token)).status).toBe(200);
  });

  it('needs no second factor of this service, whatever its roles require', async () => {
    const token = await issuer.token('ann', AUDIENCE);
    const [{ Roles }] = await accounts('ann');
    const require = async (SecondFactorRequired: boolean) =>
      await desk.send('PATCH', `/Roles(${Roles[0].Uid})`, { body: { SecondFactorRequired } });
    expect((await require(true)).status).toBeLessThan(300);
    expect((await get(token)).status).toBe(200);
    expect((await require(false)).status).toBeLessThan(300);
  });

  it('loses a right with its role, with the same token', async () => {
    const token = await issuer.token('ann', AUDIENCE);
    const [{ Uid, Roles }] = await accounts('ann');
    expect((await get(token)).json.value).toHaveLength(1);
    await desk.send('DELETE', `/Accounts(${Uid})/Roles(${Roles[0].Uid})/$ref`);
    expect((await get(token)).status).toBe(403);
  });

  it('ends its session by /connect/endsession, and begins another with the next request', async () => {
    const token = await issuer.token('joan', AUDIENCE);
    await get(token);
    const [before] = await sessionsOf('joan');
    const url = `${service.origin}/connect/endsession`;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(204);
    expect(await sessionsOf('joan')).toEqual([]);
    await get(token);
    expect((await sessionsOf('joan'))[0]?.Uid).not.toBe(before?.Uid);
  });
});

describe('A token and an API key of one account', () => {
  it('share a session slot, apart from the sessions of its log-ins', async () => {
    const issuers = [{ url: issuer.url, audience: AUDIENCE }];
    const settings = { issuers, maximumUsers: 3, accountSessions: 1, reservedSessions: 0 };
    const place = await openDesk({ world, records: [], settings });
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await place.as('anonymous').get('/$metadata', headers)).status;
    };
    const joan = await place.join({ loginName: 'joan', roles: [] });
    expect((await joan.get('/$metadata')).status).toBe(200);
    const body = { Name: 'feed', Account: 'joan' };
    const { json: key } = await place.send('POST', '/CreateApiKey', { body });
    expect(await ask(await issuer.token('joan', AUDIENCE))).toBe(200);
    expect(await ask(key.value)).toBe(200);
    expect(await ask(await issuer.token('joan', AUDIENCE))).toBe(200);
    // The log-ins of joan and the administrator have the other slots.
    expect((await place.as('nobody').get('/$metadata')).status).toBe(503);
    await place.close();
  });
});

describe('Logs and the audit trail', () => {
  it('contain no part of a token', async () => {
    const { json } = await desk.get('/AuditEntries?$top=250');
    const parts = sent.flatMap((token) => token.split('.')).filter((part) => part.length > 10);
    const texts = [...seen, ...json.value.map((entry: unknown) => JSON.stringify(entry))];
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => parts.some((part) => text.includes(part)))).toEqual([]);
    expect(texts.filter((text) => text.includes('preferred_username'))).toEqual([]);
  });
});
