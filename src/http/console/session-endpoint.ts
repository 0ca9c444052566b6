// This file answers the session endpoints of the console: a browser signs in and gets an access token, which the page keeps in memory, and a
// refresh token in a cookie that scripts cannot read. The rules of granting tokens are in auth/token-grants.ts.
import { signedOut, wrongCredentials } from '../../auth/challenge.ts';
import { slowed } from '../../auth/session.ts';
import { hashToken } from '../../auth/token.ts';
import {
  type Grantee,
  grantPassword,
  grantRefresh,
  type TokenError,
  type TokenResponse,
} from '../../auth/token-grants.ts';
import { Fault, notAllowed } from '../../base/fault.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import type { AppSettings, ConsoleSettings } from '../app-settings.ts';
import { clientAddress } from '../client-address.ts';
import { pathOf } from '../request-target.ts';
import { type Exchange, send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS } from '../service-location.ts';
import { isOpenToOthers } from '../tls.ts';
import { readCredentials } from './read-credentials.ts';
import { requireConsole } from './require-console.ts';
import { type CookiePlace, cookiePlace, readCookie, writeCookie } from './session-cookie.ts';

/** Lifetime of access tokens of the console. Seconds: a page renews them unnoticed, and a stolen one is soon worthless. */
const CONSOLE_LIFETIME = 600;

const NOT_STORED = { 'Cache-Control': 'no-store' } as const;

/** A request to one of the endpoints. */
interface SessionRequest {
  readonly exchange: Exchange;
  readonly settings: AppSettings;
  readonly console: ConsoleSettings;
}

type SessionHandler = (request: SessionRequest) => Promise<void>;

const HANDLERS: ReadonlyMap<string, Readonly<Record<string, SessionHandler>>> = new Map([
  [ENDPOINTS.session, { POST: signIn, DELETE: signOut }],
  [`${ENDPOINTS.session}/refresh`, { POST: refresh }],
  [`${ENDPOINTS.session}/options`, { GET: sendOptions, HEAD: sendOptions }],
]);

/**
 * Answers a request to a session endpoint. Throws: http.unknown-address, request.method, request.header, request.media-type, request.body,
 * request.body-too-large, http.timeout, store.not-enabled, auth.console, auth.insecure, auth.credentials, auth.signed-out, auth.slowed, auth.busy.
 */
export async function answerSession(exchange: Exchange, settings: AppSettings): Promise<void> {
  const { console, location = DEFAULT_LOCATION } = settings;
  const path = pathOf(exchange.request);
  const handlers = HANDLERS.get(path);
  if (console === undefined || handlers === undefined)
    throw new Fault('http.unknown-address', {
      path: path.slice(0, 100),
      root: location.basePath,
    });
  const { method = '' } = exchange.request;
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler === undefined) throw notAllowed(method, Object.keys(handlers));
  await handler({ exchange, settings, console });
}

/** POST /console/session */
async function signIn(request: SessionRequest): Promise<void> {
  const { exchange, settings } = request;
  requireSafe(request);
  requireEnabled(settings);
  const credentials = await readCredentials(exchange.request, settings.bodyTimes);
  const answer = await grantPassword(credentials, granteeOf(request), settings.grants);
  report(request, 'password', credentials.loginName, answer);
  if (answer.kind === 'token') return await sendTokens(request, answer);
  if (answer.retryAfter !== undefined) throw slowed(answer.retryAfter);
  throw wrongCredentials();
}

/** POST /console/session/refresh */
async function refresh(request: SessionRequest): Promise<void> {
  const { exchange, settings } = request;
  requireSafe(request);
  requireEnabled(settings);
  const place = placeOf(request);
  const token = readCookie(exchange.request, place);
  if (token === undefined) throw signedOut(NOT_STORED);
  const answer = await grantRefresh(
    token,
    { ...granteeOf(request), sharesRefresh: true },
    settings.grants,
  );
  report(request, 'refresh_token', '', answer);
  if (answer.kind === 'token') return await sendTokens(request, answer);
  throw signedOut({ ...NOT_STORED, 'Set-Cookie': writeCookie(undefined, place) });
}

/** DELETE /console/session. Without a session, there is nothing to end, but the browser forgets what it has stored. */
async function signOut(request: SessionRequest): Promise<void> {
  const { exchange, settings } = request;
  requireSafe(request);
  const place = placeOf(request);
  const token = readCookie(exchange.request, place);
  if (token !== undefined) await endLogin(token, request);
  const headers = {
    ...NOT_STORED,
    'Set-Cookie': writeCookie(undefined, place),
    'Clear-Site-Data': '"storage"',
  };
  settings.service.sessions.recheck();
  await send(exchange, { status: 204, headers, body: undefined });
}

async function endLogin(token: string, { exchange, settings }: SessionRequest): Promise<void> {
  const { grants, service, proxies } = settings;
  const account = await grants.records.endLoginOf(hashToken(token));
  if (account === undefined) return;
  const address = clientAddress(exchange.request, proxies);
  service.observe({ kind: 'session ended', id: exchange.id, account: account.loginName, address });
}

/** GET /console/session/options: what the page needs to know before anybody has signed in. */
async function sendOptions({ exchange, settings, console }: SessionRequest): Promise<void> {
  const body = { Issuers: [], Languages: settings.service.languages, Version: console.version };
  await sendJson(exchange, body, {});
}

/** Only pages of the console may use the cookie, and only where nobody on the network reads along. */
function requireSafe({ exchange: { request }, settings }: SessionRequest): void {
  requireConsole(request, settings);
  if (settings.needsEncryption === true && isOpenToOthers(request, settings.proxies))
    throw new Fault('auth.insecure');
}

function requireEnabled({ service }: AppSettings): void {
  if (!service.isEnabled())
    throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
}

function placeOf({ exchange, settings }: SessionRequest): CookiePlace {
  return cookiePlace(exchange.request, settings.proxies, settings.location ?? DEFAULT_LOCATION);
}

function granteeOf({ exchange, settings }: SessionRequest): Grantee {
  const address = clientAddress(exchange.request, settings.proxies);
  return { address, lifetime: CONSOLE_LIFETIME };
}

/** Reports the attempt to the log and the audit trail, as the token endpoint does. */
function report(
  request: SessionRequest,
  grant: 'password' | 'refresh_token',
  name: string,
  answer: TokenResponse | TokenError,
): void {
  const { id } = request.exchange;
  const outcome = answer.kind === 'token' ? 'token' : answer.error;
  const { address } = granteeOf(request);
  request.settings.service.observe({ kind: 'token', id, name, address, grant, outcome });
}

/** Without a refresh token, the browser keeps its cookie: another tab has just got the next one. */
async function sendTokens(request: SessionRequest, answer: TokenResponse): Promise<void> {
  const { accessToken, expiresIn, refreshToken, account } = answer;
  const body = {
    AccessToken: accessToken,
    ExpiresIn: expiresIn,
    IdleMinutes: request.console.idleMinutes(),
    Account: {
      Uid: account.uid,
      LoginName: account.loginName,
      Name: account.displayName,
    },
    ...(account.language === undefined ? {} : { Language: account.language }),
  };
  const cookie =
    refreshToken === undefined ? {} : { 'Set-Cookie': writeCookie(refreshToken, placeOf(request)) };
  await sendJson(request.exchange, body, cookie);
}

async function sendJson(
  exchange: Exchange,
  body: JsonInput,
  others: Readonly<Record<string, string>>,
): Promise<void> {
  const headers = { 'Content-Type': 'application/json', ...NOT_STORED, ...others };
  await send(exchange, { status: 200, headers, body: printJson(body) });
}
