// This file secures connections: TLS servers, renewal of certificates without restart, security headers for browsers, and the check for
// unencrypted connections from other machines.
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

/** A certificate with its intermediate certificates, and its key; both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Older versions are insecure. */
const MIN_VERSION = 'TLSv1.2';

/** Creates an HTTPS server if a pair is given, otherwise an HTTP server. Throws like `requireFitting`. */
export function makeServer(
  pair: KeyPair | undefined,
  options: ServerOptions & { readonly handshakeTimeout: number },
  listener: RequestListener,
): Server {
  if (pair === undefined) return createPlain(options, listener);
  return createEncrypted({ ...options, ...secureOptions(pair) }, listener);
}

/** Uses another pair for new connections. Throws like `requireFitting`; the previous pair then stays in use. */
export function renewPair(server: Server, pair: KeyPair): void {
  requireFitting(pair);
  if ('setSecureContext' in server && typeof server.setSecureContext === 'function')
    server.setSecureContext(secureOptions(pair));
}

/** Throws if certificate or key are not PEM, or do not match. */
export function requireFitting(pair: KeyPair): void {
  createSecureContext(secureOptions(pair));
}

function secureOptions({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: MIN_VERSION } as const;
}

/** The service sends no web pages: browsers must not sniff, embed or run its responses, or send their URLs as referrers. */
const HEADERS = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ...['Referrer-Policy', 'no-referrer'],
];

const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'];

/**
 * Returns the security headers of a response: alternating names and values, in a new array.
 * @param own headers of the response, which override these
 */
export function securityHeaders(socket: Socket, own: Readonly<Record<string, string>>): string[] {
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
  const all = isEncrypted ? [...HEADERS, ...STRICT_TRANSPORT] : HEADERS.slice();
  return own['X-Content-Type-Options'] === undefined ? all : without(all, own);
}

function without(all: readonly string[], own: Readonly<Record<string, string>>): string[] {
  return all.filter((_one, at) => own[all[at - (at % 2)] ?? ''] === undefined);
}

/** Whether the connection is unencrypted and comes from another machine. */
export function isOpenToOthers(request: IncomingMessage, proxies: Proxies): boolean {
  return !isEncrypted(request, proxies) && !isLoopback(clientAddress(request, proxies));
}

function isLoopback(address: string): boolean {
  return /^127\.|^::1$/.test(address);
}
