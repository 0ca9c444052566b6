// This file determines the address of the client and the origin under which it called the service. X-Forwarded headers count only if
// they come from trusted proxies.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import { type AddressList, plainAddress } from './address-ranges.ts';

export interface Proxies {
  /** Addresses of proxies whose X-Forwarded headers are used. */
  readonly trusted: AddressList;
}

/** The headers of a request and what follows from them. */
export interface Caller {
  /** Alternating names and values, as received. */
  readonly raw: readonly string[];
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** IP address of the client. */
  readonly address: string;
  /** `http://host:port/odata/`, as the client knows the service. */
  readonly root: string;
}

/** Heads longer than this many characters are not cached. */
const MAX_CACHED = 4096;

/** Caches the caller per connection, because most requests on a connection have the same headers as the previous one. */
export class Callers {
  readonly #proxies: Proxies;
  readonly #rootOf: (request: IncomingMessage) => string;
  readonly #last = new WeakMap<Socket, Caller>();

  /** @param rootOf the URL of the service root for the client of a request */
  constructor(proxies: Proxies, rootOf: (request: IncomingMessage) => string) {
    this.#proxies = proxies;
    this.#rootOf = rootOf;
  }

  /** Returns the caller of the request. Throws: request.header for an invalid Host or X-Forwarded-Prefix. */
  of(request: IncomingMessage): Caller {
    const last = this.#last.get(request.socket);
    if (last !== undefined && isSame(last.raw, request.rawHeaders)) return last;
    const caller = {
      raw: request.rawHeaders,
      headers: joinHeaders(request),
      address: clientAddress(request, this.#proxies),
      root: this.#rootOf(request),
    };
    // Thousands of idle connections must not hold long heads in memory.
    if (lengthOf(caller.raw) <= MAX_CACHED) this.#last.set(request.socket, caller);
    return caller;
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** Returns the header values by name in lower case; repeated headers are joined by commas. */
export function joinHeaders({ headers }: IncomingMessage): Caller['headers'] {
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    joined[name] = typeof value === 'object' ? value.join(', ') : value;
  }
  return joined;
}

/** Returns the address of the peer, or, if that is a trusted proxy, the last address in X-Forwarded-For that is not a trusted proxy. */
export function clientAddress(request: IncomingMessage, proxies: Proxies): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (!proxies.trusted.has(peer)) return peer;
  const forwarded = headerText(request.headers['x-forwarded-for'])
    .split(',')
    .map((part) => forwardedAddress(part.trim()));
  return (
    forwarded.toReversed().find((address) => address !== '' && !proxies.trusted.has(address)) ??
    peer
  );
}

/** Returns `http://host:port`, as the client knows the service. Throws: request.header for a missing or invalid Host. */
export function calledOrigin(request: IncomingMessage, proxies: Proxies): string {
  const host =
    forwardedHeader(request, proxies, 'x-forwarded-host') || headerText(request.headers.host);
  if (!/^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/.test(host)) throw wrongHost(host);
  return `${isEncrypted(request, proxies) ? 'https' : 'http'}://${host}`;
}

/** Whether the client's connection is encrypted, as far as the service or a trusted proxy knows. */
export function isEncrypted(request: IncomingMessage, proxies: Proxies): boolean {
  const forwarded = forwardedHeader(request, proxies, 'x-forwarded-proto');
  if (forwarded !== '') return forwarded === 'https';
  const { socket } = request;
  return 'encrypted' in socket && socket.encrypted === true;
}

/** The value of an X-Forwarded header; '' if it is absent or does not come from a trusted proxy. */
export function forwardedHeader(
  { socket, headers }: IncomingMessage,
  { trusted }: Proxies,
  name: `x-forwarded-${string}`,
): string {
  return trusted.has(plainAddress(socket.remoteAddress ?? '')) ? headerText(headers[name]) : '';
}

/** Rejects several Host headers, of which Node would use the first. RFC 9112, "Request Target". Throws: request.header. */
export function requireOneHost({ rawHeaders }: IncomingMessage): void {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') found++;
  }
  if (found > 1) throw wrongHost('two values');
}

function wrongHost(value: string): Fault {
  return new Fault('request.header', {
    header: 'Host',
    value: value.slice(0, 100),
    expected: 'it must be a single host name or address, optionally with a port',
  });
}

/** Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function forwardedAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return plainAddress(bare ?? text);
}

function headerText(value: string | string[] | undefined): string {
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}
