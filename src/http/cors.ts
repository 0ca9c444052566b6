// This file lets pages of other origins call, as far as the configuration allows. There is no cookie and no other ambient right, so that
// a page can do no more than its token can. Source: WHATWG Fetch, "CORS protocol".
import type { IncomingMessage } from 'node:http';

const READABLE =
  'AsyncResult, ETag, Location, OData-EntityId, OData-Version, Preference-Applied, Repeatability-Result, Retry-After, X-Request-ID';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** What an answer says to pages of other origins. */
export interface OriginHeaders {
  readonly isAllowed: boolean;
  /** Whether the same request from another origin would be answered with other headers. */
  readonly varies: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of a request that comes from no other origin. */
export const NO_ORIGIN: OriginHeaders = { isAllowed: false, varies: false, headers: {} };
const NOT_ALLOWED: OriginHeaders = { ...NO_ORIGIN, varies: true };

/** Names the origin as allowed, where it is one of those. */
export function originHeaders(
  { headers, method }: IncomingMessage,
  origins: ReadonlySet<string>,
): OriginHeaders {
  const { origin } = headers;
  const isOpen = origins.has('*');
  const varies = !isOpen && origins.size > 0;
  if (origin === undefined || !(isOpen || origins.has(origin)))
    return varies ? NOT_ALLOWED : NO_ORIGIN;
  const allowed = {
    'Access-Control-Allow-Origin': isOpen ? '*' : origin,
    'Access-Control-Expose-Headers': READABLE,
  };
  const asked = headers['access-control-request-headers'] ?? 'Authorization, Content-Type';
  const more = method === 'OPTIONS' ? permissions(asked) : {};
  return { isAllowed: true, varies: !isOpen, headers: { ...allowed, ...more } };
}

function permissions(asked: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': asked.replace(/[^\w\-, ]/g, '').slice(0, 500),
    'Access-Control-Max-Age': '600',
  };
}

/** Whether a browser asks, without a token, if it may ask: for an origin that was allowed. */
export function isPreflight(
  { method, headers }: IncomingMessage,
  { isAllowed }: OriginHeaders,
): boolean {
  return (
    isAllowed && method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  );
}
