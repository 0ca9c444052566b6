// This file writes one file of a directory. It gets a temporary name, is renamed when it is whole, and is then brought to the disk
// together with its directory, in one go: whoever is told that it is kept finds it as a whole, after a power failure too. Its SHA-256 is
// taken on the way.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  writeSync,
  writevSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { PARTIAL } from '../store.ts';

/** A file that is being written, whoever writes it. */
export interface GrowingFile {
  /** Takes the bytes for itself: nobody else may look at them again. They are on their way when this is done. */
  readonly write: (pieces: readonly Uint8Array[]) => Promise<void>;
  /** Writes the last bytes and keeps the file: gives its SHA-256 in lower-case hexadecimal digits. */
  readonly keep: (pieces: readonly Uint8Array[]) => Promise<string>;
  /** Takes away what there is of it. Raises nothing. */
  readonly discard: () => Promise<void>;
}

/** Who writes files. */
export interface FileWriter {
  /** A new file in this place, whose directory is made where it is not there. Nothing happens before the first bytes come. */
  readonly begin: (place: string) => GrowingFile;
  readonly close: () => Promise<void>;
}

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/**
 * A writer that writes where it is asked, and waits for the disk only where a file is brought to it: everything else is done on the spot.
 * Its methods raise the errors of the system.
 */
export function localWriter(): FileWriter {
  const folders = new Set<string>();
  return {
    begin: (place) => new LocalFile(place, folders),
    close: async () => undefined,
  };
}

class LocalFile implements GrowingFile {
  readonly #place: string;
  readonly #partial: string;
  /** Directories that are on the disk, with their entries in those above. */
  readonly #folders: Set<string>;
  readonly #hash = createHash('sha256');
  #opened: NewFile | undefined;
  #isRenamed = false;

  constructor(place: string, folders: Set<string>) {
    this.#place = place;
    this.#partial = `${place}${PARTIAL}`;
    this.#folders = folders;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#write(pieces);
  }

  /** The disk writes the bytes, their name and the entries in the directories down at once, rather than one after the other. */
  async keep(pieces: readonly Uint8Array[]): Promise<string> {
    const { file, above } = this.#write(pieces);
    renameSync(this.#partial, this.#place);
    this.#isRenamed = true;
    const directory = dirname(this.#place);
    await allDone([sync(file), ...[directory, ...above].map(syncDirectory)]);
    this.#folders.add(directory);
    this.#close();
    return this.#hash.digest('hex');
  }

  async discard(): Promise<void> {
    this.#close();
    const left = this.#isRenamed ? this.#place : this.#partial;
    await rm(left, { force: true }).catch(() => undefined);
  }

  #write(pieces: readonly Uint8Array[]): NewFile {
    this.#opened ??= openNew(this.#partial, this.#folders);
    writePieces(this.#opened.file, pieces);
    for (const piece of pieces) this.#hash.update(piece);
    return this.#opened;
  }

  #close(): void {
    if (this.#opened !== undefined) closeSync(this.#opened.file);
    this.#opened = undefined;
  }
}

const sync = promisify(fsync);

/** Waits for all, also where one of them fails: none goes on behind the others' back. */
async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** A write may take less than it is given. */
function writePieces(file: number, pieces: readonly Uint8Array[]): void {
  if (pieces.length === 0) return;
  let written = writevSync(file, pieces);
  const size = sizeOf(pieces);
  if (written === size) return;
  const rest = Buffer.concat(pieces);
  while (written < size) written += writeSync(file, rest, written, size - written);
}

/** Bytes of all pieces. */
export function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

// ---- directories ----------------------------------------------------------------------------------------------------

/** A new file, and the directories above its own that may have got new entries as well. */
interface NewFile {
  /** Its descriptor. */
  readonly file: number;
  readonly above: readonly string[];
}

/** A directory that was there once is looked at again only when it is gone. */
function openNew(name: string, folders: Set<string>): NewFile {
  const directory = dirname(name);
  const openFile = () => openSync(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  if (folders.has(directory)) {
    try {
      return { file: openFile(), above: [] };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  const above = makeDirectory(directory);
  return { file: openFile(), above };
}

/**
 * Makes the directory where it is not there, and tells which directories are to be brought to the disk: also for one that was there
 * already, since whoever has made it may not have come to that. Symbolic links are refused: they lead elsewhere.
 */
export function makeDirectory(directory: string): readonly string[] {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  requireDirectory(directory, lstatSync(directory));
  const parent = dirname(directory);
  return levels(made === undefined ? parent : dirname(made), parent);
}

/** The directories from one down to another. */
function levels(first: string, last: string): readonly string[] {
  return first === last ? [last] : [...levels(first, dirname(last)), last];
}

/** Raises an error where what was found is none, or a symbolic link to one. */
export function requireDirectory(directory: string, found: Stats): void {
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory of the store`);
}

async function syncDirectory(directory: string): Promise<void> {
  const opened = openSync(directory, O_RDONLY);
  try {
    await sync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Whether the system says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The system's name of a mistake, as ENOSPC. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
