// This file mounts the service on HTTP: addresses, limits, who calls from where, and the reply. What a request means is decided in
// service/; here bytes become a Call and an Answer becomes bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { type Grants, grant } from '../auth/grant.ts';
import { Fault } from '../base/fault.ts';
import type { Answer } from '../response/answer.ts';
import { faultAnswer, handle } from '../service/handle.ts';
import type { Call, Service } from '../service/service.ts';
import { readBody } from './body.ts';
import { calledOrigin, clientAddress, type Proxies } from './client.ts';
import { readForm, refuse, type TokenReply, writeTokenReply } from './token.ts';

export interface AppSettings {
  readonly service: Service;
  readonly grants: Grants;
  readonly proxies: Proxies;
  /** Origins of browsers that may call; `*` for all. */
  readonly corsOrigins: ReadonlySet<string>;
}

/** Path of the service root. */
export const ROOT = '/odata';

const HEADER_BYTES = 32_768;
const TOKEN_BODY_BYTES = 16_384;
/** Shorter answers are not worth compressing. */
const COMPRESSED_FROM = 8192;

const compress = promisify(gzip);

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
};
type Handler = (exchange: Exchange) => Promise<void>;

/** The application, not yet listening. Whoever started `drain` gets 503 for what comes afterwards. */
export interface App {
  readonly server: FastifyInstance;
  readonly drain: () => void;
  /** Requests that are being answered. */
  readonly pending: () => number;
}

export function createApp(settings: AppSettings): App {
  const state = { isDraining: false, pending: 0 };
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => {
      reply.hijack();
      void send(
        { request: request.raw, response: reply.raw, id: newId(settings) },
        plainFault(error, newId(settings)),
        false,
      );
    },
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 5000,
    },
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const lines = new WeakMap<object, Promise<void>>();

  const mount =
    (handler: Handler) =>
    async (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack: () => unknown },
    ) => {
      reply.hijack();
      const exchange = { request: request.raw, response: reply.raw, id: newId(settings) };
      const { socket } = request.raw;
      const turn = (lines.get(socket) ?? Promise.resolve()).then(
        async () => await answerOne(handler, exchange, settings, state),
      );
      lines.set(socket, turn);
      await turn;
    };
  const service = mount(async (exchange) => await answerCall(exchange, settings));
  server.all(ROOT, service);
  server.all(`${ROOT}/*`, service);
  server.all(
    '/token',
    mount(async (exchange) => await answerToken(exchange, settings)),
  );
  server.all(
    '/connect/endsession',
    mount(async (exchange) => await answerEndSession(exchange, settings)),
  );
  server.get(
    '/healthz',
    mount(async ({ response }) => sendText(response, 200, 'ok\n')),
  );
  server.get(
    '/readyz',
    mount(async ({ response }) => sendReadiness(response, settings.service)),
  );
  server.get(
    '/openapi.json',
    mount(async (exchange) => await answerOpenApi(exchange, settings)),
  );
  server.setNotFoundHandler(
    mount(async (exchange) => await send(exchange, notFound(exchange), false)),
  );
  return {
    server,
    drain: () => {
      state.isDraining = true;
    },
    pending: () => state.pending,
  };
}

async function answerOne(
  handler: Handler,
  exchange: Exchange,
  settings: AppSettings,
  state: { isDraining: boolean; pending: number },
): Promise<void> {
  state.pending++;
  try {
    if (state.isDraining) exchange.response.setHeader('Connection', 'close');
    if (state.isDraining)
      throw new Fault('store.stopping', {}, { headers: { 'Retry-After': '5' } });
    allowOrigin(exchange, settings.corsOrigins);
    await handler(exchange);
  } catch (error) {
    if (!(error instanceof Fault)) settings.service.see({ kind: 'failure', id: exchange.id, error });
    if (!exchange.response.headersSent) await send(exchange, plainFault(error, exchange.id), false);
  } finally {
    state.pending--;
    if (!exchange.request.readableEnded) exchange.request.resume();
  }
}

async function answerCall(exchange: Exchange, settings: AppSettings): Promise<void> {
  const call = await readCall(exchange, settings);
  const answer = await handle(call, settings.service);
  await send(exchange, answer, call.method === 'HEAD');
}

async function readCall(
  { request, id }: Exchange,
  { service, proxies }: AppSettings,
): Promise<Call> {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  return {
    id,
    method: request.method ?? 'GET',
    path: path.slice(ROOT.length + 1),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: joinHeaders(request),
    body: await readBody(request, service.limits.bodyBytes),
    address: clientAddress(request, proxies),
    root: `${calledOrigin(request, proxies)}${ROOT}/`,
  };
}

function joinHeaders(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(request.headers))
    joined[name] = Array.isArray(value) ? value.join(', ') : value;
  return joined;
}

async function answerToken(
  { request, response, id }: Exchange,
  settings: AppSettings,
): Promise<void> {
  const { service, grants, proxies } = settings;
  const finish = (reply: TokenReply) =>
    void response.writeHead(reply.status, { ...reply.headers, 'X-Request-ID': id }).end(reply.body);
  if (request.method !== 'POST') {
    const reply = refuse(405, 'invalid_request', 'Send the token request by POST.');
    return finish({ ...reply, headers: { ...reply.headers, Allow: 'POST' } });
  }
  if (!service.isEnabled())
    throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
  const body = await readBody(request, TOKEN_BODY_BYTES);
  const fields = readForm(
    request.headers['content-type'],
    Buffer.from(body ?? []).toString('utf8'),
  );
  if (!(fields instanceof Map)) return finish(fields as TokenReply);
  const address = clientAddress(request, proxies);
  const answer = await grant(fields, address, grants);
  const outcome = answer.kind === 'token' ? 'token' : answer.error;
  service.see({ kind: 'token', name: fields.get('username') ?? '', address, outcome });
  finish(writeTokenReply(answer));
}

async function answerEndSession(
  exchange: Exchange,
  { service, proxies }: AppSettings,
): Promise<void> {
  const { request, response, id } = exchange;
  if (request.method !== 'POST')
    throw new Fault(
      'request.method',
      { method: request.method ?? '', allow: 'POST' },
      { headers: { Allow: 'POST' } },
    );
  await service.sessions.end(request.headers.authorization, clientAddress(request, proxies));
  response.writeHead(204, { 'X-Request-ID': id }).end();
}

async function answerOpenApi(exchange: Exchange, { service, proxies }: AppSettings): Promise<void> {
  const { request } = exchange;
  if (!service.anonymous.has('metadata'))
    await service.sessions.authenticate(
      request.headers.authorization,
      clientAddress(request, proxies),
    );
  const document = service.documents.openapi(`${calledOrigin(request, proxies)}${ROOT}/`);
  const isKnown = request.headers['if-none-match'] === document.etag;
  const headers = { 'Content-Type': document.type, ETag: document.etag };
  await send(
    exchange,
    isKnown
      ? { status: 304, headers: { ETag: document.etag }, body: undefined }
      : { status: 200, headers, body: document.text },
    false,
  );
}

function sendReadiness(response: ServerResponse, service: Service): void {
  try {
    service.database.read('SELECT 1', []);
    sendText(response, 200, 'ready\n');
  } catch {
    sendText(response, 503, 'the database does not answer\n');
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

async function send(
  { request, response, id }: Exchange,
  answer: Answer,
  isHead: boolean,
): Promise<void> {
  const headers: Record<string, string | number> = { ...answer.headers, 'X-Request-ID': id };
  const plain = answer.body === undefined ? undefined : Buffer.from(answer.body);
  const isCompressed =
    plain !== undefined &&
    plain.byteLength >= COMPRESSED_FROM &&
    /\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? ''));
  const body = isCompressed ? await compress(plain, { level: 1 }) : plain;
  if (isCompressed) headers['Content-Encoding'] = 'gzip';
  if (answer.status !== 304 && answer.status !== 204)
    headers['Content-Length'] = body?.byteLength ?? 0;
  if (response.destroyed) return;
  response.writeHead(answer.status, headers);
  response.end(isHead ? undefined : body);
  await finished(response);
}

/** Answers go out one after the other on a connection: a client that does not read cannot pile them up here. */
function finished(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
}

function allowOrigin({ request, response }: Exchange, origins: ReadonlySet<string>): void {
  const { origin } = request.headers;
  if (origin === undefined || !(origins.has('*') || origins.has(origin))) return;
  response.setHeader('Access-Control-Allow-Origin', origins.has('*') ? '*' : origin);
  response.setHeader(
    'Access-Control-Expose-Headers',
    'ETag, Location, OData-EntityId, OData-Version, Preference-Applied, X-Request-ID, Retry-After',
  );
  if (request.method !== 'OPTIONS') return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  response.setHeader(
    'Access-Control-Allow-Headers',
    String(request.headers['access-control-request-headers'] ?? 'Authorization'),
  );
}

function plainFault(error: unknown, id: string): Answer {
  return faultAnswer(error, { id, version: '4.0' });
}

function notFound({ request, id }: Exchange): Answer {
  return plainFault(
    new Fault('http.unknown-address', { path: (request.url ?? '').slice(0, 100), root: ROOT }),
    id,
  );
}

function newId({ service }: AppSettings): string {
  return Buffer.from(service.world.randomBytes(12)).toString('base64url');
}
