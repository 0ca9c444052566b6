// This file builds context URLs, next links and delta links, and extracts the ETags of records. The database writes the URLs inside
// records. OData 4.01 Protocol, "Context URL", "Server-Driven Paging".

import { perObject } from '../base/memo.ts';
import type { OutcomeRow } from '../plan/outcome.ts';
import { definingOptions } from '../plan/read/delta.ts';
import { writeToken } from '../plan/read/tokens.ts';
import type { Paging } from '../plan/read-plan.ts';
import { pagePrinter, printPath, printQuery } from '../request/print/url.ts';
import type { Tree } from '../request/tree.ts';

/** @param fragment such as `#Persons`; '' for the service document */
export function contextUrl(root: string, fragment: string): string {
  return `${root}$metadata${fragment}`;
}

/** Where the next page starts. */
export interface Continuation {
  readonly paging: Paging;
  /** Last row of this page. */
  readonly last: OutcomeRow | undefined;
  /** Number of rows before the next page, including skipped ones, for paging by offset. */
  readonly offset: number;
  /** Number of rows still to be returned because of $top. */
  readonly remaining: number | undefined;
  /** The instant for which `now()`, elapsed and remaining time hold. */
  readonly at: number | undefined;
  /** Token of the delta link on the last page, if changes are tracked. */
  readonly deltatoken?: string | undefined;
}

/** Returns the URL of the next page: the same request with a token in place of $skip and $top. */
export function nextLink(root: string, tree: Tree, continuation: Continuation): string {
  const { paging, last, offset, deltatoken } = continuation;
  const { remaining, at } = continuation;
  const rest = { remaining, size: paging.size, at };
  const token = writeToken(
    paging.signature,
    paging.by === 'offset'
      ? { kind: 'offset', offset, ...rest }
      : { kind: 'values', after: last?.keys ?? [], ...rest },
  );
  const pages = deltatoken === undefined ? pagesOf(tree) : makePages(tree, deltatoken);
  return `${root}${pages(token)}`;
}

/** Requests are repeated with the same tree. */
const pagesOf = perObject((tree: Tree) => makePages(tree, tree.options.deltatoken));

/** The function that prints the URL of a page, relative to the service root. */
function makePages({ path, options }: Tree, deltatoken: string | undefined) {
  const resource = printPath(path);
  const query = pagePrinter({ ...options, skip: undefined, top: undefined, deltatoken });
  return (skiptoken: string) => `${resource}?${query(skiptoken)}`;
}

/** Returns the URL for later changes: the options that define the rows, with a delta token. */
export function deltaLink(root: string, { path, options }: Tree, deltatoken: string): string {
  const query = printQuery({ ...definingOptions(options), deltatoken });
  return `${root}${printPath(path)}?${query}`;
}

/** Returns the ETag at the head of a record, such as `W/"7"`; undefined if it has none. */
export function etagOf(record: string): string | undefined {
  const version = ETAG.exec(record)?.[1];
  return version === undefined ? undefined : `W/"${version}"`;
}

/** Type, id and ETag come first; type and id contain no quotes. */
const ETAG =
  /^\{(?:"@(?:odata\.)?(?:type|id|context)":"[^"]*",)*"@(?:odata\.)?etag":"W\/\\"([^"\\]*)\\""/;

/** Removes the ETag from the head of a record. */
export function withoutEtag(record: string): string {
  return record.replace(ETAG, '{').replace(/^\{,/, '{');
}
