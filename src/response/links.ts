// This file makes the addresses that stand around records: context URLs, next links, and the ETags of records for headers. Addresses
// inside records are written by the database. OData 4.01 Protocol, "Context URL", "Server-Driven Paging".

import type { OutcomeRow } from '../plan/outcome.ts';
import { definingOptions } from '../plan/read/delta.ts';
import { writeToken } from '../plan/read/skip-token.ts';
import type { Paging } from '../plan/read-plan.ts';
import { printPath, printQuery } from '../request/print/url.ts';
import type { Tree } from '../request/tree.ts';

/** @param fragment `#Persons`, or nothing for the service document */
export function contextUrl(root: string, fragment: string): string {
  return `${root}$metadata${fragment}`;
}

/** Where the next page is, and what the page before leaves of the rows wanted. */
export interface Continuation {
  readonly paging: Paging;
  /** Of the last row that is given. */
  readonly last: OutcomeRow | undefined;
  /** Rows given so far, those skipped at the start included: for paging by offset. */
  readonly offset: number;
  readonly remaining: number | undefined;
  /** Where changes are tracked: the token of the delta link to come. */
  readonly deltatoken?: string | undefined;
}

/** The URL of the next page: the same request, with a token in place of $skip and $top. */
export function nextLink(root: string, tree: Tree, continuation: Continuation): string {
  const { paging, last, offset, remaining, deltatoken = tree.options.deltatoken } = continuation;
  const rest = { remaining, size: paging.size };
  const token = writeToken(
    paging.signature,
    paging.by === 'offset'
      ? { kind: 'offset', offset, ...rest }
      : { kind: 'values', after: last?.keys ?? [], ...rest },
  );
  const page = { skip: undefined, top: undefined, skiptoken: token, deltatoken };
  return `${root}${printPath(tree.path)}?${printQuery({ ...tree.options, ...page })}`;
}

/** The URL under which later changes are told: the same rows, with a token of what is known of them. */
export function deltaLink(root: string, { path, options }: Tree, deltatoken: string): string {
  const query = printQuery({ ...definingOptions(options), deltatoken });
  return `${root}${printPath(path)}?${query}`;
}

/** The ETag at the head of a record, `W/"7"`, or undefined where it has none. */
export function etagOf(record: string): string | undefined {
  const version = ETAG.exec(record)?.[1];
  return version === undefined ? undefined : `W/"${version}"`;
}

/** Type, id and ETag stand first; neither type nor id has a quote in it. */
const ETAG =
  /^\{(?:"@(?:odata\.)?(?:type|id|context)":"[^"]*",)*"@(?:odata\.)?etag":"W\/\\"([^"\\]*)\\""/;

/** The record without the ETag at its head. */
export function withoutEtag(record: string): string {
  return record.replace(ETAG, '{').replace(/^\{,/, '{');
}
