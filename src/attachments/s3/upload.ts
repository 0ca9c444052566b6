// This file sends a file whose length nobody knows yet to object storage: small ones in one request, others in parts of which two are in
// memory at a time. An upload that breaks is taken back; until it is completed there is no object.
// Source: Amazon S3 User Guide, "Uploading and copying objects using multipart upload".
import type { Flow } from '../byte-streams.ts';
import { elements, finish, type Send, textOf } from './request.ts';

/** Bytes of a part: the least that the storage takes for all parts but the last. */
const PART_SIZE = 5 * 2 ** 20;

interface Upload {
  readonly send: Send;
  readonly object: string;
  readonly signal: AbortSignal | undefined;
}

/** Sends all bytes. Raises what `send` and the flow raise; nothing stays behind then, as far as the storage can be reached. */
export async function upload(upload: Upload, flow: Flow): Promise<void> {
  const parts = inParts(flow);
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
 * The bytes in parts of one size, the last excepted. Two pieces of memory are filled in turn: a part is overwritten when the one after
 * the next is asked for.
 */
async function* inParts(flow: Flow): AsyncGenerator<Uint8Array, void> {
  let [filling, resting] = [Buffer.allocUnsafeSlow(PART_SIZE), Buffer.allocUnsafeSlow(PART_SIZE)];
  let size = 0;
  for await (const piece of flow) {
    for (let start = 0; start < piece.byteLength; ) {
      const taken = piece.subarray(start, start + PART_SIZE - size);
      filling.set(taken, size);
      start += taken.byteLength;
      size += taken.byteLength;
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
  const begun = await textOf(
    await send({ method: 'POST', object, query: { uploads: '' } }, signal),
  );
  const [uploadId = ''] = elements(begun, 'UploadId');
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
    await takeBack(send, object, uploadId).catch(() => undefined);
    throw error;
  }
}

/** One part is on its way while the next is gathered. Gives the storage's tags of the parts, in order. */
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
  let underWay = Promise.resolve();
  let count = 0;
  try {
    for await (const part of parts) {
      await underWay;
      count += 1;
      underWay = sendPart(String(count), part);
      // It is awaited in the next round; until then its failure is nobody's.
      underWay.catch(() => undefined);
    }
  } finally {
    await underWay.catch(() => undefined);
  }
  await underWay;
  return tags;
}

/** Gives an upload up, with the parts that have come. */
export async function takeBack(send: Send, object: string, uploadId: string): Promise<void> {
  await finish(await send({ method: 'DELETE', object, query: { uploadId } }));
}
