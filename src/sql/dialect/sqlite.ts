// This file defines the dialect of SQLite 3.44 and later (concat, ->>) with the functions of sqlite-functions.ts.
import type { FunctionName } from '../../bind/expression/functions.ts';
import {
  constantText,
  EMPTY,
  type Fragment,
  integer,
  join,
  list,
  quoted,
  sql,
  text,
  word,
} from '../fragment.ts';
import { BOOLEAN, DECIMAL, FLOATING, INTEGER } from '../schema/value-storage.ts';
import type {
  Compiled,
  Dialect,
  JsonDialect,
  MemberSelection,
  Render,
  SchemaDialect,
  ValueDialect,
} from './dialect.ts';
import { JSON_CHANGES, pathText } from './sqlite-json-changes.ts';
import { TEXT_INDEX, TEXT_QUERY } from './sqlite-text-index.ts';
import { call, isList, resultOf, STANDARD_FUNCTIONS, sqlOf } from './standard-functions.ts';

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
  routines: [],
  identity: 'INTEGER PRIMARY KEY',
  generatedIdentity: 'INTEGER PRIMARY KEY',
  numbered: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  continueNumbers: () => undefined,
  keyedTable: ' WITHOUT ROWID',
  deferred: 'DEFERRABLE INITIALLY DEFERRED',
  altersTables: false,
  objectName: (name) => name,
  indexColumns: (_, { columns }) => columns.map(quoted).join(', '),
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

const NAN = text('NaN');

const values: ValueDialect = {
  same: (left, right) => sql`(${left} IS ${right})`,
  notSame: (left, right) => sql`(${left} IS NOT ${right})`,
  double: (content) => sql`CAST(${content} AS real)`,
  decimalOrder: (decimal) => sql`docket_decimal_order(${decimal})`,
  unscale: (scaled, scale) => sql`docket_unscale(${scaled}, ${integer(scale)})`,
  scale: (decimal, scale) => sql`docket_scale(${decimal}, ${integer(scale)})`,
  aggregate,
  decimal: (operator, left, right) => sql`docket_decimal(${text(operator)}, ${left}, ${right})`,
  checked: (sum) => sql`docket_integer(${sum})`,
  // Larger sums are doubles.
  boundedSum: (left, right) => sql`(${left} + ${right})`,
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

/** SQLite itself takes NaN, which is text, for 0, and makes null of INF - INF. */
function aggregate(
  method: 'sum' | 'min' | 'max',
  { sql: content, storage }: Pick<Compiled, 'sql' | 'storage'>,
  window = EMPTY,
): Fragment {
  if (storage.kind === 'decimal') {
    return sql`docket_decimal_fold(${text(method)}, json_group_array(${content})${window})`;
  }
  const plain = sql`${word(method)}(${content})${window}`;
  return method === 'sum' && storage.kind === 'floating'
    ? sql`CASE WHEN max(${content})${window} = ${NAN} THEN ${NAN} WHEN count(${content})${window} > 0 THEN coalesce(${plain}, ${NAN}) END`
    : plain;
}

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
  round: rounded('round', 'docket_round_floating'),
  floor: rounded('floor', 'docket_floor_floating'),
  ceiling: rounded('ceiling', 'docket_ceiling_floating'),
};

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
  recordsWrittenBy: 'database',
  concat,
  quote: (content) => sql`json_quote(${content})`,
  concatRows: (content) => sql`group_concat(${content}, ',')`,
  integer: (content) => content,
  floating: (content, isSingle) =>
    isSingle ? sql`docket_single(${content})` : sql`docket_number(${content})`,
  toFloating: (content) =>
    sql`CASE ${content} WHEN 'INF' THEN 9e999 WHEN '-INF' THEN -9e999 WHEN 'NaN' THEN ${NAN} ELSE ${values.double(content)} END`,
  duration,
  binary: (bytes) => sql`docket_base64url(${bytes})`,
  urlText: (content) => sql`docket_url_text(${content})`,
  escapeUrl: (url) => sql`replace(replace(${url}, '\\', '%5C'), '"', '%22')`,
  position: (positions, schedule) => sql`json_extract(${positions}, '$.s' || ${schedule})`,
  positions: (positions, alias) =>
    sql`(SELECT CAST(substr(key, 2) AS INTEGER) AS schedule, value AS now FROM json_each(${positions})) ${alias}`,
  items: (array, alias) => sql`json_each(${array}) ${alias}`,
  item: (alias) => sql`${alias}.value`,
  itemJson: (alias) =>
    sql`(CASE ${alias}.type WHEN 'null' THEN 'null' WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'text' THEN json_quote(${alias}.value) WHEN 'integer' THEN iif(typeof(${alias}.value) = 'integer', ${alias}.value, ${alias}.json -> ${alias}.fullkey) WHEN 'real' THEN ${alias}.json -> ${alias}.fullkey ELSE ${alias}.value END)`,
  itemIndex: (alias) => sql`${alias}.key`,
  typed: (content) => content,
  enumInteger: (names) => sql`CAST(${names} AS integer)`,
  valueOf: (content) => sql`(${content} ->> '$')`,
  member: (object, path) => sql`(${object} ->> ${text(pathText(path))})`,
  memberJson: (object, path) => sql`(${object} -> ${text(pathText(path))})`,
  withoutMembers: (object, names) =>
    sql`json_remove(${object}, ${list(names.map((own) => text(pathText([own]))))})`,
  token: (keys) => sql`hex(json_array(${list(keys.map(tokenValue))}))`,
  kind: (content) => sql`json_type(${content})`,
  rewrite,
  members,
  change: JSON_CHANGES,
};

/** SQLite writes only 15 digits of a double in JSON, which would skip or repeat rows. */
function tokenValue({ sql: content, storage }: Pick<Compiled, 'sql' | 'storage'>): Fragment {
  return storage.kind === 'floating' ? sql`json(docket_number(${content}))` : content;
}

function rewrite(document: Fragment, rules: string): Fragment {
  return sql`docket_rewrite(${document}, ${text(rules)})`;
}

function members(
  stored: Fragment,
  { only, except = [] }: MemberSelection,
  rules: string | undefined,
): readonly Fragment[] {
  const object = rules === undefined ? stored : rewrite(stored, rules);
  if (only !== undefined) {
    return only.map(
      (name) =>
        sql`(${text(`,${JSON.stringify(name)}:`)} || (${object} -> ${text(pathText([name]))}))`,
    );
  }
  if (except.length === 0) {
    const inside = sql`substr(${object}, 2, length(${object}) - 2)`;
    return [sql`CASE WHEN length(${object}) > 2 THEN ',' || ${inside} END`];
  }
  return [
    sql`(SELECT group_concat(concat(',', json_quote(m.key), ':', ${object} -> m.fullkey), '') FROM json_each(${object}) m WHERE m.key NOT IN (${list(except.map(text))}))`,
  ];
}

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
  returnsInserted: false,
  numbersKeys: true,
  unindexed: (content) => sql`+${content}`,
  isAmong: (content, query) => sql`${content} IN (${query})`,
  isOneOfMany: (content, unpacked) => sql`${content} IN ${unpacked}`,
  hasRows: (query) => sql`EXISTS (${query})`,
  placeholder: () => '?',
  // With statistics, SQLite prepares a statement again for each value of a parameter in a condition, but not in an expression.
  hiddenPlaceholder: () => '+?',
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
