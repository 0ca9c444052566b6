// This file reads request bodies: never more than the limit, whatever Content-Length promises.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../base/fault.ts';

/** A client that went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * The whole body, or undefined where there is none.
 * Faults request.body-too-large (413), request.media-type (Content-Encoding); ClientGone.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (!hasBody(request)) return undefined;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Fault('request.media-type', {
      type: `Content-Encoding ${encoding.slice(0, 40)}`,
      supported: 'the body without Content-Encoding',
    });
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return await collect(request, limit);
}

/** Listens by hand: leaving a loop over the request would destroy the connection, and the refusal with it. */
function collect(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
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
