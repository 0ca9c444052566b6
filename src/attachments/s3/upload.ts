// Uploads files of unknown length to object storage: small ones in one request, others as multipart uploads with two parts in memory.
// A failed upload is aborted. The object exists only when the upload has been completed.
// Source: Amazon S3 User Guide, "Uploading and copying objects using multipart upload".
import type { TrackedBytes } from '../byte-streams.ts';
import { elements, finish, type Send, textOf } from './request.ts';

/** The minimum size of all parts but the last. */
const PART_SIZE = 5 * 2 ** 20;

interface Upload {
  readonly send: Send;
  readonly object: string;
  readonly signal: AbortSignal | undefined;
}

/** Uploads all bytes. Throws the errors of `send` and of the bytes, after aborting the upload if the storage is reachable. */
export async function upload(upload: Upload, bytes: TrackedBytes): Promise<void> {
  const parts = inParts(bytes);
  try {
    const first = await parts.next();
    if (first.done === true) {
      await putWhole(upload, Buffer.alloc(0));
      return;
    }
    const second = await parts.next();
    if (second.done === true) await putWhole(upload, first.value);
    else await putInParts(upload, startingWith(first.value, second.value, parts));
  } finally {
    await parts.return(undefined);
  }
}

/**
 * The bytes in parts of equal size, except for the last. Two buffers are filled in turn, so a part is overwritten when the part after
 * the next one is requested.
 */
async function* inParts(bytes: TrackedBytes): AsyncGenerator<Uint8Array, void> {
  let [filling, resting] = [Buffer.allocUnsafeSlow(PART_SIZE), Buffer.allocUnsafeSlow(PART_SIZE)];
  let size = 0;
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.byteLength; ) {
      const slice = chunk.subarray(start, start + PART_SIZE - size);
      filling.set(slice, size);
      start += slice.byteLength;
      size += slice.byteLength;
      if (size < PART_SIZE) continue;
      yield filling;
      [filling, resting] = [resting, filling];
      size = 0;
    }
  }
  if (size > 0) yield filling.subarray(0, size);
}

async function* startingWith(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield second;
  yield* rest;
}

async function putWhole({ send, object, signal }: Upload, body: Uint8Array) {
  await finish(await send({ method: 'PUT', object, body }, signal));
}

async function putInParts(upload: Upload, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const { send, object, signal } = upload;
  const created = await textOf(
    await send({ method: 'POST', object, query: { uploads: '' } }, signal),
  );
  const [uploadId = ''] = elements(created, 'UploadId');
  try {
    const tags = await sendParts(upload, uploadId, parts);
    const list = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`,
    );
    const headers = { 'Content-Type': 'application/xml' };
    await textOf(
      await send({ method: 'POST', object, query: { uploadId }, headers, body }, signal),
    );
  } catch (error) {
    await abortUpload(send, object, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Sends a part while the next one is being filled. Returns the ETags of the parts in order. */
async function sendParts(
  { send, object, signal }: Upload,
  uploadId: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<readonly string[]> {
  const tags: string[] = [];
  const sendPart = async (partNumber: string, body: Uint8Array) => {
    const query = { partNumber, uploadId };
    const response = await send({ method: 'PUT', object, query, body }, signal);
    await finish(response);
    tags.push(response.headers.etag ?? '');
  };
  let sending = Promise.resolve();
  let count = 0;
  try {
    for await (const part of parts) {
      await sending;
      count += 1;
      sending = sendPart(String(count), part);
      // The promise is awaited in the next iteration. Until then its rejection must not count as unhandled.
      sending.catch(() => undefined);
    }
  } finally {
    await sending.catch(() => undefined);
  }
  await sending;
  return tags;
}

/** Aborts a multipart upload and removes its parts. */
export async function abortUpload(send: Send, object: string, uploadId: string): Promise<void> {
  await finish(await send({ method: 'DELETE', object, query: { uploadId } }));
}
