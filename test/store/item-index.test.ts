// This file creates, fills, renames and drops the index of items that have a key, where models change and records are loaded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelDefinition, makeModel, type Property } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { loadRecords } from '../../src/store/load/bulk-load.ts';
import { migrateDatabase, planMigration } from '../../src/store/model/migrate.ts';
import { createTables, finishTables, requireCurrent } from '../../src/store/model-tables.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { sqliteInstallation } from '../../src/store/sqlite/installation.ts';
import {
  collectionOf,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int64,
  property,
  text,
} from '../define-model.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-items-'));
  file = join(directory, 'docket.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const OTHER = collectionOf(property('Marks', 'Library.Mark'));
const KEYED: Property = { ...OTHER, itemKey: ['System', 'Id'] };
const RENAMED: Property = { ...KEYED, name: 'Origins', renamedFrom: 'Marks' };

function library(marks: Property): ModelDefinition {
  return defineModel({
    namespaces: [{ name: 'Library' }],
    types: [
      complexType('Mark', [text('System'), text('Id')]),
      entityType('Book', [int64('Id', { nullable: false, generated: { by: 'key' } }), marks], {
        key: ['Id'],
      }),
    ],
    sets: [entitySet('Books', 'Book')],
    operations: [],
    imports: [],
    codeLists: [],
    languages: ['en'],
  });
}

const mark = (Id: string | null) => ({ System: 'isbn', Id });

/** Books that have the marks. */
async function install(marks: Property, ...books: readonly (readonly object[])[]): Promise<void> {
  const database = openSqlite({ file });
  const layout = makeLayout(makeModel(library(marks)));
  await createTables(database, layout, SQLITE, []);
  const records = books.map((items, at) => ({
    set: 'Books',
    uid: at + 1,
    values: { Marks: JSON.stringify(items) },
  }));
  await loadRecords(database, layout, records, () => undefined);
  await finishTables(database, layout, SQLITE);
  await database.close();
}

async function read(query: string): Promise<unknown> {
  const database = openSqlite({ file });
  try {
    return await database.read(query, []);
  } finally {
    await database.close();
  }
}

const entries = (collection = 'Marks') =>
  read(`SELECT "System", "Id", "$owner" FROM "Books|${collection}|items" ORDER BY "Id"`);

const plan = async (marks: Property) =>
  await planMigration(sqliteInstallation(file), library(marks), []);

async function migrate(marks: Property): Promise<void> {
  await migrateDatabase(sqliteInstallation(file), library(marks), []);
  const database = openSqlite({ file });
  try {
    await requireCurrent(database, makeLayout(makeModel(library(marks))), SQLITE, []);
  } finally {
    await database.close();
  }
}

describe('an index of items', () => {
  it('has the complete items of loaded records', async () => {
    await install(KEYED, [mark('b'), mark(null)], [], [mark('a')]);
    expect(await entries()).toEqual([
      ['isbn', 'a', 3n],
      ['isbn', 'b', 1n],
    ]);
  });

  it('is added with the items of stored records', async () => {
    await install(OTHER, [mark('a')], [mark('b')]);
    expect((await plan(KEYED)).map((step) => step.text)).toEqual([
      'Add the item index of "Books".',
    ]);
    await migrate(KEYED);
    expect(await entries()).toEqual([
      ['isbn', 'a', 1n],
      ['isbn', 'b', 2n],
    ]);
  });

  it('is dropped', async () => {
    await install(KEYED, [mark('a')]);
    await migrate(OTHER);
    await expect(entries()).rejects.toThrow(/no such table/);
  });

  it('follows a new name of the collection', async () => {
    await install(KEYED, [mark('a')]);
    await migrate(RENAMED);
    expect(await entries('Origins')).toEqual([['isbn', 'a', 1n]]);
    await expect(entries()).rejects.toThrow(/no such table/);
  });

  it('is not added while records share an item, and the plan names these', async () => {
    await install(OTHER, [mark('a')], [mark('b')], [mark('c'), mark('c')], [mark('a')]);
    const [step] = await plan(KEYED);
    expect(step?.repeated).toEqual([
      `System='isbn',Id='a' in "Marks" of "Books" 1 and 4`,
      `System='isbn',Id='c' in "Marks" of "Books" 3 (twice)`,
    ]);
    await expect(migrate(KEYED)).rejects.toMatchObject({ code: 'store.items-repeated' });
    expect(await plan(OTHER)).toEqual([]);
  });
});
