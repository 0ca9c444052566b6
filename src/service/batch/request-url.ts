// This file resolves the URL of a request in a batch: a path relative to the service root, or a reference to the result of an earlier
// request of the batch. Any other URL is rejected; none is ever fetched.
// Source: OData 4.01 Protocol, "Multipart Batch Request Body", "Referencing Returned Entities"; OData 4.01 JSON Format, "Batch Request".
import { Fault } from '../../base/fault.ts';
import type { RequestResults } from './request-results.ts';

/** Target of a request, percent-encoded and relative to the service root. */
export interface Address {
  readonly path: string;
  readonly query: string;
}

/** Names of system resources, which take precedence over request ids. */
const SYSTEM = new Set(['all', 'batch', 'crossjoin', 'entity', 'id', 'metadata', 'ping', 'root']);

/**
 * Resolves the URL of a part.
 * @param url `Set`, `/Set`, `/odata/Set`, `http://host/odata/Set`, `$1` or `$1/Navigation`
 * @param host the Host header of the part
 * @param root `http://host:port/odata/`
 * Throws: batch.foreign-url, batch.nested, batch.reference, batch.dependency.
 */
export function addressOfPart(
  url: string,
  host: string | undefined,
  root: string,
  results: RequestResults,
): Address {
  const mark = url.indexOf('?');
  const target = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  if (host === undefined && isPlain(target)) return { path: target, query };
  const resolved = resolveReference(target, results);
  const path = relativeToRoot(resolved ?? target, resolved === undefined ? host : undefined, root);
  if (/^(?:\$|%24)batch(?:\/|$)/i.test(path)) throw new Fault('batch.nested');
  return { path, query };
}

/** Whether the URL begins with the name of a set, as most do, and needs no resolution. */
function isPlain(url: string): boolean {
  return /^[A-Za-z_]/.test(url) && !url.includes(':');
}

/** Resolves `$1` in If-Match and If-None-Match to an ETag. Returns other values unchanged. Throws: batch.reference, batch.dependency. */
export function tagOfPart(
  header: string,
  value: string | undefined,
  results: RequestResults,
): string | undefined {
  const [, id] = /^\$([^\s"]+)$/.exec(value?.trim() ?? '') ?? [];
  if (id === undefined) return value;
  const etag = results.etags.get(id);
  if (etag !== undefined) return etag;
  throw invalidReference(
    id,
    results,
    `${header} needs the id of an earlier request whose response has an ETag`,
  );
}

/** Resolves `$1/Workorders` to the URL of the entity that request 1 created; undefined if the URL has no reference. */
function resolveReference(url: string, results: RequestResults): string | undefined {
  const [, id, rest = ''] = /^\/?(?:\$|%24)([^/()]+)(\/.*)?$/.exec(url) ?? [];
  if (id === undefined || SYSTEM.has(id)) return undefined;
  const target = results.urls.get(id);
  if (target !== undefined) return `${target}${rest}`;
  if (!results.ids.has(id) && !/^\d+$/.test(id)) return undefined;
  throw invalidReference(id, results, 'an earlier request of the batch must have this id');
}

function invalidReference(id: string, { failed }: RequestResults, reason: string): Fault {
  if (failed.has(id)) return new Fault('batch.dependency', { id });
  return new Fault('batch.reference', { reference: `$${id.slice(0, 100)}`, reason });
}

/**
 * Returns the path relative to the service root. A leading slash means the host or, if the path of the root is missing, the service.
 * The scheme is ignored, since a proxy may have changed it.
 */
function relativeToRoot(url: string, host: string | undefined, root: string): string {
  const service = new URL(root);
  const [, scheme, authority = '', rest = ''] =
    /^([a-z][a-z\d+.-]*):\/\/([^/]*)(.*)$/i.exec(url) ?? [];
  const targetHost = scheme === undefined ? host : authority;
  const isOwnHost =
    targetHost === undefined ||
    hostOf(scheme ?? service.protocol.slice(0, -1), targetHost) === service.host;
  if (!isOwnHost || url.startsWith('//')) throw foreignUrl(url, root);
  const path = scheme === undefined ? url : rest;
  if (path.startsWith(service.pathname)) return path.slice(service.pathname.length);
  if (`${path}/` === service.pathname) return '';
  if (scheme !== undefined) throw foreignUrl(url, root);
  return path.replace(/^\.?\//, '');
}

/** The normalized host, without default port; undefined if it is not a valid HTTP host. */
function hostOf(scheme: string, host: string): string | undefined {
  const address = `${scheme}://${host}`;
  return /^https?$/i.test(scheme) && URL.canParse(address) ? new URL(address).host : undefined;
}

function foreignUrl(url: string, root: string): Fault {
  return new Fault('batch.foreign-url', { url: url.slice(0, 200), root });
}
