// This file follows changes by live streams over HTTP: what they send and when, who may follow what, and how they end and continue.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { processWorld } from '../../src/cli/wire.ts';
import { writeKnown } from '../../src/plan/read/known-records.ts';
import { answerStream } from '../../src/service/events/answer-stream.ts';
import { type Desk, openDesk, PASSWORD, principalNamed } from './desk.ts';
import { makeReachable, type Reachable } from './listening.ts';
import { type LiveStream, openStream } from './live-client.ts';
import { CALLER, MEMBER } from './records.ts';

let desk: Desk;
let reachable: Reachable;
const open: LiveStream[] = [];
/** Milliseconds by which the clock of the service is ahead. */
let ahead = 0;

beforeAll(async () => {
  desk = await openDesk({
    settings: { limits: { accountListeners: 12, listeners: 14 } },
    world: { ...processWorld, now: () => Date.now() + ahead },
  });
  reachable = await makeReachable(desk);
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await reachable?.stop();
  await desk?.close();
});

async function stream(
  path: string,
  { token = reachable.token, ...headers }: Readonly<Record<string, string>> = {},
): Promise<LiveStream> {
  const url = path.startsWith('http') ? path : `${reachable.origin}/odata/${path}`;
  const opened = await openStream(url, { authorization: `Bearer ${token}`, ...headers });
  open.push(opened);
  return opened;
}

async function logIn(loginName: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: loginName,
    password: PASSWORD,
  });
  const answer = await fetch(`${reachable.origin}/token`, { method: 'POST', body });
  return String(((await answer.json()) as { access_token: unknown }).access_token);
}

async function send(method: string, path: string, body?: unknown) {
  const answer = await desk.send(method, path, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
}

const rename = (uid: number, Jobtitle: string) => send('PATCH', `/Persons(${uid})`, { Jobtitle });
const titles = ({ messages }: LiveStream) =>
  messages.flatMap(({ event, data }) => (event === 'message' ? [data.data.Jobtitle] : []));
const jobs = 'Persons?$select=Uid,Jobtitle';
const plain = (_: string, cell: unknown) => (typeof cell === 'bigint' ? String(cell) : cell);
const endOf = ({ messages }: LiveStream) =>
  messages.find(({ event }) => event === 'end')?.data.error.code;

describe('A live stream', () => {
  it('begins with its position, and sends each change of the query as a CloudEvent', async () => {
    const live = await stream(`${jobs}&$filter=Uid eq ${CALLER}`);
    const { status, headers } = live.response;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    await expect
      .poll(() => live.messages[0])
      .toMatchObject({
        event: 'position',
        id: expect.stringMatching(/^\d+$/),
        data: { deltaLink: expect.stringContaining('$deltatoken=') },
      });
    const start = Date.now();
    await rename(CALLER, 'Streamed');
    await expect.poll(() => live.told(), { interval: 5 }).toEqual([`updated Persons(${CALLER})`]);
    expect(Date.now() - start, 'a local commit is sent before the next poll').toBeLessThan(5000);
    expect(live.messages[1]?.data).toMatchObject({
      specversion: '1.0',
      id: live.messages[1]?.id,
      type: 'docket.Persons.updated',
      source: `${reachable.origin}/odata/`,
      data: { Uid: CALLER, Jobtitle: 'Streamed' },
    });
    live.close();
  });

  it('continues after Last-Event-ID, after the delta link of a snapshot, and is continued by its own delta link', async () => {
    const authorization = `Bearer ${reachable.token}`;
    const snapshot = await fetch(`${reachable.origin}/odata/${jobs}&$filter=Uid gt 0`, {
      headers: { authorization, prefer: 'track-changes,maxpagesize=500' },
    });
    const { '@odata.deltaLink': link } = (await snapshot.json()) as Record<string, string>;
    await rename(MEMBER, 'Missed 1');
    const first = await stream(link ?? '');
    await expect.poll(() => titles(first)).toEqual(['Missed 1']);
    first.close();
    await rename(CALLER, 'Missed 2');
    await rename(MEMBER, 'Missed 3');
    const second = await stream(`${jobs}&$filter=Uid gt 0`, {
      'last-event-id': first.lastId() ?? '',
    });
    await expect.poll(() => titles(second)).toEqual(['Missed 2', 'Missed 3']);
    second.close();
    const later = (link ?? '').replace(/[^.]+$/, second.lastId() ?? '');
    const rest = await fetch(later, { headers: { authorization } });
    expect(await rest.json()).toMatchObject({ value: [] });
  });

  it.each([
    ['no-id', 400, 'events.position'],
    ['7-', 400, 'events.position'],
    ['99999999999999999999', 400, 'events.position'],
    ['999999999', 410, 'plan.delta-gone'],
  ])('rejects the Last-Event-ID %s', async (id, status, code) => {
    const { response, close } = await stream(jobs, { 'last-event-id': id });
    const { error } = (await response.json()) as { error: { code: string; target?: string } };
    expect([response.status, error.code]).toEqual([status, code]);
    if (status === 400) expect(error.target).toBe('Last-Event-ID');
    close();
  });

  it('goes on while the query of another one fails', async () => {
    const failing = await stream(`${jobs}&$filter=Jobtitle ne 'fails'`);
    const other = await stream(jobs);
    await expect.poll(() => other.lastId()).toBeDefined();
    const { database } = desk.service;
    const { scan } = database;
    const failure = vi.spyOn(database, 'scan').mockImplementation((statement, values) => {
      if (JSON.stringify(values, plain).includes('"fails"')) throw new Fault('store.slow');
      return scan.call(database, statement, values);
    });
    try {
      await rename(CALLER, 'Served');
      await expect.poll(() => titles(other)).toEqual(['Served']);
      expect(failure).toHaveBeenCalled();
      expect(titles(failing)).toEqual([]);
    } finally {
      failure.mockRestore();
    }
    await expect.poll(() => titles(failing)).toEqual(['Served']);
    failing.close();
    other.close();
  });

  it('is told by one read to all who follow the same, from whichever position they come', async () => {
    const early = await stream(jobs);
    await expect.poll(() => early.lastId()).toBeDefined();
    const id = early.lastId() ?? '';
    await rename(CALLER, 'Shared 1');
    await expect.poll(() => titles(early)).toEqual(['Shared 1']);
    const late = await stream(jobs, { 'last-event-id': id });
    const fresh = await stream(jobs);
    await expect.poll(() => [titles(late), fresh.messages.length]).toEqual([['Shared 1'], 1]);
    await rename(MEMBER, 'Shared 2');
    for (const [live, expected] of [
      [early, ['Shared 1', 'Shared 2']],
      [late, ['Shared 1', 'Shared 2']],
      [fresh, ['Shared 2']],
    ] as const)
      await expect.poll(() => titles(live)).toEqual(expected);
    for (const live of [early, late, fresh]) live.close();
  });

  it.each([
    [
      'a position that was never there',
      jobs,
      { 'last-event-id': '99999999' },
      410,
      'plan.delta-gone',
    ],
    ['a page of records', `${jobs}&$top=3`, {}, 400, 'request.misplaced-option'],
    ['a single record', `Persons(${CALLER})`, {}, 400, 'plan.untracked'],
    ['a number', 'Persons/$count', {}, 400, 'plan.untracked'],
    ['the present time', 'Persons?$filter=Birthdate lt now()', {}, 400, 'plan.untracked'],
    ['an unknown member', 'Persons?$select=Nome', {}, 400, 'bind.unknown-property'],
  ])('%s cannot be followed', async (_name, path, headers, status, code) => {
    const { response } = await stream(path, headers as Record<string, string>);
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, error.code]).toEqual([status, code]);
  });

  it('a part of a batch cannot be a stream', async () => {
    const requests = [
      { id: '1', method: 'get', url: 'Persons', headers: { accept: 'text/event-stream' } },
    ];
    const { json } = await desk.send('POST', '/$batch', { body: { requests } });
    expect(json.responses[0].status).toBe(406);
  });
});

describe('Rights', () => {
  const roles = ['reader'];
  let uid: number;
  beforeAll(async () => {
    const EntityAccess = [{ Entity: 'Person', Read: true }];
    await send('POST', '/Roles', { Name: 'reader', EntityAccess });
    await send('POST', '/Roles', { Name: 'other', EntityAccess });
    await desk.join({ loginName: 'rita', roles });
    const { json } = await desk.get("/Accounts?$filter=LoginName eq 'rita'");
    uid = json.value[0].Uid;
  });

  it('a set that the account may not read: 403; without a token: 401', async () => {
    const token = await logIn('rita');
    expect((await stream('Workorders', { token })).response.status).toBe(403);
    expect((await stream(jobs, { token: 'x' })).response.status).toBe(401);
  });

  it('a changed role ends the stream, since the client would see something else', async () => {
    const live = await stream(jobs, { token: await logIn('rita') });
    await expect.poll(() => live.messages.length).toBe(1);
    const AttributeAccess = [{ Entity: 'Person', Attribute: 'Jobtitle', Read: false }];
    const { json } = await desk.get("/Roles?$filter=Name eq 'reader'");
    await send('PATCH', `/Roles(${json.value[0].Uid})`, { AttributeAccess });
    await rename(CALLER, 'Secret');
    await expect.poll(() => endOf(live)).toBe('plan.delta-gone');
    expect(JSON.stringify(live.messages)).not.toContain('Secret');
    await expect.poll(() => live.isEnded()).toBe(true);
    await send('PATCH', `/Roles(${json.value[0].Uid})`, { AttributeAccess: [] });
  });

  it('a role that begins to require a second factor ends the streams of accounts without one', async () => {
    const live = await stream(jobs, { token: await logIn('rita') });
    await expect.poll(() => live.messages.length).toBe(1);
    const { json } = await desk.get("/Roles?$filter=Name eq 'reader'");
    const path = `/Roles(${json.value[0].Uid})`;
    await send('PATCH', path, { SecondFactorRequired: true });
    await rename(CALLER, 'Hidden');
    await expect.poll(() => endOf(live)).toBe('auth.second-factor-required');
    expect(titles(live)).toEqual([]);
    await send('PATCH', path, { SecondFactorRequired: false });
  });

  it('a revoked session ends the stream, and so does a blocked account', async () => {
    const token = await logIn('rita');
    const live = await stream(jobs, { token });
    const other = await stream(jobs, { token: await logIn('rita') });
    await expect.poll(() => [live, other].map(({ messages }) => messages.length)).toEqual([1, 1]);
    await fetch(`${reachable.origin}/connect/endsession`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    await expect.poll(() => endOf(live)).toBe('auth.token-invalid');
    expect(other.isEnded()).toBe(false);
    await send('PATCH', `/Accounts(${uid})`, { Blocked: true });
    await rename(CALLER, 'Unseen');
    await expect.poll(() => endOf(other)).toBe('auth.token-invalid');
    expect(titles(other)).toEqual([]);
  });
});

describe('An account that may read some records', () => {
  const roles = ['seer'];
  const made = async (LastName: string) => (await send('POST', '/Persons', { LastName })).Uid;
  const change = (uid: number, LastName: string) => send('PATCH', `/Persons(${uid})`, { LastName });
  const names = 'Persons?$select=LastName';
  const snapshotOf = async () => {
    const live = await stream(names, { token });
    await expect.poll(() => live.messages.length).toBe(1);
    live.close();
    return live;
  };
  let token: string;
  beforeAll(async () => {
    const Filter = "startswith(LastName,'Seen')";
    await send('POST', '/Roles', {
      Name: 'seer',
      EntityAccess: [{ Entity: 'Person', Read: true, Filter }],
    });
    await desk.join({ loginName: 'sia', roles });
    token = await logIn('sia');
  });

  it('is told what leaves the visible records, and nothing about what it has never seen', async () => {
    const [leaves, goes, stays] = [
      await made('Seen 1'),
      await made('Seen 2'),
      await made('Seen 3'),
    ];
    const other = await made('Hidden');
    const live = await stream(names, { token });
    await expect.poll(() => live.messages.length).toBe(1);
    await change(other, 'Hidden, changed');
    await change(leaves, 'Left');
    await send('DELETE', `/Persons(${goes})`);
    await send('DELETE', `/Persons(${other})`);
    await change(leaves, 'Left, changed');
    await change(stays, 'Seen 4');
    const enters = await made('Seen 5');
    await change(enters, 'Left');
    await change(stays, 'Seen 6');
    await expect.poll(() => live.told().at(-1)).toBe(`updated Persons(${stays})`);
    await expect.poll(() => live.told()).toContain(`removed Persons(${leaves})`);
    const told = live.told().filter((one) => !one.startsWith('updated'));
    expect(new Set(told)).toEqual(
      new Set([
        ...[`removed Persons(${leaves})`, `removed Persons(${goes})`],
        // Whether it has been told before it left depends on the moment.
        ...told.filter((one) => one.endsWith(`Persons(${enters})`)),
      ]),
    );
    expect(told.filter((one) => one.endsWith(`Persons(${leaves})`)).length).toBe(1);
    const text = JSON.stringify(live.messages);
    for (const hidden of [`Persons(${other})`, 'Hidden', 'Left', '"deleted"'])
      expect(text).not.toContain(hidden);
    live.close();
  });

  it('a snapshot, a stream, an interruption and a delta link hand over without a gap', async () => {
    const [first, second, third] = [
      await made('Seen 1'),
      await made('Seen 2'),
      await made('Seen 3'),
    ];
    const authorization = `Bearer ${token}`;
    const get = async (url: string, prefer = '') =>
      (await (await fetch(url, { headers: { authorization, prefer } })).json()) as Record<
        string,
        string
      >;
    const snapshot = await get(`${reachable.origin}/odata/${names}`, 'track-changes');
    await change(first, 'Left');
    const live = await stream(snapshot['@odata.deltaLink'] ?? '', { token });
    await expect.poll(() => live.told()).toEqual([`removed Persons(${first})`]);
    live.close();
    await change(second, 'Left');
    await send('DELETE', `/Persons(${third})`);
    const resumed = await stream(names, { token, 'last-event-id': live.lastId() ?? '' });
    const gone = [`removed Persons(${second})`, `removed Persons(${third})`];
    await expect.poll(() => resumed.told()).toEqual(gone);
    resumed.close();
    const fresh = await stream(names, { token, 'last-event-id': resumed.lastId() ?? '' });
    await expect.poll(() => fresh.messages.length).toBe(1);
    fresh.close();
    const { value } = await get(fresh.messages[0]?.data.deltaLink);
    expect(value).toEqual([]);
  });

  it('what a client writes into the list is removed at the start, and not observed', async () => {
    const hidden = `Persons(${await made('Hidden')})`;
    const stays = await made('Seen 1');
    const list = writeKnown([hidden, 'Persons(987654321)', `Persons(${stays})`]);
    const { id } = (await snapshotOf()).messages[0] ?? {};
    const live = await stream(names, { token, 'last-event-id': `${id?.split('.')[0]}.k${list}` });
    const removed = [`removed ${hidden}`, 'removed Persons(987654321)'];
    await expect.poll(() => live.told().toSorted()).toEqual(removed.toSorted());
    await send('PATCH', `/${hidden}`, { LastName: 'Hidden, changed' });
    await send('DELETE', `/${hidden}`);
    await change(stays, 'Seen 2');
    await expect.poll(() => live.told().slice(2)).toEqual([`updated Persons(${stays})`]);
    const ids = live.messages.map(({ data }) => data.id).filter((one) => one !== undefined);
    expect(new Set(ids).size).toBe(3);
    live.close();
  });

  it('an id with a damaged list is rejected', async () => {
    const { response, close } = await stream(names, { token, 'last-event-id': '7.kAg' });
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, error.code]).toEqual([400, 'events.position']);
    close();
  });
});

describe('Limits', () => {
  it('an account and a process have a number of streams; those that have gone do not count', async () => {
    for (const live of open) live.close();
    const all: LiveStream[] = [];
    await expect
      .poll(async () => {
        const { response, ...live } = await stream(jobs);
        if (response.status === 200) all.push({ response, ...live });
        return response.status;
      })
      .toBe(429);
    expect(all.length).toBe(12);
    for (const live of all) live.close();
    await expect.poll(async () => (await stream(jobs)).response.status).toBe(200);
  });

  it('a client that does not read is read for once, and later gets the newest state in place of each change', async () => {
    for (const live of open) live.close();
    const call = {
      id: 'slow',
      method: 'GET',
      path: 'Persons',
      query: `$select=Uid,Jobtitle&$filter=Uid%20eq%20${CALLER}`,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${reachable.token}` },
      body: undefined,
      address: '127.0.0.1',
      root: `${reachable.origin}/odata/`,
    };
    const principal = await principalNamed(desk.service, 'admin');
    const { source } = await answerStream(call, desk.service, principal);
    const pieces = source?.[Symbol.asyncIterator]();
    const take = async () => Buffer.from((await pieces?.next())?.value ?? []).toString();
    expect(await take()).toContain('event: position');
    const other = await stream(`${jobs}&$filter=Uid eq ${CALLER}`);
    for (const title of ['Slow 1', 'Slow 2', 'Slow 3', 'Slow 4']) {
      await rename(CALLER, title);
      await expect.poll(() => titles(other).at(-1)).toBe(title);
    }
    expect(await take()).toMatch(/"Slow 4"/);
    await rename(CALLER, 'Slow 5');
    const rest = await take();
    expect(rest).toMatch(/"Slow 5"/);
    source?.destroy();
    other.close();
  });
});

describe('An idle stream', () => {
  /** A stream in this process, whose timers the test advances. */
  async function openIdle() {
    // A copy has streams of its own, whose timers begin with the first one.
    const service = Object.create(desk.service);
    const call = {
      id: 'idle',
      method: 'GET',
      path: 'Persons',
      query: `$filter=Uid%20eq%20${CALLER}`,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${reachable.token}` },
      body: undefined,
      address: '127.0.0.1',
      root: `${reachable.origin}/odata/`,
    };
    const principal = await principalNamed(desk.service, 'admin');
    const { source } = await answerStream(call, service, principal);
    const pieces = source?.[Symbol.asyncIterator]();
    return {
      take: async () => Buffer.from((await pieces?.next())?.value ?? []).toString(),
      pass: (milliseconds: number) => void vi.advanceTimersByTime(milliseconds),
      close: () => source?.destroy(),
    };
  }

  it('gets a comment every 25 seconds, and its position if something else has changed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { take, pass, close } = await openIdle();
      expect(await take()).toContain('event: position');
      const first = take();
      pass(24_000);
      expect(await Promise.race([first, 'nothing'])).toBe('nothing');
      pass(1000);
      expect(await first).toBe(':\n\n');
      await send('POST', '/Workgroups', { Name: 'Not followed' });
      await expect
        .poll(async () => {
          const next = take();
          // The message before counts as taken only now, and is followed by a round.
          await new Promise((resolve) => setTimeout(resolve, 100));
          pass(25_000);
          return await next;
        })
        .toMatch(/^event: position\nid: \d+\ndata: \{"deltaLink":/);
      close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends with the reason when its token expires', async () => {
    const live = await stream(jobs);
    await expect.poll(() => live.messages.length).toBe(1);
    ahead = 3_601_000;
    try {
      await expect.poll(() => endOf(live)).toBe('auth.token-invalid');
      await expect.poll(() => live.isEnded()).toBe(true);
      expect((await stream(jobs)).response.status).toBe(401);
    } finally {
      ahead = 0;
    }
  });
});

describe('The end of the service', () => {
  it('ends streams with a time after which to connect again, and without a loss', async () => {
    for (const live of open) live.close();
    const live = await stream(jobs);
    await expect.poll(() => live.messages.length).toBe(1);
    await rename(CALLER, 'Last');
    await expect.poll(() => titles(live)).toEqual(['Last']);
    await reachable.stop();
    await expect.poll(() => live.isEnded()).toBe(true);
    expect(endOf(live)).toBe('store.stopping');
    expect(live.retry()).toBeGreaterThanOrEqual(1000);
    desk = await desk.restart();
    reachable = await makeReachable(desk);
    await rename(MEMBER, 'Meanwhile');
    const next = await stream(jobs, { 'last-event-id': live.lastId() ?? '' });
    await expect.poll(() => titles(next)).toEqual(['Meanwhile']);
  });
});
