// Decodes the content coding of uploaded files. Size limits apply to the decoded bytes, so that a small request cannot expand beyond them.
// Source: RFC 9110, "Content-Encoding"; RFC 1952 for gzip.
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Fault } from '../base/fault.ts';
import type { Coding } from '../request/headers/media-types.ts';

/** The decoded bytes. Throws while reading: request.body, if the bytes are not in that coding. */
export function decodedBytes(
  bytes: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncIterable<Uint8Array> {
  return coding === 'gzip' ? unzipped(bytes) : bytes;
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // An error of the source also ends the loop over gunzip, with the same error.
  const finished = pipeline(bytes, gunzip);
  finished.catch(() => undefined);
  try {
    yield* gunzip;
    await finished;
  } catch (error) {
    const isInvalid =
      error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isInvalid ? new Fault('request.body', { reason: INVALID_GZIP }) : error;
  }
}

export const INVALID_GZIP = 'it is not valid gzip, although Content-Encoding is gzip';
