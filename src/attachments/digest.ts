// This file proves bytes: it reads them to the end and tells their number and SHA-256.
import { createHash } from 'node:crypto';
import type { FileRow } from './file-rows.ts';

export interface Proof {
  readonly size: number;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Passes bytes on and proves them; `proof` may be asked when all have gone. */
export function proving(bytes: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly proof: () => Proof;
} {
  const hash = createHash('sha256');
  let size = 0;
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      hash.update(piece);
      size += piece.byteLength;
      yield piece;
    }
  }
  return { bytes: pass(), proof: () => ({ size, sha256: hash.digest('hex') }) };
}

/** Reads all bytes. Raises what the reading raises; `progress` is told how many more have come. */
export async function prove(
  bytes: AsyncIterable<Uint8Array>,
  progress: (more: number) => void = () => undefined,
): Promise<Proof> {
  const proven = proving(bytes);
  for await (const piece of proven.bytes) progress(piece.byteLength);
  return proven.proof();
}

/** What is wrong with bytes that should be those of the row; undefined when nothing is. */
export function whatIsWrong(
  row: Pick<FileRow, 'size' | 'sha256'>,
  proof: Proof,
): 'size' | 'digest' | undefined {
  if (proof.size !== row.size) return 'size';
  return proof.sha256 === row.sha256 ? undefined : 'digest';
}
