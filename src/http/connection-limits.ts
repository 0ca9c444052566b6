// This file guards connections: their limits, one request at a time on each connection, and a proper refusal for bytes that are no
// request. Source: RFC 9110, RFC 9112.
import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import { type Ready, rescued } from '../base/value-or-promise.ts';
import { renderError } from '../response/error.ts';

/** Limits of connections; times in milliseconds. How long a body may take depends on what it is: BodyTimes. */
export interface ConnectionLimits {
  /** For the headers of a request, and for a TLS handshake. */
  readonly headers: number;
  /** Without any byte in or out, and without the client taking anything of its answer. Longer than a statement may take. */
  readonly silence: number;
  /** Between two requests. */
  readonly keepAlive: number;
  /** For reading an answer to a request that is still being sent. */
  readonly linger: number;
  /** Connections at a time. */
  readonly most: number;
}

/** Proxies mostly keep a connection for a minute: a shorter keepAlive would close it while a request is on its way. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headers: 15_000,
  silence: 75_000,
  keepAlive: 65_000,
  linger: 1000,
  most: 10_000,
};

/** Milliseconds between two looks of Node for headers that are late. */
const CHECKING_INTERVAL = 5000;
/** Bytes for headers, besides the URL. */
const HEADER_BYTES = 16_384;

/** Bytes of request line and headers together. */
function headLimit(urlLength: number): number {
  return urlLength + HEADER_BYTES;
}

/** The limits as options of a server, of HTTP or HTTPS. */
export function serverOptions(
  { headers, keepAlive }: ConnectionLimits,
  urlLength: number,
): ServerOptions & { readonly handshakeTimeout: number } {
  return {
    headersTimeout: headers,
    handshakeTimeout: headers,
    requestTimeout: 0,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: Math.min(CHECKING_INTERVAL, headers),
    maxHeaderSize: headLimit(urlLength),
  };
}

/** Limits that Node sets on the server itself. */
export function limitConnections(server: Server, { most, silence }: ConnectionLimits): void {
  server.maxConnections = most;
  server.setTimeout(silence, cutOff);
}

/** Ends a connection at once. Where the client has left something unread, an orderly end would wait for it to read the rest. */
export function cutOff(socket: Socket): void {
  // A connection in TLS cannot be reset.
  if (socket.writableLength === 0 || 'encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** What is to be done on a connection when its turn has come. */
type Work = () => Ready<void>;

interface Line {
  isBusy: boolean;
  /** When the last request was answered, on the clock of `performance.now()`. */
  freeSince: number;
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

  /** When the last request of the connection was answered; undefined before the first, and while there is one. */
  freeSince(socket: Socket): number | undefined {
    const line = this.#lines.get(socket);
    return line === undefined || line.isBusy ? undefined : line.freeSince;
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = { isBusy: false, freeSince: 0, waiting: [] };
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
    line.freeSince = performance.now();
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
  // Where no connection has come about (a TLS handshake that fails or does not end), an answer would wait for it without end.
  if (!/^(?:HPE|ERR_HTTP)_/.test(reason) || !socket.writable) {
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
