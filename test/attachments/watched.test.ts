// This file checks that failures of a store are told once in a while, with their reason.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openLocalStore } from '../../src/attachments/local/store.ts';
import { withFailureReports } from '../../src/attachments/report-failures.ts';
import { type AttachmentStore, combineStores, unavailable } from '../../src/attachments/store.ts';
import { Fault } from '../../src/base/fault.ts';
import type { Observation } from '../../src/base/observation.ts';
import { gather, newKey, pieces } from '../contracts/attachment-store.ts';
import { fixedWorld } from '../world.ts';

/** A store that fails with the reason that is given. */
function failing(reason: () => string): AttachmentStore {
  const fail = async () => {
    throw unavailable('ftp', new Error(reason()));
  };
  const get = async () =>
    new Readable({
      read() {
        this.destroy(unavailable('ftp', new Error(reason())));
      },
    });
  const local = openLocalStore({ directory: '/nowhere' });
  return { ...local, name: 'ftp', put: fail, get, size: fail, remove: fail };
}

async function* interrupted(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x');
  throw new Fault('file.interrupted');
}

describe('a store that fails', () => {
  it('is told with the reason, once in a while', async () => {
    const seen: Observation[] = [];
    const world = fixedWorld();
    let reason = 'ECONNREFUSED';
    const store = failing(() => reason);
    const { target } = withFailureReports(
      combineStores(store, [store]),
      (what) => seen.push(what),
      world,
    );
    const x = () => pieces(Buffer.from('x'));
    for (let time = 0; time < 2; time++)
      await expect(target.put(newKey(), x())).rejects.toMatchObject({ code: 'file.unavailable' });
    await expect(target.size(newKey())).rejects.toMatchObject({ code: 'file.unavailable' });
    const told = { kind: 'store of files fails', store: 'ftp', fault: 'file.unavailable' };
    expect(seen).toEqual([{ ...told, reason: 'ECONNREFUSED' }]);
    world.advance(60_000);
    await expect(target.remove(newKey())).rejects.toMatchObject({ code: 'file.unavailable' });
    reason = '530 Login incorrect.';
    await expect(gather(await target.get(newKey()))).rejects.toMatchObject({
      code: 'file.unavailable',
    });
    expect(seen.slice(1)).toEqual([
      { ...told, reason: 'ECONNREFUSED' },
      { ...told, reason: '530 Login incorrect.' },
    ]);
  });

  it('is not told of for the mistakes of clients', async () => {
    const seen: Observation[] = [];
    const local = openLocalStore({ directory: mkdtempSync(join(tmpdir(), 'docket-store-')) });
    const stores = combineStores(local, [local]);
    const { target } = withFailureReports(stores, (what) => seen.push(what), fixedWorld());
    const gone = AbortSignal.abort(new Error('the client has gone'));
    await expect(target.put(newKey(), pieces(Buffer.from('x')), gone)).rejects.toThrow('gone');
    await expect(target.put(newKey(), interrupted())).rejects.toMatchObject({
      code: 'file.interrupted',
    });
    expect(seen).toEqual([]);
  });
});
