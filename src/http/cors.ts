// This file implements CORS for the configured origins. The service uses no cookies or other ambient authority, so a page can do no
// more than its token allows. Source: WHATWG Fetch, "CORS protocol".
import type { IncomingMessage } from 'node:http';

const READABLE = [
  'AsyncResult, Content-Disposition, ETag, Location, OData-EntityId, OData-Version, Preference-Applied, RateLimit-Limit',
  'RateLimit-Remaining, RateLimit-Reset, Repeatability-Result, Retry-After, Server-Timing, WWW-Authenticate, X-Request-ID',
].join(', ');
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** CORS headers of a response. */
export interface OriginHeaders {
  readonly isAllowed: boolean;
  /** Whether the headers depend on the origin. */
  readonly varies: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** For requests from the same origin. */
export const NO_ORIGIN: OriginHeaders = { isAllowed: false, varies: false, headers: {} };
const NOT_ALLOWED: OriginHeaders = { ...NO_ORIGIN, varies: true };

/** Returns the CORS headers for a request; `isAllowed` if its origin is in `origins`. */
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
  const requested = headers['access-control-request-headers'] ?? 'Authorization, Content-Type';
  const more = method === 'OPTIONS' ? permissions(requested) : {};
  return { isAllowed: true, varies: !isOpen, headers: { ...allowed, ...more } };
}

function permissions(requestHeaders: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': requestHeaders.replace(/[^\w\-, ]/g, '').slice(0, 500),
    'Access-Control-Max-Age': '600',
  };
}

/** Whether the request is a preflight of an allowed origin. Preflight requests have no token. */
export function isPreflight(
  { method, headers }: IncomingMessage,
  { isAllowed }: OriginHeaders,
): boolean {
  return (
    isAllowed && method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  );
}
