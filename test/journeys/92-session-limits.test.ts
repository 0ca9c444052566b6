// This file opens more sessions than one account, or everybody together, may have: no account takes all of them, and administrators get in.
import { afterEach, describe, expect, it } from 'vitest';
import { accountQuery } from '../../src/auth/accounts.ts';
import { tableRecords } from '../../src/auth/auth-store.ts';
import { rightsRevision } from '../../src/auth/policy-reader.ts';
import { statement } from '../database.ts';
import { oddDefinition } from '../odd-model.ts';
import { type FixedWorld, fixedWorld, PASSWORD, startService, type TestService } from '../world.ts';
import { openDesk } from './desk.ts';

const MINUTE = 60_000;

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function open(
  flags: Readonly<Record<string, unknown>>,
  world: FixedWorld = fixedWorld(),
): Promise<void> {
  const accounts = [
    { name: 'joan', roles: [] },
    { name: 'mary', roles: [] },
    { name: 'boss', roles: ['administrator'] },
  ];
  service = await startService({ model: oddDefinition, accounts, flags, world, enabled: true });
}

function running(): TestService {
  if (service === undefined) throw new Error('no service is running');
  return service;
}

async function logIn(username: string): Promise<string> {
  const answer = await running().app.server.inject({
    method: 'POST',
    url: '/token',
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'password',
      username,
      password: PASSWORD,
    }).toString(),
  });
  expect(answer.statusCode).toBe(200);
  return `Bearer ${answer.json().access_token}`;
}

async function send(
  authorization: string,
  url = '/odata/$ping',
  method: 'GET' | 'POST' | 'PATCH' = 'GET',
  payload?: object,
) {
  const headers = { host: 'localhost', authorization };
  return await running().app.server.inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
}

/** Logs in and uses the token. */
async function begin(username: string) {
  const token = await logIn(username);
  const { statusCode: status, headers, payload } = await send(token);
  return { token, status, headers, text: payload };
}

describe('One account', () => {
  it('has no more sessions than the setting accountSessions permits; others are not concerned', async () => {
    await open({ accountSessions: 2 });
    const [first, second, third] = [await begin('joan'), await begin('joan'), await begin('joan')];
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers['retry-after']).toBe('60');
    expect(JSON.parse(third.text).error.code).toBe('auth.account-sessions');
    expect(third.text).toContain('accountSessions');
    expect((await begin('mary')).status).toBe(200);
    expect((await send(first.token)).statusCode).toBe(200);
    expect((await send(second.token, '/connect/endsession', 'POST')).statusCode).toBe(204);
    expect((await send(third.token)).statusCode).toBe(200);
  });

  it('may begin another when one has been idle', async () => {
    const world = fixedWorld();
    await open({ accountSessions: 1, idleMinutes: 10 }, world);
    const [first, second] = [await begin('joan'), await begin('joan')];
    expect([first.status, second.status]).toEqual([200, 429]);
    world.advance(11 * MINUTE);
    expect((await send(second.token)).statusCode).toBe(200);
    expect((await send(first.token)).statusCode).toBe(429);
  });

  it('has as many as the setting is changed to, at once', async () => {
    await open({ accountSessions: 1 });
    const boss = await begin('boss');
    const [, second] = [await begin('joan'), await begin('joan')];
    expect(second.status).toBe(429);
    const url = "/odata/Settings('accountSessions')";
    const changed = await send(boss.token, url, 'PATCH', { Value: '2' });
    expect(changed.statusCode).toBe(204);
    expect((await send(second.token)).statusCode).toBe(200);
  });
});

it('An account cannot fill the database with log-ins that it does not use', async () => {
  const desk = await openDesk({ records: [] });
  const { auth, layout, world, database } = desk.installation;
  const records = tableRecords(auth, accountQuery(layout), rightsRevision(layout));
  const account = (await records.findAccount('nobody'))?.uid ?? 0n;
  const expires = world.now() + MINUTE;
  const open = async (hash: string) =>
    await records.openLogin(
      { account, client: '', address: '', method: 'password' },
      (login) => [{ hash, login, kind: 'access', expires }],
      world.now(),
    );
  expect((await desk.as('nobody').get('/$ping')).status).toBe(200);
  for (let number = 0; number < 1005; number++) await open(`unused ${number}`);
  const unused = statement(
    'SELECT count(*) FROM "docket:session" WHERE "LastUsed" IS NULL AND "Account" = ?',
  );
  expect(await database.read(unused, [account])).toEqual([[1000n]]);
  expect(await records.findAccess('unused 4', world.now())).toBeUndefined();
  expect(await records.findAccess('unused 5', world.now())).toBeDefined();
  expect((await desk.as('nobody').get('/$ping')).status).toBe(200);
  expect((await desk.get('/$ping')).status).toBe(200);
  await desk.close();
});

it('A log-in that has not been used can be ended while all sessions are taken', async () => {
  await open({ maximumUsers: 1 });
  expect((await begin('joan')).status).toBe(200);
  const token = await logIn('mary');
  expect((await send(token)).statusCode).toBe(503);
  expect((await send(token, '/connect/endsession', 'POST')).statusCode).toBe(204);
  expect((await send(token, '/connect/endsession', 'POST')).statusCode).toBe(401);
  expect((await send(token)).statusCode).toBe(401);
});

describe('Administrators', () => {
  it('get the sessions that are reserved for them', async () => {
    await open({ maximumUsers: 4, reservedSessions: 2 });
    expect([(await begin('joan')).status, (await begin('mary')).status]).toEqual([200, 200]);
    const refused = await begin('mary');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60']);
    expect(refused.text).toContain('2 concurrent users');
    expect(refused.text).toContain('2 more are reserved for administrators');
    expect([(await begin('boss')).status, (await begin('boss')).status]).toEqual([200, 200]);
    const last = await begin('boss');
    expect(last.status).toBe(503);
    expect(last.text).toContain('4 concurrent users');
    expect(last.text).not.toContain('reserved');
  });

  it('have no more than half of all sessions reserved', async () => {
    await open({ maximumUsers: 3, reservedSessions: 50 });
    expect([(await begin('joan')).status, (await begin('mary')).status]).toEqual([200, 200]);
    expect((await begin('joan')).status).toBe(503);
  });

  it('have none reserved where there is one session', async () => {
    await open({ maximumUsers: 1 });
    expect((await begin('joan')).status).toBe(200);
  });

  it('get in by default although another account has taken all sessions that it can get', async () => {
    await open({ maximumUsers: 8 });
    const statuses = [];
    for (let number = 0; number < 8; number++) statuses.push((await begin('joan')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 503, 503]);
    expect((await begin('boss')).status).toBe(200);
  });
});
