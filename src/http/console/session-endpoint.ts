// This file answers the session endpoints of the console: a browser signs in and gets an access token, which the page keeps in memory, and a
// refresh token in a cookie that scripts cannot read. The rules of granting tokens are in auth/token-grants.ts.
import { codeMissing, signedOut, wrongCredentials, wrongLoginCode } from '../../auth/challenge.ts';
import { slowed } from '../../auth/session.ts';
import { hashToken } from '../../auth/token.ts';
import {
  grantPassword,
  grantRefresh,
  type TokenError,
  type TokenResponse,
} from '../../auth/token-grants.ts';
import { Fault, notAllowed } from '../../base/fault.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import type { AppSettings } from '../app-settings.ts';
import { clientAddress } from '../client-address.ts';
import { pathOf } from '../request-target.ts';
import { type Exchange, send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS } from '../service-location.ts';
import { readCredentials } from './read-credentials.ts';
import { requireConsole } from './require-console.ts';
import { REFRESH_COOKIE, readCookie, writeCookie } from './session-cookie.ts';
import {
  granteeOf,
  NOT_STORED,
  placeOf,
  refreshCookie,
  requireEnabled,
  requireEncrypted,
  type SessionRequest,
} from './session-request.ts';
import { beginSignIn, finishSignIn } from './sign-in-endpoint.ts';

type SessionHandler = (request: SessionRequest) => Promise<void>;

const HANDLERS: ReadonlyMap<string, Readonly<Record<string, SessionHandler>>> = new Map([
  [ENDPOINTS.session, { POST: signIn, DELETE: signOut }],
  [`${ENDPOINTS.session}/refresh`, { POST: refresh, DELETE: expire }],
  [`${ENDPOINTS.session}/options`, { GET: sendOptions, HEAD: sendOptions }],
  [`${ENDPOINTS.session}/sign-in`, { GET: beginSignIn }],
  [`${ENDPOINTS.session}/callback`, { GET: finishSignIn }],
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
  if (answer.error === 'code_missing') throw codeMissing();
  throw answer.error === 'code_wrong' ? wrongLoginCode() : wrongCredentials();
}

/** POST /console/session/refresh */
async function refresh(request: SessionRequest): Promise<void> {
  const { exchange, settings } = request;
  requireSafe(request);
  requireEnabled(settings);
  const place = placeOf(request);
  const token = readCookie(exchange.request, REFRESH_COOKIE, place);
  if (token === undefined) throw signedOut(NOT_STORED);
  const answer = await grantRefresh(
    token,
    { ...granteeOf(request), sharesRefresh: true },
    settings.grants,
  );
  report(request, 'refresh_token', '', answer);
  if (answer.kind === 'token') return await sendTokens(request, answer);
  throw signedOut({ ...NOT_STORED, 'Set-Cookie': writeCookie(undefined, REFRESH_COOKIE, place) });
}

/** DELETE /console/session. Without a session, there is nothing to end, but the browser forgets what it has stored. */
async function signOut(request: SessionRequest): Promise<void> {
  await endSession(request, { 'Clear-Site-Data': '"storage"' });
}

/** DELETE /console/session/refresh, after inactivity: the browser keeps drafts for the account. */
async function expire(request: SessionRequest): Promise<void> {
  await endSession(request, {});
}

async function endSession(
  request: SessionRequest,
  others: Readonly<Record<string, string>>,
): Promise<void> {
  const { exchange, settings } = request;
  requireSafe(request);
  const place = placeOf(request);
  const token = readCookie(exchange.request, REFRESH_COOKIE, place);
  if (token !== undefined) await endLogin(token, request);
  const headers = {
    ...NOT_STORED,
    'Set-Cookie': writeCookie(undefined, REFRESH_COOKIE, place),
    ...others,
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
  const choices = console.signIn?.choices ?? [];
  const body = {
    Issuers: choices.map(({ issuer, name }) => ({ Issuer: issuer, Name: name })),
    Languages: settings.service.languages,
    Version: console.version,
  };
  await sendJson(exchange, body, {});
}

/** Only pages of the console may use the cookie, and only where nobody on the network reads along. */
function requireSafe({ exchange: { request }, settings }: SessionRequest): void {
  requireConsole(request, settings);
  requireEncrypted(request, settings);
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
  const hasSecondFactor = await request.settings.grants.records.needsCode(account.uid);
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
    ...(hasSecondFactor ? { HasSecondFactor: true } : {}),
    ...(account.requiredStep === 'change-password' ? { MustChangePassword: true } : {}),
    ...(account.requiredStep === 'add-second-factor' ? { MustAddSecondFactor: true } : {}),
  };
  const cookie = refreshToken === undefined ? {} : refreshCookie(request, refreshToken);
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
