// This file runs the steps from one layout to another on PostgreSQL and on SQLite, and compares tables and rows.
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { makeModel, type Property } from '../../../src/edm/model.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../../src/sql/dialect/sqlite.ts';
import { toStatement, value } from '../../../src/sql/fragment.ts';
import { ddl } from '../../../src/sql/schema/ddl.ts';
import type { Layout } from '../../../src/sql/schema/layout.ts';
import { planMigration } from '../../../src/sql/schema/migration.ts';
import { makeLayout } from '../../../src/sql/schema/model-layout.ts';
import { openInMemory } from '../../../src/store/sqlite/connection.ts';
import { decimal } from '../../define.ts';
import {
  boolean,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  int32,
  int64,
  many,
  one,
  text,
} from '../../define-model.ts';
import { postgresUrl } from '../../postgres.ts';

const key = int64('Id', { nullable: false, generated: { by: 'key' } });

interface Shape {
  readonly properties: readonly Property[];
  /** The set that owners are in, and the sets of the model besides Things. */
  readonly owner?: 'Person' | 'Firm';
  readonly friends?: 'Person' | 'Firm';
  readonly sets?: readonly ('Person' | 'Firm')[];
  /** Whether the key of a thing is its identity. */
  readonly own?: boolean;
}

function layoutOf(shape: Shape): Layout {
  const { properties, owner = 'Person', friends = 'Person', sets = ['Person'], own = true } = shape;
  const thingKey = own ? key : text('Code', { nullable: false });
  const things = [thingKey, ...properties, one('Owner', owner), many('Friends', friends)];
  const plain = [key, text('Name')];
  return makeLayout(
    makeModel(
      defineModel({
        namespaces: [{ name: 'Test' }],
        types: [
          entityType('Thing', things, { key: [thingKey.name] }),
          ...sets.map((name) => entityType(name, [...plain, one('Best', name)], { key: ['Id'] })),
        ],
        sets: [entitySet('Things', 'Thing'), ...sets.map((name) => entitySet(`${name}s`, name))],
      }),
    ),
  );
}

const properties = [
  text('Name', { searchable: true }),
  int32('Size', { indexed: true }),
  decimal('Price', { precision: 8, scale: 2 }),
  dateTime('Seen', { precision: 0 }),
  boolean('Done'),
  text('Gone'),
  text('Code'),
];
const old = layoutOf({ properties });

const ROWS = `INSERT INTO "Persons" ("Id", "Name") VALUES (9, 'Ada');
  INSERT INTO "Things" ("Id", "Name", "Size", "Price", "Seen", "Done", "Gone", "Code", "Owner") VALUES
  (1, 'blue chair', 5, 1250, '2024-01-01T00:00:00Z', TRUE, 'x', 'A', 9), (2, NULL, NULL, NULL, NULL, NULL, NULL, 'B', NULL)`;
const LINK = 'INSERT INTO "Things.Friends" VALUES (1, 9)';

const CASES: Readonly<Record<string, Layout>> = {
  'a new property': layoutOf({ properties: [...properties, text('Colour', { indexed: true })] }),
  'a new required property': layoutOf({
    properties: [...properties, text('Colour', { nullable: false, unique: false })],
  }),
  'changed types': layoutOf({
    properties: [
      text('Name', { nullable: false }),
      text('Size'),
      decimal('Price', { precision: 10, scale: 3 }),
      dateTime('Seen', { precision: 3 }),
      text('Done'),
      text('Code'),
    ],
  }),
  'a boolean that becomes a number': layoutOf({
    properties: [...properties.slice(0, 4), int64('Done'), text('Gone'), text('Code')],
  }),
  'a unique property that was indexed': layoutOf({
    properties: [text('Name'), int32('Size', { unique: true })],
  }),
  'a required property that was indexed': layoutOf({
    properties: [text('Name'), int32('Size', { nullable: false, indexed: true })],
  }),
  'another set': layoutOf({ properties, sets: ['Person', 'Firm'] }),
  'links to another set': layoutOf({ properties, friends: 'Firm', sets: ['Person', 'Firm'] }),
  'another key': layoutOf({ properties: properties.slice(0, 6), own: false }),
  'another key beside the previous one': layoutOf({
    properties: [...properties.slice(0, 6), int64('Id', { nullable: false })],
    own: false,
  }),
};

const texts = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.map(String));

function selectAll({ tables, links }: Layout): readonly string[] {
  return [
    ...tables.map(({ name, identity, columns }) => {
      const names = columns.map((column) =>
        column.storage.kind === 'boolean'
          ? `CAST("${column.name}" AS integer)`
          : `"${column.name}"`,
      );
      return `SELECT ${names.join(', ')} FROM "${name}" ORDER BY "${identity}"`;
    }),
    ...links.map(({ name }) => `SELECT "source", "target" FROM "${name}" ORDER BY 1, 2`),
  ];
}

function migrateSqlite(next: Layout) {
  const database = openInMemory();
  for (const statement of ddl(old, SQLITE)) database.exec(statement);
  database.exec(`${ROWS}; PRAGMA foreign_keys = OFF`);
  for (const { sql } of planMigration(old, next, SQLITE))
    for (const statement of sql) database.exec(statement);
  return selectAll(next).map((statement) => texts(database.prepare(statement).all([])));
}

async function connect(statements: readonly string[]): Promise<Client> {
  const client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client;
}

const DEFINITIONS = [
  `SELECT table_name, column_name, data_type, collation_name, column_default, is_nullable
   FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
  `SELECT replace(indexdef, '$new', '') FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%pkey' ORDER BY 1`,
  `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'f') AND conrelid > 0 ORDER BY 1, 2`,
  'SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2',
];

async function describe(client: Client): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const statement of DEFINITIONS) found.push((await client.query(statement)).rows);
  return found;
}

async function migratePostgres(next: Layout, rows: readonly string[]): Promise<Client> {
  const client = await connect([...POSTGRES.schema.routines, ...ddl(old, POSTGRES), ...rows]);
  await client.query('BEGIN');
  for (const { sql } of planMigration(old, next, POSTGRES))
    for (const statement of sql) await client.query(statement);
  await client.query('COMMIT');
  return client;
}

it.each(Object.entries(CASES))('PostgreSQL migrates to %s as SQLite does', async (_, next) => {
  const migrated = await migratePostgres(next, [ROWS]);
  const rows: string[][][] = [];
  for (const text of selectAll(next))
    rows.push(texts((await migrated.query({ text, rowMode: 'array' })).rows));
  expect(rows).toEqual(migrateSqlite(next));

  const fresh = await connect([...POSTGRES.schema.routines, ...ddl(next, POSTGRES)]);
  expect(await describe(migrated)).toEqual(await describe(fresh));
  await Promise.all([migrated.end(), fresh.end()]);
});

it('a link to a row that the new target does not have stops the migration', async () => {
  const next = CASES['links to another set'] ?? old;
  await expect(migratePostgres(next, [ROWS, LINK])).rejects.toThrow('foreign key constraint');
});

it('words of previous and of new rows are found after a migration', async () => {
  const client = await migratePostgres(CASES['a new property'] ?? old, [ROWS]);
  await client.query(`INSERT INTO "Things" ("Id", "Name") VALUES (3, 'red CHAIRS')`);
  const matching = POSTGRES.text.matching('Things', 'Things$search', value(''));
  const { text, parameters } = toStatement(matching, POSTGRES.placeholder);
  const values = parameters.map(() => POSTGRES.text.word('chair'));
  const { rows } = await client.query({ text: `${text} ORDER BY 1`, values });
  expect(rows.map(({ id }) => Number(id))).toEqual([1, 3]);
  await client.end();
});
