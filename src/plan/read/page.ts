// Decides the page that a response returns, the rows left after it, and the signature that ties skip tokens to their query.
// Paging continues after the order values of the last row (keyset paging), so that it stays correct while rows are inserted and
// deleted. Offsets are used only for rows without a key. OData 4.01 Protocol, "Server-Driven Paging".
import type { LiteralExpression, OrderItem, Query, Transformation } from '../../bind/bound.ts';
import type { Parameter, Parameters } from '../../bind/parameter.ts';
import type { Source } from '../../edm/source.ts';
import type { Page, Paging } from '../read-plan.ts';
import { isInAppliedOrder } from './select-rows.ts';
import { type Position, readToken } from './tokens.ts';

/** Limits on the number of rows in a response. */
export interface PageLimits {
  /** Page size without $top and maxpagesize. */
  readonly pageSize: number;
  /** Maximum page size with $top, and for each expanded collection. */
  readonly maximum: number;
  /** Maximum page size with maxpagesize. */
  readonly maximumPage: number;
}

export const DEFAULT_PAGE_LIMITS: PageLimits = { pageSize: 20, maximum: 250, maximumPage: 5000 };

/** The paging options of a request. */
export interface PageRequest {
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
  /** $skip as a parameter of the plan. */
  readonly skipParameter?: Parameter | undefined;
  /** The preference maxpagesize. */
  readonly preferred?: number | undefined;
  readonly token?: Position<LiteralExpression> | undefined;
}

export interface PageDecision {
  readonly page: Page;
  /** Rows left of $top after the page; undefined without $top. */
  readonly remaining?: number | undefined;
  /** The applied maxpagesize, which also applies to the following pages. */
  readonly size?: number | undefined;
}

/** The page of the top-level collection. The preference of the request overrides the one in the skip token. */
export function decidePage(limits: PageLimits, request: PageRequest): PageDecision {
  const { token, top } = request;
  const rowsLeft = token === undefined ? top : token.remaining;
  const size = preferredSize(limits, request.preferred ?? token?.size);
  const standard = rowsLeft === undefined ? limits.pageSize : limits.maximum;
  return {
    ...cutPage(size ?? standard, rowsLeft, request),
    size,
  };
}

/** The page of an expanded collection. Its size is capped, so that nested pages do not multiply. */
export function decideNestedPage(limits: PageLimits, request: PageRequest): PageDecision {
  const size = preferredSize(limits, request.preferred);
  return {
    ...cutPage(Math.min(size ?? limits.maximum, limits.maximum), request.top, request),
    size,
  };
}

/**
 * The limits for a query with expanded collections. A page larger than `maximum` may contain at most the square of `maximum` expanded
 * records, as many as a page of that size with one collection: a larger response would take seconds and gigabytes.
 */
export function limitsFor(limits: PageLimits, query: Query): PageLimits {
  const { maximum } = limits;
  const expanded = expandedRows(query, maximum);
  if (expanded === 0) return limits;
  const most = Math.max(maximum, Math.floor(maximum ** 2 / expanded));
  return {
    pageSize: Math.min(limits.pageSize, most),
    maximum,
    maximumPage: Math.min(limits.maximumPage, most),
  };
}

/** The maximum number of expanded records per record. */
function expandedRows({ expansions }: Query, maximum: number): number {
  return expansions.reduce((sum, { navigation, form, query }) => {
    const inner = expandedRows(query, maximum);
    const isMany = navigation.collection && form !== 'count';
    return sum + (isMany ? Math.min(query.top ?? maximum, maximum) * (1 + inner) : inner);
  }, 0);
}

/** The applied maxpagesize, or undefined if there is none. */
export function preferredSize(
  limits: PageLimits,
  preferred: number | undefined,
): number | undefined {
  return preferred === undefined || preferred < 1
    ? undefined
    : Math.min(preferred, limits.maximumPage);
}

function cutPage(
  size: number,
  rowsLeft: number | undefined,
  request: PageRequest,
): Omit<PageDecision, 'size'> {
  const limit = rowsLeft === undefined ? size : Math.min(size, rowsLeft);
  const remaining = rowsLeft === undefined ? undefined : rowsLeft - limit;
  const page = { limit, more: remaining === undefined || remaining > 0 };
  return {
    page: { ...page, ...startOf(request) },
    remaining,
  };
}

function startOf({ token, skip, skipParameter }: PageRequest): Omit<Page, 'limit' | 'more'> {
  if (token === undefined) return { skip: skip ?? 0, skipParameter };
  return token.kind === 'offset' ? { skip: token.offset } : { skip: 0, after: token.after };
}

export function pagingOf(source: Source, query: Query, order: readonly OrderItem[]): Paging {
  const signature = signatureOf([source], query.apply, order);
  return {
    signature,
    by: query.row.kind === 'derived' || isInAppliedOrder(query) ? 'offset' : 'values',
  };
}

/** A signature of sources, $apply and order, in eight hexadecimal digits. */
export function signatureOf(
  sources: readonly Source[],
  apply: readonly Transformation[],
  order: readonly OrderItem[],
): string {
  return digest([sources.map((source) => source.id), apply, order]);
}

/** A hash of bound trees in eight hexadecimal digits. It includes literals, but not variable ids. */
export function digest(content: unknown): string {
  return hash(JSON.stringify(content, replaceModelElements)).toString(16).padStart(8, '0');
}

/** The position in a skip token, or undefined without one. Throws: plan.skiptoken. */
export function positionOf(
  token: string | undefined,
  paging: Paging,
  order: readonly OrderItem[],
  parameters?: Parameters,
): Position<LiteralExpression> | undefined {
  if (token === undefined) return undefined;
  return readToken(token, { signature: paging.signature, order }, parameters?.ofKind('token'));
}

/** A JSON replacer that writes model elements by name and leaves out types and source positions. */
function replaceModelElements(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (IGNORED_KEYS.has(key)) return undefined;
  if (key === 'path' && Array.isArray(value)) return value.map(nameOf);
  if (key === 'navigation' || key === 'parent') return nameOf(value);
  if (key === 'source') return hasText(value, 'id') ? value.id : undefined;
  return key === 'of' && hasText(value, 'name') ? value.name : value;
}

/** `id` is that of a variable; a source is written by its id above. */
const IGNORED_KEYS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'operandType',
  'parameter',
  'columns',
]);

function nameOf(value: unknown): string | undefined {
  return hasText(value, 'name') ? value.name : undefined;
}

function hasText<Name extends string>(
  value: unknown,
  name: Name,
): value is { readonly [key in Name]: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    name in value &&
    typeof (value as { readonly [key in Name]: unknown })[name] === 'string'
  );
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value ^= text.charCodeAt(at);
    value = Math.imul(value, 0x01000193);
  }
  return value >>> 0;
}
