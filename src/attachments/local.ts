// This file keeps files in a directory of this machine. A file is written under a temporary name, renamed, and then brought to the disk
// together with its directory, in one go: whoever is told that it is kept finds it as a whole, after a power failure too. Files are
// spread over 256 directories by the first two digits of their keys.
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Fault, invariant } from '../base/fault.ts';
import { type Flow, flowOf } from './bytes.ts';
import { Digester, type FileDigest } from './digester.ts';
import { byteTrials, runTrials, type Trial } from './probe.ts';
import { Rounds } from './rounds.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  PARTIAL,
  type StoredFile,
  unavailable,
} from './store.ts';

export interface LocalSettings {
  readonly directory: string;
}

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR, O_TRUNC } = constants;

/** Bytes read at once, and bytes gathered before they are written. */
const READ_SIZE = 262_144;
const WRITE_SIZE = 524_288;

/** Bytes from which on a file goes to the disk by itself: smaller ones do not wait for it. */
const LARGE = 4_194_304;

/** A store in a directory, which is made at the first use. */
export function openLocalStore(settings: LocalSettings): AttachmentStore {
  const directory = resolve(settings.directory);
  const place = (name: string) => placeOf(directory, name);
  const folders = new Set<string>();
  const rounds = new Rounds();
  const digester = new Digester();
  const putAndDigest: AttachmentStore['putAndDigest'] = async (key, bytes, signal) =>
    await put(place(key), { folders, rounds, digester }, flowOf(bytes, signal));
  const store = {
    putAndDigest,
    put: async (key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
      await putAndDigest(key, bytes, signal);
    },
    get: async (key: string, range?: ByteRange) => await get(place(key), range),
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
    close: async () => await digester.close(),
  };
}

/** Nothing but names of our own becomes a path. */
function placeOf(directory: string, name: string): string {
  invariant(isOwnName(name), `${JSON.stringify(name)} is no key of a file`);
  return join(directory, name.slice(0, 2), name);
}

interface Tools {
  /** Directories that are on the disk, with their entries in those above. */
  readonly folders: Set<string>;
  readonly rounds: Rounds;
  readonly digester: Digester;
}

async function put(
  place: string,
  { folders, rounds, digester }: Tools,
  flow: Flow,
): Promise<string> {
  const partial = `${place}${PARTIAL}`;
  let written = partial;
  try {
    const { handle, above } = await openNew(partial, folders);
    const digest = digester.begin(handle.fd);
    try {
      await writeAll(handle, flow, digest);
      await rename(partial, place);
      written = place;
      // The disk writes the bytes, their name and the entries in the directories down at once, rather than one after the other.
      const sha256 = digest.finish();
      // It is awaited with the others, maybe not before the next round; until then its failure is nobody's.
      sha256.catch(() => undefined);
      const directory = dirname(place);
      const bringToDisk = async () =>
        await allDone([handle.sync(), sha256, ...[directory, ...above].map(syncDirectory)]);
      await (flow.count() > LARGE ? bringToDisk() : rounds.join(bringToDisk));
      folders.add(directory);
      return await sha256;
    } catch (error) {
      digest.forget();
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(written, { force: true }).catch(() => undefined);
    const broken = flow.broken();
    throw broken === undefined ? faultOf(error) : broken.error;
  }
}

/** Waits for all, also where one of them fails: none goes on behind the others' back. */
async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** A new file, and the directories above its own that may have got new entries as well. */
interface NewFile {
  readonly handle: FileHandle;
  readonly above: readonly string[];
}

/** A directory that was there once is looked at again only when it is gone. */
async function openNew(file: string, folders: Set<string>): Promise<NewFile> {
  const directory = dirname(file);
  const openFile = async () => await open(file, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  if (folders.has(directory)) {
    try {
      return { handle: await openFile(), above: [] };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  const above = await makeDirectory(directory);
  return { handle: await openFile(), above };
}

/** Pieces are gathered while those before them are written, so that neither the source nor the disk waits for the other. */
async function writeAll(handle: FileHandle, flow: Flow, digest: FileDigest): Promise<void> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  let end = 0;
  let writing: Promise<void> | undefined;
  const writeOn = async (pieces: readonly Uint8Array[], until: number) => {
    await writePieces(handle, pieces);
    digest.take(pieces, until);
  };
  const write = async () => {
    await writing;
    end += size;
    writing = writeOn(gathered, end);
    // It is awaited before the next one; until then its failure is nobody's.
    writing.catch(() => undefined);
    gathered = [];
    size = 0;
  };
  try {
    for await (const piece of flow) {
      gathered.push(piece);
      size += piece.byteLength;
      if (size >= WRITE_SIZE) await write();
    }
    await write();
  } finally {
    await writing;
  }
}

/** A write may take less than it is given. */
async function writePieces(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const size = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (size === 0) return;
  let { bytesWritten: written } = await handle.writev([...pieces]);
  if (written === size) return;
  const rest = Buffer.concat(pieces);
  while (written < size)
    written += (await handle.write(rest, written, size - written)).bytesWritten;
}

/**
 * Makes the directory where it is not there, and tells which directories are to be brought to the disk: also for one that was there
 * already, since whoever has made it may not have come to that. Symbolic links are refused: they lead elsewhere.
 */
async function makeDirectory(directory: string): Promise<readonly string[]> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  await requireDirectory(directory);
  const parent = dirname(directory);
  return levels(made === undefined ? parent : dirname(made), parent);
}

/** The directories from one down to another. */
function levels(first: string, last: string): readonly string[] {
  return first === last ? [last] : [...levels(first, dirname(last)), last];
}

async function requireDirectory(directory: string): Promise<void> {
  if (!(await lstat(directory)).isDirectory())
    throw new Error(`${directory} is not a directory of the store`);
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function get(place: string, range: ByteRange | undefined): Promise<Readable> {
  try {
    await requireDirectory(dirname(place));
    return readFrom(await open(place, O_RDONLY | O_NOFOLLOW), range);
  } catch (error) {
    throw isMissing(error) ? lost() : faultOf(error);
  }
}

/** Reads piece by piece; the handle is closed with the stream, also when nobody ever reads. */
function readFrom(handle: FileHandle, range: ByteRange | undefined): Readable {
  let position = range?.first ?? 0;
  const end = range === undefined ? Number.POSITIVE_INFINITY : range.last + 1;
  return new Readable({
    highWaterMark: READ_SIZE,
    read() {
      const size = Math.min(READ_SIZE, end - position);
      if (size === 0) {
        this.push(null);
        return;
      }
      handle.read(Buffer.allocUnsafeSlow(size), 0, size, position).then(
        ({ bytesRead, buffer }) => {
          position += bytesRead;
          if (bytesRead > 0) this.push(buffer.subarray(0, bytesRead));
          else if (range === undefined) this.push(null);
          else this.destroy(lost());
        },
        (error: unknown) => this.destroy(unavailable('local', error)),
      );
    },
    destroy(error, done) {
      handle.close().then(
        () => done(error),
        (failure: unknown) => done(error ?? unavailable('local', failure)),
      );
    },
  });
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
      await makeDirectory(directory);
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

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
