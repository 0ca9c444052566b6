// This file takes away bytes that nobody needs: files that no record points to any more, and strays, which are in a store without a row
// because a crash came between the bytes and the row. A stray must be old, since bytes come before their row while a file is uploaded.
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import type { Database } from '../store/database.ts';
import { type FileRow, forgetFile, knownKeys, releasedFiles } from './file-rows.ts';
import type { AttachmentStore, AttachmentStores, StoredFile } from './store.ts';

/** How often released files are looked for, and how often the stores are gone through for strays. Milliseconds. */
const RELEASED_INTERVAL = 60_000;
const STRAY_INTERVAL = 6 * 3600 * 1000;
const HOUR = 3600 * 1000;

/** Keys that are looked up at once. */
const BATCH = 500;

/**
 * More strays than this, and more of them than of files with a row, are not taken away without being asked to: rather than left by
 * crashes they belong to another installation, or to a later state of a database that was put back.
 */
const SUSPICIOUS = 20;

export interface Sweep {
  readonly database: Database;
  readonly stores: AttachmentStores;
}

/**
 * Takes away the files that no record points to: first the row, then the bytes, so that no row is ever without bytes. Gives their
 * number. Faults of the database; bytes that cannot be removed now are strays from then on.
 * @param mayGo whether a file may be taken away now
 */
export async function sweepReleased(
  { database, stores }: Sweep,
  mayGo: (file: FileRow) => boolean = () => true,
): Promise<number> {
  let count = 0;
  for (const row of releasedFiles(database)) {
    if (!mayGo(row)) continue;
    const store = stores.named(row.store);
    // Raises what is wrong with the store while the row still tells of the bytes.
    await store.size(row.key);
    if (!(await forgetFile(database, row))) continue;
    count += 1;
    await store.remove(row.key);
  }
  return count;
}

/** What a store holds that is old enough to be judged. */
export interface Strays {
  readonly strays: readonly StoredFile[];
  /** Files with a row. */
  readonly known: number;
}

/**
 * Files of a store without a row that were changed before a point in time (milliseconds since 1970). Faults of the store; the signal's
 * reason once it is given.
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
    const found = knownKeys(
      database,
      store.name,
      old.map((file) => file.key),
    );
    known += found.size;
    strays.push(...old.filter((file) => !found.has(file.key)));
  }
  return { strays, known };
}

/** Whether so many strays have another reason than crashes. */
export function isSuspicious({ strays, known }: Strays): boolean {
  return strays.length > SUSPICIOUS && strays.length > known;
}

/** Takes strays away, each only if it has no row by now. Gives their number. */
export async function removeStrays(
  database: Database,
  store: AttachmentStore,
  strays: readonly StoredFile[],
): Promise<number> {
  let count = 0;
  for (const { key } of strays) {
    if (knownKeys(database, store.name, [key]).size > 0) continue;
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

/** What the duty needs; the stores tell their failures themselves (report-failures.ts). */
export interface SweepDuty extends Sweep {
  readonly world: World;
  readonly see: See;
  /** Hours after which bytes without a row are strays. */
  readonly strayHours: number;
  /** Milliseconds between two looks for released files; a minute. */
  readonly interval?: number;
}

/** Sweeps now and then, from now on. Gives what ends that, and waits for what is under way. */
export function startSweep(duty: SweepDuty): () => Promise<void> {
  // Who has just read the row may be about to read the bytes: they go when they are seen for the second time.
  let seen: ReadonlySet<bigint> = new Set();
  const released = repeatedly(duty.interval ?? RELEASED_INTERVAL, duty.see, async () => {
    const before = seen;
    const now = new Set<bigint>();
    seen = now;
    await sweepReleased(duty, ({ id }) => {
      now.add(id);
      return before.has(id);
    });
  });
  const strays = repeatedly(STRAY_INTERVAL, duty.see, async (signal) => {
    for (const store of duty.stores.all) await sweepStrays(duty, store, signal);
  });
  return async () => {
    await Promise.all([released(), strays()]);
  };
}

async function sweepStrays(
  duty: SweepDuty,
  store: AttachmentStore,
  signal: AbortSignal,
): Promise<void> {
  const { database, world, strayHours } = duty;
  const found = await findStrays(database, store, world.now() - strayHours * HOUR, signal);
  if (isSuspicious(found))
    throw new Error(
      `${found.strays.length} files of the store "${store.name}" have no row, more than have one (${found.known}); nothing was removed. "docket files check" shows them.`,
    );
  await removeStrays(database, store, found.strays);
}

/** Does something now and at each interval, one after the other; failures are told and the next time comes all the same. */
function repeatedly(
  interval: number,
  see: See,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const once = async () => {
    if (signal.aborted) return;
    await work(signal).catch((error: unknown) => {
      // Stores that fail have told so themselves, and are tried again the next time.
      const isTold = error instanceof Fault && error.code.startsWith('file.');
      if (!signal.aborted && !isTold) see({ kind: 'failure', id: 'sweep', error });
    });
  };
  let underWay = once();
  const timer = setInterval(() => {
    underWay = underWay.then(once);
  }, interval);
  timer.unref();
  return async () => {
    stop.abort();
    clearInterval(timer);
    await underWay;
  };
}
