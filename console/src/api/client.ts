// This file sends requests to the OData service with the token of the session. Int64 and Decimal values arrive as strings
// (IEEE754Compatible), since JavaScript numbers would round them.
import { CONSOLE_ROOT, ODATA_ROOT } from '../app/place.ts';
import { accessToken, renewGrant } from '../session/session.ts';
import { noteReachable, noteUnreachable } from './reachability.ts';
import { RequestFailed, readFailure } from './request-failed.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a Blob or FormData as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export const JSON_TYPE = 'application/json;IEEE754Compatible=true';

/** The language of texts from the service; set by the language of the console. */
let language = navigator.language;

export function setRequestLanguage(tag: string): void {
  language = tag;
}

/** The URL of a path below the root of the service (`ServiceRequests(1)`); absolute paths and URLs stay, so that next links can be passed. */
export function urlOf(path: string): string {
  return /^(?:https?:|\/)/.test(path) ? path : `${ODATA_ROOT}/${path}`;
}

/**
 * Sends a request and returns the response if it succeeded. A token that has ended is renewed, and the request is sent again; where the
 * session is over, it waits until the user has signed in. Rejects with RequestFailed, or with the AbortError of the signal.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const first = await accessToken();
  const response = await sendOnce(path, options, first);
  if (response.status !== 401) return await checked(response);
  return await checked(await sendOnce(path, options, await accessToken(first)));
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const failure = await readFailure(response);
  if (REQUIRED_STEPS.has(failure.code)) void renewGrant();
  throw failure;
}

/** Errors of an account that has to do something first since its session began. The next session says what, and the page shows it. */
const REQUIRED_STEPS = new Set(['auth.password-change', 'auth.second-factor-required']);

/** Characters: proxies reject longer URLs, though not all of them. */
const LONGEST_URL = 2000;

/** A read whose URL is too long sends its query as a body (OData Protocol 4.01, "Passing Query Options in the Request Body"). */
function shortened(path: string, options: RequestOptions): readonly [string, RequestOptions] {
  const at = path.indexOf('?');
  const isRead = options.method === undefined || options.method === 'GET';
  if (!isRead || at < 0 || urlOf(path).length <= LONGEST_URL) return [path, options];
  const headers = { ...options.headers, 'Content-Type': 'text/plain' };
  return [
    `${path.slice(0, at)}/$query`,
    { ...options, method: 'POST', headers, body: new Blob([path.slice(at + 1)]) },
  ];
}

async function sendOnce(
  wholePath: string,
  wholeOptions: RequestOptions,
  token: string,
): Promise<Response> {
  const [path, options] = shortened(wholePath, wholeOptions);
  const { method = 'GET', body, signal } = options;
  const isJson = body !== undefined && !(body instanceof Blob) && !(body instanceof FormData);
  const headers = {
    Accept: JSON_TYPE,
    'Accept-Language': language,
    ...(isJson ? { 'Content-Type': JSON_TYPE } : {}),
    ...options.headers,
    Authorization: `Bearer ${token}`,
  };
  try {
    const response = await fetch(urlOf(path), {
      method,
      headers,
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
      ...(signal === undefined ? {} : { signal }),
    });
    noteReachable(response);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    noteUnreachable();
    throw new RequestFailed(0, { code: 'unreachable', message: 'unreachable' });
  }
}

/** The body of a successful response as JSON; undefined for 204. */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await request(path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/**
 * Headers that make a writing request repeatable: sent again with the same headers, it is performed once
 * (OASIS Repeatable Requests Version 1.0, "Repeatable Requests").
 */
export function repeatable(): Readonly<Record<string, string>> {
  return {
    'Repeatability-Request-ID': crypto.randomUUID(),
    'Repeatability-First-Sent': new Date().toUTCString(),
  };
}

/** A path of the console itself, such as one of the session endpoints. */
export const consoleUrl = (path: string): string => `${CONSOLE_ROOT}${path}`;
