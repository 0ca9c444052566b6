// Removes files that are no longer needed: released files, which no record refers to any more, and strays, which are in a store without a
// row because of a crash between storing the bytes and inserting the row. Only old strays are removed, because an upload in progress
// also has bytes without a row.
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { startJob } from '../store/background-job.ts';
import type { Database } from '../store/database.ts';
import { deleteReleased, type FileRow, knownKeys, releasedFiles } from './file-rows.ts';
import type { AttachmentStore, AttachmentStores, StoredFile } from './store.ts';

/** Intervals of the searches for released files and for strays. Milliseconds. */
const RELEASED_INTERVAL = 60_000;
const STRAY_INTERVAL = 6 * 3600 * 1000;
const HOUR = 3600 * 1000;

/** Keys per query. */
const BATCH = 500;

/**
 * If there are more strays than this, and more strays than files with a row, they are not removed automatically. They are probably not
 * leftovers of crashes but belong to another installation, or to a later state of a database that was restored from a backup.
 */
const SUSPICIOUS = 20;

export interface Sweep {
  readonly database: Database;
  readonly stores: AttachmentStores;
}

/**
 * Removes released files and returns their number. The row is deleted first, so that no row is ever without bytes. Bytes that cannot be
 * removed become strays. Throws: file.unavailable, file.not-configured, and errors of the database.
 * @param isDue whether a file may be removed now
 */
export async function sweepReleased(
  { database, stores }: Sweep,
  isDue: (file: FileRow) => boolean = () => true,
): Promise<number> {
  let count = 0;
  for await (const row of releasedFiles(database)) {
    if (!isDue(row)) continue;
    const store = stores.named(row.store);
    // Throws if the store is unavailable, before the row is deleted.
    await store.size(row.key);
    if (!(await deleteReleased(database, row))) continue;
    count += 1;
    await store.remove(row.key);
  }
  return count;
}

/** The old files of a store. */
export interface Strays {
  readonly strays: readonly StoredFile[];
  /** Number of files with a row. */
  readonly known: number;
}

/**
 * The files of a store without a row that were modified before a point in time. Throws: file.unavailable, and the signal's reason.
 * @param before milliseconds since 1970
 */
export async function findStrays(
  database: Database,
  store: AttachmentStore,
  before: number,
  signal?: AbortSignal,
): Promise<Strays> {
  const strays: StoredFile[] = [];
  let known = 0;
  for await (const batch of batches(store.list())) {
    signal?.throwIfAborted();
    const old = batch.filter((file) => file.modified.getTime() < before);
    const found = await knownKeys(
      database,
      store.name,
      old.map((file) => file.key),
    );
    known += found.size;
    strays.push(...old.filter((file) => !found.has(file.key)));
  }
  return { strays, known };
}

/** Whether there are too many strays to be leftovers of crashes. */
export function isSuspicious({ strays, known }: Strays): boolean {
  return strays.length > SUSPICIOUS && strays.length > known;
}

/** Removes those strays that still have no row, and returns their number. Throws: file.unavailable. */
export async function removeStrays(
  database: Database,
  store: AttachmentStore,
  strays: readonly StoredFile[],
): Promise<number> {
  let count = 0;
  for (const { key } of strays) {
    if ((await knownKeys(database, store.name, [key])).size > 0) continue;
    await store.remove(key);
    count += 1;
  }
  return count;
}

async function* batches(files: AsyncIterable<StoredFile>): AsyncGenerator<readonly StoredFile[]> {
  let batch: StoredFile[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** The stores must report their failures themselves, see report-failures.ts. */
export interface SweepJob extends Sweep {
  readonly world: World;
  readonly observe: Observe;
  /** Hours after which bytes without a row are strays. */
  readonly strayHours: number;
  /** Milliseconds between two searches for released files; by default a minute. */
  readonly interval?: number;
}

/** Removes unneeded files at intervals. Returns a function that stops the job and waits for a run in progress. */
export function startSweep(job: SweepJob): () => Promise<void> {
  // A request that has just read the row may be about to read the bytes, so a file is removed only when it is found a second time.
  let found: ReadonlySet<bigint> = new Set();
  const removeReleased = async () => {
    const foundBefore = found;
    const foundNow = new Set<bigint>();
    found = foundNow;
    await sweepReleased(job, ({ id }) => {
      foundNow.add(id);
      return foundBefore.has(id);
    });
  };
  const removeAllStrays = async (signal: AbortSignal) => {
    for (const store of job.stores.all) await sweepStrays(job, store, signal);
  };
  const { interval = RELEASED_INTERVAL, observe } = job;
  const stopReleased = startJob('sweep', interval, observe, () => unlessReported(removeReleased()));
  const stopStrays = startJob('sweep', STRAY_INTERVAL, observe, (signal) =>
    unlessReported(removeAllStrays(signal)),
  );
  return async () => {
    await Promise.all([stopReleased(), stopStrays()]);
  };
}

async function sweepStrays(
  job: SweepJob,
  store: AttachmentStore,
  signal: AbortSignal,
): Promise<void> {
  const { database, world, strayHours } = job;
  const found = await findStrays(database, store, world.now() - strayHours * HOUR, signal);
  if (isSuspicious(found))
    throw new Error(
      `The store "${store.name}" has ${found.strays.length} files without a record and ${found.known} with one; nothing was removed. Run "docket files check" to list them.`,
    );
  await removeStrays(database, store, found.strays);
}

/** Ignores errors of stores, which report their failures themselves. */
async function unlessReported(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isReported = error instanceof Fault && error.code.startsWith('file.');
    if (!isReported) throw error;
  }
}
