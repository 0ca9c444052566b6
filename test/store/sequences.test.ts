// This file tests that numbers of sequences are given out once, in order, and mostly without gaps.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Work, WorkResult } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { allocate, change, continueAfter, query } from '../../src/store/work.ts';

let directory: string;
let database: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-sequences-'));
  database = openSqlite({ file: join(directory, 'docket.db') });
  database.define([
    'CREATE TABLE "docket_sequence" ("name" TEXT NOT NULL PRIMARY KEY, "next" INTEGER NOT NULL)',
    'CREATE TABLE t (n INTEGER)',
  ]);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

/** Draws blocks of numbers. The result is the first number of each. */
const drawBlocks = (...counts: readonly bigint[]) =>
  function* (): Work<WorkResult<readonly bigint[]>> {
    const drawn: bigint[] = [];
    for (const count of counts) drawn.push((yield allocate('ids', count)).first);
    return { result: drawn, keep: true };
  };

const draw = (count: number) => drawBlocks(...Array.from({ length: count }, () => 1n));

function upTo(count: number, first = 1): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(first + index));
}

describe('numbers of a sequence', () => {
  it('begin with 1 and leave none out within a transaction, nor between two', async () => {
    expect(await database.write(draw(1))).toEqual([1n]);
    expect(await database.write(draw(3))).toEqual([2n, 3n, 4n]);
    const many = await database.write(draw(5000));
    expect(new Set(many).size).toBe(5000);
    expect(many).toEqual([...many].sort((left, right) => (left < right ? -1 : 1)));
  });

  it('of deeds that are done together are different', async () => {
    const all = await Promise.all([1, 2, 30, 4].map((count) => database.write(draw(count))));
    expect(new Set(all.flat()).size).toBe(37);
  });

  it('continue after a number of a load, in the same transaction and later', async () => {
    const numbers = await database.write(function* (): Work<WorkResult<readonly bigint[]>> {
      const drawn: bigint[] = [];
      for (const given of [undefined, 5n, 6n, undefined, 3n, undefined, 8n, 40n, 41n, undefined]) {
        const operation = given === undefined ? allocate('ids', 1n) : continueAfter('ids', given);
        const { first } = yield operation;
        if (given === undefined) drawn.push(first);
      }
      return { result: drawn, keep: true };
    });
    expect(numbers).toEqual([1n, 7n, 8n, 42n]);
    expect(await database.write(draw(1))).toEqual([43n]);
  });

  it('are each a row that follows the other where several are asked for at once', async () => {
    expect(await database.write(drawBlocks(10n, 1n))).toEqual([1n, 11n]);
  });

  it('are not given twice where another statement draws from the same table', async () => {
    const taken = await database.write(function* () {
      const { result: own } = yield* draw(3)();
      const { rows } = yield query(
        `UPDATE "docket_sequence" SET "next" = "next" + 1 WHERE "name" = 'ids' RETURNING "next" - 1`,
        [],
      );
      const { first } = yield allocate('ids', 1n);
      return { result: [...own, rows[0]?.[0], first], keep: true };
    });
    expect(new Set([...taken, ...(await database.write(draw(4)))]).size).toBe(9);
  });

  it('of a deed that was undone are not lost, and those of the others stay theirs', async () => {
    const fails = function* (): Work<never> {
      const { first } = yield allocate('ids', 1n);
      yield change('INSERT INTO t VALUES (?)', [first]);
      throw new Error('undone');
    };
    const results = await Promise.allSettled([
      database.write(draw(2)),
      database.write(fails),
      database.write(draw(2)),
    ]);
    expect(results[1]?.status).toBe('rejected');
    const given = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    expect(given).toEqual(upTo(4));
    expect(await database.write(draw(1))).toEqual([5n]);
    expect(database.read('SELECT count(*) FROM t', [])).toEqual([[0n]]);
  });

  it('of a deed that is not kept are given to the next', async () => {
    const tried = await database.write(function* () {
      return { ...(yield* draw(1)()), keep: false };
    });
    expect([...tried, ...(await database.write(draw(1)))]).toEqual([1n, 1n]);
  });
});
