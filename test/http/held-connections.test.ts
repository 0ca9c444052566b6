// This file tries to hold connections for ever: with bodies that nobody wants, answers that are not read, handshakes that do not end, and
// silence. A connection that is not ended makes a test time out; no test measures time.
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wireService } from '../../src/cli/wire.ts';
import { type App, createApp } from '../../src/http/app.ts';
import type { AppSettings } from '../../src/http/app-settings.ts';
import { CONNECTION_LIMITS } from '../../src/http/connection-limits.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { REQUEST } from '../journeys/records.ts';

const FOREVER = 600_000;
/** Nothing but the limit that a test is about can end a connection before the test gives up. */
const LIMITS = {
  ...CONNECTION_LIMITS,
  headers: FOREVER,
  silence: FOREVER,
  keepAlive: FOREVER,
  linger: 200,
};
const TIMES = { limit: 400, pace: 10_000 };

interface Serving {
  readonly app: App;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

let desk: Desk;
let serving: Serving;
let idle: Serving;
let secure: Serving;
let token: string;
beforeAll(async () => {
  desk = await openDesk();
  serving = await serve({});
  const connectionLimits = { ...LIMITS, headers: 300, keepAlive: 300 };
  idle = await serve({ connectionLimits });
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'held' }], {
    keySize: 2048,
  });
  const limits = { ...connectionLimits, silence: 1500 };
  secure = await serve({ pair: { certificate: cert, key }, connectionLimits: limits });
  const form = { grant_type: 'password', username: 'admin', password: PASSWORD };
  const answer = await fetch(`http://127.0.0.1:${serving.port}/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  token = ((await answer.json()) as { readonly access_token: string }).access_token;
}, 60_000);
afterAll(async () => {
  await serving.stop();
  await idle.stop();
  await secure.stop();
  await desk.close();
});

async function serve(settings: Partial<AppSettings>): Promise<Serving> {
  const { service, grants } = await wireService(desk.installation);
  const app = createApp({
    service,
    grants,
    proxies: { trusted: new Set() },
    corsOrigins: new Set(['https://app.example']),
    bodyTimes: TIMES,
    connectionLimits: LIMITS,
    ...settings,
  });
  const close = async () => await service.sessions.close();
  const where = { host: '127.0.0.1', port: 0 };
  const listening: Listening = await listen(app, where, () => undefined, close);
  return { app, port: listening.port, stop: listening.stop };
}

/** A connection with all that came over it, and a promise of its end. */
interface Line {
  readonly socket: Socket;
  readonly received: () => string;
  readonly ended: Promise<string>;
}

function follow(socket: Socket): Line {
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received())));
  return { socket, received, ended };
}

const dial = (options: Partial<NetConnectOpts> = {}) =>
  follow(connect({ host: '127.0.0.1', port: serving.port, ...options }));

/** Sends the piece again and again, for as long as the connection is there. */
function trickle({ socket }: Line, piece: string): void {
  const clock = setInterval(() => socket.write(piece), 20);
  socket.once('close', () => clearInterval(clock));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

const head = (line: string, ...headers: readonly string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`;

const own = () => `Authorization: Bearer ${token}`;
const CLOSE = 'Connection: close';
const JSON_BODY = 'Content-Type: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const FILES = `/odata/ServiceRequests(${REQUEST})/Attachments`;
const SHORT = 'Content-Length: 5000';
const LONG = 'Content-Length: 500000';
const CHUNKED = 'Transfer-Encoding: chunked';

describe('A body that comes byte by byte', () => {
  it.each<readonly [string, number, string, () => readonly string[]]>([
    ['of a log-in', 408, 'POST /token', () => [FORM, SHORT]],
    ['of a log-in in chunks', 408, 'POST /token', () => [FORM, CHUNKED]],
    ['of a log-in that is too long', 413, 'POST /token', () => [FORM, LONG]],
    ['of a log-in by another method', 405, 'PUT /token', () => [FORM, SHORT]],
    ['of a stranger', 401, 'POST /odata/Workorders', () => [JSON_BODY, SHORT]],
    ['of a stranger, and is long', 401, 'POST /odata/Workorders', () => [JSON_BODY, LONG]],
    ['of a stranger, in chunks', 401, 'POST /odata/Workorders', () => [JSON_BODY, CHUNKED]],
    ['of a file from a stranger', 401, `POST ${FILES}`, () => ['Content-Type: text/plain', SHORT]],
    ['of a batch from a stranger', 401, 'POST /odata/$batch', () => [JSON_BODY, SHORT]],
    ['of a record', 408, 'POST /odata/Workorders', () => [own(), JSON_BODY, SHORT]],
    ['of a batch', 408, 'POST /odata/$batch', () => [own(), JSON_BODY, SHORT]],
    ['of a query', 408, 'POST /odata/Persons/$query', () => [own(), SHORT]],
    [
      'of a file',
      408,
      `POST ${FILES}`,
      () => [own(), 'Content-Type: text/plain', 'Slug: x', SHORT],
    ],
    [
      'of a form',
      408,
      `POST ${FILES}`,
      () => [own(), 'Content-Type: multipart/form-data; boundary=b', SHORT],
    ],
    [
      'of a file that is too large',
      413,
      `POST ${FILES}`,
      () => [own(), 'Content-Type: text/plain', 'Slug: x', 'Content-Length: 99999999999'],
    ],
    [
      'in a coding that is not known',
      415,
      'POST /odata/Workorders',
      () => [own(), JSON_BODY, 'Content-Encoding: br', SHORT],
    ],
    [
      'that is too large',
      413,
      'POST /odata/Workorders',
      () => [own(), JSON_BODY, 'Content-Length: 99999999999'],
    ],
    ['of a read', 408, 'GET /odata/Persons', () => [own(), SHORT]],
    ['of a log-out', 401, 'POST /connect/endsession', () => [SHORT]],
    ['for an address that is not there', 404, 'POST /nothing', () => [SHORT]],
    ['for the state of the process', 200, 'GET /healthz', () => [SHORT]],
    ['for the head of that', 200, 'HEAD /healthz', () => [CHUNKED]],
    [
      'of a browser that asks first',
      204,
      'OPTIONS /odata/Persons',
      () => ['Origin: https://app.example', 'Access-Control-Request-Method: GET', SHORT],
    ],
    ['for the description of the service', 401, 'POST /openapi.json', () => [LONG]],
  ])('%s is answered with %i, and the connection ends', async (_, status, line, headers) => {
    const slow = dial();
    slow.socket.write(head(line, ...headers()));
    const isChunked = headers().includes(CHUNKED);
    trickle(slow, isChunked ? '1\r\nx\r\n' : 'x');
    expect(statuses(await slow.ended)).toEqual([status]);
  });

  it('and then not at all: the connection ends the same', async () => {
    const silent = dial();
    silent.socket.write(`${head('POST /odata/Workorders', JSON_BODY, SHORT)}{`);
    expect(statuses(await silent.ended)).toEqual([401]);
  });

  it('behind a download ends the connection when the download is complete', async () => {
    const size = 3_000_000;
    const posted = await fetch(`http://127.0.0.1:${serving.port}${FILES}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain', slug: 'd.txt' },
      body: 'd'.repeat(size),
    });
    const { Uid: uid } = (await posted.json()) as { readonly Uid: number };
    const line = dial();
    line.socket.write(
      `${head(`GET ${FILES}(${uid})/$value`, own())}${head('POST /healthz', SHORT)}`,
    );
    trickle(line, 'x');
    const text = await line.ended;
    expect(statuses(text)).toEqual([200, 200]);
    expect(text.length).toBeGreaterThan(size);
  });
});

describe('A rejected body that comes in time', () => {
  it('leaves the connection to the next request', async () => {
    const patient = await serve({ bodyTimes: { ...TIMES, limit: FOREVER } });
    const line = dial({ port: patient.port } as NetConnectOpts);
    const body = 'x'.repeat(5000);
    line.socket.write(`${head('POST /odata/Workorders', JSON_BODY, SHORT)}${body.slice(1)}`);
    await until(() => statuses(line.received()).length === 1);
    line.socket.write(`x${head('GET /healthz', CLOSE)}`);
    expect(statuses(await line.ended)).toEqual([401, 200]);
    await patient.stop();
  });
});

/** More than the system takes for a client that does not read. */
const MUCH = () => head('GET /odata/ServiceRequests?$top=250', own()).repeat(400);

describe('A client that does not read its answers', () => {
  /** Without Node's own limit, which starts anew for such a client once. */
  async function served(settings: Partial<AppSettings>, reading: number): Promise<void> {
    const { app, port, stop } = await serve(settings);
    app.server.server.timeout = 0;
    const deaf = connect({ host: '127.0.0.1', port });
    deaf.on('error', () => undefined).pause();
    deaf.write(MUCH());
    const clock = setInterval(() => deaf.read(reading), 20);
    await until(() => app.pending() === 1);
    await until(() => app.pending() === 0);
    clearInterval(clock);
    deaf.destroy();
    await stop();
  }

  it('loses its connection when the time for silence is over', async () => {
    const bodyTimes = { limit: FOREVER, pace: 1 };
    await served({ bodyTimes, connectionLimits: { ...LIMITS, silence: 400 } }, 0);
  });

  it('loses it where it reads a little now and then', async () => {
    await served({}, 100);
  });

  it('loses it over TLS too, and the service goes on', async () => {
    const deaf = connectSecurely({
      host: '127.0.0.1',
      port: secure.port,
      rejectUnauthorized: false,
    });
    deaf.on('error', () => undefined).pause();
    deaf.write(MUCH());
    await until(() => secure.app.pending() === 1);
    await until(() => secure.app.pending() === 0);
    deaf.destroy();
  });
});

describe('A client that reads slowly but steadily', () => {
  it('gets everything', async () => {
    const limits = { ...LIMITS, silence: 10_000, keepAlive: 10 };
    const patient = await serve({
      bodyTimes: { limit: 10_000, pace: 1000 },
      connectionLimits: limits,
    });
    const line = follow(connect({ host: '127.0.0.1', port: patient.port }));
    line.socket.write(MUCH() + head('GET /healthz', CLOSE));
    const clock = setInterval(() => {
      line.socket.pause();
      setTimeout(() => line.socket.resume(), 20);
    }, 30);
    const text = await line.ended;
    clearInterval(clock);
    expect(statuses(text)).toEqual(Array.from({ length: 401 }, () => 200));
    await patient.stop();
  });
});

describe('A request that the service works on', () => {
  it('keeps its connection for longer than the time for silence', async () => {
    const { service } = await wireService(desk.installation);
    const { database } = service;
    const slow = async () => await new Promise((resolve) => setTimeout(resolve, 1000));
    const read = async (...given: Parameters<typeof database.read>) => {
      await slow();
      return await database.read(...given);
    };
    const connectionLimits = { ...LIMITS, silence: 200 };
    const working = await serve({
      connectionLimits,
      service: { ...service, database: { ...database, read } },
    });
    const line = follow(connect({ host: '127.0.0.1', port: working.port }));
    line.socket.write(head(`GET /odata/ServiceRequests(${REQUEST})?$select=Uid`, own(), CLOSE));
    expect(statuses(await line.ended)).toEqual([200]);
    await service.sessions.close();
    await working.stop();
  });
});

describe('A connection without a request', () => {
  it.each([
    ['that is silent', ''],
    ['that sends half a line', 'GET /hea'],
    ['that sends empty lines', '\r\n\r\n'],
  ])('%s ends', async (_, bytes) => {
    const line = dial({ port: idle.port });
    line.socket.write(bytes);
    expect(statuses(await line.ended)).toEqual([408]);
  });

  it.each([
    ['that is silent after an answer', ''],
    ['that sends empty lines after an answer', '\r\n'],
  ])('%s ends', async (_, bytes) => {
    const line = dial({ port: idle.port });
    line.socket.write(head('GET /healthz'));
    trickle(line, bytes);
    expect(statuses(await line.ended)).toEqual([200]);
  });

  it.each([
    ['sends headers one after the other', 'X-More: x\r\n'],
    ['sends a header without end', 'x'],
  ])('of a client that %s ends', async (_, bytes) => {
    const line = dial({ port: idle.port });
    line.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX: ');
    trickle(line, bytes);
    expect(statuses(await line.ended)).toEqual([408]);
  });

  it.each([
    ['that is silent', ''],
    ['that begins a handshake', '\x16\x03\x01\x02\x00\x01'],
    ['that speaks no TLS', head('GET /healthz')],
  ])('over TLS %s ends', async (_, bytes) => {
    const line = dial({ port: secure.port });
    line.socket.write(bytes, 'latin1');
    expect(statuses(await line.ended)).toEqual([]);
  });

  it('over TLS that is silent after an answer ends, and the service goes on', async () => {
    const line = follow(
      connectSecurely({ host: '127.0.0.1', port: secure.port, rejectUnauthorized: false }),
    );
    line.socket.write(head('GET /healthz'));
    expect(statuses(await line.ended)).toEqual([200]);
  });
});

describe('A client that closes its side and keeps the other one open', () => {
  it.each([
    ['after a request', () => head('GET /healthz')],
    ['in the middle of headers', () => 'GET /healthz HTTP/1.1\r\nHost'],
    [
      'in the middle of a body',
      () => `${head('POST /odata/Workorders', own(), JSON_BODY, SHORT)}{`,
    ],
    ['in the middle of a body that is rejected', () => `${head('POST /odata/Workorders', SHORT)}{`],
    ['in the middle of a log-in', () => `${head('POST /token', FORM, SHORT)}grant`],
    ['before it has read anything', MUCH],
  ])('%s loses the connection', async (_, bytes) => {
    const { app, port, stop } = await serve({});
    let [opened, closed] = [0, 0];
    app.server.server.on('connection', (socket: Socket) => {
      opened++;
      socket.once('close', () => closed++);
    });
    const line = dial({ port, allowHalfOpen: true });
    line.socket.end(bytes());
    await until(() => opened === 1 && closed === 1 && app.pending() === 0);
    line.socket.destroy();
    await stop();
  });
});
