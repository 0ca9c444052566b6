// This file reads and writes the cookies of a browser: the refresh token, and a sign-in at an issuer. Scripts cannot read them, browsers send
// them to the session endpoints only, and the refresh token never with requests of other sites. Source: RFC 6265bis, "Cookie Name Prefixes", "SameSite Cookies".
import type { IncomingMessage } from 'node:http';
import { ATTEMPT_LIFETIME } from '../../auth/issuers/sign-in-attempt.ts';
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

/** One of the cookies. */
export interface SessionCookie {
  readonly suffix: string;
  /** Below the session endpoints, the path that gets the cookie. */
  readonly below: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/** The refresh token. */
export const REFRESH_COOKIE: SessionCookie = {
  suffix: '',
  below: '',
  lifetime: REFRESH_LIFETIME,
  sameSite: 'Strict',
};

/** A sign-in at an issuer. Browsers do not send strict cookies when the issuer sends them back. */
export const ATTEMPT_COOKIE: SessionCookie = {
  suffix: '-sign-in',
  below: '/callback',
  lifetime: ATTEMPT_LIFETIME,
  sameSite: 'Lax',
};

/** The value of a cookie of the browser; undefined if it has none. */
export function readCookie(
  { headers }: IncomingMessage,
  cookie: SessionCookie,
  place: CookiePlace,
): string | undefined {
  const prefix = `${nameOf(cookie, place)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}

/** The value of Set-Cookie; without a value, the browser deletes the cookie. */
export function writeCookie(
  value: string | undefined,
  cookie: SessionCookie,
  place: CookiePlace,
): string {
  return [
    `${nameOf(cookie, place)}=${value ?? ''}`,
    `Path=${place.path}${cookie.below}`,
    `Max-Age=${value === undefined ? 0 : cookie.lifetime}`,
    'HttpOnly',
    ...(place.isSecure ? ['Secure'] : []),
    `SameSite=${cookie.sameSite}`,
  ].join('; ');
}

function nameOf({ suffix }: SessionCookie, { isSecure }: CookiePlace): string {
  return `${isSecure ? SECURE_NAME : PLAIN_NAME}${suffix}`;
}
