// This file holds what stores do with bytes on their way: giving up when a signal is given, counting, telling the source's mistakes
// from the store's own, and gathering pieces to parts of one size.

/** Bytes on their way into a store, with what has become of them so far. */
export interface Flow extends AsyncIterable<Uint8Array> {
  /** Bytes that have come. */
  readonly count: () => number;
  /** What broke the source or the signal's reason, as a value of its own, since anything can be thrown; undefined while all is well. */
  readonly broken: () => { readonly error: unknown } | undefined;
}

/** The bytes, counted. They end with the signal's reason once it is given, even while the source is silent. */
export function flowOf(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Flow {
  let count = 0;
  let broken: { readonly error: unknown } | undefined;
  const source = signal === undefined ? bytes[Symbol.asyncIterator]() : untilAborted(bytes, signal);
  const passing: AsyncIterator<Uint8Array> = {
    next: async () => {
      try {
        const piece = await source.next();
        if (piece.done !== true) count += piece.value.byteLength;
        return piece;
      } catch (error) {
        broken = { error };
        throw error;
      }
    },
    return: async () => {
      await source.return?.(undefined);
      return { done: true, value: undefined };
    },
  };
  return {
    count: () => count,
    broken: () => broken,
    [Symbol.asyncIterator]: () => passing,
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
    // A source that is silent cannot be waited for.
    if (!isDone) source.return?.().catch(() => undefined);
  }
}

/** Bytes that are there already, as if they came: a copy of them, since whoever reads pieces may do with them what he likes. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield new Uint8Array(bytes);
}
