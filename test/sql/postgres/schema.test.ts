// This file creates the tables of the models on PostgreSQL.
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { MODULE_TABLES } from '../../../src/cli/wire.ts';
import type { Model } from '../../../src/edm/model.ts';
import { objectName } from '../../../src/sql/dialect/postgres/object-name.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { createIndex, indexDdl, referenceDdl, tableDdl } from '../../../src/sql/schema/ddl.ts';
import { makeLayout } from '../../../src/sql/schema/model-layout.ts';
import { engineTables } from '../../../src/store/model-tables.ts';
import { oddModel } from '../../odd-model.ts';
import { postgresUrl } from '../../postgres.ts';
import { suiteModel } from '../../service-desk.ts';

const bytes = (name: string) => Buffer.byteLength(name);

it.each<[string, Model]>([
  ['the built-in model', suiteModel()],
  ['the odd model', oddModel],
])('PostgreSQL accepts every statement for %s', async (_, model) => {
  const client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  const layout = makeLayout(model);
  const { textIndex, fillTextIndex, dropTextIndex } = POSTGRES.schema;
  const statements = [
    ...engineTables(POSTGRES, MODULE_TABLES),
    ...tableDdl(layout, POSTGRES),
    ...indexDdl(layout, POSTGRES),
    ...referenceDdl(layout, POSTGRES),
    ...layout.tables.flatMap((table) => [
      ...fillTextIndex(table),
      ...dropTextIndex(table),
      ...textIndex(table),
    ]),
  ];
  for (const statement of statements) await client.query(statement);
  const text = `SELECT count(*) FROM pg_indexes WHERE schemaname = 'public' AND indexname LIKE '%|%'`;
  const { rows } = await client.query(text);
  const { tables, links } = layout;
  const engine = statements.filter((one) => /^CREATE INDEX "docket_\w+\|/.test(one)).length;
  const texts = tables.flatMap(({ text: index }) =>
    index === undefined ? [] : [1, ...index.columns],
  );
  const own = tables.flatMap((table) => table.indexes).length;
  // The key of each table of items, and its owners.
  const items = 2 * tables.flatMap((table) => table.items ?? []).length;
  expect(Number(rows[0].count)).toBe(engine + own + links.length + texts.length + items);
  await client.end();
});

it('the tables and columns of the built-in model have names that PostgreSQL stores in full', () => {
  const { tables, links } = makeLayout(suiteModel());
  const names = [
    ...tables.flatMap(({ name, columns, text }) => [
      name,
      ...columns.map((column) => column.name),
      ...(text === undefined ? [] : [text.words]),
    ]),
    ...links.map((link) => link.name),
  ];
  expect(names.filter((name) => bytes(name) > 63)).toEqual([]);
});

it('long names of indexes are cut and end in a hash', () => {
  const [first, second] = [objectName(`${'a'.repeat(70)}1`), objectName(`${'a'.repeat(70)}2`)];
  expect(bytes(first)).toBe(63);
  expect(first).not.toBe(second);
  expect(first.slice(0, 51)).toBe('a'.repeat(51));
  expect(bytes(objectName('ü'.repeat(40)))).toBeLessThanOrEqual(63);
  expect(objectName('Things|Name')).toBe('Things|Name');
});

it('an index states the order of null and ends in the identity', () => {
  const { tables } = makeLayout(oddModel);
  const table = tables.find((one) => one.name === 'Animals');
  const index = { name: 'i', columns: ['Enclosure'], unique: false };
  expect(createIndex(table ?? { name: '' }, index, POSTGRES)).toBe(
    'CREATE INDEX "i" ON "Animals" ("Enclosure" NULLS FIRST, "Id")',
  );
  expect(createIndex({ name: 'docket_x' }, index, POSTGRES)).toBe(
    'CREATE INDEX "i" ON "docket_x" ("Enclosure")',
  );
});
