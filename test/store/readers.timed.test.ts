// This file tests the threads for scans, on compiled code, since threads run nothing else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Row } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import type { Readers, startReaders } from '../../src/store/sqlite/reader-pool.ts';
import { change } from '../../src/store/work.ts';
import { compileSources } from '../compiled.ts';
import { writeAll } from '../write-all.ts';

/** Milliseconds that a hasty scan may take: less than SLOW takes on any machine. The others have all the time they need. */
const TIME_LIMIT = 400;
const NO_LIMIT = 600_000;
const QUEUE = {
  length: 100,
  settings: { length: 'limits.waitingScans', wait: 'limits.scanWaitSeconds' },
};
/** Counts for some seconds, on this machine or another. */
const SLOW = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000000) SELECT count(*) FROM n`;

let directory: string;
let database: Database;
let hasty: Readers;
let start: (timeLimit: number) => Readers;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'docket-readers-'));
  const file = join(directory, 'test.db');
  openSqlite({ file }).define([]);
  const module: { startReaders: typeof startReaders } = await import(
    /* @vite-ignore */ pathToFileURL(join(compileSources(), 'store', 'sqlite', 'reader-pool.js'))
      .href
  );
  start = (timeLimit) => {
    const queue = { ...QUEUE, wait: timeLimit };
    const started = module.startReaders({
      file,
      threads: 2,
      timeLimit,
      queue,
      resultSize: 1_000_000,
    });
    if (started === undefined) throw new Error('no readers were started');
    return started;
  };
  hasty = start(TIME_LIMIT);
  database = openSqlite({ file, readers: start(NO_LIMIT) });
  database.define(['CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)']);
});
afterAll(async () => {
  await hasty.close();
  await database.close();
  rmSync(directory, { recursive: true });
});

describe('scans', () => {
  it('give the rows that a read gives, all kinds of values among them', async () => {
    const values = [9007199254740993n, 0.5, 'Zoë', null, new Uint8Array([1, 2])];
    const [row] = await database.scan('SELECT ?, ?, ?, ?, ?', values);
    expect(row?.slice(0, 4)).toEqual(values.slice(0, 4));
    expect([...(row?.[4] instanceof Uint8Array ? row[4] : [])]).toEqual([1, 2]);
  });

  it('see what was written just before', async () => {
    for (let id = 1n; id <= 20n; id++) {
      await writeAll(database, change('INSERT INTO item VALUES (?, ?)', [id, `item ${id}`]));
      await expect(database.scan('SELECT count(*) FROM item', [])).resolves.toEqual([[id]]);
    }
  });

  it('more at once than there are threads are all answered', async () => {
    const all = Array.from({ length: 50 }, (_, index) => BigInt(index));
    const answers = await Promise.all(all.map((id) => database.scan('SELECT ?', [id])));
    expect(answers).toEqual(all.map((id) => [[id]]));
  });

  it('that find too much are rejected, and the thread runs the next one', async () => {
    await expect(database.scan("SELECT printf('%.*c', 1000001, 'x')", [])).rejects.toMatchObject({
      code: 'store.too-large',
    });
    await expect(database.scan("SELECT printf('%.*c', 1000000, 'x')", [])).resolves.toHaveLength(1);
  });

  it('cannot write', async () => {
    await expect(database.scan('DELETE FROM item RETURNING id', [])).rejects.toThrow(/readonly/);
  });

  it('faults of functions keep their code and their words', async () => {
    await expect(database.scan("SELECT docket_matches('x', '(')", [])).rejects.toMatchObject({
      code: 'sql.pattern',
      message: expect.stringContaining('"("'),
    });
  });
});

describe('a thread that is killed', { timeout: 120_000 }, () => {
  it('costs its own scan only, which may be repeated, and is replaced', async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker) => void threads.push(thread);
    process.on('worker', note);
    const readers = start(NO_LIMIT);
    try {
      const hit = readers.scan(SLOW, []);
      const others = [1n, 2n, 3n].map((id) => readers.scan('SELECT ?', [id]));
      await expect.poll(() => threads.length).toBe(2);
      expect(await Promise.all(others)).toEqual([[[1n]], [[2n]], [[3n]]]);
      const [killed] = threads;
      void killed?.terminate();
      await expect(hit).rejects.toMatchObject({
        code: 'store.reader',
        status: 503,
        headers: { 'Retry-After': '1' },
      });
      const again = [4n, 5n].map((id) => readers.scan('SELECT ?', [id]));
      expect(await Promise.all(again)).toEqual([[[4n]], [[5n]]]);
      expect(threads).toHaveLength(3);
      expect(readers.load()).toMatchObject({ threads: 2, waiting: 0 });

      // Those that have nothing to do are not used again.
      await Promise.all(threads.map((thread) => thread.terminate()));
      expect(readers.load()).toMatchObject({ threads: 0, busy: 0 });
      await expect(readers.scan('SELECT 6', [])).resolves.toEqual([[6n]]);
    } finally {
      process.off('worker', note);
      await readers.close();
    }
  });
});

/** The rows of a scan that is given up while a thread starts on a busy machine, and asked again. */
async function untilScanned(text: string): Promise<readonly Row[]> {
  for (;;) {
    try {
      return await hasty.scan(text, []);
    } catch (error) {
      expect(error).toMatchObject({ code: 'store.slow' });
    }
  }
}

describe('a scan that takes long', { timeout: 120_000 }, () => {
  it('holds up neither reads nor other scans', async () => {
    const ended: string[] = [];
    const slow = database.scan(SLOW, []).then(() => ended.push('slow'));
    await expect(database.scan('SELECT 1', [])).resolves.toEqual([[1n]]);
    ended.push('quick');
    expect(database.read('SELECT 2', [])).toEqual([[2n]]);
    await slow;
    expect(ended).toEqual(['quick', 'slow']);
  });

  it('is given up with a reason when it takes too long', async () => {
    await expect(hasty.scan(SLOW, [])).rejects.toMatchObject({ code: 'store.slow', status: 503 });
  });

  it('again and again does not use up the threads for good', async () => {
    const slow = await Promise.allSettled([1, 2, 3].map(() => hasty.scan(SLOW, [])));
    expect(slow.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await untilScanned('SELECT 1')).toEqual([[1n]]);
  });

  it('counts the time that it waited towards its time limit', async () => {
    const began = performance.now();
    const waiting = [1, 2, 3, 4, 5, 6].map(() => hasty.scan(SLOW, []));
    const settled = await Promise.allSettled(waiting);
    const codes = settled.map((one) => one.status === 'rejected' && one.reason.code);
    expect(new Set(codes)).toEqual(new Set(['store.slow', 'store.queue-time']));
    expect(performance.now() - began).toBeLessThan(2 * TIME_LIMIT);
  });
});
