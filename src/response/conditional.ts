// This file applies the preconditions of a request to the response that it would get without them. RFC 9110, "Evaluation of
// Preconditions": they are evaluated when everything else has been, so that 304 stands for exactly the response that it replaces.
import { Fault } from '../base/fault.ts';
import {
  type Conditions,
  matchesRepresentation,
  matchesVersion,
} from '../request/headers/entity-tags.ts';
import type { Answer } from './response.ts';

/**
 * The response to the same request with these conditions: 304 where the client has this representation. Responses without an ETag stay
 * as they are. Fault response.changed (412).
 */
export function conditional(answer: Answer, { ifMatch, ifNoneMatch }: Conditions): Answer {
  const { status, headers } = answer;
  const etag = headers.ETag;
  if (status !== 200 || etag === undefined) return answer;
  if (ifMatch !== undefined && !matchesVersion(ifMatch, etag))
    throw new Fault('response.changed', { etag }, { target: 'If-Match' });
  if (ifNoneMatch === undefined || !matchesRepresentation(ifNoneMatch, etag)) return answer;
  return { status: 304, headers: keptOf(headers), body: undefined };
}

/** RFC 9110, "304 Not Modified": what a cache needs, and nothing that describes a body. */
function keptOf(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT.has(name)));
}

const KEPT: ReadonlySet<string> = new Set(['OData-Version', 'Vary', 'ETag']);
