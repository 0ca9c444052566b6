// This file changes models and migrates databases with rows in them: what can be kept is kept, what cannot is refused, and a migration
// that fails has not happened.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { withSystem } from '../../src/edm/account-sets.ts';
import {
  type Member,
  type ModelDefinition,
  makeModel,
  type NamedType,
} from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import type { EngineTable } from '../../src/sql/schema/engine-table.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { changeCodes } from '../../src/store/codes/stored-codes.ts';
import type { Database } from '../../src/store/database.ts';
import { loadLinks, loadRecords } from '../../src/store/load/bulk-load.ts';
import { describeLoss, migrateDatabase, planMigration } from '../../src/store/model/migrate.ts';
import {
  createTables,
  engineTables,
  finishTables,
  requireCurrent,
} from '../../src/store/model-tables.ts';
import { copyInto } from '../../src/store/sqlite/backup.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { sqliteInstallation } from '../../src/store/sqlite/installation.ts';
import { change } from '../../src/store/work.ts';
import { code, codeList, codeValue, double, singleton, timeOfDay } from '../define.ts';
import {
  boolean,
  complexType,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  int64,
  many,
  one,
  property,
  text,
} from '../define-model.ts';
import { writeAll } from '../write-all.ts';

const key = int64('Id', { nullable: false, generated: { by: 'key' } });

interface Library {
  readonly book?: readonly Member[];
  readonly author?: readonly Member[];
  readonly sets?: readonly string[];
  readonly colours?: readonly number[];
}

const BOOK = [
  text('Title', { searchable: true }),
  text('Isbn', { indexed: true }),
  dateTime('Bought', { precision: 0 }),
  one('Author', 'Author'),
  code('Colour', 'Colours'),
  many('Readers', 'Author'),
];

function library({ book = BOOK, author = [text('Name')], sets = [], colours = [1] }: Library) {
  return defineModel({
    namespaces: [{ name: 'Library' }],
    types: [
      complexType('Code', [text('Text'), int64('Value')], {
        coded: { value: 'Value', text: 'Text' },
      }),
      entityType('Book', [key, ...book], { key: ['Id'] }),
      entityType('Author', [key, ...author], { key: ['Id'] }),
    ],
    sets: [
      entitySet('Books', 'Book'),
      entitySet('Authors', 'Author'),
      ...sets.map((name) => entitySet(name, 'Author')),
    ],
    operations: [],
    imports: [],
    codeLists: [
      codeList(
        'Colours',
        colours.map((value) => codeValue(value, { en: `Colour ${value}` })),
      ),
    ],
    languages: ['en'],
  });
}

const NO_MORE: readonly EngineTable[] = [];
const ENGINE = engineTables(SQLITE, NO_MORE);

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-migrate-'));
  file = join(directory, 'docket.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function install(definition: ModelDefinition): Promise<void> {
  const database = openSqlite({ file });
  const layout = makeLayout(makeModel(definition));
  await createTables(database, layout, SQLITE, []);
  const records = [
    { set: 'Authors', uid: 1, values: { Name: 'Ada' } },
    {
      set: 'Books',
      uid: 2,
      values: { Title: 'Engines', Isbn: '1', Bought: '2026-01-02T03:04:05Z', Author: 1, Colour: 1 },
    },
  ];
  await loadRecords(database, layout, records, () => undefined);
  const links = [{ set: 'Books', navigation: 'Readers', source: 2, target: 1 }];
  await loadLinks(database, layout, links, () => undefined);
  await finishTables(database, layout, SQLITE);
  await database.close();
}

async function opened<Result>(work: (database: Database) => Result): Promise<Result> {
  const database = openSqlite({ file });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const steps = async (next: ModelDefinition) =>
  (await planMigration(sqliteInstallation(file), next, NO_MORE)).map((step) => step.text);

/** What the migration would lose, in words. */
const losses = async (next: ModelDefinition) =>
  (await planMigration(sqliteInstallation(file), next, NO_MORE))
    .flatMap((step) => step.losses)
    .map(describeLoss);

/** Migrates from the plain library to another one, and asks the result something. */
async function migrated(next: ModelDefinition, query: string): Promise<unknown> {
  await install(library({}));
  await migrateDatabase(sqliteInstallation(file), next, NO_MORE);
  return await opened(async (database) => {
    await requireCurrent(database, makeLayout(makeModel(next)), SQLITE, NO_MORE);
    return database.read(query, []);
  });
}

describe('a changed model', () => {
  it('the same model needs no step, and is served', async () => {
    await install(library({}));
    expect(await steps(library({}))).toEqual([]);
    await opened((database) =>
      requireCurrent(database, makeLayout(makeModel(library({}))), SQLITE, NO_MORE),
    );
  });

  it('another model is not served before the migration', async () => {
    await install(library({}));
    const next = makeLayout(makeModel(library({ sets: ['Editors'] })));
    await opened(async (database) => {
      await expect(requireCurrent(database, next, SQLITE, NO_MORE)).rejects.toThrow(
        /docket migrate/,
      );
    });
  });

  it('a new property is added, its rows have null', async () => {
    const next = library({ book: [...BOOK, text('Blurb')] });
    await install(library({}));
    expect(await steps(next)).toEqual([
      'Drop the text index of "Books".',
      'Add the column "Blurb" to "Books".',
      'Add the text index of "Books".',
    ]);
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE);
    const rows = await opened((database) =>
      database.read('SELECT "Title", "Blurb" FROM "Books"', []),
    );
    expect(rows).toEqual([['Engines', null]]);
  });

  it('a property that is gone takes its values with it, and the plan says so', async () => {
    const next = library({ book: BOOK.filter((member) => member.name !== 'Isbn') });
    await install(library({}));
    expect(await steps(next)).toContain(
      'Rebuild the table "Books" without "Isbn", whose values are lost.',
    );
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE, { mayLose: true });
    const read = (query: string) => opened((database) => database.read(query, []));
    expect(await read('SELECT * FROM "Books"')).toHaveLength(1);
    expect(await read('SELECT "target" FROM "Books.Readers"')).toEqual([[1n]]);
    expect(
      await read(`SELECT rowid FROM "Books$search" WHERE "Books$search" MATCH 'engines'`),
    ).toEqual([[2n]]);
  });

  it('more digits of a second are zeros', async () => {
    const next = library({ book: BOOK.map(asPrecise(3)) });
    const rows = await migrated(next, 'SELECT "Bought" FROM "Books"');
    expect(rows).toEqual([['2026-01-02T03:04:05.000Z']]);
  });

  it('points in time without a precision have all digits', async () => {
    const Bought = property('Bought', 'Edm.DateTimeOffset', { anyPrecision: true });
    const next = library({ book: BOOK.map((one) => (one.name === 'Bought' ? Bought : one)) });
    const rows = await migrated(next, 'SELECT "Bought" FROM "Books"');
    expect(rows).toEqual([['2026-01-02T03:04:05.000000000000Z']]);
  });

  it('a boolean becomes the text that OData writes', async () => {
    await install(library({ author: [text('Name'), boolean('Known'), boolean('Blocked')] }));
    await opened(async (database) => await database.define(['UPDATE "Authors" SET "Known" = 1']));
    const next = library({ author: [text('Name'), text('Known'), text('Blocked')] });
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE);
    const rows = await opened((database) =>
      database.read('SELECT "Known", "Blocked" FROM "Authors"', []),
    );
    expect(rows).toEqual([['true', null]]);
  });

  it('values that the new type cannot hold are announced, and gone', async () => {
    await install(library({}));
    const next = library({ author: [boolean('Name')] });
    expect((await steps(next)).join()).toContain(
      'Values of "Name" that the new type cannot hold are lost.',
    );
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE, { mayLose: true });
    const rows = await opened((database) => database.read('SELECT "Name" FROM "Authors"', []));
    expect(rows).toEqual([[null]]);
  });

  it('values that mean something else are announced, and gone', async () => {
    await install(library({}));
    const next = library({
      book: BOOK.map((one) => (one.name === 'Bought' ? timeOfDay('Bought') : one)),
    });
    expect((await steps(next)).join()).toContain('"Bought" cannot be converted and are lost');
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE, { mayLose: true });
    const rows = await opened((database) => database.read('SELECT "Bought" FROM "Books"', []));
    expect(rows).toEqual([[null]]);
  });

  it('a new required property is filled, and the plan says with what', async () => {
    await install(library({}));
    const next = library({ author: [text('Name'), text('Country', { nullable: false })] });
    expect((await steps(next)).join()).toContain(`get '' in "Country"`);
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE);
    const rows = await opened((database) =>
      database.read('SELECT "Name", "Country" FROM "Authors"', []),
    );
    expect(rows).toEqual([['Ada', '']]);
  });

  it('sets come and go', async () => {
    const next = library({ sets: ['Editors'] });
    expect(await migrated(next, 'SELECT count(*) FROM "Editors"')).toEqual([[0n]]);
    expect(await steps(library({}))).toContain('Drop the table "Editors" with all its rows.');
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    expect(await steps(library({}))).toEqual([]);
  });

  it('indexes and text indexes follow', async () => {
    const book = BOOK.map((member) =>
      member.name === 'Title'
        ? text('Title', { indexed: true })
        : member.name === 'Isbn'
          ? text('Isbn', { searchable: true })
          : member,
    );
    const rows = await migrated(
      library({ book }),
      `SELECT rowid FROM "Books$search" WHERE "Books$search" MATCH '1'`,
    );
    expect(rows).toEqual([[2n]]);
    const plan = await opened((database) =>
      database.read(`EXPLAIN QUERY PLAN SELECT "Id" FROM "Books" WHERE "Title" = 'x'`, []),
    );
    expect(String(plan[0]?.[3])).toContain('USING');
  });

  it('a value that must now be unique and is not takes the migration back', async () => {
    await install(library({}));
    await opened((database) =>
      database.define([`INSERT INTO "Books" ("Id", "Isbn") VALUES (3, '1')`]),
    );
    const book = BOOK.map((member) =>
      member.name === 'Isbn' ? text('Isbn', { unique: true }) : member,
    );
    const next = library({ book });
    const plan = await planMigration(sqliteInstallation(file), next, NO_MORE);
    const shared = '1 in "Isbn" of "Books" (2 times)';
    expect(plan.flatMap(({ repeated = [] }) => repeated)).toEqual([shared]);
    const refused = migrateDatabase(sqliteInstallation(file), next, NO_MORE);
    await expect(refused).rejects.toMatchObject({
      code: 'store.items-repeated',
      message: expect.stringContaining(shared),
    });
    expect(await steps(library({}))).toEqual([]);
  });

  it('a new unique property has no values that could be shared', async () => {
    const book = [...BOOK, text('Shelf', { unique: true })];
    expect(await migrated(library({ book }), `SELECT "Shelf" FROM "Books"`)).toEqual([[null]]);
  });

  it('new codes get their texts, those that were renamed keep theirs', async () => {
    const next = withSystem(library({ colours: [1, 2] }));
    const former = withSystem(library({}));
    await install(former);
    await opened((database) =>
      changeCodes(database, makeLayout(makeModel(former)), [{ value: 1, texts: { en: 'Red' } }]),
    );
    expect(await steps(next)).toEqual(['Apply 1 changed code of the model.']);
    await opened(async (database) => {
      const current = requireCurrent(database, makeLayout(makeModel(next)), SQLITE, NO_MORE);
      await expect(current).rejects.toThrow(Fault);
    });
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE);
    const rows = await opened((database) =>
      database.read('SELECT "value", "text", "json" FROM "docket_code_text" ORDER BY "value"', []),
    );
    expect(rows).toEqual([
      [1n, 'Red', '"Text":"Red","Value":1'],
      [2n, 'Colour 2', '"Text":"Colour 2","Value":2'],
    ]);
  });
});

describe('what is lost', () => {
  const without = (name: string) => BOOK.filter((member) => member.name !== name);
  const cases: readonly (readonly [string, () => ModelDefinition, readonly string[]])[] = [
    [
      'values of a property that is gone',
      () => library({ book: without('Isbn') }),
      ['the value of "Isbn" in 1 row of "Books"'],
    ],
    [
      'a relation to one record',
      () => library({ book: without('Author') }),
      ['the value of "Author" in 1 row of "Books"'],
    ],
    ['links', () => library({ book: without('Readers') }), ['1 link of "Books.Readers"']],
    [
      'values that cannot be converted',
      () => library({ author: [boolean('Name')] }),
      ['the value of "Name" in 1 row of "Authors"'],
    ],
    [
      'values of a renamed property that cannot be converted',
      () => library({ author: [boolean('Known', { renamedFrom: 'Name' })] }),
      ['the value of "Known" in 1 row of "Authors"'],
    ],
    [
      'a point in time as a time of day',
      () =>
        library({ book: BOOK.map((one) => (one.name === 'Bought' ? timeOfDay('Bought') : one)) }),
      ['the value of "Bought" in 1 row of "Books"'],
    ],
  ];

  it.each(cases)('%s: counted, and kept unless it may be lost', async (_name, next, expected) => {
    await install(library({}));
    expect(await losses(next())).toEqual(expected);
    await expect(migrateDatabase(sqliteInstallation(file), next(), NO_MORE)).rejects.toMatchObject({
      code: 'store.migration-loses',
      message: expect.stringContaining(expected.join()),
    });
    expect(await steps(library({}))).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.includes('before'))).toEqual([]);
    await migrateDatabase(sqliteInstallation(file), next(), NO_MORE, { mayLose: true });
    expect(await steps(next())).toEqual([]);
  });

  it('records of a set that is gone', async () => {
    const next = library({ sets: ['Editors'] });
    await install(next);
    expect(await losses(library({}))).toEqual([]);
    await opened((database) => database.define(['INSERT INTO "Editors" ("Id") VALUES (1), (2)']));
    expect(await losses(library({}))).toEqual(['2 rows of "Editors"']);
    const refused = migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    await expect(refused).rejects.toMatchObject({ code: 'store.migration-loses' });
  });

  it('digits that a property no longer has, where they are not zero', async () => {
    const precise = library({ book: BOOK.map(asPrecise(3)) });
    await install(precise);
    const set = (text: string) =>
      opened((database) => database.define([`UPDATE "Books" SET "Bought" = '${text}'`]));
    await set('2026-01-02T03:04:05.000Z');
    expect(await losses(library({}))).toEqual([]);
    await set('2026-01-02T03:04:05.678Z');
    expect(await losses(library({}))).toEqual(['digits of "Bought" in 1 row of "Books"']);
    expect((await steps(library({}))).join()).toContain('The values of "Bought" lose digits.');
    const refused = migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    await expect(refused).rejects.toMatchObject({ code: 'store.migration-loses' });
  });

  it('whole numbers that a floating number cannot hold', async () => {
    const numbered = (member: Member) => library({ author: [text('Name'), member] });
    await install(numbered(int64('Number')));
    const next = numbered(double('Number'));
    const set = (number: string) =>
      opened((database) => database.define([`UPDATE "Authors" SET "Number" = ${number}`]));
    await set('9007199254740992');
    expect(await losses(next)).toEqual([]);
    await set('9007199254740993');
    expect(await losses(next)).toEqual(['digits of "Number" in 1 row of "Authors"']);
  });

  it('what no row holds is not lost', async () => {
    await install(library({ book: [...BOOK, text('Blurb')] }));
    expect(await losses(library({}))).toEqual([]);
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    expect(await steps(library({}))).toEqual([]);
  });
});

describe('types and sets of records', () => {
  interface Fleet {
    /** The types that derive from the vehicle. */
    readonly derived: readonly NamedType[];
    readonly abstract?: boolean;
    readonly isSingleton?: boolean;
  }
  const car = (name = 'Car', options = {}) =>
    entityType(name, [text('Plate')], { base: 'Vehicle', ...options });
  const boat = entityType('Boat', [text('Port')], { base: 'Vehicle' });

  function fleet({ derived, abstract = false, isSingleton = false }: Fleet) {
    const options = { key: ['Id'], ...(abstract ? { abstract } : {}) };
    return defineModel({
      namespaces: [{ name: 'Fleet' }],
      types: [entityType('Vehicle', [key, text('Name')], options), ...derived],
      sets: [isSingleton ? singleton('Vehicles', 'Vehicle') : entitySet('Vehicles', 'Vehicle')],
    });
  }

  async function installed(definition: ModelDefinition, statements: readonly string[]) {
    const database = openSqlite({ file });
    const layout = makeLayout(makeModel(definition));
    await createTables(database, layout, SQLITE, []);
    await finishTables(database, layout, SQLITE);
    await database.define([...statements]);
    await database.close();
  }

  const typed = (id: number, type: string) =>
    `INSERT INTO "Vehicles" ("Id", "$type") VALUES (${id}, 'Fleet.${type}')`;
  const THREE = [typed(1, 'Vehicle'), typed(2, 'Car'), typed(3, 'Boat')];

  async function typesAfter(next: ModelDefinition): Promise<unknown> {
    await migrateDatabase(sqliteInstallation(file), next, NO_MORE, { mayLose: true });
    return await opened((database) =>
      database.read('SELECT "$type" FROM "Vehicles" ORDER BY "Id"', []),
    );
  }

  it('records of a removed type are listed, and get the declared type', async () => {
    await installed(fleet({ derived: [car(), boat] }), THREE);
    const next = fleet({ derived: [car()] });
    expect(await losses(next)).toEqual(['the value of (type) in 1 row of "Vehicles"']);
    expect(await typesAfter(next)).toEqual([['Fleet.Vehicle'], ['Fleet.Car'], ['Fleet.Vehicle']]);
  });

  it('only records of the removed types are listed when no type remains', async () => {
    await installed(fleet({ derived: [car(), boat] }), THREE);
    expect(await losses(fleet({ derived: [] }))).toEqual([
      'the value of (type) in 2 rows of "Vehicles"',
    ]);
  });

  it('records of a removed type are removed where the declared type is abstract', async () => {
    await installed(fleet({ derived: [car(), boat], abstract: true }), THREE.slice(1));
    const next = fleet({ derived: [car()], abstract: true });
    expect(await losses(next)).toEqual(['1 row of "Vehicles"']);
    expect(await typesAfter(next)).toEqual([['Fleet.Car']]);
  });

  it('records of a renamed type keep it while another is removed', async () => {
    await installed(fleet({ derived: [car(), boat] }), THREE);
    const next = fleet({ derived: [car('Lorry', { renamedFrom: 'Car' })] });
    expect(await losses(next)).toEqual(['the value of (type) in 1 row of "Vehicles"']);
    expect(await typesAfter(next)).toEqual([['Fleet.Vehicle'], ['Fleet.Lorry'], ['Fleet.Vehicle']]);
  });

  it('records get the declared type when the first type is derived from it', async () => {
    const insert = `INSERT INTO "Vehicles" ("Id", "Name") VALUES (1, 'Ship')`;
    await installed(fleet({ derived: [] }), [insert]);
    const next = fleet({ derived: [boat] });
    expect(await losses(next)).toEqual([]);
    expect(await typesAfter(next)).toEqual([['Fleet.Vehicle']]);
  });

  it('all records but one are listed when a set becomes a singleton', async () => {
    const insert = (id: number) => `INSERT INTO "Vehicles" ("Id") VALUES (${id})`;
    const next = fleet({ derived: [], isSingleton: true });
    await installed(fleet({ derived: [] }), [insert(1)]);
    expect(await losses(next)).toEqual([]);
    await opened((database) => database.define([insert(2), insert(3)]));
    expect(await losses(next)).toEqual(['2 rows of "Vehicles"']);
  });
});

describe('safety', () => {
  it('the database as it was is kept beside it', async () => {
    await install(library({}));
    const copy = await migrateDatabase(sqliteInstallation(file), library({ book: [] }), NO_MORE, {
      mayLose: true,
    });
    expect(readdirSync(directory)).toContain(copy?.slice(directory.length + 1));
    const former = openSqlite({ file: copy ?? '' });
    expect(former.read('SELECT "Title" FROM "Books"', [])).toEqual([['Engines']]);
    await former.close();
  });

  it('what is not complete does not have the name of a copy', () => {
    const copy = join(directory, 'copy.db');
    const run = ([target = '']: readonly unknown[]) => {
      writeFileSync(String(target), 'half');
      expect(readdirSync(directory)).not.toContain('copy.db');
      throw new Error('The disk is full.');
    };
    const connection = { prepare: () => ({ run }) };
    // biome-ignore lint/suspicious/noExplicitAny: a connection that fails
    expect(() => copyInto(connection as any, copy)).toThrow('The disk is full.');
    expect(readdirSync(directory).filter((name) => name.startsWith('copy.db'))).toEqual([]);
  });

  it('while the service runs, nothing is changed', async () => {
    await install(library({}));
    const serving = openSqlite({ file });
    serving.read('SELECT 1 FROM "Books"', []);
    const refused = migrateDatabase(sqliteInstallation(file), library({ book: [] }), NO_MORE);
    await expect(refused).rejects.toMatchObject({ code: 'store.in-use' });
    await serving.close();
    expect(await steps(library({}))).toEqual([]);
  });

  it("the engine's own tables follow too, with the rows they have", async () => {
    await install(library({}));
    const was = ENGINE.find((statement) => statement.startsWith('CREATE TABLE "docket_file"'));
    const older = [
      'DROP INDEX "docket_file|state"',
      'DROP TABLE "docket_file"',
      'DROP TABLE "docket_change"',
      'CREATE TABLE "docket_file" ("id" INTEGER PRIMARY KEY, "media_type" TEXT NOT NULL, "size" INTEGER NOT NULL, "sha256" TEXT NOT NULL, "state" TEXT NOT NULL, "created" TEXT NOT NULL, "former" TEXT)',
      `INSERT INTO "docket_file" VALUES (7, 'text/plain', 3, 'abc', 'kept', '2026-01-01', 'x')`,
      `DELETE FROM "docket_setting" WHERE "name" = 'engine'`,
    ];
    await opened((database) => database.define(older));
    await expect(
      opened((database) =>
        requireCurrent(database, makeLayout(makeModel(library({}))), SQLITE, NO_MORE),
      ),
    ).rejects.toThrow(/docket migrate/);
    expect(await steps(library({}))).toEqual([
      'Rebuild the engine\'s table "docket_file" without "former", whose values are lost.',
      'Add the engine\'s table "docket_change".',
    ]);
    expect(await losses(library({}))).toEqual(['the value of "former" in 1 row of "docket_file"']);
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE, { mayLose: true });
    const found = await opened(async (database) => {
      await requireCurrent(database, makeLayout(makeModel(library({}))), SQLITE, NO_MORE);
      return database.read(
        `SELECT (SELECT sql FROM sqlite_schema WHERE name = 'docket_file'), id, media_type, (SELECT count(*) FROM docket_change) FROM docket_file`,
        [],
      );
    });
    expect(found).toEqual([[was, 7n, 'text/plain', 0n]]);
    expect(await steps(library({}))).toEqual([]);
  });

  it('an installation that is older than the note of these tables gets the note', async () => {
    await install(library({}));
    await opened((database) =>
      database.define([`DELETE FROM "docket_setting" WHERE "name" = 'engine'`]),
    );
    expect(await steps(library({}))).toEqual(["Record the definition of the engine's tables."]);
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    await opened((database) =>
      requireCurrent(database, makeLayout(makeModel(library({}))), SQLITE, NO_MORE),
    );
    expect(await steps(library({}))).toEqual([]);
  });

  it('text indexes that former versions made are made anew, triggers of others stay', async () => {
    await install(library({}));
    const former = [
      'CREATE TRIGGER "Books$search|insert" AFTER INSERT ON "Books" BEGIN SELECT 1; END',
      'CREATE TRIGGER "own" AFTER INSERT ON "Books" BEGIN SELECT 1; END',
    ];
    await opened((database) => database.define(former));
    expect(await steps(library({}))).toEqual(['Rebuild the text indexes of "Books".']);
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    expect(await steps(library({}))).toEqual([]);
    const query = `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE '%|delete' ORDER BY name`;
    const found = await opened((database) => database.read(query, []));
    const own = ['Books$changed|update', 'Books$grams|changed', 'Books$search|changed'];
    expect(found.flat()).toEqual([...own, 'own']);
    const words = `SELECT rowid FROM "Books$search" WHERE "Books$search" MATCH 'engines'`;
    expect(await opened((database) => database.read(words, []))).toEqual([[2n]]);
  });

  it('text indexes that former versions changed row by row index changed rows together', async () => {
    await install(library({}));
    const former = ['search', 'grams'].map(
      (index) =>
        `CREATE TRIGGER "Books$${index}|update" AFTER UPDATE OF "Title" ON "Books" BEGIN SELECT 1; END`,
    );
    const noted = ['DROP TRIGGER "Books$changed|update"', 'DROP TABLE "Books$changed"'];
    await opened((database) => database.define([...noted, ...former]));
    const step = 'Let the text indexes of "Books" index changed rows together.';
    expect(await steps(library({}))).toEqual([step]);
    await migrateDatabase(sqliteInstallation(file), library({}), NO_MORE);
    expect(await steps(library({}))).toEqual([]);
    await opened((database) =>
      writeAll(database, change(`UPDATE "Books" SET "Title" = 'falcons'`, [])),
    );
    const words = (word: string) =>
      opened((database) =>
        database.read(`SELECT rowid FROM "Books$search" WHERE "Books$search" MATCH '${word}'`, []),
      );
    expect([await words('engines'), await words('falcons')]).toEqual([[], [[2n]]]);
  });

  it('a file that holds no installation is told so', async () => {
    await openSqlite({ file }).close();
    await expect(
      planMigration(sqliteInstallation(file), library({}), NO_MORE),
    ).rejects.toMatchObject({
      code: 'store.not-installed',
    });
  });
});

function asPrecise(precision: number): (member: Member) => Member {
  return (member) => (member.name === 'Bought' ? dateTime('Bought', { precision }) : member);
}
