// Compares rows and stores. It finds files that are missing or have the wrong size or digest, and strays. It can remove strays, and
// correct the store in the row of a file that is in another store.
import { Fault } from '../base/fault.ts';
import type { Database } from '../store/database.ts';
import { digestOf, mismatch } from './digest.ts';
import { changeStore, type FileRow, isUnchanged, keptFiles } from './file-rows.ts';
import { findStrays, removeStrays } from './remove-orphans.ts';
import type { AttachmentStore, AttachmentStores, StoredFile, StoreName } from './store.ts';
import { messageWithCause } from './test-store.ts';

/** A difference between rows and stores. */
export type Finding =
  /** `elsewhere` is the store in which the file was found instead. */
  | {
      readonly kind: 'missing' | 'size' | 'digest';
      readonly file: FileRow;
      readonly elsewhere?: StoreName;
    }
  /** The store of the file is unavailable or not configured. */
  | { readonly kind: 'unknown'; readonly file: FileRow; readonly reason: string }
  | { readonly kind: 'stray'; readonly store: StoreName; readonly file: StoredFile }
  /** A store that cannot be listed. */
  | { readonly kind: 'unlisted'; readonly store: StoreName; readonly reason: string };

export interface Check {
  readonly database: Database;
  readonly stores: AttachmentStores;
  /** Files without a row that were modified before this time are strays. Milliseconds since 1970. */
  readonly before: number;
  /** Whether to compare digests, which reads all files, or only sizes. */
  readonly thorough: boolean;
  /** Called with the number of bytes processed since the last call. */
  readonly progress: (more: number) => void;
}

/** All differences. Throws only errors of the database. */
export async function* findings(check: Check): AsyncGenerator<Finding> {
  for await (const file of keptFiles(check.database)) {
    const finding = await examine(check, file);
    if (finding !== undefined) yield finding;
  }
  for (const store of check.stores.all) yield* strayFindings(check, store);
}

async function* strayFindings(check: Check, store: AttachmentStore): AsyncGenerator<Finding> {
  try {
    const { strays } = await findStrays(check.database, store, check.before);
    for (const file of strays) yield { kind: 'stray', store: store.name, file };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    yield { kind: 'unlisted', store: store.name, reason: messageWithCause(error) };
  }
}

async function examine(check: Check, file: FileRow): Promise<Finding | undefined> {
  let done = 0;
  const advance = (more: number) => {
    done += more;
    check.progress(more);
  };
  try {
    const kind = await compare(check.stores.named(file.store), file, check.thorough, advance);
    // The file may have been removed or moved during the check.
    if (kind === undefined || !(await isUnchanged(check.database, file))) return undefined;
    const elsewhere = await findElsewhere(check.stores, file);
    return { kind, file, ...(elsewhere === undefined ? {} : { elsewhere }) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'unknown', file, reason: messageWithCause(error) };
  } finally {
    check.progress(file.size - done);
  }
}

/** What is wrong with a file in a store; undefined if nothing is. Throws: file.unavailable. */
async function compare(
  store: AttachmentStore,
  file: FileRow,
  thorough: boolean,
  progress?: (more: number) => void,
): Promise<'missing' | 'size' | 'digest' | undefined> {
  const size = await store.size(file.key);
  if (size === undefined) return 'missing';
  if (size !== file.size) return 'size';
  return thorough ? mismatch(file, await digestOf(await store.get(file.key), progress)) : undefined;
}

async function findElsewhere(
  stores: AttachmentStores,
  file: FileRow,
): Promise<StoreName | undefined> {
  for (const store of stores.all) {
    if (store.name === file.store) continue;
    if ((await compare(store, file, true)) === undefined) return store.name;
  }
  return undefined;
}

/** Fixes a difference if possible, and returns whether it did. Throws: file.unavailable, and errors of the database. */
export async function repair(check: Check, finding: Finding): Promise<boolean> {
  const { database, stores } = check;
  switch (finding.kind) {
    case 'stray': {
      await removeStrays(database, stores.named(finding.store), [finding.file]);
      return true;
    }
    case 'missing':
    case 'size':
    case 'digest':
      if (finding.elsewhere === undefined) return false;
      return await changeStore(database, finding.file, finding.elsewhere);
    case 'unknown':
    case 'unlisted':
      return false;
  }
}
