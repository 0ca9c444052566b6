// This file kills a service again and again while mail servers deliver messages to it: each message that they send until it is accepted becomes
// exactly one record, with a Message-ID or without.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const ROUNDS = sampleSize(2, 6);
const PER_ROUND = 40;
const MESSAGES = ROUNDS * PER_ROUND;
const ADDRESS = 'desk@desk.example';

let service: Killable;
let folder: string;
beforeAll(() => {
  service = makeKillable();
  folder = mkdtempSync(join(tmpdir(), 'docket-mail-'));
}, 120_000);
afterAll(() => {
  service?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((bound) => server.listen(0, '127.0.0.1', bound));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function configured(port: number): string {
  const file = join(folder, 'docket.yaml');
  const listen = `{host: 127.0.0.1, port: ${port}, recipients: ["${ADDRESS}"]}`;
  writeFileSync(file, `mail: {account: admin, listen: ${listen}}\n`);
  return file;
}

const subjectOf = (index: number) => `Message ${String(index).padStart(3, '0')}`;

/** Every other message has no Message-ID. */
function messageOf(index: number): string {
  const id = index % 2 === 0 ? `Message-ID: <${index}@mail.example>\r\n` : '';
  return `From: isla@mail.example\r\nTo: ${ADDRESS}\r\nSubject: ${subjectOf(index)}\r\n${id}\r\nHello ${index}\r\n`;
}

/** Sends a message again until it is accepted, as mail servers do. Returns the number of attempts. */
async function deliver(port: number, index: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const limits = { connectionTimeout: 5000, socketTimeout: 20_000 };
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...limits });
    try {
      const envelope = { from: 'isla@mail.example', to: [ADDRESS] };
      await transport.sendMail({ envelope, raw: messageOf(index) });
      return attempt;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      await wait(50);
    } finally {
      transport.close();
    }
  }
}

async function read({ origin }: Serving, token: string, path: string) {
  const response = await fetch(`${origin}/odata/${encodeURI(path)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

it('each message becomes one record, whenever the service is killed', async () => {
  const port = await freePort();
  const flags = ['--config', configured(port)];
  let serving = await service.serve(...flags);
  const token = await logIn(serving);
  let attempts = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const killed = serving;
    let accepted = 0;
    let killing: Promise<void> | undefined;
    const messages = Array.from({ length: PER_ROUND }, (_, index) => round * PER_ROUND + index);
    const sent = messages.map(async (index) => {
      const tried = await deliver(port, index);
      attempts += tried;
      accepted += 1;
      // Immediately, so that a message that was accepted before it was stored would be lost.
      if (accepted === 10) killing = kill(killed);
    });
    await expect.poll(() => accepted, { interval: 5, timeout: 60_000 }).toBeGreaterThanOrEqual(10);
    await killing;
    serving = await service.serve(...flags);
    await Promise.all(sent);
  }
  expect(attempts).toBeGreaterThan(MESSAGES);
  const stored = "EmailServiceRequests?$filter=startswith(Subject,'Message ')&$count=true&$top=0";
  await expect
    .poll(async () => (await read(serving, token, stored))['@odata.count'], { timeout: 120_000 })
    .toBeGreaterThanOrEqual(MESSAGES);
  const subjects = new Map<string, number>();
  const { value } = await read(
    serving,
    token,
    "EmailServiceRequests?$apply=filter(startswith(Subject,'Message '))/groupby((Subject),aggregate($count as Records))&$top=500",
  );
  for (const { Subject: subject, Records } of value) subjects.set(subject, Records);
  const expected = Array.from({ length: MESSAGES }, (_, index) => [subjectOf(index), 1]);
  expect([...subjects].sort()).toEqual(expected);
  await kill(serving);
}, 240_000);
