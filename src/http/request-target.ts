// This file splits the request target into path and query. RFC 9112, "Request Target".
import type { IncomingMessage } from 'node:http';

/** Returns the path without the query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/** Returns the query without question mark; '' if there is none. */
export function queryOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** Removes scheme and host of `GET http://host/path`, which servers must accept. RFC 9112, "absolute-form". */
export function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}
