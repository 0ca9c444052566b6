// This file reads and writes the cookie with the refresh token of a browser. Scripts cannot read it, browsers send it to the session
// endpoints only, and never with requests of other sites. Source: RFC 6265bis, "Cookie Name Prefixes", "SameSite Cookies".
import type { IncomingMessage } from 'node:http';
import { REFRESH_LIFETIME } from '../../auth/token.ts';
import { isEncrypted, type Proxies } from '../client-address.ts';
import { ENDPOINTS, publicServer, type ServiceLocation } from '../service-location.ts';

/** Browsers accept a name with this prefix only together with the attribute Secure. */
const SECURE_NAME = '__Secure-docket';
/** The name on servers from which browsers accept no secure cookie: those with plain HTTP and a name of their own. */
const PLAIN_NAME = 'docket';

/** Where a request has reached the server. */
export interface CookiePlace {
  readonly isSecure: boolean;
  /** Path of the session endpoints as the browser knows it. */
  readonly path: string;
}

/** Returns what decides on the cookie of a request. Throws: request.header. */
export function cookiePlace(
  request: IncomingMessage,
  proxies: Proxies,
  location: ServiceLocation,
): CookiePlace {
  const { pathname, hostname } = new URL(
    `${publicServer(request, proxies, location)}${ENDPOINTS.session}`,
  );
  return { isSecure: isEncrypted(request, proxies) || isThisMachine(hostname), path: pathname };
}

/** Browsers accept secure cookies over plain HTTP from these hosts. W3C Secure Contexts, "Is origin potentially trustworthy?" */
function isThisMachine(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.*\.)?localhost)$/.test(hostname);
}

/** The refresh token of the browser; undefined if it has none. */
export function readCookie(
  { headers }: IncomingMessage,
  { isSecure }: CookiePlace,
): string | undefined {
  const prefix = `${isSecure ? SECURE_NAME : PLAIN_NAME}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}

/** The value of Set-Cookie for a refresh token; without one, the browser deletes the cookie. */
export function writeCookie(token: string | undefined, { isSecure, path }: CookiePlace): string {
  return [
    `${isSecure ? SECURE_NAME : PLAIN_NAME}=${token ?? ''}`,
    `Path=${path}`,
    `Max-Age=${token === undefined ? 0 : REFRESH_LIFETIME}`,
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    'SameSite=Strict',
  ].join('; ');
}
