// This file kills a service again and again while it sends webhooks to receivers that fail at random, are slow, or answer at once: nothing is
// lost, and the events about each entity arrive in order. `npm run test:all` does so with 10,000 changes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const PERSONS = sampleSize(40, 2000);
/** Changes of each person, the creation included. */
const CHANGES = 5;
const KILLS = 3;

let service: Killable;
let receiver: WebhookReceiver;
let folder: string;
beforeAll(async () => {
  service = makeKillable();
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'docket-webhooks-'));
}, 120_000);
afterAll(async () => {
  service?.close();
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The configuration of a service that does not wait long for receivers. */
function configured(): string {
  const file = join(folder, 'docket.yaml');
  writeFileSync(file, 'webhooks: {allowedRanges: [127.0.0.1], timeoutSeconds: 2}\n');
  return file;
}

async function send(
  { origin }: Serving,
  token: string,
  method: string,
  path: string,
  body?: object,
) {
  const response = await fetch(`${origin}/odata/${encodeURI(path)}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === '' ? undefined : JSON.parse(text);
}

async function subscribe(serving: Serving, token: string, path: string): Promise<void> {
  const body = {
    Url: `${receiver.url}/${path}`,
    EntitySet: 'Persons',
    Filter: "startswith(LastName,'Hook ')",
    Select: 'LastName',
  };
  const { Uid } = await send(serving, token, 'POST', 'WebhookSubscriptions', body);
  const action = `WebhookSubscriptions(${Uid})/Docket.System.RotateSecret`;
  await send(serving, token, 'POST', action, {});
}

/** The events that a receiver has accepted: for each entity the numbers of its states, in the order of arrival. */
const accepted = new Map<string, Map<string, number[]>>();

function accept(path: string, subject: string, name: string): void {
  const bySubject = accepted.get(path) ?? new Map<string, number[]>();
  accepted.set(path, bySubject);
  const numbers = bySubject.get(subject) ?? [];
  bySubject.set(subject, [...numbers, Number(name.split(' ')[2])]);
}

/** `Hook 5 2` is the second state of the fifth person. */
async function write(serving: Serving, token: string, change: number, uids: number[]) {
  for (let first = 0; first < PERSONS; first += 500) {
    const requests = Array.from({ length: Math.min(500, PERSONS - first) }, (_, index) => ({
      id: String(index),
      method: change === 1 ? 'post' : 'patch',
      url: change === 1 ? 'Persons' : `Persons(${uids[first + index]})`,
      headers: { prefer: 'return=representation' },
      atomicityGroup: 'all',
      body: { LastName: `Hook ${first + index} ${change}` },
    }));
    const { responses } = await send(serving, token, 'POST', '$batch', { requests });
    for (const { status, body } of responses) {
      expect([200, 201]).toContain(status);
      if (change === 1) uids.push(body.Uid);
    }
  }
}

it('each event arrives in order, whenever the service is killed', async () => {
  const flags = ['--config', configured()];
  let serving = await service.serve(...flags);
  const token = await logIn(serving);
  for (const path of ['fast', 'failing', 'slow']) await subscribe(serving, token, path);
  let count = 0;
  const failed = new Set<string>();
  receiver.answer = ({ path: whole, json, headers }, response) => {
    const path = whole.slice('/hook/'.length);
    const id = String(headers['webhook-id']);
    const fails = path === 'failing' && count % 9 === 0 && !failed.has(id);
    count++;
    // It fails for a message once: it rejects it, or accepts it and its answer is lost.
    if (fails) failed.add(id);
    if (fails && count % 2 === 0) return void response.writeHead(503).end();
    accept(path, json.subject, json.data.LastName);
    if (fails) return void response.destroy();
    const answer = () => void response.writeHead(204).end();
    if (path === 'slow') setTimeout(answer, 20);
    else answer();
  };
  const uids: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    // Most of the events may have arrived when the write returns.
    const before = count;
    await write(serving, token, change, uids);
    if (change > KILLS) continue;
    await expect.poll(() => count - before, { timeout: 60_000 }).toBeGreaterThan(PERSONS / 3);
    await kill(serving);
    serving = await service.serve(...flags);
  }
  const isComplete = () =>
    ['fast', 'failing', 'slow'].map(
      (path) =>
        [...(accepted.get(path) ?? new Map()).values()].filter(
          (numbers: readonly number[]) => numbers.at(-1) === CHANGES,
        ).length,
    );
  await expect
    .poll(isComplete, { timeout: 200_000, interval: 200 })
    .toEqual([PERSONS, PERSONS, PERSONS]);
  await kill(serving);
  for (const bySubject of accepted.values())
    for (const [subject, numbers] of bySubject)
      expect(numbers, subject).toEqual([...numbers].sort((left, right) => left - right));
}, 600_000);
