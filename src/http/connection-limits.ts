// This file limits connections, processes one request at a time on each connection, and answers malformed requests.
// Source: RFC 9110, RFC 9112.
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { MaybePromise } from '../base/value-or-promise.ts';
import { renderError } from '../response/error.ts';
import { writeMessage } from '../service/batch/multipart-format.ts';

/** Limits of connections; times in milliseconds. BodyTimes limits the time of request bodies. */
export interface ConnectionLimits {
  /** Time for the headers of a request, and for a TLS handshake. */
  readonly headers: number;
  /** Maximum time without traffic, or without the client reading its response. Must exceed the time limit of statements. */
  readonly silence: number;
  /** Maximum time between two requests. */
  readonly keepAlive: number;
  /** Time for reading the response to a request that is still being sent. */
  readonly linger: number;
  /** Maximum number of connections. */
  readonly most: number;
}

/** Most proxies keep connections for a minute. A shorter keepAlive could close one while a request is on its way. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headers: 15_000,
  silence: 75_000,
  keepAlive: 65_000,
  linger: 1000,
  most: 10_000,
};

/** Milliseconds between two checks by Node for late headers. */
const CHECKING_INTERVAL = 5000;
/** Maximum bytes of the headers, without the URL. */
const HEADER_BYTES = 16_384;

/** Returns the limits as options of an HTTP or HTTPS server. */
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
    maxHeaderSize: urlLength + HEADER_BYTES,
  };
}

/**
 * Sets the limits that are properties of the server object. A connection whose request is being answered is not silent: its client waits for
 * the service, as for a long import, and bodies and responses have limits of their own.
 */
export function limitConnections(
  server: Server,
  { most, silence }: ConnectionLimits,
  isAnswering: (socket: Socket) => boolean,
): void {
  server.maxConnections = most;
  server.setTimeout(silence, (socket) => {
    // A client that does not read its response is silent as well.
    if (isAnswering(socket) && socket.writableLength === 0) socket.setTimeout(silence);
    else cutOff(socket);
  });
}

/** Closes a connection immediately. An orderly end would wait for the client to read pending output. */
export function cutOff(socket: Socket): void {
  // TLS connections cannot be reset.
  if (socket.writableLength === 0 || 'encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** A request with its response. */
export interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Queue<Item> {
  isBusy: boolean;
  /** When the last request was answered, by `performance.now()`. */
  idleSince: number;
  readonly waiting: Item[];
  /** Continues after a request that was answered later. */
  readonly next: () => void;
}

/**
 * Answers one request at a time per connection, in order of arrival, so that a client which sends many requests without reading cannot
 * accumulate responses in memory.
 */
export class RequestQueues<Item extends Received> {
  readonly #answer: (item: Item) => MaybePromise<void>;
  readonly #queues = new WeakMap<Socket, Queue<Item>>();
  #running = 0;

  /** @param answer passes the whole response on to Node, which sends it; must not fail */
  constructor(answer: (item: Item) => MaybePromise<void>) {
    this.#answer = answer;
  }

  /** The number of requests whose responses are not sent yet, without those that wait for another one. */
  get running(): number {
    return this.#running;
  }

  add(item: Item): void {
    const queue = this.#queueOf(item.request.socket);
    if (queue.isBusy) queue.waiting.push(item);
    else this.#run(queue, item);
  }

  isAnswering(socket: Socket): boolean {
    return this.#queues.get(socket)?.isBusy === true;
  }

  /** Returns when the last request of the connection was answered; undefined before the first request and during a request. */
  idleSince(socket: Socket): number | undefined {
    const queue = this.#queues.get(socket);
    return queue === undefined || queue.isBusy ? undefined : queue.idleSince;
  }

  #queueOf(socket: Socket): Queue<Item> {
    const known = this.#queues.get(socket);
    if (known !== undefined) return known;
    const next = () => {
      this.#running--;
      this.#run(queue, queue.waiting.shift());
    };
    const queue: Queue<Item> = { isBusy: false, idleSince: 0, waiting: [], next };
    this.#queues.set(socket, queue);
    return queue;
  }

  /** Answers requests until one is to be waited for. */
  #run(queue: Queue<Item>, first: Item | undefined): void {
    queue.isBusy = true;
    for (let item = first; item !== undefined; item = queue.waiting.shift()) {
      this.#running++;
      if (!this.#answerFirst(queue, item)) return;
      this.#running--;
    }
    queue.isBusy = false;
    queue.idleSince = performance.now();
  }

  /** Returns whether the response is sent already; otherwise the queue continues when it is. */
  #answerFirst({ next }: Queue<Item>, item: Item): boolean {
    const passedOn = this.#answer(item);
    if (!(passedOn instanceof Promise)) return isSentOrAwaited(item, next);
    void passedOn.then(() => {
      if (isSentOrAwaited(item, next)) next();
    });
    return false;
  }
}

/** Returns whether the response is sent or the connection is closed; otherwise `next` is called then. */
function isSentOrAwaited({ request: { socket }, response }: Received, next: () => void): boolean {
  if (response.writableFinished || response.destroyed || socket.destroyed) return true;
  if (response.socket === socket) response.on('close', next);
  else awaitOthers(response, socket, next);
  return false;
}

/** A response that waits for others gets no event when the connection is closed. */
function awaitOthers(response: ServerResponse, socket: Socket, next: () => void): void {
  const stop = () => {
    response.off('finish', stop).off('close', stop);
    socket.off('close', stop);
    next();
  };
  response.once('finish', stop).once('close', stop);
  socket.once('close', stop);
}

/** Answers a request that Node could not parse after the ones before it, and closes the connection. RFC 9112, "Pipelining". */
export function answerBadConnection(
  error: unknown,
  socket: Socket,
  urlLength: number,
  observe: Observe,
): void {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  // After a failed or unfinished TLS handshake, a response could never be sent.
  if (!/^(?:HPE|ERR_HTTP)_/.test(reason) || !socket.writable) {
    socket.destroy();
    return;
  }
  // Node reports the error again with all further bytes.
  if (ended.has(socket)) return;
  ended.add(socket);
  const fault = faultOf(error, reason, urlLength);
  observe({ kind: 'bad connection', status: fault.status, reason });
  endInTurn(socket, fault);
}

/** Connections that end with a response to a malformed request. */
const ended = new WeakSet<Socket>();

function endInTurn(socket: Socket, fault: Fault): void {
  const response = currentResponse(socket);
  if (response?.req.complete === true) response.once('close', () => endInTurn(socket, fault));
  // A response that has started cannot be followed by another one.
  else if (response?.headersSent === true || !socket.writable) socket.destroy();
  else socket.end(writeAnswer(fault), () => socket.destroySoon());
}

function faultOf(error: unknown, reason: string, urlLength: number): Fault {
  if (reason === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('http.timeout');
  if (reason !== 'HPE_HEADER_OVERFLOW') return new Fault('http.malformed', { reason });
  return isUrlTooLong(error, urlLength)
    ? new Fault('request.url-too-long', { limit: urlLength })
    : new Fault('http.headers-too-large', { limit: HEADER_BYTES });
}

/** Node only reports that the head is too large. The packet shows whether the request line alone is. */
function isUrlTooLong(error: unknown, urlLength: number): boolean {
  const packet = error instanceof Error && 'rawPacket' in error ? error.rawPacket : undefined;
  if (!(packet instanceof Uint8Array)) return false;
  const line = Buffer.from(packet).toString('latin1').split('\r\n', 1)[0] ?? '';
  return /^[A-Z]+ \S/.test(line) && line.length > urlLength;
}

/** The response that Node sends on the connection. */
function currentResponse(socket: Socket): ServerResponse<IncomingMessage> | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

function writeAnswer(fault: Fault): string {
  const { headers, ...answer } = renderError(fault);
  return writeMessage({ ...answer, headers: { ...headers, Connection: 'close' } }).join('');
}
