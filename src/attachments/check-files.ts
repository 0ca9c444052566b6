// This file compares rows and stores: files whose bytes are missing, of another size or with another digest, and bytes without a row. It
// can repair what can be: take strays away, and point a row to the store in which its bytes really stand.
import { Fault } from '../base/fault.ts';
import type { Database } from '../store/database.ts';
import { prove, whatIsWrong } from './digest.ts';
import { type FileRow, isUnchanged, keptFiles, moveFile } from './file-rows.ts';
import { findStrays, removeStrays } from './remove-orphans.ts';
import type { AttachmentStore, AttachmentStores, StoredFile, StoreName } from './store.ts';
import { explained } from './test-store.ts';

/** Something that is not as it should be. */
export type Finding =
  /** `elsewhere` is the store in which the right bytes were found. */
  | {
      readonly kind: 'missing' | 'size' | 'digest';
      readonly file: FileRow;
      readonly elsewhere?: StoreName;
    }
  /** The store of the file cannot be asked now, or is not configured. */
  | { readonly kind: 'unknown'; readonly file: FileRow; readonly reason: string }
  | { readonly kind: 'stray'; readonly store: StoreName; readonly file: StoredFile }
  /** A store that cannot be listed. */
  | { readonly kind: 'unlisted'; readonly store: StoreName; readonly reason: string };

export interface Check {
  readonly database: Database;
  readonly stores: AttachmentStores;
  /** Bytes without a row that were changed before this are strays. Milliseconds since 1970. */
  readonly before: number;
  /** Reads all bytes and compares their digests; else only their sizes. */
  readonly thorough: boolean;
  /** Told how many more bytes are done with. */
  readonly progress: (more: number) => void;
}

/** Everything that is not as it should be. Faults of the database. */
export async function* findings(check: Check): AsyncGenerator<Finding> {
  for (const file of keptFiles(check.database)) {
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
    yield { kind: 'unlisted', store: store.name, reason: explained(error) };
  }
}

async function examine(check: Check, file: FileRow): Promise<Finding | undefined> {
  let done = 0;
  const counting = (more: number) => {
    done += more;
    check.progress(more);
  };
  try {
    const kind = await judge(check.stores.named(file.store), file, check.thorough, counting);
    // Files go and move while they are looked at.
    if (kind === undefined || !isUnchanged(check.database, file)) return undefined;
    const elsewhere = await findElsewhere(check.stores, file);
    return { kind, file, ...(elsewhere === undefined ? {} : { elsewhere }) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'unknown', file, reason: explained(error) };
  } finally {
    check.progress(file.size - done);
  }
}

/** What is wrong with the bytes of a file in a store. Faults of the store, other than that the bytes are lost. */
async function judge(
  store: AttachmentStore,
  file: FileRow,
  thorough: boolean,
  progress?: (more: number) => void,
): Promise<'missing' | 'size' | 'digest' | undefined> {
  const size = await store.size(file.key);
  if (size === undefined) return 'missing';
  if (size !== file.size) return 'size';
  return thorough ? whatIsWrong(file, await prove(await store.get(file.key), progress)) : undefined;
}

async function findElsewhere(
  stores: AttachmentStores,
  file: FileRow,
): Promise<StoreName | undefined> {
  for (const store of stores.all) {
    if (store.name === file.store) continue;
    if ((await judge(store, file, true)) === undefined) return store.name;
  }
  return undefined;
}

/** Repairs what can be repaired; tells whether it is in order now. Faults of the store and the database. */
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
      return await moveFile(database, finding.file, finding.elsewhere);
    case 'unknown':
    case 'unlisted':
      return false;
  }
}
