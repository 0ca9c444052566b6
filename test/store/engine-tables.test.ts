// This file opens an installation whose tables of the engine an earlier version has defined: their definitions count as the same, though
// they are written differently.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MODULE_TABLES } from '../../src/cli/wire.ts';
import { makeModel } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { tableDdl } from '../../src/sql/schema/ddl.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { writeSetting } from '../../src/store/installation-settings.ts';
import { migrateDatabase, planMigration } from '../../src/store/model/migrate.ts';
import { finishTables, requireCurrent } from '../../src/store/model-tables.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { sqliteInstallation } from '../../src/store/sqlite/installation.ts';
import { defineModel, entitySet, entityType, int64 } from '../define-model.ts';

/** The definitions as earlier versions wrote them. */
const EARLIER: readonly string[] = [
  'CREATE TABLE "docket_code_text" ("language" TEXT NOT NULL, "value" INTEGER NOT NULL, "text" TEXT NOT NULL, "folded" TEXT NOT NULL, "json" TEXT NOT NULL, PRIMARY KEY ("language", "value")) WITHOUT ROWID',
  'CREATE INDEX "docket_code_text|text" ON "docket_code_text" ("language", "text")',
  'CREATE INDEX "docket_code_text|folded" ON "docket_code_text" ("folded")',
  'CREATE TABLE "docket_sequence" ("name" TEXT NOT NULL PRIMARY KEY, "next" INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE "docket_setting" ("name" TEXT NOT NULL PRIMARY KEY, "value" TEXT NOT NULL)',
  'CREATE TABLE "docket_file" ("id" INTEGER PRIMARY KEY, "media_type" TEXT NOT NULL, "size" INTEGER NOT NULL, "sha256" TEXT NOT NULL, "state" TEXT NOT NULL, "created" TEXT NOT NULL, "key" TEXT NOT NULL UNIQUE, "store" TEXT NOT NULL, "account" INTEGER)',
  'CREATE INDEX "docket_file|state" ON "docket_file" ("state", "created")',
  'CREATE INDEX "docket_file|account" ON "docket_file" ("account", "state", "size")',
  'CREATE TABLE "docket_schedule" ("id" INTEGER NOT NULL PRIMARY KEY, "origin" INTEGER NOT NULL, "since" TEXT NOT NULL, "definition" TEXT NOT NULL)',
  'CREATE TABLE "docket_known_record" ("reader" INTEGER NOT NULL, "address" TEXT NOT NULL, "left_with" INTEGER, PRIMARY KEY ("reader", "address")) WITHOUT ROWID',
  `CREATE TABLE "docket_change" ("seq" INTEGER PRIMARY KEY AUTOINCREMENT, "at" TEXT NOT NULL, "account" TEXT, "request" TEXT,
    "deed" TEXT NOT NULL, "source" TEXT NOT NULL, "identity" INTEGER NOT NULL, "navigation" TEXT, "other" INTEGER, "address" TEXT)`,
  'CREATE INDEX "docket_change|source" ON "docket_change" ("source", "seq")',
  'CREATE INDEX "docket_change|identity" ON "docket_change" ("identity", "seq")',
  'CREATE INDEX "docket_change|at" ON "docket_change" ("at")',
  `CREATE TABLE docket_model (version INTEGER NOT NULL PRIMARY KEY, applied TEXT NOT NULL, author TEXT NOT NULL,
    checksum TEXT NOT NULL, docket TEXT NOT NULL, origin TEXT NOT NULL, source TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS docket_credential (
    account INTEGER PRIMARY KEY, hash TEXT NOT NULL, changed INTEGER NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS docket_token_hash (hash TEXT PRIMARY KEY, token INTEGER NOT NULL)',
  'CREATE INDEX IF NOT EXISTS docket_token_hash_token ON docket_token_hash (token)',
  'CREATE TABLE IF NOT EXISTS docket_auth_revision (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL)',
  'INSERT INTO docket_auth_revision (id, revision) SELECT 1, 1 WHERE NOT EXISTS (SELECT 1 FROM docket_auth_revision)',
  `CREATE TABLE IF NOT EXISTS docket_repeat (
    account INTEGER NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL,
    body BLOB, at INTEGER NOT NULL, until INTEGER, rights TEXT, PRIMARY KEY (account, key))`,
  'CREATE INDEX IF NOT EXISTS docket_repeat_until ON docket_repeat (until)',
  'CREATE INDEX IF NOT EXISTS docket_repeat_account ON docket_repeat (account, at)',
  'CREATE INDEX IF NOT EXISTS docket_repeat_at ON docket_repeat (at)',
  `CREATE TABLE IF NOT EXISTS docket_job (
    id TEXT PRIMARY KEY, account INTEGER NOT NULL, login_name TEXT NOT NULL, request TEXT NOT NULL, body BLOB,
    at INTEGER NOT NULL, status INTEGER, headers TEXT, answer BLOB, until INTEGER, session INTEGER, rights TEXT)`,
  'CREATE INDEX IF NOT EXISTS docket_job_account ON docket_job (account, status)',
  'CREATE INDEX IF NOT EXISTS docket_job_until ON docket_job (until)',
  'CREATE INDEX IF NOT EXISTS docket_job_at ON docket_job (at)',
  `CREATE TABLE IF NOT EXISTS docket_stored_response (
    kind TEXT NOT NULL, account INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, collected INTEGER,
    PRIMARY KEY (kind, account))`,
];

/** The tables of other modules that these versions had. */
const TABLES = MODULE_TABLES.filter(({ name }) =>
  EARLIER.some((statement) => new RegExp(`\\b${name}\\b`).test(statement)),
);

const definition = defineModel({
  namespaces: [{ name: 'Library' }],
  types: [
    entityType('Book', [int64('Id', { nullable: false, generated: { by: 'key' } })], {
      key: ['Id'],
    }),
  ],
  sets: [entitySet('Books', 'Book')],
  operations: [],
  imports: [],
  codeLists: [],
  languages: ['en'],
});
const layout = makeLayout(makeModel(definition));

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-engine-'));
  file = join(directory, 'docket.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function install(engine: readonly string[]): Promise<void> {
  const database = openSqlite({ file });
  database.define([...engine, ...tableDdl(layout, SQLITE)]);
  await finishTables(database, layout, SQLITE);
  await writeSetting(database, 'engine', JSON.stringify(engine));
  await database.close();
}

async function isCurrent(): Promise<boolean> {
  const database = openSqlite({ file });
  try {
    await requireCurrent(database, layout, SQLITE, TABLES);
    return true;
  } catch {
    return false;
  } finally {
    await database.close();
  }
}

const steps = async () =>
  (await planMigration(sqliteInstallation(file), definition, TABLES)).map(({ text }) => text);

describe('tables that an earlier version has defined', () => {
  it('are current, and a migration has nothing to do', async () => {
    await install(EARLIER);
    expect(await isCurrent()).toBe(true);
    expect(await steps()).toEqual([]);
  });

  it.each([
    [
      'a column',
      ', rights TEXT, PRIMARY KEY',
      ', PRIMARY KEY',
      'Rebuild the engine\'s table "docket_repeat".',
    ],
    [
      'the type of a column',
      'id TEXT PRIMARY KEY',
      'id BLOB PRIMARY KEY',
      'Rebuild the engine\'s table "docket_job".',
    ],
    [
      'a constraint',
      '"state" TEXT NOT NULL',
      '"state" TEXT',
      'Rebuild the engine\'s table "docket_file".',
    ],
    [
      'the storage of long values',
      '"value" TEXT NOT NULL)',
      '"value" TEXT NOT NULL) WITHOUT ROWID',
      'Rebuild the engine\'s table "docket_setting".',
    ],
    [
      'a column of an index',
      '(account, status)',
      '(account)',
      'Create the engine\'s index "docket_job_account".',
    ],
  ])('are not current if they differ in %s', async (_, current, earlier, step) => {
    await install(EARLIER.map((statement) => statement.replace(current, earlier)));
    expect(await isCurrent()).toBe(false);
    expect(await steps()).toEqual([step]);
    await migrateDatabase(sqliteInstallation(file), definition, TABLES);
    expect(await isCurrent()).toBe(true);
  });
});
