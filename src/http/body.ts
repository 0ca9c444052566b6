// This file reads request bodies: never more than the limit, whatever Content-Length promises, and however small a body is while it is
// compressed.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { NOT_GZIP } from '../attachments/coding.ts';
import { Fault } from '../base/fault.ts';
import { readCoding } from '../request/media.ts';

/** A client that went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** How slowly bodies may come. */
export interface BodyTimes {
  /** Milliseconds in which a body must have come, or a file must have come to its pace. */
  readonly limit: number;
  /** Bytes a second that the sender of a file must come to after that. */
  readonly pace: number;
}

export const BODY_TIMES: BodyTimes = { limit: 60_000, pace: 1024 };

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

const decompress = promisify(gunzip);

/**
 * The whole body, decompressed, or undefined where there is none. RFC 9110, "Content-Encoding".
 * Faults request.body-too-large (413), request.media-type (Content-Encoding), request.body (no gzip), http.timeout (408); ClientGone.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  times = BODY_TIMES,
): Promise<Uint8Array | undefined> {
  if (!hasBody(request)) return undefined;
  const isGzip = readCoding(request.headers['content-encoding']) === 'gzip';
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const sent = await collect(request, limit, times);
  return isGzip ? await unpack(sent, limit) : sent;
}

/** Stops as soon as there is more than the limit. */
async function unpack(sent: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await decompress(sent, { maxOutputLength: limit });
  } catch (error) {
    const isLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isLarge) throw tooLarge(limit);
    throw new Fault('request.body', { reason: NOT_GZIP });
  }
}

/**
 * The body piece by piece, as fast as it is asked for. What is not read is left to whoever sends the answer.
 * Its content coding is left to those who read it. Faults while reading file.interrupted, http.timeout (408).
 */
export async function* openBody(
  request: IncomingMessage,
  { limit, pace }: BodyTimes = BODY_TIMES,
): AsyncGenerator<Uint8Array> {
  const start = performance.now();
  let size = 0;
  // Ending the iteration must not end the connection: the refusal is still to be sent.
  const pieces = request.iterator({ destroyOnReturn: false });
  try {
    for await (const piece of pieces) {
      size += piece.byteLength;
      yield piece;
      const late = performance.now() - start - limit;
      if (late > 0 && size < (late / 1000) * pace) throw new Fault('http.timeout');
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('file.interrupted');
  }
  if (!request.readableEnded) throw new Fault('file.interrupted');
}

/** Listens by hand: leaving a loop over the request would destroy the connection, and the refusal with it. */
function collect(request: IncomingMessage, limit: number, times: BodyTimes): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const clock = setTimeout(() => {
      stop();
      reject(new Fault('http.timeout'));
    }, times.limit);
    const stop = () => {
      clearTimeout(clock);
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limit) return;
      stop();
      reject(tooLarge(limit));
    };
    const finish = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const leave = () => {
      stop();
      reject(new ClientGone('the request ended early'));
    };
    request.on('data', take).on('end', finish).on('close', leave).on('error', leave);
  });
}

function tooLarge(limit: number): Fault {
  return new Fault('request.body-too-large', { limit });
}
