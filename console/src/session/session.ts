// This file keeps the session of the page: the access token lives in memory only, the refresh token in a cookie that scripts cannot read
// (docs/security.md, "The console"). Tabs share new tokens by a broadcast channel, and one tab at a time refreshes.
import { CONSOLE_ROOT } from '../app/place.ts';

interface Account {
  readonly Uid: string;
  readonly LoginName: string;
  readonly Name: string;
}

/** What the session endpoints return. */
interface Grant {
  readonly AccessToken: string;
  /** Seconds. */
  readonly ExpiresIn: number;
  readonly Account: Account;
  readonly Language?: string;
  /** Minutes without use after which the session ends. */
  readonly IdleMinutes?: number;
  /** Whether the service permits nothing before the account has changed its password. */
  readonly MustChangePassword?: true;
  /** Whether it permits nothing before the account has added the second factor that a role requires. */
  readonly MustAddSecondFactor?: true;
  readonly HasSecondFactor?: boolean;
}

export type RequiredStep = 'password' | 'factor';

/** What the account must do before anything else. */
export function requiredStep(grant: Grant): RequiredStep | undefined {
  if (grant.MustChangePassword === true) return 'password';
  return grant.MustAddSecondFactor === true ? 'factor' : undefined;
}

export type SessionState =
  /** The page has not yet asked whether the cookie is valid. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  /** Signed in before, and the session has ended: the page stays, and a dialog asks to sign in again. */
  | { readonly kind: 'ended'; readonly account: Account; readonly userName: string }
  | { readonly kind: 'signed-in'; readonly grant: Grant; readonly expires: number };

/** The outcome of a sign-in: an error has the message of the service, and the seconds to wait where it names them. */
export type SignIn =
  | { readonly kind: 'signed-in' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly retryAfter?: number;
      /** Whether the password is right and a code is needed: none was sent, or a wrong one. */
      readonly code?: 'missing' | 'wrong';
    };

const ENDPOINT = `${CONSOLE_ROOT}/session`;
const HEADERS = { 'Content-Type': 'application/json', 'X-Docket-Console': '1' };
/** Milliseconds before its end at which a token is replaced. */
const EARLY = 15_000;

let state: SessionState = { kind: 'unknown' };
/** The name of the last sign-in by this page. */
let userName = '';
const listeners = new Set<() => void>();
const channel = new BroadcastChannel('docket-session');

/** The present state; the same object until it changes. */
export const sessionState = (): SessionState => state;

/** Calls the listener after each change. Returns the way to stop. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function accept(grant: Grant): void {
  change({ kind: 'signed-in', grant, expires: Date.now() + grant.ExpiresIn * 1000 });
}

/** The account whose records the page shows, also after its session has ended. */
function accountShown(): Account | undefined {
  if (state.kind === 'signed-in') return state.grant.Account;
  return state.kind === 'ended' ? state.account : undefined;
}

channel.onmessage = ({ data }: MessageEvent<Grant | 'signed-out' | 'expired'>) => {
  const shown = accountShown();
  if (data === 'signed-out') leave();
  else if (data === 'expired') end();
  else if (shown === undefined || shown.Uid === data.Account.Uid) accept(data);
  // Another account signed in elsewhere: this page shows the data of the first one, so it starts again.
  else location.reload();
};

function share(grant: Grant): void {
  accept(grant);
  channel.postMessage(grant);
}

async function post(path: string, body: unknown): Promise<Response> {
  return await fetch(ENDPOINT + path, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
    credentials: 'same-origin',
  });
}

/** Signs in by name and password. Errors of the service are returned; a service that cannot be reached rejects. */
export async function signIn(
  UserName: string,
  Password: string,
  Code: string | undefined,
): Promise<SignIn> {
  const previous = state.kind === 'ended' ? state.account : undefined;
  const response = await post('', { UserName, Password, ...(Code ? { Code } : {}) });
  if (!response.ok) return await failure(response);
  userName = UserName;
  const grant = (await response.json()) as Grant;
  const isOther = previous !== undefined && previous.Uid !== grant.Account.Uid;
  share(grant);
  if (isOther) location.reload();
  return { kind: 'signed-in' };
}

const CODE_ERRORS: ReadonlyMap<string, 'missing' | 'wrong'> = new Map([
  ['auth.code-missing', 'missing'],
  ['auth.code', 'wrong'],
]);

async function failure(response: Response): Promise<SignIn> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string };
  };
  const message = body.error?.message ?? `${response.status} ${response.statusText}`;
  const seconds = Number(response.headers.get('Retry-After'));
  const code = CODE_ERRORS.get(body.error?.code ?? '');
  return {
    kind: 'failed',
    message,
    ...(seconds > 0 ? { retryAfter: seconds } : {}),
    ...(code === undefined ? {} : { code }),
  };
}

/** Uses the cookie to get an access token, if there is one: when the page opens, and to use the session without a request. */
export async function resume(): Promise<void> {
  await refresh();
}

/**
 * Runs one refresh at a time over all tabs. A tab that waited finds the token that another one has obtained. Browsers offer locks in secure
 * contexts only; elsewhere the service tolerates two refreshes at the same time.
 */
async function refresh(): Promise<void> {
  const before = state;
  const work = async () => {
    if (state === before) await refreshNow();
  };
  if (navigator.locks === undefined) await work();
  else await navigator.locks.request('docket-refresh', work);
}

async function refreshNow(): Promise<void> {
  const response = await post('/refresh', {});
  if (response.ok) share((await response.json()) as Grant);
  else if (response.status === 401 || response.status === 400) end();
  else throw new Error(`The session cannot be renewed: ${response.status}`);
}

/** The session is over: the page asks to sign in again. */
function end(): void {
  if (state.kind === 'signed-in') {
    const { Account: account } = state.grant;
    change({ kind: 'ended', account, userName: userName || account.LoginName });
  } else if (state.kind !== 'ended') change({ kind: 'signed-out' });
}

/**
 * Ends the session on the service and in all tabs after inactivity. Pages stay as they are, and drafts are kept. Without the service, this
 * page forgets its token at least.
 */
export async function expire(): Promise<void> {
  end();
  channel.postMessage('expired');
  await fetch(`${ENDPOINT}/refresh`, {
    method: 'DELETE',
    headers: HEADERS,
    credentials: 'same-origin',
  }).catch(() => undefined);
}

/**
 * An access token that is valid now. Waits for the sign-in where the session has ended.
 *
 * @param rejected a token that the service has rejected with 401
 */
export async function accessToken(rejected?: string): Promise<string> {
  const usable = () =>
    state.kind === 'signed-in' &&
    state.grant.AccessToken !== rejected &&
    state.expires - EARLY > Date.now();
  if (state.kind === 'signed-in' && !usable()) await refresh();
  while (!usable()) await nextChange();
  return state.kind === 'signed-in' ? state.grant.AccessToken : '';
}

async function nextChange(): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = onSessionChange(() => {
      stop();
      resolve();
    });
  });
}

/**
 * Asks the service for the session again, so that all tabs learn what the account has to do, or no longer has to. Without the service, they
 * learn it with their next token.
 */
export async function renewGrant(): Promise<void> {
  await refresh().catch(() => undefined);
}

const cleanups = new Set<() => Promise<void>>();

/** Registers what has to be erased when the account signs out, such as drafts. */
export function onSignOut(cleanup: () => Promise<void>): void {
  cleanups.add(cleanup);
}

/** Ends the session on the service and in all tabs, and erases what the page has stored. */
export async function signOut(): Promise<void> {
  const token = state.kind === 'signed-in' ? state.grant.AccessToken : undefined;
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await Promise.allSettled([...cleanups].map(async (cleanup) => await cleanup()));
  // The response erases all that the browser has stored. What is in localStorage are preferences, which belong to the browser.
  const preferences = Object.entries(localStorage);
  await fetch(ENDPOINT, {
    method: 'DELETE',
    headers: { ...HEADERS, ...authorization },
    credentials: 'same-origin',
  });
  for (const [name, value] of preferences) localStorage.setItem(name, value);
  channel.postMessage('signed-out');
  leave();
}

/**
 * Loads the page again, so that its memory keeps no record, right or model of the account for the next one. First the screens close, whose
 * changes that were not saved would ask whether to stay.
 */
function leave(): void {
  change({ kind: 'signed-out' });
  setTimeout(() => location.replace(`${CONSOLE_ROOT}/`));
}
