// This file carries files over to another store while the service goes on. For each: the bytes are copied, read back and proven by size
// and SHA-256, then the row is told where they stand now, then the bytes in the old store are taken away. It may be broken off at any
// point: a file is always whole where its row says, and the next run goes on with those that are left.
import { Fault } from '../base/fault.ts';
import type { Database } from '../store/database.ts';
import { prove, whatIsWrong } from './digest.ts';
import { type FileRow, filesElsewhere, moveFile } from './file-rows.ts';
import type { AttachmentStore, AttachmentStores } from './store.ts';
import { explained } from './test-store.ts';

export interface Move {
  readonly database: Database;
  readonly stores: AttachmentStores;
  readonly to: AttachmentStore;
  /** Files at a time. */
  readonly width: number;
  /** Told how many more bytes are done with. */
  readonly progress: (more: number) => void;
  /** Milliseconds for which bytes stay where they were, for those who are about to read them there; 5 seconds. */
  readonly grace?: number;
  /** Breaks the move off; files that are under way stay where they are. */
  readonly signal?: AbortSignal;
}

/** A file that could not be carried over; it stays where it is. */
export interface Unmoved {
  readonly file: FileRow;
  readonly reason: string;
}

export interface Moved {
  readonly files: number;
  readonly unmoved: readonly Unmoved[];
}

const GRACE = 5000;

/** Files that may fail before the move is given up: then it is the store rather than the file. */
const MOST_UNMOVED = 20;

/** Carries everything over that stands elsewhere. Faults of the database; those of the stores are told by file. */
export async function moveFiles(move: Move): Promise<Moved> {
  const rows = filesElsewhere(move.database, move.to.name);
  const unmoved: Unmoved[] = [];
  const leaving = new Set<Promise<void>>();
  let files = 0;
  const carry = async () => {
    for (const file of rows) {
      if (move.signal?.aborted || unmoved.length >= MOST_UNMOVED) return;
      const reason = await attempt(move, file, leaving);
      if (reason === undefined) files += 1;
      else unmoved.push({ file, reason });
    }
  };
  await Promise.all(Array.from({ length: move.width }, carry));
  await Promise.all(leaving);
  return { files, unmoved };
}

/** Why a file could not be carried over; undefined when it was. */
async function attempt(
  move: Move,
  file: FileRow,
  leaving: Set<Promise<void>>,
): Promise<string | undefined> {
  try {
    return await moveOne(move, file, leaving);
  } catch (error) {
    if (move.signal?.aborted) return 'broken off';
    if (error instanceof Fault) return explained(error);
    throw error;
  }
}

async function moveOne(
  move: Move,
  file: FileRow,
  leaving: Set<Promise<void>>,
): Promise<string | undefined> {
  const { database, stores, to, progress, signal } = move;
  const from = stores.named(file.store);
  let isMoved = false;
  await to.put(file.key, told(await from.get(file.key), progress), signal);
  try {
    const wrong = whatIsWrong(file, await prove(await to.get(file.key)));
    if (wrong !== undefined)
      return `the ${wrong} is not the one that was stored; see docket files check`;
    isMoved = await moveFile(database, file, to.name);
  } finally {
    if (!isMoved) await to.remove(file.key);
  }
  // It was released or moved by somebody else meanwhile: either way there is nothing left to do.
  if (isMoved) {
    const left = removeLater(from, file.key, move.grace ?? GRACE);
    leaving.add(left);
    left.then(
      () => leaving.delete(left),
      () => undefined,
    );
  }
  return undefined;
}

async function removeLater(from: AttachmentStore, key: string, grace: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, grace));
  await from.remove(key).catch(leaveToSweep);
}

/** What stays behind is a stray, and the sweep takes it. */
function leaveToSweep(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

async function* told(
  bytes: AsyncIterable<Uint8Array>,
  progress: (more: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    // Whoever takes the piece may take its memory away.
    const { byteLength } = piece;
    yield piece;
    progress(byteLength);
  }
}
