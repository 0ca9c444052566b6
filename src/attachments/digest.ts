// Computes the size and the SHA-256 of files and compares them with their rows.
import { createHash } from 'node:crypto';
import type { FileRow } from './file-rows.ts';

export interface Digest {
  readonly size: number;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Passes the bytes through and digests them. `digest` may be called when all bytes have been read. */
export function withDigest(bytes: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly digest: () => Digest;
} {
  const hash = createHash('sha256');
  let size = 0;
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  }
  return { bytes: pass(), digest: () => ({ size, sha256: hash.digest('hex') }) };
}

/**
 * Reads all bytes and digests them. Throws the errors of the source.
 * @param progress called with the size of each chunk
 */
export async function digestOf(
  bytes: AsyncIterable<Uint8Array>,
  progress: (more: number) => void = () => undefined,
): Promise<Digest> {
  const digested = withDigest(bytes);
  for await (const chunk of digested.bytes) progress(chunk.byteLength);
  return digested.digest();
}

/** What differs between a row and the digest of its file; undefined if nothing does. */
export function mismatch(
  row: Pick<FileRow, 'size' | 'sha256'>,
  digest: Digest,
): 'size' | 'digest' | undefined {
  if (digest.size !== row.size) return 'size';
  return digest.sha256 === row.sha256 ? undefined : 'digest';
}
