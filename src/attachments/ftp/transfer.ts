// Uploads and downloads of single files. An upload is complete if the server reports the size that was sent, and a download if as many
// bytes have arrived as the server reported. The reply "226 Transfer complete" alone proves neither.
// Source: RFC 3659 "Extensions to FTP", "File SIZE", "REST".
import { Readable, Writable } from 'node:stream';
import type { Client } from 'basic-ftp';
import type { TrackedBytes } from '../byte-streams.ts';
import { unavailable } from '../store.ts';
import { isRejectedName } from './connection.ts';
import type { Lease } from './pool.ts';

/** Uploads all bytes and verifies the size on the server. Throws the errors of the client, and an Error if the size differs. */
export async function upload(client: Client, bytes: TrackedBytes, name: string): Promise<void> {
  const source = Readable.from(client.ftp.hasTLS ? delayedIfEmpty(bytes) : bytes, {
    objectMode: false,
  });
  try {
    await client.uploadFrom(source, name);
  } finally {
    source.destroy();
  }
  const stored = await sizeOf(client, name);
  if (stored !== bytes.count())
    throw new Error(
      `the server confirmed the transfer but stored ${stored ?? 'none'} of ${bytes.count()} bytes`,
    );
}

/** Milliseconds that a server needs for its part of a TLS handshake. */
const HANDSHAKE = 100;

/** Keeps the connection of an empty file open until the TLS handshake is over. Some servers treat an early end as an attack. */
async function* delayedIfEmpty(bytes: TrackedBytes): AsyncGenerator<Uint8Array> {
  yield* bytes;
  if (bytes.count() === 0) await new Promise((resolve) => setTimeout(resolve, HANDSHAKE));
}

/** The size of a file; undefined if it does not exist. Uses a listing if the server does not support SIZE. */
export async function sizeOf(client: Client, name: string): Promise<number | undefined> {
  try {
    return await client.size(name);
  } catch (error) {
    if (isRejectedName(error)) return undefined;
    if (client.closed) throw error;
  }
  const [found, another] = (await client.list(name)).filter((file) => file.isFile);
  return another === undefined ? found?.size : undefined;
}

/** A part of a file, and whether it extends to the end of the file. */
export interface FilePart {
  readonly first: number;
  readonly length: number;
  readonly isToEnd: boolean;
}

/**
 * Streams a part of a file and then returns the connection to the pool. The connection is closed if the reader stops early, or if the
 * file continues after the part. If the transfer ends too early, the stream fails with file.unavailable.
 */
export function download(lease: Lease, name: string, part: FilePart): Readable {
  const { client } = lease;
  let missing = part.length;
  let proceed: (() => void) | undefined;
  const output = new Readable({
    read() {
      const go = proceed;
      proceed = undefined;
      go?.();
    },
    destroy(error, done) {
      if (missing > 0) client.close();
      proceed?.();
      done(error);
    },
  });
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const bytes = chunk.subarray(0, missing);
      missing -= bytes.byteLength;
      if (bytes.byteLength === 0 || output.destroyed || output.push(bytes)) done();
      else proceed = () => done();
      if (missing === 0 && !part.isToEnd) client.close();
    },
  });
  const finish = (error?: unknown) => {
    lease.end(error === undefined && !client.closed);
    if (missing === 0) output.push(null);
    else output.destroy(unavailable('ftp', error ?? new Error(`${missing} bytes are missing`)));
  };
  client.downloadTo(sink, name, part.first).then(() => finish(), finish);
  return output;
}
