// This file loads records of the zoo: containments, derived types, decimals, pairs, and numbers that go on behind what was loaded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { IDENTITY_SEQUENCE } from '../../src/sql/schema/ddl.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Database } from '../../src/store/database.ts';
import { readSetting, writeSetting } from '../../src/store/installation-settings.ts';
import {
  continueSequences,
  type LoadRecord,
  loadLinks,
  loadRecords,
} from '../../src/store/load/bulk-load.ts';
import { endLoad, loadPosition } from '../../src/store/load/load-position.ts';
import {
  createTables,
  finishTables,
  installedLayout,
  isInstalled,
  requireCurrent,
} from '../../src/store/model-tables.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { allocate, change } from '../../src/store/work.ts';
import { oddModel } from '../odd-model.ts';
import { writeAll } from '../write-all.ts';

const layout = makeLayout(oddModel);
let directory: string;
let database: SqliteDatabase;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'docket-load-'));
  database = openSqlite({ file: join(directory, 'zoo.db') });
  await createTables(database, layout, SQLITE, []);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const rows = (query: string) => database.read(query, []);

async function load(...records: readonly LoadRecord[]): Promise<readonly number[]> {
  const told: number[] = [];
  await loadRecords(database, layout, records, (stored) => told.push(stored));
  return told;
}

const keeper = (uid: number, values: LoadRecord['values'] = {}): LoadRecord => ({
  set: 'Keepers',
  uid,
  values: { Name: `Keeper ${uid}`, ...values },
});

const parrot: LoadRecord = {
  set: 'Animals',
  uid: 10,
  values: {
    $type: 'Odd.Zoo.Parrot',
    Name: 'Polly',
    Number: 41,
    Weight: '0.125',
    Tame: true,
    Size: 1,
  },
};

describe('records', () => {
  it('are stored under their keys, with the form that each value is kept in', async () => {
    await load(parrot);
    expect(
      rows('SELECT "Id", "$type", "Name", "Number", "Weight", "Tame", "$version" FROM "Animals"'),
    ).toEqual([[10n, 'Odd.Zoo.Parrot', 'Polly', 41n, 125n, 1n, 1n]]);
  });

  it('that are contained know their container, to any depth', async () => {
    await load(
      parrot,
      { set: 'Animals/Notes', uid: 11, parent: 10, values: { Text: 'Sings' } },
      { set: 'Animals/Notes/Files', uid: 12, parent: 11, values: { Title: 'Song' } },
    );
    expect(rows('SELECT "Id", "$parent" FROM "Creature/Notes"')).toEqual([[11n, 10n]]);
    expect(rows('SELECT "Id", "$parent" FROM "Note/Files"')).toEqual([[12n, 11n]]);
  });

  it('of many sets may come mixed; the progress is told', async () => {
    const told = await load(keeper(1), parrot, keeper(2), keeper(3));
    expect(told).toEqual([4]);
    expect(rows('SELECT count(*) FROM "Keepers"')).toEqual([[3n]]);
  });

  it('may refer to records that come later', async () => {
    await load(keeper(2, { Boss: 1 }), keeper(1, { Boss: null }));
    expect(rows('SELECT "Boss" FROM "Keepers" ORDER BY "Id"')).toEqual([[null], [1n]]);
  });

  it('that refer to nothing are refused', async () => {
    await expect(load(keeper(2, { Boss: 99 }))).rejects.toMatchObject({
      code: 'store.foreign-key',
    });
    expect(rows('SELECT count(*) FROM "Keepers"')).toEqual([[0n]]);
  });

  it('of a set with derived types must name theirs', async () => {
    const { $type: _, ...values } = parrot.values;
    await expect(load({ ...parrot, values })).rejects.toMatchObject({ code: 'load.type' });
  });

  it('more than one transaction holds are all stored', async () => {
    const many = Array.from({ length: 45_000 }, (_, index) => keeper(index + 1));
    expect(await load(...many)).toEqual([20_000, 40_000, 45_000]);
    expect(rows('SELECT count(*), max("Id") FROM "Keepers"')).toEqual([[45_000n, 45_000n]]);
  });
});

describe('pairs', () => {
  it('are stored once, from whichever side they are told', async () => {
    await load(keeper(1), keeper(2), parrot);
    await loadLinks(
      database,
      layout,
      [
        { set: 'Animals', navigation: 'Keepers', source: 10, target: 1 },
        { set: 'Keepers', navigation: 'Animals', source: 1, target: 10 },
        { set: 'Keepers', navigation: 'Animals', source: 2, target: 10 },
      ],
      () => undefined,
    );
    expect(rows('SELECT "source", "target" FROM "Animals.Keepers" ORDER BY 2')).toEqual([
      [10n, 1n],
      [10n, 2n],
    ]);
  });
});

describe('rows', () => {
  const values = { Tame: true, Size: 2, Name: 'Rex' };
  const animal = (uid: number, more: LoadRecord['values'] = {}): LoadRecord => ({
    set: 'Animals',
    uid,
    values: { $type: 'Odd.Zoo.Animal', Number: uid, ...values, ...more },
  });

  it('of one set may have different columns, in any order of records', async () => {
    const weighed = (uid: number) => animal(uid, { Weight: '0.002' });
    const all = Array.from({ length: 1001 }, (_, at) => (at % 2 ? animal(at) : weighed(at + 5000)));
    await load(...all);
    expect(
      rows(
        'SELECT count(*), count("Weight"), sum("Weight"), min("Id"), max("Number") FROM "Animals"',
      ),
    ).toEqual([[1001n, 501n, 1002n, 1n, 6000n]]);
  });
});

describe('what is finished after loading', () => {
  it('words of loaded records are found', async () => {
    await load(keeper(7, { Name: 'Ada Lovelace' }));
    await finishTables(database, layout, SQLITE);
    expect(
      rows(`SELECT rowid FROM "Keepers$search" WHERE "Keepers$search" MATCH 'lovelace'`),
    ).toEqual([[7n]]);
  });

  it('a text index is in one piece, which what is written afterwards leaves alone', async () => {
    const name = (uid: number) => `Keeper ${uid} ${(uid * 7919).toString(36)} `.repeat(5);
    await load(...Array.from({ length: 10_000 }, (_, at) => keeper(at + 1, { Name: name(at) })));
    await finishTables(database, layout, SQLITE);
    for (const index of ['Keepers$search', 'Keepers$grams']) {
      // SQLite, "FTS5", "The Segment Data Structure": pages are numbered by segment; those of rows that are gone stand far above.
      const pages = `SELECT id >> 37, count(*), sum(length(block)) FROM "${index}_data" WHERE id > 10 AND id >> 37 < 65536`;
      const pieces = () => rows(`${pages} GROUP BY 1 ORDER BY 2 DESC`);
      const [large, ...others] = pieces();
      expect(others).toEqual([]);
      expect(rows(`SELECT rowid FROM "${index}" WHERE "${index}" MATCH 'level'`)).toEqual([]);
      const text = `INSERT INTO "${index}" (rowid, c1) VALUES (?, 'another keeper')`;
      for (let uid = 20_000n; uid < 20_200n; uid++) await writeAll(database, change(text, [uid]));
      expect(pieces()).toContainEqual(large);
    }
  });

  it('indexes of a large table are built in transactions of their own', async () => {
    await load(...Array.from({ length: 10_000 }, (_, at) => keeper(at + 1)));
    const transactions: string[] = [];
    const recording: Database = {
      ...database,
      define: (statements) => {
        transactions.push(statements.join(';'));
        return database.define(statements);
      },
    };
    await finishTables(recording, layout, SQLITE);
    const [small, ...others] = transactions;
    expect(small).not.toContain('"Keepers$');
    const about = (name: string) => others.filter((text) => text.includes(`INTO "${name}"`));
    for (const text of others) {
      const built = text.match(/CREATE|ANALYZE| FROM "Keepers" WHERE "Id" BETWEEN /g) ?? [];
      expect(built.length).toBeLessThanOrEqual(1);
    }
    expect(about('Keepers$search').length).toBeGreaterThan(3);
  });

  it('codes have their texts in every language, with the names of the model', async () => {
    await finishTables(database, layout, SQLITE);
    expect(
      rows(
        `SELECT "language", "text", "folded", "json" FROM "docket_code_text" WHERE "value" = 1001`,
      ),
    ).toEqual([
      ['en', 'Calm', 'calm', '"Text":"Calm","Value":1001'],
      ['nl', 'Kalm', 'kalm', '"Text":"Kalm","Value":1001'],
    ]);
  });

  it('keys and running numbers go on behind the loaded ones', async () => {
    await load(keeper(77), parrot);
    await finishTables(database, layout, SQLITE);
    await continueSequences(database, layout);
    const next = (name: string) =>
      database.write(function* () {
        const { first } = yield allocate(name, 1n);
        return { result: first, keep: true };
      });
    expect(await next(IDENTITY_SEQUENCE)).toBe(78n);
    expect(await next(IDENTITY_SEQUENCE)).toBe(79n);
    expect(await next('Animals.Number')).toBe(42n);
  });

  it('the layout is kept, and compared at the next start', async () => {
    expect(isInstalled(database)).toBe(true);
    await expect(installedLayout(database)).rejects.toThrow(/docket init/);
    await finishTables(database, layout, SQLITE);
    expect((await installedLayout(database)).tables.map((table) => table.name)).toContain(
      'Keepers',
    );
    await requireCurrent(database, layout, SQLITE, []);
  });

  it('settings are single texts that can be changed', async () => {
    expect(readSetting(database, 'enabled')).toBeUndefined();
    await writeSetting(database, 'enabled', 'false');
    await writeSetting(database, 'enabled', 'true');
    expect(readSetting(database, 'enabled')).toBe('true');
  });
});

/** Records until the load is interrupted. */
function* interrupted(count: number): Generator<LoadRecord> {
  for (let uid = 1; uid <= count; uid++) yield keeper(uid);
  throw new Error('interrupted');
}

describe('an interrupted load', () => {
  it('continues after the last transaction', async () => {
    const loadAll = async (records: Iterable<LoadRecord>) => {
      const noted: number[] = [];
      await loadRecords(database, layout, records, (stored) => noted.push(stored), 'records');
      return noted;
    };
    await expect(loadAll(interrupted(25_000))).rejects.toThrow('interrupted');
    expect(rows('SELECT count(*) FROM "Keepers"')).toEqual([[20_000n]]);
    expect(await loadPosition(database, 'records')).toBe(20_000);
    const whole = Array.from({ length: 30_000 }, (_, at) => keeper(at + 1));
    expect(await loadAll(whole)).toEqual([30_000]);
    expect(rows('SELECT count(*), max("Id") FROM "Keepers"')).toEqual([[30_000n, 30_000n]]);
  });

  it('that the database interrupts continues after the last transaction, too', async () => {
    let allowed = 2;
    const failing: Database = {
      ...database,
      write: async (...work) => {
        if (allowed-- === 0) throw new Error('interrupted');
        await new Promise((resolve) => setTimeout(resolve, 20));
        return await database.write(...work);
      },
    };
    const whole = Array.from({ length: 70_000 }, (_, at) => keeper(at + 1));
    const noted: number[] = [];
    const note = (stored: number) => noted.push(stored);
    await expect(loadRecords(failing, layout, whole, note, 'records')).rejects.toThrow(
      'interrupted',
    );
    expect(rows('SELECT count(*) FROM "Keepers"')).toEqual([[40_000n]]);
    await loadRecords(database, layout, whole, note, 'records');
    expect(noted).toEqual([20_000, 40_000, 60_000, 70_000]);
    expect(rows('SELECT count(*), max("Id") FROM "Keepers"')).toEqual([[70_000n, 70_000n]]);
  });

  it('has stored what was generated when it reports the error of the generator', async () => {
    let isWriting = false;
    const slow: Database = {
      ...database,
      write: async (...work) => {
        isWriting = true;
        await new Promise((resolve) => setTimeout(resolve, 50));
        const result = await database.write(...work);
        isWriting = false;
        return result;
      },
    };
    const load = loadRecords(slow, layout, interrupted(20_001), () => undefined);
    await expect(load).rejects.toThrow('interrupted');
    expect(isWriting).toBe(false);
    expect(rows('SELECT count(*) FROM "Keepers"')).toEqual([[20_000n]]);
  });

  it('skips the indexes that are built, and forgets its positions at the end', async () => {
    await load(...Array.from({ length: 6000 }, (_, at) => keeper(at + 1)));
    let allowed = 8;
    const failing: Database = {
      ...database,
      define: (statements) => {
        if (allowed-- === 0) throw new Error('interrupted');
        return database.define(statements);
      },
    };
    await expect(finishTables(failing, layout, SQLITE)).rejects.toThrow('interrupted');
    expect(await loadPosition(database, 'indexes')).toBe(8);
    expect(readSetting(database, 'layout')).toBeUndefined();
    const noted: number[] = [];
    await finishTables(database, layout, SQLITE, (done) => noted.push(done));
    expect(noted.length).toBe(noted.at(-1));
    expect(
      rows(`SELECT count(*) FROM "Keepers$search" WHERE "Keepers$search" MATCH 'keeper'`),
    ).toEqual([[6000n]]);
    await endLoad(database);
    expect(rows(`SELECT "name" FROM "docket_setting" WHERE "name" LIKE 'load%'`)).toEqual([]);
  });
});
