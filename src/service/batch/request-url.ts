// This file finds out what the URL of a request in a batch leads to: something behind the service root, or what an earlier request of
// the same batch made. A URL that leads anywhere else is refused; none is ever fetched.
// Source: OData 4.01 Protocol, "Multipart Batch Request Body", "Referencing Returned Entities"; OData 4.01 JSON Format, "Batch Request".
import { Fault } from '../../base/fault.ts';

/** Where a request goes: percent-encoded, relative to the service root. */
export interface Address {
  readonly path: string;
  readonly query: string;
}

/** What earlier requests of the batch left behind. */
export interface Made {
  /** Absolute URLs of what they made or were about, by id. */
  readonly urls: ReadonlyMap<string, string>;
  readonly etags: ReadonlyMap<string, string>;
  /** Ids of those that failed. */
  readonly failed: ReadonlySet<string>;
  /** All ids of the batch. */
  readonly ids: ReadonlySet<string>;
}

/** System resources win over requests of the same name. */
const SYSTEM = new Set(['all', 'batch', 'crossjoin', 'entity', 'id', 'metadata', 'ping', 'root']);

/**
 * The address of a part.
 * @param url as written: `Set`, `/Set`, `/odata/Set`, `http://host/odata/Set`, `$1`, `$1/Navigation`
 * @param host the Host header of the part
 * @param root `http://host:port/odata/`
 * Faults batch.foreign-url, batch.nested, batch.reference, batch.dependency.
 */
export function addressOfPart(
  url: string,
  host: string | undefined,
  root: string,
  made: Made,
): Address {
  const mark = url.indexOf('?');
  const written = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  if (host === undefined && isPlain(written)) return { path: written, query };
  const referenced = withReference(written, made);
  const path = behindRoot(referenced ?? written, referenced === undefined ? host : undefined, root);
  if (/^(?:\$|%24)batch(?:\/|$)/i.test(path)) throw new Fault('batch.nested');
  return { path, query };
}

/** Most URLs begin with the name of a set: nothing is to be found out about them. */
function isPlain(url: string): boolean {
  return /^[A-Za-z_]/.test(url) && !url.includes(':');
}

/** The ETag that `$1` in If-Match and If-None-Match stands for; other values as they are. Faults as for URLs. */
export function tagOfPart(
  header: string,
  value: string | undefined,
  made: Made,
): string | undefined {
  const [, id] = /^\$([^\s"]+)$/.exec(value?.trim() ?? '') ?? [];
  if (id === undefined) return value;
  const etag = made.etags.get(id);
  if (etag !== undefined) return etag;
  throw unusable(
    id,
    made,
    `${header} needs the id of an earlier request that was answered with an ETag`,
  );
}

/** `$1/Workorders` with the URL of what request 1 made. */
function withReference(url: string, made: Made): string | undefined {
  const [, id, rest = ''] = /^\/?(?:\$|%24)([^/()]+)(\/.*)?$/.exec(url) ?? [];
  if (id === undefined || SYSTEM.has(id)) return undefined;
  const target = made.urls.get(id);
  if (target !== undefined) return `${target}${rest}`;
  if (!made.ids.has(id) && !/^\d+$/.test(id)) return undefined;
  throw unusable(id, made, 'an earlier request of the batch must have this id');
}

function unusable(id: string, { failed }: Made, reason: string): Fault {
  if (failed.has(id)) return new Fault('batch.dependency', { id });
  return new Fault('batch.reference', { reference: `$${id.slice(0, 100)}`, reason });
}

/**
 * What stands behind the root. A slash at the beginning is that of the host or, where the root's own path is left out, that of the
 * service. The scheme does not matter: behind a proxy the client may know another one.
 */
function behindRoot(url: string, host: string | undefined, root: string): string {
  const service = new URL(root);
  const [, scheme, named = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/([^/]*)(.*)$/i.exec(url) ?? [];
  const called = scheme === undefined ? host : named;
  const isHere =
    called === undefined ||
    hostOf(scheme ?? service.protocol.slice(0, -1), called) === service.host;
  if (!isHere || url.startsWith('//')) throw foreign(url, root);
  const path = scheme === undefined ? url : rest;
  if (path.startsWith(service.pathname)) return path.slice(service.pathname.length);
  if (`${path}/` === service.pathname) return '';
  if (scheme !== undefined) throw foreign(url, root);
  return path.replace(/^\.?\//, '');
}

/** In lower case, without the port that goes without saying; undefined where it is no host of the web. */
function hostOf(scheme: string, host: string): string | undefined {
  const address = `${scheme}://${host}`;
  return /^https?$/i.test(scheme) && URL.canParse(address) ? new URL(address).host : undefined;
}

function foreign(url: string, root: string): Fault {
  return new Fault('batch.foreign-url', { url: url.slice(0, 200), root });
}
