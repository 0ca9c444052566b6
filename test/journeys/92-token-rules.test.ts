// This file checks how long tokens live, and what becomes of one that is used again or elsewhere. RFC 9700.
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { authDatabase } from '../../src/auth/database.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { createApp } from '../../src/http/app.ts';
import type { Database } from '../../src/store/database.ts';
import { oddDefinition } from '../odd-model.ts';
import {
  ADMIN,
  type FixedWorld,
  fixedWorld,
  PASSWORD,
  startService,
  type TestService,
} from '../world.ts';
import { type Desk, openDesk } from './desk.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const HERE = '192.0.2.7';

let running: { close: () => Promise<void> } | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

interface Pair {
  readonly access: string;
  readonly refresh: string;
}

interface Place {
  readonly app: TestService['app'];
}

interface From {
  readonly address?: string;
  readonly forwarded?: string;
}

async function open(
  flags: Readonly<Record<string, unknown>> = {},
  world: FixedWorld = fixedWorld(),
): Promise<TestService> {
  const service = await startService({
    model: oddDefinition,
    accounts: [{ name: 'second', roles: ['administrator'] }],
    flags,
    world,
    enabled: true,
  });
  running = service;
  return service;
}

async function post({ app }: Place, fields: Record<string, string>, from: From = {}) {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/token',
    remoteAddress: from.address ?? HERE,
    headers: {
      host: 'localhost',
      'content-type': 'application/x-www-form-urlencoded',
      ...(from.forwarded === undefined ? {} : { 'x-forwarded-for': from.forwarded }),
    },
    payload: new URLSearchParams(fields).toString(),
  });
  return { status: answer.statusCode, json: answer.json() };
}

async function logIn(place: Place, from: From = {}, username = ADMIN): Promise<Pair> {
  const { status, json } = await post(
    place,
    { grant_type: 'password', username, password: PASSWORD },
    from,
  );
  expect(status).toBe(200);
  return { access: json.access_token, refresh: json.refresh_token };
}

async function refresh(place: Place, token: string, from: From = {}) {
  return await post(place, { grant_type: 'refresh_token', refresh_token: token }, from);
}

async function ask({ app }: Place, token: string, from: From = {}) {
  const answer = await app.server.inject({
    method: 'GET',
    url: '/odata/$metadata',
    remoteAddress: from.address ?? HERE,
    headers: {
      host: 'localhost',
      authorization: `Bearer ${token}`,
      ...(from.forwarded === undefined ? {} : { 'x-forwarded-for': from.forwarded }),
    },
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}

async function endSession({ app }: Place, token: string): Promise<number> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/connect/endsession',
    remoteAddress: HERE,
    headers: { host: 'localhost', authorization: `Bearer ${token}` },
  });
  return answer.statusCode;
}

describe('How long tokens live', () => {
  it('an access token works for 3600 seconds, and not a second longer', async () => {
    const service = await open({ idleMinutes: 600 });
    const { access } = await logIn(service);
    service.world.advance(3599 * SECOND);
    expect((await ask(service, access)).status).toBe(200);
    service.world.advance(SECOND);
    const late = await ask(service, access);
    expect([late.status, late.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="docket", error="invalid_token"',
    ]);
  });

  it('an access token that was never used ends after 3600 seconds as well', async () => {
    const service = await open();
    const { access } = await logIn(service);
    service.world.advance(3600 * SECOND);
    expect((await ask(service, access)).status).toBe(401);
  });

  it('a refresh token works for 7 days, and not a second longer', async () => {
    const service = await open();
    const [early, late] = [await logIn(service), await logIn(service)];
    service.world.advance(7 * DAY - SECOND);
    expect((await refresh(service, early.refresh)).status).toBe(200);
    service.world.advance(SECOND);
    expect((await refresh(service, late.refresh)).json.error).toBe('invalid_grant');
  });

  it('each refresh gives another 7 days', async () => {
    const service = await open();
    let { refresh: token } = await logIn(service);
    for (let week = 0; week < 3; week++) {
      service.world.advance(6 * DAY);
      const answer = await refresh(service, token);
      expect(answer.status).toBe(200);
      token = answer.json.refresh_token;
    }
  });

  it('an access token is no refresh token, nor the other way round', async () => {
    const service = await open();
    const pair = await logIn(service);
    expect((await refresh(service, pair.access)).json.error).toBe('invalid_grant');
    expect((await ask(service, pair.refresh)).status).toBe(401);
  });

  it('refresh tokens and access tokens outlive a restart', async () => {
    let desk = await openDesk();
    try {
      const pair = await logIn(desk);
      desk = await desk.restart();
      expect((await ask(desk, pair.access)).status).toBe(200);
      expect((await refresh(desk, pair.refresh)).status).toBe(200);
    } finally {
      await desk.close();
    }
  });
});

describe('A refresh token that is used again', () => {
  it('within 10 seconds it is only refused: the tokens of the first use live', async () => {
    const service = await open();
    const first = await logIn(service);
    const second = (await refresh(service, first.refresh)).json;
    service.world.advance(10 * SECOND);
    expect((await refresh(service, first.refresh)).json.error).toBe('invalid_grant');
    expect((await ask(service, second.access_token)).status).toBe(200);
    expect((await refresh(service, second.refresh_token)).status).toBe(200);
  });

  it('later, the whole family is revoked, and no other family', async () => {
    const service = await open();
    const [first, other] = [await logIn(service), await logIn(service)];
    const second = (await refresh(service, first.refresh)).json;
    expect((await ask(service, second.access_token)).status).toBe(200);
    service.world.advance(10 * SECOND + 1);
    expect((await refresh(service, first.refresh)).json.error).toBe('invalid_grant');
    expect((await ask(service, second.access_token)).status).toBe(401);
    expect((await refresh(service, second.refresh_token)).json.error).toBe('invalid_grant');
    expect((await ask(service, other.access)).status).toBe(200);
  });

  it('of 50 uses at the same moment one succeeds, 49 are answered with invalid_grant, and the winner lives', async () => {
    const desk = await openDesk();
    try {
      await desk.app.server.listen({ host: '127.0.0.1', port: 0 });
      const { port } = desk.app.server.server.address() as AddressInfo;
      const send = async (fields: Record<string, string>) => {
        const body = new URLSearchParams(fields);
        const answer = await fetch(`http://127.0.0.1:${port}/token`, { method: 'POST', body });
        return { status: answer.status, json: (await answer.json()) as Record<string, string> };
      };
      const { json } = await send({
        grant_type: 'password',
        username: 'admin',
        password: PASSWORD,
      });
      const token = json.refresh_token ?? '';
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          send({ grant_type: 'refresh_token', refresh_token: token }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ json: { error } }) => error === 'invalid_grant');
      expect([won.length, lost.length]).toEqual([1, 49]);
      const authorization = `Bearer ${won[0]?.json.access_token}`;
      const used = await fetch(`http://127.0.0.1:${port}/odata/`, { headers: { authorization } });
      expect(used.status).toBe(200);
    } finally {
      await desk.close();
    }
  });
});

describe('The machine a token belongs to', () => {
  it('another machine may neither use nor refresh; the right one still may', async () => {
    const service = await open();
    const pair = await logIn(service);
    const thief = { address: '192.0.2.8' };
    const answer = await ask(service, pair.access, thief);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="docket", error="invalid_token"',
    ]);
    expect((await refresh(service, pair.refresh, thief)).json.error).toBe('invalid_grant');
    expect((await ask(service, pair.access)).status).toBe(200);
    expect((await ask(service, pair.access, thief)).status).toBe(401);
    expect((await refresh(service, pair.refresh)).status).toBe(200);
  });

  it.each([
    ['the same /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', 200],
    ['another /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1', 401],
    ['the same address in another writing', '2001:DB8:0:2:0:0:0:1', '2001:db8::2:0:0:0:1', 200],
    ['IPv4 written as IPv6', '::ffff:192.0.2.7', '192.0.2.7', 200],
    ['another IPv4 written as IPv6', '::ffff:192.0.2.7', '::ffff:192.0.2.8', 401],
  ])('%s', async (_what, first, second, status) => {
    const service = await open();
    const { access } = await logIn(service, { address: first });
    expect((await ask(service, access, { address: first })).status).toBe(200);
    expect((await ask(service, access, { address: second })).status).toBe(status);
  });

  it('behind a trusted proxy it is the address that the proxy tells; what others tell does not count', async () => {
    const service = await open({ trustedProxies: ['10.0.0.1'] });
    const proxied = { address: '10.0.0.1', forwarded: HERE };
    const { access } = await logIn(service, proxied);
    expect((await ask(service, access, proxied)).status).toBe(200);
    const elsewhere = { address: '10.0.0.1', forwarded: '192.0.2.8' };
    expect((await ask(service, access, elsewhere)).status).toBe(401);
    const forged = { address: '10.0.0.1', forwarded: `${HERE}, 192.0.2.8` };
    expect((await ask(service, access, forged)).status).toBe(401);
    expect((await ask(service, access, { address: '192.0.2.8', forwarded: HERE })).status).toBe(
      401,
    );
  });

  it.each([
    ['10.0.0.0/8', '10.20.30.40', '11.0.0.1'],
    ['10.0.0.0/8', '::ffff:10.20.30.40', '192.0.2.8'],
    ['fd00::/8', 'fd12:3456::1', '2001:db8::1'],
  ])(
    'behind proxies of the range %s it is the address that they tell, not what %s is told by others',
    async (range, proxy, stranger) => {
      const service = await open({ trustedProxies: [range] });
      const proxied = { address: proxy, forwarded: HERE };
      const { access } = await logIn(service, proxied);
      const status = async (address: string, forwarded: string) =>
        (await ask(service, access, { address, forwarded })).status;
      expect(await status(proxy, HERE)).toBe(200);
      // Two proxies of the range, one behind the other, and one that adds the port.
      expect(await status(proxy, `${HERE}, ${proxy}`)).toBe(200);
      expect(await status(proxy, `${HERE}:4711`)).toBe(200);
      expect(await status(proxy, '192.0.2.8')).toBe(401);
      expect(await status(proxy, `${HERE}, 192.0.2.8`)).toBe(401);
      expect(await status(stranger, HERE)).toBe(401);
    },
  );

  it('with tokenBinding: off every machine may use a token', async () => {
    const service = await open({ tokenBinding: 'off' });
    const pair = await logIn(service);
    expect((await ask(service, pair.access, { address: '192.0.2.8' })).status).toBe(200);
    expect((await refresh(service, pair.refresh, { address: '192.0.2.9' })).status).toBe(200);
  });
});

describe('Sessions', () => {
  /** The administrator of `startService` is logged in, but has not asked anything. */
  it('a session is made at the first use of an access token, not by logging in', async () => {
    const service = await open({ maximumUsers: 1 });
    const idle = await Promise.all([logIn(service), logIn(service), logIn(service)]);
    expect((await ask(service, idle[1].access)).status).toBe(200);
    const refused = await ask(service, idle[2].access);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60']);
    expect(refused.text).toContain('concurrent users');
    expect(refused.text).toContain('1');
  });

  it('refreshing goes on with the same session: it takes no further seat', async () => {
    const service = await open({ maximumUsers: 1 });
    const first = await logIn(service);
    expect((await ask(service, first.access)).status).toBe(200);
    const second = (await refresh(service, first.refresh)).json;
    expect((await ask(service, second.access_token)).status).toBe(200);
    expect((await ask(service, first.access)).status).toBe(200);
  });

  it('a seat is free again after the idle time, and not before; who was idle may take one again', async () => {
    const service = await open({ maximumUsers: 1, idleMinutes: 10 });
    const [left, right] = [await logIn(service), await logIn(service, {}, 'second')];
    expect((await ask(service, left.access)).status).toBe(200);
    service.world.advance(10 * MINUTE - SECOND);
    expect((await ask(service, right.access)).status).toBe(503);
    service.world.advance(2 * SECOND);
    expect((await ask(service, right.access)).status).toBe(200);
    expect((await ask(service, left.access)).status).toBe(503);
    service.world.advance(10 * MINUTE + SECOND);
    expect((await ask(service, left.access)).status).toBe(200);
  });

  it('who goes on asking keeps the seat', async () => {
    const service = await open({ maximumUsers: 1, idleMinutes: 10 });
    const [left, right] = [await logIn(service), await logIn(service, {}, 'second')];
    for (let turn = 0; turn < 6; turn++) {
      expect((await ask(service, left.access)).status).toBe(200);
      service.world.advance(9 * MINUTE);
      expect((await ask(service, right.access)).status).toBe(503);
    }
  });

  it('ending a session frees its seat at once, and its tokens are dead', async () => {
    const service = await open({ maximumUsers: 1 });
    const [left, right] = [await logIn(service), await logIn(service, {}, 'second')];
    expect((await ask(service, left.access)).status).toBe(200);
    expect(await endSession(service, left.access)).toBe(204);
    expect((await ask(service, left.access)).status).toBe(401);
    expect(await endSession(service, left.access)).toBe(401);
    expect((await refresh(service, left.refresh)).json.error).toBe('invalid_grant');
    expect((await ask(service, right.access)).status).toBe(200);
  });
});

describe('Who guesses', () => {
  const guess = async (place: Place, password: string, address: string, username = ADMIN) => {
    const answer = await place.app.server.inject({
      method: 'POST',
      url: '/token',
      remoteAddress: address,
      headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'password', username, password }).toString(),
    });
    return { status: answer.statusCode, wait: Number(answer.headers['retry-after'] ?? 0) };
  };

  it('guessing is slowed for name and address, longer each time, and nobody else is locked out', async () => {
    const service = await open();
    for (let turn = 0; turn < 5; turn++)
      expect(await guess(service, 'wrong', HERE)).toEqual({ status: 400, wait: 0 });
    expect(await guess(service, PASSWORD, HERE)).toEqual({ status: 429, wait: 1 });
    expect((await guess(service, PASSWORD, '192.0.2.8')).status).toBe(200);
    expect((await guess(service, PASSWORD, HERE, 'second')).status).toBe(200);
    service.world.advance(SECOND);
    expect((await guess(service, 'wrong', HERE)).status).toBe(400);
    expect(await guess(service, 'wrong', HERE)).toEqual({ status: 429, wait: 2 });
    service.world.advance(2 * SECOND);
    expect((await guess(service, PASSWORD, HERE)).status).toBe(200);
    expect((await guess(service, 'wrong', HERE)).status).toBe(400);
  });

  it('an address that tries many names has to wait as well, also for names that nobody has', async () => {
    const service = await open();
    const statuses: number[] = [];
    for (let turn = 0; turn < 51; turn++)
      statuses.push((await guess(service, 'wrong', HERE, `name ${turn}`)).status);
    expect(statuses).toEqual([...Array<number>(50).fill(400), 429]);
  });
});

describe('What a check of the token costs', () => {
  it('in the steady state no statement at all', async () => {
    const desk = await openDesk();
    try {
      const { installation } = desk;
      const { database, statements } = counting(installation.database);
      const world = fixedWorld(7, Date.now());
      const { service, grants } = await wireService({
        ...installation,
        database,
        auth: authDatabase(database),
        world,
      });
      const app = appOf(service, grants);
      const { access } = await logIn({ app });
      expect((await ask({ app }, access)).status).toBe(200);
      const before = statements();
      for (let use = 0; use < 1000; use++)
        await service.sessions.authenticate(`Bearer ${access}`, HERE);
      expect(statements() - before).toBe(0);
      world.advance(501);
      for (let use = 0; use < 1000; use++)
        await service.sessions.authenticate(`Bearer ${access}`, HERE);
      expect(statements() - before).toBe(1);
      const principal = await service.sessions.authenticate(`Bearer ${access}`, HERE);
      const owner = { account: principal.account, session: principal.session };
      await service.sessions.current(owner);
      const known = statements();
      for (let use = 0; use < 1000; use++) {
        await service.sessions.current(owner);
        await service.sessions.current(principal);
      }
      expect(statements() - known).toBe(0);
      await app.server.close();
    } finally {
      await desk.close();
    }
  });

  it('a session that another node has ended is refused a moment later', async () => {
    const desk = await openDesk();
    const other = await openInstallation(desk.installation.config);
    const { service, grants } = await wireService(other);
    const node = { app: appOf(service, grants) };
    try {
      const pair = await logIn(desk);
      expect((await ask(desk, pair.access)).status).toBe(200);
      expect((await ask(node, pair.access)).status).toBe(200);
      expect(await endSession(node, pair.access)).toBe(204);
      while ((await ask(desk, pair.access)).status !== 401)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect((await refresh(desk, pair.refresh)).json.error).toBe('invalid_grant');
    } finally {
      await node.app.server.close();
      await service.jobs.close();
      await service.sessions.close();
      await other.database.close();
      await desk.close();
    }
  });
});

function appOf(
  service: Desk['service'],
  grants: Awaited<ReturnType<typeof wireService>>['grants'],
): Desk['app'] {
  return createApp({
    service,
    grants,
    proxies: { trusted: new Set() },
    corsOrigins: new Set(),
  });
}

/** The database, counting what is asked of it. */
function counting(database: Database): {
  readonly database: Database;
  readonly statements: () => number;
} {
  let count = 0;
  const counted = {
    ...database,
    read: (...asked: Parameters<Database['read']>) => {
      count++;
      return database.read(...asked);
    },
    scan: async (...asked: Parameters<Database['scan']>) => {
      count++;
      return await database.scan(...asked);
    },
    write: async <Result>(deed: Parameters<typeof database.write<Result>>[0]) => {
      count++;
      return await database.write(deed);
    },
  };
  return { database: counted, statements: () => count };
}
