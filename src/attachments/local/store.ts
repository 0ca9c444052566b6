// A store in a local directory. Files are distributed over 256 subdirectories by the first two digits of their keys.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ByteSource } from '../../response/response.ts';
import type { TrackedBytes } from '../byte-streams.ts';
import { lost, openStore } from '../open-store.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  type StoredFile,
  unavailable,
} from '../store.ts';
import { runSteps, type TestStep } from '../test-store.ts';
import { threadedWriter } from './threaded-writer.ts';
import {
  codeOf,
  type GrowingFile,
  isMissing,
  localWriter,
  makeDirectory,
  requireDirectory,
} from './write-file.ts';

export interface LocalSettings {
  readonly directory: string;
}

const { O_NOFOLLOW, O_RDONLY } = constants;

/** Bytes per read, and bytes that are collected before a write. */
const READ_SIZE = 262_144;
const WRITE_SIZE = 524_288;
/** Maximum number of collected chunks, for clients that send tiny chunks. */
const MAX_CHUNKS = 128;

/** Maximum number of free read buffers that are kept. */
const MAX_FREE_BUFFERS = 32;

/** Threads can run only compiled code, so the writer for TypeScript sources runs in the calling thread. */
const newWriter = import.meta.url.endsWith('.ts') ? localWriter : threadedWriter;

/** A store in a directory, which is created at its first use. */
export function openLocalStore(settings: LocalSettings): AttachmentStore {
  const directory = resolve(settings.directory);
  const path = (key: string) => join(directory, key.slice(0, 2), key);
  const writer = newWriter();
  const buffers = new BufferPool();
  return openStore({
    name: 'local',
    put: async (key, bytes) => await put(writer.begin(path(key)), bytes),
    computesDigests: true,
    get: async (key, range) => await get(path(key), range, buffers),
    remove: async (key) => await rm(path(key), { force: true }),
    size: async (key) => (await statusOf(path(key)))?.size,
    list: () => list(directory),
    isFull: (error) => FULL_CODES.has(codeOf(error)),
    probe: (steps) => runSteps([directoryStep(directory), ...steps]),
    writeRemedy:
      'Give the user of this process write permission there, and check the free disk space.',
    close: async () => await writer.close(),
  });
}

/** Error codes for a full disk or quota. */
const FULL_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Collects chunks to reduce the number of write requests. */
async function put(file: GrowingFile, bytes: TrackedBytes): Promise<string> {
  try {
    let collected: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      collected.push(chunk);
      size += chunk.byteLength;
      if (size < WRITE_SIZE && collected.length < MAX_CHUNKS) continue;
      await file.write(collected);
      collected = [];
      size = 0;
    }
    return await file.keep(collected);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function get(
  path: string,
  range: ByteRange | undefined,
  buffers: BufferPool,
): Promise<Readable> {
  try {
    const directory = dirname(path);
    requireDirectory(directory, await lstat(directory));
    return new FileStream(await open(path, O_RDONLY | O_NOFOLLOW), range, buffers);
  } catch (error) {
    throw isMissing(error) ? lost('local') : error;
  }
}

/** Reuses read buffers, because allocating and collecting one per chunk would cost as much as reading. */
class BufferPool {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(READ_SIZE);
  }

  release({ buffer }: Uint8Array): void {
    if (this.#free.length < MAX_FREE_BUFFERS) this.#free.push(Buffer.from(buffer));
  }
}

/** Reads a file in chunks. The handle is closed with the stream, even if nothing is ever read. */
class FileStream extends Readable implements ByteSource {
  readonly #handle: FileHandle;
  readonly #range: ByteRange | undefined;
  readonly #buffers: BufferPool;
  #position: number;

  constructor(handle: FileHandle, range: ByteRange | undefined, buffers: BufferPool) {
    super({ highWaterMark: READ_SIZE });
    this.#handle = handle;
    this.#range = range;
    this.#buffers = buffers;
    this.#position = range?.first ?? 0;
  }

  release(chunk: Uint8Array): void {
    this.#buffers.release(chunk);
  }

  override _read(): void {
    const last = this.#range?.last ?? Number.POSITIVE_INFINITY;
    const size = Math.min(READ_SIZE, last + 1 - this.#position);
    if (size === 0) {
      this.push(null);
      return;
    }
    this.#handle.read(this.#buffers.take(), 0, size, this.#position).then(
      ({ bytesRead, buffer }) => this.#pushRead(buffer, bytesRead),
      (error: unknown) => this.destroy(unavailable('local', error)),
    );
  }

  #pushRead(buffer: Buffer, size: number): void {
    this.#position += size;
    if (size > 0) {
      this.push(buffer.subarray(0, size));
      return;
    }
    this.release(buffer);
    if (this.#range === undefined) this.push(null);
    else this.destroy(lost('local'));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#handle.close().then(
      () => done(error),
      (failure: unknown) => done(error ?? unavailable('local', failure)),
    );
  }
}

/** The attributes of a file; undefined if it does not exist. */
async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function* list(directory: string): AsyncGenerator<StoredFile> {
  for await (const folder of entriesOf(directory)) {
    if (!folder.isDirectory() || !/^[0-9a-f]{2}$/.test(folder.name)) continue;
    const subdirectory = join(directory, folder.name);
    for await (const entry of entriesOf(subdirectory)) {
      if (!entry.isFile() || !isOwnName(entry.name)) continue;
      // The file may have been removed during the listing.
      const found = await statusOf(join(subdirectory, entry.name));
      if (found !== undefined) yield { key: entry.name, size: found.size, modified: found.mtime };
    }
  }
}

async function* entriesOf(directory: string) {
  try {
    yield* await opendir(directory);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function directoryStep(directory: string): TestStep {
  return {
    step: 'directory',
    run: async () => {
      makeDirectory(directory);
      const { bavail, bsize } = await statfs(directory);
      return `${directory}, ${Math.floor((bavail * bsize) / 2 ** 20).toLocaleString('en')} MiB free`;
    },
    remedy: () =>
      `Create the directory ${directory} and give the user of this process write permission, or set files.local.directory to another one.`,
  };
}
