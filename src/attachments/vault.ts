// This file keeps bytes for rows: first the bytes, durable under a random key, then, by the caller, the row that names them, in the
// transaction of the record. When that comes to nothing the bytes are removed; a crash in between leaves a stray for the sweep, never
// a row without bytes. Size and digest are taken on the way in, and what is too large or not what was announced is not kept.
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import type { Transaction } from '../store/database.ts';
import type { StoredBytes } from '../store/file-names.ts';
import { proving } from './digest.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  type ByteRange,
  makeKey,
  type StoredFile,
} from './store.ts';
import type { IncomingFile } from './upload-headers.ts';

/** What files may be. */
export interface FileLimits {
  /** Bytes of one file. */
  readonly bytes: number;
  /** Media types, as image/png or image/*; none = all that are not refused. */
  readonly permitted: readonly string[];
  readonly refused: readonly string[];
  /** Bytes of all files that one account has brought. */
  readonly accountBytes?: number | undefined;
}

export interface VaultParts {
  readonly stores: AttachmentStores;
  readonly limits: FileLimits;
  readonly world: World;
  readonly see: See;
}

/** Bytes that rows name, and the rules for new ones. */
export class Vault {
  readonly limits: FileLimits;
  readonly #parts: VaultParts;

  constructor(parts: VaultParts) {
    this.#parts = parts;
    this.limits = parts.limits;
  }

  /** What is known of a file before its bytes come. Faults file.type (415), file.too-large (413). */
  check({ mediaType, length }: Pick<IncomingFile, 'mediaType' | 'length'>): void {
    const { bytes } = this.limits;
    requireType(mediaType, this.limits);
    if (length !== undefined && length > bytes) throw new Fault('file.too-large', { limit: bytes });
  }

  /** Keeps the bytes. Faults: those of `check`, of the source, and of the store; nothing is left of them then. */
  async keep(file: IncomingFile, signal?: AbortSignal): Promise<StoredBytes> {
    this.check(file);
    const { stores, world } = this.#parts;
    const { target: store } = stores;
    const key = makeKey(world.randomBytes);
    const gauge = new Gauge(this.limits.bytes);
    const sha256 = await putDigested(store, key, gauge.measure(file.bytes), signal);
    return { key, store: store.name, mediaType: file.mediaType, size: gauge.size, sha256 };
  }

  /** Removes bytes that no row has come to name. What cannot be removed now is a stray, which the sweep removes. */
  async drop({ key, store }: Pick<StoredBytes, 'key' | 'store'>): Promise<void> {
    try {
      await this.#parts.stores.named(store).remove(key);
    } catch (error) {
      this.#parts.see({ kind: 'failure', id: `file ${key}`, error });
    }
  }

  /** The bytes, or those of a range. Faults file.lost, file.unavailable, file.not-configured. */
  async open(
    { key, store }: Pick<StoredBytes, 'key' | 'store'>,
    range?: ByteRange,
  ): Promise<Readable> {
    const { stores } = this.#parts;
    try {
      return await stores.named(store).get(key, range);
    } catch (error) {
      if (!isLost(error)) throw error;
      return (await openElsewhere(stores, store, key, range)) ?? raise(error);
    }
  }

  /** All that the stores hold, strays included. */
  async *list(): AsyncGenerator<StoredFile> {
    for (const store of this.#parts.stores.all) yield* store.list();
  }

  /** Raises file.quota (413) where the files of the account have come to more than it may have. */
  requireQuota(transaction: Transaction, account: bigint): void {
    const { accountBytes: limit } = this.limits;
    if (limit === undefined) return;
    const [row] = transaction.rows(KEPT_BYTES, [account]);
    if (Number(row?.[0] ?? 0) > limit) throw new Fault('file.quota', { limit });
  }
}

/** Files are carried over to other stores while the service goes on: the bytes may stand elsewhere than the row has said. */
async function openElsewhere(
  stores: AttachmentStores,
  store: string,
  key: string,
  range: ByteRange | undefined,
): Promise<Readable | undefined> {
  for (const other of stores.all) {
    if (other.name === store) continue;
    try {
      return await other.get(key, range);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
  return undefined;
}

function isLost(error: unknown): boolean {
  return error instanceof Fault && error.code === 'file.lost';
}

function raise(error: unknown): never {
  throw error;
}

const KEPT_BYTES = `SELECT sum("size") FROM "docket_file" WHERE "account" = ? AND "state" = 'kept'`;

/** Keeps bytes and tells their SHA-256, which some stores take themselves. */
async function putDigested(
  store: AttachmentStore,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (store.putAndDigest !== undefined) return await store.putAndDigest(key, bytes, signal);
  const proven = proving(bytes);
  await store.put(key, proven.bytes, signal);
  return proven.proof().sha256;
}

/** Counts bytes that pass, and refuses those above the limit. */
class Gauge {
  readonly #limit: number;
  size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  measure(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const source = bytes[Symbol.asyncIterator]();
    const end = async (): Promise<IteratorResult<Uint8Array>> => {
      await source.return?.(undefined);
      return { done: true, value: undefined };
    };
    const next = async () => {
      const piece = await source.next();
      if (piece.done !== true) this.size += piece.value.byteLength;
      if (this.size <= this.#limit) return piece;
      await end();
      throw new Fault('file.too-large', { limit: this.#limit });
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
  }
}

function requireType(mediaType: string, { permitted, refused }: FileLimits): void {
  const [name = ''] = mediaType.toLowerCase().split(';');
  const type = name.trim();
  const isNamed = (types: readonly string[]) => types.some((one) => covers(one, type));
  if (permitted.length > 0 && !isNamed(permitted))
    throw new Fault('file.type', { type, permitted: `permitted are ${permitted.join(', ')}` });
  if (isNamed(refused))
    throw new Fault('file.type', { type, permitted: `refused are ${refused.join(', ')}` });
}

/** `image/*` covers image/png. */
function covers(pattern: string, type: string): boolean {
  const lower = pattern.toLowerCase();
  return (
    lower === type ||
    lower === '*/*' ||
    (lower.endsWith('/*') && type.startsWith(lower.slice(0, -1)))
  );
}
