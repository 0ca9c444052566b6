// This file decides where Basic authentication with API keys is possible: not over plain HTTP from other machines, because clients send the
// key with every request. It is offered only to programs that need that, because browsers would ask the user for a password.
// Source: RFC 7617, "The 'Basic' Authentication Scheme"; "Security Considerations".
import type { IncomingMessage } from 'node:http';
import { Fault } from '../base/fault.ts';
import type { Proxies } from './client-address.ts';
import { pathOf } from './request-target.ts';
import { ENDPOINTS } from './service-location.ts';
import { isOpenToOthers } from './tls.ts';

export const BASIC_CHALLENGE = 'Basic realm="docket", charset="UTF-8"';

/** Endpoints that ignore the Authorization header. */
const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  ENDPOINTS.token,
  ENDPOINTS.health,
  ENDPOINTS.readiness,
]);

/** Rejects Basic credentials that anyone on the network could have read. Throws: auth.basic-insecure. */
export function requireSafeBasic(request: IncomingMessage, proxies: Proxies): void {
  if (!isBasic(request) || UNAUTHENTICATED.has(pathOf(request))) return;
  if (isOpenToOthers(request, proxies)) throw new Fault('auth.basic-insecure');
}

/** Whether a request comes from a program that asks the user for a name and a key only if the service offers Basic authentication. */
export function mayOfferBasic(request: IncomingMessage, proxies: Proxies): boolean {
  const isAsking = ASKING_PROGRAMS.test(request.headers['user-agent'] ?? '');
  return isAsking && !isOpenToOthers(request, proxies);
}

/** Excel and Power BI (Power Query), LibreOffice, Wget. */
const ASKING_PROGRAMS = /Microsoft\.Data\.Mashup|Excel|Power ?BI|PowerQuery|LibreOffice|Wget/i;

function isBasic({ headers: { authorization } }: IncomingMessage): boolean {
  return authorization !== undefined && /^basic /i.test(authorization);
}
