// This file lets 200 clients scan a table at the same time, more than the threads can serve: the service returns 503 to scans that wait too
// long, closes no connection, and answers single reads beside them. It runs the compiled service, since there are no threads in sources.
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const CLIENTS = 200;
/** Scans of each client. */
const SCANS = 4;
const WAIT_SECONDS = 0.5;

let killable: Killable;
let serving: Serving;
let token = '';
beforeAll(async () => {
  vi.stubEnv('DOCKET_LIMITS_SCAN_WAIT_SECONDS', String(WAIT_SECONDS));
  killable = makeKillable(10_000);
  serving = await killable.serve();
  token = await logIn(serving);
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await kill(serving);
  killable.close();
});

interface Heard {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly milliseconds: number;
}

/** Rejects if the connection is refused or reset. */
function ask(agent: Agent, path: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const began = performance.now();
    const sent = request(`${serving.origin}${path}`, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('error', reject);
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          retryAfter: answer.headers['retry-after'],
          text: Buffer.concat(chunks).toString(),
          milliseconds: performance.now() - began,
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

let scans = 0;

/** Searches for fragments of two letters, which no text index serves. Each scan is another one, so that none is cached. */
function nextScan(): string {
  const conditions = [...'qwxyzjkv'].map((letter) => `contains(Description,'${letter}#')`);
  scans++;
  const filter = encodeURIComponent(`Uid ne ${scans} and (${conditions.join(' or ')})`);
  return `/odata/ServiceRequests/$count?$filter=${filter}`;
}

function median(heard: readonly Heard[]): number {
  const sorted = heard.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

async function scanRepeatedly(): Promise<readonly Heard[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const heard: Heard[] = [];
  for (let count = 0; count < SCANS; count++) heard.push(await ask(agent, nextScan()));
  agent.destroy();
  return heard;
}

describe('200 clients that scan', { timeout: 120_000 }, () => {
  const scanned: Heard[] = [];
  const read: Heard[] = [];
  beforeAll(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { text } = await ask(agent, '/odata/ServiceRequests?$top=1&$select=Uid');
    const single = `/odata/ServiceRequests(${JSON.parse(text).value[0].Uid})`;
    const state = { isOver: false };
    const scanning = Promise.all(Array.from({ length: CLIENTS }, scanRepeatedly)).finally(() => {
      state.isOver = true;
    });
    while (!state.isOver) read.push(await ask(agent, single));
    agent.destroy();
    scanned.push(...(await scanning).flat());
  }, 120_000);

  it('get 503 with Retry-After or the result, and no connection is reset', () => {
    expect(scanned).toHaveLength(CLIENTS * SCANS);
    expect(new Set(scanned.map(({ status }) => status))).toEqual(new Set([200, 503]));
    for (const { status, retryAfter, text } of scanned.filter((one) => one.status === 503)) {
      expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' });
      expect(JSON.parse(text).error).toMatchObject({
        code: 'store.queue-time',
        message: expect.stringMatching(/0\.5 seconds.*\(limits\.scanWaitSeconds\)/),
      });
    }
  });

  it('do not wait much longer than the limit', () => {
    expect(median(scanned)).toBeLessThan(4 * WAIT_SECONDS * 1000);
  });

  it('do not delay single reads', () => {
    expect(new Set(read.map(({ status }) => status))).toEqual(new Set([200]));
    expect(median(read)).toBeLessThan(median(scanned) / 2);
  });
});
