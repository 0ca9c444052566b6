// This file checks the duties beside requests: the sweep, the check, the move to another store.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Check, type Finding, findings, repair } from '../../src/attachments/check-files.ts';
import { openLocalStore } from '../../src/attachments/local/store.ts';
import { type Move, moveFiles } from '../../src/attachments/move-files.ts';
import {
  findStrays,
  isSuspicious,
  startSweep,
  sweepReleased,
} from '../../src/attachments/remove-orphans.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  combineStores,
  unavailable,
} from '../../src/attachments/store.ts';
import type { Observation } from '../../src/base/observation.ts';
import { MODULE_TABLES } from '../../src/cli/wire.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { engineTables } from '../../src/store/model-tables.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change } from '../../src/store/work.ts';
import { gather, listed, newKey, pieces } from '../contracts/attachment-store.ts';
import { fixedWorld } from '../world.ts';
import { writeAll } from '../write-all.ts';

const DAY = 24 * 3600 * 1000;

let folder: string;
let database: SqliteDatabase;
let near: AttachmentStore;
let far: AttachmentStore;
let stores: AttachmentStores;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-upkeep-'));
  database = openSqlite({ file: join(folder, 'docket.db') });
  database.define(engineTables(SQLITE, MODULE_TABLES));
  database.define([
    'CREATE TABLE "holder" ("file" INTEGER REFERENCES "docket_file" DEFERRABLE INITIALLY DEFERRED)',
  ]);
  near = openLocalStore({ directory: join(folder, 'near') });
  far = { ...openLocalStore({ directory: join(folder, 'far') }), name: 's3' };
  stores = combineStores(near, [near, far]);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

interface Made {
  readonly key: string;
  readonly bytes: Buffer;
}

let made = 0n;

/** A row, and its bytes in the store that it names. */
async function keep(store: AttachmentStore, state = 'kept', size = 2000): Promise<Made> {
  const key = newKey();
  const bytes = randomBytes(size);
  await store.put(key, pieces(bytes));
  await addRow(key, store.name, bytes, state);
  return { key, bytes };
}

async function addRow(key: string, store: string, bytes: Buffer, state = 'kept'): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  made += 1n;
  const values = [made, 'text/plain', BigInt(bytes.byteLength), digest, state, '2026', key, store];
  const text = `INSERT INTO "docket_file" ("id", "media_type", "size", "sha256", "state", "created", "key", "store") VALUES (${values.map(() => '?').join(', ')})`;
  await writeAll(database, change(text, values));
}

function rows(): Record<string, string> {
  const found = database.read('SELECT "key", "store" FROM "docket_file" ORDER BY "id"', []);
  return Object.fromEntries(found.map(([key, store]) => [String(key), String(store)]));
}

const keys = async (store: AttachmentStore) => (await listed(store)).map((file) => file.key);

/** Bytes in the near store without a row, as old as is said. */
function strayed(days: number, suffix = ''): string {
  const key = newKey();
  const name = `${key}${suffix}`;
  const place = join(folder, 'near', key.slice(0, 2));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), 'left behind');
  const when = new Date(Date.now() - days * DAY);
  utimesSync(join(place, name), when, when);
  return name;
}

/** A store of which everything is out of reach. */
function broken(store: AttachmentStore): AttachmentStore {
  const fail = async () => {
    throw unavailable(store.name);
  };
  return { ...store, put: fail, get: fail, remove: fail, size: fail };
}

describe('the sweep', () => {
  it('takes released files away, row and bytes, and leaves the others', async () => {
    const kept = await keep(near);
    await keep(near, 'released');
    await keep(far, 'released');
    expect(await sweepReleased({ database, stores })).toBe(2);
    expect(Object.keys(rows())).toEqual([kept.key]);
    expect(await keys(near)).toEqual([kept.key]);
    expect(await keys(far)).toEqual([]);
  });

  it('leaves the row of a released file while its store is out of reach', async () => {
    const { key } = await keep(far, 'released');
    const out = combineStores(near, [near, broken(far)]);
    await expect(sweepReleased({ database, stores: out })).rejects.toMatchObject({
      code: 'file.unavailable',
    });
    expect(rows()).toEqual({ [key]: 's3' });
    expect(await sweepReleased({ database, stores })).toBe(1);
  });

  it('never takes bytes to which a record points after all', async () => {
    const { key } = await keep(near, 'released');
    await writeAll(database, change('INSERT INTO "holder" VALUES (?)', [made]));
    await expect(sweepReleased({ database, stores })).rejects.toMatchObject({
      code: 'store.foreign-key',
    });
    expect(await keys(near)).toEqual([key]);
    expect(rows()).toEqual({ [key]: 'local' });
  });

  it('finds strays, which are old and have no row in that very store', async () => {
    const kept = await keep(near);
    const moved = strayed(3);
    await addRow(moved, 's3', Buffer.from('left behind'));
    const stray = strayed(3);
    const half = strayed(2, '.part');
    strayed(0);
    const { strays, known } = await findStrays(database, near, Date.now() - DAY);
    expect(strays.map((file) => file.key).sort()).toEqual([moved, stray, half].sort());
    expect(known).toBe(0);
    expect((await findStrays(database, near, Date.now() + DAY)).known).toBe(1);
    expect(await near.size(kept.key)).toBe(2000);
  });

  it('runs as a duty of the service; released files go a while after they were released', async () => {
    const seen: Observation[] = [];
    const kept = await keep(near);
    const released = await keep(near, 'released');
    strayed(3);
    strayed(2, '.part');
    const young = strayed(0);
    const stop = startSweep({
      database,
      stores: combineStores(near, [near, broken(far)]),
      world: { ...fixedWorld(), now: Date.now },
      observe: (what) => seen.push(what),
      strayHours: 24,
      interval: 400,
    });
    await expect
      .poll(async () => (await keys(near)).sort())
      .toEqual([kept.key, young, released.key].sort());
    await expect.poll(async () => (await keys(near)).sort()).toEqual([kept.key, young].sort());
    await stop();
    expect(seen).toEqual([]);
  });

  it('does not empty a store that holds more strangers than files of its own', async () => {
    const seen: Observation[] = [];
    const many = Array.from({ length: 25 }, () => strayed(3));
    await keep(near);
    const found = await findStrays(database, near, Date.now() - DAY);
    expect(isSuspicious(found)).toBe(true);
    const stop = startSweep({
      database,
      stores,
      world: { ...fixedWorld(), now: Date.now },
      observe: (what) => seen.push(what),
      strayHours: 24,
    });
    await expect.poll(() => seen.length).toBe(1);
    await stop();
    expect(seen).toMatchObject([
      {
        kind: 'failure',
        id: 'sweep',
        error: { message: expect.stringContaining('docket files check') },
      },
    ]);
    expect(await keys(near)).toEqual(expect.arrayContaining(many));
  });
});

describe('the check', () => {
  const check = (over: Partial<Check> = {}): Check => ({
    database,
    stores,
    before: Date.now() - DAY,
    thorough: true,
    progress: () => undefined,
    ...over,
  });
  const found = async (over: Partial<Check> = {}) => {
    const all: Finding[] = [];
    for await (const finding of findings(check(over))) all.push(finding);
    return all;
  };
  const overwrite = (key: string, bytes: Uint8Array) => near.put(key, pieces(bytes));

  it('finds nothing where all is well, and goes through every byte', async () => {
    await keep(near, 'kept', 10_000);
    await keep(far, 'kept', 5000);
    let read = 0;
    const progress = (more: number) => {
      read += more;
    };
    expect(await found({ progress })).toEqual([]);
    expect(read).toBe(15_000);
  });

  it('finds what is missing, of another size, with other bytes, and strays', async () => {
    const missing = await keep(near);
    const short = await keep(near);
    const changed = await keep(near);
    await near.remove(missing.key);
    await overwrite(short.key, randomBytes(3));
    await overwrite(changed.key, randomBytes(2000));
    const stray = strayed(3);
    expect(await found()).toMatchObject([
      { kind: 'missing', file: { key: missing.key } },
      { kind: 'size', file: { key: short.key } },
      { kind: 'digest', file: { key: changed.key } },
      { kind: 'stray', store: 'local', file: { key: stray } },
    ]);
    const quick = (await found({ thorough: false })).map((finding) => finding.kind);
    expect(quick).toEqual(['missing', 'size', 'stray']);
  });

  it('repairs strays, and rows whose bytes stand in another store', async () => {
    const { key, bytes } = await keep(near);
    await far.put(key, pieces(bytes));
    await near.remove(key);
    const lost = await keep(near);
    await near.remove(lost.key);
    const stray = strayed(3);
    const outcomes = [];
    for await (const finding of findings(check()))
      outcomes.push([finding.kind, await repair(check(), finding)]);
    expect(outcomes).toEqual([
      ['missing', true],
      ['missing', false],
      ['stray', true],
    ]);
    expect(rows()).toEqual({ [key]: 's3', [lost.key]: 'local' });
    expect(await near.size(stray)).toBeUndefined();
    expect((await found()).map((finding) => finding.kind)).toEqual(['missing']);
  });

  it('tells that a store cannot be asked, and calls nothing of it missing', async () => {
    await keep(far);
    const { list, ...rest } = broken(far);
    const next = async () => {
      throw unavailable('s3');
    };
    const out = { ...rest, list: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
    const kinds = (await found({ stores: combineStores(near, [near, out]) })).map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['unknown', 'unlisted']);
    expect(list).toBeTypeOf('function');
    const without = await found({ stores: combineStores(near, [near]) });
    expect(without).toMatchObject([
      { kind: 'unknown', reason: expect.stringContaining('files.s3') },
    ]);
  });
});

describe('the move', () => {
  const move = (over: Partial<Move> = {}) =>
    moveFiles({
      database,
      stores,
      to: far,
      width: 3,
      grace: 10,
      progress: () => undefined,
      ...over,
    });

  it('carries every file over, proven, and takes it away where it was', async () => {
    const files = [];
    for (let index = 0; index < 12; index++) files.push(await keep(near, 'kept', 1000 * index));
    const there = await keep(far);
    let carried = 0;
    const progress = (more: number) => {
      carried += more;
    };
    expect(await move({ progress })).toEqual({ files: 12, unmoved: [] });
    expect(carried).toBe(66_000);
    expect(await keys(near)).toEqual([]);
    for (const { key, bytes } of [...files, there]) {
      expect(rows()[key]).toBe('s3');
      expect((await gather(await far.get(key))).equals(bytes)).toBe(true);
    }
    expect(await move()).toEqual({ files: 0, unmoved: [] });
  });

  it('leaves a file where it is whose bytes are not those that were stored', async () => {
    const { key } = await keep(near);
    await near.put(key, pieces(randomBytes(2000)));
    const fine = await keep(near);
    const { files, unmoved } = await move();
    expect(files).toBe(1);
    expect(unmoved).toMatchObject([{ file: { key }, reason: expect.stringContaining('digest') }]);
    expect(rows()).toEqual({ [key]: 'local', [fine.key]: 's3' });
    expect(await far.size(key)).toBeUndefined();
  });

  it('is broken off at a signal with every file whole where its row says, and goes on later', async () => {
    const files: Made[] = [];
    for (let index = 0; index < 8; index++) files.push(await keep(near, 'kept', 300_000));
    const stop = new AbortController();
    let carried = 0;
    const progress = (more: number) => {
      carried += more;
      if (carried > 700_000) stop.abort(new Error('interrupted'));
    };
    const first = await move({ progress, signal: stop.signal, width: 2 });
    expect(first.files).toBeLessThan(8);
    for (const { key, bytes } of files) {
      const store = stores.named(rows()[key] ?? '');
      expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
    }
    const second = await move();
    expect(first.files + second.files).toBe(8);
    expect(await keys(near)).toEqual([]);
  });

  it('goes on from a crash between the bytes and the row', async () => {
    const { key, bytes } = await keep(near);
    await far.put(key, pieces(bytes.subarray(0, 100)));
    expect(await move()).toMatchObject({ files: 1 });
    expect((await gather(await far.get(key))).equals(bytes)).toBe(true);
    expect(await keys(near)).toEqual([]);
  });

  it('leaves no bytes behind of a file that is released while it is carried', async () => {
    const { key } = await keep(near);
    const meanwhile: AttachmentStore = {
      ...far,
      get: async (wanted) => {
        await writeAll(database, change('DELETE FROM "docket_file" WHERE "key" = ?', [wanted]));
        return await far.get(wanted);
      },
    };
    await move({ to: meanwhile });
    expect(await far.size(key)).toBeUndefined();
  });

  it('gives up when the store is out of reach rather than trying every file', async () => {
    for (let index = 0; index < 40; index++) await keep(near, 'kept', 10);
    const { files, unmoved } = await move({ to: broken(far), width: 1 });
    expect(files).toBe(0);
    expect(unmoved).toHaveLength(20);
    expect((await keys(near)).length).toBe(40);
  });

  it('closes the files of the store that it reads when the other is out of reach', async () => {
    for (let index = 0; index < 3; index++) await keep(near, 'kept', 10);
    const opened: Readable[] = [];
    const get: AttachmentStore['get'] = async (key) => {
      const bytes = await near.get(key);
      opened.push(bytes);
      return bytes;
    };
    stores = combineStores(far, [{ ...near, get }, far]);
    await move({ to: broken(far) });
    expect(opened.map((bytes) => bytes.destroyed)).toEqual([true, true, true]);
  });
});
