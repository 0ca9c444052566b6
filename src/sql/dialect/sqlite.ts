// This file defines the dialect of SQLite 3.44 and later (concat, ->>) with the functions of sqlite-functions.ts.
import type { FunctionName } from '../../bind/expression/functions.ts';
import { constantText, type Fragment, integer, join, list, sql, text, word } from '../fragment.ts';
import {
  BOOLEAN,
  DECIMAL,
  FLOATING,
  INTEGER,
  JSON_TEXT,
  type Storage,
  TEXT,
} from '../schema/value-storage.ts';
import type {
  Compiled,
  Dialect,
  JsonDialect,
  Render,
  SchemaDialect,
  ValueDialect,
} from './dialect.ts';
import { JSON_CHANGES, pathText } from './sqlite-json-changes.ts';
import { TEXT_INDEX, TEXT_QUERY } from './sqlite-text-index.ts';
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
  numbered: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  keyedTable: ' WITHOUT ROWID',
  deferred: 'DEFERRABLE INITIALLY DEFERRED',
  ...TEXT_INDEX,
  mayAdd: (column) =>
    (!column.notNull || column.default !== undefined) &&
    (column.references === undefined || column.default === undefined),
};

/** SQLite itself has no NaN: it would take the text for 0, and make null of INF - INF. */
const FLOATING_FUNCTIONS = {
  add: 'docket_add_floating',
  sub: 'docket_subtract_floating',
  mul: 'docket_multiply_floating',
  div: 'docket_divide_floating',
  mod: 'docket_modulo_floating',
} as const;

const REAL = word('real');
const WHOLE = word('integer');
const NAN = text('NaN');

const values: ValueDialect = {
  same: (left, right) => sql`(${left} IS ${right})`,
  notSame: (left, right) => sql`(${left} IS NOT ${right})`,
  cast: (content, to) => sql`CAST(${content} AS ${to === 'floating' ? REAL : WHOLE})`,
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

const plain =
  (storage: Storage, functionName: string): Render =>
  (...operands) =>
    resultOf(operands, storage, call(functionName, ...operands));

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
  tolower: plain(TEXT, 'docket_lower'),
  toupper: plain(TEXT, 'docket_upper'),
  trim: plain(TEXT, 'docket_trim'),
  concat: (left, right) =>
    isList(left)
      ? resultOf([left, right], JSON_TEXT, call('docket_json_concat', left, right))
      : STANDARD_FUNCTIONS.concat(left, right),
  matchespattern: plain(BOOLEAN, 'docket_matches'),
  hassubset: plain(BOOLEAN, 'docket_has_subset'),
  hassubsequence: plain(BOOLEAN, 'docket_has_subsequence'),
  round: rounded('round', 'docket_round_floating'),
  floor: rounded('floor', 'docket_floor_floating'),
  ceiling: rounded('ceiling', 'docket_ceiling_floating'),
  'geo.distance': (left, right) =>
    resultOf(
      [left, right],
      FLOATING,
      sql`docket_geo_distance(${family(left)}, ${sqlOf(left)}, ${sqlOf(right)})`,
    ),
  'geo.intersects': plain(BOOLEAN, 'docket_geo_intersects'),
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
  concat,
  quote: (content) => sql`json_quote(${content})`,
  concatRows: (content) => sql`group_concat(${content}, ',')`,
  floating: (content) => sql`docket_number(${content})`,
  toFloating: (content) =>
    sql`CASE ${content} WHEN 'INF' THEN 9e999 WHEN '-INF' THEN -9e999 WHEN 'NaN' THEN ${NAN} ELSE ${values.cast(content, 'floating')} END`,
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
  member: (object, path) => sql`(${object} ->> ${text(pathText(path))})`,
  memberJson: (object, path) => sql`(${object} -> ${text(pathText(path))})`,
  token: (keys) => sql`hex(json_array(${list(keys)}))`,
  kind: (content) => sql`json_type(${content})`,
  rewrite: (content, rules) => sql`docket_rewrite(${content}, ${text(rules)})`,
  members: (object, except) =>
    sql`(SELECT group_concat(concat(',', json_quote(m.key), ':', ${object} -> m.fullkey), '') FROM json_each(${object}) m${
      except.length === 0 ? sql`` : sql` WHERE m.key NOT IN (${list(except.map(text))})`
    })`,
  change: JSON_CHANGES,
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
  literal: { true: sql`1`, false: sql`0`, nan: NAN, emptyBinary: sql`x''` },
  schema,
  values,
  functions,
  json,
  text: TEXT_QUERY,
};
