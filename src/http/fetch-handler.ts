// This file answers requests of the Fetch API. Each has an in-memory connection to the HTTP server, so that limits, streams and
// disconnected clients are treated as on the network.
// Source: Fetch Standard, "Request class", "Response class"; RFC 9110, "Connection".
import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type Server,
} from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** What a Request does not contain. */
interface FetchClient {
  /**
   * IP address of the client. Without it, clients count as one and the same, on another machine: they share the limits of failed
   * log-ins, and send passwords only to URLs with https.
   */
  readonly address?: string | undefined;
}

/** Rejects if the request is aborted, if its body fails, or if the connection is closed without a response. */
export type FetchHandler = (request: Request, client?: FetchClient) => Promise<Response>;

/** Headers about the connection between a client and its server. Another server sends its own. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Statuses of responses that must not have a body. */
const BODILESS = new Set([204, 205, 304]);

/** @param server a server that treats connections from now on, without listening */
export function fetchHandler(server: Pick<Server, 'emit'>): FetchHandler {
  return async (request, { address = '' } = {}) => {
    const url = new URL(request.url);
    const far = { remoteAddress: address, encrypted: url.protocol === 'https:' };
    const sent = openRequest({
      method: request.method,
      path: url.pathname + url.search,
      headers: headersOf(request, url),
      createConnection: () => connect((socket) => server.emit('connection', socket), far),
    });
    return await exchange(request, sent);
  };
}

/** Returns one end of a connection, and passes the other one on. Either end is destroyed when the other one is. */
function connect(accept: (socket: Duplex) => void, properties: object): Duplex {
  const [near, far] = duplexPair();
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  accept(Object.assign(far, properties));
  return near;
}

function headersOf({ headers, body }: Request, { host }: URL): Record<string, string> {
  const isSent = ([name]: readonly [string, string]) =>
    !HOP_BY_HOP.has(name) && (body !== null || name !== 'content-length');
  return { host, ...Object.fromEntries([...headers].filter(isSent)) };
}

function exchange(request: Request, sent: ClientRequest): Promise<Response> {
  const { signal } = request;
  let source: ClientRequest | IncomingMessage = sent;
  const fail = (reason: unknown) => {
    source.destroy(reason instanceof Error ? reason : new Error(String(reason)));
  };
  const abort = () => fail(signal.reason);
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('close', () => signal.removeEventListener('abort', abort));
    sent.once('response', (message) => {
      source = message;
      resolve(responseOf(message, request));
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    sendBody(request, sent).catch(fail);
  });
}

/** Sends the body as fast as the service reads it, until the service has sent its whole response. */
async function sendBody({ body, headers }: Request, sent: ClientRequest): Promise<void> {
  if (body === null) {
    sent.end();
    return;
  }
  const reader = body.getReader();
  const closed = new Promise((resolve) => sent.once('close', resolve));
  closed.then(() => reader.cancel()).catch(() => undefined);
  const announced = Number(headers.get('content-length') ?? Number.NaN);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (sent.destroyed) return;
    size += value?.byteLength ?? 0;
    // The service would read more bytes than announced as another request.
    if (size > announced || (done && size < announced)) throw wrongLength(announced);
    if (done) break;
    if (!sent.write(value)) await Promise.race([once(sent, 'drain'), closed]);
  }
  sent.end();
}

function wrongLength(announced: number): Error {
  return new Error(`The body does not have the ${announced} bytes of its Content-Length.`);
}

function responseOf(message: IncomingMessage, { method }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, rawHeaders[at + 1] ?? '');
  }
  const isBodiless = method === 'HEAD' || BODILESS.has(status);
  if (isBodiless) message.resume();
  const body = isBodiless ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}
