// This file compares the JSON part of the PostgreSQL dialect with that of SQLite on real databases, for random documents.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonDialect } from '../../../src/sql/dialect/dialect.ts';
import { resolveMarkers } from '../../../src/sql/dialect/postgres/deferred-rewrites.ts';
import { POSTGRES_JSON } from '../../../src/sql/dialect/postgres/json.ts';
import type { DocumentRules } from '../../../src/sql/dialect/rewrite-document.ts';
import { SQLITE, toSqlite } from '../../../src/sql/dialect/sqlite.ts';
import { type Fragment, sql, text, toStatement } from '../../../src/sql/fragment.ts';
import { BOOLEAN, INTEGER } from '../../../src/sql/schema/value-storage.ts';
import { openInMemory } from '../../../src/store/sqlite/connection.ts';
import { type Connection, connect } from './connection.ts';

let connection: Connection;
const sqlite = openInMemory();

beforeAll(async () => {
  connection = await connect();
});

afterAll(() => connection.close());

/** An SQL expression over the column `a` of a document, which both dialects can write. */
type Build = (json: JsonDialect, document: Fragment) => Fragment;

async function onPostgres(build: Build, documents: readonly string[]): Promise<readonly unknown[]> {
  const { text: expression, parameters } = toStatement(
    build(POSTGRES_JSON, sql`t.a`),
    (index) => `$${index + 1}::text`,
  );
  const values = parameters.map((one) => (one.kind === 'value' ? one.value : null));
  const statement = `SELECT CAST(${expression} AS text) FROM unnest($1::text[]) WITH ORDINALITY AS t(a, place) ORDER BY place`;
  const rows = await connection.rows(statement, [documents, ...values]);
  return rows.map(([cell]) => (typeof cell === 'string' ? resolveMarkers(cell) : null));
}

function onSqlite(build: Build, documents: readonly string[]): readonly unknown[] {
  const { text: expression, parameters } = toStatement(build(SQLITE.json, sql`t.a`), () => '?');
  const values = parameters.map((one) => (one.kind === 'value' ? one.value : null));
  const statement = sqlite.prepare(`SELECT CAST(${expression} AS text) FROM (SELECT ? AS a) t`);
  return documents.map(
    (document) => statement.all([...values.map(toSqlite), document])[0]?.[0] ?? null,
  );
}

async function compare(build: Build, documents: readonly string[]): Promise<void> {
  const found = await onPostgres(build, documents);
  const expected = onSqlite(build, documents);
  const differences = documents.flatMap((document, index) =>
    found[index] === expected[index]
      ? []
      : [{ document, expected: expected[index], found: found[index] }],
  );
  expect(differences.slice(0, 4)).toEqual([]);
}

const names = fc.constantFrom('a', 'b', 'c', 'x y', 'é"', '@odata.type', 'a@odata.type', 'n.1');
const scalars = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1.10', '1e2', '12345678901234567890', '-5'),
  fc.constantFrom('9007199254740993', '0.1000000000000000055511151231257827', '1.0'),
  fc
    .string({ unit: fc.constantFrom(...'aé"\\/\u2028😀 \n\t\u0001', 'null', '[]'), maxLength: 4 })
    .map((one) => JSON.stringify(one)),
);
const { value: values, object: objects } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalars,
    scalars,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 4, selector: ([name]) => name })
    .map(
      (members) =>
        `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`,
    ),
}));
/** SQLite writes -0 as 0 when it is an item. */
const items = values.filter((json) => json !== '-0');
const arrays = fc.array(items, { maxLength: 5 }).map((all) => `[${all.join(',')}]`);

const sample = (documents: fc.Arbitrary<string>) => fc.sample(documents, 1500);

describe('reading', () => {
  it.each<readonly [string, Build, fc.Arbitrary<string>]>([
    ['kinds', (json, document) => json.kind(document), values],
    ['members', (json, document) => json.memberJson(document, ['a']), objects],
    ['nested members', (json, document) => json.memberJson(document, ['a', 'b']), objects],
    ['members with odd names', (json, document) => json.memberJson(document, ['é"']), objects],
    ['member kinds', (json, document) => json.kind(json.memberJson(document, ['b'])), objects],
    [
      'texts of members',
      (json, document) =>
        sql`CASE WHEN ${json.kind(json.memberJson(document, ['a']))} = 'text' THEN ${json.member(document, ['a'])} END`,
      objects,
    ],
    [
      'integers',
      (json, document) =>
        sql`CASE WHEN ${json.kind(document)} = 'integer' AND length(${document}) < 19 THEN ${json.typed(json.valueOf(document), INTEGER)} END`,
      values,
    ],
    [
      'booleans',
      (json, document) =>
        sql`CASE WHEN ${json.kind(document)} IN ('true', 'false') THEN CASE WHEN ${json.typed(json.valueOf(document), BOOLEAN)} THEN 'yes' ELSE 'no' END END`,
      values,
    ],
    [
      'items',
      (json, document) =>
        sql`(SELECT ${json.concatRows(json.itemJson(sql`e`))} FROM ${json.items(document, sql`e`)})`,
      arrays,
    ],
    [
      'indexes of items',
      (json, document) =>
        sql`(SELECT ${json.concatRows(json.concat([json.itemIndex(sql`e`), text(':'), json.quote(json.kind(json.itemJson(sql`e`)))]))} FROM ${json.items(document, sql`e`)} WHERE ${json.item(sql`e`)} IS NOT NULL)`,
      arrays,
    ],
    [
      'other members',
      (json, document) => json.concat(json.members(document, { except: ['a', 'é"'] }, undefined)),
      objects,
    ],
    [
      'all members',
      (json, document) => json.concat(json.members(document, { except: [] }, undefined)),
      objects,
    ],
    [
      'named members',
      (json, document) => json.concat(json.members(document, { only: ['b', 'a'] }, undefined)),
      objects,
    ],
    [
      'enumeration values',
      (json, document) => json.enumInteger(document),
      fc.stringMatching(/^[ -]?\d{0,21}[A-Z,]{0,3}$/),
    ],
    ['quoted texts', (json, document) => json.quote(document), values],
    ['URLs', (json, document) => json.escapeUrl(document), values],
    [
      'tokens',
      (json, document) =>
        json.token([
          { sql: document, storage: { kind: 'text' } },
          { sql: sql`CAST(length(${document}) AS bigint)`, storage: INTEGER },
          {
            sql: sql`length(${document}) * CAST(0.1 AS double precision)`,
            storage: { kind: 'floating' },
          },
          { sql: sql`nullif(${document}, ${document})`, storage: { kind: 'decimal' } },
          { sql: sql`(length(${document}) > 5)`, storage: BOOLEAN },
        ]),
      values,
    ],
  ])('%s', async (_, build, documents) => {
    await compare(build, sample(documents));
  });
});

describe('changes', () => {
  const { change } = { change: (json: JsonDialect) => json.change };
  it.each<readonly [string, Build, fc.Arbitrary<string>]>([
    ['set', (json, document) => change(json).setMember(document, ['a'], '{"z":1.10}'), objects],
    ['set nested', (json, document) => change(json).setMember(document, ['a', 'b'], '1'), objects],
    [
      'set deep',
      (json, document) => change(json).setMember(document, ['a', 'b', 'é"'], '[]'),
      objects,
    ],
    ['remove', (json, document) => change(json).removeMember(document, ['a']), objects],
    ['remove nested', (json, document) => change(json).removeMember(document, ['a', 'b']), objects],
    ['ensure', (json, document) => change(json).ensureMember(document, ['a']), objects],
    ['ensure nested', (json, document) => change(json).ensureMember(document, ['a', 'b']), objects],
    ['append', (json, document) => change(json).append(document, '{"z":1.10}'), arrays],
    ['length', (json, document) => change(json).length(document), arrays],
    ...[0, 1, 3, -1, -2].flatMap((at): readonly (readonly [string, Build, typeof arrays])[] => [
      [`insert at ${at}`, (json, document) => change(json).insert(document, at, '"n"'), arrays],
      [`replace at ${at}`, (json, document) => change(json).replace(document, at, '"n"'), arrays],
      [`remove at ${at}`, (json, document) => change(json).remove(document, at), arrays],
    ]),
  ])('%s', async (_, build, documents) => {
    await compare(build, sample(documents));
  });
});

const RULES: DocumentRules = {
  of: 'T',
  strings: true,
  metadata: 'full',
  prefix: '@',
  members: { T: { a: { of: 'wide', note: '#Int64' }, b: { of: 'T' } } },
};
const UNTYPED: DocumentRules = { ...RULES, of: 'any', metadata: 'minimal' };

describe('rewritten documents', () => {
  it.each([
    ['declared', JSON.stringify(RULES)],
    ['untyped', JSON.stringify(UNTYPED)],
  ])('%s', async (_, rules) => {
    await compare((json, document) => json.rewrite(document, rules), sample(objects));
    const named: Build = (json, document) =>
      json.concat(json.members(document, { only: ['b@type', 'b', 'c'] }, rules));
    await compare(named, sample(objects));
    const other: Build = (json, document) =>
      json.concat(json.members(document, { except: ['a', 'x y'] }, rules));
    await compare(other, sample(objects));
  });

  it.each<readonly [string, Build]>([
    ['alone', (json, document) => inObject(json, [...restOf(json, document)])],
    ['first', (json, document) => inObject(json, [...restOf(json, document), sql`',"end":1'`])],
    ['last', (json, document) => inObject(json, [sql`',"start":1'`, ...restOf(json, document)])],
    [
      'several times',
      (json, document) =>
        inObject(json, [...restOf(json, document), ...restOf(json, document), sql`',"end":1'`]),
    ],
  ])('as members of an object: %s', async (_, build) => {
    const documents = fc.oneof(objects, fc.constantFrom('{}', '{"a":1}', '{"a":1,"x y":2}'));
    await compare(build, sample(documents));
  });

  it('contain others', () => {
    const inner =
      '\u0001{"rules":{"of":"wide","strings":true,"metadata":"minimal","prefix":"@","members":{}}}\u000212\u0003';
    const outer = `[0,\u0001{"rules":${JSON.stringify(UNTYPED)}}\u0002{"b":${inner}}\u0003]`;
    expect(resolveMarkers(outer)).toBe('[0,{"b":"12"}]');
  });
});

/** Members that the selection may leave empty. */
function restOf(json: JsonDialect, document: Fragment): readonly Fragment[] {
  return json.members(document, { except: ['a', 'x y', 'a@type'] }, JSON.stringify(UNTYPED));
}

function inObject(json: JsonDialect, pieces: readonly Fragment[]): Fragment {
  return json.concat([text('{'), sql`substr(${json.concat(pieces)}, 2)`, text('}')]);
}
