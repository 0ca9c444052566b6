// This file is about connections that nobody listens in on: TLS from a certificate and its key, another pair of them while connections
// go on, what browsers are told, and the refusal to take passwords over the open network.
// Source: RFC 9325, "Recommendations for Secure Use of TLS and DTLS"; OWASP Secure Headers Project.

import type { IncomingMessage } from 'node:http';
import {
  createServer as createPlain,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createEncrypted } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { clientAddress, isEncrypted, type Proxies } from './client-address.ts';

/** A certificate with what stands between it and its root, and its key; both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Older versions are broken. */
const LEAST_VERSION = 'TLSv1.2';

/** A server that speaks HTTPS where a pair is given. Rejects a pair that does not fit, as `requireFitting` does. */
export function makeServer(
  pair: KeyPair | undefined,
  options: ServerOptions & { readonly handshakeTimeout: number },
  listener: RequestListener,
): Server {
  if (pair === undefined) return createPlain(options, listener);
  return createEncrypted({ ...options, ...secureOptions(pair) }, listener);
}

/** Takes another pair for connections that begin from now on. Throws where it does not fit; the one before stays then. */
export function renewPair(server: Server, pair: KeyPair): void {
  requireFitting(pair);
  if ('setSecureContext' in server && typeof server.setSecureContext === 'function')
    server.setSecureContext(secureOptions(pair));
}

/** Throws what is wrong with the pair: no PEM, or a key of another certificate. */
export function requireFitting(pair: KeyPair): void {
  createSecureContext(secureOptions(pair));
}

function secureOptions({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: LEAST_VERSION } as const;
}

/** Nothing of the service is a page: browsers shall not guess, embed, run or tell others of it. */
const HEADERS = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ...['Referrer-Policy', 'no-referrer'],
];

const A_YEAR = ['Strict-Transport-Security', 'max-age=31536000'];

/**
 * What every answer on the connection says to browsers: names and values in turn, in a list that may be added to.
 * @param own headers of the answer, which go before these
 */
export function securityHeaders(socket: Socket, own: Readonly<Record<string, string>>): string[] {
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
  const all = isEncrypted ? [...HEADERS, ...A_YEAR] : HEADERS.slice();
  return own['X-Content-Type-Options'] === undefined ? all : without(all, own);
}

function without(all: readonly string[], own: Readonly<Record<string, string>>): string[] {
  return all.filter((_one, at) => own[all[at - (at % 2)] ?? ''] === undefined);
}

/** Whether a password would come over an open network: neither encrypted, nor from the machine itself. */
export function isOpenToOthers(request: IncomingMessage, proxies: Proxies): boolean {
  return !isEncrypted(request, proxies) && !isLoopback(clientAddress(request, proxies));
}

export function isLoopback(address: string): boolean {
  return /^127\.|^::1$/.test(address);
}
