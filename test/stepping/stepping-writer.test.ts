// This file tests that the stepping driver runs units of work as transactions, and that it shows units that have side effects.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Work, WorkResult } from '../../src/store/database.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import type { Connection } from '../../src/store/sqlite/driver.ts';
import * as writerModule from '../../src/store/sqlite/writer.ts';
import { change, kept, query } from '../../src/store/work.ts';
import { guarded, steppingQueues } from './stepping-writer.ts';

let directory: string;
let connection: Connection;
let real: SqliteDatabase;
let database: Database;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-stepping-'));
  const file = join(directory, 'test.db');
  real = openSqlite({ file });
  real.define(['CREATE TABLE item (id INTEGER PRIMARY KEY)']);
  connection = connect(file, false);
  database = guarded({ ...real, write: steppingQueues(writerModule)(connection).write });
});
afterEach(async () => {
  connection.close();
  await real.close();
  rmSync(directory, { recursive: true });
});

const ids = () => real.read('SELECT id FROM item ORDER BY id', []).map(([id]) => id);
const insert = (id: bigint) => change('INSERT INTO item VALUES (?)', [id]);

function* store(...all: readonly bigint[]): Work<number> {
  for (const id of all) yield insert(id);
  const { rows } = yield query('SELECT count(*) FROM item', []);
  return Number(rows[0]?.[0]);
}

describe('the stepping driver', () => {
  it('runs units one after the other, and lets other code run between operations', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const both = [database.write(() => kept(store(1n, 2n))), database.write(() => kept(store(3n)))];
    await expect(Promise.all(both)).resolves.toEqual([2, 3]);
    isDone = true;
    expect(turns).toBeGreaterThan(10);
    expect(ids()).toEqual([1n, 2n, 3n]);
  });

  it('rolls back a unit that fails, and one that is not to be kept', async () => {
    const failing = database.write(() => kept(store(1n, 1n)));
    await expect(failing).rejects.toMatchObject({ code: 'store.unique' });
    const rehearsed = database.write(function* () {
      return { result: yield* store(1n), keep: false };
    });
    await expect(rehearsed).resolves.toBe(1);
    expect(ids()).toEqual([]);
  });

  it('throws the error of a statement into the unit', async () => {
    const caught = database.write(function* () {
      try {
        yield* store(1n, 1n);
      } catch {
        yield insert(2n);
      }
      return { result: undefined, keep: true };
    });
    await caught;
    expect(ids()).toEqual([1n, 2n]);
  });

  it('rejects a unit that uses the database itself', async () => {
    const reading = database.write(function* () {
      yield insert(1n);
      return { result: database.read('SELECT 1', []), keep: true };
    });
    await expect(reading).rejects.toThrow('calls read of the database');
    const nested = database.write(function* () {
      yield insert(1n);
      return { result: void database.write(() => kept(store(2n))), keep: true };
    });
    await expect(nested).rejects.toThrow('calls write of the database');
    expect(ids()).toEqual([]);
  });

  it('rejects a unit that starts again with the generator of the first run', async () => {
    const work = kept(store(1n));
    await expect(database.write(() => work)).rejects.toThrow('a generator that has run');
  });

  it('rejects a unit that yields something else than an operation', async () => {
    const wrong = function* (): Work<WorkResult<undefined>> {
      yield store(1n) as never;
      return { result: undefined, keep: true };
    };
    await expect(database.write(wrong)).rejects.toThrow('not an operation');
  });

  it('shows that a unit changes something outside of the transaction', async () => {
    let counted = 0;
    const counting = function* (): Work<WorkResult<undefined>> {
      counted += yield* store(BigInt(counted + 1));
      return { result: undefined, keep: true };
    };
    await real.write(counting);
    expect(counted).toBe(1);
    await database.write(counting);
    // The first of two runs has left its count behind: otherwise these were 3 and 1, 2.
    expect([counted, ids()]).toEqual([5, [1n, 4n]]);
  });

  it('shows that a unit relies on nothing else running between its operations', async () => {
    let shared = 0;
    const unsafe = function* (id: bigint): Work<WorkResult<undefined>> {
      const before = shared;
      yield insert(id);
      shared = before;
      return { result: undefined, keep: true };
    };
    const writeWhileCounting = async ({ write }: Database, id: bigint) => {
      const writing = write(() => unsafe(id));
      for (let turn = 0; turn < 3; turn++) {
        shared++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
    };
    await writeWhileCounting(real, 1n);
    expect(shared).toBe(3);
    await writeWhileCounting(database, 2n);
    expect(shared).toBeLessThan(6);
  });
});
