// A store in S3-compatible object storage. Objects are created atomically. Unfinished multipart uploads are listed as leftovers and can
// be removed like files.
// Source: Amazon S3 API Reference, "Actions".
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { TrackedBytes } from '../byte-streams.ts';
import { Semaphore } from '../concurrency-limit.ts';
import { lost, openStore } from '../open-store.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  PARTIAL,
  type StoredFile,
  unavailable,
} from '../store.ts';
import { runSteps, type TestStep } from '../test-store.ts';
import {
  createSender,
  disableTimeout,
  elements,
  finish,
  type Query,
  S3Error,
  type S3Settings,
  type Send,
  textOf,
} from './request.ts';
import { abortUpload, upload } from './upload.ts';

interface Storage {
  readonly settings: S3Settings;
  readonly send: Send;
  readonly semaphore: Semaphore;
}

/** A store in an existing bucket. */
export function openS3Store(settings: S3Settings): AttachmentStore {
  const semaphore = new Semaphore(settings.uploads);
  const storage: Storage = { settings, send: createSender(settings), semaphore };
  const objectOf = (key: string) => `${settings.prefix}${key}`;
  return openStore({
    name: 's3',
    put: async (key, bytes, signal) => await put(storage, objectOf(key), bytes, signal),
    get: async (key, range) => await get(storage, objectOf(key), range),
    remove: async (key) => await remove(storage, objectOf(key)),
    size: async (key) => await headSize(storage.send, objectOf(key)),
    list: () => list(storage),
    isFull,
    probe: (steps) => runSteps([...bucketSteps(storage), ...steps]),
    writeRemedy: 'Grant the key s3:PutObject for objects under files.s3.prefix.',
    close: async () => undefined,
  });
}

async function put(
  { settings, send, semaphore }: Storage,
  object: string,
  bytes: TrackedBytes,
  signal: AbortSignal | undefined,
): Promise<void> {
  const release = await semaphore.enter(settings.timeoutSeconds * 1000, signal);
  try {
    await upload({ send, object, signal }, bytes);
    const stored = await headSize(send, object);
    if (stored !== bytes.count())
      throw new Error(`the storage stored ${stored ?? 'none'} of ${bytes.count()} bytes`);
  } catch (error) {
    // A request without a response may still have succeeded.
    await removeObject(send, object).catch(() => undefined);
    throw error;
  } finally {
    release();
  }
}

async function get(
  { settings, send }: Storage,
  object: string,
  range: ByteRange | undefined,
): Promise<Readable> {
  const headers = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
  const response = await send({ method: 'GET', object, headers }).catch((error: unknown) => {
    throw isMissing(error) ? lost('s3') : error;
  });
  const length = lengthOf(response, range);
  if (length !== undefined) return readFrom(response, length, settings.timeoutSeconds);
  response.destroy();
  throw lost('s3');
}

/** The expected number of bytes; undefined if the storage cannot return the whole range. */
function lengthOf(
  { statusCode, headers }: IncomingMessage,
  range: ByteRange | undefined,
): number | undefined {
  if (range === undefined) return Number(headers['content-length']);
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
  const isCovered = Number(first) === range.first && Number(last) >= range.last;
  return statusCode === 206 && isCovered ? range.last - range.first + 1 : undefined;
}

/**
 * Streams the body, limited to the expected length, because some storages return more. The stream fails if the body ends too early, or if
 * no data arrives for too long while the reader is waiting.
 */
function readFrom(response: IncomingMessage, length: number, timeoutSeconds: number): Readable {
  let missing = length;
  let timer: NodeJS.Timeout | undefined;
  const fail = (reason: unknown) => output.destroy(unavailable('s3', reason));
  const restartTimer = () => {
    clearTimeout(timer);
    const silence = new Error(`no data for ${timeoutSeconds} seconds`);
    timer = setTimeout(() => fail(silence), timeoutSeconds * 1000);
  };
  const output = new Readable({
    read() {
      restartTimer();
      response.resume();
    },
    destroy(error, done) {
      clearTimeout(timer);
      if (missing > 0) response.destroy();
      done(error);
    },
  });
  const close = (reason?: unknown) => {
    clearTimeout(timer);
    if (missing === 0) output.push(null);
    else fail(reason ?? new Error(`${missing} bytes are missing`));
  };
  disableTimeout(response);
  response.on('data', (chunk: Buffer) => {
    const slice = chunk.subarray(0, missing);
    missing -= slice.byteLength;
    restartTimer();
    if (slice.byteLength > 0 && !output.push(slice)) {
      clearTimeout(timer);
      response.pause();
    }
    if (slice.byteLength < chunk.byteLength) response.destroy();
  });
  response.pause();
  response.on('error', close);
  response.on('close', () => close());
  return output;
}

async function headSize(send: Send, object: string): Promise<number | undefined> {
  try {
    const response = await send({ method: 'HEAD', object });
    await finish(response);
    return Number(response.headers['content-length']);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function remove({ send }: Storage, object: string): Promise<void> {
  if (!object.endsWith(PARTIAL)) {
    await removeObject(send, object);
    return;
  }
  const whole = object.slice(0, -PARTIAL.length);
  for await (const { object: found, uploadId } of listUploads(send, whole))
    if (found === whole) await abortUpload(send, found, uploadId);
}

async function removeObject(send: Send, object: string): Promise<void> {
  try {
    await finish(await send({ method: 'DELETE', object }));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function* list({ settings, send }: Storage): AsyncGenerator<StoredFile> {
  const { prefix } = settings;
  let token: string | undefined;
  do {
    const page = await listPage(send, prefix, token);
    for (const content of elements(page, 'Contents')) {
      const file = describe(content, prefix);
      if (file !== undefined) yield file;
    }
    [token] = elements(page, 'NextContinuationToken');
  } while (token !== undefined);
  yield* listLeftovers(send, prefix);
}

async function listPage(send: Send, prefix: string, token?: string): Promise<string> {
  const query = { 'list-type': '2', prefix, 'continuation-token': token };
  return await textOf(await send({ method: 'GET', object: '', query }));
}

function describe(content: string, prefix: string): StoredFile | undefined {
  const [name = ''] = elements(content, 'Key');
  const [size = ''] = elements(content, 'Size');
  const [modified = ''] = elements(content, 'LastModified');
  const key = name.slice(prefix.length);
  return isOwnName(key) ? { key, size: Number(size), modified: new Date(modified) } : undefined;
}

/** The unfinished multipart uploads that the storage lists. Their sizes are unknown. */
async function* listLeftovers(send: Send, prefix: string): AsyncGenerator<StoredFile> {
  for await (const { object, started } of listUploads(send, prefix)) {
    const key = `${object.slice(prefix.length)}${PARTIAL}`;
    if (isOwnName(key)) yield { key, size: 0, modified: started };
  }
}

interface OpenUpload {
  readonly object: string;
  readonly uploadId: string;
  readonly started: Date;
}

/** Storage that does not support listing uploads (501) removes unfinished ones itself. */
async function* listUploads(send: Send, prefix: string): AsyncGenerator<OpenUpload> {
  let marker: Query | undefined = {};
  while (marker !== undefined) {
    const page: string = await uploadsPage(send, { uploads: '', prefix, ...marker });
    for (const found of elements(page, 'Upload')) {
      const [object = ''] = elements(found, 'Key');
      const [uploadId = ''] = elements(found, 'UploadId');
      const [started = ''] = elements(found, 'Initiated');
      yield { object, uploadId, started: new Date(started) };
    }
    marker = nextMarker(page);
  }
}

function nextMarker(page: string): Query | undefined {
  const [key] = elements(page, 'NextKeyMarker');
  const [upload] = elements(page, 'NextUploadIdMarker');
  if (elements(page, 'IsTruncated')[0] !== 'true' || key === undefined) return undefined;
  return { 'key-marker': key, 'upload-id-marker': upload };
}

async function uploadsPage(send: Send, query: Query): Promise<string> {
  try {
    return await textOf(await send({ method: 'GET', object: '', query }));
  } catch (error) {
    if (error instanceof S3Error && error.status === 501) return '';
    throw error;
  }
}

function bucketSteps({ settings, send }: Storage): readonly TestStep[] {
  const { endpoint, bucket, region } = settings;
  const listNothing = async () => {
    // No object has this prefix, so the list is short even in a large bucket.
    await listPage(send, `${settings.prefix}${'0'.repeat(32)}`);
  };
  const listAccepting = async (isAccepted: (status: number) => boolean) => {
    await listNothing().catch((error: unknown) => {
      if (!(error instanceof S3Error && isAccepted(error.status))) throw error;
    });
  };
  return [
    {
      step: 'reach',
      run: async () => {
        await listAccepting(() => true);
        return endpoint;
      },
      remedy: () =>
        'Check files.s3.endpoint and the firewalls in between. If the host name does not include the bucket, set files.s3.pathStyle to true.',
    },
    {
      step: 'log in',
      run: async () => {
        await listAccepting((status) => status === 404 || (status >= 300 && status < 400));
        return `with the key ${settings.accessKey.slice(0, 4)}…`;
      },
      remedy: () =>
        'Check files.s3.accessKey, files.s3.secretKey and files.s3.region, the clock of this machine, and whether the key has s3:ListBucket.',
    },
    {
      step: 'bucket',
      run: async () => {
        await listNothing();
        return `${bucket} in ${region}`;
      },
      remedy: () =>
        `Create the bucket ${bucket} in ${region}, or set files.s3.bucket to another one.`,
    },
  ];
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof S3Error &&
    (error.status === 416 || error.code === 'NoSuchKey' || isBareMissing(error))
  );
}

/** Responses to HEAD have no body and therefore no error code of the storage. */
function isBareMissing({ status, code }: S3Error): boolean {
  return status === 404 && (code === '' || code === 'NotFound' || code === 'NoSuchUpload');
}

/** Error codes of various storages for a full disk or quota. */
const FULL_CODES = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'InsufficientStorage',
  'EntityTooLarge',
]);

function isFull(error: unknown): boolean {
  return error instanceof S3Error && (error.status === 507 || FULL_CODES.has(error.code));
}
