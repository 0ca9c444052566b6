// This file reads single records while four clients scan a table without end: scans run in threads of their own, so that a read waits for
// none of them. It runs the compiled service, since there are no such threads in sources, and alone, after the other tests.
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const READS = 300;
const SCANNERS = 4;
let scans = 0;

/** Every row is looked at, several times over, and none is found. Each is another one: an answer that was given is not given again. */
function nextScan(): string {
  const words = Array.from({ length: 12 }, (_, index) => `zz${scans}${index}`);
  scans++;
  const condition = words.map((word) => `endswith(tolower(concat(Description,'x')),'${word}')`);
  return `/odata/ServiceRequests/$count?$filter=${encodeURIComponent(condition.join(' or '))}`;
}

let killable: Killable;
let serving: Serving;
let token = '';
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  killable = makeKillable(10_000);
  serving = await killable.serve();
  token = await logIn(serving);
}, 120_000);
afterAll(async () => {
  agent.destroy();
  await kill(serving);
  killable.close();
});

interface Heard {
  readonly status: number | undefined;
  readonly text: string;
}

function ask(path: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(`${serving.origin}${path}`, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

it('single reads do not wait for scans', { timeout: 120_000 }, async () => {
  const { text } = await ask('/odata/ServiceRequests?$top=1&$select=Uid');
  const { Uid } = JSON.parse(text).value[0];
  const single = `/odata/ServiceRequests(${Uid})`;
  const state = { isOver: false };
  const scanned: Heard[] = [];
  const scanning = Array.from({ length: SCANNERS }, async () => {
    while (!state.isOver) scanned.push(await ask(nextScan()));
  });
  const beside: Heard[] = [];
  while (beside.length < READS) beside.push(await ask(single));
  const meanwhile = scanned.length;
  state.isOver = true;
  await Promise.all(scanning);

  const statuses = [...scanned, ...beside].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  // On the thread that reads, every one of them would wait for the rest of a scan, and for those that wait before it.
  expect(meanwhile).toBeLessThan(READS / 2);
});
