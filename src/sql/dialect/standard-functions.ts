// This file renders the canonical functions that are the same in every database: plain SQL over the canonical forms of values, and
// calls of SQL functions that every database gets. A dialect adds the others. OData 4.01 URL Conventions, "Canonical Functions".
import { Fault } from '../../base/fault.ts';
import type { FunctionName } from '../../bind/expression/functions.ts';
import {
  type Fragment,
  hasMorePieces,
  integer,
  list,
  parameter,
  sql,
  text,
  word,
} from '../fragment.ts';
import {
  BOOLEAN,
  FLOATING,
  INTEGER,
  JSON_TEXT,
  type Storage,
  TEXT,
} from '../schema/value-storage.ts';
import type { Compiled, Render } from './dialect.ts';
import type { GeoFamily } from './geo-math.ts';

/** The functions that a dialect does not need to render itself. */
export const STANDARD_FUNCTIONS = {
  startswith: (content, prefix) =>
    resultOf(
      [content, prefix],
      BOOLEAN,
      sql`(substr(${sqlOf(content)}, 1, length(${sqlOf(prefix)})) = ${sqlOf(prefix)})`,
    ),
  concat: (left, right) =>
    isList(left)
      ? resultOf([left, right], JSON_TEXT, call('docket_json_concat', left, right))
      : resultOf([left, right], TEXT, joined(left, right)),
  substring: (...operands) =>
    isList(operands[0])
      ? resultOf(operands, JSON_TEXT, call('docket_list_part', ...operands))
      : resultOf(operands, TEXT, call('docket_substring', ...operands)),
  tolower: plain(TEXT, 'docket_lower'),
  toupper: plain(TEXT, 'docket_upper'),
  trim: plain(TEXT, 'docket_trim'),
  matchespattern: plain(BOOLEAN, 'docket_matches'),
  hassubset: plain(BOOLEAN, 'docket_has_subset'),
  hassubsequence: plain(BOOLEAN, 'docket_has_subsequence'),
  'geo.distance': measure('docket_geo_distance'),
  'geo.intersects': plain(BOOLEAN, 'docket_geo_intersects'),
  'geo.length': measure('docket_geo_length'),
  year: (content) => digitsFrom(content, 1, 4),
  month: (content) => digitsFrom(content, 6, 2),
  day: (content) => digitsFrom(content, 9, 2),
  hour: (content) => digitsFrom(content, timeStart(content), 2),
  minute: (content) => digitsFrom(content, timeStart(content) + 3, 2),
  second: (content) => digitsFrom(content, timeStart(content) + 6, 2),
  fractionalseconds: (content) => fraction(content),
  totalseconds: (content) => resultOf([content], { kind: 'scaled', scale: 9 }, sqlOf(content)),
  date: (content) => resultOf([content], TEXT, sql`substr(${sqlOf(content)}, 1, 10)`),
  time: (content) => timeOf(content),
  totaloffsetminutes: (content) =>
    resultOf([content], INTEGER, sql`(CASE WHEN ${sqlOf(content)} IS NOT NULL THEN 0 END)`),
  mindatetime: () => timestamp(text('0001-01-01T00:00:00.000Z')),
  maxdatetime: () => timestamp(text('9999-12-31T23:59:59.999Z')),
  now: () => timestamp(parameter({ kind: 'context', name: 'now' })),
} as const satisfies Partial<Record<FunctionName, Render>>;

/** The most characters that docket_concat joins. */
export const MOST_CHARACTERS = 16_777_216;

/** Pieces of an expression that joins so few texts that the result cannot be long. */
const FEW_PIECES = 16;

/** Computed properties and aliases can join a text with itself any number of times, so that a few records would take all of the memory. */
function joined(left: Compiled | undefined, right: Compiled | undefined): Fragment {
  const both = sql`(${sqlOf(left)} || ${sqlOf(right)})`;
  return hasMorePieces(both, FEW_PIECES) ? call('docket_concat', left, right) : both;
}

/** A call of an SQL function with the arguments of a canonical function. */
export function call(functionName: string, ...values: readonly (Compiled | undefined)[]): Fragment {
  return sql`${word(functionName)}(${list(values.map(sqlOf))})`;
}

/** Renders a canonical function as a call. */
export function plain(storage: Storage, functionName: string): Render {
  return (...operands) => resultOf(operands, storage, call(functionName, ...operands));
}

/** A distance or length, which depends on the family of the values. */
function measure(functionName: string): Render {
  return (...operands) => {
    const content = list([text(familyOf(operands[0])), ...operands.map(sqlOf)]);
    return resultOf(operands, FLOATING, sql`${word(functionName)}(${content})`);
  };
}

/** The result of a function that is null if one of its arguments is null. */
export function resultOf(
  values: readonly (Compiled | undefined)[],
  storage: Storage,
  result: Fragment,
): Compiled {
  return { sql: result, storage, nullable: values.some((one) => one?.nullable === true) };
}

/** The SQL of an argument. Throws: not-built if the argument is missing. */
export function sqlOf(argument: Compiled | undefined): Fragment {
  if (argument === undefined) throw new Fault('not-built', { feature: 'this number of arguments' });
  return argument.sql;
}

/** Whether the value is a collection; collections are stored as JSON. */
export function isList(content: Compiled | undefined): boolean {
  return content?.storage.kind === 'json';
}

/** Whether a geo value is on the globe or on a plane. */
function familyOf(content: Compiled | undefined): GeoFamily {
  return content?.storage.kind === 'geo' ? content.storage.family : 'geography';
}

function timestamp(result: Fragment): Compiled {
  return { sql: result, storage: { kind: 'temporal', digits: 3, zone: true }, nullable: false };
}

/** Where the time starts: at the first character of a time of day, after the date of a timestamp. */
function timeStart(content: Compiled | undefined): number {
  return content?.storage.kind === 'temporal' && !content.storage.zone ? 1 : 12;
}

function digitsFrom(content: Compiled | undefined, start: number, count: number): Compiled {
  const part = sql`substr(${sqlOf(content)}, ${integer(start)}, ${integer(count)})`;
  return resultOf([content], INTEGER, sql`CAST(${part} AS bigint)`);
}

function digitsOf(content: Compiled | undefined): number {
  return content?.storage.kind === 'temporal' ? content.storage.digits : 0;
}

/** The digits after the decimal point already are the scaled integer. */
function fraction(content: Compiled | undefined): Compiled {
  const digits = digitsOf(content);
  if (digits === 0) {
    const none = sql`(CASE WHEN ${sqlOf(content)} IS NOT NULL THEN 0 END)`;
    return resultOf([content], { kind: 'scaled', scale: 0 }, none);
  }
  const { sql: part } = digitsFrom(content, timeStart(content) + 9, digits);
  return resultOf([content], { kind: 'scaled', scale: digits }, part);
}

function timeOf(content: Compiled | undefined): Compiled {
  const digits = digitsOf(content);
  const length = 8 + (digits === 0 ? 0 : digits + 1);
  const storage: Storage = { kind: 'temporal', digits, zone: false };
  return resultOf([content], storage, sql`substr(${sqlOf(content)}, 12, ${integer(length)})`);
}
