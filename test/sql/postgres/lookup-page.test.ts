// This file checks pages of rows that are found through other rows: a few of them, more than are sorted, or none.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../../../src/sql/compile.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { indexDdl, tableDdl } from '../../../src/sql/schema/ddl.ts';
import type { Statement } from '../../../src/sql/script.ts';
import { postgresUrl } from '../../postgres.ts';
import { layout, NO_METADATA, planOf, scriptAfter, scriptOf } from '../zoo.ts';

let client: Client;

/** Enclosure 201 has every second animal, 202 every thousandth, and 203 none. Every third has no date of birth. */
const RECORDS = `
INSERT INTO "Enclosures" ("$id", "Wing", "Number", "Name") VALUES (201, 'N', 1, 'Many'), (202, 'N', 2, 'Few'), (203, 'N', 3, 'None');
INSERT INTO "Keepers" ("Id", "Name") VALUES (11, 'Ada'), (12, 'Ada'), (13, 'Bob');
INSERT INTO "Animals" ("Id", "$type", "Name", "Diet", "Tame", "Size", "Care#", "Nicknames", "Habits", "Words", "Created", "Born", "Remark", "Enclosure")
  SELECT 1000 + n, 'Odd.Zoo.Animal', 'a' || n, 1, true, 2, false, '[]', '[]', '[]', '2026-01-01T00:00:00.000Z',
    CASE WHEN n % 3 = 0 THEN NULL ELSE (2000 + 10 - n % 10)::text || '-01-01' END,
    CASE WHEN n % 1000 = 7 THEN 'loud' ELSE 'quiet' END,
    CASE WHEN n % 1000 = 7 THEN 202 WHEN n % 2 = 0 THEN 201 END FROM generate_series(1, 8000) n;
INSERT INTO "Animals.Keepers" ("source", "target") SELECT 1000 + n, 11 + n % 3 FROM generate_series(1, 8000) n;
INSERT INTO "Animals.Keepers" ("source", "target") SELECT 1000 + n, 11 + (n + 1) % 3 FROM generate_series(1, 8000) n`;

beforeAll(async () => {
  client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  const { routines } = POSTGRES.schema;
  const statements = [...routines, ...tableDdl(layout, POSTGRES), ...indexDdl(layout, POSTGRES)];
  for (const statement of [...statements, RECORDS, 'VACUUM ANALYZE']) await client.query(statement);
});

afterAll(async () => await client.end());

function valuesOf({ parameters }: Statement): unknown[] {
  return parameters.map((one) => (one.kind === 'value' ? one.value : null));
}

/** The identities of the page, which are its last column. */
async function page(statement: Statement): Promise<readonly number[]> {
  const values = valuesOf(statement);
  const { rows } = await client.query({ text: statement.text, values, rowMode: 'array' });
  return rows.map((row) => Number(row.at(-1)));
}

/** The identities of the animals that meet an SQL condition, in order. */
async function animals(condition: string, order = '"Id"'): Promise<readonly number[]> {
  const text = `SELECT "Id" FROM "Animals" t WHERE ${condition} ORDER BY ${order} LIMIT 21`;
  const { rows } = await client.query(text);
  return rows.map(({ Id }) => Number(Id));
}

const statementOf = (url: string) => scriptOf(url, NO_METADATA, POSTGRES).statement;
const FILTERS: readonly (readonly [string, string])[] = [
  ["Enclosure/Name eq 'Many'", '"Enclosure" = 201'],
  ["Enclosure/Name eq 'Few'", '"Enclosure" = 202'],
  ["Enclosure/Name eq 'None'", 'false'],
  ["Enclosure/Name eq 'Many' and Name ge 'a5'", `"Enclosure" = 201 AND "Name" >= 'a5'`],
  ["startswith(Enclosure/Name,'Few') and Id gt 4007", '"Enclosure" = 202 AND "Id" > 4007'],
  ["contains(Remark,'oud')", `"Remark" = 'loud'`],
  ["contains(Remark,'uie')", `"Remark" = 'quiet'`],
  ["contains(Remark,'ent')", 'false'],
  ["contains(tolower(Remark),'oud') and Id gt 3000", `"Remark" = 'loud' AND "Id" > 3000`],
];
const ORDERS: readonly (readonly [string, string])[] = [
  ['', '"Id"'],
  ['&$orderby=Id desc', '"Id" DESC'],
  ['&$orderby=Born', '"Born" NULLS FIRST, "Id"'],
  ['&$orderby=Born desc', '"Born" DESC NULLS LAST, "Id" DESC'],
  ['&$orderby=Name&$skip=5', '"Name", "Id"'],
];

describe.each(FILTERS)('%s', (filter, condition) => {
  it.each(ORDERS)('finds the first page%s', async (options, order) => {
    const statement = statementOf(`Animals?$select=Id&$filter=${filter}${options}`);
    expect(statement.text).toContain('LATERAL');
    const skip = options.includes('$skip') ? ' OFFSET 5' : '';
    const expected = await client.query(
      `SELECT "Id" FROM "Animals" t WHERE ${condition} ORDER BY ${order} LIMIT 21${skip}`,
    );
    expect(await page(statement)).toEqual(expected.rows.map(({ Id }) => Number(Id)));
  });

  it('finds the next page', async () => {
    const url = `Animals?$select=Id&$filter=${filter}&$orderby=Born`;
    const { statement } = scriptAfter(url, ['2007-01-01', 4007n], POSTGRES);
    const after = `("Born" > '2007-01-01' OR ("Born" = '2007-01-01' AND "Id" > 4007))`;
    const expected = await animals(`${condition} AND ${after}`, '"Born" NULLS FIRST, "Id"');
    expect(await page(statement)).toEqual(expected);
  });
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of the table the statement read. */
async function rowsRead({ text, ...rest }: Statement, table: string): Promise<number> {
  const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`;
  const { rows } = await client.query(explain, valuesOf({ text, ...rest }));
  const count = (node: PlanNode): number => {
    const own = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
    const read = node['Relation Name'] === table ? own * node['Actual Loops'] : 0;
    return (node.Plans ?? []).reduce((sum, child) => sum + count(child), read);
  };
  return count(rows[0]['QUERY PLAN'][0].Plan);
}

describe('the number of rows read', () => {
  it.each([
    ["Enclosure/Name eq 'None'", 0],
    ["Enclosure/Name eq 'Few'", 8 + 8],
    // Those that are too many to sort, and then those until the page is full.
    ["Enclosure/Name eq 'Many'", 2001 + 42 + 21],
    ["contains(Remark,'loud')", 8 + 8 + 8],
    ["contains(Remark,'uie')", 2 * 2001 + 60],
  ])('is bounded: %s', async (filter, most) => {
    const statement = statementOf(`Animals?$select=Id&$filter=${filter}`);
    expect(await rowsRead(statement, 'Animals')).toBeLessThanOrEqual(most);
  });
});

it('a row is found once, however many matches it has', async () => {
  const filter = "Animals/any(a:a/Name in ('a1','a4','a7'))";
  const statement = statementOf(`Keepers?$select=Id&$filter=${filter}`);
  expect(statement.text).toContain('LATERAL');
  expect(await page(statement)).toEqual([12, 13]);
});

describe('$search', () => {
  it('finds the first page of few rows, of many and of none', async () => {
    const found = (words: string) => page(statementOf(`Animals?$select=Id&$search=${words}`));
    expect(await found('loud')).toEqual(await animals('"Id" % 1000 = 7'));
    expect(await found('quiet')).toEqual(await animals('"Id" % 1000 <> 7'));
    expect(await found('silent')).toEqual([]);
    expect(await found('loud NOT quiet')).toHaveLength(8);
  });

  it('reads few rows', async () => {
    const statement = statementOf('Animals?$select=Id&$search=loud');
    expect(await rowsRead(statement, 'Animals')).toBeLessThanOrEqual(8 + 8);
    expect(await rowsRead(statement, 'Animals$search')).toBe(8);
  });
});

it('a row with a certain key is looked up directly', () => {
  const text = (filter: string) => statementOf(`Animals?$select=Id&$filter=${filter}`).text;
  expect(text('Keepers/any(k:k/Id eq 11)')).not.toContain('LATERAL');
  expect(text("Name eq 'a1'")).not.toContain('LATERAL');
});

it('counts are not pages', () => {
  const plan = planOf("Animals/$count?$filter=Enclosure/Name eq 'Few'");
  const script = compile(plan, layout, POSTGRES);
  expect(script.kind === 'read' && script.statement.text.includes('LATERAL')).toBe(false);
});
