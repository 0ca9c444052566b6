// This file tests the database of an installation on PostgreSQL: whether it is there and in use, its removal, and migrations.
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredLayout } from '../../src/sql/schema/layout.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Work } from '../../src/store/database.ts';
import type { InstallationDatabase } from '../../src/store/installation-database.ts';
import { storeSetting } from '../../src/store/installation-settings.ts';
import {
  createTables,
  ENGINE_SETTING,
  engineTables,
  finishTables,
} from '../../src/store/model-tables.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { postgresInstallation } from '../../src/store/postgres/installation.ts';
import { kept } from '../../src/store/work.ts';
import { oddModel } from '../odd-model.ts';
import { postgresUrl } from '../postgres.ts';

const SETTINGS = {
  poolSize: 2,
  statementSeconds: 5,
  lockSeconds: 5,
  queue: { length: 100, wait: 2000, settings: { length: 'a', wait: 'b' } },
};

let url: string;
let installation: InstallationDatabase;
beforeEach(async () => {
  url = await postgresUrl();
  installation = postgresInstallation({ ...SETTINGS, url });
});

const NOTHING = { tables: [], links: [] } as never;

async function install(on = installation): Promise<void> {
  const database = await on.open();
  await createTables(database, NOTHING, on.dialect, []);
  await database.close();
}

/** Runs statements as another user of the database would. */
async function define(...statements: readonly string[]): Promise<void> {
  const database = await openPostgres({ ...SETTINGS, url });
  await database.define(statements);
  await database.close();
}

async function tables(): Promise<string> {
  const database = await openPostgres({ ...SETTINGS, url });
  const rows = await database.read(
    'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1',
    [],
  );
  await database.close();
  return rows.join(' ');
}

describe('an installation', () => {
  it('exists once its tables do', async () => {
    expect(await installation.exists()).toBe(false);
    expect(await installation.setting(ENGINE_SETTING)).toBeUndefined();
    await install();
    expect(await installation.exists()).toBe(true);
    expect(await installation.setting(ENGINE_SETTING)).toContain('docket_setting');
    expect(await installation.sizeInBytes()).toBeGreaterThan(1_000_000);
  });

  it('is removed without the tables of others', async () => {
    await install();
    // As a table of another program, it has no comment.
    await define('CREATE TABLE others (n bigint)', 'COMMENT ON TABLE others IS NULL');
    await define("COMMENT ON TABLE others IS 'mine'");
    await installation.remove();
    expect(await tables()).toBe('others');
    await install();
    expect(await installation.exists()).toBe(true);
  });

  it('is removed with the functions of its text indexes', async () => {
    const layout = makeLayout(oddModel);
    const installTexts = async () => {
      const database = await installation.open();
      await createTables(database, layout, installation.dialect, []);
      await finishTables(database, layout, installation.dialect);
      await database.close();
    };
    await installTexts();
    await installation.remove();
    await installTexts();
    expect(await installation.exists()).toBe(true);
  });

  it('lives in the schema of its URL, beside another one', async () => {
    await define('CREATE SCHEMA second');
    const second = postgresInstallation({
      ...SETTINGS,
      url: `${url}?options=-c%20search_path%3Dsecond`,
    });
    await install(second);
    expect(await installation.exists()).toBe(false);
    await install();
    await second.remove();
    expect([await installation.exists(), await second.exists()]).toEqual([true, false]);
  });

  it('is in use while a database is open', async () => {
    const database = await installation.open();
    await expect(async () => await installation.requireUnused()).rejects.toMatchObject({
      code: 'store.in-use',
    });
    await expect(async () => await installation.openMigration(true)).rejects.toMatchObject({
      code: 'store.in-use',
    });
    await (await installation.openMigration(false)).close();
    await database.close();
    await installation.requireUnused();
  });
});

describe('a migration', () => {
  beforeEach(() => install());

  const current = () => engineTables(installation.dialect, []);

  function* finish(engine: readonly string[]): Work<void> {
    yield* storeSetting(ENGINE_SETTING, JSON.stringify(engine));
  }

  async function migrate(engine: readonly string[]): Promise<readonly string[]> {
    const migration = await installation.openMigration(true);
    try {
      const steps = await migration.engineSteps(engine);
      await migration.run(steps, finish(engine));
      expect(await migration.engineSteps(engine)).toEqual([]);
      return steps.map((step) => step.text);
    } finally {
      await migration.close();
    }
  }

  it('has nothing to do for the tables as they are', async () => {
    expect(await migrate(current())).toEqual([]);
  });

  it('builds indexes for substrings once pg_trgm is available', async () => {
    const text = { words: 'Notes|words', grams: 'Notes|grams', columns: ['Text'] };
    const notes = { name: 'Notes', identity: 'Id', columns: [], indexes: [], text };
    const installed = { tables: [notes], links: [] } as unknown as StoredLayout;
    await define('CREATE TABLE "Notes" ("Id" bigint PRIMARY KEY, "Text" text)');
    await define('DROP EXTENSION pg_trgm');
    const migration = await installation.openMigration(true);
    try {
      const steps = await migration.repairSteps(installed);
      expect(steps.map((step) => step.text)).toEqual([
        'Build the indexes for substrings of "Notes", since pg_trgm is available.',
      ]);
      await migration.run(steps, finish(current()));
      expect(await migration.repairSteps(installed)).toEqual([]);
      expect(await migration.completeIndexes()).toContain('Notes|grams|Text');
    } finally {
      await migration.close();
    }
  });

  it('adds tables and indexes, and replaces functions', async () => {
    const more = [
      "CREATE OR REPLACE FUNCTION docket_new() RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT 1::text'",
      ...current(),
      'CREATE TABLE "docket_new" ("a" bigint PRIMARY KEY)',
      'CREATE INDEX "docket_new|a" ON "docket_new" ("a")',
      'CREATE INDEX "docket_setting|more" ON "docket_setting" ("name" DESC)',
    ];
    expect(await migrate(more)).toEqual([
      "Update the engine's functions.",
      'Create the engine\'s index "docket_setting|more".',
      'Add the engine\'s table "docket_new".',
    ]);
    await installation.remove();
    expect(await tables()).toBe('');
  });

  it('rebuilds a table with its rows, and reports what is lost', async () => {
    const numbered = 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY';
    const before = [
      `CREATE TABLE "docket_x" ("id" ${numbered}, "a" text NOT NULL, "b" text)`,
      'CREATE INDEX "docket_x|a" ON "docket_x" ("a")',
    ];
    await migrate([...current(), ...before]);
    await write("INSERT INTO \"docket_x\" (\"a\", \"b\") VALUES ('1', '2'), ('3', '4')");
    const after = [
      `CREATE TABLE "docket_x" ("id" ${numbered}, "a" text NOT NULL, "c" text DEFAULT 'c')`,
      'CREATE INDEX "docket_x|a" ON "docket_x" ("a", "c")',
    ];
    expect(await migrate([...current(), ...after])).toEqual([
      'Rebuild the engine\'s table "docket_x" without "b", whose values are lost.',
    ]);
    const rows = await write(
      'INSERT INTO "docket_x" ("a") VALUES (\'5\') RETURNING "id", "a", "c"',
    );
    expect(rows).toEqual([[3n, '5', 'c']]);
  });

  it('that fails has no effect', async () => {
    const migration = await installation.openMigration(true);
    const steps = [
      { text: 'First.', losses: [], sql: ['CREATE TABLE a (n bigint)'] },
      { text: 'Second.', losses: [], sql: ['CREATE TABLE a (n bigint)'] },
    ];
    await expect(async () => await migration.run(steps, finish([]))).rejects.toMatchObject({
      code: 'store.migration-broken',
      message: expect.stringContaining('Second. relation "a" already exists'),
    });
    expect(await migration.hasTable('a')).toBe(false);
    await migration.close();
  });

  it('that leaves references without a record fails', async () => {
    const migration = await installation.openMigration(true);
    const sql = [
      'CREATE TABLE a (n bigint PRIMARY KEY)',
      'CREATE TABLE b (n bigint REFERENCES a DEFERRABLE INITIALLY DEFERRED)',
      'INSERT INTO b VALUES (1)',
    ];
    await expect(
      async () => await migration.run([{ text: 'Broken.', losses: [], sql }], finish([])),
    ).rejects.toMatchObject({
      code: 'store.migration-broken',
    });
    await migration.close();
  });

  async function write(text: string) {
    const database = await installation.open();
    const rows = await database.write(() =>
      kept(
        (function* (): Work<unknown> {
          return (yield { kind: 'query', statement: text, values: [] }).rows;
        })(),
      ),
    );
    await database.close();
    return rows;
  }
});
