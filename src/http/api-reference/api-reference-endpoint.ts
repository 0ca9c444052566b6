// This file answers /docs and /docs/api: the page of the API reference, its files, and those of Swagger UI. They need no token, because
// they contain nothing of the service.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Fault, notAllowed } from '../../base/fault.ts';
import { readConditions } from '../../request/headers/entity-tags.ts';
import { conditional } from '../../response/conditional.ts';
import type { Answer } from '../../response/response.ts';
import type { AppSettings } from '../app-settings.ts';
import { pathOf } from '../request-target.ts';
import { type Exchange, send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS } from '../service-location.ts';

interface FileSource {
  readonly type: string;
  /** Returns the URL of the file. Packages may be in another directory of the installation. */
  readonly locate: () => string;
}

const source = (type: string, locate: () => string): FileSource => ({
  type: `${type}; charset=utf-8`,
  locate,
});

const PAGE = ENDPOINTS.apiReference;

const FILES: ReadonlyMap<string, FileSource> = new Map([
  [PAGE, source('text/html', () => import.meta.resolve('./page.html'))],
  [`${PAGE}/page.css`, source('text/css', () => import.meta.resolve('./page.css'))],
  [`${PAGE}/page.js`, source('text/javascript', () => import.meta.resolve('./page.js'))],
  [
    `${PAGE}/swagger-ui.css`,
    source('text/css', () => import.meta.resolve('swagger-ui-dist/swagger-ui.css')),
  ],
  [
    `${PAGE}/swagger-ui-bundle.js`,
    source('text/javascript', () => import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ],
]);

/** Relative, because a proxy may have removed a prefix from the path. */
const REDIRECTS: ReadonlyMap<string, string> = new Map([
  [ENDPOINTS.docs, 'docs/api'],
  [`${ENDPOINTS.docs}/`, 'api'],
  [`${PAGE}/`, '../api'],
]);

/** No inline scripts or styles, and no other servers. Swagger UI has its icons in data URLs. */
const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** By path, and whether the description needs a token. */
const cached = new Map<string, Answer>();

/** Sends the page, one of its files, or 304. Throws: http.unknown-address, request.method, request.header, response.changed. */
export async function answerApiReference(
  exchange: Exchange,
  { service, location, apiReference = true }: AppSettings,
): Promise<void> {
  const { method = '', headers } = exchange.request;
  const path = pathOf(exchange.request);
  const target = REDIRECTS.get(path);
  const file = FILES.get(path);
  if (!apiReference || (target === undefined && file === undefined))
    throw unknownAddress(path, (location ?? DEFAULT_LOCATION).basePath);
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, ['GET', 'HEAD']);
  if (file === undefined) return await send(exchange, redirectTo(target ?? ''));
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  const conditions = readConditions({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
  await send(
    exchange,
    conditional(await contentOf(path, file, service.anonymous.has('metadata')), conditions),
  );
}

function unknownAddress(path: string, root: string): Fault {
  return new Fault('http.unknown-address', { path: path.slice(0, 100), root });
}

function redirectTo(target: string): Answer {
  return { status: 302, headers: { Location: target }, body: undefined };
}

/** Reads a file on first use. Browsers keep it, and ask whether it has changed. */
async function contentOf(path: string, file: FileSource, isAnonymous: boolean): Promise<Answer> {
  const key = `${path} ${isAnonymous}`;
  const answer = cached.get(key) ?? (await readContent(file, isAnonymous));
  cached.set(key, answer);
  return answer;
}

async function readContent({ type, locate }: FileSource, isAnonymous: boolean): Promise<Answer> {
  const text = await readFile(fileURLToPath(locate()), 'utf8');
  const body = isAnonymous ? text.replace(' data-needs-sign-in', '') : text;
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const headers = {
    ...PAGE_HEADERS,
    'Content-Type': type,
    'Cache-Control': 'no-cache',
    // Weak, since compression changes the bytes.
    ETag: `W/"${digest}"`,
    Vary: 'Accept-Encoding',
  };
  return { status: 200, headers, body };
}
