// This file compares layouts, and runs the steps from one to another.
import { describe, expect, it } from 'vitest';
import type { Property } from '../../src/edm/model.ts';
import { makeModel } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import { planMigration } from '../../src/sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../../src/sql/schema/model-layout.ts';
import { openInMemory } from '../../src/store/sqlite/connection.ts';
import { decimal, stream } from '../define.ts';
import {
  complex,
  complexType,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  int32,
  int64,
  many,
  one,
  text,
} from '../define-model.ts';

const key = int64('Id', { nullable: false, generated: { by: 'key' } });

function layoutOf(...properties: readonly Property[]) {
  return makeLayout(
    makeModel(
      defineModel({
        namespaces: [{ name: 'Test' }],
        types: [
          entityType('Thing', [key, ...properties, one('Owner', 'Person')], { key: ['Id'] }),
          entityType('Person', [key, text('Name'), many('Friends', 'Person')], { key: ['Id'] }),
        ],
        sets: [entitySet('Things', 'Thing'), entitySet('Persons', 'Person')],
      }),
    ),
  );
}

const old = layoutOf(
  text('Name', { searchable: true }),
  int32('Size'),
  decimal('Price', { precision: 8, scale: 2 }),
  dateTime('Seen', { precision: 0 }),
  text('Gone'),
);

/** A database of the old layout with two rows, after the steps to the new one. */
function migrated(next: ReturnType<typeof layoutOf>) {
  const database = openInMemory();
  for (const statement of ddl(old, SQLITE)) database.exec(statement);
  database.exec(`INSERT INTO "Persons" ("Id", "Name") VALUES (9, 'Ada');
    INSERT INTO "Things" ("Id", "Name", "Size", "Price", "Seen", "Gone", "Owner") VALUES
    (1, 'blue chair', 5, 1250, '2024-01-01T00:00:00Z', 'x', 9), (2, NULL, NULL, NULL, NULL, NULL, NULL)`);
  const steps = planMigration(storedLayout(old), storedLayout(next), SQLITE);
  database.exec('PRAGMA foreign_keys = OFF; BEGIN');
  for (const { sql } of steps) for (const statement of sql) database.exec(statement);
  database.exec('COMMIT');
  expect(database.prepare('PRAGMA foreign_key_check').all([])).toEqual([]);
  return { database, steps };
}

describe('migration', () => {
  it('equal layouts need no steps', () => {
    expect(planMigration(storedLayout(old), storedLayout(old), SQLITE)).toEqual([]);
  });

  it('existing rows get the default of a property that becomes required', () => {
    const required = (property: Property, defaultValue: string | number): Property => ({
      ...property,
      nullable: false,
      defaultValue,
    });
    const next = layoutOf(
      required(text('Name'), "o'clock"),
      required(int32('Size'), 7),
      required(decimal('Price', { precision: 8, scale: 2 }), 1.5),
      dateTime('Seen', { precision: 0 }),
      text('Gone'),
    );
    const { database } = migrated(next);
    expect(database.prepare('SELECT "Name", "Size", "Price" FROM "Things"').all([])).toEqual([
      ['blue chair', 5n, 1250n],
      ["o'clock", 7n, 150n],
    ]);
  });

  it('a new property is a new column', () => {
    const next = layoutOf(
      text('Name', { searchable: true }),
      int32('Size'),
      decimal('Price', { precision: 8, scale: 2 }),
      dateTime('Seen', { precision: 0 }),
      text('Gone'),
      text('Colour', { indexed: true }),
    );
    const { database, steps } = migrated(next);
    expect(steps.map((step) => step.text)).toEqual([
      'Drop the text index of "Things".',
      'Add the column "Colour" to "Things".',
      'Add an index on Colour of "Things".',
      'Add the text index of "Things".',
    ]);
    expect(steps.some((step) => step.losses.length > 0)).toBe(false);
    const words = database.prepare(
      'SELECT rowid FROM "Things$search" WHERE "Things$search" MATCH ?',
    );
    expect(words.all(['chair'])).toEqual([[1n]]);
  });

  it('changed types are converted, values of dropped properties are lost, and the steps say so', () => {
    const next = layoutOf(
      text('Name', { nullable: false }),
      text('Size'),
      decimal('Price', { precision: 10, scale: 3 }),
      dateTime('Seen', { precision: 3 }),
    );
    const { database, steps } = migrated(next);
    const [rebuild] = steps.filter((step) => step.losses.length > 0);
    expect(rebuild?.text).toBe(
      'Rebuild the table "Things" with "Name", "Size", "Price", "Seen" changed, without "Gone", whose values are lost. Rows without a value get \'\' in "Name".',
    );
    expect(
      database
        .prepare('SELECT "Id", "Name", "Size", "Price", "Seen", "Owner" FROM "Things"')
        .all([]),
    ).toEqual([
      [1n, 'blue chair', '5', 12500n, '2024-01-01T00:00:00.000Z', 9n],
      [2n, '', null, null, null, null],
    ]);
  });

  it('steps name columns of the service by the members that they belong to', () => {
    const layout = (isOpen: boolean) =>
      storedLayout(
        makeLayout(
          makeModel(
            defineModel({
              namespaces: [{ name: 'Test' }],
              types: [
                complexType('Place', [text('Room'), int32('Floor')]),
                entityType(
                  'Thing',
                  [key, ...(isOpen ? [complex('Home', 'Place'), stream('Photo')] : [])],
                  { key: ['Id'], open: isOpen },
                ),
              ],
              sets: [entitySet('Things', 'Thing')],
            }),
          ),
        ),
      );
    const steps = (from: boolean, to: boolean) => planMigration(layout(from), layout(to), SQLITE);
    const [added, removed] = [steps(false, true), steps(true, false)];
    expect(added.map((step) => step.text)).toEqual([
      'Add the column (dynamic properties) to "Things".',
      'Add the column "Home" to "Things".',
      'Add the column "Home/Room" to "Things".',
      'Add the column "Home/Floor" to "Things".',
      'Add the column "Photo" to "Things".',
      'Add an index on Photo of "Things".',
    ]);
    expect(removed.map((step) => step.text)).toEqual([
      'Rebuild the table "Things" without (dynamic properties), "Home", "Home/Room", "Home/Floor", "Photo", whose values are lost.',
    ]);
    expect(
      [...added, ...removed].flatMap(({ losses }) =>
        losses.flatMap((loss) => loss.successors ?? []),
      ),
    ).toEqual([]);
  });

  it('a database that was migrated has the tables of a new one', () => {
    const next = layoutOf(text('Name'), text('Size', { unique: true }));
    const { database } = migrated(next);
    const fresh = openInMemory();
    for (const statement of ddl(next, SQLITE)) fresh.exec(statement);
    const described = (one: typeof database) =>
      one
        .prepare(
          "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2",
        )
        .all([]);
    expect(described(database)).toEqual(described(fresh));
  });
});
