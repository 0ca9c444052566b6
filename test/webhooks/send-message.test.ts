// This file sends messages to receivers that answer in unusual ways: at length, partly, late, or by closing connections.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressList } from '../../src/http/address-ranges.ts';
import { openReceiver, type Receiver } from '../../src/webhooks/send-message.ts';

interface Arrived {
  readonly url: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

let answer: (response: ServerResponse, request: IncomingMessage) => void;
const arrived: Arrived[] = [];
let connections = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { url, rawHeaders } = request;
    arrived.push({ url, rawHeaders, text: Buffer.concat(chunks).toString('utf8') });
    answer(response, request);
  });
}).on('connection', () => void connections++);

const rules = { allowed: addressList(['127.0.0.1']) };

/** A receiver in a thread of its own, which closes its first connection soon after the first answer. */
async function closingReceiver(): Promise<{ readonly worker: Worker; readonly url: URL }> {
  const program = `const { parentPort } = require('node:worker_threads');
    let answered = 0;
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(204).end();
      if (++answered === 1) setTimeout(() => request.socket.destroy(), 50);
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(program, { eval: true });
  const [port] = await once(worker, 'message');
  return { worker, url: new URL(`http://127.0.0.1:${port}/`) };
}

const opened: Receiver[] = [];
/** @param timeout milliseconds */
function receiver(path = '/', timeout = 5000): Receiver {
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}${path}`);
  const one = openReceiver(url, { rules, connections: 1, timeout });
  opened.push(one);
  return one;
}
const message = {
  method: 'POST',
  headers: { 'webhook-id': '1-2' },
  body: '{"Name":"Zoë"}',
} as const;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
  arrived.length = 0;
  connections = 0;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('A message', () => {
  it('has the path and the query of the URL, its headers, and the length in bytes', async () => {
    answer = (response) => void response.writeHead(204).end();
    const reply = await receiver('/hook/1?key=a%20b').send(message);
    expect(reply).toEqual({ kind: 'response', status: 204, text: '', retryAfter: undefined });
    const [{ url, rawHeaders = [], text } = {}] = arrived;
    expect([url, text]).toEqual(['/hook/1?key=a%20b', message.body]);
    const { port } = server.address() as AddressInfo;
    const headers = Object.fromEntries(
      rawHeaders.flatMap((field, at) =>
        at % 2 === 0 ? [[field.toLowerCase(), rawHeaders[at + 1]]] : [],
      ),
    );
    expect(headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      'webhook-id': '1-2',
      'content-length': '15',
    });
  });

  it('uses the connection of the previous one', async () => {
    answer = (response) => void response.writeHead(200).end('thanks');
    const one = receiver();
    for (let count = 0; count < 3; count++) await one.send(message);
    expect([arrived.length, connections]).toEqual([3, 1]);
  });

  it('is sent by another connection if the receiver has closed that of the previous one', async () => {
    answer = (response) => void response.writeHead(204).end();
    const one = receiver();
    await one.send(message);
    answer = (response, request) => {
      if (arrived.length === 2) request.socket.resetAndDestroy();
      else response.writeHead(202).end();
    };
    expect(await one.send(message)).toMatchObject({ kind: 'response', status: 202 });
    expect([arrived.length, connections]).toEqual([3, 2]);
  });

  it('is sent by another connection if the receiver closes that of the previous one while it is sent', async () => {
    const { worker, url } = await closingReceiver();
    const one = openReceiver(url, { rules, connections: 1, timeout: 5000 });
    opened.push(one);
    expect(await one.send(message)).toMatchObject({ kind: 'response', status: 204 });
    // This thread does not notice that the connection has ended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    const long = { ...message, body: 'x'.repeat(3_000_000) };
    expect(await one.send(long)).toMatchObject({ kind: 'response', status: 204 });
    await worker.terminate();
  });
});

describe('A response', () => {
  it('is read up to 2,000 characters, and its connection closed if it goes on', async () => {
    answer = (response) => {
      response.writeHead(500, { 'retry-after': '7' });
      response.write(`\0${'é'.repeat(3000)}`);
      const more = () => {
        if (response.destroyed) return;
        response.write('x'.repeat(10_000));
        setImmediate(more);
      };
      more();
    };
    const one = receiver();
    const text = 'é'.repeat(2000);
    const expected = { kind: 'response', status: 500, text, retryAfter: '7' };
    expect(await one.send(message)).toEqual(expected);
    answer = (response) => void response.writeHead(204).end();
    expect(await one.send(message)).toMatchObject({ status: 204 });
    expect(connections).toBe(2);
  });

  it('that ends early is none', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    };
    expect(await receiver().send(message)).toEqual({ kind: 'none', reason: 'aborted' });
  });

  it.each([
    ['that does not begin', false],
    ['that does not end', true],
  ])('%s is none after the time limit', async (_, begins) => {
    answer = (response) => {
      if (begins) response.writeHead(200).write('half');
    };
    const reply = await receiver('/', 200).send(message);
    expect(reply).toEqual({ kind: 'none', reason: 'no response within 0.2 seconds' });
  });
});
