// This file compares the text indexes of PostgreSQL with those of SQLite: every code point, random texts and queries, and texts that
// do not fit a tsvector.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextDialect } from '../../../src/sql/dialect/dialect.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../../src/sql/dialect/sqlite.ts';
import { sql, toStatement, value } from '../../../src/sql/fragment.ts';
import { createTable } from '../../../src/sql/schema/ddl.ts';
import type { Table } from '../../../src/sql/schema/layout.ts';
import { INTEGER, TEXT } from '../../../src/sql/schema/value-storage.ts';
import { openInMemory } from '../../../src/store/sqlite/connection.ts';
import { postgresUrl } from '../../postgres.ts';

const table: Table = {
  name: 'Texts',
  identity: 'Id',
  indexes: [],
  columns: [
    { name: 'Id', storage: INTEGER, notNull: true },
    { name: 'words', storage: TEXT, notNull: false },
    { name: 'Note', storage: TEXT, notNull: false },
  ],
  text: { words: 'Texts$search', grams: 'Texts$grams', columns: ['words', 'Note'] },
};

let client: Client;
const sqlite = openInMemory();

beforeAll(async () => {
  client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  const { routines, textIndex } = POSTGRES.schema;
  for (const statement of [...routines, createTable(table, POSTGRES), ...textIndex(table)])
    await client.query(statement);
  for (const statement of [createTable(table, SQLITE), ...SQLITE.schema.textIndex(table)])
    sqlite.exec(statement);
});

afterAll(async () => await client.end());

type Query = (text: TextDialect) => string;

async function found(query: Query): Promise<readonly number[]> {
  const matching = POSTGRES.text.matching('Texts', 'Texts$search', value(''));
  const { text, parameters } = toStatement(matching, POSTGRES.placeholder);
  const values = parameters.map(() => query(POSTGRES.text));
  const { rows } = await client.query({ text: `${text} ORDER BY 1`, values });
  return rows.map(({ id }) => Number(id));
}

function foundBySqlite(query: Query): readonly number[] {
  const matching = SQLITE.text.matching('Texts', 'Texts$search', value(''));
  const { text } = toStatement(matching, SQLITE.placeholder);
  const rows = sqlite.prepare(`${text} ORDER BY 1`).all([query(SQLITE.text)]);
  return rows.map(([id]) => Number(id));
}

type TextRow = readonly [id: number, words: string | null, note: string | null];

async function insert(rows: readonly TextRow[]): Promise<void> {
  const values = [0, 1, 2].map((at) => rows.map((row) => row[at]));
  const text = `INSERT INTO "Texts" SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])`;
  await client.query({ text, values });
  const [statement] = SQLITE.schema.indexTextsOfRows(table, sql`"Id" = ?`);
  const index = sqlite.prepare(toStatement(statement ?? sql``, SQLITE.placeholder).text);
  const add = sqlite.prepare('INSERT INTO "Texts" VALUES (?, ?, ?)');
  for (const [id, ...texts] of rows) {
    add.run([BigInt(id), ...texts]);
    index.run([BigInt(id)]);
  }
}

/** Above, the rules are the same for thousands of code points. */
const WHERE_RULES_END = 0x20000;

it('PostgreSQL splits and folds every code point as SQLite does', async () => {
  const texts: string[] = [];
  for (let start = 0; start < 0x110000; start += start < WHERE_RULES_END ? 256 : 0x4000) {
    const points = Array.from({ length: 256 }, (_, at) => start + at);
    const letters = points.filter((point) => point > 0 && (point < 0xd800 || point > 0xdfff));
    texts.push(
      letters
        .map((point) => String.fromCodePoint(point))
        .map((c) => `a${c}b${c}`)
        .join(' '),
    );
  }
  const words = texts.map((): string[] => []);
  sqlite.exec(`CREATE VIRTUAL TABLE points USING fts5(x, tokenize='unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE words USING fts5vocab(points, instance)`);
  const add = sqlite.prepare('INSERT INTO points (rowid, x) VALUES (?, ?)');
  for (const [at, text] of texts.entries()) add.run([BigInt(at), text]);
  for (const [row, word, place] of sqlite
    .prepare('SELECT doc, term, "offset" FROM words')
    .all([])) {
    const list = words[Number(row)];
    if (list !== undefined) list[Number(place)] = String(word);
  }
  const text =
    'SELECT docket_words(x) FROM unnest($1::text[]) WITH ORDINALITY one(x, n) ORDER BY n';
  const { rows } = await client.query({ text, values: [texts], rowMode: 'array' });
  expect(rows.map(([one]) => one)).toEqual(
    words.map((list) => (list.length === 0 ? ' ' : ` ${list.join(' ')} `)),
  );
});

const PIECES =
  `printer Drucker über Übergröße ÜBERGRÖSSE STRASSE e-mail REQ-00042 v1.2.3 naïve Ελλάδα ΣΊΣΥΦΟΣ СЕРВЕР ёлка 日本語 プリンター 한국어
  العربية हिन्दी ไทย İstanbul ısı ﬁn ①② ½ ٣٤ 😀 👩‍👧 e\u0301te\u0301 \u0301x ǅ K _a_ C++ a.b x 12.5 me@firm.example "q" it's \\b * AND
  OR NOT NEAR (a) {c1}: - ﷺ 𝔘𝔫𝔦 𐐀 \ue000 ⓐ Ⅷ ª µ ẞ l·l don’t \u200b so\u00adft % %_`.split(/\s+/);
const BETWEEN = [' ', ' ', ' ', ', ', '. ', '\n', '-', '', '/', '\u00a0', ' — ', '\u3000'];

/** Numbers from 0 to `limit` - 1, the same in every run. */
let seed = 20;
function random(limit: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
}
const pick = (from: readonly string[]) => from[random(from.length)] ?? '';
const randomText = (pieces: number) =>
  Array.from({ length: pieces }, () => pick(PIECES) + pick(BETWEEN)).join('');

function randomLeaf(rows: readonly TextRow[]): string {
  if (random(2) === 0) return randomText(1 + random(2));
  const text = [...(rows[random(rows.length)]?.[1] ?? '')];
  const start = random(text.length);
  return text.slice(start, start + 1 + random(20)).join('');
}

function randomQuery(rows: readonly TextRow[], depth = 0): Query {
  const kind = random(depth > 1 ? 2 : 4);
  const leaf = randomLeaf(rows);
  if (kind < 2) return (text) => (kind === 0 ? text.word(leaf) : text.phrase(leaf));
  const operands = [randomQuery(rows, depth + 1), randomQuery(rows, depth + 1)];
  return (text) => (kind === 2 ? text.all : text.any)(operands.map((operand) => operand(text)));
}

const LONG: readonly string[] = [
  `${'the '.repeat(400)}end of printer`,
  `${'z'.repeat(3000)} tail`,
  Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' '),
  'ä'.repeat(700_000),
];

describe('word indexes', () => {
  const rows: TextRow[] = Array.from({ length: 600 }, (_, at) => [
    at + 1,
    random(20) === 0 ? null : randomText(random(12)),
    random(2) === 0 ? null : randomText(random(4)),
  ]);
  beforeAll(async () => {
    await insert([...rows, ...LONG.map((text, at) => [1001 + at, text, 'long'] as const)]);
  });

  it('find the same rows for random queries', async () => {
    for (let count = 0; count < 500; count++) {
      const query = randomQuery(rows);
      expect(await found(query), query(SQLITE.text)).toEqual(foundBySqlite(query));
    }
  });

  it.each<[string, Query, readonly number[]]>([
    ['a frequent word', (text) => text.phrase('the end'), [1001]],
    [
      'a phrase after more positions than a tsvector has',
      (text) => text.phrase('w19000 w19001'),
      [1003],
    ],
    ['a word longer than a lexeme', (text) => text.word('z'.repeat(2500)), [1002]],
    ['several words', (text) => text.all([text.word('w17'), text.word('long')]), [1003]],
    [
      'one of several words',
      (text) => text.any([text.word('tai'), text.phrase('end of')]),
      [1001, 1002],
    ],
    ['no phrase that continues in another column', (text) => text.phrase('tail long'), []],
  ])('find %s in long texts', async (_, query, ids) => {
    expect(await found(query)).toEqual(ids);
    expect(foundBySqlite(query)).toEqual(ids);
  });

  it('have the words of texts that repeat a word too often for their positions', async () => {
    const text = `SELECT "id" FROM "Texts$search" WHERE "words" @@ 'printer'::tsquery AND "id" > 1000`;
    expect((await client.query(text)).rows).toEqual([{ id: '1001' }]);
  });

  it('follow changes and deletions, and can be filled again', async () => {
    const query: Query = (text) => text.word('zeppelin');
    await client.query(`UPDATE "Texts" SET "Note" = 'Zeppelins' WHERE "Id" IN (1, 2)`);
    expect(await found(query)).toEqual([1, 2]);
    await client.query('DELETE FROM "Texts" WHERE "Id" = 1');
    expect(await found(query)).toEqual([2]);
    const { dropTextIndex, textIndex, fillTextIndex } = POSTGRES.schema;
    for (const statement of [...dropTextIndex(table), ...textIndex(table), ...fillTextIndex(table)])
      await client.query(statement);
    expect(await found(query)).toEqual([2]);
  });
});

describe('substring indexes', () => {
  const select = async (condition: string, values: readonly string[]) => {
    const text = `SELECT "Id" FROM "Texts" WHERE "Id" <= 600 AND ${condition} ORDER BY 1`;
    return (await client.query({ text, values: [...values], rowMode: 'array' })).rows.map(([id]) =>
      Number(id),
    );
  };
  const condition = (folded: boolean, exact = sql`true`) => {
    const column = {
      table: 'Texts',
      index: 'Texts$grams',
      identity: sql`"Id"`,
      content: sql`"words"`,
      folded,
    };
    return toStatement(POSTGRES.text.candidates(column, value(''), exact), POSTGRES.placeholder)
      .text;
  };

  it('contain every row that contains the part', async () => {
    for (let count = 0; count < 100; count++) {
      const part = randomText(2)
        .slice(0, 3 + random(9))
        .replace(/[\ud800-\udfff]/g, '');
      const pattern = POSTGRES.text.part(part, 0, false);
      const exact = await select('strpos("words", $1) > 0', [part]);
      if (pattern !== undefined)
        expect(await select(condition(false), [pattern]), part).toEqual(
          expect.arrayContaining(exact),
        );
      const folded = POSTGRES.text.part(part, 0, true);
      const lower = await select('strpos(lower("words" COLLATE "und-x-icu") COLLATE "C", $1) > 0', [
        part,
      ]);
      if (folded !== undefined)
        expect(await select(condition(true), [folded]), part).toEqual(lower);
    }
  });

  it.each([false, true])('serve the condition (in lower case: %s)', async (folded) => {
    await client.query('SET enable_seqscan = off');
    const text = `EXPLAIN SELECT "Id" FROM "Texts" WHERE ${condition(folded)}`;
    const { rows } = await client.query({ text, values: ['%printer%'], rowMode: 'array' });
    await client.query('RESET enable_seqscan');
    expect(rows.flat().join('\n')).toContain('Texts$grams|words');
  });

  it('do not find parts that are too short', () => {
    expect(POSTGRES.text.part('ab', 0, false)).toBeUndefined();
  });
});
