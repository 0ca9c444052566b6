// This file forgets old changes: the log stays a run without gaps, and delta links that are older say so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import { deleteChanges, startRetention } from '../../src/changes/retention.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { engineTableDdl } from '../../src/sql/schema/ddl.ts';
import { CHANGE_TABLE } from '../../src/sql/write/change-log.ts';
import type { Database } from '../../src/store/database.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change } from '../../src/store/work.ts';
import { fixedWorld, NOW } from '../world.ts';
import { writeAll } from '../write-all.ts';

const DAY = 24 * 3600 * 1000;

let directory: string;
let database: SqliteDatabase;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-changes-'));
  database = openSqlite({ file: join(directory, 'test.db') });
  database.define(engineTableDdl(CHANGE_TABLE, SQLITE));
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

/** One change at each of the times, in days before now. */
async function note(...ages: readonly number[]): Promise<void> {
  const text = `INSERT INTO "docket_change" ("at", "deed", "source", "identity") VALUES (?, 'update', 'Persons', 1)`;
  const noted = ages.map((age) => change(text, [new Date(NOW - age * DAY).toISOString()]));
  await writeAll(database, ...noted);
}

const numbers = () =>
  database.read('SELECT "seq" FROM "docket_change" ORDER BY "seq"', []).map(([seq]) => Number(seq));

describe('Changes are kept for a time', () => {
  it('those before it are forgotten, those after it stay', async () => {
    await note(5, 4, 3, 2, 1);
    expect(await deleteChanges(database, NOW - 2.5 * DAY)).toBe(3);
    expect(numbers()).toEqual([4, 5]);
  });

  it('the newest is never forgotten: the next one gets the number behind it', async () => {
    await note(9, 8, 7);
    expect(await deleteChanges(database, NOW)).toBe(2);
    expect(numbers()).toEqual([3]);
    await note(1);
    expect(numbers()).toEqual([3, 4]);
  });

  it('where the clock has gone back, nothing is taken out of the middle', async () => {
    await note(9, 2, 8, 7, 1);
    expect(await deleteChanges(database, NOW - 5 * DAY)).toBe(1);
    expect(numbers()).toEqual([2, 3, 4, 5]);
  });

  it('what a reader has yet to see stays', async () => {
    await note(9, 8, 7, 6);
    expect(await deleteChanges(database, NOW, 2n)).toBe(1);
    expect(numbers()).toEqual([2, 3, 4]);
  });

  it('an empty log stays empty', async () => {
    expect(await deleteChanges(database, NOW)).toBe(0);
    expect(numbers()).toEqual([]);
  });

  it('many go in several transactions, so that writers need not wait', async () => {
    await note(...Array.from({ length: 4500 }, () => 9), 1);
    let deeds = 0;
    const counting: Database = {
      ...database,
      read: (text, values) => database.read(text, values),
      write: (deed) => {
        deeds++;
        return database.write(deed);
      },
    };
    expect(await deleteChanges(counting, NOW - DAY * 2)).toBe(4500);
    expect([deeds, numbers()]).toEqual([3, [4501]]);
  });

  it('whatever the times, what is left is the end of the log, and nothing young is gone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 20 }),
        async (ages, days) => {
          const before = numbers();
          await note(...ages);
          const all = numbers();
          const young = all.slice(before.length).filter((_, index) => (ages[index] ?? 0) <= days);
          await deleteChanges(database, NOW - days * DAY);
          const left = numbers();
          expect(left).toEqual(all.slice(all.length - left.length));
          expect(left).toContain(all.at(-1));
          for (const number of young) expect(left).toContain(number);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('a service forgets when it starts, and says when it cannot', async () => {
    await note(40, 20, 10);
    const seen: Observation[] = [];
    const retention = {
      world: fixedWorld(),
      observe: (one: Observation) => seen.push(one),
      days: () => 30,
    };
    await startRetention({ ...retention, database })();
    expect(numbers()).toEqual([2, 3]);
    const broken: Database = {
      ...database,
      read: () => {
        throw new Error('no disk');
      },
    };
    await startRetention({ ...retention, database: broken })();
    expect(seen).toMatchObject([{ kind: 'failure', error: new Error('no disk') }]);
  });
});
