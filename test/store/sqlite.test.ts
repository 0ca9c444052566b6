// This file tests the SQLite driver on real files: what is acknowledged is there, what fails leaves nothing, and nobody waits for others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Work, WorkResult } from '../../src/store/database.ts';
import { connect, firstCell } from '../../src/store/sqlite/connection.ts';
import { makeFindsFew, openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change, query } from '../../src/store/work.ts';

let directory: string;
let file: string;
let database: SqliteDatabase;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-store-'));
  file = join(directory, 'test.db');
  database = openSqlite({ file });
  database.define([
    'CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE)',
    'CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)',
  ]);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const insert = (id: bigint, name: string | null = null) =>
  function* (): Work<WorkResult<bigint>> {
    yield change('INSERT INTO parent VALUES (?, ?)', [id, name]);
    return { result: id, keep: true };
  };

/** Work of so many milliseconds for each of so many rows. */
const inserts = (rows: number, name: string, duration = 2) =>
  function* (): Work<WorkResult<number>> {
    for (let row = 0; row < rows; row++) {
      const start = performance.now();
      while (performance.now() - start < duration);
      yield change('INSERT INTO parent VALUES (NULL, ?)', [`${name}${row}`]);
    }
    return { result: rows, keep: true };
  };

/** Reads in each turn of the event loop until the writes are done. Returns the numbers of rows that it saw. */
async function readDuring(writes: readonly Promise<unknown>[]): Promise<readonly number[]> {
  let isDone = false;
  const done = Promise.all(writes).then(() => {
    isDone = true;
  });
  const seen: number[] = [];
  while (!isDone) {
    seen.push(ids().length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return seen;
}

const RETURNING = 'INSERT INTO parent VALUES (?, ?) RETURNING name, id';

/** The replies to an insert that returns its row, when the row is wanted and when it is not. */
function* insertReturning(): Work<WorkResult<unknown>> {
  const wanted = yield change(RETURNING, [1n, 'a'], 'Parents[0]', true);
  const other = yield change(RETURNING, [2n, 'b'], 'Parents[1]');
  const result = [wanted, other].map(({ rows, changed }) => [rows, changed]);
  return { result, keep: true };
}

const ids = () => database.read('SELECT id FROM parent ORDER BY id', []).map((row) => row[0]);

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Fault ? error.code : `no fault: ${String(error)}`;
}

describe('reading', () => {
  it('64-bit integers, doubles, text, bytes and null come back as they were stored', () => {
    const values = [
      9007199254740993n,
      -(2n ** 63n),
      0.1,
      'Zoë 健 𝒳',
      new Uint8Array([0, 255]),
      null,
    ];
    const [row] = database.read('SELECT ?, ?, ?, ?, ?, ?', values);
    expect(row?.slice(0, 4)).toEqual(values.slice(0, 4));
    expect([...(row?.[4] instanceof Uint8Array ? row[4] : [])]).toEqual([0, 255]);
    expect(row?.[5]).toBeNull();
  });

  it('a result that exceeds its limit is not read to its end, and one of the limit is returned', async () => {
    const limited = openSqlite({ file, resultSize: 1000 });
    const textOf = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count}) SELECT printf('%010d', i), i FROM n`;
    const tooLarge = expect.objectContaining({
      code: 'store.too-large',
      message: expect.stringContaining('limits.resultMegabytes'),
    });
    const others = { parameters: [], reads: [], writes: [] };
    const tens = (count: number) => ({ text: textOf(count), ...others });
    expect(limited.read(tens(100), [])).toHaveLength(100);
    // The service's own statements read what it has stored, such as the response to an asynchronous request.
    expect(limited.read(textOf(200), [])).toHaveLength(200);
    expect(() => limited.read(tens(101), [])).toThrow(tooLarge);
    expect(() => limited.read(tens(1_000_000_000), [])).toThrow(tooLarge);
    expect(limited.read('SELECT 1', [])).toHaveLength(1);
    await limited.close();
  });

  it('a text that JavaScript cannot hold is a fault', () => {
    const tooLarge = expect.objectContaining({ code: 'store.too-large' });
    const text = 'SELECT hex(zeroblob(270000000))';
    expect(() => database.read(text, [])).toThrow(tooLarge);
    for (const isOne of [true, false]) {
      const statement = { text, parameters: [], reads: [], writes: [], isOne };
      expect(() => database.read(statement, [])).toThrow(tooLarge);
    }
  });

  it('a statement that has failed can run again, with other values', () => {
    const others = { parameters: [], reads: [], writes: [] };
    for (const isOne of [true, false]) {
      const statement = { text: 'SELECT docket_divide(12, ?)', ...others, isOne };
      for (const divisor of [0n, 0n, 3n, 0n, 4n]) {
        const read = () => database.read(statement, [divisor]);
        if (divisor === 0n) expect(read).toThrow(Fault);
        else expect(read()).toEqual([[12n / divisor]]);
      }
    }
  });

  it('booleans are 0 and 1, NaN is a text', () => {
    expect(database.read('SELECT ?, ?, ?', [true, false, Number.NaN])).toEqual([[1n, 0n, 'NaN']]);
  });

  it('the connection for reads cannot write', () => {
    expect(() => database.read('INSERT INTO parent VALUES (1, NULL) RETURNING id', [])).toThrow(
      /readonly/,
    );
    expect(ids()).toEqual([]);
  });

  it('the functions of the dialect are there, and their faults reach the caller', () => {
    expect(database.read('SELECT docket_lower(?)', ['ÄÖ'])).toEqual([['äö']]);
    expect(() => database.read('SELECT docket_divide(1, 0)', [])).toThrow(Fault);
  });

  it('more different statements than are kept prepared give right answers', () => {
    for (let index = 0; index < 1200; index++) {
      expect(database.read(`SELECT ${index}`, [])).toEqual([[BigInt(index)]]);
    }
    expect(database.read('SELECT 0', [])).toEqual([[0n]]);
  });
});

describe('a probe for few rows', () => {
  const statement = {
    text: 'SELECT (SELECT 1 FROM parent WHERE id > ? LIMIT 1 OFFSET 2)',
    parameters: [],
    reads: [],
    writes: [],
  };

  it('asks again after a second if it has found few, and each time if it has found many', async () => {
    let now = 0;
    const asked: unknown[] = [];
    const findsFew = makeFindsFew(
      (sql, values) => {
        asked.push(values);
        return database.read(sql, values);
      },
      () => now,
    );
    for (const id of [1n, 2n]) await database.write(insert(id));
    expect(findsFew({ statement, values: [0n] })).toBe(true);
    await database.write(insert(3n));
    expect(findsFew({ statement, values: [0n] })).toBe(true);
    expect(asked).toHaveLength(1);
    expect(findsFew({ statement, values: [1n] })).toBe(true);
    expect(findsFew({ statement, values: [0n] })).toBe(false);
    expect(findsFew({ statement, values: [0n] })).toBe(false);
    expect(asked).toHaveLength(4);
    expect(findsFew({ statement, values: [2n] })).toBe(true);
    await database.write(insert(4n));
    await database.write(insert(5n));
    now += 1000;
    expect(findsFew({ statement, values: [2n] })).toBe(false);
  });
});

describe('holding one state', () => {
  it('reads see nothing newer until it is released, and everything afterwards', async () => {
    const release = database.pinSnapshot();
    expect(ids()).toEqual([]);
    const other = connect(file, false);
    other.exec('INSERT INTO parent VALUES (1, NULL)');
    other.close();
    expect(ids()).toEqual([]);
    release();
    expect(ids()).toEqual([1n]);
    await database.write(insert(2n));
    expect(ids()).toEqual([1n, 2n]);
  });

  it('one hold within another ends with the outer one', () => {
    const outer = database.pinSnapshot();
    const inner = database.pinSnapshot();
    inner();
    expect(ids()).toEqual([]);
    outer();
    const again = database.pinSnapshot();
    again();
  });
});

describe('a claim', () => {
  it('is granted once for each name, until it is released or its database closed', async () => {
    const other = openSqlite({ file });
    const claimed = async (from: SqliteDatabase, name = 'load') =>
      await from.claim(name, () => undefined);
    const first = await claimed(database);
    expect([first === undefined, await claimed(other)]).toEqual([false, undefined]);
    expect(await claimed(other, 'scheduled work')).toBeDefined();
    await first?.release();
    expect(await claimed(other)).toBeDefined();
    expect(await claimed(database)).toBeUndefined();
    await other.close();
    expect(await claimed(database)).toBeDefined();
  });
});

describe('durability', () => {
  it('the file is in WAL mode', () => {
    const other = connect(file, false);
    expect(firstCell(other, 'PRAGMA journal_mode')).toBe('wal');
    other.close();
  });

  it('the connection for writes waits for the disk and checks references', async () => {
    const pragma = (name: string) =>
      database.write(function* () {
        const { rows } = yield query(`PRAGMA ${name}`, []);
        return { result: rows[0]?.[0], keep: true };
      });
    await expect(pragma('synchronous')).resolves.toBe(2n);
    await expect(pragma('foreign_keys')).resolves.toBe(1n);
  });

  it('returns the rows of a change if they are wanted', async () => {
    expect(await database.write(insertReturning)).toEqual([
      [[['a', 1n]], 1],
      [[], 1],
    ]);
    expect(await codeOf(database.write(insertReturning))).toBe('store.unique');
  });

  it('what is acknowledged can be read at once, and by another process', async () => {
    await expect(database.write(insert(1n, 'a'))).resolves.toBe(1n);
    expect(ids()).toEqual([1n]);
    const other = connect(file, true);
    expect(firstCell(other, 'SELECT count(*) FROM parent')).toBe(1n);
    other.close();
  });
});

describe('deeds', () => {
  it('many at once are all done, each with its own result', async () => {
    const all = Array.from({ length: 700 }, (_, index) => BigInt(index + 1));
    await expect(Promise.all(all.map((id) => database.write(insert(id))))).resolves.toEqual(all);
    expect(ids()).toEqual(all);
  });

  it('one that throws leaves nothing, and the others of the same moment stand', async () => {
    const outcomes = await Promise.allSettled([
      database.write(insert(1n)),
      database.write(function* () {
        yield* insert(2n)();
        throw new Fault('write.required', { name: 'Name', type: 'Edm.String', hint: '' });
      }),
      database.write(insert(3n)),
    ]);
    expect(outcomes.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ids()).toEqual([1n, 3n]);
  });

  it('one that is not to be kept gives its result and leaves nothing', async () => {
    const tried = database.write(function* () {
      return { ...(yield* insert(1n)()), keep: false };
    });
    await expect(tried).resolves.toBe(1n);
    expect(ids()).toEqual([]);
  });

  it('a long one lets reads run in between, which see nothing of it before it is kept', async () => {
    const start = performance.now();
    const seen = await readDuring([database.write(inserts(100, 'kept'))]);
    expect(seen.length).toBeGreaterThan(5);
    // Two turns after 10 ms each, and those before and after the transaction.
    expect(seen.length).toBeLessThan((performance.now() - start) / 5 + 10);
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(ids()).toHaveLength(100);
  });

  it('a short one lets nothing run in between', async () => {
    const seen = await readDuring([database.write(inserts(10, 'kept', 0))]);
    expect(seen.length).toBeLessThan(6);
  });

  it('a long one that fails leaves nothing, and the long ones of the same moment stand', async () => {
    const failing = function* () {
      yield* inserts(20, 'undone', 1)();
      throw new Fault('write.required', { name: 'Name', type: 'Edm.String', hint: '' });
    };
    const writes = [inserts(20, 'first', 1), failing, inserts(20, 'last', 1)];
    const outcomes = Promise.allSettled(writes.map((work) => database.write(work)));
    // On a busy machine, the last one has a transaction of its own.
    for (const count of await readDuring([outcomes])) expect([0, 20]).toContain(count);
    expect((await outcomes).map((one) => one.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(
      database.read(`SELECT rtrim(name, '0123456789'), count(*) FROM parent GROUP BY 1`, []),
    ).toEqual([
      ['first', 20n],
      ['last', 20n],
    ]);
  });

  it('long ones of the same moment have a transaction each, between which another process can write', async () => {
    const other = openSqlite({ file });
    const kept: string[] = [];
    const write = async (to: SqliteDatabase, name: string, rows: number) => {
      await to.write(inserts(rows, name));
      kept.push(name);
    };
    const long = ['first', 'second', 'third'].map((name) => write(database, name, 110));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([...long, write(other, 'other', 1)]);
    await other.close();
    expect(kept.filter((name) => name !== 'other')).toEqual(['first', 'second', 'third']);
    expect(kept.at(-1)).toBe('third');
  });

  it('a dangling reference is refused, and takes no other deed down with it', async () => {
    const dangling = function* (): Work<WorkResult<null>> {
      yield change('INSERT INTO child VALUES (1, 99)', []);
      return { result: null, keep: true };
    };
    const [first, second, third] = await Promise.allSettled([
      database.write(insert(1n)),
      codeOf(database.write(dangling)),
      database.write(insert(3n)),
    ]);
    expect([first.status, third.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(second).toMatchObject({ value: 'store.foreign-key' });
    expect(ids()).toEqual([1n, 3n]);
    expect(database.read('SELECT count(*) FROM child', [])).toEqual([[0n]]);
  });

  it('rows that refer to each other may come in any order within a deed', async () => {
    await database.write(function* () {
      yield change('INSERT INTO child VALUES (1, 7)', []);
      return yield* insert(7n)();
    });
    expect(database.read('SELECT parent FROM child', [])).toEqual([[7n]]);
  });

  it('a second record with a unique value is refused with the name of the property', async () => {
    await database.write(insert(1n, 'same'));
    const refused = database.write(insert(2n, 'same'));
    await expect(refused).rejects.toMatchObject({ code: 'store.unique', target: 'name' });
  });

  it('more than can wait are refused with 503 and Retry-After, the others are done', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1100 }, (_, index) => database.write(insert(BigInt(index + 1)))),
    );
    const refused = outcomes.filter((one) => one.status === 'rejected');
    expect(refused.length).toBe(100);
    expect(refused[0]).toMatchObject({
      reason: { code: 'store.busy', status: 503, headers: { 'Retry-After': '1' } },
    });
    expect(ids()).toHaveLength(1000);
  });

  it('while another process writes, deeds wait and reads go on', async () => {
    const other = connect(file, false);
    other.exec('BEGIN IMMEDIATE; INSERT INTO parent VALUES (50, NULL)');
    const waiting = database.write(insert(1n));
    await new Promise((resolve) => setTimeout(resolve, 100));
    // A read that waited would wait for ever: the other process goes on after it.
    expect(ids()).toEqual([]);
    other.exec('COMMIT');
    other.close();
    await waiting;
    expect(ids()).toEqual([1n, 50n]);
  });

  it('while another process writes for long, each write is rejected after five seconds, and is not performed later', async () => {
    const { now } = performance;
    let ahead = 0;
    const clock = vi
      .spyOn(performance, 'now')
      .mockImplementation(() => now.call(performance) + ahead);
    const other = connect(file, false);
    other.exec('BEGIN IMMEDIATE; INSERT INTO parent VALUES (50, NULL)');
    const first = codeOf(database.write(insert(1n)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = codeOf(database.write(insert(2n)));
    ahead += 4000;
    const third = database.write(insert(3n));
    ahead += 1000;
    expect([await first, await second]).toEqual(['store.locked', 'store.locked']);
    other.exec('COMMIT');
    other.close();
    await third;
    expect(ids()).toEqual([3n, 50n]);
    clock.mockRestore();
  });

  it('a full disk is told as 507, nothing of the deed stays, and it goes on when there is room', async () => {
    database.define(['PRAGMA max_page_count = 40']);
    const large = function* (): Work<WorkResult<null>> {
      yield change('INSERT INTO parent VALUES (1, ?)', ['x'.repeat(1_000_000)]);
      return { result: null, keep: true };
    };
    expect(await codeOf(database.write(large))).toBe('store.full');
    expect(ids()).toEqual([]);
    await database.write(insert(2n));
    database.define(['PRAGMA max_page_count = 4000']);
    await database.write(large);
    expect(ids()).toEqual([1n, 2n]);
  });
});

describe('definitions', () => {
  it('of several statements none stays when one fails', () => {
    expect(() => database.define(['CREATE TABLE a (x)', 'CREATE TABLE a (x)'])).toThrow(/exists/);
    expect(() => database.read('SELECT * FROM a', [])).toThrow(/no such table/);
  });
});

describe('closing', () => {
  it('deeds that wait are done before, later ones are refused', async () => {
    const second = openSqlite({ file });
    const waiting = second.write(insert(1n));
    const closed = second.close();
    expect(await codeOf(second.write(insert(2n)))).toBe('store.stopping');
    await Promise.all([waiting, closed]);
    expect(ids()).toEqual([1n]);
  });
});
