// This file tells whoever observes the service when a store of files fails, and why: clients are only told that it does. While one reason
// lasts it is told once in a while rather than with every request.
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  gatherStores,
  type StoredFile,
} from './store.ts';
import { reasonOf } from './test-store.ts';

/** Milliseconds after which the same reason is told again. */
const AGAIN = 60_000;

/** The stores, with their failures told. */
export function watchStores(
  stores: AttachmentStores,
  see: See,
  world: Pick<World, 'elapsed'>,
): AttachmentStores {
  const watched = stores.all.map((store) => watchStore(store, see, world));
  const target = watched.find((store) => store.name === stores.target.name) ?? stores.target;
  return gatherStores(target, watched);
}

function watchStore(
  store: AttachmentStore,
  see: See,
  { elapsed }: Pick<World, 'elapsed'>,
): AttachmentStore {
  const toldAt = new Map<string, number>();
  const tell = (error: unknown) => {
    if (!(error instanceof Fault)) return;
    const reason = reasonOf(error);
    if (elapsed() - (toldAt.get(reason) ?? Number.NEGATIVE_INFINITY) < AGAIN) return;
    // Reasons with numbers in them differ from one another: only the last of them is remembered.
    toldAt.clear();
    toldAt.set(reason, elapsed());
    see({ kind: 'store of files fails', store: store.name, fault: error.code, reason });
  };
  const telling = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      tell(error);
      throw error;
    }
  };
  async function* listing(): AsyncGenerator<StoredFile> {
    try {
      yield* store.list();
    } catch (error) {
      tell(error);
      throw error;
    }
  }
  const listening = (stream: Readable): Readable => stream.once('error', tell);
  const digesting: Pick<AttachmentStore, 'putAndDigest'> = takesDigests(store)
    ? { putAndDigest: async (...asked) => await telling(store.putAndDigest(...asked)) }
    : {};
  return {
    ...store,
    ...digesting,
    put: async (key, bytes, signal) => await telling(store.put(key, bytes, signal)),
    get: async (key, range) => listening(await telling(store.get(key, range))),
    remove: async (key) => await telling(store.remove(key)),
    size: async (key) => await telling(store.size(key)),
    list: listing,
  };
}

function takesDigests(
  store: AttachmentStore,
): store is AttachmentStore & Required<Pick<AttachmentStore, 'putAndDigest'>> {
  return store.putAndDigest !== undefined;
}
