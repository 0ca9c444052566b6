// This file answers /console and the paths below it, other than those of the session endpoints: the page, which is the same for all paths
// because it shows what the path names, and its files. They need no token, because they contain nothing of the service.
import { Fault, notAllowed } from '../../base/fault.ts';
import { readConditions } from '../../request/headers/entity-tags.ts';
import { conditional } from '../../response/conditional.ts';
import type { Answer } from '../../response/response.ts';
import { acceptsCoding } from '../accept-encoding.ts';
import type { AppSettings, ConsoleSettings } from '../app-settings.ts';
import { clientAddress } from '../client-address.ts';
import { pathOf } from '../request-target.ts';
import { type Exchange, send } from '../send-response.ts';
import { DEFAULT_LOCATION, ENDPOINTS, publicRoot, publicServer } from '../service-location.ts';
import type { ConsoleFile } from './console-files.ts';
import { type ConsolePaths, pageAnswer, pageHeaders, unbuiltAnswer } from './console-page.ts';

/** Files whose names change with their content. */
const ASSETS = 'assets/';

const NONCE_BYTES = 16;

/** Sends the page or a file. Throws: http.unknown-address, request.method, request.header, response.changed. */
export async function answerConsole(exchange: Exchange, settings: AppSettings): Promise<void> {
  const { request } = exchange;
  const { console, service, proxies } = settings;
  const start = service.world.elapsed();
  const path = pathOf(request);
  if (console === undefined) throw unknownAddress(path, settings);
  const { method = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, ['GET', 'HEAD']);
  const answer = await answerFor(path, exchange, settings, console);
  const address = clientAddress(request, proxies);
  // Paths of pages contain keys.
  service.observe({
    kind: 'request',
    id: exchange.id,
    method,
    path,
    route: () => `${ENDPOINTS.console}/*`,
    isPart: false,
    status: answer.status,
    fault: undefined,
    milliseconds: service.world.elapsed() - start,
    bytes: 0,
    stages: {},
    planCached: undefined,
    responseCached: undefined,
    account: undefined,
    apiKey: undefined,
    client: request.headers['user-agent'],
    address,
    trace: undefined,
  });
  await send(exchange, answer);
}

async function answerFor(
  path: string,
  { request }: Exchange,
  settings: AppSettings,
  { files }: ConsoleSettings,
): Promise<Answer> {
  const html = await files.page();
  if (html === undefined) return unbuiltAnswer();
  const name = path.slice(ENDPOINTS.console.length + 1);
  const file = await files.file(name);
  if (file !== undefined) {
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
    const conditions = readConditions({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
    return conditional(fileAnswer(name, file, request.headers['accept-encoding']), conditions);
  }
  if (name.startsWith(ASSETS)) throw unknownAddress(path, settings);
  const nonce = Buffer.from(settings.service.world.randomBytes(NONCE_BYTES)).toString('base64');
  return pageAnswer(html, pathsFor(request, settings), nonce);
}

function fileAnswer(
  name: string,
  { type, content, br, gzip, digest }: ConsoleFile,
  accepted: string | string[] | undefined,
): Answer {
  const isScript = type.startsWith('text/javascript');
  const headers = {
    ...(isScript ? pageHeaders() : { 'Cross-Origin-Resource-Policy': 'same-origin' }),
    'Content-Type': type,
    'Cache-Control': name.startsWith(ASSETS) ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Weak, since compression changes the bytes.
    ETag: `W/"${digest}"`,
    Vary: 'Accept-Encoding',
  };
  const coded = (coding: string, body: Uint8Array) => ({
    status: 200,
    headers: { ...headers, 'Content-Encoding': coding },
    body,
  });
  if (br !== undefined && acceptsCoding(accepted, 'br')) return coded('br', br);
  if (gzip !== undefined && acceptsCoding(accepted, 'gzip')) return coded('gzip', gzip);
  return { status: 200, headers, body: content };
}

/** Throws: request.header. */
function pathsFor(
  request: Exchange['request'],
  { proxies, location = DEFAULT_LOCATION }: AppSettings,
): ConsolePaths {
  const server = publicServer(request, proxies, location);
  return {
    console: new URL(`${server}${ENDPOINTS.console}`).pathname,
    odata: new URL(publicRoot(request, proxies, location)).pathname.replace(/\/$/, ''),
  };
}

function unknownAddress(path: string, { location = DEFAULT_LOCATION }: AppSettings): Fault {
  return new Fault('http.unknown-address', {
    path: path.slice(0, 100),
    root: location.basePath,
  });
}
