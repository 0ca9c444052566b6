// This file tests copies of an installation with unusual values between SQLite and PostgreSQL, in both directions: equal rows, resumed
// copies, and differences between the copy and its source.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MODULE_TABLES } from '../../src/cli/wire.ts';
import { POSTGRES } from '../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Cell, Database, Row } from '../../src/store/database.ts';
import { loadRecords } from '../../src/store/load/bulk-load.ts';
import {
  type CopiedRows,
  type Copy,
  type CopyProgress,
  copyDatabase,
  prepareCopy,
} from '../../src/store/load/copy-database.ts';
import { createTables, finishTables, requireCurrent } from '../../src/store/model-tables.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { change } from '../../src/store/work.ts';
import { oddModel } from '../odd-model.ts';
import { postgresUrl } from '../postgres.ts';
import { writeAll } from '../write-all.ts';

const layout = makeLayout(oddModel);
const parts = { layout, more: MODULE_TABLES };
const QUIET: CopyProgress = {
  copied: () => undefined,
  indexing: () => undefined,
  compared: () => undefined,
};

let directory: string;
let source: Database;
let opened: Database[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'docket-copy-'));
  opened = [];
  source = sqlite('source');
  await createTables(source, layout, SQLITE, MODULE_TABLES);
});
afterEach(async () => {
  for (const database of opened) await database.close();
  rmSync(directory, { recursive: true });
});

function sqlite(name: string): Database {
  const database = openSqlite({ file: join(directory, `${name}.db`), isLoading: true });
  opened.push(database);
  return database;
}

async function postgres(): Promise<Database> {
  const queue = { length: 100, wait: 2000, settings: { length: 'a', wait: 'b' } };
  const limits = { poolSize: 2, statementSeconds: 5, lockSeconds: 5, queue };
  const database = await openPostgres({ ...limits, url: await postgresUrl() });
  opened.push(database);
  return database;
}

/** Adds samples with these values to the source, and completes it. */
async function fill(...samples: readonly Readonly<Record<string, Cell>>[]): Promise<void> {
  const records = samples.map((values, index) => ({ set: 'Samples', uid: index + 1, values }));
  await loadRecords(source, layout, records, () => undefined);
  await finishTables(source, layout, SQLITE);
}

async function copyTo(
  to: Database,
  options: Partial<Copy> = {},
  progress: Partial<CopyProgress> = {},
): Promise<readonly CopiedRows[]> {
  const copy = { from: source, source: 'source', to, dialect: POSTGRES, ...parts, ...options };
  await prepareCopy(copy);
  return await copyDatabase({ ...copy, progress: { ...QUIET, ...progress } });
}

async function samples(database: Database): Promise<readonly Row[]> {
  return await database.read('SELECT * FROM "Samples" ORDER BY 1', []);
}

/** Names of columns that hold the value in the first sample. */
const ODD: Readonly<Record<string, Cell>> = {
  Bytes: Buffer.from([0, 1, 255]),
  Flag: 1n,
  Big: -9223372036854775808n,
  Exact: '12345678901234.5678',
  Double: Number.NaN,
  Words: 'line\nbreak\ttab\u0001\u0002\u007f \u2028 Grüße 🦜 \'" \\x00 \\N',
};

it('copies values of all kinds to PostgreSQL and back', async () => {
  await fill(
    ODD,
    { Double: Number.POSITIVE_INFINITY, Flag: 0n },
    { Double: Number.NEGATIVE_INFINITY, Words: '' },
    { Double: 5e-324, Bytes: Buffer.alloc(0) },
    { Double: 0.1 + 0.2, Big: 9223372036854775807n },
  );
  const middle = await postgres();
  const there = await copyTo(middle);
  await requireCurrent(middle, layout, POSTGRES, MODULE_TABLES);
  const end = sqlite('end');
  const back = await copyTo(end, { from: middle, dialect: SQLITE });
  await requireCurrent(end, layout, SQLITE, MODULE_TABLES);
  expect(back).toEqual(there);
  expect(there.find(({ table }) => table === 'Samples')).toMatchObject({ rows: 5 });
  expect(await samples(end)).toEqual(await samples(source));
  const stored = await end.read('SELECT "Double" FROM "Samples" WHERE "Flag" = 1', []);
  expect(stored).toEqual([['NaN']]);
});

it('continues after an interruption, whatever part was copied', async () => {
  await fill(...Array.from({ length: 4500 }, (_, index) => ({ Words: `Sample ${index}` })));
  for (const ends of [1, 3000, 'indexing', 'compared'] as const) {
    const to = await postgres();
    let rows = 0;
    const stop = (isDue: boolean) => {
      if (isDue) throw new Error('interrupted');
    };
    const interrupted = copyTo(
      to,
      {},
      {
        copied: (more) => {
          rows += more;
          stop(typeof ends === 'number' && rows >= ends);
        },
        indexing: () => stop(ends === 'indexing'),
        compared: () => stop(ends === 'compared'),
      },
    );
    await expect(interrupted).rejects.toThrow('interrupted');
    await expect(requireCurrent(to, layout, POSTGRES, MODULE_TABLES)).rejects.toThrow();
    let later = 0;
    const copied = await copyTo(
      to,
      {},
      {
        copied: (more) => {
          later += more;
        },
      },
    );
    const all = copied.reduce((sum, table) => sum + table.rows, 0);
    if (typeof ends === 'number') expect(rows + later).toBe(all);
    else expect(later).toBe(0);
    await requireCurrent(to, layout, POSTGRES, MODULE_TABLES);
  }
}, 60_000);

it('reports a row that differs, and leaves the copy incomplete', async () => {
  await fill({ Words: 'first' });
  const other = sqlite('other');
  const differing: Database = {
    ...other,
    define: async (statements) => {
      await other.define(statements);
      await writeAll(other, change(`UPDATE "Samples" SET "Words" = 'second'`, []));
    },
  };
  await prepareCopy({ from: source, source: 'source', to: other, dialect: SQLITE, ...parts });
  const copied = copyTo(differing, { dialect: SQLITE });
  await expect(copied).rejects.toMatchObject({ code: 'store.copy-differs' });
  await expect(requireCurrent(other, layout, SQLITE, MODULE_TABLES)).rejects.toMatchObject({
    code: 'store.not-installed',
  });
});

it('distinguishes cells whose joined texts are the same', async () => {
  await fill({ Words: 'a', Tag: 'b-' });
  const before = await copyTo(sqlite('once'), { dialect: SQLITE });
  await writeAll(source, change(`UPDATE "Samples" SET "Words" = 'ab', "Tag" = '-'`, []));
  const after = await copyTo(sqlite('twice'), { dialect: SQLITE });
  const digest = (rows: readonly CopiedRows[]) =>
    rows.find(({ table }) => table === 'Samples')?.digest;
  expect(digest(before)).not.toBe(digest(after));
});
