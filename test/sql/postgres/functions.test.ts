// This file runs the functions of $filter and aggregations in PostgreSQL: the values, and which rows a filter selects by them.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/sql/dialect/dialect.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { quoted } from '../../../src/sql/fragment.ts';
import { ddl } from '../../../src/sql/schema/ddl.ts';
import type { Table } from '../../../src/sql/schema/layout.ts';
import type { Statement } from '../../../src/sql/script.ts';
import { CASES } from '../../cases/functions.ts';
import { postgresUrl } from '../../postgres.ts';
import {
  CONTEXT,
  filterStatement,
  layout,
  openZoo,
  run,
  scriptOf,
  valueStatement,
} from '../zoo.ts';

let client: pg.Client;
const zoo = openZoo();

beforeAll(async () => {
  client = new pg.Client({
    connectionString: await postgresUrl(),
    types: { getTypeParser: () => (text: string) => text },
  });
  await client.connect();
  for (const routine of POSTGRES.schema.routines) await client.query(routine);
  for (const statement of ddl(layout, POSTGRES)) await client.query(statement);
  await client.query('BEGIN');
  for (const table of layout.tables) await copy(table);
  await copy({ name: 'docket_code_text', columns: [] });
  await client.query('COMMIT');
});

afterAll(() => client.end());

/** Copies the records of a table from the zoo on SQLite. */
async function copy({ name: table, columns }: Pick<Table, 'name' | 'columns'>): Promise<void> {
  const into = quoted(table);
  const stored = zoo
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all([])
    .map(([one]) => String(one));
  const kinds = stored.map((one) => columns.find((column) => column.name === one)?.storage.kind);
  const names = stored.map(quoted).join(', ');
  const places = stored.map((_, at) => `$${at + 1}`).join(', ');
  for (const row of zoo.prepare(`SELECT ${names} FROM ${into}`).all([])) {
    const values = row.map((cell, at) => {
      if (kinds[at] === 'boolean' && cell !== null) return cell === 1n;
      return cell instanceof Uint8Array ? Buffer.from(cell) : cell;
    });
    await client.query(`INSERT INTO ${into} (${names}) VALUES (${places})`, values);
  }
}

/** The cells of the first column, as text. */
async function runOnPostgres(statement: Statement): Promise<readonly string[]> {
  const values = statement.parameters.map((one) => {
    if (one.kind === 'value') return one.value;
    if (one.kind === 'context') return CONTEXT[one.name] ?? null;
    throw new Error(`no value for a parameter of the kind ${one.kind}`);
  });
  const { rows } = await client.query({ text: statement.text, values, rowMode: 'array' });
  return rows.map(([cell]) => String(cell));
}

/** The dialect, with the JSON of records written by the database. */
const WRITING: Dialect = {
  ...POSTGRES,
  json: { ...POSTGRES.json, recordsWrittenBy: 'database' },
};

describe('aggregations', () => {
  it.each([
    'Samples?$apply=aggregate(Exact with sum as S,Free with max as M,Span with sum as T,Double with max as D,Day with min as First)',
    'Samples?$apply=aggregate(Load with average as L,Whole with average as W,Span with average as T,Single with average as S,Double with sum as D)',
    'Samples?$apply=aggregate(Flag with min as A,Flag with max as B,Words with max as W,Big with sum as S,Diet with countdistinct as N)',
    'Animals?$apply=groupby((Tame),aggregate($count as N,Weight with sum as W))&$orderby=Tame',
    'Animals?$apply=groupby((Tame),aggregate($count as N))/filter(N gt 1)',
    'Animals?$apply=groupby((Mood/Text),aggregate($count as N))&$orderby=N',
    'Animals?$apply=topsum(200000,Weight)/aggregate($count as N)',
    'Animals?$apply=bottompercent(50,Weight)/aggregate($count as N)',
    'Keepers?$apply=groupby((Country),aggregate(Badge with max as B))&$orderby=Country desc',
    'Animals/$count?$apply=groupby((Tame))',
  ])('%s', async (url) => {
    const headers = { accept: 'application/json;odata.metadata=none' };
    expect(await runOnPostgres(scriptOf(url, headers, WRITING).statement)).toEqual(
      run(zoo, scriptOf(url, headers).statement).map(([json]) => String(json)),
    );
  });
});

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  it.each(cases)('%s is %s, %s and %s', async (expression, ...expected) => {
    const statement = valueStatement('Samples', expression, 'en', POSTGRES);
    expect(await runOnPostgres(statement)).toEqual(expected);
  });

  it.each(cases.filter(([, ...values]) => values.some((one) => /^(?:true|false)$/.test(one))))(
    'a filter by %s',
    async (expression) => {
      const statement = filterStatement('Samples', expression, 'en', POSTGRES);
      expect(await runOnPostgres(statement)).toEqual(
        run(zoo, filterStatement('Samples', expression)).flat().map(String),
      );
    },
  );
});
