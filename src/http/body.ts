// This file reads request bodies: never more than the limit, whatever Content-Length promises, and however small a body is while it is
// compressed.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { NOT_GZIP } from '../attachments/content-coding.ts';
import { Fault } from '../base/fault.ts';
import { readCoding } from '../request/headers/media-types.ts';
import { BODY_TIMES, type BodyTimes, Pieces } from './body-stream.ts';

/** A client that went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

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

/** The body piece by piece; its content coding is left to those who read it. Faults: those of Pieces. */
export function openBody(
  request: IncomingMessage,
  times: BodyTimes = BODY_TIMES,
): AsyncIterable<Uint8Array> {
  return new Pieces(request, times);
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
