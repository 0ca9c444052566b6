// This file migrates an installation whose rows have clocks to a model that shows their remaining time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ModelDefinition, makeModel } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { migrateDatabase, planMigration } from '../../src/store/model/migrate.ts';
import { createTables, finishTables } from '../../src/store/model-tables.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { sqliteInstallation } from '../../src/store/sqlite/installation.ts';
import { change } from '../../src/store/work.ts';
import { REPAIR_CLOCK, repairModel } from '../journeys/clock-models.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-test-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const TIMES = ['Elapsed', 'Remaining'];
const EARLIER: ModelDefinition = repairModel({
  clocks: {
    Clocks: [
      Object.fromEntries(Object.entries(REPAIR_CLOCK).filter(([name]) => !TIMES.includes(name))),
    ],
  },
});
/** Number, status and record: a clock that runs, one that has stopped, and a repair that never had one. */
const ROWS = [
  [1n, 1n, '{}'],
  [2n, 3n, '{}'],
  [3n, 1n, null],
] as const;

it('calculates open clocks again, and nothing the second time', async () => {
  const file = join(directory, 'docket.db');
  const database = openSqlite({ file });
  const layout = makeLayout(makeModel(EARLIER));
  await createTables(database, layout, SQLITE, []);
  await finishTables(database, layout, SQLITE);
  await database.write(function* () {
    for (const row of ROWS)
      yield change('INSERT INTO "Repairs" ("No", "Stage", "ClockRecord") VALUES (?, ?, ?)', row);
    return { result: undefined, keep: true };
  });
  await database.close();
  const installation = sqliteInstallation(file);
  const plan = await planMigration(installation, repairModel(), []);
  expect(plan.map(({ text }) => text).join('\n')).toContain(
    'Calculate the remaining time of open rows of "Repairs" in the background.',
  );
  await migrateDatabase(installation, repairModel(), []);
  const migrated = openSqlite({ file });
  const rows = await migrated.read(
    'SELECT "No" FROM "Repairs" WHERE "OutdatedSince" IS NOT NULL',
    [],
  );
  expect(rows).toEqual([[1n]]);
  await migrated.close();
  expect(await planMigration(installation, repairModel(), [])).toEqual([]);
});
