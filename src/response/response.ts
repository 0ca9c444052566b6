// This file defines Answer, the response of the service to a request, sent by the HTTP server or as part of a batch.
import type { FaultDetail } from '../base/fault.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of Set-Cookie, for responses with more than one. */
  readonly cookies?: readonly string[] | undefined;
  readonly body: string | Uint8Array | undefined;
  /** The number of bytes in the body, where they have been counted. Counting takes as long as several steps of a request. */
  readonly bytes?: number | undefined;
  /** A stream in place of a body, for content too large for memory. Content-Length is set. */
  readonly source?: ByteSource | undefined;
  /** Whether requests of a batch were answered with 503, so that they can succeed in another attempt. */
  readonly isRetryable?: boolean | undefined;
  /** What enforced workflows would have rejected, for the request of which this write is a part. */
  readonly advice?: readonly FaultDetail[] | undefined;
}

/** Counts the bytes of the body. Written out, because a spread takes longer than counting, and V8 reads its result more slowly. */
export function withBytes(answer: Answer): Answer {
  const { status, headers, cookies, body, source, isRetryable, advice } = answer;
  return { status, headers, cookies, body, bytes: bytesIn(body), source, isRetryable, advice };
}

/** The number of bytes of a body in UTF-8. */
export function bytesIn(body: Answer['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
}

/** A stream of bytes. Consumers that do not read it to the end must call `destroy`. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  readonly destroy: () => unknown;
  /** Optionally returns a piece that is no longer used, so that its memory can be reused. */
  readonly release?: (piece: Uint8Array) => void;
}
