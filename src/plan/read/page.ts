// This file decides which part of a collection one answer holds: the page, what is left after it, and the signature that ties skip
// tokens to their query. A page goes on behind the order values of the last row (keyset), so that it stays right while rows come
// and go; an offset is used only for rows that have no key. OData 4.01 Protocol, "Server-Driven Paging".
import type { OrderItem, Query, Transformation } from '../../bind/bound.ts';
import type { Source } from '../../edm/source.ts';
import type { Page, Paging } from '../read-plan.ts';
import { type Position, readToken } from './skip-token.ts';
import { isInAppliedOrder } from './transformation-order.ts';

/** How many rows an answer may hold. */
export interface PageLimits {
  /** Rows of a page where the client says nothing. */
  readonly pageSize: number;
  /** Rows of a page at most where the client sends $top, and of each expanded collection. */
  readonly maximum: number;
  /** Rows of a page at most where the client sends maxpagesize. */
  readonly maximumPage: number;
}

export const DEFAULT_PAGE_LIMITS: PageLimits = { pageSize: 20, maximum: 250, maximumPage: 5000 };

/** What a request says about its page. */
export interface PageRequest {
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
  /** The preference maxpagesize. */
  readonly preferred?: number | undefined;
  readonly token?: Position | undefined;
}

export interface PageDecision {
  readonly page: Page;
  /** Rows still wanted after the page; undefined where no end was asked for. */
  readonly remaining?: number;
  /** The preferred page size as it is applied; it holds for the following pages too. */
  readonly size?: number;
}

/** The page of the rows that the path addresses. The preference of the request comes before that of the page before. */
export function decidePage(limits: PageLimits, request: PageRequest): PageDecision {
  const { token, top } = request;
  const wanted = token === undefined ? top : token.remaining;
  const size = preferredSize(limits, request.preferred ?? token?.size);
  const usual = wanted === undefined ? limits.pageSize : limits.maximum;
  return { ...cutPage(size ?? usual, wanted, request), ...(size === undefined ? {} : { size }) };
}

/** The page of an expanded collection: a large page shall not be multiplied by as large ones inside of it. */
export function decideNestedPage(limits: PageLimits, request: PageRequest): PageDecision {
  const size = preferredSize(limits, request.preferred);
  return {
    ...cutPage(Math.min(size ?? limits.maximum, limits.maximum), request.top, request),
    ...(size === undefined ? {} : { size }),
  };
}

/** The preferred page size as it is applied, or undefined where there is none. */
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
  wanted: number | undefined,
  request: PageRequest,
): Omit<PageDecision, 'size'> {
  const limit = wanted === undefined ? size : Math.min(size, wanted);
  const remaining = wanted === undefined ? undefined : wanted - limit;
  const page = { limit, more: remaining === undefined || remaining > 0 };
  return {
    page: { ...page, ...startOf(request) },
    ...(remaining === undefined ? {} : { remaining }),
  };
}

function startOf({ token, skip }: PageRequest): Pick<Page, 'skip' | 'after'> {
  if (token === undefined) return { skip: skip ?? 0 };
  return token.kind === 'offset' ? { skip: token.offset } : { skip: 0, after: token.after };
}

/** How the next page of the query's rows is found. */
export function pagingOf(source: Source, query: Query, order: readonly OrderItem[]): Paging {
  const signature = signatureOf([source], query.apply, order);
  return {
    signature,
    by: query.row.kind === 'derived' || isInAppliedOrder(query) ? 'offset' : 'values',
  };
}

/** Eight hexadecimal digits that differ where the rows or their order do; literals count, names of variables do not. */
export function signatureOf(
  sources: readonly Source[],
  apply: readonly Transformation[],
  order: readonly OrderItem[],
): string {
  return digest([sources.map((source) => source.id), apply, order]);
}

/** Eight hexadecimal digits that differ where bound trees do; literals count, names of variables do not. */
export function digest(content: unknown): string {
  return hash(JSON.stringify(content, describe)).toString(16).padStart(8, '0');
}

/** The position that a skip token stands for, or undefined where there is no token. Faults: plan.skiptoken. */
export function positionOf(
  token: string | undefined,
  paging: Paging,
  order: readonly OrderItem[],
): Position | undefined {
  return token === undefined ? undefined : readToken(token, paging.signature, order);
}

/** Things of the model are told by their names; types and places in the text say nothing of the order. */
function describe(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (UNTOLD.has(key)) return undefined;
  if (key === 'path' && Array.isArray(value)) return value.map(nameOf);
  if (key === 'navigation' || key === 'parent') return nameOf(value);
  if (key === 'source') return hasText(value, 'id') ? value.id : undefined;
  return key === 'of' && hasText(value, 'name') ? value.name : value;
}

/** `id` is a variable's number; that of a source never arrives here. */
const UNTOLD: ReadonlySet<string> = new Set(['id', 'type', 'operandType', 'place', 'columns']);

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
