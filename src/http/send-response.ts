// This file sends responses: it compresses them, completes their headers, and makes sure that clients which are still sending their
// request can read them.
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import { type Answer, type ByteSource, bytesIn } from '../response/response.ts';
import { acceptsCoding } from './accept-encoding.ts';
import { BASIC_CHALLENGE } from './basic-keys.ts';
import type { OriginHeaders } from './cors.ts';
import type { ResponseTurn } from './response-turn.ts';
import { securityHeaders } from './tls.ts';

/** A request with its response and id. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Sends the responses without a source. */
  readonly turn: ResponseTurn;
  /** Whether the connection is closed after the response. */
  readonly isLast: boolean;
  /** Milliseconds for reading the response to a request that is still being sent. */
  readonly linger: number;
  /** Whether a 401 response offers Basic authentication. */
  readonly offersBasic: () => boolean;
  /** CORS headers of the response. */
  origin: OriginHeaders;
}

/** Fast compression: a response is sent once. */
const LEVEL = 1;
/** Responses below this many bytes are not compressed. */
const COMPRESSED_FROM = 8192;
/** Rejected request bodies of up to this many bytes are read, so that the connection can be kept. */
const MAX_DISCARDED = 65_536;
/**
 * Strings of at least this many characters are encoded before they are sent: Node would copy them once more, with the headers. Node
 * encodes shorter ones faster, together with the headers.
 */
const ENCODED_FROM = 65_536;
const REQUEST_TIMEOUT = 408;

const compress = promisify(gzip);

/** Passes the response on to Node, which sends it. Completes when Node has all of it or the client has disconnected. */
export function send(exchange: Exchange, answer: Answer): MaybePromise<void> {
  const mayCompress = isCompressible(answer);
  const isCompressed =
    mayCompress && acceptsCoding(exchange.request.headers['accept-encoding'], 'gzip');
  if (!isCompressed) return sendAsIs(exchange, encodeLong(answer), mayCompress);
  const headers = { ...answer.headers, 'Content-Encoding': 'gzip' };
  const { source } = answer;
  if (source !== undefined)
    return sendAsIs(exchange, { ...answer, headers, source: compressed(source) }, mayCompress);
  return compress(answer.body ?? '', { level: LEVEL }).then((body) =>
    sendAsIs(exchange, { ...answer, headers, body, bytes: undefined }, mayCompress),
  );
}

/** The bytes while they are read. They fail where the source fails, and the source is closed with them. */
function compressed(source: ByteSource): ByteSource {
  // The error reaches the reader of the stream.
  const bytes = pipeline(source, createGzip({ level: LEVEL }), () => undefined);
  return bytes.once('close', () => source.destroy());
}

function encodeLong(answer: Answer): Answer {
  const { body } = answer;
  if (typeof body !== 'string' || body.length < ENCODED_FROM) return answer;
  return { ...answer, body: Buffer.from(body, 'utf8') };
}

function sendAsIs(exchange: Exchange, answer: Answer, mayCompress: boolean): MaybePromise<void> {
  const { request, response, turn } = exchange;
  const { body, source } = answer;
  if (response.destroyed || request.socket.destroyed) {
    source?.destroy();
    return undefined;
  }
  const rest = restOf(request, answer.status);
  const isAbandoned = rest === 'long';
  response.writeHead(answer.status, headOf(exchange, answer, { mayCompress, isAbandoned }));
  const content = request.method === 'HEAD' || body?.length === 0 ? undefined : body;
  if (source === undefined && isAbandoned) return finishSlowly(exchange, content);
  const sent = source === undefined ? turn.send(response, content) : sendSource(exchange, source);
  return rest === 'short' ? andThen(sent, () => awaitRest(exchange)) : sent;
}

/** Returns alternating names and values, which Node writes without building an object first. */
function headOf(
  { id, request, origin, isLast, offersBasic }: Exchange,
  answer: Answer,
  { mayCompress, isAbandoned }: { readonly mayCompress: boolean; readonly isAbandoned: boolean },
): OutgoingHttpHeader[] {
  const { headers, status, body, bytes } = answer;
  const head: OutgoingHttpHeader[] = securityHeaders(request.socket, headers);
  if (origin.isAllowed) addMissing(head, origin.headers, headers);
  const challenges = status === 401 && offersBasic() ? `, ${BASIC_CHALLENGE}` : '';
  for (const name in headers) {
    if (name === 'Vary') continue;
    head.push(name, `${headers[name] ?? ''}${name === 'WWW-Authenticate' ? challenges : ''}`);
  }
  if (answer.cookies !== undefined) head.push('Set-Cookie', [...answer.cookies]);
  head.push('X-Request-ID', id);
  const varying = varyOn(origin, headers.Vary, mayCompress);
  if (varying !== '') head.push('Vary', varying);
  if (isAbandoned || isLast) head.push('Connection', 'close');
  if (hasLength(answer)) return head;
  // Exports are sent in chunks, because their length is not known before.
  const isUnknown =
    answer.source !== undefined || (request.method === 'HEAD' && body === undefined);
  if (!isUnknown) head.push('Content-Length', String(bytes ?? bytesIn(body)));
  return head;
}

/** Whether the response has a length already, or must not have one. */
function hasLength({ status, headers }: Answer): boolean {
  return headers['Content-Length'] !== undefined || status === 304 || status === 204;
}

/** Adds the headers that the response itself does not set. */
function addMissing(
  head: OutgoingHttpHeader[],
  others: Readonly<Record<string, string>>,
  own: Answer['headers'],
): void {
  for (const name in others) if (!(name in own)) head.push(name, others[name] ?? '');
}

/** Sends the bytes as fast as the client reads. If the client disconnects, reading stops; if the source fails, the connection is closed. */
async function sendSource({ request, response }: Exchange, source: ByteSource): Promise<void> {
  request.resume();
  // Content of another length than announced must not run into the next response.
  response.strictContentLength = true;
  // A source that waits for something to send does not notice that its client has gone.
  const leave = () => source.destroy();
  response.once('close', leave);
  try {
    for await (const piece of source) {
      await written(response, piece);
      source.release?.(piece);
    }
    response.off('close', leave);
    response.end();
  } catch (error) {
    source.destroy();
    response.destroy();
    if (!request.socket.destroyed) throw error;
  }
}

/** Resolves when the operating system has accepted the piece; rejects if the client disconnects before. */
async function written(response: ServerResponse, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const leave = () => reject(new Error('the client has disconnected'));
    if (response.destroyed) leave();
    response.once('close', leave);
    response.write(piece, (error) => {
      response.off('close', leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Sends a short plain text. */
export function sendText(exchange: Exchange, status: number, text: string): MaybePromise<void> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return send(exchange, { status, headers, body: text });
}

/** Files keep their length, which clients need for ranges; exports have none. */
function isCompressible({ body, source, headers }: Answer): boolean {
  const isShort = source === undefined && (body?.length ?? 0) < COMPRESSED_FROM;
  if (isShort || (source !== undefined && headers['Content-Length'] !== undefined)) return false;
  if (headers['Content-Encoding'] !== undefined) return false;
  // Compression would collect the events of a live stream.
  if (headers['Content-Type'] === 'text/event-stream') return false;
  return COMPRESSIBLE.test(headers['Content-Type'] ?? '');
}

const COMPRESSIBLE = /^(?:text\/|application\/(?:(?:[\w.+-]+\+)?(?:json|xml)|x-ndjson|jsonl))/;

/** Responses of the service already include Accept-Encoding in Vary. */
function varyOn({ varies }: OriginHeaders, own: string | undefined, mayCompress: boolean): string {
  const known = own ?? (mayCompress ? 'Accept-Encoding' : '');
  if (!varies) return known;
  return known === '' ? 'Origin' : `${known}, Origin`;
}

/** Returns how much of the request body is still to come: `long` if it is too large or too slow to be read and discarded. */
function restOf(request: IncomingMessage, status: number): 'none' | 'short' | 'long' {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return 'none';
  if (isComplete(request)) return 'none';
  if (status === REQUEST_TIMEOUT) return 'long';
  return encoding !== undefined || Number(length) > MAX_DISCARDED ? 'long' : 'short';
}

function isComplete({ complete, readableEnded }: IncomingMessage): boolean {
  return complete || readableEnded;
}

/**
 * Closing a connection with unread bytes resets it, and the client may lose the response. RFC 9112, "Tear-down": the response is sent
 * first, and incoming bytes are discarded for a while.
 */
async function finishSlowly(
  { request, response, linger }: Exchange,
  body: Answer['body'],
): Promise<void> {
  request.resume();
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  await new Promise<void>((resolve) => {
    onceComplete(request, linger, resolve);
  });
  response.end();
}

/** Reads the rest of a short body to keep the connection, which is closed if the rest does not arrive in time. */
function awaitRest({ request, linger }: Exchange): void {
  if (isComplete(request) || request.destroyed) return;
  request.resume();
  onceComplete(request, linger, () => {
    if (!isComplete(request)) request.socket.destroy();
  });
}

/** Calls back when the client has sent everything or disconnected, or after the time limit. */
function onceComplete(request: IncomingMessage, limit: number, done: () => void): void {
  const stop = () => {
    clearTimeout(clock);
    request.off('end', stop).off('close', stop);
    done();
  };
  const clock = setTimeout(stop, limit);
  request.once('end', stop).once('close', stop);
}
