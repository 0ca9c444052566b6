// This file moves the bytes of one file over an FTP connection. An upload is whole when the server says the size that was sent; a
// download, when as many bytes have come as the server said that there are. A server's "226 Transfer complete" alone proves neither.
// Source: RFC 3659 "Extensions to FTP", "File SIZE", "REST".
import { Readable, Writable } from 'node:stream';
import type { Client } from 'basic-ftp';
import type { Flow } from '../byte-streams.ts';
import { unavailable } from '../store.ts';
import { isRefused } from './connection.ts';
import type { Lease } from './pool.ts';

/** Sends all bytes to the name and makes sure that the server has them. Raises what the client raises. */
export async function upload(client: Client, flow: Flow, name: string): Promise<void> {
  const source = Readable.from(client.ftp.hasTLS ? lingering(flow) : flow, { objectMode: false });
  try {
    await client.uploadFrom(source, name);
  } finally {
    source.destroy();
  }
  const kept = await sizeOf(client, name);
  if (kept !== flow.count())
    throw new Error(
      `the server kept ${kept ?? 'none'} of ${flow.count()} bytes and said that it was all`,
    );
}

/** Milliseconds in which a server is done with its part of a TLS handshake. */
const HANDSHAKE = 100;

/** With nothing to send, the connection would end in the middle of the handshake, and some servers take that for an attack. */
async function* lingering(flow: Flow): AsyncGenerator<Uint8Array> {
  yield* flow;
  if (flow.count() === 0) await new Promise((resolve) => setTimeout(resolve, HANDSHAKE));
}

/** Bytes of a file; undefined when there is none. A listing is asked where the answer to SIZE is no number. */
export async function sizeOf(client: Client, name: string): Promise<number | undefined> {
  try {
    return await client.size(name);
  } catch (error) {
    if (isRefused(error)) return undefined;
    if (client.closed) throw error;
  }
  const [found, another] = (await client.list(name)).filter((file) => file.isFile);
  return another === undefined ? found?.size : undefined;
}

/** What is wanted of a file: bytes from `first` on, and whether the file ends with them. */
export interface Wanted {
  readonly first: number;
  readonly length: number;
  readonly isToEnd: boolean;
}

/**
 * The wanted bytes as they come. The connection is given back when they are there; it is closed when nobody reads on, or when the
 * file goes on behind what is wanted. A transfer that ends too soon breaks the stream with file.unavailable.
 */
export function download(lease: Lease, name: string, wanted: Wanted): Readable {
  const { client } = lease;
  let missing = wanted.length;
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
    write(piece: Uint8Array, _encoding, done) {
      const part = piece.subarray(0, missing);
      missing -= part.byteLength;
      if (part.byteLength === 0 || output.destroyed || output.push(part)) done();
      else proceed = () => done();
      if (missing === 0 && !wanted.isToEnd) client.close();
    },
  });
  const finish = (error?: unknown) => {
    lease.end(error === undefined && !client.closed);
    if (missing === 0) output.push(null);
    else output.destroy(unavailable('ftp', error ?? new Error(`${missing} bytes did not come`)));
  };
  client.downloadTo(sink, name, wanted.first).then(() => finish(), finish);
  return output;
}
