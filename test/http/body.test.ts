// This file sends bodies slowly, to a service with little patience.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wireService } from '../../src/cli/wire.ts';
import { createApp } from '../../src/http/app.ts';
import type { BodyTimes } from '../../src/http/body-stream.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { storedSizes } from '../journeys/files.ts';
import { REQUEST } from '../journeys/records.ts';

const LIMIT = 400;
const FILES = `/odata/ServiceRequests(${REQUEST})/Attachments`;

let desk: Desk;
let listening: Listening;
let patient: Listening;
let token: string;
beforeAll(async () => {
  desk = await openDesk();
  listening = await serve({ limit: LIMIT, pace: 10_000 });
  patient = await serve({ limit: LIMIT, pace: 1 });
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const answer = await fetch(`http://127.0.0.1:${listening.port}/token`, { method: 'POST', body });
  const told = (await answer.json()) as { readonly access_token: string };
  token = told.access_token;
});
afterAll(async () => {
  await listening.stop();
  await patient.stop();
  await desk.close();
});

async function serve(bodyTimes: BodyTimes): Promise<Listening> {
  const { service, grants } = await wireService(desk.installation);
  const app = createApp({
    service,
    grants,
    proxies: { trusted: new Set() },
    corsOrigins: new Set(),
    bodyTimes,
  });
  const close = async () => await service.sessions.close();
  return await listen(app, { host: '127.0.0.1', port: 0 }, () => undefined, close);
}

interface Slow {
  readonly path: string;
  readonly type: string;
  /** Bytes, and milliseconds before each further one of the pieces. */
  readonly bytes: Buffer;
  readonly piece: number;
  readonly every: number;
}

/** The status of the answer, and how long it took. */
async function trickle({ path, type, bytes, piece, every }: Slow, { port } = listening) {
  const start = performance.now();
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nSlug: slow\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`,
  );
  let sent = 0;
  const clock = setInterval(() => {
    socket.write(bytes.subarray(sent, sent + piece));
    sent += piece;
    if (sent >= bytes.byteLength) clearInterval(clock);
  }, every);
  await answered;
  clearInterval(clock);
  socket.destroy();
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  return { status, answer, took: performance.now() - start };
}

const records = { path: '/odata/Workorders', type: 'application/json' };
const files = { path: FILES, type: 'text/plain' };

describe('a body that comes too slowly', () => {
  it('is given up with 408 when the time is over, and nothing is made', async () => {
    const before = (await desk.get('/Workorders/$count')).text;
    const bytes = Buffer.from(JSON.stringify({ Description: 'slow'.padEnd(100) }));
    const seen = await trickle({ ...records, bytes, piece: 1, every: 20 });
    expect([seen.status, seen.answer]).toEqual([408, expect.stringContaining('http.timeout')]);
    expect(seen.took).toBeGreaterThanOrEqual(LIMIT - 20);
    expect((await desk.get('/Workorders/$count')).text).toBe(before);
  });

  it('is given up the same way where somebody wants to log in', async () => {
    const type = 'application/x-www-form-urlencoded';
    const bytes = Buffer.from('grant_type=password&username='.padEnd(200, 'x'));
    const seen = await trickle({ path: '/token', type, bytes, piece: 1, every: 20 });
    expect(seen.status).toBe(408);
  });

  it('that is a file is given up when it falls behind the pace: 408, and nothing is kept', async () => {
    const before = await storedSizes(desk);
    const bytes = Buffer.alloc(50_000, 97);
    const seen = await trickle({ ...files, bytes, piece: 1, every: 20 });
    expect([seen.status, seen.answer]).toEqual([408, expect.stringContaining('http.timeout')]);
    expect(await storedSizes(desk)).toEqual(before);
  });
});

describe('a body that takes its time', () => {
  it('is taken when it is there before the time is over', async () => {
    const bytes = Buffer.from(JSON.stringify({ Description: 'in good time' }));
    const hour = await serve({ limit: 3_600_000, pace: 10_000 });
    expect((await trickle({ ...records, bytes, piece: 20, every: 20 }, hour)).status).toBe(201);
    await hour.stop();
  });

  it('is taken as long as it comes, where it is a file', async () => {
    const bytes = Buffer.alloc(40_000, 97);
    const seen = await trickle({ ...files, bytes, piece: 1000, every: 25 }, patient);
    expect(seen.status).toBe(201);
    expect(seen.took).toBeGreaterThan(LIMIT);
  });
});
