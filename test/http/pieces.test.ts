// This file reads bodies piece by piece from a real connection: all of them, some, slowly, and those that break off.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BODY_TIMES, BodyPieces } from '../../src/http/body-stream.ts';

const BYTES = Buffer.alloc(8 * 2 ** 20, 'abcdefg');

let server: Server;
let read: (pieces: BodyPieces, request: IncomingMessage) => Promise<string>;
beforeEach(async () => {
  server = createServer((request, response) => {
    read(new BodyPieces(request, BODY_TIMES), request).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(400).end(String((error as { code: string }).code)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;
const send = async (body: Buffer) =>
  await (
    await fetch(`http://127.0.0.1:${port()}/`, { method: 'POST', body: new Uint8Array(body) })
  ).text();

describe('the pieces of a body', () => {
  it('are all of it, in order, however slowly they are asked for', async () => {
    read = async (pieces) => {
      const all: Uint8Array[] = [];
      for await (const piece of pieces) {
        all.push(piece);
        if (all.length % 7 === 0) await wait(1);
      }
      return String(Buffer.concat(all).equals(BYTES));
    };
    expect(await send(BYTES)).toBe('true');
    read = async (pieces) => String((await pieces.next()).done);
    expect(await send(Buffer.alloc(0))).toBe('true');
  });

  it('are not taken faster than they are asked for', async () => {
    read = async (pieces, request) => {
      await pieces.next();
      await wait(100);
      return String(request.socket.bytesRead < 2 ** 20);
    };
    expect(await send(BYTES)).toBe('true');
  });

  it('that nobody asks for any more do not keep the answer back', async () => {
    read = async (pieces) => {
      for await (const piece of pieces) return String(piece.byteLength > 0);
      return 'none';
    };
    expect(await send(BYTES)).toBe('true');
  });

  it('end with a fault where the client goes away', async () => {
    const seen = new Promise<unknown>((resolve) => {
      read = async (pieces) => {
        try {
          for await (const _piece of pieces);
          resolve('whole');
        } catch (error) {
          resolve(error);
        }
        return '';
      };
    });
    const socket = connect(port(), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc', () =>
      setTimeout(() => socket.destroy(), 20),
    );
    expect(await seen).toMatchObject({ code: 'file.interrupted' });
  });
});
