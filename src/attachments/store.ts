// This file defines what the service needs of a store of files, wherever it keeps them: a directory, an FTP server, object storage.
// A store knows keys and bytes only. Which record a file belongs to, its name and its digest stand in the database.
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';

export const STORE_NAMES = ['local', 'ftp', 's3'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

/** First and last byte, counted from 0, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** What a store holds under a key; a key that no row of the database names is a stray. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** One thing that was tried with a store, and how it went. */
export type ProbeStep =
  | { readonly kind: 'done'; readonly step: string; readonly detail: string }
  /** `reason` is what went wrong, `remedy` what the administrator can do about it. */
  | {
      readonly kind: 'failed';
      readonly step: string;
      readonly reason: string;
      readonly remedy: string;
    };

/**
 * A store of files. Keys are random names of the server's own, lower-case hexadecimal digits (`isKey`).
 * Every method raises file.unavailable (503 with Retry-After) when the store is out of reach, refuses or is too slow.
 */
export interface AttachmentStore {
  readonly name: StoreName;
  /**
   * Keeps all bytes under the key. They are durable and whole when the promise is kept; nothing of them is left when it is broken,
   * or is at least nothing that counts: what a crash or a lost connection leaves is listed, mostly under a key that `isKey` denies. After
   * a power failure a file that nobody was told of may stand under its key, and be short.
   * The pieces belong to the store from then on: their memory may be handed over to another thread.
   * A mistake of `bytes` is raised as it is, the reason of the signal too. Fault file.full when there is no room.
   */
  readonly put: (
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ) => Promise<void>;
  /** The same, where a store takes the digest of the bytes besides: their SHA-256 in lower-case hexadecimal digits. */
  readonly putAndDigest?: (
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ) => Promise<string>;
  /**
   * The bytes, all or those of the range, which must lie in the file. Whoever stops reading destroys the stream. Fault file.lost
   * when there is nothing under the key; a stream that breaks off raises file.unavailable.
   */
  readonly get: (key: string, range?: ByteRange) => Promise<Readable>;
  /** Takes the bytes away; no mistake when there is nothing. */
  readonly remove: (key: string) => Promise<void>;
  /** Everything that is there, in no order, leftovers of broken uploads included. */
  readonly list: () => AsyncIterable<StoredFile>;
  /** Bytes under the key; undefined when there is nothing. */
  readonly size: (key: string) => Promise<number | undefined>;
  /** Tries the store step by step, to the first that fails: reach, log in, directory, write, read back, remove. Raises nothing. */
  readonly probe: () => AsyncIterable<ProbeStep>;
  /** Ends what is open. No other method may be called afterwards. */
  readonly close: () => Promise<void>;
}

/** The stores of an installation. A file is read from the store that its row names; new files go to the target. */
export interface AttachmentStores {
  readonly target: AttachmentStore;
  /** The store of that name. Fault file.not-configured when the installation has no settings for it. */
  readonly named: (name: string) => AttachmentStore;
  /** All that are configured, the target first. */
  readonly all: readonly AttachmentStore[];
  readonly close: () => Promise<void>;
}

/** The stores as one value; `all` holds at most one of each name, the target among them. */
export function gatherStores(
  target: AttachmentStore,
  all: readonly AttachmentStore[],
): AttachmentStores {
  const byName = new Map<string, AttachmentStore>(all.map((store) => [store.name, store]));
  return {
    target,
    named: (name) => {
      const store = byName.get(name);
      if (store === undefined) throw new Fault('file.not-configured', { store: name });
      return store;
    },
    all: [target, ...all.filter((store) => store !== target)],
    close: async () => {
      await Promise.all(all.map((store) => store.close()));
    },
  };
}

/** Seconds after which a client may ask again for bytes that were out of reach. */
const RETRY_AFTER = 30;

/** The store is out of reach, refuses or is too slow; the reason is for the log, not for the client. */
export function unavailable(store: StoreName, cause?: unknown): Fault {
  const fault = new Fault(
    'file.unavailable',
    { store },
    { headers: { 'Retry-After': String(RETRY_AFTER) } },
  );
  fault.cause = cause;
  return fault;
}

/** A key made of 16 random bytes. */
export function makeKey(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(16)).toString('hex');
}

/** What is behind the key in the name under which bytes stand until they are whole. */
export const PARTIAL = '.part';

/** Whether a name is a key of this service, rather than a leftover or something foreign. */
export function isKey(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

/** Whether a name in a store is of this service: a key, or what a broken upload under that key has left. */
export function isOwnName(name: string): boolean {
  return isKey(name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name);
}
