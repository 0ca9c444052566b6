// This file determines where the service is: the path of its root on this server, and its URL as clients know it, which a proxy may
// change. The other endpoints of the server have fixed paths.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../base/fault.ts';
import { calledOrigin, forwardedHeader, type Proxies } from './client-address.ts';

export interface ServiceLocation {
  /** Path of the service root on this server, such as `/odata` or `/`. */
  readonly basePath: string;
  /** URL of the server as clients know it, such as `https://desk.example.com/tools`; by default that of the request. */
  readonly publicUrl?: string | undefined;
}

export const DEFAULT_LOCATION: ServiceLocation = { basePath: '/odata' };

/** Paths of the endpoints that are not part of the OData service. They take precedence over a service root of `/`. */
export const ENDPOINTS = {
  token: '/token',
  endSession: '/connect/endsession',
  health: '/healthz',
  readiness: '/readyz',
  openapi: '/openapi.json',
  docs: '/docs',
  apiReference: '/docs/api',
  console: '/console',
  session: '/console/session',
} as const;

/** The first segments of the endpoints, which neither a base path nor a set below `/` can start with. */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set(
  Object.values(ENDPOINTS).map((path) => path.split('/')[1] ?? ''),
);

const ENDPOINT_PATHS: ReadonlySet<string> = new Set(Object.values(ENDPOINTS));

/** Decides which requests are for the OData service. */
export class ServicePaths {
  /** The path of the service root without a slash at the end: `/odata`; '' for `/`. */
  readonly prefix: string;

  constructor({ basePath }: ServiceLocation) {
    this.prefix = basePath === '/' ? '' : basePath;
  }

  /** Whether a URL without scheme and host is the service root or below it. */
  includes(url: string): boolean {
    const { prefix } = this;
    if (!url.startsWith(prefix)) return false;
    const next = url[prefix.length];
    if (next !== '/' && next !== '?' && next !== undefined) return false;
    return prefix !== '' || !isEndpoint(withoutQuery(url));
  }
}

function isEndpoint(path: string): boolean {
  return ENDPOINT_PATHS.has(path) || path.startsWith(`${ENDPOINTS.docs}/`) || isConsolePath(path);
}

/** Whether a path, or a URL without scheme and host, belongs to the console. */
export function isConsolePath(path: string): boolean {
  return (
    path.startsWith(ENDPOINTS.console) && /^[/?]?$/.test(path.charAt(ENDPOINTS.console.length))
  );
}

function withoutQuery(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/**
 * Returns the URL of the service root as clients know it, such as `https://desk.example.com/tools/odata/`.
 * Throws: request.header for an invalid Host or prefix.
 */
export function publicRoot(
  request: IncomingMessage,
  proxies: Proxies,
  location: ServiceLocation,
): string {
  const server = publicServer(request, proxies, location);
  return location.basePath === '/' ? `${server}/` : `${server}${location.basePath}/`;
}

/**
 * Returns the URL of the server as clients know it, such as `https://desk.example.com/tools`. A proxy that removes a prefix from the paths names
 * it in X-Forwarded-Prefix. Throws: request.header for an invalid Host or prefix.
 */
export function publicServer(
  request: IncomingMessage,
  proxies: Proxies,
  { publicUrl }: Pick<ServiceLocation, 'publicUrl'>,
): string {
  return (
    publicUrl?.replace(/\/$/, '') ??
    `${calledOrigin(request, proxies)}${forwardedPrefix(request, proxies)}`
  );
}

function forwardedPrefix(request: IncomingMessage, proxies: Proxies): string {
  const prefix = forwardedHeader(request, proxies, 'x-forwarded-prefix').replace(/\/$/, '');
  if (/^(?:\/[\w.~-]+)*$/.test(prefix)) return prefix;
  throw new Fault('request.header', {
    header: 'X-Forwarded-Prefix',
    value: prefix.slice(0, 100),
    expected: 'it must be a path such as /tools',
  });
}
