// Wraps the bytes of uploads for stores: counts them, stops at a signal or a limit, and distinguishes errors of the source from errors of
// the store.
import { Fault } from '../base/fault.ts';

/** Reads all bytes into memory. Throws: `tooLarge`, if there are more bytes than the limit. */
export async function readAll(
  source: AsyncIterable<Uint8Array>,
  most?: { readonly limit: number; readonly tooLarge: Fault },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (most !== undefined && size > most.limit) throw most.tooLarge;
  }
  return Buffer.concat(chunks);
}

/** Bytes on their way into a store. */
export interface TrackedBytes extends AsyncIterable<Uint8Array> {
  /** Number of bytes read so far. */
  readonly count: () => number;
  /** The error of the source or the reason of the signal, wrapped because any value can be thrown; undefined if there is none. */
  readonly failure: () => { readonly error: unknown } | undefined;
}

export interface Tracking {
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of bytes; by default there is none. */
  readonly limit?: number;
}

/**
 * The counted bytes. Reading fails with the signal's reason when it is aborted, even while the source is silent.
 * Throws: file.too-large, when there are more bytes than the limit.
 */
export function trackBytes(
  bytes: AsyncIterable<Uint8Array>,
  { signal, limit = Number.POSITIVE_INFINITY }: Tracking,
): TrackedBytes {
  let count = 0;
  let failure: { readonly error: unknown } | undefined;
  const source = signal === undefined ? bytes[Symbol.asyncIterator]() : untilAborted(bytes, signal);
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    await source.return?.(undefined);
    return { done: true, value: undefined };
  };
  const next = async () => {
    try {
      const chunk = await source.next();
      if (chunk.done !== true) count += chunk.value.byteLength;
      if (count <= limit) return chunk;
      await end();
      throw new Fault('file.too-large', { limit });
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return {
    count: () => count,
    failure: () => failure,
    [Symbol.asyncIterator]: () => ({ next, return: end }),
  };
}

async function* untilAborted(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  aborted.catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  const source = bytes[Symbol.asyncIterator]();
  let isDone = false;
  try {
    while (!isDone) {
      const next = await Promise.race([source.next(), aborted]);
      isDone = next.done === true;
      if (!next.done) yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited, because the source may be silent.
    if (!isDone) source.return?.().catch(() => undefined);
  }
}

/** A stream of available bytes. It yields a copy, because readers take ownership of chunks. */
export async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield new Uint8Array(bytes);
}
