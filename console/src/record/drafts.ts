// This file keeps what people have typed in IndexedDB, by account and form, until it is saved or discarded. It is erased at sign-out and
// after a week.
import { onSignOut } from '../session/session.ts';

export type PropertyKind = 'text' | 'number' | 'flag';

export interface Draft {
  /** Account and form, such as `12 ServiceRequests(845)`. */
  readonly id: string;
  readonly account: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** What these fields contained when they were changed; others may have changed them until the draft is restored. */
  readonly seen?: Readonly<Record<string, unknown>>;
  /** The kinds of dynamic properties that were added to the form, by name. */
  readonly added?: Readonly<Record<string, PropertyKind>>;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const DATABASE = 'docket-drafts';
const STORE = 'drafts';
/** Milliseconds. */
const LIFETIME = 7 * 86_400_000;

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function run<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  return await new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = work(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const draftId = (account: string, form: string): string => `${account} ${form}`;

export async function saveDraft(draft: Draft): Promise<void> {
  await run('readwrite', (store) => store.put(draft));
}

/** The draft of a form; undefined if there is none, or an old one. */
export async function readDraft(id: string): Promise<Draft | undefined> {
  const draft = await run<Draft | undefined>('readonly', (store) => store.get(id));
  if (draft === undefined || draft.at > Date.now() - LIFETIME) return draft;
  await eraseDraft(id);
  return undefined;
}

export async function eraseDraft(id: string): Promise<void> {
  await run('readwrite', (store) => store.delete(id));
}

/** Erases all drafts that are older than a week. */
export async function eraseOldDrafts(): Promise<void> {
  const drafts = await run<Draft[]>('readonly', (store) => store.getAll());
  const old = drafts.filter(({ at }) => at <= Date.now() - LIFETIME);
  await Promise.all(old.map(async ({ id }) => await eraseDraft(id)));
}

onSignOut(async () => {
  await run('readwrite', (store) => store.clear());
});
