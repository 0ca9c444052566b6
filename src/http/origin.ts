// This file lets pages of other origins call, as far as the configuration allows. There is no cookie and no other ambient right, so that
// a page can do no more than its token can. Source: WHATWG Fetch, "CORS protocol".
import type { Exchange } from './reply.ts';

const READABLE =
  'AsyncResult, ETag, Location, OData-EntityId, OData-Version, Preference-Applied, Repeatability-Result, Retry-After, X-Request-ID';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Names the origin as allowed, where it is. */
export function allowOrigin({ request, response }: Exchange, origins: ReadonlySet<string>): void {
  const { origin } = request.headers;
  const isOpen = origins.has('*');
  if (!isOpen && origins.size > 0) response.setHeader('Vary', 'Origin');
  if (origin === undefined || !(isOpen || origins.has(origin))) return;
  response.setHeader('Access-Control-Allow-Origin', isOpen ? '*' : origin);
  response.setHeader('Access-Control-Expose-Headers', READABLE);
  if (request.method !== 'OPTIONS') return;
  const asked = request.headers['access-control-request-headers'] ?? 'Authorization, Content-Type';
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', asked.replace(/[^\w\-, ]/g, '').slice(0, 500));
  response.setHeader('Access-Control-Max-Age', '600');
}

/** Whether a browser asks, without a token, if it may ask: for an origin that was allowed. */
export function isPreflight({ request, response }: Exchange): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers['access-control-request-method'] !== undefined &&
    response.hasHeader('Access-Control-Allow-Origin')
  );
}
