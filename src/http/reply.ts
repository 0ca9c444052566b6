// This file sends answers: compressed where the client asks and it pays, headers complete, and in a way that a client which is still
// sending gets to read them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Ready, whenReady } from '../base/value-or-promise.ts';
import type { Answer, ByteSource } from '../response/response.ts';
import type { OriginHeaders } from './cors.ts';
import { securityHeaders } from './tls.ts';

/** One request and its response, under the id that both are known by. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Whether the connection ends with the answer. */
  readonly isLast: boolean;
  /** Milliseconds in which a client can read the answer to a request that it is still sending. */
  readonly linger: number;
  /** What the answer says to pages of other origins. */
  origin: OriginHeaders;
}

/** Shorter answers are not worth compressing. Bytes. */
const COMPRESSED_FROM = 8192;
/** Up to so much of a body that nobody wants is read, to keep the connection. Bytes. */
const WORTH_READING = 65_536;
const REQUEST_TIMEOUT = 408;

const compress = promisify(gzip);

/** Sends the answer; kept when it is sent or the client is gone. */
export function send(exchange: Exchange, answer: Answer): Ready<void> {
  const mayCompress = isCompressible(answer);
  const isCompressed = mayCompress && acceptsGzip(exchange.request.headers['accept-encoding']);
  if (!isCompressed) return sendAsIs(exchange, answer, mayCompress);
  return compress(answer.body ?? '', { level: 1 }).then((body) => {
    const headers = { ...answer.headers, 'Content-Encoding': 'gzip' };
    return sendAsIs(exchange, { ...answer, headers, body }, mayCompress);
  });
}

function sendAsIs(exchange: Exchange, answer: Answer, mayCompress: boolean): Ready<void> {
  const { request, response } = exchange;
  const { body, source } = answer;
  if (response.destroyed || request.socket.destroyed) {
    source?.destroy();
    return undefined;
  }
  const rest = restOf(request, answer.status);
  const isLeft = rest === 'long';
  response.writeHead(answer.status, headOf(exchange, answer, { mayCompress, isLeft }));
  const content = request.method === 'HEAD' ? undefined : body;
  const sent = source === undefined ? finish(exchange, content, isLeft) : pour(exchange, source);
  return rest === 'short' ? whenReady(sent, () => awaitRest(exchange)) : sent;
}

/** Names and values in turn: Node writes them as they are, without making objects of them first. */
function headOf(
  { id, request, origin, isLast }: Exchange,
  { headers, status, body }: Answer,
  { mayCompress, isLeft }: { readonly mayCompress: boolean; readonly isLeft: boolean },
): string[] {
  const head = securityHeaders(request.socket, headers);
  if (origin.isAllowed) addOthers(head, origin.headers, headers);
  for (const name in headers) if (name !== 'Vary') head.push(name, headers[name] ?? '');
  head.push('X-Request-ID', id);
  const varying = varyOn(origin, headers.Vary, mayCompress);
  if (varying !== '') head.push('Vary', varying);
  if (isLeft || isLast) head.push('Connection', 'close');
  const isTold = headers['Content-Length'] !== undefined || status === 304 || status === 204;
  if (!isTold) head.push('Content-Length', String(lengthOf(body)));
  return head;
}

/** Adds the headers of which the answer says nothing itself. */
function addOthers(
  head: string[],
  others: Readonly<Record<string, string>>,
  own: Answer['headers'],
): void {
  for (const name in others) if (!(name in own)) head.push(name, others[name] ?? '');
}

/** The bytes as fast as the client takes them. One that goes away ends the reading; a source that breaks off ends the connection. */
async function pour({ request, response }: Exchange, source: ByteSource): Promise<void> {
  request.resume();
  // What is not as long as it was said to be must not run into the next answer.
  response.strictContentLength = true;
  try {
    for await (const piece of source) {
      await written(response, piece);
      source.giveBack?.(piece);
    }
    response.end();
    await finished(request, response);
  } catch (error) {
    source.destroy();
    response.destroy();
    if (!request.socket.destroyed) throw error;
  }
}

/** Kept when the piece is with the system, broken when the client has gone before. */
async function written(response: ServerResponse, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const leave = () => reject(new Error('the client has gone'));
    if (response.destroyed) leave();
    response.once('close', leave);
    response.write(piece, (error) => {
      response.off('close', leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Bytes in UTF-8. A text is handed over as it is: Node sends it together with the headers then. */
function lengthOf(body: Answer['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
}

/** A short text outside of the service's formats. */
export function sendText(exchange: Exchange, status: number, text: string): Ready<void> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return send(exchange, { status, headers, body: text });
}

/** RFC 9110, "Accept-Encoding": `gzip` or `*`, unless its weight is 0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const codings = String(header)
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()));
  const found =
    codings.find(([name]) => name === 'gzip' || name === 'x-gzip') ??
    codings.find(([name]) => name === '*');
  return found !== undefined && !found.slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part));
}

function isCompressible({ body, headers }: Answer): boolean {
  if (body === undefined || body.length < COMPRESSED_FROM) return false;
  if (headers['Content-Encoding'] !== undefined) return false;
  return /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml))/.test(headers['Content-Type'] ?? '');
}

/** What the service answers says of Accept-Encoding itself. */
function varyOn({ varies }: OriginHeaders, own: string | undefined, mayCompress: boolean): string {
  const known = own ?? (mayCompress ? 'Accept-Encoding' : '');
  if (!varies) return known;
  return known === '' ? 'Origin' : `${known}, Origin`;
}

/** What the client has still to send: `long` where it is too much, or comes too slowly, to be read for nothing. */
function restOf(request: IncomingMessage, status: number): 'none' | 'short' | 'long' {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return 'none';
  if (isComplete(request)) return 'none';
  if (status === REQUEST_TIMEOUT) return 'long';
  return encoding !== undefined || Number(length) > WORTH_READING ? 'long' : 'short';
}

function isComplete({ complete, readableEnded }: IncomingMessage): boolean {
  return complete || readableEnded;
}

/**
 * A connection that is closed with unread bytes is reset, and the client may lose the answer. RFC 9112, "Tear-down": the answer goes out
 * first, and what comes in is thrown away for a while.
 */
function finish(exchange: Exchange, body: Answer['body'], isLeft: boolean): Ready<void> {
  const { request, response } = exchange;
  if (isLeft) return finishSlowly(exchange, body);
  response.end(body);
  return finished(request, response);
}

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
  await finished(request, response);
}

/** What is left of a short body is read for the sake of the connection; a client that does not send it in time loses the connection. */
function awaitRest({ request, linger }: Exchange): void {
  if (isComplete(request) || request.destroyed) return;
  request.resume();
  onceComplete(request, linger, () => {
    if (!isComplete(request)) request.socket.destroy();
  });
}

/** Calls back when the client has sent everything, is gone, or has had its time. */
function onceComplete(request: IncomingMessage, limit: number, done: () => void): void {
  const stop = () => {
    clearTimeout(clock);
    request.off('end', stop).off('close', stop);
    done();
  };
  const clock = setTimeout(stop, limit);
  request.once('end', stop).once('close', stop);
}

/** Kept when the answer is sent, or the connection is gone: an answer that waits behind others is not told of that. */
function finished({ socket }: IncomingMessage, response: ServerResponse): Ready<void> {
  if (response.writableFinished || response.destroyed) return undefined;
  if (response.socket === socket)
    return new Promise((resolve) => {
      response.once('close', resolve);
    });
  return new Promise((resolve) => {
    const stop = () => {
      response.off('finish', stop).off('close', stop);
      socket.off('close', stop);
      resolve();
    };
    response.once('finish', stop).once('close', stop);
    socket.once('close', stop);
  });
}
