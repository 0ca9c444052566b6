// This file asks a service that runs in several processes: whichever of them answers, the client sees one service. A worker that is
// killed is replaced, what it had accepted is done by the one that replaces it, and the service ends in order.
import { existsSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, firstCell } from '../../src/store/sqlite/connection.ts';
import { type Killable, logIn, makeKillable, PASSWORD, type Serving } from './killable.ts';

let service: Killable;
let serving: Serving;
let token: string;
beforeAll(async () => {
  service = makeKillable();
  serving = await service.serve('--workers', '2');
  token = await logIn(serving);
}, 120_000);
afterAll(() => {
  serving.child.kill('SIGKILL');
  service.close();
});

interface Heard {
  readonly status: number | undefined;
  readonly text: string;
  readonly location: string | undefined;
}

/** Each request on a connection of its own, so that the workers take turns. */
function ask(
  path: string,
  how: { method?: string; body?: string; type?: string; token?: string; prefer?: string } = {},
) {
  const { method = 'GET', body, type = 'application/json' } = how;
  const headers = {
    authorization: `Bearer ${how.token ?? token}`,
    ...(how.prefer === undefined ? {} : { prefer: how.prefer }),
    ...(body === undefined
      ? {}
      : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise<Heard>((resolve, reject) => {
    const hear = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => {
        const { location } = response.headers;
        resolve({ status: response.statusCode, text, location });
      });
    };
    const agent = new Agent({ keepAlive: false });
    request(`${serving.origin}${path}`, { method, headers, agent }, hear)
      .once('error', reject)
      .end(body);
  });
}

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await isReached()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it was not reached in half a minute');
}

const LIST = () => `/proc/${serving.child.pid}/task/${serving.child.pid}/children`;

function workerIds(): readonly number[] {
  return readFileSync(LIST(), 'utf8').split(' ').filter(Boolean).map(Number);
}

/** The address of the status monitor of a batch that creates so many records, each in a deed of its own. */
async function later(name: string, parts: number): Promise<string> {
  const requests = Array.from({ length: parts }, (_, index) => ({
    id: String(index),
    method: 'post',
    url: 'ServiceRequests',
    body: { Description: name },
  }));
  const how = { method: 'POST', body: JSON.stringify({ requests }), prefer: 'respond-async' };
  const { status, location } = await ask('/odata/$batch', how);
  expect(status).toBe(202);
  return new URL(location ?? '').pathname;
}

/** The places whose workers answer: ids of what they accept begin with their numbers. */
async function placesAtWork(): Promise<ReadonlySet<string | undefined>> {
  const monitors = await times(6, async () => await later('to see who answers', 1));
  return new Set(monitors.map((path) => /(\d+)\.[\w-]+$/.exec(path)?.[1]));
}

function placeOf(worker: number): string {
  const surroundings = readFileSync(`/proc/${worker}/environ`, 'utf8');
  return /WORKER_NUMBER=(\d+)/.exec(surroundings)?.[1] ?? '';
}

/** Requests that were accepted at a place and have no answer yet. */
function unfinished(place: string): number {
  const database = connect(service.database, true);
  try {
    const text = 'SELECT count(*) FROM docket_job WHERE status IS NULL AND id GLOB ?';
    return Number(firstCell(database, text, [`${place}.*`]));
  } finally {
    database.close();
  }
}

describe('A service of two workers', () => {
  it('knows a token at every worker', async () => {
    const heard = await times(10, async () => await ask('/odata/ServiceRequests?$top=1'));
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('does all writes that come at once, and everybody reads them at once', async () => {
    const heard = await times(
      60,
      async (index) =>
        await ask('/odata/ServiceRequests', {
          method: 'POST',
          body: JSON.stringify({ Description: `written at once ${index}` }),
        }),
    );
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([201]));
    const numbers = heard.map(({ text }) => (JSON.parse(text) as { ID: number }).ID);
    expect(new Set(numbers).size).toBe(60);
    const filter = encodeURIComponent("startswith(Description,'written at once')");
    const counts = await times(
      6,
      async () => await ask(`/odata/ServiceRequests/$count?$filter=${filter}`),
    );
    expect(new Set(counts.map(({ text }) => text))).toEqual(new Set(['60']));
  });

  it('gives no answer again that a write at another worker has made old', async () => {
    for (let round = 0; round < 8; round++) {
      const name = `round ${round}`;
      const created = await ask('/odata/Workgroups', {
        method: 'POST',
        body: JSON.stringify({ Name: name, Searchcode: `ROUND${round}` }),
      });
      expect(created.status).toBe(201);
      const filter = encodeURIComponent("startswith(Name,'round')");
      const heard = await times(
        6,
        async () => await ask(`/odata/Workgroups?$select=Name&$count=true&$filter=${filter}`),
      );
      for (const { text } of heard) expect(JSON.parse(text)['@odata.count']).toBe(round + 1);
    }
  });

  it('slows down guessing, wherever the guesses arrive', async () => {
    const body = new URLSearchParams({
      grant_type: 'password',
      username: 'guessed',
      password: 'wrong',
    });
    const guess = async () =>
      await ask('/token', {
        method: 'POST',
        body: String(body),
        type: 'application/x-www-form-urlencoded',
      });
    const statuses: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 8; attempt++) statuses.push((await guess()).status);
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
    expect(statuses.slice(5)).toContain(429);
  });

  it('tries no more guesses that come at once than may fail, and all right log-ins', async () => {
    const logIns = async (count: number, username: string, password: string) => {
      const fields = { grant_type: 'password', username, password };
      const body = String(new URLSearchParams(fields));
      const type = 'application/x-www-form-urlencoded';
      const heard = await times(
        count,
        async () => await ask('/token', { method: 'POST', body, type }),
      );
      return heard.map(({ status }) => status).sort();
    };
    const begin = performance.now();
    const wrong = await logIns(30, 'guessed at once', 'wrong');
    const waits = Math.floor((performance.now() - begin) / 1000);
    expect(new Set(wrong)).toEqual(new Set([400, 429]));
    // One more may be tried after each wait, the first of which is a second.
    expect(wrong.lastIndexOf(400)).toBeLessThan(5 + waits);
    expect(await logIns(30, 'admin', PASSWORD)).toEqual(Array<number>(30).fill(200));
  }, 30_000);

  it('ends a session everywhere a moment later', async () => {
    const other = await logIn(serving);
    const all = async () => await times(6, async () => await ask('/odata/$ping', { token: other }));
    expect(new Set((await all()).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask('/connect/endsession', { method: 'POST', token: other })).status).toBe(204);
    await until(async () => (await all()).every(({ status }) => status === 401));
  });

  it.runIf(existsSync('/proc/self/task'))('replaces a worker that is killed', async () => {
    const [victim = 0, other = 0] = workerIds();
    expect(workerIds()).toHaveLength(2);
    process.kill(victim, 'SIGKILL');
    await until(() => workerIds().length === 2 && !workerIds().includes(victim));
    expect(workerIds()).toContain(other);
    await until(async () => {
      const heard = await times(6, async () => await ask('/odata/$ping'));
      return heard.every(({ status }) => status === 200);
    });
  });

  it.runIf(existsSync('/proc/self/environ'))(
    'has what a killed worker had accepted done within seconds, and once',
    async () => {
      const BATCHES = 24;
      const PARTS = 20;
      await until(async () => (await placesAtWork()).size === 2);
      const [victim = 0] = workerIds();
      const place = placeOf(victim);
      const accepted: string[] = [];
      // On a busy machine, the workers may be faster than those who ask.
      do {
        const first = accepted.length;
        const name = (index: number) => `put off ${first + index}`;
        accepted.push(...(await times(BATCHES, (index) => later(name(index), PARTS))));
      } while (unfinished(place) === 0);
      process.kill(victim, 'SIGKILL');
      await until(async () => {
        const heard = await times(
          accepted.length,
          async (index) => await ask(accepted[index] ?? '').catch(() => undefined),
        );
        return heard.every((one) => one?.status === 200);
      });
      const filter = encodeURIComponent("startswith(Description,'put off')");
      const { text } = await ask(`/odata/ServiceRequests/$count?$filter=${filter}`);
      expect(text).toBe(String(accepted.length * PARTS));
    },
  );

  it('finishes and ends with 0 when it is told to stop', async () => {
    const ended = new Promise((resolve) => serving.child.once('exit', resolve));
    serving.child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
