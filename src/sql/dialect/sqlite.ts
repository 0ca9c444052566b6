// This file defines the dialect of SQLite 3.44 and later (concat, ->>) with the functions of sqlite-functions.ts. Text indexes are
// contentless FTS5 tables, which triggers update. Their columns are c1, c2, …, because FTS5 reserves names that a property may have.
import type { FunctionName } from '../../bind/expression/functions.ts';
import {
  constantText,
  type Fragment,
  integer,
  join,
  list,
  name,
  sql,
  text,
  word,
} from '../fragment.ts';
import { quoted } from '../schema/ddl.ts';
import type { Table } from '../schema/layout.ts';
import { BOOLEAN, DECIMAL, FLOATING, INTEGER, JSON_TEXT, TEXT } from '../schema/value-storage.ts';
import type {
  Compiled,
  Dialect,
  JsonDialect,
  Render,
  SchemaDialect,
  ValueDialect,
} from './dialect.ts';
import { resultOf, STANDARD_FUNCTIONS, sqlOf } from './standard-functions.ts';

/** Calls of concat with more arguments are nested; SQLite accepts 1000. */
const MAX_ARGUMENTS = 900;

/** A value as the driver accepts it: booleans become 0 or 1, NaN becomes text. */
export function toSqlite(
  content: null | boolean | bigint | number | string | Uint8Array,
): null | bigint | number | string | Uint8Array {
  if (typeof content === 'boolean') return content ? 1n : 0n;
  return typeof content === 'number' && Number.isNaN(content) ? 'NaN' : content;
}

const schema: SchemaDialect = {
  identity: 'INTEGER PRIMARY KEY',
  keyedTable: ' WITHOUT ROWID',
  deferred: 'DEFERRABLE INITIALLY DEFERRED',
  textIndex: (table) => textTables(table).flatMap((one) => [one.create, ...triggers(table, one)]),
  fillTextIndex: (table) => textTables(table).flatMap((one) => fillInOneSegment(table, one)),
  indexTexts: (table, contents) =>
    textTables(table).map((one) => insertTexts(table, one, contents)),
  indexTextsOfRows: (table, condition) =>
    textTables(table).map((one) => {
      const texts = list([table.identity, ...one.columns].map(name));
      return sql`${one.into} SELECT ${texts} FROM ${name(table.name)} WHERE ${condition}`;
    }),
  dropTextIndex: (table) =>
    textTables(table).flatMap((one) => [
      ...EVENTS.map((event) => `DROP TRIGGER IF EXISTS ${quoted(`${one.name}|${event}`)}`),
      `DROP TABLE IF EXISTS ${quoted(one.name)}`,
    ]),
  mayAdd: (column) =>
    (!column.notNull || column.default !== undefined) &&
    (column.references === undefined || column.default === undefined),
};

interface TextTable {
  readonly name: string;
  readonly create: string;
  readonly columns: readonly string[];
  /** `INSERT OR REPLACE INTO "…" (rowid, c1)`. */
  readonly into: Fragment;
}

/**
 * No INSERT trigger: a statement with triggers has its own savepoint, at which FTS5 flushes its buffer. Each new row would then cost as
 * much as a hundred. Statements that insert rows are followed by one that indexes their texts.
 */
const EVENTS = ['update', 'delete'] as const;

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
    into: insertInto(index, columns),
  });
  return [make(words, 'unicode61 remove_diacritics 2'), make(grams, 'trigram')];
}

function insertInto(index: string, columns: readonly string[]): Fragment {
  const ftsColumns = ['rowid', ...columns.map((_, at) => `c${at + 1}`)].map(name);
  return sql`INSERT OR REPLACE INTO ${name(index)} (${list(ftsColumns)})`;
}

/** An INSERT … SELECT of the indexed columns, to be followed by FROM. */
function fill(table: Table, one: TextTable, prefix = ''): string {
  const ftsColumns = one.columns.map((_, index) => `c${index + 1}`);
  const from = [table.identity, ...one.columns].map((column) => prefix + quoted(column));
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
  const index = quoted(one.name);
  const configure = (option: string, amount: number) =>
    `INSERT INTO ${index}(${index}, rank) VALUES('${option}', ${amount})`;
  const mergeAll = `INSERT INTO ${index}(${index}) VALUES('optimize')`;
  const isLarge = `EXISTS (SELECT 1 FROM ${quoted(table.name)} LIMIT 1 OFFSET ${MANY_ROWS})`;
  const insertFiller = (key: number, content: string) =>
    `INSERT INTO ${index}(rowid, c1) SELECT ${key}, (${content}) WHERE ${isLarge}`;
  const insertSmall = (key: number) => insertFiller(key, "SELECT 'level'");
  const deleteFillers = `DELETE FROM ${index} WHERE rowid < 0`;
  return [
    configure('hashsize', 64 * DEFAULTS.hashsize),
    configure('automerge', 0),
    configure('crisismerge', 1000),
    insertFiller(-1, SOME_PAGES),
    ...[-2, -3, -4, -5, -6].flatMap((key) => [insertSmall(key), mergeAll]),
    deleteFillers,
    `${fill(table, one)} FROM ${quoted(table.name)}`,
    configure('usermerge', 2),
    configure('merge', 1),
    insertSmall(-1),
    ...Object.entries(DEFAULTS).map(([option, amount]) => configure(option, amount)),
    mergeAll,
    deleteFillers,
  ];
}

/** Defaults of FTS5: bytes to buffer before writing a segment, and the numbers of segments that trigger merges. */
const DEFAULTS = { hashsize: 1_048_576, automerge: 4, usermerge: 4, crisismerge: 16 } as const;
const MANY_ROWS = 5000;
const SOME_PAGES =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT group_concat(hex(i * 7919), ' ') FROM n";

/** Indexes the texts of one new row. There is no SELECT for the same reason as there is no INSERT trigger. */
function insertTexts(
  table: Table,
  one: TextTable,
  contents: ReadonlyMap<string, Fragment>,
): Fragment {
  const texts = [table.identity, ...one.columns].map((column) => contents.get(column) ?? NULL);
  return sql`${one.into} VALUES (${list(texts)})`;
}

const NULL = sql`NULL`;

function triggers(table: Table, one: TextTable): readonly string[] {
  const columns = one.columns.map(quoted).join(', ');
  const actions = {
    update: [`UPDATE OF ${columns}`, fill(table, one, 'new.')],
    delete: [
      'DELETE',
      `DELETE FROM ${quoted(one.name)} WHERE rowid = old.${quoted(table.identity)}`,
    ],
  } as const;
  return EVENTS.map((event) => {
    const [when, action] = actions[event];
    return `CREATE TRIGGER ${quoted(`${one.name}|${event}`)} AFTER ${when} ON ${quoted(table.name)} BEGIN ${action}; END`;
  });
}

/** SQLite itself has no NaN: it would take the text for 0, and make null of INF - INF. */
const FLOATING_FUNCTIONS = {
  add: 'docket_add_floating',
  sub: 'docket_subtract_floating',
  mul: 'docket_multiply_floating',
  div: 'docket_divide_floating',
  mod: 'docket_modulo_floating',
} as const;

const values: ValueDialect = {
  same: (left, right) => sql`(${left} IS ${right})`,
  notSame: (left, right) => sql`(${left} IS NOT ${right})`,
  decimalOrder: (decimal) => sql`docket_decimal_order(${decimal})`,
  unscale: (scaled, scale) => sql`docket_unscale(${scaled}, ${integer(scale)})`,
  scale: (decimal, scale) => sql`docket_scale(${decimal}, ${integer(scale)})`,
  foldDecimals: (method, decimal) =>
    sql`docket_decimal_fold(${text(method)}, json_group_array(${decimal}))`,
  decimal: (operator, left, right) => sql`docket_decimal(${text(operator)}, ${left}, ${right})`,
  checked: (sum) => sql`docket_integer(${sum})`,
  divideInteger: (operator, left, right) =>
    sql`${word(operator === 'div' ? 'docket_divide' : 'docket_modulo')}(${left}, ${right})`,
  floating: (operator, left, right) =>
    sql`${word(FLOATING_FUNCTIONS[operator])}(${left}, ${right})`,
  shiftTime: (start, nanoseconds, digits, backwards) =>
    sql`docket_move(${start}, ${backwards ? sql`-(${nanoseconds})` : nanoseconds}, ${integer(digits ?? -1)})`,
  timeDifference: (end, start) => sql`docket_between(${end}, ${start})`,
  scaleDuration: (operator, duration, by) =>
    sql`docket_stretch(${text(operator)}, ${duration}, ${by})`,
  unpack: (json) => sql`(SELECT value FROM json_each(${json}))`,
  convert: (content, from, to) => sql`docket_convert(${content}, ${text(from)}, ${text(to)})`,
  lower: (content) => sql`docket_lower(${content})`,
  position: (content, part) => sql`instr(${content}, ${part})`,
  // SQLite sorts null before all other values, as OData does.
  order: (content, descending) => (descending ? sql`${content} DESC` : content),
};

/** Whether the value is a collection; collections are stored as JSON. */
function isList(content: Compiled | undefined): boolean {
  return content?.storage.kind === 'json';
}

const call = (functionName: string, ...values: readonly (Compiled | undefined)[]): Fragment =>
  sql`${word(functionName)}(${list(values.map(sqlOf))})`;

const rounded =
  (decimal: 'round' | 'floor' | 'ceiling', floating: string): Render =>
  (content) =>
    content?.storage.kind === 'floating'
      ? resultOf([content], FLOATING, call(floating, content))
      : resultOf(
          [content],
          DECIMAL,
          sql`docket_decimal_round(${text(decimal)}, ${sqlOf(content)})`,
        );

const functions: Readonly<Record<FunctionName, Render>> = {
  ...STANDARD_FUNCTIONS,
  startswith: (content, part) =>
    isList(content)
      ? resultOf([content, part], BOOLEAN, call('docket_list_starts', content, part))
      : STANDARD_FUNCTIONS.startswith(content, part),
  contains: (content, part) =>
    resultOf(
      [content, part],
      BOOLEAN,
      isList(content)
        ? sql`(${call('docket_list_index', content, part)} >= 0)`
        : sql`(${call('instr', content, part)} > 0)`,
    ),
  // substr returns the whole text instead of its last 0 characters.
  endswith: (content, part) =>
    resultOf(
      [content, part],
      BOOLEAN,
      isList(content)
        ? call('docket_list_ends', content, part)
        : sql`(substr(${sqlOf(content)}, -length(${sqlOf(part)})) = ${sqlOf(part)} OR (${sqlOf(part)} = '' AND ${sqlOf(content)} IS NOT NULL))`,
    ),
  length: (content) =>
    resultOf([content], INTEGER, call(isList(content) ? 'json_array_length' : 'length', content)),
  indexof: (content, part) =>
    resultOf(
      [content, part],
      INTEGER,
      isList(content)
        ? call('docket_list_index', content, part)
        : sql`(${call('instr', content, part)} - 1)`,
    ),
  substring: (...operands) =>
    isList(operands[0])
      ? resultOf(operands, JSON_TEXT, call('docket_list_part', ...operands))
      : resultOf(operands, TEXT, call('docket_substring', ...operands)),
  tolower: (content) => resultOf([content], TEXT, call('docket_lower', content)),
  toupper: (content) => resultOf([content], TEXT, call('docket_upper', content)),
  trim: (content) => resultOf([content], TEXT, call('docket_trim', content)),
  concat: (left, right) =>
    isList(left)
      ? resultOf([left, right], JSON_TEXT, call('docket_json_concat', left, right))
      : STANDARD_FUNCTIONS.concat(left, right),
  matchespattern: (content, pattern) =>
    resultOf([content, pattern], BOOLEAN, call('docket_matches', content, pattern)),
  hassubset: (all, part) => resultOf([all, part], BOOLEAN, call('docket_has_subset', all, part)),
  hassubsequence: (all, part) =>
    resultOf([all, part], BOOLEAN, call('docket_has_subsequence', all, part)),
  round: rounded('round', 'docket_round_floating'),
  floor: rounded('floor', 'docket_floor_floating'),
  ceiling: rounded('ceiling', 'docket_ceiling_floating'),
  'geo.distance': (left, right) =>
    resultOf(
      [left, right],
      FLOATING,
      sql`docket_geo_distance(${family(left)}, ${sqlOf(left)}, ${sqlOf(right)})`,
    ),
  'geo.intersects': (point, area) =>
    resultOf([point, area], BOOLEAN, call('docket_geo_intersects', point, area)),
  'geo.length': (line) =>
    resultOf([line], FLOATING, sql`docket_geo_length(${family(line)}, ${sqlOf(line)})`),
};

function family(content: Compiled | undefined): Fragment {
  return text(content?.storage.kind === 'geo' ? content.storage.family : 'geography');
}

/**
 * The text of a duration. A call to a registered function is much slower than SQL, so that null and whole minutes of less than a day,
 * the most frequent durations, are written in SQL.
 */
function duration(nanoseconds: Fragment): Fragment {
  const isColumn = /^"\w+"\."[^"]*"$/.test(constantText(nanoseconds) ?? '');
  if (!isColumn) return sql`docket_duration(${nanoseconds})`;
  const [minute, day] = [integer(60_000_000_000n), integer(86_400_000_000_000n)];
  const minutes = sql`${nanoseconds} / ${minute}`;
  const isPlain = sql`${nanoseconds} > 0 AND ${nanoseconds} < ${day} AND ${nanoseconds} % ${minute} = 0`;
  const hours = sql`iif(${minutes} < 60, '', (${minutes} / 60) || 'H')`;
  const rest = sql`iif((${minutes}) % 60 = 0, '', ((${minutes}) % 60) || 'M')`;
  return sql`CASE WHEN ${nanoseconds} IS NULL THEN NULL WHEN ${isPlain} THEN 'PT' || ${hours} || ${rest} ELSE docket_duration(${nanoseconds}) END`;
}

const json: JsonDialect = {
  concat: (pieces) => concat(pieces),
  quote: (content) => sql`json_quote(${content})`,
  concatRows: (content) => sql`group_concat(${content}, ',')`,
  floating: (content) => sql`docket_number(${content})`,
  duration,
  binary: (bytes) => sql`docket_base64url(${bytes})`,
  urlText: (content) => sql`docket_url_text(${content})`,
  escapeUrl: (url) => sql`replace(replace(${url}, '\\', '%5C'), '"', '%22')`,
  items: (array, alias) => sql`json_each(${array}) ${alias}`,
  item: (alias) => sql`${alias}.value`,
  itemJson: (alias) =>
    sql`(CASE ${alias}.type WHEN 'null' THEN 'null' WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'text' THEN json_quote(${alias}.value) WHEN 'real' THEN ${alias}.json -> ${alias}.fullkey ELSE ${alias}.value END)`,
  itemIndex: (alias) => sql`${alias}.key`,
  valueOf: (content) => sql`(${content} ->> '$')`,
  member: (object, path) => sql`(${object} ->> ${jsonPath(path)})`,
  memberJson: (object, path) => sql`(${object} -> ${jsonPath(path)})`,
  token: (keys) => sql`hex(json_array(${list(keys)}))`,
  kind: (content) => sql`json_type(${content})`,
  rewrite: (content, rules) => sql`docket_rewrite(${content}, ${text(rules)})`,
  members: (object, except) =>
    sql`(SELECT group_concat(concat(',', json_quote(m.key), ':', ${object} -> m.fullkey), '') FROM json_each(${object}) m${
      except.length === 0 ? sql`` : sql` WHERE m.key NOT IN (${list(except.map(text))})`
    })`,
};

function concat(pieces: readonly Fragment[]): Fragment {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return sql`concat(${only})`;
  if (pieces.length <= MAX_ARGUMENTS) return sql`concat(${join(pieces, ',')})`;
  const groups: Fragment[] = [];
  for (let at = 0; at < pieces.length; at += MAX_ARGUMENTS) {
    groups.push(concat(pieces.slice(at, at + MAX_ARGUMENTS)));
  }
  return concat(groups);
}

/** In an FTS5 string, only the double quote is special. SQLite, "FTS5", "FTS5 Strings". */
function phrase(words: string): string {
  return `"${words.replaceAll('"', '""')}"`;
}

/** A path of member names, quoted as JSON strings so that names may contain dots and brackets. */
function jsonPath(path: readonly string[]): Fragment {
  return text(`$${path.map((step) => `.${JSON.stringify(step)}`).join('')}`);
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  columnTypes: {
    boolean: 'INTEGER',
    integer: 'INTEGER',
    floating: 'REAL',
    decimal: 'TEXT',
    text: 'TEXT',
    duration: 'INTEGER',
    binary: 'BLOB',
    geo: 'TEXT',
    json: 'TEXT',
    scaled: 'INTEGER',
    temporal: 'TEXT',
  },
  schema,
  values,
  functions,
  json,
  text: {
    word: (words) => `${phrase(words)}*`,
    phrase,
    all: (queries) => `(${queries.join(' AND ')})`,
    any: (queries) => `(${queries.join(' OR ')})`,
    part: (words, at) => `{c${at + 1}} : ${phrase(words)}`,
    matching: (index, query) =>
      sql`SELECT rowid FROM ${name(index)} WHERE ${name(index)} MATCH ${query}`,
    // SQLite never reorders the tables of a CROSS JOIN.
    walk: (index, query) => ({
      from: sql`${name(index)} CROSS JOIN `,
      condition: sql`${name(index)} MATCH ${query}`,
      identity: sql`${name(index)}.rowid`,
    }),
  },
};
