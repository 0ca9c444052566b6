// This file reads the audit trail after what it must have noted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pruneAudit } from '../../src/auth/audit.ts';
import { hashToken } from '../../src/auth/token.ts';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';

const SECRET = 'seven tired otters';
const TYPED_AS_NAME = 'fifteen purple elks';

interface Entry {
  readonly Kind: string;
  readonly Account: string | null;
  readonly Address: string | null;
  readonly Request: string | null;
  readonly Target: string | null;
  readonly Detail: string | null;
  readonly Count: number;
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

async function logIn(username: string, password = PASSWORD) {
  return await postToken(desk, { grant_type: 'password', username, password });
}

async function entries(filter: string): Promise<readonly Entry[]> {
  const url = `/AuditEntries?$filter=${encodeURIComponent(filter)}&$orderby=Uid desc&$top=250`;
  const { status, json } = await desk.get(url);
  expect(status).toBe(200);
  return json.value;
}

/** What is written behind the requests is there a moment later. */
async function eventually(filter: string, least = 1): Promise<readonly Entry[]> {
  for (const end = performance.now() + 15_000; performance.now() < end; ) {
    const found = await entries(filter);
    if (found.length >= least) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return await entries(filter);
}

describe('The audit trail', () => {
  it('holds log-ins with account, address, request and time', async () => {
    const before = Date.now();
    const { headers } = await logIn('nobody');
    const [entry] = await eventually(`Request eq '${headers['x-request-id']}'`);
    expect(entry).toMatchObject({
      Kind: 'log-in',
      Account: 'nobody',
      Address: '127.0.0.1',
      Count: 1,
      Time: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(String((entry as { Time?: string }).Time))).toBeGreaterThanOrEqual(before);
  });

  it('holds log-ins that were refused; a name that nobody has is not written down', async () => {
    await logIn('nobody', TYPED_AS_NAME);
    await logIn(TYPED_AS_NAME, 'whatever it is');
    const found = await eventually("Kind eq 'log-in refused'", 2);
    expect(found).toMatchObject([
      { Account: null, Detail: expect.stringContaining('unknown account') },
      { Account: 'nobody', Detail: 'invalid_grant', Target: 'password' },
    ]);
  });

  it('holds what was refused with 401, wherever it was', async () => {
    const stranger = desk.as('anonymous');
    await stranger.get('/Persons');
    await stranger.send('POST', '/Persons', { body: {} });
    await stranger.get('/Persons', { authorization: `Bearer ${SECRET.replaceAll(' ', '')}` });
    await stranger.send('POST', '/connect/endsession');
    const missing = await eventually("Kind eq 'unauthorized' and Detail eq 'auth.token-missing'");
    expect(missing.reduce((sum, { Count }) => sum + Count, 0)).toBe(3);
    const invalid = await eventually("Kind eq 'unauthorized' and Detail eq 'auth.token-invalid'");
    expect(invalid).toMatchObject([{ Address: '127.0.0.1', Count: 1 }]);
  });

  it('holds what was refused with 403, with account and path, also in a batch', async () => {
    const clerk = await desk.join({ loginName: 'clerk', roles: ['clerk'] });
    const { headers } = await clerk.get('/Accounts?$filter=LoginName eq %27hidden%27');
    const [entry] = await eventually(`Request eq '${headers['x-request-id']}'`);
    expect(entry).toMatchObject({
      Kind: 'forbidden',
      Account: 'clerk',
      Target: 'GET Accounts',
      Detail: 'access.read',
    });
    await clerk.send('POST', '/$batch', {
      body: { requests: [{ id: '1', method: 'get', url: 'Roles' }] },
    });
    expect(await eventually("Target eq 'GET Roles'")).toMatchObject([{ Account: 'clerk' }]);
  });

  it('holds the end of sessions', async () => {
    const { json } = await logIn('nobody');
    const headers = { authorization: `Bearer ${json.access_token}` };
    const ended = await desk.as('anonymous').send('POST', '/connect/endsession', { headers });
    expect(await eventually("Kind eq 'session end'")).toMatchObject([
      { Account: 'nobody', Request: ended.headers['x-request-id'] },
    ]);
  });

  it('holds administration as soon as it is done: accounts, roles, settings, sessions, passwords', async () => {
    const made = await desk.send('POST', '/Accounts', {
      body: { LoginName: 'ada', Password: SECRET },
    });
    const request = `Request eq '${made.headers['x-request-id']}'`;
    expect(await entries(request)).toMatchObject([
      { Detail: 'password of ada', Target: `Accounts(${made.json.Uid})` },
      { Kind: 'administration', Account: 'admin', Address: '127.0.0.1', Detail: 'create ada' },
    ]);
    const role = await desk.send('POST', '/Roles', { body: { Name: 'inspector' } });
    const access = await desk.send('POST', `/Roles(${role.json.Uid})/EntityAccess`, {
      body: { Entity: 'Person', Read: true },
    });
    expect(access.status).toBe(201);
    expect(await entries(`Request eq '${access.headers['x-request-id']}'`)).not.toEqual([]);
    const given = await desk.send('POST', `/Accounts(${made.json.Uid})/Roles/$ref`, {
      body: { '@odata.id': `Roles(${role.json.Uid})` },
    });
    expect(given.status).toBe(204);
    const [link] = await entries(`Request eq '${given.headers['x-request-id']}'`);
    expect(link?.Detail).toContain('link');
    const changed = await desk.send('PATCH', "/Settings('auditDays')", { body: { Value: '30' } });
    expect(await entries(`Request eq '${changed.headers['x-request-id']}'`)).toMatchObject([
      { Detail: 'update auditDays = 30' },
    ]);
    await logIn('ada', SECRET);
    const sessions = await desk.get("/Sessions?$filter=Account/LoginName eq 'ada'");
    const ended = await desk.send('DELETE', `/Sessions(${sessions.json.value[0].Uid})`);
    const told = await entries(`Request eq '${ended.headers['x-request-id']}'`);
    expect(told).toMatchObject([
      { Target: expect.stringMatching(/^Sessions\(/), Detail: 'delete' },
    ]);
  });

  it('what is refused leaves no entry of administration', async () => {
    const refused = await desk.send('POST', '/Accounts', {
      body: { LoginName: 'weak', Password: 'password' },
    });
    expect(refused.status).toBe(400);
    expect(await entries(`Request eq '${refused.headers['x-request-id']}'`)).toEqual([]);
  });

  it('has 20 entries for a request that changes more, and one that counts the rest', async () => {
    const make = async (Name: string, count: number) => {
      const EntityAccess = Array.from({ length: count }, (_, index) => ({
        Entity: 'Person',
        Read: true,
        Filter: `Uid eq ${index}`,
      }));
      const made = await desk.send('POST', '/Roles', { body: { Name, EntityAccess } });
      expect(made.status).toBe(201);
      return await entries(`Request eq '${made.headers['x-request-id']}'`);
    };
    const [last, ...others] = await make('of thirty-one changes', 30);
    expect(last).toMatchObject({ Detail: 'and more changes', Count: 11 });
    expect(new Set(others.map(({ Target }) => Target)).size).toBe(20);
    expect(others).toHaveLength(20);
    const all = await make('of twenty changes', 19);
    expect(all.map(({ Detail }) => Detail)).toEqual(Array.from({ length: 20 }, () => 'create'));
  });

  it('has no entry for records that have nothing to do with administration', async () => {
    const made = await desk.send('POST', '/Persons', { body: { LastName: 'Lovelace' } });
    expect(made.status).toBe(201);
    const removed = await desk.send('DELETE', `/Persons(${made.json.Uid})`);
    expect(removed.status).toBe(204);
    for (const { headers } of [made, removed])
      expect(await entries(`Request eq '${headers['x-request-id']}'`)).toEqual([]);
  });

  it('a flood of refusals becomes few entries that count', async () => {
    const before = (await desk.get('/AuditEntries/$count')).text;
    const start = performance.now();
    const stranger = desk.as('anonymous');
    await Promise.all(Array.from({ length: 400 }, () => stranger.get('/Locations')));
    const counted = async () => {
      const url =
        "/AuditEntries?$apply=filter(Kind eq 'unauthorized')/aggregate(Count with sum as Sum)";
      return (await desk.get(encodeURI(url))).json.value[0].Sum as number;
    };
    for (let turn = 0; turn < 300 && (await counted()) < 400; turn++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await counted()).toBeGreaterThanOrEqual(404);
    const after = (await desk.get('/AuditEntries/$count')).text;
    // Equal ones of a fifth of a second are one entry; the same test takes longer on a busy machine.
    const fifths = (performance.now() - start) / 200;
    expect(Number(after) - Number(before)).toBeLessThan(Math.max(40, 10 + 2 * fifths));
  });

  it('cannot be written, changed or removed by anybody', async () => {
    const [entry] = await entries("Kind eq 'log-in'");
    const { Uid } = entry as unknown as { Uid: number };
    expect((await desk.send('POST', '/AuditEntries', { body: { Kind: 'x' } })).status).toBe(405);
    expect((await desk.send('DELETE', `/AuditEntries(${Uid})`)).status).toBe(405);
    const patch = await desk.send('PATCH', `/AuditEntries(${Uid})`, { body: { Kind: 'x' } });
    expect(patch.status).toBe(405);
  });

  it('is read by auditors as far as their role says, and by nobody else', async () => {
    const role = await desk.send('POST', '/Roles', {
      body: { Name: 'revision', EntityAccess: [{ Entity: 'AuditEntry', Read: true }] },
    });
    expect(role.status).toBe(201);
    const auditor = await desk.join({ loginName: 'auditor', roles: ['revision'] });
    const read = await auditor.get("/AuditEntries?$filter=Kind eq 'log-in'&$top=1");
    expect([read.status, read.text]).toEqual([200, expect.any(String)]);
    expect(read.json.value).toHaveLength(1);
    for (const set of ['Accounts', 'Tokens', 'Settings', 'Roles'])
      expect([set, (await auditor.get(`/${set}`)).status]).toEqual([set, 403]);
    const other = await desk.join({ loginName: 'other', roles: ['clerk'] });
    expect((await other.get('/AuditEntries')).status).toBe(403);
  });

  it('holds no secret', async () => {
    const { json } = await logIn('nobody');
    await postToken(desk, { grant_type: 'refresh_token', refresh_token: json.refresh_token });
    await postToken(desk, { grant_type: 'refresh_token', refresh_token: json.refresh_token });
    await eventually("Target eq 'refresh_token'");
    const { text } = await desk.get('/AuditEntries?$top=250');
    const tokens = [json.access_token, json.refresh_token];
    for (const secret of [PASSWORD, SECRET, TYPED_AS_NAME, ...tokens, ...tokens.map(hashToken)])
      expect(text).not.toContain(secret);
    expect(text).not.toContain('hidden');
    expect(text).not.toContain('argon2');
  });

  it('is pruned by age', async () => {
    const { auth } = desk.installation;
    await desk.as('anonymous').get('/');
    await eventually("Kind eq 'unauthorized'");
    expect(await pruneAudit(auth, Date.now() - 3600_000)).toBe(0);
    expect(await pruneAudit(auth, Date.now() + 1000)).toBeGreaterThan(0);
    expect((await desk.get('/AuditEntries')).json.value.length).toBeLessThan(3);
  });
});
