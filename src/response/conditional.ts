// This file applies the preconditions of a request to its response. RFC 9110, "Evaluation of Preconditions": they are evaluated last, so
// that 304 represents exactly the response that it replaces.
import { Fault } from '../base/fault.ts';
import {
  type Conditions,
  matchesRepresentation,
  matchesVersion,
} from '../request/headers/entity-tags.ts';
import type { Answer } from './response.ts';

/**
 * Returns 304 if the client has this representation, otherwise the response itself. Ignores responses without an ETag.
 * Throws: response.changed.
 */
export function conditional(answer: Answer, { ifMatch, ifNoneMatch }: Conditions): Answer {
  const { status, headers } = answer;
  const etag = headers.ETag;
  if (status !== 200 || etag === undefined) return answer;
  if (ifMatch !== undefined && !matchesVersion(ifMatch, etag))
    throw new Fault('response.changed', { etag }, { target: 'If-Match' });
  if (ifNoneMatch === undefined || !matchesRepresentation(ifNoneMatch, etag)) return answer;
  return { status: 304, headers: cacheHeaders(headers), body: undefined };
}

/**
 * RFC 9110, "304 Not Modified": only the headers that caches need, none that describe a body. Browsers replace the policies that they have
 * stored with the page by those of this response.
 */
function cacheHeaders(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CACHE_HEADERS.has(name)));
}

const CACHE_HEADERS: ReadonlySet<string> = new Set([
  ...['OData-Version', 'Vary', 'ETag', 'Cache-Control'],
  ...['Content-Security-Policy', 'Cross-Origin-Resource-Policy', 'X-Content-Type-Options'],
]);
