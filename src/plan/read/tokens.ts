// Writes and reads the tokens of pages and changes: opaque, URL-safe texts that start with a format version and the signature of
// their query. A skip token marks where the next page starts. It holds the rows left of $top, the preferred page size, and the order
// values of the last row returned (or the number of rows returned, if they have no key). They are hexadecimal digits of the UTF-8
// text of a JSON array, so that a database can write them too.
//     1.8f3c01aa.750.5b2262222c31325d     after the row with the order values ["b",12]; 750 rows are left
//     1.8f3c01aa..o40                      after 40 rows; no $top
//     1.8f3c01aa.p500.o40                  the same, in pages of 500 rows
//     1.8f3c01aa.t1774800000000.o40        with `now()`, elapsed and remaining time as of an instant
//     1.8f3c01aa.t20260329160000000.o40    the same, as a database writes it
// A delta token marks the last change that a client knows. Between the pages of one delta response it also holds the last change of
// that response, the last row returned, and the page size.
//     1.8f3c01aa.750            changes after change 750
//     1.8f3c01aa.751-12         the same without the rows of change 751 up to identity 12
//     1.8f3c01aa.750.800.12     the same up to change 800, for rows after identity 12
//     1.8f3c01aa.750.800.12.p5  the same in pages of five rows
//     1.8f3c01aa.750.kAQhQZX    changes after change 750, for a client that knows these records (known-records.ts)
import { Fault } from '../../base/fault.ts';
import type { LiteralExpression, OrderItem, ValueType } from '../../bind/bound.ts';
import { constant, parameterLiteral } from '../../bind/expression/literal.ts';
import { hasFraction } from '../../bind/expression/types.ts';
import type { Parameter, SlotValue } from '../../bind/parameter.ts';
import { parseText, primitiveRow } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Span } from '../read-plan.ts';
import { KNOWN, readKnown } from './known-records.ts';

const VERSION = '1';

/** The parts of a token besides its position: rows left of $top, the preferred page size, and the instant of the result. */
export interface TokenRest {
  readonly remaining?: number | undefined;
  readonly size?: number | undefined;
  readonly at?: number | undefined;
}

export type Position<After = Value> = TokenRest &
  (
    | { readonly kind: 'values'; readonly after: readonly After[] }
    | { readonly kind: 'offset'; readonly offset: number }
  );

export function writeToken(signature: string, position: Position): string {
  const { at } = position;
  const head = `${tokenHead(signature, position)}${at === undefined ? '' : `t${at}`}`;
  return position.kind === 'offset'
    ? `${head}.o${position.offset}`
    : `${head}.${toHex(`[${position.after.map(writeValue).join(',')}]`)}`;
}

/** A token without its instant and position, which the database appends for expanded collections. */
export function tokenHead(signature: string, { remaining, size }: TokenRest): string {
  const pages = size === undefined ? '' : `p${size}`;
  return `${VERSION}.${signature}.${remaining ?? ''}${pages}`;
}

/** The instant in a skip token; undefined without one. A database writes it as digits of a date and time: 20261129171810123. */
export function instantOf(token: string): number | undefined {
  const { at } = TOKEN.exec(token)?.groups ?? {};
  if (at === undefined || at.length < 17) return at === undefined ? undefined : Number(at);
  const time = Date.parse(at.replace(DIGITS_OF_TIME, '$1-$2-$3T$4:$5:$6.$7Z'));
  if (Number.isNaN(time)) throw invalidToken('it is damaged');
  return time;
}

const DIGITS_OF_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/;

/** The query that a token belongs to. Its order items define the types of the values. */
interface TokenQuery {
  readonly signature: string;
  readonly order: readonly OrderItem[];
}

/**
 * Parses a token written by `writeToken` or the database for the same query.
 * @param parameter the token as a parameter of the plan, which then fits all tokens with other values after which to start
 * Throws: plan.skiptoken.
 */
export function readToken(
  token: string,
  query: TokenQuery,
  parameter?: Parameter,
): Position<LiteralExpression> {
  const { values, offset, ...rest } = partsOf(token, query);
  parameter?.ask({ name: 'token', of: (text) => outlineOf(String(text), query) });
  if (values === undefined) return { kind: 'offset', offset, ...rest };
  const after = query.order.map(({ expression: { type } }, index) => {
    const value = values[index] ?? null;
    const name = `value ${index} of the token`;
    const of = (text: SlotValue) => partsOf(String(text), query).values?.[index];
    const own = value === null ? undefined : parameter?.convert({ name, of });
    return own === undefined ? constant(type, value) : parameterLiteral(type, own);
  });
  return { kind: 'values', after, ...rest };
}

type TokenParts = TokenRest &
  (
    | { readonly values: readonly Value[]; readonly offset?: undefined }
    | { readonly values?: undefined; readonly offset: number }
  );

function partsOf(token: string, { signature, order }: TokenQuery): TokenParts {
  const match = TOKEN.exec(token);
  if (match === null) throw invalidToken('the service did not issue it');
  const [, tokenSignature, remaining = '', size, , offset, hex] = match;
  if (tokenSignature !== signature) throw invalidToken('it belongs to another query');
  const rest = {
    ...(remaining === '' ? {} : { remaining: Number(remaining) }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
  if (offset !== undefined) return { offset: Number(offset), ...rest };
  return { values: readValues(fromHex(hex ?? ''), order), ...rest };
}

/** What a plan depends on in a token: everything but the values that are not null. Undefined for a token that is not valid. */
function outlineOf(token: string, query: TokenQuery): string | undefined {
  try {
    const { values, offset, remaining, size } = partsOf(token, query);
    return [offset, remaining, size, ...(values ?? []).map((value) => value === null)].join();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const TOKEN =
  /^1\.([0-9a-f]{8})\.(\d{0,16})(?:p([1-9]\d{0,5}))?(?:t(?<at>\d{1,14}|\d{17}))?\.(?:o(\d{1,15})|((?:[0-9A-Fa-f]{2})+))$/;

function invalidToken(reason: string): Fault {
  return new Fault('plan.skiptoken', { reason }, { target: '$skiptoken' });
}

function writeValue(value: Value): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify(String(value));
  return JSON.stringify(value);
}

/** A JSON value other than an array or object; numbers keep their digits. */
type Scalar =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'other'; readonly value: null | boolean | string };

function readValues(text: string, order: readonly OrderItem[]): readonly Value[] {
  const scalars = readScalars(text);
  if (scalars.length !== order.length) throw invalidToken('it belongs to another query');
  return order.map(({ expression }, index) => {
    const scalar = scalars[index];
    const value = scalar === undefined ? undefined : toValue(expression.type, scalar);
    if (value === undefined) throw invalidToken('it is damaged');
    return value;
  });
}

const SCALAR = /("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)([,\]])/y;

function readScalars(text: string): readonly Scalar[] {
  if (!text.startsWith('[')) throw invalidToken('it is damaged');
  const scalars: Scalar[] = [];
  for (let at = 1; at < text.length; at = SCALAR.lastIndex) {
    SCALAR.lastIndex = at;
    const [, spelling, end] = SCALAR.exec(text) ?? [];
    if (spelling === undefined) throw invalidToken('it is damaged');
    scalars.push(toScalar(spelling));
    if (end === ']' && SCALAR.lastIndex === text.length) return scalars;
  }
  throw invalidToken('it is damaged');
}

function toScalar(spelling: string): Scalar {
  if (/^[-\d]/.test(spelling)) return { kind: 'number', digits: spelling };
  try {
    const value: unknown = JSON.parse(spelling);
    if (value === null || typeof value === 'boolean' || typeof value === 'string') {
      return { kind: 'other', value };
    }
  } catch {
    // A string with a character that JSON does not allow is rejected below.
  }
  throw invalidToken('it is damaged');
}

/** The canonical value of the type, or undefined if the scalar is not valid. Databases write booleans as 0 and 1. */
function toValue(type: ValueType, scalar: Scalar): Value | undefined {
  const text = scalar.kind === 'number' ? scalar.digits : scalar.value;
  if (text === null) return null;
  switch (type.kind) {
    case 'enum':
    case 'entity':
    case 'complex':
      return toInteger(text);
    case 'untyped':
    case 'null':
      if (scalar.kind === 'other') return scalar.value;
      return /^-?\d+$/.test(scalar.digits) ? toInteger(scalar.digits) : Number(scalar.digits);
    default:
      return toPrimitive(type, text);
  }
}

function toPrimitive(
  type: ValueType & { readonly kind: 'primitive' },
  text: string | boolean,
): Value | undefined {
  switch (primitiveRow(type.name).class) {
    case 'boolean':
      if (typeof text === 'boolean') return text;
      return text === '0' || text === '1' ? text === '1' : undefined;
    case 'integer':
    case 'duration':
      return toInteger(text);
    case 'floating':
      return toDouble(text);
    case 'string':
      return typeof text === 'string' ? text : undefined;
    default: {
      if (typeof text !== 'string') return undefined;
      // Calculated times may have more fraction digits than their type declares, so all digits are kept.
      const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
      const digits = hasFraction(type.name) ? { precision: fraction.length } : {};
      const reading = parseText(type.name, { ...type.facets, scale: 'floating', ...digits }, text);
      return reading.kind === 'value' ? reading.value : undefined;
    }
  }
}

/** Integers beyond 64 bits cannot come from a column. */
function toInteger(text: string | boolean): bigint | undefined {
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function toDouble(text: string | boolean): number | undefined {
  if (text === 'NaN') return Number.NaN;
  if (text === 'Infinity' || text === 'INF') return Number.POSITIVE_INFINITY;
  if (text === '-Infinity' || text === '-INF') return Number.NEGATIVE_INFINITY;
  const value = typeof text === 'string' ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function toHex(text: string): string {
  let hex = '';
  for (const byte of new TextEncoder().encode(text)) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

function fromHex(hex: string): string {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidToken('it is damaged');
  }
}

// ---- delta tokens ---------------------------------------------------------------------------------------------------

/** @param known the records that the client knows, written by `writeKnown` */
export function writeDeltaToken(signature: string, span: Span, known?: string): string {
  const { until, after, size } = span;
  const pages = size === undefined ? [] : [`p${size}`];
  const rest = until === undefined || after === undefined ? [] : [until, after, ...pages];
  const records = known === undefined ? [] : [`k${known}`];
  return [VERSION, signature, writePosition(span), ...rest, ...records].join('.');
}

interface DeltaToken {
  readonly signature: string;
  readonly span: Span;
  /** The records that the client knows, as text. */
  readonly known?: string | undefined;
}

const DELTA_TOKEN = new RegExp(
  `^1\\.([0-9a-f]{8})\\.([\\d-]{1,37})(?:\\.(\\d{1,18})\\.(\\d{1,18})(?:\\.p([1-9]\\d{0,5}))?)?(?:\\.k(${KNOWN}))?$`,
);

/** Parses a token written by `writeDeltaToken`. Throws: plan.deltatoken. */
export function readDeltaToken(token: string): DeltaToken {
  const [, signature, position = '', until, after, size, known] = DELTA_TOKEN.exec(token) ?? [];
  const span = readPosition(position);
  if (signature === undefined || span === undefined) throw invalidDeltaToken();
  if (until === undefined || after === undefined) return { signature, span, known };
  if (BigInt(until) < span.since) throw invalidDeltaToken();
  const pages = size === undefined ? {} : { size: Number(size) };
  const end = { until: BigInt(until), after: BigInt(after), ...pages };
  return { signature, span: { ...span, ...end }, known };
}

/** The addresses in a token. Throws: plan.deltatoken. */
export function addressesIn({ known }: Pick<DeltaToken, 'known'>): readonly string[] | undefined {
  if (known === undefined) return undefined;
  const addresses = readKnown(known);
  if (addresses === undefined) throw invalidDeltaToken();
  return addresses;
}

/**
 * A position in the change log, as in delta tokens and as the id of events.
 *     750       all rows of change 750 and earlier ones are known
 *     751-12    and those of change 751 up to identity 12
 */
export function writePosition({ since, part }: Pick<Span, 'since' | 'part'>): string {
  return part === undefined ? String(since) : `${since + 1n}-${part}`;
}

/** Parses a text written by `writePosition`; undefined for any other. */
export function readPosition(text: string): Pick<Span, 'since' | 'part'> | undefined {
  const [, change, part] = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(text) ?? [];
  if (change === undefined) return undefined;
  if (part === undefined) return { since: BigInt(change) };
  return change === '0' ? undefined : { since: BigInt(change) - 1n, part: BigInt(part) };
}

function invalidDeltaToken(): Fault {
  const reason = 'the service did not issue it';
  return new Fault('plan.deltatoken', { reason }, { target: '$deltatoken' });
}
