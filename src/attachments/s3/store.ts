// This file keeps files in object storage that speaks the S3 protocol. An object comes to be as a whole or not at all; uploads in parts
// that were broken off are listed as leftovers and can be taken away like them.
// Source: Amazon S3 API Reference, "Actions".
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Fault, invariant } from '../../base/fault.ts';
import { type Flow, flowOf } from '../byte-streams.ts';
import { Gate } from '../concurrency-limit.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  PARTIAL,
  type StoredFile,
  unavailable,
} from '../store.ts';
import { byteTrials, runTrials, type Trial } from '../test-store.ts';
import {
  elements,
  finish,
  S3Error,
  type S3Settings,
  type Send,
  sender,
  textOf,
  unwatch,
} from './request.ts';
import { takeBack, upload } from './upload.ts';

/** What the functions of this file share. */
interface Storage {
  readonly settings: S3Settings;
  readonly send: Send;
  readonly gate: Gate;
}

/** A store in a bucket, which must be there. */
export function openS3Store(settings: S3Settings): AttachmentStore {
  const storage: Storage = { settings, send: sender(settings), gate: new Gate(settings.uploads) };
  const on = async <Result>(key: string, work: (object: string) => Promise<Result>) => {
    const object = objectOf(settings, key);
    return await translated(async () => await work(object));
  };
  const store = {
    put: async (key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) =>
      await put(storage, objectOf(settings, key), flowOf(bytes, signal), signal),
    get: async (key: string, range?: ByteRange) =>
      await on(key, async (object) => await get(storage, object, range)),
    remove: async (key: string) => await on(key, async (object) => await remove(storage, object)),
    size: async (key: string) =>
      await on(key, async (object) => await headSize(storage.send, object)),
  };
  return {
    name: 's3',
    ...store,
    list: () => list(storage),
    probe: () =>
      runTrials([
        ...bucketTrials(storage),
        ...byteTrials(store, 'Let the key write objects (s3:PutObject) under files.s3.prefix.'),
      ]),
    close: async () => undefined,
  };
}

/** Nothing but names of our own becomes part of an address. */
function objectOf({ prefix }: S3Settings, name: string): string {
  invariant(isOwnName(name), `${JSON.stringify(name)} is no key of a file`);
  return `${prefix}${name}`;
}

async function put(
  { settings, send, gate }: Storage,
  object: string,
  flow: Flow,
  signal: AbortSignal | undefined,
): Promise<void> {
  const leave = await gate.enter(settings.timeoutSeconds * 1000, signal).catch((error: unknown) => {
    throw signal?.aborted ? error : unavailable('s3', error);
  });
  try {
    await upload({ send, object, signal }, flow);
    const kept = await headSize(send, object);
    if (kept !== flow.count())
      throw new Error(`the storage kept ${kept ?? 'none'} of ${flow.count()} bytes`);
  } catch (error) {
    const broken = flow.broken();
    // Nobody knows whether a request that was not answered was done.
    await removeObject(send, object).catch(() => undefined);
    if (broken !== undefined) throw broken.error;
    throw signal?.aborted ? signal.reason : faultOf(error);
  } finally {
    leave();
  }
}

async function get(
  { settings, send }: Storage,
  object: string,
  range: ByteRange | undefined,
): Promise<Readable> {
  const headers = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
  const response = await send({ method: 'GET', object, headers }).catch((error: unknown) => {
    throw isMissing(error) ? lost() : error;
  });
  const length = lengthOf(response, range);
  if (length !== undefined) return readFrom(response, length, settings.timeoutSeconds);
  response.destroy();
  throw lost();
}

/** Bytes that must come; undefined when the storage has not all that is asked for. */
function lengthOf(
  { statusCode, headers }: IncomingMessage,
  range: ByteRange | undefined,
): number | undefined {
  if (range === undefined) return Number(headers['content-length']);
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
  const isThere = Number(first) === range.first && Number(last) >= range.last;
  return statusCode === 206 && isThere ? range.last - range.first + 1 : undefined;
}

/**
 * The body as it comes, and no more of it than is wanted, since some storages give more. A silence that is too long while somebody
 * waits, and an end that comes too soon, break the stream.
 */
function readFrom(response: IncomingMessage, length: number, timeoutSeconds: number): Readable {
  let missing = length;
  let timer: NodeJS.Timeout | undefined;
  const breakOff = (reason: unknown) => output.destroy(unavailable('s3', reason));
  const watch = () => {
    clearTimeout(timer);
    const silence = new Error(`silent for ${timeoutSeconds} seconds`);
    timer = setTimeout(() => breakOff(silence), timeoutSeconds * 1000);
  };
  const output = new Readable({
    read() {
      watch();
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
    else breakOff(reason ?? new Error(`${missing} bytes did not come`));
  };
  unwatch(response);
  response.on('data', (piece: Buffer) => {
    const wanted = piece.subarray(0, missing);
    missing -= wanted.byteLength;
    watch();
    if (wanted.byteLength > 0 && !output.push(wanted)) {
      clearTimeout(timer);
      response.pause();
    }
    if (wanted.byteLength < piece.byteLength) response.destroy();
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
    if (found === whole) await takeBack(send, found, uploadId);
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
    const page = await translated(async () => await listPage(send, prefix, token));
    for (const content of elements(page, 'Contents')) {
      const file = describe(content, prefix);
      if (file !== undefined) yield file;
    }
    [token] = elements(page, 'NextContinuationToken');
  } while (token !== undefined);
  yield* listLeftovers(send, prefix);
}

async function listPage(send: Send, prefix: string, token: string | undefined): Promise<string> {
  const further = token === undefined ? {} : { 'continuation-token': token };
  const query = { 'list-type': '2', prefix, ...further };
  return await textOf(await send({ method: 'GET', object: '', query }));
}

function describe(content: string, prefix: string): StoredFile | undefined {
  const [name = ''] = elements(content, 'Key');
  const [size = ''] = elements(content, 'Size');
  const [modified = ''] = elements(content, 'LastModified');
  const key = name.slice(prefix.length);
  return isOwnName(key) ? { key, size: Number(size), modified: new Date(modified) } : undefined;
}

/** Uploads in parts that are not completed, as far as the storage lists them; what they hold cannot be told in bytes. */
async function* listLeftovers(send: Send, prefix: string): AsyncGenerator<StoredFile> {
  try {
    for await (const { object, begun } of listUploads(send, prefix)) {
      const key = `${object.slice(prefix.length)}${PARTIAL}`;
      if (isOwnName(key)) yield { key, size: 0, modified: begun };
    }
  } catch (error) {
    throw faultOf(error);
  }
}

interface OpenUpload {
  readonly object: string;
  readonly uploadId: string;
  readonly begun: Date;
}

/** Storage that knows no list of uploads (501) removes what is left of them by itself. */
async function* listUploads(send: Send, prefix: string): AsyncGenerator<OpenUpload> {
  let marker: Readonly<Record<string, string>> | undefined = {};
  while (marker !== undefined) {
    const page: string = await uploadsPage(send, { uploads: '', prefix, ...marker });
    for (const found of elements(page, 'Upload')) {
      const [object = ''] = elements(found, 'Key');
      const [uploadId = ''] = elements(found, 'UploadId');
      const [begun = ''] = elements(found, 'Initiated');
      yield { object, uploadId, begun: new Date(begun) };
    }
    marker = nextMarker(page);
  }
}

function nextMarker(page: string): Readonly<Record<string, string>> | undefined {
  const [key] = elements(page, 'NextKeyMarker');
  const [upload] = elements(page, 'NextUploadIdMarker');
  if (elements(page, 'IsTruncated')[0] !== 'true' || key === undefined) return undefined;
  return { 'key-marker': key, ...(upload === undefined ? {} : { 'upload-id-marker': upload }) };
}

async function uploadsPage(send: Send, query: Readonly<Record<string, string>>): Promise<string> {
  try {
    return await textOf(await send({ method: 'GET', object: '', query }));
  } catch (error) {
    if (error instanceof S3Error && error.status === 501) return '';
    throw error;
  }
}

function bucketTrials({ settings, send }: Storage): readonly Trial[] {
  const { endpoint, bucket, region } = settings;
  const look = async () => {
    // A key that is not there: the list is empty, however many files there are.
    const query = { 'list-type': '2', prefix: `${settings.prefix}${'0'.repeat(32)}` };
    await textOf(await send({ method: 'GET', object: '', query }));
  };
  const unless = async (isFine: (status: number) => boolean) => {
    await look().catch((error: unknown) => {
      if (!(error instanceof S3Error && isFine(error.status))) throw error;
    });
  };
  return [
    {
      step: 'reach',
      run: async () => {
        await unless(() => true);
        return endpoint;
      },
      remedy: () =>
        'Look at files.s3.endpoint and at firewalls in between; where the bucket is not in the name of the host, set files.s3.pathStyle to true.',
    },
    {
      step: 'log in',
      run: async () => {
        await unless((status) => status === 404 || (status >= 300 && status < 400));
        return `with the key ${settings.accessKey.slice(0, 4)}…`;
      },
      remedy: () =>
        'Look at files.s3.accessKey, files.s3.secretKey and files.s3.region, at the clock of this machine, and whether the key may list the bucket (s3:ListBucket).',
    },
    {
      step: 'bucket',
      run: async () => {
        await look();
        return `${bucket} in ${region}`;
      },
      remedy: () =>
        `Make the bucket ${bucket} in ${region}, or name another one in files.s3.bucket.`,
    },
  ];
}

function lost(): Fault {
  return new Fault('file.lost', { store: 's3' });
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof S3Error &&
    (error.status === 416 || error.code === 'NoSuchKey' || isBareMissing(error))
  );
}

/** HEAD is answered without a body, and so without the storage's own word. */
function isBareMissing({ status, code }: S3Error): boolean {
  return status === 404 && (code === '' || code === 'NotFound' || code === 'NoSuchUpload');
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Words with which storages of several makers say that they have no room. */
const FULL = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'InsufficientStorage',
  'EntityTooLarge',
]);

function faultOf(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const isFull = error instanceof S3Error && (error.status === 507 || FULL.has(error.code));
  return isFull ? new Fault('file.full', { store: 's3' }) : unavailable('s3', error);
}
