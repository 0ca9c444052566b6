// Writes one file of a local store and computes its SHA-256. The file is written under a temporary name, renamed when it is complete, and
// then synced to disk together with its directories. Once `keep` resolves, the file survives a power failure.
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

/** A file that is being written. */
export interface GrowingFile {
  /** Takes ownership of the bytes. They may not have reached the file when the promise resolves. */
  readonly write: (chunks: readonly Uint8Array[]) => Promise<void>;
  /** Writes the last bytes and makes the file permanent. Returns its SHA-256 in lower-case hexadecimal digits. */
  readonly keep: (chunks: readonly Uint8Array[]) => Promise<string>;
  /** Removes the file. Never throws. */
  readonly discard: () => Promise<void>;
}

export interface FileWriter {
  /** A new file. The file and its directory are created with the first write. */
  readonly begin: (path: string) => GrowingFile;
  readonly close: () => Promise<void>;
}

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/**
 * A writer in the calling thread. It uses synchronous calls except for syncing to disk. Its methods throw system errors.
 */
export function localWriter(): FileWriter {
  const folders = new Set<string>();
  return {
    begin: (path) => new LocalFile(path, folders),
    close: async () => undefined,
  };
}

class LocalFile implements GrowingFile {
  readonly #path: string;
  readonly #partial: string;
  /** Directories that have been synced to disk, including their entries in their parents. */
  readonly #folders: Set<string>;
  readonly #hash = createHash('sha256');
  #opened: NewFile | undefined;
  #isRenamed = false;

  constructor(path: string, folders: Set<string>) {
    this.#path = path;
    this.#partial = `${path}${PARTIAL}`;
    this.#folders = folders;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    this.#write(chunks);
  }

  /** The file and its directories are synced at the same time, which is faster than one after the other. */
  async keep(chunks: readonly Uint8Array[]): Promise<string> {
    const { file, above } = this.#write(chunks);
    renameSync(this.#partial, this.#path);
    this.#isRenamed = true;
    const directory = dirname(this.#path);
    await allDone([sync(file), ...[directory, ...above].map(syncDirectory)]);
    this.#folders.add(directory);
    this.#close();
    return this.#hash.digest('hex');
  }

  async discard(): Promise<void> {
    this.#close();
    const path = this.#isRenamed ? this.#path : this.#partial;
    await rm(path, { force: true }).catch(() => undefined);
  }

  #write(chunks: readonly Uint8Array[]): NewFile {
    this.#opened ??= openNew(this.#partial, this.#folders);
    writePieces(this.#opened.file, chunks);
    for (const chunk of chunks) this.#hash.update(chunk);
    return this.#opened;
  }

  #close(): void {
    if (this.#opened !== undefined) closeSync(this.#opened.file);
    this.#opened = undefined;
  }
}

const sync = promisify(fsync);

/** Waits for all promises, even if one rejects, so that none is still pending afterwards. */
async function allDone(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Repeats partial writes until all bytes are written. */
function writePieces(file: number, chunks: readonly Uint8Array[]): void {
  if (chunks.length === 0) return;
  let written = writevSync(file, chunks);
  const size = sizeOf(chunks);
  if (written === size) return;
  const rest = Buffer.concat(chunks);
  while (written < size) written += writeSync(file, rest, written, size - written);
}

/** The total size in bytes. */
export function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

// ---- directories ----------------------------------------------------------------------------------------------------

interface NewFile {
  /** The file descriptor. */
  readonly file: number;
  /** Directories above its own that may have new entries, too. */
  readonly above: readonly string[];
}

/** A known directory is checked again only if it has disappeared. */
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
 * Creates the directory if necessary and returns the parent directories to sync. An existing directory may not have been synced by
 * its creator, so its parent is included. Throws an Error for a symbolic link, which could point outside of the store.
 */
export function makeDirectory(directory: string): readonly string[] {
  const created = mkdirSync(directory, { recursive: true, mode: 0o700 });
  requireDirectory(directory, lstatSync(directory));
  const parent = dirname(directory);
  return levels(created === undefined ? parent : dirname(created), parent);
}

/** All directories from the first down to the last. */
function levels(first: string, last: string): readonly string[] {
  return first === last ? [last] : [...levels(first, dirname(last)), last];
}

/** Throws an Error if the path is not a directory, or a symbolic link to one. */
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

/** Whether the error is ENOENT. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The code of a system error, such as ENOSPC. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
