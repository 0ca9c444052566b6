// This file guards connections: time limits against clients that send or read slowly, one request at a time on each connection, and a
// proper refusal for bytes that are no request. Source: RFC 9110, RFC 9112.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import { type Ready, rescued } from '../base/ready.ts';
import type { See } from '../base/seen.ts';
import { renderError } from '../response/error.ts';

/**
 * Milliseconds. Headers must come quickly. Between requests a connection stays for longer than proxies keep theirs, mostly a minute, so
 * that it is not closed while a request is on its way. How long a body may take depends on what it is: body.ts.
 */
export const TIME_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
} as const;

/** Milliseconds without any byte in or out; longer than a statement may take. */
const SILENCE_LIMIT = 75_000;
const MOST_CONNECTIONS = 10_000;
/** Bytes for headers, besides the URL. */
const HEADER_BYTES = 16_384;

/** Bytes of request line and headers together. */
export function headLimit(urlLength: number): number {
  return urlLength + HEADER_BYTES;
}

/** Limits that Node sets on the server itself. */
export function limitConnections(server: Server): void {
  server.maxConnections = MOST_CONNECTIONS;
  // A client that does not read is cut off: an orderly end would wait for it to read the rest.
  server.setTimeout(SILENCE_LIMIT, (socket) => socket.resetAndDestroy());
}

/** What is to be done on a connection when its turn has come. */
type Work = () => Ready<void>;

interface Line {
  isBusy: boolean;
  readonly waiting: Work[];
}

/**
 * One request at a time on each connection: a client that sends many requests without reading cannot pile up answers here.
 * What waits is done when all requests before it on the same connection are answered.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  take(socket: Socket, work: Work): void {
    const line = this.#lineOf(socket);
    line.waiting.push(work);
    if (!line.isBusy) this.#run(socket, line);
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = { isBusy: false, waiting: [] };
    this.#lines.set(socket, line);
    return line;
  }

  #run(socket: Socket, line: Line): void {
    line.isBusy = true;
    for (let work = line.waiting.shift(); work !== undefined; work = line.waiting.shift()) {
      const done = rescued(work, () => {
        socket.destroy();
      });
      if (done instanceof Promise) {
        void done.then(() => this.#run(socket, line));
        return;
      }
    }
    line.isBusy = false;
  }
}

/** Answers bytes that Node could not take for a request, and closes the connection. */
export function answerBadConnection(
  error: unknown,
  socket: Socket,
  urlLength: number,
  see: See,
): void {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (reason === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = faultOf(error, reason, urlLength);
  see({ kind: 'bad connection', status: fault.status, reason });
  // An answer that has begun cannot be followed by another one.
  if (isAnswering(socket)) socket.destroy();
  else socket.end(writeAnswer(fault), () => socket.destroySoon());
}

function faultOf(error: unknown, reason: string, urlLength: number): Fault {
  if (reason === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('http.timeout');
  if (reason !== 'HPE_HEADER_OVERFLOW') return new Fault('http.malformed', { reason });
  return isUrlTooLong(error, urlLength)
    ? new Fault('request.url-too-long', { limit: urlLength })
    : new Fault('http.headers-too-large', { limit: HEADER_BYTES });
}

/** Node tells only that the head is too large; the packet shows whether it was the request line already. */
function isUrlTooLong(error: unknown, urlLength: number): boolean {
  const packet = error instanceof Error && 'rawPacket' in error ? error.rawPacket : undefined;
  if (!(packet instanceof Uint8Array)) return false;
  const line = Buffer.from(packet).toString('latin1').split('\r\n', 1)[0] ?? '';
  return /^[A-Z]+ \S/.test(line) && line.length > urlLength;
}

function isAnswering(socket: Socket): boolean {
  const message = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage;
  return message?.headersSent === true;
}

function writeAnswer(fault: Fault): string {
  const { status, headers, body } = renderError(fault);
  const text = String(body ?? '');
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(text) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}\r\n${lines.join('')}\r\n${text}`;
}

const REASONS: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
};
