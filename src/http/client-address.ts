// This file says who is at the other end of a connection, and under which address the service was called. What proxies add is believed
// only of those that the configuration names.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import { type AddressList, plainAddress } from './address-ranges.ts';

export interface Proxies {
  /** Addresses whose X-Forwarded headers count. */
  readonly trusted: AddressList;
}

/** What the head of a request says of who calls, and how. */
export interface Caller {
  /** Names and values in turn, as they came. */
  readonly raw: readonly string[];
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** IP address of the client. */
  readonly address: string;
  /** `http://host:port/odata/`, as the client knows the service. */
  readonly root: string;
}

/** Characters of a head that is remembered. */
const LONGEST_KEPT = 4096;

/** The callers of this process: most requests on a connection have the same headers as the one before, and are not looked at again. */
export class Callers {
  readonly #proxies: Proxies;
  readonly #path: string;
  readonly #last = new WeakMap<Socket, Caller>();

  /** @param path of the service root */
  constructor(proxies: Proxies, path: string) {
    this.#proxies = proxies;
    this.#path = path;
  }

  /** Fault request.header where Host is missing or no host. */
  of(request: IncomingMessage): Caller {
    const last = this.#last.get(request.socket);
    if (last !== undefined && isSame(last.raw, request.rawHeaders)) return last;
    const caller = {
      raw: request.rawHeaders,
      headers: joinHeaders(request),
      address: clientAddress(request, this.#proxies),
      root: calledOrigin(request, this.#proxies) + this.#path,
    };
    // Ten thousand connections that wait shall not hold as many long heads.
    if (lengthOf(caller.raw) <= LONGEST_KEPT) this.#last.set(request.socket, caller);
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

/** Values by names in lower case, those of a header given several times joined by commas. */
export function joinHeaders({ headers }: IncomingMessage): Caller['headers'] {
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    joined[name] = typeof value === 'object' ? value.join(', ') : value;
  }
  return joined;
}

/** The address of the client: the peer's, or, behind trusted proxies, the nearest one in X-Forwarded-For that is not one of them. */
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

/** `http://host:port`, as the client knows the service. Fault request.header where Host is missing or no host. */
export function calledOrigin(request: IncomingMessage, proxies: Proxies): string {
  const isTrusted = proxies.trusted.has(plainAddress(request.socket.remoteAddress ?? ''));
  const forwardedHost = isTrusted ? headerText(request.headers['x-forwarded-host']) : '';
  const host = forwardedHost || headerText(request.headers.host);
  if (!/^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/.test(host)) throw wrongHost(host);
  return `${isEncrypted(request, proxies) ? 'https' : 'http'}://${host}`;
}

/** Whether the client's connection is encrypted, as far as the service or a trusted proxy knows. */
export function isEncrypted({ socket, headers }: IncomingMessage, proxies: Proxies): boolean {
  const isTrusted = proxies.trusted.has(plainAddress(socket.remoteAddress ?? ''));
  const forwarded = isTrusted ? headerText(headers['x-forwarded-proto']) : '';
  if (forwarded !== '') return forwarded === 'https';
  return 'encrypted' in socket && socket.encrypted === true;
}

/** RFC 9112, "Request Target": more than one Host line is to be refused; Node takes the first. Fault request.header. */
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
    expected: 'one host name or address, with a port where it needs one',
  });
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function forwardedAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return plainAddress(bare ?? text);
}

function headerText(value: string | string[] | undefined): string {
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}
