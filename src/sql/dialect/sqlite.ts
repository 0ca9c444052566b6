// This file is the dialect of SQLite 3.44 and later (concat, ->>), with the functions of sqlite-functions.ts registered. Text indexes
// are contentless FTS5 tables kept by triggers: their own columns are called c1, c2, … since FTS5 reserves names that a property
// may have.
import type { FunctionName } from '../../bind/expression/functions.ts';
import { type Fragment, integer, join, list, name, sql, text, word } from '../fragment.ts';
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
import { made, STANDARD_FUNCTIONS, sqlOf } from './standard-functions.ts';

/** More arguments than this are given to concat in nested calls; SQLite takes a thousand. */
const MOST_ARGUMENTS = 900;

/** How values are handed to the driver: booleans are 0 and 1 there, and NaN is a text. */
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
  fillTextIndex: (table) => textTables(table).flatMap((one) => fillAtOnce(table, one)),
  indexTexts: (table, contents) => textTables(table).map((one) => entry(table, one, contents)),
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
 * There is none for INSERT: a statement with triggers has a savepoint of its own, at which FTS5 writes out all that it holds back, so
 * that every new row would cost as much as a hundred. Whoever inserts a row indexes its texts.
 */
const EVENTS = ['update', 'delete'] as const;

const textTablesByTable = new WeakMap<Table, readonly TextTable[]>();

function textTables(table: Table): readonly TextTable[] {
  const known = textTablesByTable.get(table) ?? makeTextTables(table);
  textTablesByTable.set(table, known);
  return known;
}

function makeTextTables(table: Table): readonly TextTable[] {
  if (table.text === undefined) return [];
  const { words, grams, columns } = table.text;
  const own = columns.map((_, index) => `c${index + 1}`).join(', ');
  const make = (called: string, tokenizer: string): TextTable => ({
    name: called,
    columns,
    create: `CREATE VIRTUAL TABLE ${quoted(called)} USING fts5(${own}, tokenize='${tokenizer}', content='', contentless_delete=1)`,
    into: intoText(called, columns),
  });
  return [make(words, 'unicode61 remove_diacritics 2'), make(grams, 'trigram')];
}

function intoText(called: string, columns: readonly string[]): Fragment {
  const own = ['rowid', ...columns.map((_, index) => `c${index + 1}`)].map(name);
  return sql`INSERT OR REPLACE INTO ${name(called)} (${list(own)})`;
}

/** An INSERT of the indexed columns out of whatever stands behind it. */
function fill(table: Table, one: TextTable, prefix = ''): string {
  const own = one.columns.map((_, index) => `c${index + 1}`);
  const from = [table.identity, ...one.columns].map((column) => prefix + quoted(column));
  return `INSERT OR REPLACE INTO ${quoted(one.name)}(rowid, ${own.join(', ')}) SELECT ${from.join(', ')}`;
}

/**
 * Fills an empty index so that its rows are in one segment, which answers up to ten times as fast as ten. Where there are many rows that
 * segment must not lie on a low level: FTS5 would merge it with the next few that are written, which takes seconds in the middle of a
 * deed. Segments are put on the level above all there ever were when all of them are merged, unless they are on one level already: a
 * segment of some pages is merged with small ones time and again beforehand, and the filled ones when some pages of them have
 * been merged. All of it are commands of FTS5 that change nothing of what is found. SQLite, "FTS5", "Special INSERT Commands".
 */
function fillAtOnce(table: Table, one: TextTable): readonly string[] {
  const index = quoted(one.name);
  const tell = (option: string, amount: number) =>
    `INSERT INTO ${index}(${index}, rank) VALUES('${option}', ${amount})`;
  const mergeAll = `INSERT INTO ${index}(${index}) VALUES('optimize')`;
  const isLarge = `EXISTS (SELECT 1 FROM ${quoted(table.name)} LIMIT 1 OFFSET ${MANY_ROWS})`;
  const entry = (key: number, content: string) =>
    `INSERT INTO ${index}(rowid, c1) SELECT ${key}, (${content}) WHERE ${isLarge}`;
  const small = (key: number) => entry(key, "SELECT 'level'");
  const withoutOthers = `DELETE FROM ${index} WHERE rowid < 0`;
  return [
    tell('hashsize', 64 * DEFAULTS.hashsize),
    tell('automerge', 0),
    tell('crisismerge', 1000),
    entry(-1, SOME_PAGES),
    ...[-2, -3, -4, -5, -6].flatMap((key) => [small(key), mergeAll]),
    withoutOthers,
    `${fill(table, one)} FROM ${quoted(table.name)}`,
    tell('usermerge', 2),
    tell('merge', 1),
    small(-1),
    ...Object.entries(DEFAULTS).map(([option, amount]) => tell(option, amount)),
    mergeAll,
    withoutOthers,
  ];
}

/** What FTS5 does by itself: bytes that it holds back before it writes out a segment, and how many segments it merges when. */
const DEFAULTS = { hashsize: 1_048_576, automerge: 4, usermerge: 4, crisismerge: 16 } as const;
const MANY_ROWS = 5000;
const SOME_PAGES =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT group_concat(hex(i * 7919), ' ') FROM n";

/** The texts of one new row. The statement has no SELECT, for the reason that there is no trigger. */
function entry(table: Table, one: TextTable, contents: ReadonlyMap<string, Fragment>): Fragment {
  const texts = [table.identity, ...one.columns].map((column) => contents.get(column) ?? NOTHING);
  return sql`${one.into} VALUES (${list(texts)})`;
}

const NOTHING = sql`NULL`;

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
  countDistinct: (arrays) => sql`docket_count_distinct(json_group_array(${arrays}))`,
  decimal: (operator, left, right) => sql`docket_decimal(${text(operator)}, ${left}, ${right})`,
  checked: (sum) => sql`docket_integer(${sum})`,
  divideInteger: (operator, left, right) =>
    sql`${word(operator === 'div' ? 'docket_divide' : 'docket_modulo')}(${left}, ${right})`,
  floating: (operator, left, right) =>
    sql`${word(FLOATING_FUNCTIONS[operator])}(${left}, ${right})`,
  move: (start, nanoseconds, digits, backwards) =>
    sql`docket_move(${start}, ${backwards ? sql`-(${nanoseconds})` : nanoseconds}, ${integer(digits ?? -1)})`,
  between: (end, start) => sql`docket_between(${end}, ${start})`,
  stretch: (operator, duration, by) => sql`docket_stretch(${text(operator)}, ${duration}, ${by})`,
  unpack: (json) => sql`(SELECT value FROM json_each(${json}))`,
  convert: (content, from, to) => sql`docket_convert(${content}, ${text(from)}, ${text(to)})`,
  lower: (content) => sql`docket_lower(${content})`,
  position: (content, part) => sql`instr(${content}, ${part})`,
  // Null is the least of all values in SQLite as it is in OData.
  order: (content, descending) => (descending ? sql`${content} DESC` : content),
};

/** Collections are kept as JSON. */
function isList(content: Compiled | undefined): boolean {
  return content?.storage.kind === 'json';
}

const call = (called: string, ...given: readonly (Compiled | undefined)[]): Fragment =>
  sql`${word(called)}(${list(given.map(sqlOf))})`;

const rounded =
  (decimal: 'round' | 'floor' | 'ceiling', floating: string): Render =>
  (content) =>
    content?.storage.kind === 'floating'
      ? made([content], FLOATING, call(floating, content))
      : made([content], DECIMAL, sql`docket_decimal_round(${text(decimal)}, ${sqlOf(content)})`);

const functions: Readonly<Record<FunctionName, Render>> = {
  ...STANDARD_FUNCTIONS,
  startswith: (content, part) =>
    isList(content)
      ? made([content, part], BOOLEAN, call('docket_list_starts', content, part))
      : STANDARD_FUNCTIONS.startswith(content, part),
  contains: (content, part) =>
    made(
      [content, part],
      BOOLEAN,
      isList(content)
        ? sql`(${call('docket_list_index', content, part)} >= 0)`
        : sql`(${call('instr', content, part)} > 0)`,
    ),
  // The last 0 characters of a text are, to substr, the whole text.
  endswith: (content, part) =>
    made(
      [content, part],
      BOOLEAN,
      isList(content)
        ? call('docket_list_ends', content, part)
        : sql`(substr(${sqlOf(content)}, -length(${sqlOf(part)})) = ${sqlOf(part)} OR (${sqlOf(part)} = '' AND ${sqlOf(content)} IS NOT NULL))`,
    ),
  length: (content) =>
    made([content], INTEGER, call(isList(content) ? 'json_array_length' : 'length', content)),
  indexof: (content, part) =>
    made(
      [content, part],
      INTEGER,
      isList(content)
        ? call('docket_list_index', content, part)
        : sql`(${call('instr', content, part)} - 1)`,
    ),
  substring: (...given) =>
    isList(given[0])
      ? made(given, JSON_TEXT, call('docket_list_part', ...given))
      : made(given, TEXT, call('docket_substring', ...given)),
  tolower: (content) => made([content], TEXT, call('docket_lower', content)),
  toupper: (content) => made([content], TEXT, call('docket_upper', content)),
  trim: (content) => made([content], TEXT, call('docket_trim', content)),
  concat: (left, right) =>
    isList(left)
      ? made([left, right], JSON_TEXT, call('docket_json_concat', left, right))
      : STANDARD_FUNCTIONS.concat(left, right),
  matchespattern: (content, pattern) =>
    made([content, pattern], BOOLEAN, call('docket_matches', content, pattern)),
  hassubset: (all, part) => made([all, part], BOOLEAN, call('docket_has_subset', all, part)),
  hassubsequence: (all, part) =>
    made([all, part], BOOLEAN, call('docket_has_subsequence', all, part)),
  round: rounded('round', 'docket_round_floating'),
  floor: rounded('floor', 'docket_floor_floating'),
  ceiling: rounded('ceiling', 'docket_ceiling_floating'),
  'geo.distance': (left, right) =>
    made(
      [left, right],
      FLOATING,
      sql`docket_geo_distance(${family(left)}, ${sqlOf(left)}, ${sqlOf(right)})`,
    ),
  'geo.intersects': (point, area) =>
    made([point, area], BOOLEAN, call('docket_geo_intersects', point, area)),
  'geo.length': (line) =>
    made([line], FLOATING, sql`docket_geo_length(${family(line)}, ${sqlOf(line)})`),
};

function family(content: Compiled | undefined): Fragment {
  return text(content?.storage.kind === 'geo' ? content.storage.family : 'geography');
}

/**
 * The text of a duration. A call out of SQLite costs a multiple of what SQLite does by itself: a column's null, and hours and minutes
 * below a day, which most durations are, are written in place.
 */
function duration(nanoseconds: Fragment): Fragment {
  const isColumn = /^"\w+"\."[^"]*"$/.test(nanoseconds.texts.join('?'));
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
  gather: (content) => sql`group_concat(${content}, ',')`,
  floating: (content) => sql`docket_number(${content})`,
  duration,
  binary: (bytes) => sql`docket_base64url(${bytes})`,
  urlText: (content) => sql`docket_url_text(${content})`,
  harmless: (url) => sql`replace(replace(${url}, '\\', '%5C'), '"', '%22')`,
  items: (array, alias) => sql`json_each(${array}) ${alias}`,
  item: (alias) => sql`${alias}.value`,
  itemJson: (alias) =>
    sql`(CASE ${alias}.type WHEN 'null' THEN 'null' WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'text' THEN json_quote(${alias}.value) WHEN 'real' THEN ${alias}.json -> ${alias}.fullkey ELSE ${alias}.value END)`,
  itemIndex: (alias) => sql`${alias}.key`,
  gatherValues: (content) => sql`json_group_array(${content})`,
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
  if (pieces.length <= MOST_ARGUMENTS) return sql`concat(${join(pieces, ',')})`;
  const groups: Fragment[] = [];
  for (let at = 0; at < pieces.length; at += MOST_ARGUMENTS) {
    groups.push(concat(pieces.slice(at, at + MOST_ARGUMENTS)));
  }
  return concat(groups);
}

/** FTS5, "FTS5 Strings": in double quotes nothing but a double quote means anything. */
function phrase(words: string): string {
  return `"${words.replaceAll('"', '""')}"`;
}

/** A path of member names, quoted as JSON strings so that dots and brackets in a name are part of it. */
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
    // SQLite takes the tables of a CROSS JOIN in the order in which they are written.
    walk: (index, query) => ({
      from: sql`${name(index)} CROSS JOIN `,
      condition: sql`${name(index)} MATCH ${query}`,
      identity: sql`${name(index)}.rowid`,
    }),
  },
};
