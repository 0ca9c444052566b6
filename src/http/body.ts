// This file reads request bodies up to a size limit, which applies regardless of Content-Length, and also after decompression.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { INVALID_GZIP } from '../attachments/content-coding.ts';
import { Fault } from '../base/fault.ts';
import { readCoding } from '../request/headers/media-types.ts';
import { BODY_TIMES, BodyPieces, type BodyTimes } from './body-stream.ts';

/** The client disconnected before its request was complete, so no response can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

const decompress = promisify(gunzip);

/**
 * Returns the whole decompressed body, or undefined if there is none. RFC 9110, "Content-Encoding".
 * Throws: request.body-too-large, request.media-type (Content-Encoding), request.body (invalid gzip), http.timeout; ClientGone.
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

/** Stops as soon as the limit is exceeded. */
async function unpack(sent: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await decompress(sent, { maxOutputLength: limit });
  } catch (error) {
    const isLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isLarge) throw tooLarge(limit);
    throw new Fault('request.body', { reason: INVALID_GZIP });
  }
}

/** Returns the body as a stream of pieces, not decompressed. Iterating throws the faults of Pieces. */
export function streamBody(
  request: IncomingMessage,
  times: BodyTimes = BODY_TIMES,
): AsyncIterable<Uint8Array> {
  return new BodyPieces(request, times);
}

/** Uses event listeners, because leaving a loop over the request would close the connection before the error is sent. */
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
