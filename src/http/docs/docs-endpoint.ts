// This file answers /docs and the paths below it: the documentation, the API reference, and their files. They need no token, because they
// contain nothing of the service.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Fault, notAllowed } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { PACKAGE_ROOT } from '../../base/package-root.ts';
import { readConditions } from '../../request/headers/entity-tags.ts';
import { conditional } from '../../response/conditional.ts';
import type { Answer } from '../../response/response.ts';
import type { AppSettings } from '../app-settings.ts';
import { pathOf } from '../request-target.ts';
import { type Exchange, send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS } from '../service-location.ts';
import { docsPage } from './docs-page.ts';
import { DocsSet } from './docs-set.ts';

interface DocsFile {
  readonly type: string;
  readonly content: string | Uint8Array;
}

const START = `${ENDPOINTS.docs}/`;

/** Files of the program by their paths below `/docs/`. Packages may be in another directory of the installation. */
const FILES: ReadonlyMap<string, readonly [type: string, locate: () => string]> = new Map([
  ['page.css', ['text/css', () => import.meta.resolve('./page.css')]],
  ['api', ['text/html', () => import.meta.resolve('./api-reference.html')]],
  ['api/page.css', ['text/css', () => import.meta.resolve('./api-reference.css')]],
  ['api/page.js', ['text/javascript', () => import.meta.resolve('./api-reference.js')]],
  ['api/swagger-ui.css', ['text/css', () => import.meta.resolve('swagger-ui-dist/swagger-ui.css')]],
  [
    'api/swagger-ui-bundle.js',
    ['text/javascript', () => import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  ],
]);

/** Relative, because a proxy may have removed a prefix from the path. */
const REDIRECTS: ReadonlyMap<string, string> = new Map([
  [ENDPOINTS.docs, 'docs/'],
  [`${ENDPOINTS.apiReference}/`, '../api'],
]);

/** No inline scripts or styles, and no other servers. Swagger UI has its icons in data URLs. */
const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

let set: Promise<DocsSet | undefined> | undefined;

function docsSet(): Promise<DocsSet | undefined> {
  set ??= DocsSet.open(PACKAGE_ROOT);
  return set;
}

/** By path, and whether the description of the API needs a token. */
const cached = new Map<string, Answer>();

/** Sends a page, one of its files, or 304. Throws: http.unknown-address, docs.unknown, request.method, request.header, response.changed. */
export async function answerDocs(exchange: Exchange, settings: AppSettings): Promise<void> {
  const { service, apiReference = true, location = DEFAULT_LOCATION } = settings;
  const { method = '', headers } = exchange.request;
  const path = pathOf(exchange.request);
  if (!apiReference)
    throw new Fault('http.unknown-address', { path: path.slice(0, 100), root: location.basePath });
  const target = REDIRECTS.get(path);
  const found =
    target === undefined ? await contentOf(path, service.anonymous.has('metadata')) : undefined;
  if (target === undefined && found === undefined) throw await unknownPage(path);
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, ['GET', 'HEAD']);
  if (found === undefined) return await send(exchange, redirectTo(target ?? ''));
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  const conditions = readConditions({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
  await send(exchange, conditional(found, conditions));
}

async function unknownPage(path: string): Promise<Fault> {
  const name = path.slice(START.length, START.length + 100);
  const pages = (await docsSet())?.pages ?? [];
  return new Fault('docs.unknown', { name, nearest: didYouMean(name, pages) });
}

function redirectTo(target: string): Answer {
  return { status: 302, headers: { Location: target }, body: undefined };
}

/** Reads what has the path on first use. Browsers keep it, and ask whether it has changed. */
async function contentOf(path: string, isAnonymous: boolean): Promise<Answer | undefined> {
  const key = `${path} ${isAnonymous}`;
  const known = cached.get(key);
  if (known !== undefined) return known;
  const name = path.slice(START.length);
  const file = path.startsWith(START) ? await readDocs(name, isAnonymous) : undefined;
  if (file === undefined) return undefined;
  const answer = answerWith(file);
  cached.set(key, answer);
  return answer;
}

async function readDocs(name: string, isAnonymous: boolean): Promise<DocsFile | undefined> {
  const [type, locate] = FILES.get(name) ?? [];
  if (type !== undefined && locate !== undefined) {
    const text = await readFile(fileURLToPath(locate()), 'utf8');
    return { type, content: isAnonymous ? text.replace(' data-needs-sign-in', '') : text };
  }
  const pages = await docsSet();
  if (pages === undefined) return undefined;
  const html = await docsPage(pages, name);
  return html === undefined ? await pages.image(name) : { type: 'text/html', content: html };
}

function answerWith({ type, content }: DocsFile): Answer {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  const headers = {
    ...PAGE_HEADERS,
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Cache-Control': 'no-cache',
    // Weak, since compression changes the bytes.
    ETag: `W/"${digest}"`,
    Vary: 'Accept-Encoding',
  };
  return { status: 200, headers, body: content };
}
