// Texts that a transaction changes are found by its own searches, and by all readers after its commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { ARGUMENT, sql, tableName } from '../../src/sql/fragment.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Work, WorkResult } from '../../src/store/database.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change, query } from '../../src/store/work.ts';
import { oddModel } from '../odd-model.ts';

let directory: string;
let database: SqliteDatabase;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-texts-'));
  database = openSqlite({ file: join(directory, 'test.db') });
  const keepers = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `(${id}, 'keeper')`).join(', ');
  database.define([
    ...ddl(makeLayout(oddModel), SQLITE),
    `INSERT INTO "Keepers" ("Id", "Name") VALUES ${keepers}`,
  ]);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const RENAME = sql`UPDATE ${tableName('Keepers')} SET "Name" = ${ARGUMENT} WHERE "Id" = ${ARGUMENT}`;
const SEARCH = sql`SELECT rowid FROM ${tableName('Keepers$search', 'Keepers')} WHERE "Keepers$search" MATCH ${ARGUMENT}`;

const found = (word: string) => database.read(SEARCH, [word]).flat();
const waiting = () => database.read('SELECT * FROM "Keepers$changed"', []);

const rename = (id: number, to: string, keep = true) =>
  function* (): Work<WorkResult<undefined>> {
    yield change(RENAME, [to, BigInt(id)]);
    return { result: undefined, keep };
  };

it('are found after the commit, and the former texts are not', async () => {
  await database.write(rename(2, 'falconer'));
  await database.write(rename(2, 'ranger'));
  expect([found('falconer'), found('ranger'), waiting()]).toEqual([[], [2n], []]);
});

it('are found by the searches of their own transaction', async () => {
  const seen = await database.write(function* (): Work<WorkResult<unknown>> {
    yield change(RENAME, ['falconer', 3n]);
    const first = yield query(SEARCH, ['falconer']);
    yield change(RENAME, ['ranger', 3n]);
    const second = yield query(SEARCH, ['falconer']);
    const third = yield query(SEARCH, ['ranger']);
    return { result: [first.rows, second.rows, third.rows], keep: true };
  });
  expect(seen).toEqual([[[3n]], [], [[3n]]]);
});

it('are found by changes of their own transaction that search', async () => {
  const RETIRE = sql`UPDATE ${tableName('Keepers')} SET "Name" = 'retired' WHERE "Id" IN (${SEARCH})`;
  await database.write(function* (): Work<WorkResult<undefined>> {
    yield change(RENAME, ['falconer', 3n]);
    yield change(RETIRE, ['falconer']);
    return { result: undefined, keep: true };
  });
  expect([found('falconer'), found('retired')]).toEqual([[], [3n]]);
});

it('of a write that is not kept are not found, those of the others in its transaction are', async () => {
  await Promise.all([
    database.write(rename(1, 'falconer')),
    database.write(rename(2, 'falconer', false)),
    database.write(rename(3, 'falconer')),
  ]);
  expect(found('falconer')).toEqual([1n, 3n]);
  expect(found('keeper')).not.toContain(1n);
});

it('of a row that is deleted afterwards are not found', async () => {
  await database.write(function* (): Work<WorkResult<undefined>> {
    yield change(RENAME, ['falconer', 4n]);
    yield change(sql`DELETE FROM ${tableName('Keepers')} WHERE "Id" = ${ARGUMENT}`, [4n]);
    return { result: undefined, keep: true };
  });
  expect([found('falconer'), waiting()]).toEqual([[], []]);
});

it('of several writes form one segment, in whatever order they come', async () => {
  // SQLite, "FTS5", "The Segment Data Structure": pages are numbered by segment.
  const segments = () =>
    database.read(`SELECT DISTINCT id >> 37 FROM "Keepers$search_data" WHERE id > 10`, []).length;
  const before = segments();
  await Promise.all([8, 3, 6, 1].map((id) => database.write(rename(id, 'falconer'))));
  expect(segments() - before).toBe(1);
  expect(found('falconer')).toEqual([1n, 3n, 6n, 8n]);
});
