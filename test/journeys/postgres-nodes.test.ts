// This file races clients of two nodes on one PostgreSQL database, many times each: what a single node guarantees also holds for both
// together, and each node soon knows what the other has changed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesPostgres } from '../database.ts';
import { type Desk, type DeskAnswer, openDesk, PASSWORD } from './desk.ts';
import { MEMBER, REQUEST } from './records.ts';
import { Replica, readAll } from './replica.ts';

const ROUNDS = 12;
const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

let first: Desk;
let second: Desk;
beforeAll(async () => {
  if (!usesPostgres) return;
  first = await openDesk();
  second = await first.another();
}, 60_000);
afterAll(async () => {
  await second?.close();
  await first?.close();
});

const nodes = () => [first, second];
const node = (index: number) => (index % 2 === 0 ? first : second);
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
/** The same request on both nodes at the same time. */
const onBoth = <Result>(work: (place: Desk) => Promise<Result>) => Promise.all(nodes().map(work));
const statuses = (answers: readonly DeskAnswer[]) => answers.map(({ status }) => status).sort();

async function create(place: Pick<Desk, 'send'>, set: string, body: unknown): Promise<DeskAnswer> {
  const answer = await place.send('POST', `/${set}`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer;
}

async function token(place: Desk, fields: Record<string, string>): Promise<DeskAnswer> {
  return await place.as('anonymous').send('POST', '/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(fields)),
  });
}

const logIn = (place: Desk, username: string) =>
  token(place, { grant_type: 'password', username, password: PASSWORD });

const ping = (place: Desk, access: string, path = '/$ping') =>
  place.as('anonymous').get(path, { authorization: `Bearer ${access}` });

/** Waits until the value is read: within a second, or later on a busy machine. */
async function soon(read: () => Promise<unknown>, value: unknown): Promise<void> {
  await expect.poll(read, { interval: 20 }).toEqual(value);
}

describe.runIf(usesPostgres)('Two nodes on one database', { timeout: 60_000 }, () => {
  it('lose no update that depends on an ETag', async () => {
    const path = `/ServiceRequests(${REQUEST})`;
    await first.send('PATCH', path, { body: { Solution: '0' } });
    let conflicts = 0;
    await times(8, async (client) => {
      for (let done = 0; done < ROUNDS; ) {
        const { json, headers } = await node(client + done).get(`${path}?$select=Solution`);
        const { status } = await node(client).send('PATCH', path, {
          headers: { 'if-match': String(headers.etag ?? json['@odata.etag']) },
          body: { Solution: String(Number(json.Solution) + 1) },
        });
        expect([204, 412]).toContain(status);
        if (status === 204) done++;
        else conflicts++;
      }
    });
    expect((await second.get(path)).json.Solution).toBe(String(8 * ROUNDS));
    expect(conflicts).toBeGreaterThan(0);
  });

  it('give a unique name to one of two accounts', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const body = {
        LoginName: `rival ${round}`.replace(' ', '.'),
        Password: 'seven tired otters',
      };
      const answers = await onBoth((place) => place.send('POST', '/Accounts', { body }));
      expect(statuses(answers)).toEqual([201, 409]);
    }
    expect((await first.get("/Accounts/$count?$filter=startswith(LoginName,'rival')")).text).toBe(
      String(ROUNDS),
    );
  });

  it('allocate each number once', async () => {
    const answers = await times(80, (index) =>
      create(node(index), 'ServiceRequests', { Description: `numbered ${index}` }),
    );
    expect(new Set(answers.map(({ json }) => json.ID)).size).toBe(80);
    expect(new Set(answers.map(({ json }) => json.Uid)).size).toBe(80);
  });

  it('close no circle from two sides', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [left, middle, right] = await times(3, async (index) => {
        const { json } = await create(first, 'Locations', { Name: `place ${round} ${index}` });
        return Number(json.Uid);
      });
      const below = (place: Desk, child: unknown, parent: unknown) =>
        place.send('PATCH', `/Locations(${child})`, {
          body: { 'ParentLocation@odata.bind': `Locations(${parent})` },
        });
      const answers = await Promise.all([
        below(first, left, middle),
        below(second, middle, right),
        below(first, right, left),
      ]);
      expect(statuses(answers)).toEqual([204, 204, 409]);
    }
  });

  it('keep the last administrator', async () => {
    const role = (await first.get("/Roles?$filter=Name eq 'administrator'")).json.value[0].Uid;
    const accountOf = async (name: string) =>
      (await first.get(`/Accounts(LoginName='${name}')`)).json.Uid;
    const account = { admin: await accountOf('admin'), nobody: await accountOf('nobody') };
    for (let round = 0; round < ROUNDS; round++) {
      const remove = (place: Desk, who: 'admin' | 'nobody') =>
        place.as(who).send('DELETE', `/Accounts(${account[who]})/Roles(${role})/$ref`);
      const answers = await Promise.all([remove(first, 'admin'), remove(second, 'nobody')]);
      expect(statuses(answers)).toEqual([204, 409]);
      const remaining = answers[0]?.status === 204 ? 'nobody' : 'admin';
      const removed = remaining === 'admin' ? 'nobody' : 'admin';
      const restored = await first
        .as(remaining)
        .send('POST', `/Accounts(${account[removed]})/Roles/$ref`, {
          body: { '@odata.id': `Roles(${role})` },
        });
      expect(restored.status).toBe(204);
      const read = (place: Desk) => place.as(removed).get('/Accounts?$top=1');
      await soon(async () => statuses(await onBoth(read)), [200, 200]);
    }
  });

  it('redeem a refresh token once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { json } = await logIn(node(round), 'admin');
      const fields = { grant_type: 'refresh_token', refresh_token: json.refresh_token };
      const answers = await Promise.all([0, 1, 2, 3].map((index) => token(node(index), fields)));
      expect(statuses(answers)).toEqual([200, 400, 400, 400]);
      const { access_token } = answers.find(({ status }) => status === 200)?.json ?? {};
      expect(statuses(await onBoth((place) => ping(place, access_token)))).toEqual([200, 200]);
    }
  });

  it('do a repeated request once, and answer alike', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { Description: `once ${round}` };
      const [one, other] = await onBoth((place) =>
        place.send('POST', '/ServiceRequests', { headers, body }),
      );
      expect([one?.status, other?.status]).toEqual([201, 201]);
      expect(other?.text).toBe(one?.text);
    }
    const { text } = await first.get(
      "/ServiceRequests/$count?$filter=startswith(Description,'once ')",
    );
    expect(text).toBe(String(ROUNDS));
  });

  it('do a change set as a whole or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const requests = ['1', '2', '3'].map((id) => ({
        id,
        atomicityGroup: 'g',
        method: id === '3' ? 'post' : 'patch',
        url: id === '3' ? 'Accounts' : `ServiceRequests(${REQUEST + Number(id) - 1})`,
        headers: V401,
        body: id === '3' ? { LoginName: `set.${round}` } : { Solution: `SET ${round}` },
      }));
      const answers = await Promise.all(
        nodes().map((place, index) => {
          const own = JSON.stringify({ requests }).replaceAll('SET', `${index}`);
          return place.send('POST', '/$batch', { headers: V401, body: JSON.parse(own) });
        }),
      );
      const done = answers.map(({ json }) => json.responses.at(-1).status);
      expect([...done].sort()).toEqual([201, 409]);
      const winner = done.indexOf(201);
      for (const uid of [REQUEST, REQUEST + 1]) {
        const { json } = await node(round).get(`/ServiceRequests(${uid})?$select=Solution`);
        expect(json.Solution).toBe(`${winner} ${round}`);
      }
    }
  });

  it('answer requests for status monitors of each other', async () => {
    const monitors = await times(ROUNDS, async (index) => {
      const { status, headers } = await node(index).send('POST', '/ServiceRequests', {
        headers: { prefer: 'respond-async' },
        body: { Description: `later ${index}` },
      });
      expect(status).toBe(202);
      return String(headers.location);
    });
    await times(ROUNDS, async (index) => {
      const poll = async () => (await node(index + 1).get(monitors[index] ?? '')).status;
      await expect.poll(poll).toBe(200);
    });
    const { text } = await second.get(
      "/ServiceRequests/$count?$filter=startswith(Description,'later ')",
    );
    expect(text).toBe(String(ROUNDS));
  });

  it('keep a replica complete that follows its links from node to node', async () => {
    const query =
      "/ServiceRequests?$select=Uid,Description&$filter=startswith(Description,'delta')";
    let turn = 0;
    const alternating: Pick<Desk, 'get'> = { get: (...request) => node(turn++).get(...request) };
    const replica = new Replica(alternating, query, { pageSize: 7 });
    let isWriting = true;
    const writing = times(8, async (client) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { json } = await create(node(client), 'ServiceRequests', {
          Description: `delta ${client} ${round}`,
        });
        const path = `/ServiceRequests(${json.Uid})`;
        if (round % 3 === 0) await node(client + 1).send('DELETE', path);
        if (round % 3 === 1)
          await node(client + 1).send('PATCH', path, { body: { Description: 'not followed' } });
      }
    }).finally(() => {
      isWriting = false;
    });
    while (isWriting) await replica.follow();
    await writing;
    await replica.follow();
    expect(new Map([...replica.records].sort())).toEqual(
      new Map([...(await readAll(second, query))].sort()),
    );
    expect(replica.records.size).toBe(8 * (ROUNDS / 3));
  });

  it('serve no cached response for long, and none older than an own write', async () => {
    const path = '/Workgroups?$select=Name&$count=true';
    const count = async (place: Desk) => Number((await place.get(path)).json['@odata.count']);
    let written = await count(first);
    for (let round = 0; round < 3 * ROUNDS; round++) {
      await onBoth(count);
      await create(node(round), 'Workgroups', { Name: `cached ${round}` });
      written++;
      expect(await count(node(round))).toBe(written);
      await soon(() => count(node(round + 1)), written);
    }
  });

  it('know their own writes while both write', async () => {
    await times(2, async (client) => {
      const path = `/Workgroups/$count?$filter=startswith(Name,'own ${client}')`;
      for (let round = 1; round <= 3 * ROUNDS; round++) {
        await node(client).get(path);
        await create(node(client), 'Workgroups', { Name: `own ${client} ${round}` });
        expect((await node(client).get(path)).text).toBe(String(round));
      }
    });
  });

  it('apply settings of each other', async () => {
    const change = (place: Desk, value: string | null) =>
      place.send('PATCH', "/Settings('anonymous')", { body: { Value: value } });
    const isOpen = async (place: Desk) =>
      (await place.as('anonymous').get('/$metadata')).status === 200;
    const before = await isOpen(first);
    for (let round = 0; round < 4; round++) {
      const value = round % 2 === 0 ? JSON.stringify(before ? [] : ['metadata']) : null;
      const { status, text } = await change(node(round), value);
      expect(status, text).toBe(204);
      const expected = round % 2 === 0 ? !before : before;
      expect(await isOpen(node(round))).toBe(expected);
      await soon(() => isOpen(node(round + 1)), expected);
    }
  });

  it('apply changes of roles and the end of sessions of each other', async () => {
    const role = await create(first, 'Roles', { Name: 'clerk' });
    const clerk = await first.join({ loginName: 'clerk', roles: ['clerk'], person: MEMBER });
    expect((await clerk.get('/Workgroups')).status).toBe(403);
    const { json } = await logIn(second, 'clerk');
    const statusOf = async (path: string) => (await ping(second, json.access_token, path)).status;
    expect(await statusOf('/Workgroups')).toBe(403);
    const grant = await first.send('POST', `/Roles(${role.json.Uid})/EntityAccess`, {
      body: { Entity: 'Workgroup', Read: true },
    });
    expect(grant.status, grant.text).toBe(201);
    await soon(() => statusOf('/Workgroups'), 200);
    await first.send('PATCH', "/Accounts(LoginName='clerk')", { body: { Blocked: true } });
    await soon(() => statusOf('/$ping'), 401);
  });

  it('exceed no number of sessions', async () => {
    const limit = Number((await first.get('/Sessions/$count')).text) + 5;
    const reserved = { name: 'reservedSessions', value: '0' };
    // A node that knows the last change knows those before it.
    const last = { name: 'anonymous', value: JSON.stringify(['metadata']) };
    for (const { name, value } of [reserved, { name: 'maximumUsers', value: String(limit) }, last])
      await first.send('PATCH', `/Settings('${name}')`, { body: { Value: value } });
    await soon(async () => (await second.as('anonymous').get('/$metadata')).status, 200);
    const tokens = await times(30, async (index) => (await logIn(node(index), 'admin')).json);
    const answers = await times(30, (index) =>
      ping(node(index + 1), tokens[index]?.access_token ?? ''),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([200, 503]));
    const inUse = await first.get('/Sessions/$count?$filter=LastUsed ne null');
    expect(Number(inUse.text)).toBe(limit);
  });
});
