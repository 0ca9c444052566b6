// Requests that arrive in the same turn of the event loop: clients of this process write them before the server can read any.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ResponseTurn } from '../../src/http/response-turn.ts';

let server: Server;
afterEach(() => server.close().closeAllConnections());

/** What the server did, in order. */
let log: string[];
/** Milliseconds, as the server measures them. */
let time = 0;

type Answer = (turn: ResponseTurn, request: IncomingMessage, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<number> {
  log = [];
  const turn = new ResponseTurn(() => time);
  server = createServer((request, response) => {
    turn.open();
    answer(turn, request, response);
  });
  server.on('connection', logWrites);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Node passes one piece to `_write`, and several to `_writev`. */
function logWrites(socket: Socket): void {
  const { _write: write, _writev: writev } = socket;
  socket._write = (...args) => {
    if (args[0].length > 0) log.push('sent');
    return write.apply(socket, args);
  };
  socket._writev = (pieces, done) => {
    log.push(`sent in ${pieces.length} pieces`);
    return writev?.call(socket, pieces, done);
  };
}

/** Sends one request on each of several connections in the same turn, and returns the responses. */
async function askTogether(port: number, count: number): Promise<string[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(connect(port, '127.0.0.1'));
    await once(server, 'connection');
  }
  for (const [index, socket] of sockets.entries())
    socket.write(`GET /${index} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return await Promise.all(sockets.map(readAll));
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}

function respond(turn: ResponseTurn, response: ServerResponse, body: string | undefined): void {
  response.writeHead(200, ['Content-Length', String(body?.length ?? 0)]);
  turn.send(response, body);
}

const bodiesOf = (responses: readonly string[]) =>
  responses.map((response) => response.slice(response.indexOf('\r\n\r\n') + 4));

it('sends the responses when all requests of the turn are answered, each in one piece', async () => {
  const port = await serve((turn, request, response) => {
    log.push('answered');
    respond(turn, response, request.url);
  });
  expect(bodiesOf(await askTogether(port, 3))).toEqual(['/0', '/1', '/2']);
  expect(log).toEqual(['answered', 'answered', 'answered', 'sent', 'sent', 'sent']);
});

it('sends responses without a body in one piece', async () => {
  const port = await serve((turn, _request, response) => respond(turn, response, undefined));
  for (const response of await askTogether(port, 2)) expect(response).toMatch(/^HTTP\/1.1 200 /);
  expect(log).toEqual(['sent', 'sent']);
});

it('lets a response wait for a millisecond only', async () => {
  const port = await serve((turn, request, response) => {
    time += 0.6;
    log.push('answered');
    respond(turn, response, request.url);
  });
  expect(bodiesOf(await askTogether(port, 3))).toEqual(['/0', '/1', '/2']);
  expect(log).toEqual(['answered', 'answered', 'sent', 'sent', 'answered', 'sent']);
});

it('does not let a response wait for many requests that are answered later', async () => {
  const port = await serve((turn, request, response) => {
    if (request.url === '/0') {
      respond(turn, response, request.url);
      return;
    }
    time += 1.1;
    log.push('begun');
    setTimeout(() => respond(turn, response, request.url), 20);
  });
  expect(bodiesOf(await askTogether(port, 3))).toEqual(['/0', '/1', '/2']);
  expect(log).toEqual(['begun', 'sent', 'begun', 'sent', 'sent']);
});

it('sends immediately what is ready after the turn', async () => {
  const port = await serve((turn, request, response) => {
    setTimeout(() => {
      log.push('answered');
      respond(turn, response, request.url);
      setImmediate(() => log.push('next turn'));
    }, 20);
  });
  expect(bodiesOf(await askTogether(port, 1))).toEqual(['/0']);
  expect(log).toEqual(['answered', 'sent', 'next turn']);
});

it('sends the other responses if a client disconnects', async () => {
  const port = await serve((turn, request, response) => {
    respond(turn, response, request.url);
    if (request.url === '/0') request.socket.destroy();
  });
  expect(bodiesOf(await askTogether(port, 3))).toEqual(['', '/1', '/2']);
});

it.each(['/body', undefined])('sends a response if its client half-closes: %s', async (body) => {
  const port = await serve((turn, request, response) => {
    respond(turn, response, body);
    // Node does so when the end arrives in the same turn, for example in one packet of TLS.
    request.socket.end();
  });
  expect(await askTogether(port, 1)).toEqual([expect.stringMatching(/^HTTP\/1.1 200 /)]);
});

it('answers requests that arrive in one packet in order', async () => {
  const port = await serve((turn, request, response) => respond(turn, response, request.url));
  const socket = connect(port, '127.0.0.1');
  const get = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`;
  socket.write(get('/0') + get('/1') + get('/2', 'Connection: close\r\n'));
  expect(await readAll(socket)).toMatch(/\r\n\r\n\/0HTTP.*\r\n\r\n\/1HTTP.*\r\n\r\n\/2$/s);
});
