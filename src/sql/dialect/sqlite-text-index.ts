// This file implements the text indexes of SQLite: contentless FTS5 tables, which triggers update. Their columns are c1, c2, …, because
// FTS5 reserves names that a property may have. Changed rows are noted in a table, and their texts indexed at the end of the transaction
// (store/sqlite/changed-texts.ts).
import { every, type Fragment, list, name, quoted, sql, tableName } from '../fragment.ts';
import type { Table } from '../schema/layout.ts';
import type { IndexStep, SchemaDialect, TextDialect } from './dialect.ts';

export const TEXT_INDEX: Pick<
  SchemaDialect,
  | 'textIndex'
  | 'fillTextIndex'
  | 'fillTextIndexInSteps'
  | 'dropTextIndex'
  | 'indexTexts'
  | 'indexTextsOfRows'
> = {
  textIndex: (table) => [
    ...textTables(table).map(({ create }) => create),
    ...noteOfChanges(table),
    ...textTables(table).flatMap((one) => triggers(table, one)),
  ],
  fillTextIndex: (table) => textTables(table).flatMap((one) => fillInOneSegment(table, one)),
  fillTextIndexInSteps: (table, lowest, highest) =>
    textTables(table).flatMap((one) => fillInSteps(table, one, lowest, highest)),
  indexTexts: (table, contents) =>
    textTables(table)
      .filter(({ columns }) => columns.some((column) => contents.has(column)))
      .map((one) => insertTexts(table, one, contents)),
  indexTextsOfRows: (table, condition) =>
    textTables(table).map((one) => {
      const texts = list([table.identity, ...one.columns].map(name));
      const text = sql`coalesce(${list([...one.columns.map(name), NULL])})`;
      return sql`${one.into} SELECT ${texts} FROM ${tableName(table.name)} WHERE (${condition}) AND ${text} IS NOT NULL`;
    }),
  dropTextIndex: (table) => [
    ...(table.text === undefined ? [] : dropNote(table)),
    ...textTables(table).flatMap((one) => [
      // Those of an update are of earlier versions.
      ...['update', 'delete'].map(
        (event) => `DROP TRIGGER IF EXISTS ${quoted(`${one.name}|${event}`)}`,
      ),
      `DROP TABLE IF EXISTS ${quoted(one.name)}`,
    ]),
  ],
};

const matching: TextDialect['matching'] = (table, index, query) =>
  sql`SELECT rowid FROM ${tableName(index, table)} WHERE ${name(index)} MATCH ${query}`;

export const TEXT_QUERY: TextDialect = {
  word: (words) => `${phrase(words)}*`,
  phrase,
  all: (queries) => `(${queries.join(' AND ')})`,
  any: (queries) => `(${queries.join(' OR ')})`,
  matching,
  part: (text, at, folded) => {
    const words = searchablePart(text, folded);
    return words === undefined ? undefined : `{c${at + 1}} : ${phrase(words)}`;
  },
  candidates: ({ table, index, identity }, query, exact) =>
    every([sql`${identity} IN (${matching(table, index, query)})`, exact]),
  // SQLite never reorders the tables of a CROSS JOIN.
  walk: (table, index, query) => ({
    from: sql`${tableName(index, table)} CROSS JOIN `,
    condition: sql`${name(index)} MATCH ${query}`,
    identity: sql`${name(index)}.rowid`,
  }),
};

/** In an FTS5 string, only the double quote is special. SQLite, "FTS5", "FTS5 Strings". */
function phrase(words: string): string {
  return `"${words.replaceAll('"', '""')}"`;
}

/** The trigram index has no shorter parts of words. */
const SHORTEST_GRAM = 3;

/** The part of a literal to look up. Undefined if the index cannot decide, because it folds some letters differently from tolower. */
function searchablePart(literal: string, folded: boolean): string | undefined {
  if (folded && !/^[\x20-\x7e]+$/.test(literal)) return undefined;
  // The Turkish dotted capital I becomes i and a combining dot in lower case: a part that ends in i may end inside that pair.
  const part = folded ? literal.replace(/i+$/, '') : literal;
  return [...part].length < SHORTEST_GRAM ? undefined : part;
}

interface TextTable {
  readonly name: string;
  readonly create: string;
  readonly columns: readonly string[];
  /** `INSERT OR REPLACE INTO "…" (rowid, c1)`. */
  readonly into: Fragment;
}

const textTablesByTable = new WeakMap<Table, readonly TextTable[]>();

function textTables(table: Table): readonly TextTable[] {
  const cached = textTablesByTable.get(table) ?? makeTextTables(table);
  textTablesByTable.set(table, cached);
  return cached;
}

function makeTextTables(table: Table): readonly TextTable[] {
  if (table.text === undefined) return [];
  const { words, grams, columns } = table.text;
  const ftsColumns = columns.map((_, index) => `c${index + 1}`).join(', ');
  const make = (index: string, tokenizer: string): TextTable => ({
    name: index,
    columns,
    create: `CREATE VIRTUAL TABLE ${quoted(index)} USING fts5(${ftsColumns}, tokenize='${tokenizer}', content='', contentless_delete=1)`,
    into: insertInto(table.name, index, columns),
  });
  return [make(words, 'unicode61 remove_diacritics 2'), make(grams, 'trigram')];
}

function insertInto(table: string, index: string, columns: readonly string[]): Fragment {
  const ftsColumns = ['rowid', ...columns.map((_, at) => `c${at + 1}`)].map(name);
  return sql`INSERT OR REPLACE INTO ${tableName(index, table)} (${list(ftsColumns)})`;
}

/** Whether a row has texts. Rows without texts are not in the indexes: most lines of histories have none. */
function hasText({ columns }: TextTable): string {
  // coalesce needs two arguments.
  return `coalesce(${[...columns.map(quoted), 'NULL'].join(', ')}) IS NOT NULL`;
}

/** An INSERT … SELECT of the indexed columns, to be followed by FROM. */
function fill(table: Table, one: TextTable): string {
  const ftsColumns = one.columns.map((_, index) => `c${index + 1}`);
  const from = [table.identity, ...one.columns].map(quoted);
  return `INSERT OR REPLACE INTO ${quoted(one.name)}(rowid, ${ftsColumns.join(', ')}) SELECT ${from.join(', ')}`;
}

/**
 * Fills an empty index so that its rows form one segment, which is up to ten times as fast to query as ten. With many rows, that segment
 * must not be on a low level: FTS5 would merge it with the next few new segments, which takes seconds in the middle of a transaction.
 * 'optimize' merges all segments to a level above every level used so far, unless all segments are on the same level. To raise the
 * level, a filler of some pages is repeatedly merged with small entries before the index is filled. To move the filled segments
 * up, 'merge' first moves a few of their pages. None of these FTS5 commands affects query results. SQLite, "FTS5", "Special INSERT Commands".
 */
function fillInOneSegment(table: Table, one: TextTable): readonly string[] {
  const { begin, raise, end } = fillingCommands(table, one);
  const rows = `FROM ${quoted(table.name)} WHERE ${hasText(one)}`;
  return [...begin, `${fill(table, one)} ${rows}`, ...raise, mergeAll(one), end];
}

/**
 * The same in transactions that each read a range of rows or merge some pages. A negative number of pages makes 'merge' choose the segments
 * that 'optimize' would merge.
 */
function fillInSteps(
  table: Table,
  one: TextTable,
  lowest: bigint,
  highest: bigint,
): readonly IndexStep[] {
  const { begin, raise, end } = fillingCommands(table, one);
  const segments = quoted(`${one.name}_idx`);
  return [
    { statements: begin },
    ...rangesOf(lowest, highest).map(([from, to]) => ({
      statements: [
        `${fill(table, one)} FROM ${quoted(table.name)} WHERE ${quoted(table.identity)} BETWEEN ${from} AND ${to} AND ${hasText(one)}`,
      ],
    })),
    { statements: raise },
    {
      statements: [configure(one, 'merge', -PAGES_PER_STEP)],
      repeatWhile: `SELECT 1 WHERE (SELECT min(segid) FROM ${segments}) < (SELECT max(segid) FROM ${segments})`,
    },
    { statements: [end] },
  ];
}

/** Ranges of identities. There are at most a thousand, even if the identities are far apart. */
function rangesOf(lowest: bigint, highest: bigint): readonly (readonly [bigint, bigint])[] {
  const share = (highest - lowest) / 1000n + 1n;
  const size = share > ROWS_PER_STEP ? share : ROWS_PER_STEP;
  const ranges: (readonly [bigint, bigint])[] = [];
  for (let from = lowest; from <= highest; from += size) ranges.push([from, from + size - 1n]);
  return ranges;
}

/** The commands before and after an index is filled. */
function fillingCommands(table: Table, one: TextTable) {
  const index = quoted(one.name);
  const isLarge = `EXISTS (SELECT 1 FROM ${quoted(table.name)} LIMIT 1 OFFSET ${MANY_ROWS})`;
  const insertFiller = (key: number, content: string) =>
    `INSERT INTO ${index}(rowid, c1) SELECT ${key}, (${content}) WHERE ${isLarge}`;
  const insertSmall = (key: number) => insertFiller(key, "SELECT 'level'");
  const deleteFillers = `DELETE FROM ${index} WHERE rowid < 0`;
  return {
    begin: [
      configure(one, 'hashsize', 64 * DEFAULTS.hashsize),
      configure(one, 'automerge', 0),
      configure(one, 'crisismerge', 1000),
      insertFiller(-1, SOME_PAGES),
      ...[-2, -3, -4, -5, -6].flatMap((key) => [insertSmall(key), mergeAll(one)]),
      deleteFillers,
    ],
    raise: [
      configure(one, 'usermerge', 2),
      configure(one, 'merge', 1),
      insertSmall(-1),
      ...Object.entries(DEFAULTS).map(([option, amount]) => configure(one, option, amount)),
    ],
    end: deleteFillers,
  };
}

function configure({ name: index }: TextTable, option: string, amount: number): string {
  return `INSERT INTO ${quoted(index)}(${quoted(index)}, rank) VALUES('${option}', ${amount})`;
}

function mergeAll({ name: index }: TextTable): string {
  return `INSERT INTO ${quoted(index)}(${quoted(index)}) VALUES('optimize')`;
}

/** Defaults of FTS5: bytes to buffer before writing a segment, and the numbers of segments that trigger merges. */
const DEFAULTS = { hashsize: 1_048_576, automerge: 4, usermerge: 4, crisismerge: 16 } as const;
const MANY_ROWS = 5000;
/** Limits of a transaction, which writes some ten megabytes to the log. */
const ROWS_PER_STEP = 50_000n;
const PAGES_PER_STEP = 4000;
const SOME_PAGES =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT group_concat(hex(i * 7919), ' ') FROM n";

/** Indexes the texts of one new row. There is no SELECT for the same reason as there is no INSERT trigger: see noteOfChanges. */
function insertTexts(
  table: Table,
  one: TextTable,
  contents: ReadonlyMap<string, Fragment>,
): Fragment {
  const texts = [table.identity, ...one.columns].map((column) => contents.get(column) ?? NULL);
  return sql`${one.into} VALUES (${list(texts)})`;
}

const NULL = sql`NULL`;

/** What follows the name of a table in the name of the table that notes its changed rows. */
export const CHANGED_ROWS = '$changed';

/**
 * A statement with triggers has its own savepoint, at which FTS5 flushes its buffer, and FTS5 also flushes if row ids do not ascend. Each
 * row would then cost as much as many. Statements that insert rows are therefore followed by one that indexes their texts; changed rows are
 * noted, and indexed in order when their notes are deleted.
 */
function noteOfChanges(table: Table): readonly string[] {
  if (table.text === undefined) return [];
  const note = quoted(table.name + CHANGED_ROWS);
  const columns = table.text.columns.map(quoted).join(', ');
  return [
    `CREATE TABLE ${note} ("identity" INTEGER PRIMARY KEY)`,
    `CREATE TRIGGER ${noteTrigger(table)} AFTER UPDATE OF ${columns} ON ${quoted(table.name)} BEGIN INSERT OR IGNORE INTO ${note} VALUES (new.${quoted(table.identity)}); END`,
  ];
}

function noteTrigger(table: Table): string {
  return quoted(`${table.name}${CHANGED_ROWS}|update`);
}

function dropNote(table: Table): readonly string[] {
  return [
    `DROP TRIGGER IF EXISTS ${noteTrigger(table)}`,
    `DROP TABLE IF EXISTS ${quoted(table.name + CHANGED_ROWS)}`,
  ];
}

function triggers(table: Table, one: TextTable): readonly string[] {
  const [own, identity] = [quoted(table.name), quoted(table.identity)];
  const index = `${fill(table, one)} FROM ${own} WHERE ${identity} = old."identity"`;
  return [
    `CREATE TRIGGER ${quoted(`${one.name}|changed`)} AFTER DELETE ON ${quoted(table.name + CHANGED_ROWS)} BEGIN ${index}; END`,
    `CREATE TRIGGER ${quoted(`${one.name}|delete`)} AFTER DELETE ON ${own} BEGIN DELETE FROM ${quoted(one.name)} WHERE rowid = old.${identity}; END`,
  ];
}
