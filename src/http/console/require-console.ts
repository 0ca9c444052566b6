// This file rejects requests to the session endpoints that a page of another site could make the browser send, cookie included: they must
// come from a page of this server, and have headers that such a page cannot set without permission.
// Source: OWASP Cross-Site Request Forgery Prevention, "Fetch Metadata", "Custom Request Headers".
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../base/fault.ts';
import { readMediaType } from '../../request/headers/media-types.ts';
import type { AppSettings } from '../app-settings.ts';
import { DEFAULT_LOCATION, publicServer } from '../service-location.ts';

/** Throws: auth.console, request.media-type, request.header. */
export function requireConsole(
  request: IncomingMessage,
  { proxies, location = DEFAULT_LOCATION }: Pick<AppSettings, 'proxies' | 'location'>,
): void {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw notConsole(
      `the header Sec-Fetch-Site is "${String(site).slice(0, 40)}", not same-origin`,
    );
  if (site === undefined && !isOwnOrigin(headers.origin, publicServer(request, proxies, location)))
    throw notConsole('it has neither Sec-Fetch-Site: same-origin nor the Origin of this server');
  if (headers['x-docket-console'] !== '1')
    throw notConsole('it must have the header X-Docket-Console: 1');
  const type = headers['content-type'] ?? '';
  if (readMediaType(type)?.name !== 'application/json')
    throw new Fault('request.media-type', {
      type: type.slice(0, 100),
      supported: 'application/json',
    });
}

function isOwnOrigin(origin: string | undefined, server: string): boolean {
  return origin !== undefined && origin === new URL(server).origin;
}

function notConsole(reason: string): Fault {
  return new Fault('auth.console', { reason });
}
