// This file reads request bodies: never more than the limit, whatever Content-Length promises.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../base/fault.ts';

/** The whole body, or undefined where there is none. Faults request.body-too-large (413), request.media-type (Content-Encoding). */
export async function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | undefined> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return undefined;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Fault('request.media-type', {
      type: `Content-Encoding ${encoding.slice(0, 40)}`,
      supported: 'the body without Content-Encoding',
    });
  }
  return await collect(request, limit);
}

async function collect(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(bytes);
  }
  const [only] = chunks;
  if (chunks.length <= 1) return only;
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): Fault {
  return new Fault('request.body-too-large', { limit }, { headers: { Connection: 'close' } });
}
