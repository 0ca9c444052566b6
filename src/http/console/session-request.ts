// This file contains what all session endpoints need of a request: who gets tokens, where the cookie belongs, and whether it may sign in.
import type { IncomingMessage } from 'node:http';
import type { Grantee } from '../../auth/token-grants.ts';
import { Fault } from '../../base/fault.ts';
import type { AppSettings, ConsoleSettings } from '../app-settings.ts';
import { clientAddress } from '../client-address.ts';
import type { Exchange } from '../send-response.ts';
import { DEFAULT_LOCATION } from '../service-location.ts';
import { isOpenToOthers } from '../tls.ts';
import { type CookiePlace, cookiePlace, REFRESH_COOKIE, writeCookie } from './session-cookie.ts';

/** Lifetime of access tokens of the console. Seconds: a page renews them unnoticed, and a stolen one is soon worthless. */
const CONSOLE_LIFETIME = 600;

export const NOT_STORED = { 'Cache-Control': 'no-store' } as const;

/** A request to one of the endpoints. */
export interface SessionRequest {
  readonly exchange: Exchange;
  readonly settings: AppSettings;
  readonly console: ConsoleSettings;
}

export function granteeOf({ exchange, settings }: SessionRequest): Grantee {
  const address = clientAddress(exchange.request, settings.proxies);
  return { address, agent: exchange.request.headers['user-agent'], lifetime: CONSOLE_LIFETIME };
}

/** Throws: request.header. */
export function placeOf({ exchange, settings }: SessionRequest): CookiePlace {
  return cookiePlace(exchange.request, settings.proxies, settings.location ?? DEFAULT_LOCATION);
}

/** The header that gives the browser a refresh token. */
export function refreshCookie(
  request: SessionRequest,
  token: string,
): { readonly 'Set-Cookie': string } {
  return { 'Set-Cookie': writeCookie(token, REFRESH_COOKIE, placeOf(request)) };
}

/** Throws: store.not-enabled. */
export function requireEnabled({ service }: AppSettings): void {
  if (!service.isEnabled())
    throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
}

/** Nobody on the network may read along. Throws: auth.insecure. */
export function requireEncrypted(request: IncomingMessage, settings: AppSettings): void {
  if (settings.needsEncryption === true && isOpenToOthers(request, settings.proxies))
    throw new Fault('auth.insecure');
}
