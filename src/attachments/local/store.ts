// This file keeps files in a directory of this machine, spread over 256 directories by the first two digits of their keys.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Fault, invariant } from '../../base/fault.ts';
import type { ByteSource } from '../../response/response.ts';
import { type Flow, flowOf } from '../byte-streams.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  type StoredFile,
  unavailable,
} from '../store.ts';
import { byteTrials, runTrials, type Trial } from '../test-store.ts';
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

/** Bytes read at once, and bytes gathered before they are written. */
const READ_SIZE = 262_144;
const SHARE = 524_288;
/** Pieces gathered at most, for clients that send a byte at a time. */
const MOST_PIECES = 128;

/** Pieces of memory for reading that are kept at most. */
const MOST_FREE = 32;

/** Threads run compiled code only: from TypeScript sources files are written where it is asked. */
const newWriter = import.meta.url.endsWith('.ts') ? localWriter : threadedWriter;

/** A store in a directory, which is made at the first use. */
export function openLocalStore(settings: LocalSettings): AttachmentStore {
  const directory = resolve(settings.directory);
  const place = (name: string) => placeOf(directory, name);
  const writer = newWriter();
  const pieces = new Pieces();
  const putAndDigest: AttachmentStore['putAndDigest'] = async (key, bytes, signal) =>
    await put(writer.begin(place(key)), flowOf(bytes, signal));
  const store = {
    putAndDigest,
    put: async (key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
      await putAndDigest(key, bytes, signal);
    },
    get: async (key: string, range?: ByteRange) => await get(place(key), range, pieces),
    remove: async (key: string) => await remove(place(key)),
    size: async (key: string) => await sizeOf(place(key)),
  };
  return {
    name: 'local',
    ...store,
    list: () => list(directory),
    probe: () =>
      runTrials([
        directoryTrial(directory),
        ...byteTrials(store, 'Let the account of this process write there, and look for room.'),
      ]),
    close: async () => await writer.close(),
  };
}

/** Nothing but names of our own becomes a path. */
function placeOf(directory: string, name: string): string {
  invariant(isOwnName(name), `${JSON.stringify(name)} is no key of a file`);
  return join(directory, name.slice(0, 2), name);
}

/** Pieces are gathered, since each share is an errand of its own. */
async function put(file: GrowingFile, flow: Flow): Promise<string> {
  try {
    let gathered: Uint8Array[] = [];
    let size = 0;
    for await (const piece of flow) {
      gathered.push(piece);
      size += piece.byteLength;
      if (size < SHARE && gathered.length < MOST_PIECES) continue;
      await file.write(gathered);
      gathered = [];
      size = 0;
    }
    return await file.keep(gathered);
  } catch (error) {
    await file.discard();
    const broken = flow.broken();
    throw broken === undefined ? faultOf(error) : broken.error;
  }
}

async function get(place: string, range: ByteRange | undefined, pieces: Pieces): Promise<Readable> {
  try {
    const directory = dirname(place);
    requireDirectory(directory, await lstat(directory));
    return new FileStream(await open(place, O_RDONLY | O_NOFOLLOW), range, pieces);
  } catch (error) {
    throw isMissing(error) ? lost() : faultOf(error);
  }
}

/** Memory for pieces that are read, which serves again and again: where it is made anew for each, looking after it costs as much as reading. */
class Pieces {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(READ_SIZE);
  }

  giveBack({ buffer }: Uint8Array): void {
    if (this.#free.length < MOST_FREE) this.#free.push(Buffer.from(buffer));
  }
}

/** Reads piece by piece; the handle is closed with the stream, also when nobody ever reads. */
class FileStream extends Readable implements ByteSource {
  readonly #handle: FileHandle;
  readonly #range: ByteRange | undefined;
  readonly #pieces: Pieces;
  #position: number;

  constructor(handle: FileHandle, range: ByteRange | undefined, pieces: Pieces) {
    super({ highWaterMark: READ_SIZE });
    this.#handle = handle;
    this.#range = range;
    this.#pieces = pieces;
    this.#position = range?.first ?? 0;
  }

  giveBack(piece: Uint8Array): void {
    this.#pieces.giveBack(piece);
  }

  override _read(): void {
    const last = this.#range?.last ?? Number.POSITIVE_INFINITY;
    const size = Math.min(READ_SIZE, last + 1 - this.#position);
    if (size === 0) {
      this.push(null);
      return;
    }
    this.#handle.read(this.#pieces.take(), 0, size, this.#position).then(
      ({ bytesRead, buffer }) => this.#pass(buffer, bytesRead),
      (error: unknown) => this.destroy(unavailable('local', error)),
    );
  }

  #pass(buffer: Buffer, size: number): void {
    this.#position += size;
    if (size > 0) {
      this.push(buffer.subarray(0, size));
      return;
    }
    this.giveBack(buffer);
    if (this.#range === undefined) this.push(null);
    else this.destroy(lost());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#handle.close().then(
      () => done(error),
      (failure: unknown) => done(error ?? unavailable('local', failure)),
    );
  }
}

async function remove(place: string): Promise<void> {
  try {
    await rm(place, { force: true });
  } catch (error) {
    throw faultOf(error);
  }
}

async function sizeOf(place: string): Promise<number | undefined> {
  try {
    const { size } = await lstat(place);
    return size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unavailable('local', error);
  }
}

async function* list(directory: string): AsyncGenerator<StoredFile> {
  for await (const folder of entriesOf(directory)) {
    if (!folder.isDirectory() || !/^[0-9a-f]{2}$/.test(folder.name)) continue;
    const within = join(directory, folder.name);
    for await (const entry of entriesOf(within)) {
      if (!entry.isFile() || !isOwnName(entry.name)) continue;
      const found = await describe(join(within, entry.name));
      if (found !== undefined) yield { key: entry.name, ...found };
    }
  }
}

/** What goes while one is listing is not there. */
async function describe(
  place: string,
): Promise<{ readonly size: number; readonly modified: Date } | undefined> {
  try {
    const { size, mtime } = await lstat(place);
    return { size, modified: mtime };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unavailable('local', error);
  }
}

async function* entriesOf(directory: string) {
  try {
    yield* await opendir(directory);
  } catch (error) {
    if (!isMissing(error)) throw unavailable('local', error);
  }
}

function directoryTrial(directory: string): Trial {
  return {
    step: 'directory',
    run: async () => {
      makeDirectory(directory);
      const { bavail, bsize } = await statfs(directory);
      return `${directory}, ${Math.floor((bavail * bsize) / 2 ** 20).toLocaleString('en')} MiB free`;
    },
    remedy: () =>
      `Make the directory ${directory}, and let the account of this process write there; or name another one in files.local.directory.`,
  };
}

function lost(): Fault {
  return new Fault('file.lost', { store: 'local' });
}

function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new Fault('file.full', { store: 'local' });
  return unavailable('local', error);
}
