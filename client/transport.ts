// Sends the requests of generated clients: signs in, repeats what the service was too busy for, and turns error responses into DocketError.
import { numberText } from './filter.ts';

/** One mistake of a request. */
export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

/** An error that the service returned. `code` and `details` are described in docs/errors.md. */
export class DocketError extends Error {
  readonly status: number;
  readonly code: string;
  readonly target: string | undefined;
  readonly details: readonly ErrorDetail[];

  constructor(status: number, error: Partial<ErrorDetail> & { details?: readonly ErrorDetail[] }) {
    super(error.message ?? `The service returned ${status}.`);
    this.name = 'DocketError';
    this.status = status;
    this.code = error.code ?? String(status);
    this.target = error.target;
    this.details = error.details ?? [];
  }
}

export interface OutgoingRequest {
  readonly method: string;
  /** Relative to the service root, or absolute. */
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  /** A body as JSON. */
  readonly json?: unknown;
  /** Any other body. */
  readonly body?: string | Blob | FormData;
  readonly signal?: AbortSignal | undefined;
  /** Called while the body is sent, with the number of bytes. */
  readonly onProgress?: ((sent: number) => void) | undefined;
}

export interface Transport {
  /** Returns a response with a status below 400. Throws: DocketError. */
  send(request: OutgoingRequest): Promise<Response>;
}

type Fetch = typeof fetch;

/** Supplies the Authorization header. */
export interface SignIn {
  /** @param rejected the header that the service has just rejected with 401 */
  header(rejected: string | undefined, send: Fetch, root: string): Promise<string>;
}

export interface ClientOptions {
  /** The service root, `https://desk.example/odata`. */
  readonly root: string;
  readonly signIn?: SignIn;
  /** Language of the texts of codes. The unions of texts in this file are those of its default. */
  readonly language?: string;
  /** How often a request is sent again after 429, 503 or a lost connection. Default: 4. */
  readonly retries?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** A token or API key, or a function that returns the current one. It is called again if the service rejects a token. */
export function tokenSignIn(token: string | (() => string | Promise<string>)): SignIn {
  return {
    header: async () => `Bearer ${typeof token === 'string' ? token : await token()}`,
  };
}

/** The name of an account and one of its API keys, as Basic authentication. */
export function basicSignIn(account: string, key: string): SignIn {
  const bytes = new TextEncoder().encode(`${account}:${key}`);
  const header = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  return { header: async () => header };
}

interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
}

interface StoredToken extends TokenResponse {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly end: () => Promise<void>;
}

/** Tokens are refreshed before they expire, so that none expires while a request is under way. Milliseconds. */
const EARLY = 30_000;

/** Logs in with a password, and refreshes the token. Requests at the same time share one token request. */
export class PasswordSignIn implements SignIn {
  readonly #account: { readonly username: string; readonly password: string };
  readonly #url: string | undefined;
  #token: Promise<StoredToken> | undefined;

  /** @param options `tokenUrl` is `/token` on the server of the service root by default */
  constructor(options: {
    readonly username: string;
    readonly password: string;
    readonly tokenUrl?: string;
  }) {
    this.#account = { username: options.username, password: options.password };
    this.#url = options.tokenUrl;
  }

  async header(rejected: string | undefined, send: Fetch, root: string): Promise<string> {
    const pending = this.#token;
    const current = await pending?.catch(() => undefined);
    const isUsable =
      current !== undefined && current.until > Date.now() && headerOf(current) !== rejected;
    // Another request may have replaced the token meanwhile.
    if (!isUsable && this.#token === pending) this.#token = this.#renew(current, send, root);
    return isUsable ? headerOf(current) : headerOf(await (this.#token ?? this.#logIn(send, root)));
  }

  /** Ends the session of the token, if there is one. The next request logs in again. */
  async endSession(): Promise<void> {
    const token = await this.#token?.catch(() => undefined);
    this.#token = undefined;
    await token?.end();
  }

  async #renew(old: StoredToken | undefined, send: Fetch, root: string): Promise<StoredToken> {
    if (old?.refresh_token === undefined) return await this.#logIn(send, root);
    const fields = { grant_type: 'refresh_token', refresh_token: old.refresh_token };
    // A refresh token may have expired.
    return await this.#request(fields, send, root).catch(() => this.#logIn(send, root));
  }

  async #logIn(send: Fetch, root: string): Promise<StoredToken> {
    return await this.#request({ grant_type: 'password', ...this.#account }, send, root);
  }

  async #request(
    fields: { readonly [name: string]: string },
    send: Fetch,
    root: string,
  ): Promise<StoredToken> {
    const url = this.#url ?? new URL('/token', root).href;
    const response = await send(url, { method: 'POST', body: new URLSearchParams(fields) });
    if (!response.ok) throw await errorOf(response);
    const token = (await response.json()) as TokenResponse;
    const end = async () => {
      const headers = { Authorization: headerOf(token) };
      await send(new URL('/connect/endsession', url), { method: 'POST', headers });
    };
    return { ...token, end, until: Date.now() + token.expires_in * 1000 - EARLY };
  }
}

function headerOf(token: TokenResponse): string {
  return `Bearer ${token.access_token}`;
}

/** The error of a response, also if its body is not that of an OData error. */
export async function errorOf(response: Response): Promise<DocketError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as {
      error?: Partial<ErrorDetail> | string;
      error_description?: string;
    };
    const error =
      typeof body.error === 'object'
        ? body.error
        : { code: body.error ?? '', message: body.error_description ?? text };
    return new DocketError(response.status, error);
  } catch {
    return new DocketError(response.status, text === '' ? {} : { message: text.slice(0, 500) });
  }
}

/** Sends requests over HTTP. */
export function httpTransport(options: ClientOptions): Transport {
  const root = options.root.endsWith('/') ? options.root : `${options.root}/`;
  return {
    send: async (request) => {
      const url = new URL(request.url, root);
      if (url.origin !== new URL(root).origin)
        throw new TypeError(`${url.href} is not a URL of ${root}. The token is not sent there.`);
      const response = await sendRepeatedly(request, url.href, options, root);
      if (response.status >= 400) throw await errorOf(response);
      return response;
    },
  };
}

/**
 * Sends a request, again after 429 and 503, and after a lost connection. The same Idempotency-Key makes the service run a POST once.
 * A rejected token is replaced once.
 */
async function sendRepeatedly(
  request: OutgoingRequest,
  url: string,
  options: ClientOptions,
  root: string,
): Promise<Response> {
  const { signIn, retries = 4, fetch: send = fetch } = options;
  const headers: { [name: string]: string } = { Accept: 'application/json', ...request.headers };
  if (options.language !== undefined) headers['Accept-Language'] = options.language;
  if (request.json !== undefined) headers['Content-Type'] = 'application/json';
  if (request.method === 'POST') headers['Idempotency-Key'] = randomId();
  let rejected: string | undefined;
  const isAborted = () => request.signal?.aborted === true;
  for (let attempt = 0; ; attempt += 1) {
    const authorization = await signIn?.header(rejected, send, root);
    if (authorization !== undefined) Object.assign(headers, { Authorization: authorization });
    const isLast = attempt >= retries;
    const response = await sendOnce(request, url, headers, send).catch((error: unknown) => {
      // A PATCH has no key, and may have changed the record although its response was lost.
      if (isLast || isAborted() || request.method === 'PATCH') throw error;
      return undefined;
    });
    const isBusy = response?.status === 429 || response?.status === 503;
    if (response?.status === 401 && rejected === undefined && authorization !== undefined) {
      rejected = authorization;
    } else if (response !== undefined && (isLast || !isBusy)) return response;
    else await pause(delayOf(response, attempt), request.signal);
    await response?.body?.cancel();
  }
}

/** The time of Retry-After (seconds or a date), otherwise half a second, doubled with every attempt. Milliseconds. */
function delayOf(response: Response | undefined, attempt: number): number {
  const header = response?.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? 500 * 2 ** attempt : Math.max(0, until - Date.now());
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** `crypto.randomUUID` exists only in pages that were loaded over HTTPS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A body as JSON. What JSON would write as null is a text, as in OData (INF, NaN), or for the service to reject (Invalid Date). */
export function jsonText(body: unknown): string {
  return JSON.stringify(body, function (this: Readonly<Record<string, unknown>>, name, value) {
    if (typeof value === 'number' && !Number.isFinite(value)) return numberText(value);
    const isInvalidDate = value === null && this[name] instanceof Date;
    return isInvalidDate ? String(this[name]) : value;
  });
}

async function sendOnce(
  request: OutgoingRequest,
  url: string,
  headers: { readonly [name: string]: string },
  send: Fetch,
): Promise<Response> {
  const { method, signal = null, onProgress } = request;
  const body = request.json === undefined ? request.body : jsonText(request.json);
  if (onProgress === undefined || body === undefined)
    return await send(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
  const XmlHttpRequest: unknown = Reflect.get(globalThis, 'XMLHttpRequest');
  if (typeof XmlHttpRequest === 'function')
    return await sendFromPage(request, url, headers, XmlHttpRequest as UploaderClass);
  // The constructor of Response encodes forms, with a boundary in its content type.
  const encoded = new Response(body);
  const type = encoded.headers.get('content-type');
  const stream = {
    method,
    signal,
    headers: { ...headers, ...(type === null ? {} : { 'Content-Type': type }) },
    body: counted(encoded, onProgress),
    duplex: 'half',
  };
  return await send(url, stream as RequestInit);
}

function counted(encoded: Response, onProgress: (sent: number) => void): unknown {
  const reader = encoded.body?.getReader();
  let sent = 0;
  return new ReadableStream({
    pull: async (controller) => {
      const next = await reader?.read();
      if (next === undefined || next.done) return controller.close();
      sent += next.value.byteLength;
      onProgress(sent);
      controller.enqueue(next.value);
    },
    cancel: async (reason) => await reader?.cancel(reason),
  });
}

/** What this file uses of XMLHttpRequest, the only means of browsers to report the progress of an upload. */
interface Uploader {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: unknown): void;
  abort(): void;
}

type UploaderClass = new () => Uploader;

async function sendFromPage(
  { method, body, signal, onProgress }: OutgoingRequest,
  url: string,
  headers: { readonly [name: string]: string },
  XmlHttpRequest: UploaderClass,
): Promise<Response> {
  return await new Promise((resolve, reject) => {
    const uploader = new XmlHttpRequest();
    uploader.open(method, url);
    for (const [name, value] of Object.entries(headers)) uploader.setRequestHeader(name, value);
    uploader.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
    uploader.onload = () => resolve(responseOf(uploader));
    uploader.onerror = () => reject(new TypeError('The connection was lost.'));
    uploader.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', () => uploader.abort());
    uploader.send(body);
  });
}

function responseOf(uploader: Uploader): Response {
  const headers = new Headers();
  for (const name of ['content-type', 'retry-after', 'etag', 'location']) {
    const value = uploader.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  const text = uploader.status === 204 ? null : uploader.responseText;
  return new Response(text, { status: uploader.status, headers });
}
