// This file answers the sign-in of the console at an issuer: it sends the browser there, and opens a session when it comes back. Browsers
// navigate to these endpoints, so that failures appear on the sign-in page. The rules of the sign-in are in auth/issuers/.
import type { IssuerSignIn } from '../../auth/issuers/sign-in.ts';
import {
  printAttempt,
  readAttempt,
  type SignInAttempt,
} from '../../auth/issuers/sign-in-attempt.ts';
import { SignInFailed } from '../../auth/issuers/sign-in-failed.ts';
import { openLogin } from '../../auth/token-grants.ts';
import { Fault } from '../../base/fault.ts';
import { queryOf } from '../request-target.ts';
import { send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS, publicServer } from '../service-location.ts';
import { returnPath, withObstacle } from './return-path.ts';
import { ATTEMPT_COOKIE, REFRESH_COOKIE, readCookie, writeCookie } from './session-cookie.ts';
import {
  granteeOf,
  NOT_STORED,
  placeOf,
  requireEnabled,
  requireEncrypted,
  type SessionRequest,
} from './session-request.ts';

/** Where a request sends the browser, with the cookies that it gets. */
interface Redirect {
  readonly to: string;
  readonly cookies: readonly string[];
}

/** GET /console/session/sign-in?issuer=…&return=… */
export async function beginSignIn(request: SessionRequest): Promise<void> {
  const parameters = new URLSearchParams(queryOf(request.exchange.request));
  const root = new URL(consoleUrl(request)).pathname;
  const returnTo = returnPath(parameters.get('return'), root);
  const issuer = parameters.get('issuer') ?? '';
  const found = await toIssuer(request, { issuer, returnTo }).catch((error: unknown) => ({
    to: withObstacle(returnTo, obstacleOf(error, request)),
    cookies: [],
  }));
  await redirect(request, found);
}

/** Throws: SignInFailed, auth.insecure, store.not-enabled. */
async function toIssuer(
  request: SessionRequest,
  target: Pick<SignInAttempt, 'issuer' | 'returnTo'>,
): Promise<Redirect> {
  requireOwnPage(request);
  requireSafe(request);
  const { url, attempt } = await signInOf(request).begin(target, callbackUrl(request));
  const cookie = writeCookie(printAttempt(attempt), ATTEMPT_COOKIE, placeOf(request));
  return { to: url, cookies: [cookie] };
}

/** GET /console/session/callback, to which the issuer sends the browser. An attempt can be finished once. */
export async function finishSignIn(request: SessionRequest): Promise<void> {
  const { exchange, settings } = request;
  const place = placeOf(request);
  const cookie = readCookie(exchange.request, ATTEMPT_COOKIE, place) ?? '';
  const attempt = readAttempt(cookie, settings.service.world.now());
  const root = new URL(consoleUrl(request)).pathname;
  const returnTo = returnPath(attempt?.returnTo ?? null, root);
  const forget = writeCookie(undefined, ATTEMPT_COOKIE, place);
  const found = await refreshTokenFor(request, attempt).then(
    (token) => ({ to: returnTo, cookies: [forget, writeCookie(token, REFRESH_COOKIE, place)] }),
    (error: unknown) => ({
      to: withObstacle(returnTo, obstacleOf(error, request)),
      cookies: [forget],
    }),
  );
  await redirect(request, found);
}

/** Opens a session of the account that has signed in. Throws: SignInFailed, auth.insecure, store.not-enabled, auth.busy. */
async function refreshTokenFor(
  request: SessionRequest,
  attempt: SignInAttempt | undefined,
): Promise<string | undefined> {
  requireSafe(request);
  const grantee = granteeOf(request);
  const account = await signInOf(request).finish({
    answer: new URLSearchParams(queryOf(request.exchange.request)),
    attempt,
    callback: callbackUrl(request),
    address: grantee.address,
  });
  const { refreshToken } = await openLogin(
    account,
    { ...grantee, method: 'issuer' },
    request.settings.grants,
  );
  report(request, { name: account.loginName, outcome: 'token' });
  return refreshToken;
}

/** Other sites must not sign people in without their knowledge. Browsers name the site that has caused a request. */
function requireOwnPage({ exchange: { request } }: SessionRequest): void {
  const site = request.headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none')
    throw new SignInFailed('restart', 'a page of another site has begun it');
}

function requireSafe({ exchange, settings }: SessionRequest): void {
  requireEncrypted(exchange.request, settings);
  requireEnabled(settings);
}

function signInOf({ console }: SessionRequest): IssuerSignIn {
  if (console.signIn !== undefined) return console.signIn;
  throw new SignInFailed('issuer', 'no issuer is configured for the console');
}

function consoleUrl({ exchange, settings }: SessionRequest): string {
  const { proxies, location = DEFAULT_LOCATION } = settings;
  return `${publicServer(exchange.request, proxies, location)}${ENDPOINTS.console}`;
}

/** The redirect URI that the issuer knows. */
function callbackUrl(request: SessionRequest): string {
  return `${consoleUrl(request)}/session/callback`;
}

/** What the sign-in page explains about an error, which is reported here. Rethrows internal errors. */
function obstacleOf(error: unknown, request: SessionRequest): string {
  if (error instanceof SignInFailed) {
    report(request, { name: '', outcome: error.obstacle, reason: error.message });
    return error.obstacle;
  }
  if (error instanceof Fault && error.code === 'auth.insecure') return 'insecure';
  if (error instanceof Fault && error.status === 503) return 'busy';
  throw error;
}

interface Outcome {
  readonly name: string;
  readonly outcome: string;
  readonly reason?: string;
}

function report(request: SessionRequest, outcome: Outcome): void {
  const { id } = request.exchange;
  const { address } = granteeOf(request);
  const grant = 'authorization_code';
  request.settings.service.observe({ kind: 'token', id, address, grant, ...outcome });
}

/** 303 makes browsers use GET. The URLs contain codes, so that no page may learn them: all responses have Referrer-Policy. */
async function redirect({ exchange }: SessionRequest, { to, cookies }: Redirect): Promise<void> {
  const headers = { ...NOT_STORED, Location: to };
  await send(exchange, { status: 303, headers, cookies, body: undefined });
}
