// This file checks which statistics of the query planner a database keeps, and that a delta link reads the changes of its set only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { engineTableDdl } from '../../src/sql/schema/ddl.ts';
import { CHANGE_TABLE } from '../../src/sql/write/change-log.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';

const directory = mkdtempSync(join(tmpdir(), 'docket-statistics-'));
const file = join(directory, 'test.db');
afterAll(() => rmSync(directory, { recursive: true }));

const fill = (table: string, values: string, rows: number) =>
  `INSERT INTO ${table} WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < ${rows}) SELECT ${values} FROM c`;

beforeAll(async () => {
  const database = openSqlite({ file });
  database.define([
    'CREATE TABLE large (a)',
    'CREATE INDEX large_a ON large (a)',
    'CREATE TABLE small (a)',
    'CREATE INDEX small_a ON small (a)',
    ...engineTableDdl(CHANGE_TABLE, SQLITE),
    fill('large', 'n', 10_000),
    fill('small', 'n', 10),
    fill(
      '"docket_change" ("at", "deed", "source", "identity")',
      `'', 'update', iif(n % 1000, 'Large', 'Small'), n`,
      20_000,
    ),
    'ANALYZE',
  ]);
  await database.close();
});

test('those of small tables and of the change log are dropped', async () => {
  const database = openSqlite({ file });
  const rows = await database.read('SELECT DISTINCT tbl FROM sqlite_stat1', []);
  expect(rows).toEqual([['large']]);
  await database.close();
});

test('also those that an earlier version has left behind', async () => {
  const before = openSqlite({ file });
  before.define(['ANALYZE']);
  expect(await before.read('SELECT count(DISTINCT tbl) FROM sqlite_stat1', [])).toEqual([[3n]]);
  const after = openSqlite({ file });
  const changes = `SELECT max("identity") FROM "docket_change" WHERE "source" IN ('Small') AND "seq" > 100 GROUP BY "identity"`;
  const plan = await after.read(`EXPLAIN QUERY PLAN ${changes}`, []);
  expect(plan.map((row) => row[3])).toContain(
    'SEARCH docket_change USING INDEX docket_change|source (source=? AND seq>?)',
  );
  await after.close();
  await before.close();
});

test('a database opens while another process writes', async () => {
  const writer = connect(file, false);
  writer.exec('ANALYZE');
  writer.exec('BEGIN IMMEDIATE');
  const database = openSqlite({ file });
  expect(await database.read('SELECT count(DISTINCT tbl) FROM sqlite_stat1', [])).toEqual([[3n]]);
  writer.exec('COMMIT');
  writer.close();
  await database.close();
});

test('those of a table that has grown are collected when the database is closed', async () => {
  const database = openSqlite({ file });
  database.define([
    'CREATE TABLE grown (a)',
    'CREATE INDEX grown_a ON grown (a)',
    fill('grown', 'n', 10_000),
  ]);
  await database.close();
  const after = openSqlite({ file });
  const rows = await after.read('SELECT DISTINCT tbl FROM sqlite_stat1 ORDER BY tbl', []);
  expect(rows).toEqual([['grown'], ['large']]);
  await after.close();
});

test('none are collected of small tables, which would take longer than many commands', async () => {
  const small = join(directory, 'small.db');
  const database = openSqlite({ file: small });
  const statements = ['CREATE TABLE few (a)', 'CREATE INDEX few_a ON few (a)'];
  database.define([...statements, fill('few', 'n', 9_999)]);
  await database.close();
  const after = openSqlite({ file: small });
  expect(after.hasTable('sqlite_stat1')).toBe(false);
  await after.close();
});
