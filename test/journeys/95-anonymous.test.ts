// This file sends requests without a token to an installation that gives them a role: they have the rights of the role and no account, and
// whatever needs an account returns 401. RFC 9110, "401 Unauthorized"; RFC 6750, "The WWW-Authenticate Response Header Field".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { CALLER, REQUEST } from './records.ts';

let desk: Desk;
let stranger: Pick<Desk, 'get' | 'send'>;
let visitor: Pick<Desk, 'get' | 'send'>;

const ROLE = {
  Name: 'public',
  EntityAccess: [
    { Entity: 'Organization', Read: true },
    { Entity: 'Person', Read: true, Filter: 'Uid eq $me' },
    {
      Entity: 'ServiceRequest',
      Create: true,
      Read: true,
      Filter: "startswith(Description,'Public')",
    },
    { Entity: 'Workgroup', Read: true, Filter: 'Name eq $account' },
  ],
};

beforeAll(async () => {
  desk = await openDesk({ settings: { anonymousRole: 'public' } });
  stranger = desk.as('anonymous');
  expect((await stranger.get('/Organizations')).status).toBe(401);
  expect((await desk.send('POST', '/Roles', { body: ROLE })).status).toBe(201);
  visitor = await desk.join({ loginName: 'visitor', roles: ['public'], person: CALLER });
});
afterAll(async () => await desk?.close());

const sessions = async () => (await desk.get('/Sessions?$count=true')).json['@odata.count'];

function expectNoToken(answer: Awaited<ReturnType<Desk['get']>>): void {
  expect([answer.status, answer.json.error.code]).toEqual([401, 'auth.token-missing']);
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
}

describe('A request without a token', () => {
  it('has the rights of the role, and opens no session', async () => {
    const before = await sessions();
    const { status, json, headers } = await stranger.get('/Organizations?$select=Name1');
    expect([status, json.value]).toMatchObject([200, [{ Name1: 'Hillside' }]]);
    expect(headers.vary).toContain('Authorization');
    for (const path of ['/', '/$metadata', '/$ping', '/Organizations(11)?$expand=Persons']) {
      expect((await stranger.get(path)).status, path).toBe(200);
    }
    expect((await stranger.get('http://desk.example/openapi.json')).status).toBe(200);
    expect(await sessions()).toBe(before);
  });

  it('returns 401 where an account would get 403', async () => {
    expect((await visitor.get('/Locations')).status).toBe(403);
    expectNoToken(await stranger.get('/Locations'));
    expectNoToken(await stranger.get('/Accounts'));
    expectNoToken(await stranger.send('DELETE', '/Organizations(11)'));
    expectNoToken(await stranger.send('PATCH', '/Organizations(11)', { body: { Name1: 'x' } }));
    expect((await stranger.get(`/ServiceRequests(${REQUEST})`)).status).toBe(404);
  });

  it('returns 401 for what belongs to an account', async () => {
    expect((await visitor.get('/Me')).json.Uid).toBe(CALLER);
    for (const path of ['/Me', '/Me()', '/%4de', '/Me/Organization', '/Me()/Name'])
      expectNoToken(await stranger.get(path));
    const body = { CurrentPassword: 'x', NewPassword: 'correct horse battery staple' };
    expectNoToken(await stranger.send('POST', '/ChangePassword', { body }));
    expectNoToken(await stranger.send('POST', 'http://desk.example/connect/endsession'));
    const { statuses } = await sendJsonBatch(
      desk.as('anonymous'),
      [
        { id: '1', method: 'GET', url: 'Me' },
        { id: '2', method: 'GET', url: 'Organizations(11)' },
        { id: '3', method: 'GET', url: 'Locations' },
        { id: '4', method: 'POST', url: 'ChangePassword', atomicityGroup: 'g', body },
      ],
      { prefer: 'continue-on-error' },
    );
    expect(statuses).toEqual({ 1: 401, 2: 200, 3: 401, 4: 401 });
  });

  it('matches no condition about the person or the account', async () => {
    expect((await visitor.get('/Persons')).json.value).toHaveLength(1);
    expect((await stranger.get('/Persons')).json.value).toEqual([]);
    for (let again = 0; again < 3; again++) {
      expect((await stranger.get(`/Persons?$filter=Uid eq ${CALLER}`)).json.value).toEqual([]);
      expect((await visitor.get(`/Persons?$filter=Uid eq ${CALLER}`)).json.value).toHaveLength(1);
    }
    const reserved = { LoginName: 'Anonymous', Name: 'x' };
    const answer = await desk.send('POST', '/Accounts', { body: reserved });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.login-name']);
  });

  it('writes as anonymous, in the record and in the log', async () => {
    const created = await stranger.send('POST', '/ServiceRequests', {
      body: { Description: 'Public complaint' },
    });
    expect(created.status, created.text).toBe(201);
    const { json } = await desk.get(`/ServiceRequests(${created.json.Uid})`);
    expect(json.Registration).toMatchObject({ CreatedBy: 'anonymous', ModifiedBy: 'anonymous' });
    const rows = await desk.installation.auth.read(
      // biome-ignore lint/suspicious/noExplicitAny: a statement without values
      'SELECT "account" FROM "docket_change" ORDER BY "seq" DESC LIMIT 1' as any,
    );
    expect(rows).toEqual([['anonymous']]);
    const change = {
      items: [{ method: 'POST', url: 'ServiceRequests', body: { Description: 'Public two' } }],
    };
    const batch = await sendBatch(desk.as('anonymous'), [change.items]);
    expect(batch.answer.status).toBe(200);
  });

  it('can be repeated by the same client only', async () => {
    const send = async (address: string, body: object) =>
      await stranger.send('POST', '/ServiceRequests', {
        body,
        headers: { 'idempotency-key': '"one"', 'x-forwarded-for': address },
      });
    const behind = await desk.restart({ trustedProxies: ['127.0.0.1'] });
    stranger = behind.as('anonymous');
    desk = behind;
    const body = { Description: 'Public, once' };
    const first = await send('203.0.113.1', body);
    const again = await send('203.0.113.1', body);
    const other = await send('203.0.113.2', body);
    expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
    expect(again.json.Uid).toBe(first.json.Uid);
    expect(other.json.Uid).not.toBe(first.json.Uid);
  });

  it('is answered at once, since monitors belong to accounts', async () => {
    const later = await stranger.get('/Organizations', { prefer: 'respond-async' });
    expect([later.status, later.headers['preference-applied']]).toEqual([200, undefined]);
  });

  it('returns 401 again if a token is sent that is invalid, or the role is deleted', async () => {
    for (const authorization of ['Bearer wrong', 'Basic YTpi', 'Bearer ', '']) {
      const answer = await stranger.get('/Organizations', { authorization });
      expect([answer.status, answer.json.error.code]).toEqual([401, 'auth.token-invalid']);
    }
    const { json } = await desk.get("/Roles?$filter=Name eq 'public'");
    expect((await desk.send('DELETE', `/Roles(${json.value[0].Uid})`)).status).toBe(204);
    expectNoToken(await stranger.get('/Organizations'));
  });
});

it('Requests without a token are limited by address', async () => {
  const limited = await openDesk({
    settings: { anonymousRole: 'agent', limits: { addressRequests: 12, accountRequests: 3 } },
  });
  const role = { Name: 'agent', EntityAccess: [{ Entity: 'Organization', Read: true }] };
  expect((await limited.send('POST', '/Roles', { body: role })).status).toBe(201);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++)
    statuses.push((await limited.as('anonymous').get('/Organizations')).status);
  await limited.close();
  expect(statuses.filter((status) => status === 200)).toHaveLength(11);
  expect(statuses.at(-1)).toBe(429);
});

it('anonymousRole cannot be the administrator', async () => {
  await expect(openDesk({ settings: { anonymousRole: 'administrator' } })).rejects.toThrow(
    'expected a role with fewer rights, not "administrator"',
  );
});
