// Reports failures of stores with their reasons, which clients do not get, to the log. A persistent failure is reported once a minute
// instead of with every request. Mistakes of clients are not failures of a store, although it is the store that reads their uploads.
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  combineStores,
  type StoredFile,
} from './store.ts';
import { reasonOf } from './test-store.ts';

/** Milliseconds after which the same reason is reported again. */
const REPEAT_AFTER = 60_000;

/** The stores with reporting. */
export function withFailureReports(
  stores: AttachmentStores,
  observe: Observe,
  world: Pick<World, 'elapsed'>,
): AttachmentStores {
  const reporting = stores.all.map((store) => reportingStore(store, observe, world));
  const target = reporting.find((store) => store.name === stores.target.name) ?? stores.target;
  return combineStores(target, reporting);
}

function reportingStore(
  store: AttachmentStore,
  observe: Observe,
  { elapsed }: Pick<World, 'elapsed'>,
): AttachmentStore {
  const reportedAt = new Map<string, number>();
  const report = (error: unknown) => {
    if (!(error instanceof Fault) || error.status < 500) return;
    const reason = reasonOf(error);
    if (elapsed() - (reportedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER) return;
    // Only the last reason is kept, because reasons that contain numbers could fill the memory.
    reportedAt.clear();
    reportedAt.set(reason, elapsed());
    observe({ kind: 'store of files fails', store: store.name, fault: error.code, reason });
  };
  const reporting = async <Result>(work: Promise<Result>): Promise<Result> => {
    work.catch(report);
    return await work;
  };
  async function* list(): AsyncGenerator<StoredFile> {
    try {
      yield* store.list();
    } catch (error) {
      report(error);
      throw error;
    }
  }
  const reportingStream = (stream: Readable): Readable => stream.once('error', report);
  return {
    ...store,
    put: async (key, bytes, signal) => await reporting(store.put(key, bytes, signal)),
    get: async (key, range) => reportingStream(await reporting(store.get(key, range))),
    remove: async (key) => await reporting(store.remove(key)),
    size: async (key) => await reporting(store.size(key)),
    list,
  };
}
