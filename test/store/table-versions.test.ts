// This file checks the versions of tables: they change with writes to these tables and no others, in whatever process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { ARGUMENT, sql, tableName } from '../../src/sql/fragment.ts';
import { engineDdl } from '../../src/sql/schema/ddl.ts';
import type { Database, SqlText } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { query } from '../../src/store/work.ts';

let directory: string;
let database: Database;
let elsewhere: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-versions-'));
  const file = join(directory, 'test.db');
  database = openSqlite({ file });
  const tables = ['a', 'b'].map((name) => `CREATE TABLE "${name}" ("x" INTEGER)`);
  database.define([...engineDdl(SQLITE), ...tables]);
  elsewhere = openSqlite({ file });
});
afterEach(async () => {
  await database.close();
  await elsewhere.close();
  rmSync(directory, { recursive: true });
});

const READS = [['a'], ['b'], ['a', 'b'], ['a', 'docket_code_text'], ['docket_file', 'a']];

/** Whether the version of each of the READS has changed. */
async function changedBy(statement: SqlText, values: readonly bigint[], keep = true) {
  const before = READS.map(elsewhere.tableVersionOf);
  await database.write(function* () {
    yield query(statement, values);
    return { result: undefined, keep };
  });
  return READS.map((reads, index) => elsewhere.tableVersionOf([...reads]) !== before[index]);
}

const INSERT = sql`INSERT INTO ${tableName('a')} VALUES (${ARGUMENT})`;

it('change with the tables that a statement writes', async () => {
  expect(await changedBy(INSERT, [1n])).toEqual([true, false, true, true, true]);
  const copy = sql`INSERT INTO ${tableName('b')} SELECT "x" FROM ${tableName('a')}`;
  expect(await changedBy(copy, [])).toEqual([false, true, true, false, false]);
  const files = sql`UPDATE ${tableName('docket_file')} SET "size" = 1`;
  expect(await changedBy(files, [])).toEqual([false, false, false, false, true]);
});

it('all change with a statement whose tables are not known', async () => {
  expect(await changedBy('INSERT INTO "a" VALUES (?)', [1n])).toEqual(READS.map(() => true));
});

it('stay if nothing is kept', async () => {
  expect(await changedBy(INSERT, [1n], false)).toEqual(READS.map(() => false));
});

it('are the same for other arrays of the same tables, and undefined where there is none', () => {
  expect(database.tableVersionOf(['a'])).toBe(database.tableVersionOf(['a']));
  expect(database.tableVersionOf([])).toBeUndefined();
  expect(database.tableVersionOf(['docket_code_text'])).toBeUndefined();
  expect(database.tableVersionOf(['a', 'docket_change'])).toBeUndefined();
});
