// This file sends answers: compressed where the client asks and it pays, headers complete, and in a way that a client which is still
// sending gets to read them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer, ByteSource } from '../response/answer.ts';

/** One request and its response, under the id that both are known by. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
}

/** Shorter answers are not worth compressing. Bytes. */
const COMPRESSED_FROM = 8192;
/** Up to so much of a body that nobody wants is read, to keep the connection. Bytes. */
const WORTH_READING = 65_536;
/** Milliseconds in which a client can read the answer to a body that it is still sending. */
const LINGER = 1000;

const compress = promisify(gzip);

/** Sends the answer; kept when it is sent or the client is gone. */
export async function send(exchange: Exchange, answer: Answer): Promise<void> {
  const { request, response, id } = exchange;
  const plain = answer.body;
  const { source } = answer;
  const headers: Record<string, string | number> = { ...answer.headers };
  headers['X-Request-ID'] = id;
  const mayCompress = isCompressible(plain, headers);
  const isCompressed = mayCompress && acceptsGzip(request.headers['accept-encoding']);
  const body = isCompressed ? await compress(plain ?? '', { level: 1 }) : plain;
  if (response.destroyed || request.socket.destroyed) {
    source?.destroy();
    return;
  }
  const isLeft = isLeftUnread(request);
  if (isCompressed) headers['Content-Encoding'] = 'gzip';
  if (isLeft) headers.Connection = 'close';
  const isTold = 'Content-Length' in headers;
  if (!isTold && answer.status !== 304 && answer.status !== 204)
    headers['Content-Length'] = lengthOf(body);
  const varying = varyOn(response, answer, mayCompress);
  if (varying !== '') headers.Vary = varying;
  response.writeHead(answer.status, headers);
  if (source !== undefined) await pour(exchange, source);
  else await finish(exchange, request.method === 'HEAD' ? undefined : body, isLeft);
}

/** The bytes as fast as the client takes them. One that goes away ends the reading; a source that breaks off ends the connection. */
async function pour({ request, response }: Exchange, source: ByteSource): Promise<void> {
  request.resume();
  // What is not as long as it was said to be must not run into the next answer.
  response.strictContentLength = true;
  try {
    await pipeline(source, response);
  } catch (error) {
    source.destroy();
    if (!request.socket.destroyed) throw error;
  }
}

/** Bytes in UTF-8. A text is handed over as it is: Node sends it together with the headers then. */
function lengthOf(body: Answer['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
}

/** A short text outside of the service's formats. */
export function sendText({ response, id }: Exchange, status: number, text: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'X-Request-ID': id,
    })
    .end(text);
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

function isCompressible(body: Answer['body'], headers: Readonly<Record<string, unknown>>): boolean {
  if (body === undefined || body.length < COMPRESSED_FROM || 'Content-Encoding' in headers)
    return false;
  return /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml))/.test(
    String(headers['Content-Type'] ?? ''),
  );
}

function varyOn(response: ServerResponse, answer: Answer, mayCompress: boolean): string {
  const already = response.getHeader('Vary');
  if (already === undefined && !mayCompress) return '';
  const parts = [answer.headers.Vary, already, mayCompress ? 'Accept-Encoding' : undefined];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Whether the client is sending a body that is too long to be read for nothing. */
function isLeftUnread(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return false;
  if (request.complete || request.readableEnded) return false;
  return encoding !== undefined || Number(length) > WORTH_READING;
}

/**
 * A connection that is closed with unread bytes is reset, and the client may lose the answer. RFC 9112, "Tear-down": the answer goes out
 * first, and what comes in is thrown away for a while.
 */
async function finish(
  { request, response }: Exchange,
  body: Answer['body'],
  isLeft: boolean,
): Promise<void> {
  request.resume();
  if (isLeft && body !== undefined) {
    response.write(body);
    await lingering(request);
    response.end();
  } else response.end(body);
  await finished(request, response);
}

/** Kept when the client has sent everything, is gone, or has had its time. */
function lingering(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const clock = setTimeout(resolve, LINGER);
    const stop = () => {
      clearTimeout(clock);
      resolve();
    };
    request.once('end', stop).once('close', stop);
  });
}

/** Kept when the answer is sent, or the connection is gone: an answer that waits behind others is not told of that. */
function finished({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
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
