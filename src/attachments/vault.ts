// Stores the bytes of files before their rows: first the bytes under a random key, then the caller inserts the row with that key in the
// transaction of the record. If the transaction fails, the bytes are removed. A crash in between leaves a stray for the sweep, but never
// a row without bytes. Size and digest are computed while the bytes arrive, and files that are too large are rejected.
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import type { Work } from '../store/database.ts';
import type { FileMetadata } from '../store/stored-files.ts';
import { query } from '../store/work.ts';
import { trackBytes } from './byte-streams.ts';
import { type AttachmentStores, type ByteRange, makeKey } from './store.ts';
import type { IncomingFile } from './upload-headers.ts';

export interface FileLimits {
  /** Maximum size of a file. */
  readonly bytes: number;
  /** Media types such as image/png or image/*. An empty list permits all that are not in `refused`. */
  readonly permitted: readonly string[];
  readonly refused: readonly string[];
  /** Maximum total size of the files that an account has uploaded. */
  readonly accountBytes?: number | undefined;
}

export interface VaultParts {
  readonly stores: AttachmentStores;
  readonly limits: FileLimits;
  readonly world: World;
  readonly observe: Observe;
}

/** The content of files, and the limits for new files. */
export class Vault {
  readonly limits: FileLimits;
  readonly #parts: VaultParts;

  constructor(parts: VaultParts) {
    this.#parts = parts;
    this.limits = parts.limits;
  }

  /** Checks what is known of a file before its bytes arrive. Throws: file.type, file.too-large. */
  check({
    mediaType,
    length,
    isExempt = false,
  }: Omit<IncomingFile, 'bytes' | 'name' | 'fileName'>) {
    if (isExempt) return;
    const { bytes } = this.limits;
    requireType(mediaType, this.limits);
    if (length !== undefined && length > bytes) throw new Fault('file.too-large', { limit: bytes });
  }

  /** Stores the bytes. Nothing remains after an error. Throws: file.type, file.too-large, file.full, file.unavailable, errors of the source. */
  async keep(file: IncomingFile, signal?: AbortSignal): Promise<FileMetadata> {
    this.check(file);
    const { stores, world } = this.#parts;
    const { target: store } = stores;
    const key = makeKey(world.randomBytes);
    const limit = file.isExempt === true ? Number.POSITIVE_INFINITY : this.limits.bytes;
    const bytes = trackBytes(file.bytes, { limit });
    const sha256 = await store.put(key, bytes, signal);
    return { key, store: store.name, mediaType: file.mediaType, size: bytes.count(), sha256 };
  }

  /** Removes bytes without a row. If that fails, the sweep removes them later as a stray. */
  async drop({ key, store }: Pick<FileMetadata, 'key' | 'store'>): Promise<void> {
    try {
      await this.#parts.stores.named(store).remove(key);
    } catch (error) {
      this.#parts.observe({ kind: 'failure', id: `file ${key}`, error });
    }
  }

  /** The content of a file, or a range of it. Throws: file.lost, file.unavailable, file.not-configured. */
  async open(
    { key, store }: Pick<FileMetadata, 'key' | 'store'>,
    range?: ByteRange,
  ): Promise<Readable> {
    const { stores } = this.#parts;
    try {
      return await stores.named(store).get(key, range);
    } catch (error) {
      const isLost = error instanceof Fault && error.code === 'file.lost';
      const found = isLost ? await openElsewhere(stores, store, key, range) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  }

  /** Checks the total size of the account's files. Throws: file.quota. */
  *requireQuota(account: bigint): Work<void> {
    const { accountBytes: limit } = this.limits;
    if (limit === undefined) return;
    const { rows } = yield query(KEPT_BYTES, [account]);
    if (Number(rows[0]?.[0] ?? 0) > limit) throw new Fault('file.quota', { limit });
  }
}

/** Looks for a file in the other stores. `docket files move` may have moved it since its row was read. */
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

const KEPT_BYTES = sql`SELECT sum("size") FROM ${tableName('docket_file')} WHERE "account" = ${ARGUMENT} AND "state" = 'kept'`;

function requireType(mediaType: string, { permitted, refused }: FileLimits): void {
  const [name = ''] = mediaType.toLowerCase().split(';');
  const type = name.trim();
  const isIn = (types: readonly string[]) => types.some((one) => covers(one, type));
  if (permitted.length > 0 && !isIn(permitted))
    throw new Fault('file.type', { type, permitted: `permitted are ${permitted.join(', ')}` });
  if (isIn(refused))
    throw new Fault('file.type', { type, permitted: `not permitted are ${refused.join(', ')}` });
}

/** Whether a pattern such as `image/*` includes a media type. */
function covers(pattern: string, type: string): boolean {
  const lower = pattern.toLowerCase();
  return (
    lower === type ||
    lower === '*/*' ||
    (lower.endsWith('/*') && type.startsWith(lower.slice(0, -1)))
  );
}
