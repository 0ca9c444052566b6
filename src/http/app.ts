// This file mounts the service on HTTP: addresses, limits, who calls from where, and the reply. What a request means is decided in
// service/; here bytes become a Call and an Answer becomes bytes. It is long because each address outside of the service has its own
// short answer here.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { type Grants, grant } from '../auth/token-grants.ts';
import { Fault, InvariantError } from '../base/fault.ts';
import { lastly, type Ready, rescued, whenReady } from '../base/value-or-promise.ts';
import type { World } from '../base/world.ts';
import { type Conditions, readConditions } from '../request/headers/entity-tags.ts';
import { answerAskedFor } from '../request/headers/headers.ts';
import { conditional } from '../response/conditional.ts';
import { renderError } from '../response/error.ts';
import { takesBytes } from '../service/files/uploads.ts';
import { handle } from '../service/handle.ts';
import type { Call, Service } from '../service/service.ts';
import { ClientGone, hasBody, openBody, readBody } from './body.ts';
import { BODY_TIMES, type BodyTimes } from './body-stream.ts';
import {
  Callers,
  calledOrigin,
  clientAddress,
  joinHeaders,
  type Proxies,
  requireOneHost,
} from './client-address.ts';
import {
  answerBadConnection,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  limitConnections,
  serverOptions,
  Turns,
} from './connection-limits.ts';
import { watchConnections } from './connection-watch.ts';
import { isPreflight, NO_ORIGIN, originHeaders } from './cors.ts';
import { type Exchange, send, sendText } from './reply.ts';
import { isOpenToOthers, type KeyPair, makeServer, renewPair } from './tls.ts';
import {
  readForm,
  refuse,
  type TokenForm,
  type TokenReply,
  writeTokenReply,
} from './token-endpoint.ts';

export interface AppSettings {
  readonly service: Service;
  readonly grants: Grants;
  readonly proxies: Proxies;
  /** Speaks HTTPS with it. */
  readonly pair?: KeyPair;
  /** Whether passwords and tokens are taken over the open network only when it is encrypted. */
  readonly needsEncryption?: boolean;
  /** How slowly bodies may come; a minute, and after that a kibibyte a second for files. */
  readonly bodyTimes?: BodyTimes;
  readonly connectionLimits?: ConnectionLimits;
  /** Origins of browsers that may call; `*` for all. */
  readonly corsOrigins: ReadonlySet<string> | (() => ReadonlySet<string>);
}

/** Path of the service root. */
export const ROOT = '/odata';

const TOKEN = '/token';
const HEALTH = '/healthz';
/** Whoever may read what the token endpoint says: it carries no cookie. */
const EVERYBODY: ReadonlySet<string> = new Set(['*']);

const OPEN_NETWORK =
  'Passwords and tokens are not taken over HTTP from other machines: use HTTPS (settings tls.certificate and tls.key, or a proxy named in trustedProxies), or set allowInsecureTokens: true.';

const TOKEN_BODY_BYTES = 16_384;

type Handler = (exchange: Exchange, settings: AppSettings) => Ready<void>;

/** The application, not yet listening. Whoever started `drain` gets 503 for what comes afterwards. */
export interface App {
  readonly server: FastifyInstance;
  readonly drain: () => void;
  /** Requests that are being answered. */
  readonly pending: () => number;
  /** Takes another certificate for connections that begin from now on; throws where the pair does not fit. */
  readonly renew: (pair: KeyPair) => void;
}

interface State {
  readonly newId: () => string;
  isDraining: boolean;
  pending: number;
  readonly turns: Turns;
  /** Milliseconds: see ConnectionLimits. */
  readonly linger: number;
}

export function createApp(settings: AppSettings): App {
  const { service, bodyTimes: times = BODY_TIMES } = settings;
  const limits = settings.connectionLimits ?? CONNECTION_LIMITS;
  const newId = idsOf(service.world);
  const turns = new Turns();
  const state: State = { newId, isDraining: false, pending: 0, turns, linger: limits.linger };
  const callers = new Callers(settings.proxies, `${ROOT}/`);
  const toService: Handler = (exchange) => answerCall(exchange, settings, callers);
  const { urlLength } = service.limits;
  const answer = (handler: Handler) => mount(handler, settings, state);
  const fallback = answer((exchange) => answerOutside(exchange, toService, settings));
  const work: Work = (arrived) => answerOne(toService, arrived, settings, state);
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    rewriteUrl: ({ url }) => withoutOrigin(url ?? '/'),
    frameworkErrors: (_error, request, reply) => void fallback(request, reply),
    clientErrorHandler: (error, socket) =>
      answerBadConnection(error, socket, urlLength, service.see),
    serverFactory: (route) =>
      makeServer(settings.pair, serverOptions(limits, urlLength), (request, response) => {
        // What is asked of the service needs no router in front of it.
        if (isOfService(request)) take(request, response, work, state);
        else route(request, response);
      }),
  });
  limitConnections(server.server, limits);
  watchConnections(server.server, { limits, times, turns });
  mountAddresses(server, answer, settings, toService);
  server.setNotFoundHandler(fallback);
  server.setErrorHandler((_error, request, reply) => fallback(request, reply));
  return {
    server,
    drain: () => {
      state.isDraining = true;
    },
    pending: () => state.pending,
    renew: (pair) => renewPair(server.server, pair),
  };
}

const noSchema = () => () => {
  throw new InvariantError('no address has a schema of the framework');
};

/** Bodies are checked by the service: the framework need not load what compiles schemas, which takes a twelfth of the start. */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema };

type Mounted = (
  request: { readonly raw: IncomingMessage },
  reply: { readonly raw: ServerResponse; hijack: () => unknown },
) => Promise<void>;

/** Takes the exchange out of the framework's hands, before it looks at the body. */
function mount(handler: Handler, settings: AppSettings, state: State): Mounted {
  const work: Work = (arrived) => answerOne(handler, arrived, settings, state);
  return async (request, reply) => {
    reply.hijack();
    take(request.raw, reply.raw, work, state);
  };
}

/** A request whose turn is to come. */
type Arrived = Pick<Exchange, 'request' | 'response' | 'id'>;

type Work = (arrived: Arrived) => Ready<void>;

function take(
  request: IncomingMessage,
  response: ServerResponse,
  work: Work,
  { turns, newId }: State,
): void {
  const arrived = { request, response, id: newId() };
  turns.take(request.socket, () => work(arrived));
}

/** Whether the request is for an address below the service root. */
function isOfService({ url = '' }: IncomingMessage): boolean {
  if (!url.startsWith(ROOT)) return false;
  const next = url[ROOT.length];
  return next === '/' || next === '?' || next === undefined;
}

function mountAddresses(
  server: FastifyInstance<Server>,
  answer: (handler: Handler) => Mounted,
  settings: AppSettings,
  toService: Handler,
): void {
  const addresses: Readonly<Record<string, Handler>> = {
    [ROOT]: toService,
    [`${ROOT}/*`]: toService,
    [TOKEN]: (exchange) => answerToken(exchange, settings),
    '/connect/endsession': (exchange) => answerEndSession(exchange, settings),
    [HEALTH]: (exchange) => sendText(exchange, 200, 'ok\n'),
    '/readyz': (exchange) => sendReadiness(exchange, settings.service),
    '/openapi.json': (exchange) => answerOpenApi(exchange, settings),
  };
  for (const [url, handler] of Object.entries(addresses)) {
    const onRequest = answer(handler);
    server.all(url, { onRequest }, onRequest);
  }
}

function answerOne(
  handler: Handler,
  arrived: Arrived,
  settings: AppSettings,
  state: State,
): Ready<void> {
  const { request, response, id } = arrived;
  // What waited behind other requests of a client that is gone needs no answer.
  if (request.socket.destroyed) return undefined;
  const exchange: Exchange = {
    request,
    response,
    id,
    isLast: state.isDraining,
    linger: state.linger,
    origin: NO_ORIGIN,
  };
  state.pending++;
  const answered = () =>
    rescued(
      () => answerAllowed(handler, exchange, settings),
      (error) => answerError(exchange, error, settings),
    );
  return lastly(answered, () => {
    state.pending--;
  });
}

/** Hands on what may come now, from where it comes. */
function answerAllowed(handler: Handler, exchange: Exchange, settings: AppSettings): Ready<void> {
  const { request, isLast } = exchange;
  if (isLast && pathOf(request) !== HEALTH)
    throw new Fault('store.stopping', {}, { headers: { 'Retry-After': '5' } });
  requireOneHost(request);
  const isForToken = request.url?.startsWith(TOKEN) === true && pathOf(request) === TOKEN;
  exchange.origin = originHeaders(request, isForToken ? EVERYBODY : originsOf(settings));
  if (isPreflight(request, exchange.origin))
    return send(exchange, { status: 204, headers: {}, body: undefined });
  return handler(exchange, settings);
}

function originsOf({ corsOrigins }: AppSettings): ReadonlySet<string> {
  return typeof corsOrigins === 'function' ? corsOrigins() : corsOrigins;
}

function answerError(
  exchange: Exchange,
  error: unknown,
  { service, proxies }: AppSettings,
): Ready<void> {
  if (error instanceof ClientGone) return undefined;
  const { id, request } = exchange;
  if (error instanceof Fault) {
    const { status, code: fault } = error;
    service.see({ kind: 'refused', id, status, fault, address: clientAddress(request, proxies) });
  } else service.see({ kind: 'failure', id, error });
  if (!exchange.response.headersSent)
    return send(
      exchange,
      renderError(error, answerAskedFor(joinHeaders(request), queryOf(request))),
    );
  exchange.response.destroy();
  return undefined;
}

/** What the router knows no address for: methods it does not know and URLs it cannot decode are for the service to refuse. */
function answerOutside(exchange: Exchange, toService: Handler, settings: AppSettings): Ready<void> {
  const path = pathOf(exchange.request);
  if (path === ROOT || path.startsWith(`${ROOT}/`)) return toService(exchange, settings);
  throw new Fault('http.unknown-address', { path: path.slice(0, 100), root: ROOT });
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function queryOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** RFC 9112, "absolute-form": a server must accept `GET http://host/path`. */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

function answerCall(exchange: Exchange, settings: AppSettings, callers: Callers): Ready<void> {
  const head = readHead(exchange, callers);
  const call = hasBody(exchange.request) ? readContent(exchange, head, settings) : head;
  return whenReady(call, (whole) =>
    whenReady(handle(whole, settings.service), (answer) => send(exchange, answer)),
  );
}

function readHead({ request, id }: Exchange, callers: Callers): Call {
  const url = withoutOrigin(request.url ?? '/');
  const mark = url.indexOf('?');
  const { headers, address, root } = callers.of(request);
  return {
    id,
    method: request.method ?? 'GET',
    path: url.slice(ROOT.length + 1, mark < 0 ? undefined : mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers,
    body: undefined,
    address,
    root,
  };
}

/** A body is taken in for those only who may ask at all. */
async function readContent(
  { request }: Exchange,
  head: Call,
  { service, bodyTimes }: AppSettings,
): Promise<Call> {
  const isEnabled = service.isEnabled();
  if (isEnabled) await service.sessions.authenticate(head.headers.authorization, head.address);
  return isEnabled && takesBytes(head, service)
    ? { ...head, upload: openBody(request, bodyTimes) }
    : { ...head, body: await readBody(request, service.limits.bodyBytes, bodyTimes) };
}

async function answerToken(exchange: Exchange, settings: AppSettings): Promise<void> {
  const { request } = exchange;
  if (request.method !== 'POST') {
    const reply = refuse(405, 'invalid_request', 'Send the token request by POST.');
    await send(exchange, { ...reply, headers: { ...reply.headers, Allow: 'POST' } });
    return;
  }
  if (settings.needsEncryption === true && isOpenToOthers(request, settings.proxies)) {
    await send(exchange, refuse(403, 'invalid_request', OPEN_NETWORK));
    return;
  }
  if (!settings.service.isEnabled())
    throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
  const body = await readBody(request, TOKEN_BODY_BYTES, settings.bodyTimes);
  const form = readForm(request.headers['content-type'], Buffer.from(body ?? []).toString('utf8'));
  await send(exchange, form.kind === 'form' ? await grantToken(exchange, form, settings) : form);
}

async function grantToken(
  { request, id }: Exchange,
  { fields }: TokenForm,
  { service, grants, proxies }: AppSettings,
): Promise<TokenReply> {
  const address = clientAddress(request, proxies);
  const answer = await grant(fields, address, grants);
  const outcome = answer.kind === 'token' ? 'token' : answer.error;
  const asked = fields.get('grant_type') ?? '';
  const known = asked === 'password' || asked === 'refresh_token' ? asked : 'other';
  const name = fields.get('username') ?? '';
  service.see({ kind: 'token', id, name, address, grant: known, outcome });
  return writeTokenReply(answer);
}

async function answerEndSession(
  exchange: Exchange,
  { service, proxies }: AppSettings,
): Promise<void> {
  const { request } = exchange;
  if (request.method !== 'POST')
    throw new Fault(
      'request.method',
      { method: request.method ?? '', allow: 'POST' },
      { headers: { Allow: 'POST' } },
    );
  const address = clientAddress(request, proxies);
  const { loginName } = await service.sessions.end(request.headers.authorization, address);
  service.see({ kind: 'session ended', id: exchange.id, account: loginName, address });
  await send(exchange, { status: 204, headers: {}, body: undefined });
}

async function answerOpenApi(exchange: Exchange, { service, proxies }: AppSettings): Promise<void> {
  const { request } = exchange;
  if (!service.anonymous.has('metadata'))
    await service.sessions.authenticate(
      request.headers.authorization,
      clientAddress(request, proxies),
    );
  const document = service.documents.openapi(`${calledOrigin(request, proxies)}${ROOT}/`);
  const headers = {
    'Content-Type': document.type,
    ETag: document.etag,
    Vary: 'Accept-Encoding, Authorization',
  };
  const whole = { status: 200, headers, body: document.text };
  await send(exchange, conditional(whole, conditionsOf(request)));
}

function conditionsOf({ headers }: IncomingMessage): Conditions {
  return readConditions({
    'if-match': headers['if-match'],
    'if-none-match': headers['if-none-match'],
  });
}

function sendReadiness(exchange: Exchange, service: Service): Ready<void> {
  try {
    service.database.read('SELECT 1', []);
  } catch {
    return sendText(exchange, 503, 'the database does not answer\n');
  }
  return sendText(exchange, 200, 'ready\n');
}

/** Ids that no other request has: what follows the random beginning only counts. */
function idsOf(world: World): () => string {
  const beginning = Buffer.from(world.randomBytes(9)).toString('base64url');
  let count = 0;
  return () => `${beginning}-${(count++).toString(36)}`;
}
