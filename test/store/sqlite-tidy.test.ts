// This file tests that text indexes are put in order step by step: fewer pieces, the same answers, nobody held up, and deeds as durable
// as before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/connection.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change as changeOf } from '../../src/store/work.ts';
import { writeAll } from '../write-all.ts';

let directory: string;
let file: string;
let database: SqliteDatabase;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-tidy-'));
  file = join(directory, 'test.db');
  database = openSqlite({ file });
  database.define([
    `CREATE TABLE "docket_sequence" ("name" TEXT PRIMARY KEY, "next" INTEGER NOT NULL)`,
    `CREATE TABLE "Notes" ("Uid" INTEGER PRIMARY KEY)`,
    `CREATE VIRTUAL TABLE "Notes$search" USING fts5(c1, content='', contentless_delete=1)`,
  ]);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

/** Texts change one after the other, as they do for clients. */
async function change(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const text = `printer ${index} ${'word'.repeat(index % 7)} ${index % 13}`;
    await writeAll(database, changeOf(REPLACE, [BigInt(index % 400), text]));
  }
}

const REPLACE = 'INSERT OR REPLACE INTO "Notes$search"(rowid, c1) VALUES (?, ?)';

const pieces = () =>
  Number(database.read('SELECT count(DISTINCT segid) FROM "Notes$search_idx"', [])[0]?.[0]);
const found = (words: string) =>
  database
    .read('SELECT rowid FROM "Notes$search" WHERE "Notes$search" MATCH ? ORDER BY rowid', [words])
    .map(([row]) => row);

function tidyAll(): number {
  let steps = 1;
  while (database.compact()) if (++steps > 1000) throw new Error('it never ends');
  return steps;
}

it('indexes that were changed often are in few pieces afterwards, and answer the same', async () => {
  await change(900);
  const before = { pieces: pieces(), printer: found('printer'), some: found('word AND 7') };
  expect(before.pieces).toBeGreaterThan(4);
  expect(before.printer).toHaveLength(400);
  tidyAll();
  expect(pieces()).toBeLessThan(before.pieces);
  expect(pieces()).toBeLessThanOrEqual(4);
  expect([found('printer'), found('word AND 7')]).toEqual([before.printer, before.some]);
  expect(database.compact()).toBe(false);
});

it('goes after whoever writes in another process, and answers that were kept stay', async () => {
  await change(300);
  const [before, state] = [pieces(), database.tableVersionOf(['Notes'])];
  const other = connect(file, false);
  other.exec('BEGIN IMMEDIATE');
  expect([database.compact(), pieces()]).toEqual([true, before]);
  other.exec('COMMIT');
  other.close();
  tidyAll();
  expect(pieces()).toBeLessThan(before);
  expect(state).toBeDefined();
  expect(database.tableVersionOf(['Notes'])).toBe(state);
});

it('deeds that come meanwhile are done', async () => {
  await change(300);
  const deeds = Promise.all([change(20), change(20)]);
  for (let step = 0; step < 50; step++) {
    database.compact();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await deeds;
  tidyAll();
  expect(found('printer')).toHaveLength(300);
});
