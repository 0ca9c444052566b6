// This file implements the text indexes of PostgreSQL. Words are in a table of tsvectors, which triggers update; text-routines.ts
// splits the texts. Substrings are found by LIKE on the lower-case column, which a GIN index of pg_trgm serves if that extension is
// available. One index serves comparisons with and without case: two would double the cost of writing.
import { every, type Fragment, quoted, sql, tableName, text } from '../../fragment.ts';
import type { Table, TextIndex } from '../../schema/layout.ts';
import type { SchemaDialect, TextDialect } from '../dialect.ts';
import { objectName } from './object-name.ts';
import { LONG_TEXT } from './text-routines.ts';

export const TEXT_INDEX: Pick<
  SchemaDialect,
  'textIndex' | 'fillTextIndex' | 'dropTextIndex' | 'indexTexts' | 'indexTextsOfRows'
> = {
  textIndex: (table) =>
    eachIndex(table, (index) => [
      createWords(index),
      createWordIndex(index),
      ...triggers(table, index),
      ...index.columns.map((column) => createPartIndex(table, index, column)),
    ]),
  // Building an index of many rows takes a fraction of the time of adding them one by one.
  fillTextIndex: (table) =>
    eachIndex(table, (index) => [
      `DROP INDEX ${quoted(wordIndexName(index))}`,
      `INSERT INTO ${quoted(index.words)} SELECT t.${quoted(table.identity)}, one.words, one.texts FROM ${quoted(table.name)} t, docket_text_words(${textsOf(index, 't.')}) one`,
      createWordIndex(index),
    ]),
  dropTextIndex: (table) =>
    eachIndex(table, (index) => [
      ...EVENTS.map(
        (event) =>
          `DROP TRIGGER IF EXISTS ${quoted(triggerName(index, event))} ON ${quoted(table.name)}`,
      ),
      `DROP FUNCTION IF EXISTS ${quoted(functionName(index))}()`,
      `DROP TABLE IF EXISTS ${quoted(index.words)}`,
      ...index.columns.map(
        (column) => `DROP INDEX IF EXISTS ${quoted(partIndexName(index, column))}`,
      ),
    ]),
  indexTexts: () => [],
  indexTextsOfRows: () => [],
};

const LONG_TEXT_QUERY = sql`${text(`'${LONG_TEXT}'`)}::tsquery`;

export const POSTGRES_TEXT: TextDialect = {
  word: (words) => JSON.stringify({ words: storable(words), prefix: true }),
  phrase: (words) => JSON.stringify({ words: storable(words) }),
  all: (queries) => `["&",${queries.join(',')}]`,
  any: (queries) => `["|",${queries.join(',')}]`,
  matching: (table, index, query) => {
    // A sub-select is evaluated once. Otherwise a generic plan would call the function for each row.
    const found = sql`"words" @@ (SELECT docket_word_query(${query}::jsonb) || ${LONG_TEXT_QUERY})`;
    const isExact = sql`("texts" IS NULL OR docket_has_words("texts", ${query}::jsonb))`;
    return sql`SELECT "id" FROM ${tableName(index, table)} WHERE ${found} AND ${isExact}`;
  },
  part,
  // Without pg_trgm, the exact condition should be evaluated first, and of two conditions that cost the same PostgreSQL keeps the order.
  candidates: ({ content, folded }, query, exact) => {
    const pattern = folded ? query : lowerCase(query);
    return every([exact, sql`${lowerCase(content)} LIKE ${pattern}`]);
  },
};

/** Characters that PostgreSQL does not store. They separate words, as in SQLite. */
function storable(words: string): string {
  return words.replace(/[\0\p{Surrogate}]/gu, ' ');
}

/** Shorter parts of words are not in the index. */
const SHORTEST_GRAM = 3;

/** The LIKE pattern of a part. Lower case of a capital sigma depends on the letters around it, so that no index finds it. */
function part(literal: string, _: number, folded: boolean): string | undefined {
  if ([...literal].length < SHORTEST_GRAM || (!folded && literal.includes('Σ'))) return undefined;
  return `%${literal.replace(/[\\%_]/g, '\\$&')}%`;
}

function lowerCase(content: Fragment): Fragment {
  return sql`(lower(${content} COLLATE "und-x-icu") COLLATE "C")`;
}

function eachIndex(
  { text }: Table,
  statements: (index: TextIndex) => readonly string[],
): readonly string[] {
  return text === undefined ? [] : statements(text);
}

function createWords({ words }: TextIndex): string {
  return `CREATE TABLE ${quoted(words)} ("id" bigint PRIMARY KEY, "words" tsvector NOT NULL, "texts" text COLLATE "C")`;
}

function createWordIndex(index: TextIndex): string {
  return `CREATE INDEX ${quoted(wordIndexName(index))} ON ${quoted(index.words)} USING gin ("words")`;
}

/** `ARRAY[new."Description", new."Subject"]`. */
function textsOf({ columns }: TextIndex, row: 'new.' | 't.'): string {
  return `ARRAY[${columns.map((column) => row + quoted(column)).join(', ')}]`;
}

// ---- triggers -------------------------------------------------------------------------------------------------------

type Event = 'insert' | 'update' | 'delete';
const EVENTS: readonly Event[] = ['insert', 'update', 'delete'];

function triggers(table: Table, index: TextIndex): readonly string[] {
  const columns = index.columns.map(quoted);
  const changes = columns.map((column) => `old.${column} IS DISTINCT FROM new.${column}`);
  const on = `ON ${quoted(table.name)} FOR EACH ROW`;
  const run = `EXECUTE FUNCTION ${quoted(functionName(index))}()`;
  const create = (event: Event) => `CREATE TRIGGER ${quoted(triggerName(index, event))} AFTER`;
  return [
    createFunction(table, index),
    `${create('insert')} INSERT ${on} ${run}`,
    `${create('update')} UPDATE OF ${columns.join(', ')} ${on} WHEN (${changes.join(' OR ')}) ${run}`,
    `${create('delete')} DELETE ${on} ${run}`,
  ];
}

function createFunction({ identity }: Table, index: TextIndex): string {
  const [words, own] = [quoted(index.words), quoted(identity)];
  const texts = `docket_text_words(${textsOf(index, 'new.')})`;
  return `CREATE FUNCTION ${quoted(functionName(index))}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN INSERT INTO ${words} SELECT new.${own}, one.words, one.texts FROM ${texts} one;
    WHEN 'UPDATE' THEN UPDATE ${words} SET "words" = one.words, "texts" = one.texts FROM ${texts} one WHERE "id" = old.${own};
    ELSE DELETE FROM ${words} WHERE "id" = old.${own};
  END CASE;
  RETURN NULL;
END $body$`;
}

function functionName({ words }: TextIndex): string {
  return objectName(`${words}|function`);
}

function triggerName({ words }: TextIndex, event: Event): string {
  return objectName(`${words}|${event}`);
}

function wordIndexName({ words }: TextIndex): string {
  return objectName(`${words}|words`);
}

// ---- substrings -----------------------------------------------------------------------------------------------------

function partIndexName({ grams }: TextIndex, column: string): string {
  return objectName(`${grams}|${column}`);
}

/** Creates pg_trgm if the server has it and the user may. Otherwise substrings are found by scans, until a migration finds it. */
export const TRIGRAMS = `DO $do$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN feature_not_supported OR undefined_file OR insufficient_privilege THEN
  NULL;
END $do$`;

/** Selects whether substrings have an index: a boolean. */
export const HAS_TRIGRAMS = `SELECT EXISTS (${trigramSchema('1')})`;

/** Selects whether substrings can have an index: the extension is there, or the user may create it. */
export const MAY_HAVE_TRIGRAMS = `SELECT EXISTS (${trigramSchema('1')}) OR
  (NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') AND has_database_privilege(current_database(), 'CREATE') AND EXISTS
  (SELECT 1 FROM pg_available_extension_versions WHERE name = 'pg_trgm' AND (trusted OR current_setting('is_superuser') = 'on')))`;

/** The indexes for substrings of a table: names, and the statements that create them if the extension is there. */
export function partIndexes(
  table: Table,
): readonly { readonly name: string; readonly create: string }[] {
  const { text } = table;
  if (text === undefined) return [];
  return text.columns.map((column) => ({
    name: partIndexName(text, column),
    create: createPartIndex(table, text, column),
  }));
}

/** The schema of the extension, if the user may use it. */
function trigramSchema(column: string): string {
  return `SELECT ${column} FROM pg_extension WHERE extname = 'pg_trgm' AND has_schema_privilege(extnamespace, 'USAGE')`;
}

/** The operator class is in the schema of the extension, which the search path need not contain. */
function createPartIndex(table: Table, index: TextIndex, column: string): string {
  const content = `lower(${quoted(column)} COLLATE "und-x-icu") COLLATE "C"`;
  const create = `CREATE INDEX ${quoted(partIndexName(index, column))} ON ${quoted(table.name)} USING gin ((${content}) `;
  return `DO $do$
DECLARE
  place regnamespace := (${trigramSchema('extnamespace')});
BEGIN
  IF place IS NOT NULL THEN EXECUTE $create$${create}$create$ || place || '.gin_trgm_ops)'; END IF;
END $do$`;
}
