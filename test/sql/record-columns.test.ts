// This file compiles reads for a dialect whose records the service writes, and checks what the database selects.
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/sql/compile.ts';
import type { Dialect } from '../../src/sql/dialect/dialect.ts';
import { POSTGRES } from '../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { recordWriter } from '../../src/sql/read/write-record.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import type { Layout } from '../../src/sql/schema/layout.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { suiteModel } from '../service-desk.ts';
import { layout, NO_METADATA, planOf, scriptOf } from './zoo.ts';

const COLUMNS: Dialect = { ...SQLITE, json: { ...SQLITE.json, recordsWrittenBy: 'service' } };

function columnsOf(url: string, headers = NO_METADATA, from: Layout = layout) {
  const script = compile(planOf(url, headers), from, COLUMNS);
  if (script.kind !== 'read') throw new Error(`a script of kind ${script.kind}`);
  return script;
}

const selected = (url: string, headers = NO_METADATA) =>
  /^SELECT (.*?) FROM/.exec(columnsOf(url, headers).statement.text)?.[1];

describe('records that the service writes', () => {
  it('are selected as columns', () => {
    expect(selected('Keepers(101)?$select=Id,Name')).toBe(
      '"t1"."$version" AS "c1", "t1"."Id" AS "c2", "t1"."Name" AS "c3"',
    );
    expect(scriptOf('Keepers(101)?$select=Id,Name', NO_METADATA).record).toBeUndefined();
  });

  it('have each column once, wherever it is written', () => {
    const full = { accept: 'application/json;odata.metadata=full' };
    const text = selected('Keepers(101)?$select=Id', full) ?? '';
    expect(text.split('"t1"."Id"').length - 1).toBe(1);
  });

  it('have a column that is never null where a row without a record may come', () => {
    const script = columnsOf('Keepers?$select=Name&$count=true');
    expect(script.statement.text).toContain('SELECT 1 AS "c1", "t1"."Name" AS "c2"');
    expect(script.record?.columns).toBe(2);
  });

  it('have a column even if nothing is written', () => {
    const script = columnsOf('Passports(601)?$select=Animal');
    expect(script.record?.columns).toBeGreaterThan(0);
  });

  it('have the columns of a related record by a join', () => {
    const { text } = columnsOf('Animals?$select=Name&$expand=Mother($select=Name)').statement;
    expect(text).toMatch(/LEFT JOIN "Animals" "t2" ON "t2"."Id" = "t1"."Mother"/);
    expect(text).toMatch(/"t2"."Id" AS "c\d+", .*"t2"."Name" AS "c\d+"/);
  });

  it('have no more joins than can be planned quickly', () => {
    const nested = ['Animal', ...Array.from({ length: 5 }, () => 'Mother')];
    const options = nested.reduceRight(
      (inner, name) => `$expand=${name}(${inner})`,
      '$select=Name',
    );
    const { text } = columnsOf(`Passports?${options}`).statement;
    expect(text.split('LEFT JOIN').length - 1).toBe(4);
  });

  it('have codes without their texts', () => {
    const codeTexts = new Map([['en', new Map([[1001n, '"Text":"Calm","Value":1001']])]]);
    const { statement, record } = columnsOf('Animals?$select=Mood', NO_METADATA, {
      ...layout,
      codeTexts,
    });
    expect(statement.text).toMatch(/"t1"\."Mood" AS "c\d+"/);
    expect(statement.text).not.toContain('docket_code_text');
    expect(record?.parts).toContainEqual(
      expect.objectContaining({ format: expect.objectContaining({ kind: 'code', start: '{' }) }),
    );
  });

  it('have costly values only where they are written', () => {
    const text = columnsOf('Animals?$select=Odd.Zoo.Bird/Eggs&$expand=Odd.Zoo.Bird/Eggs').statement
      .text;
    expect(text).toMatch(/CASE WHEN [^ ]+"\$type" IN .* THEN \(SELECT/);
  });
});

describe('a page of an index range on PostgreSQL', () => {
  const textOf = (url: string) => {
    const script = compile(planOf(url, NO_METADATA), layout, POSTGRES);
    return script.kind === 'read' ? script.statement.text : '';
  };

  it.each([
    'Animals?$filter=Mood/Value eq 1001&$orderby=Born&$select=Name',
    'Animals?$filter=Mood/Value eq 1001&$orderby=Born desc&$select=Name&$skip=3',
  ])('%s reads its table once, with a query plan for all values', (url) => {
    const text = textOf(url);
    expect(text.split('"Animals"').length - 1).toBe(1);
    expect(text).toContain('"t1"."Mood" = (SELECT $1::bigint)');
  });

  it.each([
    // Calculations may fail in rows outside the page.
    'Animals?$filter=Mood/Value eq 1001&$orderby=Born&$compute=Weight div Id as X&$select=X',
    'Animals?$filter=Mood/Value eq 1001&$orderby=Born&$select=Name&$expand=Mother($select=Name)',
    // Plans differ between values.
    "Animals?$filter=Mood/Value eq 1001 and contains(Remark,'x')&$orderby=Born&$select=Name",
    'Animals?$filter=Mood/Value eq 1001&$orderby=Weight&$select=Name',
  ])('%s computes columns for the rows of the page only', (url) => {
    const text = textOf(url);
    expect(text).toContain(' AS i, ');
    expect(text).not.toContain('(SELECT $');
  });
});

describe('recordWriter', () => {
  const write = (format: Parameters<typeof cell>[0], content: Parameters<typeof cell>[1]) =>
    cell(format, content);

  it('writes null as null, and nothing in URLs and texts', () => {
    expect(write({ kind: 'plain' }, null)).toBe('null');
    expect(write({ kind: 'key', of: { kind: 'url' } }, null)).toBe('');
    expect(write({ kind: 'text' }, null)).toBe('');
  });

  it.each([
    ['plain', '"plain"'],
    ['a "quote" and \\', '"a \\"quote\\" and \\\\"'],
    ['line\nbreak\u0001', '"line\\nbreak\\u0001"'],
    ['emoji 😀 and \u2028', '"emoji 😀 and \u2028"'],
    ['', '""'],
  ])('writes the text %j as a JSON string', (text, json) => {
    expect(write({ kind: 'string' }, text)).toBe(json);
  });

  it('writes numbers with all digits', () => {
    expect(write({ kind: 'plain' }, 9007199254740993n)).toBe('9007199254740993');
    expect(write({ kind: 'scaled', scale: 3, quoted: false }, -1050n)).toBe('-1.05');
    expect(write({ kind: 'decimal' }, '1000000000000000000000.5')).toBe('1000000000000000000000.5');
    expect(write({ kind: 'decimal' }, '-INF')).toBe('"-INF"');
    expect(write({ kind: 'floating' }, Number.NaN)).toBe('"NaN"');
  });
});

type Template = Parameters<typeof recordWriter>[0];
type CellPart = Exclude<Template['parts'][number], string> & { readonly kind: 'cell' };

function cell(
  format: CellPart['format'],
  content: Parameters<ReturnType<typeof recordWriter>>[0][number],
): string {
  return recordWriter({ columns: 1, parts: [{ kind: 'cell', column: 0, format }] })([content], '');
}

describe('a page in the order of remaining time on PostgreSQL', () => {
  const model = suiteModel();
  const layoutOfSuite = makeLayout(model);
  const INDEX = 'ServiceRequests|Deadline#schedule,Sla/Remaining';

  it.each([
    ['', ' NULLS FIRST'],
    [' desc', ' DESC NULLS LAST'],
  ])('has the order of its index, so that nothing is sorted:%s', (direction, order) => {
    const url = `ServiceRequests?$orderby=Sla/Remaining${direction}&$top=50&$select=Uid`;
    const script = compile(planOf(url, NO_METADATA, model), layoutOfSuite, POSTGRES);
    const text = script.kind === 'read' ? script.statement.text : '';
    expect(text).toContain(`ORDER BY "t1"."Sla/Remaining"${order}, "t1"."Uid"`);
    const index = ddl(layoutOfSuite, POSTGRES).find((one) => one.includes(INDEX));
    expect(index).toContain('"Sla/Remaining" NULLS FIRST, "Uid"');
  });

  it('reads the range of each schedule once for a filter', () => {
    const url = "ServiceRequests?$filter=Sla/Remaining lt duration'PT1H'&$select=Uid";
    const script = compile(planOf(url, NO_METADATA, model), layoutOfSuite, POSTGRES);
    const text = script.kind === 'read' ? script.statement.text : '';
    expect(text).toMatch(
      /"Uid" = ANY \(ARRAY\(SELECT y\.id FROM .* CROSS JOIN LATERAL \(SELECT .*"Sla\/Remaining" < CAST\(.* OFFSET 0\) "y"\)\)/,
    );
  });
});
