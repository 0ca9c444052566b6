// This file changes accounts, sessions and rights while requests wait, run, or have a stored response: what counts are the rights of the
// moment at which a request runs and at which its response is fetched.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { type Desk, type DeskAnswer, openDesk, PASSWORD, postToken } from './desk.ts';
import { REQUEST } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

const LATER = { prefer: 'respond-async', 'odata-maxversion': '4.01' };
const CURRENT = { 'odata-maxversion': '4.01' };

let desk: Desk;
let joan: Asking;
/** Addresses of joan's account and of the roles `agent` and `auditor`. */
let account: string;
let agent: string;
let auditor: string;
beforeEach(async () => {
  desk = await openDesk();
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  joan = await desk.join({ loginName: 'joan', roles: ['agent'] });
  account = await addressOf("Accounts?$filter=LoginName eq 'joan'");
  agent = await addressOf("Roles?$filter=Name eq 'agent'");
  auditor = await addressOf("Roles?$filter=Name eq 'auditor'");
});
afterEach(async () => await desk.close());

async function addressOf(query: string): Promise<string> {
  const { json } = await desk.get(`/${query}`);
  return `/${query.split('?')[0]}(${json.value[0].Uid})`;
}

const changed = (answer: DeskAnswer) => expect(answer.status, answer.text).toBeLessThan(300);
const block = async (Blocked = true) =>
  changed(await desk.send('PATCH', account, { body: { Blocked } }));
const take = async (role: string) =>
  changed(await desk.send('DELETE', `${account}/Roles${keyOf(role)}/$ref`));
const give = async (role: string) =>
  changed(
    await desk.send('POST', `${account}/Roles/$ref`, {
      body: { '@odata.id': `Roles${keyOf(role)}` },
    }),
  );
const keyOf = (address: string) => address.slice(address.indexOf('('));

const create = async (Description: string, headers: Readonly<Record<string, string>> = LATER) =>
  await joan.send('POST', '/ServiceRequests', { headers, body: { Description } });

const batchOf = (Description: string, count: number) => ({
  requests: Array.from({ length: count }, (_, index) => ({
    id: String(index),
    method: 'post',
    url: 'ServiceRequests',
    headers: { prefer: 'return=minimal' },
    body: { Description },
  })),
});

/** Four batches that run at the same time, so that what is sent after them has to wait. */
async function occupy(): Promise<void> {
  for (let index = 0; index < 4; index++) {
    const { status } = await joan.send('POST', '/$batch', {
      headers: { ...LATER, prefer: 'respond-async,continue-on-error' },
      body: batchOf('occupied', 400),
    });
    expect(status).toBe(202);
  }
}

async function countOf(description: string): Promise<number> {
  const { json } = await desk.get(
    `/ServiceRequests?$filter=Description eq '${description}'&$count=true&$top=0`,
  );
  return json['@odata.count'];
}

/** Waits until no request of joan's is left to be run. */
async function allEnded(): Promise<void> {
  const open = 'SELECT count(*) FROM docket_job WHERE status IS NULL';
  for (let attempts = 0; attempts < 2000; attempts++) {
    const [row] = await desk.installation.database.read(open, []);
    if (row?.[0] === 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the requests do not come to an end');
}

/** Logs joan in, and gives the Authorization header of that session. */
async function logInAs(): Promise<string> {
  const fields = { grant_type: 'password', username: 'joan', password: PASSWORD };
  const answer = await postToken(desk, fields);
  return `Bearer ${answer.json.access_token}`;
}

async function logIn(): Promise<Asking> {
  const authorization = await logInAs();
  const send: Desk['send'] = async (method, path, message = {}) =>
    await desk.as('anonymous').send(method, path, {
      ...message,
      headers: { authorization, ...message.headers },
    });
  return { send, get: async (path, headers = {}) => await send('GET', path, { headers }) };
}

describe('After an account is blocked', () => {
  it('none of its deferred requests runs, nor any further part of its batches', async () => {
    await occupy();
    const queued = await create('queued');
    await block();
    const [before] = [await countOf('occupied')];
    expect(before).toBeLessThan(1600);
    await allEnded();
    // The write that each of the four batches had begun may have ended.
    expect(await countOf('occupied')).toBeLessThanOrEqual(before + 4);
    expect(await countOf('queued')).toBe(0);
    expect((await joan.get(String(queued.headers.location))).status).toBe(401);
    await block(false);
    const told = await (await logIn()).get(String(queued.headers.location), CURRENT);
    expect([told.status, told.headers.asyncresult, told.json.error.code]).toEqual([
      200,
      '401',
      'async.ended',
    ]);
  });

  it('the rest of a batch under way is rejected', async () => {
    const under = joan.send('POST', '/$batch', {
      headers: { prefer: 'continue-on-error' },
      body: batchOf('under way', 900),
    });
    while ((await countOf('under way')) === 0) await new Promise((done) => setImmediate(done));
    await block();
    const { responses } = (await under).json;
    const statuses = responses.map(({ status }: { status: number }) => status);
    expect(new Set(statuses)).toEqual(new Set([204, 401]));
    expect(statuses.lastIndexOf(204)).toBeLessThan(statuses.indexOf(401));
    expect(await countOf('under way')).toBe(statuses.indexOf(401));
  });

  it('a file that is still being sent is not stored', async () => {
    const { app } = desk;
    const authorization = await logInAs();
    const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }));
    const sending = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/odata/ServiceRequests(${REQUEST})/Attachments`,
      headers: {
        authorization,
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="slow.bin"',
      },
    });
    const answered = new Promise<number | undefined>((resolve) => {
      sending.on('response', ({ statusCode }) => resolve(statusCode));
    });
    sending.write(Buffer.alloc(4_000_000));
    while (app.pending() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await block();
    sending.end(Buffer.alloc(10));
    expect(await answered).toBe(401);
    const { json } = await desk.get(`/ServiceRequests(${REQUEST})/Attachments`);
    expect(json.value).toEqual([]);
  });
});

describe('After a session has ended', () => {
  it.each([
    ['by the client', async () => await joan.send('POST', '/connect/endsession')],
    [
      'by an administrator',
      async () => {
        const { json } = await desk.get("/Sessions?$filter=Account/LoginName eq 'joan'");
        return await desk.send('DELETE', `/Sessions(${json.value[0].Uid})`);
      },
    ],
  ])('%s, none of its deferred requests runs', async (_who, end) => {
    await occupy();
    const queued = await create('queued');
    changed(await end());
    await allEnded();
    expect(await countOf('queued')).toBe(0);
    expect(await countOf('occupied')).toBeLessThan(1600);
    const again = await logIn();
    const told = await again.get(String(queued.headers.location), CURRENT);
    expect([told.headers.asyncresult, told.json.error.code]).toEqual(['401', 'async.ended']);
  });

  it('other sessions of the account are not concerned', async () => {
    const other = await logIn();
    const { headers } = await other.send('POST', '/ServiceRequests', {
      headers: LATER,
      body: { Description: 'of the other' },
    });
    changed(await joan.send('POST', '/connect/endsession'));
    await allEnded();
    const done = await other.get(String(headers.location), CURRENT);
    expect([done.headers.asyncresult, await countOf('of the other')]).toEqual(['201', 1]);
  });
});

describe('After an account has lost a role', () => {
  it('deferred requests run with the rights that are left', async () => {
    await occupy();
    const queued = await create('queued');
    await take(agent);
    await allEnded();
    expect(await countOf('queued')).toBe(0);
    const told = await joan.get(String(queued.headers.location), CURRENT);
    expect(told.headers.asyncresult).toBe('403');
  });

  it('no stored response is shown that needed it; with the role it is shown again', async () => {
    const read = await joan.get(`/ServiceRequests(${REQUEST})`, LATER);
    const write = await create('shown');
    await allEnded();
    await take(agent);
    for (const [{ headers }, status] of [
      [read, 200],
      [write, 201],
    ] as const) {
      const monitor = String(headers.location);
      const refused = await joan.get(monitor, CURRENT);
      expect([refused.status, refused.json.error.code]).toEqual([403, 'async.rights']);
      expect(refused.json.error.message).toContain(`status ${status}`);
      const batch = await joan.send('POST', '/$batch', {
        headers: CURRENT,
        body: { requests: [{ id: '1', method: 'get', url: monitor }] },
      });
      expect(batch.json.responses[0].status).toBe(403);
    }
    await give(agent);
    const shown = await joan.get(String(write.headers.location), CURRENT);
    expect([shown.status, shown.json.Description]).toEqual([200, 'shown']);
  });

  it('no response to a repeatable request is shown that needed it, and nothing is done twice', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await create('repeated', key);
    expect(first.status).toBe(201);
    const role = { Name: 'writer', EntityAccess: [{ Entity: 'ServiceRequest', Create: true }] };
    const { json: writer } = await desk.send('POST', '/Roles', { body: role });
    await give(`/Roles(${writer.Uid})`);
    await take(agent);
    const refused = await create('repeated', key);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'repeat.rights']);
    expect(refused.json.error.message).toContain('status 201');
    await take(`/Roles(${writer.Uid})`);
    expect((await create('repeated', key)).json.error.code).toBe('repeat.rights');
    expect(await countOf('repeated')).toBe(1);
    await give(agent);
    expect((await create('repeated', key)).text).toBe(first.text);
    expect(await countOf('repeated')).toBe(1);
  });

  it('the same holds when the role itself permits less', async () => {
    const read = await joan.get(`/ServiceRequests(${REQUEST})`, LATER);
    await allEnded();
    const { json } = await desk.get(`${agent}?$expand=EntityAccess`);
    const access = json.EntityAccess.find(({ Entity }: { Entity: string }) =>
      Entity.endsWith('ServiceRequest'),
    );
    changed(
      await desk.send('PATCH', `${agent}/EntityAccess(${access.Uid})`, {
        body: { Filter: 'Uid eq 0' },
      }),
    );
    expect((await joan.get(String(read.headers.location), CURRENT)).status).toBe(403);
  });
});

it('After an account has gained a role, stored responses are shown as before', async () => {
  const read = await joan.get(`/ServiceRequests(${REQUEST})`, LATER);
  await allEnded();
  await give(auditor);
  expect((await joan.get(String(read.headers.location), CURRENT)).status).toBe(200);
});

it('A client that waits for its deferred request is not shown the response once its account is blocked', async () => {
  await occupy();
  const waiting = create('waited for', { ...LATER, prefer: 'respond-async,wait=20' });
  await new Promise((done) => setImmediate(done));
  await block();
  expect((await waiting).status).toBe(401);
  expect(await countOf('waited for')).toBe(0);
});
