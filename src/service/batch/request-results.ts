// This file records the results of requests in a batch by their ids, for later requests that refer to them.
import type { Answer } from '../../response/response.ts';
import type { Call } from '../service.ts';

/** Results of earlier requests of the batch. */
export interface RequestResults {
  /** Absolute URLs of created entities, or else of the requests, by id. */
  readonly urls: ReadonlyMap<string, string>;
  readonly etags: ReadonlyMap<string, string>;
  /** Ids of failed requests. */
  readonly failed: ReadonlySet<string>;
  /** All ids of the batch. */
  readonly ids: ReadonlySet<string>;
}

export interface Results extends RequestResults {
  readonly urls: Map<string, string>;
  readonly etags: Map<string, string>;
  readonly failed: Set<string>;
}

/** @param ids all ids of the batch */
export function newResults(ids: ReadonlySet<string>): Results {
  return { urls: new Map(), etags: new Map(), failed: new Set(), ids };
}

/** A copy for a group, which may be rolled back. */
export function copyResults({ urls, etags, failed, ids }: Results): Results {
  return { urls: new Map(urls), etags: new Map(etags), failed: new Set(failed), ids };
}

/** Records the URL of the created entity, or else that of the request, and the ETag. */
export function recordResult(
  results: Results,
  id: string | undefined,
  call: Call,
  answer: Answer,
): void {
  if (id === undefined) return;
  if (answer.status >= 400) {
    results.failed.add(id);
    return;
  }
  const { Location, ETag } = answer.headers;
  const created = Location ?? answer.headers['OData-EntityId'];
  results.urls.set(id, created ?? `${call.root}${call.path}`);
  if (ETag !== undefined) results.etags.set(id, ETag);
}
