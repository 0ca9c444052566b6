// This file speaks to a listening server byte by byte: what is no proper request, what comes too slowly, too much of it, or is never
// read, must cost nobody else anything.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { oddDefinition } from '../odd-model.ts';
import { startService, type TestService } from '../world.ts';

const KEEPERS = Array.from({ length: 250 }, (_, index) => ({
  set: 'Keepers',
  uid: index + 1,
  values: { Name: `Keeper ${index} `.padEnd(60, 'x'), Country: 'NL', Badge: index },
}));

let zoo: TestService;
let listening: Listening;
let closed = false;
beforeAll(async () => {
  zoo = await startService({ model: oddDefinition, records: KEEPERS });
  listening = await listen(
    zoo.app,
    { host: '127.0.0.1', port: 0 },
    () => undefined,
    async () => {
      closed = true;
    },
  );
});
afterAll(async () => {
  await listening.stop();
  await zoo.close();
});

/** A connection, all that came over it, and a promise of its end. */
interface Line {
  readonly socket: Socket;
  readonly received: () => string;
  readonly ended: Promise<string>;
}

function dial(port = listening.port): Line {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received())));
  return { socket, received, ended };
}

/** What comes back for these bytes, when the server closes the connection. */
async function say(...pieces: readonly string[]): Promise<string> {
  const line = dial();
  for (const piece of pieces) line.socket.write(piece);
  return await line.ended;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

const head = (url: string, more = '') =>
  `GET ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${zoo.client.token}\r\n${more}\r\n`;

const CLOSE = 'Connection: close\r\n';

describe('a connection whose application is replaced', () => {
  const silent = () => undefined;
  const nothing = async () => undefined;

  it('stays open, with 503 until the other application takes over, and ends with that', async () => {
    const services = [
      await startService({ model: oddDefinition }),
      await startService({ model: oddDefinition, records: KEEPERS }),
    ] as const;
    const [former, next] = services;
    const where = { host: '127.0.0.1', port: 0 };
    const first = await listen(former.app, where, silent, nothing);
    const { socket, received, ended } = dial(first.port);
    const answers = async (request: string, count: number) => {
      socket.write(request);
      await until(() => statuses(received()).length === count);
      return statuses(received());
    };
    const read = head('/odata/Keepers(1)');
    const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(await answers(read, 1)).toEqual([404]);
    await first.standBy();
    expect(await answers(read, 2)).toEqual([404, 503]);
    const replaced = { app: former.app, port: first.port };
    const second = await listen(next.app, { ...where, previous: replaced }, silent, nothing);
    expect(second.port).toBe(first.port);
    expect(await answers(read, 3)).toEqual([404, 503, 200]);
    expect(await answers(health, 4)).toEqual([404, 503, 200, 200]);
    expect(await answers('NONSENSE\r\n\r\n', 5)).toEqual([404, 503, 200, 200, 400]);
    await ended;
    const idle = dial(second.port);
    await until(() => idle.socket.readyState === 'open');
    await second.stop();
    expect(await idle.ended).toBe('');
    expect(await dial(first.port).ended).toBe('');
    for (const service of services) await service.close();
  });
});

describe('requests that follow one another on a connection', () => {
  const bare = (header: string) => `GET /odata/Keepers(1) HTTP/1.1\r\n${header}\r\n`;
  const own = () => `Host: a\r\nAuthorization: Bearer ${zoo.client.token}\r\n`;
  const contexts = (text: string) =>
    [...text.matchAll(/"@(?:odata\.)?context":"([^$]*)/g)].map(([, root]) => root);

  it('are answered each by its own headers, however like the one before they are', async () => {
    const answers = await say(
      bare(own()),
      bare(own()),
      bare('Host: a\r\n'),
      bare(own()),
      bare(own().replace('Bearer ', 'Bearer x')),
      bare(own().replace('Host: a', 'Host: b')),
      bare(`${own()}OData-MaxVersion: 4.0\r\n`),
      bare(`${own()}If-None-Match: *\r\n`),
      bare(`${own()}X-Long: ${'x'.repeat(9000)}\r\n`),
      bare(`Host: a\r\nX-Long: ${'x'.repeat(9000)}\r\n`),
      bare(`${own()}${CLOSE}`),
    );
    expect(statuses(answers)).toEqual([200, 200, 401, 200, 401, 200, 200, 304, 200, 401, 200]);
    expect(contexts(answers)).toEqual(
      ['a', 'a', 'a', 'b', 'a', 'a', 'a'].map((host) => `http://${host}/odata/`),
    );
    const ids = [...answers.matchAll(/X-Request-ID: (\S+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(11);
  });

  it("of many connections at once do not take each other's", async () => {
    const lines = await Promise.all(
      ['a', 'b', 'c', 'd'].map((host) => {
        const one = bare(own().replace('Host: a', `Host: ${host}`));
        return say(one, one, one, bare(own().replace('Host: a', `Host: ${host}`) + CLOSE));
      }),
    );
    const expected = ['a', 'b', 'c', 'd'].map((host) => Array(4).fill(`http://${host}/odata/`));
    expect(lines.map(contexts)).toEqual(expected);
  });
});

describe('what is no proper request', () => {
  it.each([
    [
      'two Host lines',
      'GET /odata/ HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['no Host', 'GET /odata/ HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an empty Host', 'GET /odata/ HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    [
      'two lengths',
      'POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    [
      'headers that are too large',
      `GET /odata/ HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`,
      431,
    ],
    [
      'a URL that is far too long',
      `GET /odata/?${'x'.repeat(60_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      414,
    ],
  ])('%s is refused and the connection closed', async (_, bytes, status) => {
    expect(statuses(await say(bytes))).toEqual([status]);
  });

  it('the refusal has the form of other errors', async () => {
    const text = await say(`GET /odata/ HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`);
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ error: { code: 'http.headers-too-large' } });
    expect(text).toMatch(/OData-Version: 4\.0/i);
  });

  it('the absolute form of a URL is understood', async () => {
    const text = await say(head('http://a/odata/Keepers(1)?$select=Id', CLOSE));
    expect(statuses(text)).toEqual([200]);
  });

  it('the other connections go on', async () => {
    expect((await zoo.client.get('/odata/Keepers(1)')).status).toBe(200);
  });
});

describe('bodies', () => {
  const post = (more: string) =>
    `POST /odata/Keepers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${zoo.client.token}\r\nContent-Type: application/json\r\n${more}\r\n`;
  const limit = () => zoo.service.limits.bodyBytes;

  it('one that announces too much is 413 before it is sent', async () => {
    const line = dial();
    line.socket.write(post(`Content-Length: ${limit() + 1}\r\n`));
    await until(() => line.received().includes('request.body-too-large'));
    expect(statuses(line.received())).toEqual([413]);
    expect(await line.ended).toMatch(/Connection: close/i);
  });

  it('one that is sent nevertheless does not lose its sender the answer', async () => {
    const line = dial();
    line.socket.write(post(`Content-Length: ${limit() + 1}\r\n`));
    const piece = Buffer.alloc(1_000_000);
    for (let sent = 0; sent < 20; sent++) line.socket.write(piece);
    expect(statuses(await line.ended)).toEqual([413]);
  });

  it('one in chunks is 413 as soon as it is too much', async () => {
    const line = dial();
    line.socket.write(post('Transfer-Encoding: chunked\r\n'));
    const size = 1_000_000;
    const chunk = Buffer.from(`${size.toString(16)}\r\n${' '.repeat(size)}\r\n`);
    for (let sent = 0; sent <= limit(); sent += size) line.socket.write(chunk);
    expect(statuses(await line.ended)).toEqual([413]);
  });

  it('one of a stranger is not taken in', async () => {
    const line = dial();
    line.socket.write(
      'POST /odata/Keepers HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n',
    );
    await until(() => line.received().includes('auth.token-missing'));
    expect(statuses(await line.ended)).toEqual([401]);
  });

  it('one that breaks off leaves nothing behind', async () => {
    const line = dial();
    line.socket.write(`${post('Content-Length: 100\r\n')}{"Name":`);
    await until(() => zoo.app.pending() === 1);
    line.socket.destroy();
    await until(() => zoo.app.pending() === 0);
    const { json } = await zoo.client.get('/odata/Keepers/$count');
    expect(json).toBe(KEEPERS.length);
  });
});

describe('many requests on one connection', () => {
  it('are answered in their order, none mixed with another', async () => {
    const urls = Array.from(
      { length: 30 },
      (_, index) => `/odata/Keepers(${index + 1})/Badge/$value`,
    );
    const text = await say(urls.map((url) => head(url)).join(''), head('/odata/$ping', CLOSE));
    expect(statuses(text)).toEqual(Array.from({ length: 31 }, () => 200));
    const bodies = [...text.matchAll(/\r\n\r\n(\d+)(?=HTTP)/g)].map((match) => Number(match[1]));
    expect(bodies).toEqual(urls.map((_, index) => index));
  });

  it('are answered before malformed bytes that follow them', async () => {
    const body = JSON.stringify({ Name: 'Followed', Country: 'NL', Badge: 4711 });
    const type = 'Content-Type: application/json\r\n';
    const post = head('/odata/Keepers', `${type}Content-Length: ${body.length}\r\n`);
    const bad = 'defGET / HTTP/1.1\r\n\r\n';
    const answer = await say(`${post.replace('GET', 'POST')}${body}${bad}`);
    expect(statuses(answer)).toEqual([201, 400]);
    const pings = head('/odata/$ping').repeat(3);
    expect(statuses(await say(`${pings}${bad}`, bad))).toEqual([200, 200, 200, 400]);
  });

  it('of a client that does not read cost little memory', async () => {
    const before = process.memoryUsage().rss;
    const lines = Array.from({ length: 30 }, dial);
    for (const { socket } of lines) {
      socket.pause();
      socket.write(head('/odata/Keepers?$top=250').repeat(60));
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const used = process.memoryUsage().rss - before;
    for (const { socket } of lines) socket.destroy();
    await until(() => zoo.app.pending() === 0);
    // All answers together have some 90 MB; a page that waits for its reader has 50 kB.
    expect(used).toBeLessThan(60_000_000);
  });
});

describe('slow clients', () => {
  it('headers that do not come in time are given up with 408', async () => {
    const { server } = zoo.app.server;
    const normal = server.headersTimeout;
    server.headersTimeout = 200;
    const line = dial();
    line.socket.write('GET /odata/ HTTP/1.1\r\nHost: a\r\n');
    const text = await line.ended;
    server.headersTimeout = normal;
    expect(statuses(text)).toEqual([408]);
    expect(text).toContain('http.timeout');
  });

  it('a client that stops reading is cut off', async () => {
    const { server } = zoo.app.server;
    const normal = server.timeout;
    server.timeout = 200;
    const line = dial();
    line.socket.pause();
    line.socket.write(head('/odata/Keepers?$top=250').repeat(400));
    await until(() => zoo.app.pending() === 1);
    await until(() => zoo.app.pending() === 0);
    server.timeout = normal;
    line.socket.destroy();
    expect((await zoo.client.get('/odata/$ping')).status).toBe(200);
  });
});

describe('stopping', () => {
  it('what is under way is finished, what comes later is refused, then everything is closed', async () => {
    const busy = dial();
    const body = '{"Name":"Last"}';
    busy.socket.write(
      `POST /odata/Keepers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${zoo.client.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await until(() => zoo.app.pending() === 1);
    const stopped = listening.stop();
    const late = await say(head('/odata/Keepers(1)'));
    expect(statuses(late)).toEqual([503]);
    expect(late).toMatch(/Retry-After: \d+/i);
    expect(late).toMatch(/Connection: close/i);
    const alive = await say('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(statuses(alive)).toEqual([200]);
    expect(closed).toBe(false);
    busy.socket.write(body);
    await stopped;
    expect(statuses(await busy.ended)).toEqual([201]);
    expect(closed).toBe(true);
  });
});
