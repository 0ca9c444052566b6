// This file undoes the content coding of files on their way in. How large a file may be is asked of what comes out of it, so that a small
// request cannot become more than that.
// Source: RFC 9110, "Content-Encoding"; RFC 1952 for gzip.
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Fault } from '../base/fault.ts';
import type { Coding } from '../request/headers/media-types.ts';

/** The bytes without their coding, as they come. Fault request.body while reading, where they are not in it. */
export function decodedBytes(
  bytes: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncIterable<Uint8Array> {
  return coding === 'gzip' ? unzipped(bytes) : bytes;
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // What breaks the bytes ends the reading below with the same error.
  const passed = pipeline(bytes, gunzip);
  passed.catch(() => undefined);
  try {
    yield* gunzip;
    await passed;
  } catch (error) {
    const isWrong =
      error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isWrong ? new Fault('request.body', { reason: NOT_GZIP }) : error;
  }
}

/** What a body is that cannot be taken out of its coding. */
export const NOT_GZIP = 'it is not in gzip, as Content-Encoding says';
