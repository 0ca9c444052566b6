// This file extracts literals from URLs, so that URLs which differ in nothing else share a template:
//     ServiceRequests(12)?$filter=ID%20eq%2077    ServiceRequests(#)?$filter=ID%20eq%20#    and [12, 77]
// It extracts only whole keys, plain numbers, strings and timestamps of $filter and of aliases, and the position of a page. It knows
// nothing of their meaning, which binding determines.

import { parseLiteral } from '../../edm/value/primitives.ts';
import { type Scalar, scalarsOf } from '../../plan/read/skip-token.ts';

/** A literal of a URL. */
export interface LiftedLiteral {
  /**
   * The same as in places of bound literals: `path`, `filter`, `search` or an alias with `@`, and the offset in the decoded text; `skip`;
   * `skiptoken`, and the number of the value in it.
   */
  readonly part: string;
  readonly at: number;
  readonly value: bigint | string;
}

export interface AddressShape {
  /** The URL with a marker for each literal, which identifies the kind of literal. */
  readonly key: string;
  readonly literals: readonly LiftedLiteral[];
}

/** What is between the parentheses of a key: nothing but a number. */
const DIGITS = /^\d{1,18}$/;
/** Texts come first, so that no number is looked for inside of them. */
const LITERAL =
  /('|%27)((?:(?!'|%27)[^&])*)\1|(?<=^|%20|[(,])(?:\d{1,18}|\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|(?:%2B|-)\d\d:\d\d))(?=$|%20|[),])/g;
const PLAIN_TEXT = /^(?:[\w.@:-]|%20|%C3%[89AB][\dA-F]){1,60}$/;
const FILTER = /(?:^|&)(?:\$|%24)filter=([^&]*)/;

/**
 * The template of a URL.
 * @param path percent-encoded, relative to the service root
 * @param query percent-encoded, without the question mark
 */
export function shapeOf(path: string, query: string): AddressShape {
  const literals: LiftedLiteral[] = [];
  const head = path.includes('(') ? liftKeys(path, literals) : path;
  const filtered = liftFilter(query, literals);
  const searched = liftSearch(liftAliases(filtered, literals), literals);
  return { key: `${head}?${liftPage(searched, literals)}`, literals };
}

const SEARCH = /(^|&)((?:\$|%24)search=)(?!(?:AND|OR|NOT)(?:&|$))([A-Za-z0-9]{1,40})(?=&|$)/;

/** A word that is looked for alone. */
function liftSearch(query: string, literals: LiftedLiteral[]): string {
  return query.replace(SEARCH, (_, before: string, name: string, word: string) => {
    literals.push({ part: 'search', at: 0, value: word });
    return `${before}${name}${SIGN}`;
  });
}

const ALIAS = /(^|&)(@|%40)(\w{1,40})=([^&]*)/g;

/** Aliases whose values are nothing but a literal. */
function liftAliases(query: string, literals: LiftedLiteral[]): string {
  if (!/@|%40/.test(query)) return query;
  return query.replace(
    ALIAS,
    (_, before: string, at: string, name: string, value: string) =>
      `${before}${at}${name}=${liftLiterals(value, `@${name}`, literals)}`,
  );
}

const SKIP = /(^|&)((?:\$|%24)skip=)([1-9]\d{0,8})(?=&|$)/;
const TOKEN =
  /(^|&)((?:\$|%24)skiptoken=1\.[0-9a-f]{8}\.\d{0,16}(?:p\d{1,6})?\.)((?:[0-9A-Fa-f]{2})+)(?=&|$)/;

/** Where the page begins. */
function liftPage(query: string, literals: LiftedLiteral[]): string {
  if (!query.includes('skip')) return query;
  return query
    .replace(SKIP, (_, before: string, name: string, digits: string) => {
      literals.push({ part: 'skip', at: 0, value: BigInt(digits) });
      return `${before}${name}${SIGN}`;
    })
    .replace(TOKEN, (all: string, before: string, head: string, hex: string) => {
      const scalars = scalarsOf(hex);
      return scalars === undefined ? all : `${before}${head}${liftScalars(scalars, literals)}`;
    });
}

function liftScalars(scalars: readonly Scalar[], literals: LiftedLiteral[]): string {
  return scalars
    .map((scalar, at) => {
      const lifted = liftScalar(scalar);
      if (lifted === undefined) return JSON.stringify(scalar);
      literals.push({ part: 'skiptoken', at, value: lifted.value });
      return SIGN + lifted.kind;
    })
    .join(',');
}

/** Whole numbers, points in time as the service writes them, and texts; where a value of another form stands, the shape is another one. */
function liftScalar(
  scalar: Scalar,
): { readonly kind: string; readonly value: bigint | string } | undefined {
  if (scalar.kind === 'number')
    return /^-?\d{1,18}$/.test(scalar.digits)
      ? { kind: 'n', value: BigInt(scalar.digits) }
      : undefined;
  const { value } = scalar;
  if (typeof value !== 'string') return undefined;
  return { kind: isInstant(value) ? 'i' : 's', value };
}

/** `2026-03-29T00:30:00.000Z`, and nothing that only looks like it. */
function isInstant(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false;
  const moment = new Date(text);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === text;
}

function liftKeys(path: string, literals: LiftedLiteral[]): string {
  let lifted = '';
  let done = 0;
  for (let open = path.indexOf('('); open >= 0; open = path.indexOf('(', open + 1)) {
    const close = path.indexOf(')', open);
    const digits = path.slice(open + 1, close);
    if (close < 0 || !DIGITS.test(digits)) continue;
    const value = BigInt(digits);
    literals.push({ part: 'path', at: decodedLength(path, open + 1), value });
    lifted += path.slice(done, open + 1) + signOf(value);
    done = close;
  }
  return done === 0 ? path : lifted + path.slice(done);
}

function liftFilter(query: string, literals: LiftedLiteral[]): string {
  const found = FILTER.exec(query);
  const filter = found?.[1];
  if (found === null || filter === undefined) return query;
  const start = found.index + found[0].length - filter.length;
  const lifted = liftLiterals(filter, 'filter', literals);
  return query.slice(0, start) + lifted + query.slice(start + filter.length);
}

function liftLiterals(expression: string, part: string, literals: LiftedLiteral[]): string {
  if (!/\d|'|%27/.test(expression)) return expression;
  return expression.replace(LITERAL, (...match: readonly unknown[]) => {
    const [all, quote, content, at] = match;
    const found = { all: String(all), quote, content, at: Number(at) };
    return liftOne({ text: expression, part }, found, literals);
  });
}

/** A text that contains literals. */
interface Whole {
  readonly text: string;
  readonly part: string;
}

interface Found {
  readonly all: string;
  /** How a text is quoted; undefined for a number or a point in time. */
  readonly quote: unknown;
  readonly content: unknown;
  readonly at: number;
}

function liftOne(
  { text: whole, part }: Whole,
  { all, quote, content, at }: Found,
  literals: LiftedLiteral[],
): string {
  const note = (value: bigint | string) =>
    literals.push({ part, at: decodedLength(whole, at), value });
  if (quote === undefined && all.includes('T')) {
    const reading = parseLiteral('Edm.DateTimeOffset', all.replace('%2B', '+'));
    if (reading.kind !== 'value' || typeof reading.value !== 'string') return all;
    // More digits than milliseconds may make another plan.
    if (reading.value.length !== MILLISECONDS.length) return all;
    note(reading.value);
    return `${SIGN}t`;
  }
  if (quote === undefined) {
    const value = BigInt(all);
    note(value);
    return signOf(value);
  }
  const text = String(content);
  const before = whole.slice(Math.max(0, at - 1), at);
  const behind = whole.slice(at + all.length, at + all.length + 3);
  // Two quotes that meet are one quote inside of a text; what a letter stands before is no text alone.
  const isAlone = !/[\w']/.test(before.replace(/^0$/, '')) && !/^(?:'|%27)/.test(behind);
  if (!isAlone || !PLAIN_TEXT.test(text)) return all;
  const value = decode(text);
  note(value);
  return `${SIGN}${lengthSign(value)}`;
}

/**
 * The index does not contain parts of words shorter than three characters. In lower case it is not exact for a final i and for letters beyond
 * ASCII.
 */
function lengthSign(text: string): string {
  if (text.length < 3) return 'x';
  if (/[\x80-\xff]/.test(text)) return 'u';
  return text.replace(/i+$/, '').length < 3 ? 'y' : 's';
}

const MILLISECONDS = '2026-01-31T12:00:00.000Z';

/** A character that no address over HTTP has. */
const SIGN = '\u0001';

/** Whether an address has the character that shapes are written with: in a batch of JSON it can. */
export function hasSign({ path, query }: { readonly path: string; readonly query: string }) {
  return path.includes(SIGN) || query.includes(SIGN);
}

/** The smallest integer type that contains the value: keys of smaller types reject larger values. */
const BOUNDS = [127n, 255n, 32_767n, 2_147_483_647n] as const;

function signOf(value: bigint): string {
  let size = 0;
  for (const bound of BOUNDS) {
    if (value <= bound) break;
    size++;
  }
  return `${SIGN}${size}`;
}

/** The length of the decoded text before the offset. */
function decodedLength(encoded: string, offset: number): number {
  const before = encoded.slice(0, offset);
  if (!before.includes('%')) return offset;
  return before.replace(/(?:%[\dA-Fa-f]{2})+/g, decode).length;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
