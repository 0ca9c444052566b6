// This file holds the odd model's zoo in a database in memory, with a few records in it, and asks it what expressions mean: from
// the text of OData to rows, through parser, binder and compiler.

import { bind } from '../../src/bind/bind-read.ts';
import type { Expression, LiteralExpression, OrderItem, Rows } from '../../src/bind/bound.ts';
import { bindExpression, startSession } from '../../src/bind/expression/expression.ts';
import { constant } from '../../src/bind/expression/literal.ts';
import { bindCondition } from '../../src/bind/expression/promotion.ts';
import {
  allRows,
  DEFAULT_BIND_LIMITS,
  type Frame,
  resolvedVariable,
  startFrame,
  subjectOf,
} from '../../src/bind/scope.ts';
import { setSource } from '../../src/edm/source.ts';
import type { Value } from '../../src/edm/value/read-result.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import { readToken, writeToken } from '../../src/plan/read/tokens.ts';
import type { Plan } from '../../src/plan/read-plan.ts';
import { DEFAULT_TREE_LIMITS } from '../../src/request/cursor.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { DEFAULT_LIMITS, parse as parseRequest } from '../../src/request/parse.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE, toSqlite } from '../../src/sql/dialect/sqlite.ts';
import { makeScope } from '../../src/sql/expression/expression.ts';
import { jsonOf } from '../../src/sql/expression/json-value.ts';
import { column, type Fragment, sql, value } from '../../src/sql/fragment.ts';
import { precomputedJson } from '../../src/sql/read/code-texts.ts';
import { finish } from '../../src/sql/read/read.ts';
import { originOf, selectFrom } from '../../src/sql/read/row-source.ts';
import { useOf } from '../../src/sql/read/union-source.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { storageOf } from '../../src/sql/schema/value-storage.ts';
import { aliasOf, type Scope } from '../../src/sql/scope.ts';
import type { ReadScript, Statement } from '../../src/sql/script.ts';
import { newRowValues } from '../../src/sql/write/row-expressions.ts';
import type { Row } from '../../src/store/database.ts';
import { outcomeOf } from '../../src/store/run-read-script.ts';
import { openInMemory } from '../../src/store/sqlite/connection.ts';
import type { Connection } from '../../src/store/sqlite/driver.ts';
import { oddModel } from '../odd-model.ts';

export const layout = makeLayout(oddModel);

/** What a running request knows. */
export const CONTEXT: Readonly<Record<string, Value>> & { readonly root: string } = {
  now: '2026-03-01T10:00:00.000Z',
  me: 101n,
  account: 'ada',
  root: 'http://zoo.test/odata/',
  request: 'r-1',
};

const RECORDS = `
INSERT INTO "Enclosures" ("$id", "Wing", "Number", "Name", "Place", "Fence") VALUES
  (201, 'North', 1, 'Aviary', '{"type":"Point","coordinates":[4.9,52.4]}', '{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}'),
  (202, 'South', 2, NULL, NULL, NULL);
INSERT INTO "Enclosure/Feedings" ("$id", "$parent", "Hour", "Food") VALUES (301, 201, 8, 'seeds'), (302, 201, 17, 'fruit'), (303, 202, 9, NULL);
INSERT INTO "AllSpecies" ("$id", "Latin", "Title", "Parent") VALUES (401, 'Aves', 'Birds', NULL), (402, 'Psittaciformes', 'Parrots', 401), (403, 'O''Brien''s / gull', NULL, 401);
INSERT INTO "Keepers" ("Id", "Name", "Email", "Country", "Badge", "Boss") VALUES
  (101, 'Ada Lovelace', 'ada@zoo.test', 'NL', 1, NULL), (102, 'Bob', 'bob@zoo.test', 'NL', 2, 101), (103, 'Cy', NULL, NULL, NULL, 102);
INSERT INTO "Director" ("Id", "Name", "Email") VALUES (110, 'Dora', 'dora@zoo.test');
INSERT INTO "Animals" ("Id", "$type", "$version", "Name", "Number", "Remark", "Weight", "Born", "Tame", "Diet", "Skills", "Mood", "Size", "Care#", "Care/Vet", "Care/Since", "Care/Mood", "Care/Room", "Nicknames", "Habits", "Species", "Mother", "Enclosure", "Wingspan", "Words", "Depth", "SaltWater", "Created") VALUES
  (1, 'Odd.Zoo.Animal', 3, 'Leo', 1, 'roars loudly', 190500, '2015-05-01', 0, 1, 1, 1001, 2, 1, 101, '2020-01-01T08:00:00.000Z', 1003, '{"Name":"Den","Floor":1}', '["King","Simba"]', '[{"Name":"Sleep","TimesADay":3},{"Name":"Hunt","TimesADay":null,"Where":"plain"}]', NULL, NULL, 201, NULL, '[]', NULL, NULL, '2026-01-01T00:00:00.000Z'),
  (2, 'Odd.Zoo.Parrot', 1, 'Polly', 2, NULL, 1250, '2020-02-29', 1, 0, 5, 1002, 1, 0, NULL, NULL, NULL, NULL, '[]', '[]', 402, NULL, 201, 1.5, '["hello","bye"]', NULL, NULL, '2026-01-02T00:00:00.000Z'),
  (3, 'Odd.Zoo.Parrot', 1, 'Pip', 3, 'İzmir printer', NULL, NULL, 1, NULL, NULL, NULL, 2, 0, NULL, NULL, NULL, NULL, '["P"]', '[]', 402, 2, NULL, NULL, '[]', NULL, NULL, '2026-01-03T00:00:00.000Z'),
  (4, 'Odd.Zoo.Fish', 1, 'Wanda', NULL, '100% "wet"', 300, '2024-12-31', 0, 2, 2, 1001, 1, 0, NULL, NULL, NULL, NULL, '[]', '[]', NULL, NULL, 202, NULL, '[]', 9007199254740993, 1, '2026-01-04T00:00:00.000Z');
INSERT INTO "Animals.Keepers" ("source", "target") VALUES (1, 101), (1, 102), (2, 102);
INSERT INTO "Creature/Notes" ("Id", "$parent", "Text", "At") VALUES (501, 1, 'eats well', '2026-01-05T00:00:00.000Z'), (502, 1, 'limps', '2026-01-06T00:00:00.000Z'), (503, 2, 'sings', NULL);
INSERT INTO "Bird/Eggs" ("Id", "$parent", "Laid") VALUES (551, 2, '2026-02-01');
INSERT INTO "Animal/Chip" ("$id", "$parent", "Serial") VALUES (571, 1, 'A-1');
INSERT INTO "Passports" ("Id", "Country", "Animal") VALUES (601, 'NL', 2), (602, 'BE', NULL);
INSERT INTO "Oddities" ("Id", "Name", "$dynamic") VALUES (701, 'first', '{"Colour":"red","Legs":4,"When":"2020-01-01T00:00:00Z","Price":12.50,"Nice":true,"Big":9007199254740993}'), (702, 'second', NULL);
INSERT INTO "Samples" ("Id", "Bytes", "Flag", "Small", "Tiny", "Short", "Whole", "Big", "Exact", "Free", "Single", "Double", "Tag", "Words", "Day", "Moment", "Instant", "Clock", "Span", "Spot", "Route", "Area", "Plan", "Anything", "Diet", "Load", "Numbers", "Diets", "Moments", "Amounts") VALUES
  (801, x'00ff10', 1, 200, -5, 300, 7, 9007199254740993, '12.5', '-0.001', 0.5, 2.5, '01234567-89ab-cdef-0123-456789abcdef', 'Ångström "x"', '2024-02-29', '2024-02-29T13:14:15.678Z', '2024-02-29T13:14:15.1234567Z', '13:14:15.678', 5400000000000, '{"type":"Point","coordinates":[1,1]}', '{"type":"LineString","coordinates":[[0,0],[0,1]]}', '{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}', '{"type":"Point","coordinates":[3,4]}', '{"a":[1,2]}', 1, 1500, '[3,1,2,null]', '["Meat","Plants"]', '["2024-01-01T00:00:00.000Z"]', '[1.10,22.00,null]'),
  (802, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '[]', '[]'),
  (803, x'', 0, 0, 0, 0, -7, -3, '-12.5', '1000000000000000000000.5', -0.25, 'NaN', 'ffffffff-89ab-cdef-0123-456789abcdef', '', '1999-12-31', '1999-12-31T23:59:59.999Z', '1999-12-31T23:59:59.9999999Z', '00:00:00.000', -1000000, NULL, NULL, NULL, NULL, 'null', 0, -250, '[]', '[]', '[]', '[]');
`;

/** A new database with the records above. */
export function openZoo(): Connection {
  const database = openInMemory();
  for (const statement of ddl(layout, SQLITE)) database.exec(statement);
  database.exec(RECORDS);
  for (const table of layout.tables)
    for (const statement of SQLITE.schema.fillTextIndex(table)) database.exec(statement);
  const insert = database.prepare('INSERT INTO "docket_code_text" VALUES (?, ?, ?, ?, ?)');
  for (const list of oddModel.definition.codeLists) {
    for (const { value, texts } of list.codes) {
      for (const [language, text] of Object.entries(texts)) {
        const json = precomputedJson(oddModel, text, value);
        insert.run([language, BigInt(value), text, text.toLowerCase(), json]);
      }
    }
  }
  return database;
}

/** The rows of a compiled statement. */
export function run(database: Connection, statement: Statement): readonly Row[] {
  const values = statement.parameters.map((one) => {
    if (one.kind === 'value') return toSqlite(one.value);
    if (one.kind === 'context') return toSqlite(CONTEXT[one.name] ?? null);
    throw new Error(`no value for a parameter of the kind ${one.kind}`);
  });
  return database.prepare(statement.text).all(values);
}

function frameOf(set: string): { readonly frame: Frame; readonly rows: Rows } {
  const session = startSession({ model: oddModel, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const rows = allRows(session, setSource(oddModel, set));
  const subject = subjectOf(resolvedVariable(rows.row));
  return { frame: startFrame(session, { name: 'filter', target: '$filter' }, subject), rows };
}

function parse(text: string) {
  return parseExpression(text, '$filter', { ...DEFAULT_TREE_LIMITS, nodes: 100_000 });
}

interface Compiling {
  readonly scope: Scope;
  readonly rows: Rows;
  readonly expression: Expression;
}

/** The statement that selects something for each row of a set of which the condition holds. */
function statementFor(
  compiling: Compiling,
  condition: boolean,
  select: (scope: Scope, identity: Fragment) => Fragment,
): Statement {
  const { scope, rows, expression } = compiling;
  const filtered = condition ? { ...rows, where: [expression] } : rows;
  const origin = originOf(scope, filtered);
  const { table } = useOf(layout, rows.row.source);
  const identity = column(aliasOf(origin.scope, rows.row), table.identity);
  const selected = selectFrom(origin, select(origin.scope, identity));
  return finish(scope, sql`${selected} ORDER BY ${identity}`);
}

/** The statement for `Set?$filter=…`, which gives identities. */
export function filterStatement(
  set: string,
  text: string,
  language = 'en',
  dialect = SQLITE,
): Statement {
  const { frame, rows } = frameOf(set);
  const expression = bindCondition(frame, parse(text));
  const scope = makeScope(layout, dialect, language);
  return statementFor({ scope, rows, expression }, true, (_, identity) => identity);
}

/** The statement for an expression in each row, which gives JSON texts. */
export function valueStatement(
  set: string,
  text: string,
  language = 'en',
  dialect = SQLITE,
): Statement {
  const { frame, rows } = frameOf(set);
  const expression = bindExpression(frame, parse(text));
  const scope = makeScope(layout, dialect, language);
  const form = { ieee754Compatible: false, exponentialDecimals: false };
  return statementFor({ scope, rows, expression }, false, (inside) =>
    jsonOf(dialect, inside.value(inside, expression), expression.type, form),
  );
}

/** The statement for an expression in a row with these contents that is about to be inserted. */
export function newRowStatement(
  set: string,
  contents: Readonly<Record<string, Value>>,
  text: string,
): Statement {
  const { frame, rows } = frameOf(set);
  const expression = bindExpression(frame, parse(text));
  const fragments = new Map(Object.entries(contents).map(([at, one]) => [at, value(one)]));
  const expressions = [{ expression, storage: storageOf(expression.type) }];
  const values = { first: value(null), columns: [], expressions };
  const scope = { layout, dialect: SQLITE };
  return finish(
    makeScope(layout, SQLITE),
    newRowValues(useOf(layout, rows.row.source), fragments, values, scope),
  );
}

/** The plan of a GET, as an administrator. */
export function planOf(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  model = oddModel,
): Plan {
  const [path = '', query = ''] = url.split('?');
  const tree = parseRequest({ method: 'GET', path, query, headers }, DEFAULT_LIMITS);
  const scope = {
    model,
    rules: 'odata',
    limits: DEFAULT_BIND_LIMITS,
    root: 'http://zoo.test/odata/',
  } as const;
  const setting = {
    model,
    rights: { everything: true, updatesAll: true, roles: [], types: new Map() },
    limits: DEFAULT_PAGE_LIMITS,
    languages: ['en', 'nl'],
    bindRule: () => {
      throw new Error('an administrator has no rules');
    },
  };
  return decide(bind(tree, scope), tree, setting);
}

/** The script of a GET. */
export function scriptOf(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  dialect = SQLITE,
): ReadScript {
  const script = compile(planOf(url, headers), layout, dialect);
  if (script.kind !== 'read') throw new Error(`a script of kind ${script.kind}`);
  return script;
}

export interface Answered {
  /** Parsed JSON texts, one for each record. */
  readonly records: readonly unknown[];
  readonly count: bigint | undefined;
  readonly keys: readonly (readonly unknown[])[];
}

/** What a GET finds. */
export function get(
  database: Connection,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Answered {
  const script = scriptOf(url, headers);
  const { rows, count } = outcomeOf(script, run(database, script.statement), CONTEXT);
  return {
    records: rows.map(({ json }) => (json === null ? null : JSON.parse(json))),
    count,
    keys: rows.map(({ keys }) => keys),
  };
}

function literalOf(order: readonly OrderItem[]) {
  return (value: Value, index: number) =>
    constant(order[index]?.expression.type ?? { kind: 'null' }, value);
}

/** The same GET behind a row with the given order values. */
export function scriptAfter(url: string, after: readonly Value[], dialect = SQLITE): ReadScript {
  const plan = planOf(url, NO_METADATA);
  if (plan.kind !== 'read' || plan.select.page === undefined) throw new Error('not a page');
  const page = { ...plan.select.page, after: after.map(literalOf(plan.select.order)) };
  const script = compile({ ...plan, select: { ...plan.select, page } }, layout, dialect);
  if (script.kind !== 'read') throw new Error(`a script of kind ${script.kind}`);
  return script;
}

export const NO_METADATA = { accept: 'application/json;odata.metadata=none' };

export interface Paged {
  readonly size?: number;
  /** What happens before each page but the first. */
  readonly between?: () => void;
}

/** Identities of all rows of a GET, read page by page, each behind the last row of the one before. */
export function byPages(
  database: Connection,
  url: string,
  { size = 1, between }: Paged = {},
): readonly unknown[] {
  const plan = planOf(url, NO_METADATA);
  if (plan.kind !== 'read') throw new Error('not a page');
  const found: unknown[] = [];
  let after: readonly LiteralExpression[] | undefined;
  for (let page = 0; page < 200; page++) {
    const start = after === undefined ? {} : { after };
    const limits = { limit: size, more: false, skip: 0, ...start };
    const script = compile({ ...plan, select: { ...plan.select, page: limits } }, layout, SQLITE);
    if (script.kind !== 'read') throw new Error('not a read');
    const { rows } = outcomeOf(script, run(database, script.statement), CONTEXT);
    for (const { json } of rows) if (json !== null) found.push(JSON.parse(json).Id);
    const last = rows.at(-1);
    if (last?.json == null || rows.length < size) return found;
    const token = writeToken('00000000', { kind: 'values', after: last.keys });
    const position = readToken(token, { signature: '00000000', order: plan.select.order });
    after = position.kind === 'values' ? position.after : undefined;
    between?.();
  }
  throw new Error('the pages do not end');
}
