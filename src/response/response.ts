// This file defines Answer, what the service gives back for a request, whatever carries it: a web server or a part of a batch.

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** Bytes in place of a body, too many to be held; their number stands in Content-Length. */
  readonly source?: ByteSource;
}

/** Bytes that are read piece by piece. Whoever does not read them to the end destroys them. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  readonly destroy: () => unknown;
  /** Takes a piece back that nobody looks at any more, so that its memory serves again. Nobody has to. */
  readonly giveBack?: (piece: Uint8Array) => void;
}
