// Moves files to another store while the service is running. Each file is copied, read back and verified by size and SHA-256; then the
// store in its row is changed, and the file in the old store is removed. The move may be interrupted at any point: a file is always
// complete in the store of its row, and the next run continues with the remaining files.
import { Fault } from '../base/fault.ts';
import type { Database } from '../store/database.ts';
import { digestOf, mismatch } from './digest.ts';
import { changeStore, type FileRow, keptFiles } from './file-rows.ts';
import type { AttachmentStore, AttachmentStores } from './store.ts';
import { messageWithCause } from './test-store.ts';

export interface Move {
  readonly database: Database;
  readonly stores: AttachmentStores;
  readonly to: AttachmentStore;
  /** Number of files that are moved at the same time. */
  readonly width: number;
  /** Called with the number of bytes processed since the last call. */
  readonly progress: (more: number) => void;
  /** Milliseconds before a file is removed from the old store, for requests that are about to read it; by default 5 seconds. */
  readonly grace?: number;
  /** Interrupts the move. Files in progress stay where they are. */
  readonly signal?: AbortSignal;
}

/** A file that could not be moved and stays where it is. */
interface Unmoved {
  readonly file: FileRow;
  readonly reason: string;
}

export interface Moved {
  readonly files: number;
  readonly unmoved: readonly Unmoved[];
}

const GRACE = 5000;

/** Number of failed files after which the move stops, because the problem is probably the store. */
const MAX_UNMOVED = 20;

/** Moves all files that are in other stores. Errors of stores are returned per file; errors of the database are thrown. */
export async function moveFiles(move: Move): Promise<Moved> {
  const rows = keptFiles(move.database, move.to.name);
  const unmoved: Unmoved[] = [];
  const removals = new Set<Promise<void>>();
  let files = 0;
  const moveNext = async () => {
    for await (const file of rows) {
      if (move.signal?.aborted || unmoved.length >= MAX_UNMOVED) return;
      const reason = await attempt(move, file, removals);
      if (reason === undefined) files += 1;
      else unmoved.push({ file, reason });
    }
  };
  await Promise.all(Array.from({ length: move.width }, moveNext));
  await Promise.all(removals);
  return { files, unmoved };
}

/** Moves a file. Returns the reason if it could not be moved. */
async function attempt(
  move: Move,
  file: FileRow,
  removals: Set<Promise<void>>,
): Promise<string | undefined> {
  try {
    return await moveOne(move, file, removals);
  } catch (error) {
    if (move.signal?.aborted) return 'interrupted';
    if (error instanceof Fault) return messageWithCause(error);
    throw error;
  }
}

async function moveOne(
  move: Move,
  file: FileRow,
  removals: Set<Promise<void>>,
): Promise<string | undefined> {
  const { database, stores, to } = move;
  const from = stores.named(file.store);
  let isMoved = false;
  await copyFile(move, from, file);
  try {
    const difference = mismatch(file, await digestOf(await to.get(file.key)));
    if (difference !== undefined)
      return `the ${difference} differs from the one in the database; run "docket files check"`;
    isMoved = await changeStore(database, file, to.name);
  } finally {
    if (!isMoved) await to.remove(file.key);
  }
  // Otherwise the file has been released or moved in the meantime, and there is nothing left to do.
  if (isMoved) {
    const removal = removeLater(from, file.key, move.grace ?? GRACE);
    removals.add(removal);
    removal.then(
      () => removals.delete(removal),
      () => undefined,
    );
  }
  return undefined;
}

async function copyFile(
  { to, progress, signal }: Move,
  from: AttachmentStore,
  file: FileRow,
): Promise<void> {
  const bytes = await from.get(file.key);
  try {
    await to.put(file.key, withProgress(bytes, progress), signal);
  } finally {
    // A store that is out of reach has not begun to read.
    bytes.destroy();
  }
}

async function removeLater(from: AttachmentStore, key: string, grace: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, grace));
  await from.remove(key).catch((error: unknown) => {
    // After an error of the store, the remaining file is a stray, which the sweep removes.
    if (!(error instanceof Fault)) throw error;
  });
}

async function* withProgress(
  bytes: AsyncIterable<Uint8Array>,
  progress: (more: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    // The reader may transfer the chunk's memory, which would change its length.
    const { byteLength } = chunk;
    yield chunk;
    progress(byteLength);
  }
}
