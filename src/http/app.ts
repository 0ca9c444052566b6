// This file is the HTTP application: it routes requests, enforces limits, turns a request into a Call for the service, and sends its
// Answer. service/ decides what a request means.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { Fault, InvariantError } from '../base/fault.ts';
import { andThen, type MaybePromise, withRescue } from '../base/value-or-promise.ts';
import type { World } from '../base/world.ts';
import { errorFormFor } from '../request/headers/headers.ts';
import { renderError } from '../response/error.ts';
import { liveStreamsOf } from '../service/events/live-streams.ts';
import { hasFileBody } from '../service/files/uploads.ts';
import { handle } from '../service/handle-request.ts';
import type { Call } from '../service/service.ts';
import type { AppSettings, Handler } from './app-settings.ts';
import { mayOfferBasic, requireSafeBasic } from './basic-keys.ts';
import { ClientGone, hasBody, readBody, streamBody } from './body.ts';
import { BODY_TIMES } from './body-stream.ts';
import { Callers, clientAddress, joinHeaders, requireOneHost } from './client-address.ts';
import { answerBadConnection, CONNECTION_LIMITS, RequestQueues } from './connection-limits.ts';
import { answerConsole } from './console/console-endpoint.ts';
import { answerSession } from './console/session-endpoint.ts';
import { isPreflight, NO_ORIGIN, originHeaders } from './cors.ts';
import { answerDocs } from './docs/docs-endpoint.ts';
import { answerEndSession } from './end-session-endpoint.ts';
import { type Answering, addServer, answerMalformed, type Inlet, renewServers } from './inlet.ts';
import { answerOpenApi } from './openapi-endpoint.ts';
import { sendReadiness } from './readiness.ts';
import { pathOf, queryOf, withoutOrigin } from './request-target.ts';
import { ResponseTurn } from './response-turn.ts';
import { type Exchange, send, sendText } from './send-response.ts';
import {
  DEFAULT_LOCATION,
  ENDPOINTS,
  isConsolePath,
  publicRoot,
  ServicePaths,
} from './service-location.ts';
import type { KeyPair } from './tls.ts';
import { answerToken } from './token-endpoint.ts';

/** Any origin may read the responses of the token endpoint, because it sets no cookie. */
const ANY_ORIGIN: ReadonlySet<string> = new Set(['*']);
/** No other origin may use the console, which has a cookie. */
const OWN_ORIGIN: ReadonlySet<string> = new Set();

/** The application, not yet listening. */
export interface App {
  readonly server: FastifyInstance;
  /** From now on, /readyz returns 503. Requests are served, each as the last one of its connection. */
  readonly leave: () => void;
  /** From now on, new requests get 503: while another model is applied, or until the process ends. */
  readonly drain: (phase: 'replacing' | 'draining') => void;
  /** Number of requests in progress. */
  readonly pending: () => number;
  /** The servers of its port, with their connections. */
  readonly inlet: () => Inlet;
  /** Takes over the port of another application: from now on, this one answers the requests of its connections. */
  readonly replace: (previous: App) => void;
  /** Uses another certificate for new connections. Throws if certificate and key do not match. */
  readonly renew: (pair: KeyPair) => void;
}

interface State {
  readonly newId: () => string;
  phase: 'serving' | 'leaving' | 'replacing' | 'draining';
  readonly queues: RequestQueues<Received>;
  readonly turn: ResponseTurn;
  readonly paths: ServicePaths;
  /** Milliseconds, see ConnectionLimits. */
  readonly linger: number;
}

/** Creates the application with its routes and limits. */
export function createApp(settings: AppSettings): App {
  const { service, bodyTimes: times = BODY_TIMES } = settings;
  const limits = settings.connectionLimits ?? CONNECTION_LIMITS;
  const newId = idsOf(service.world);
  const queues = new RequestQueues<Received>((received) => answerOne(received, settings, state));
  const location = settings.location ?? DEFAULT_LOCATION;
  const paths = new ServicePaths(location);
  const state: State = {
    newId,
    phase: 'serving',
    queues,
    turn: new ResponseTurn(service.world.elapsed),
    paths,
    linger: limits.linger,
  };
  const enter = (phase: State['phase']) => {
    state.phase = phase;
    liveStreamsOf(service).close();
  };
  const callers = new Callers(settings.proxies, (request) =>
    publicRoot(request, settings.proxies, location),
  );
  const readHead = (exchange: Exchange) => headOf(exchange, callers, paths);
  const toService: Handler = (exchange) => answerCall(exchange, settings, readHead);
  const { urlLength } = service.limits;
  const answer = (handler: Handler) => mount(handler, state);
  let route: RequestListener = () => undefined;
  const own: Answering = {
    // Requests to the service bypass the router.
    listener: (request, response) => {
      if (paths.includes(request.url ?? '')) enqueue(request, response, toService, state);
      else route(request, response);
    },
    rejectMalformed: (error, socket) =>
      answerBadConnection(error, socket, urlLength, service.observe),
    watched: { limits, times, queues },
  };
  let inlet: Inlet = { servers: [], current: own };
  const fallback = answer((exchange) => answerUnrouted(exchange, toService, settings, paths));
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    rewriteUrl: ({ url }) => withoutOrigin(url ?? '/'),
    frameworkErrors: (_error, request, reply) => void fallback(request, reply),
    serverFactory: (handle) => {
      route = handle;
      return addServer(inlet, { pair: settings.pair, limits, urlLength });
    },
  });
  answerMalformed(inlet, server.server);
  addRoutes(server, answer, settings, toService, paths);
  server.setNotFoundHandler(fallback);
  server.setErrorHandler((_error, request, reply) => fallback(request, reply));
  return {
    server,
    leave: () => enter('leaving'),
    drain: enter,
    pending: () => queues.running,
    inlet: () => inlet,
    replace: (previous) => {
      inlet = previous.inlet();
      inlet.current = own;
      if (settings.pair !== undefined) renewServers(inlet, settings.pair);
    },
    renew: (pair) => renewServers(inlet, pair),
  };
}

const noSchema = () => () => {
  throw new InvariantError('no route has a schema');
};

/** The service validates bodies. Without schema compilers, fastify starts faster. */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema };

type Mounted = (
  request: { readonly raw: IncomingMessage },
  reply: { readonly raw: ServerResponse; hijack: () => unknown },
) => Promise<void>;

/** Adapts a handler to fastify, and takes the request over before fastify reads its body. */
function mount(handler: Handler, state: State): Mounted {
  return async (request, reply) => {
    reply.hijack();
    enqueue(request.raw, reply.raw, handler, state);
  };
}

/** A request in the queue of its connection. */
interface Received extends Pick<Exchange, 'request' | 'response' | 'id'> {
  readonly handler: Handler;
}

function enqueue(
  request: IncomingMessage,
  response: ServerResponse,
  handler: Handler,
  { queues, turn, newId }: State,
): void {
  turn.open();
  queues.add({ request, response, id: newId(), handler });
}

function addRoutes(
  server: FastifyInstance<Server>,
  answer: (handler: Handler) => Mounted,
  settings: AppSettings,
  toService: Handler,
  { prefix }: ServicePaths,
): void {
  const routes: Readonly<Record<string, Handler>> = {
    [prefix === '' ? '/' : prefix]: toService,
    [`${prefix}/*`]: toService,
    [ENDPOINTS.token]: answerToken,
    [ENDPOINTS.endSession]: answerEndSession,
    [ENDPOINTS.health]: (exchange) => sendText(exchange, 200, 'ok\n'),
    [ENDPOINTS.readiness]: (exchange) => sendReadiness(exchange, settings),
    [ENDPOINTS.openapi]: answerOpenApi,
    [ENDPOINTS.docs]: answerDocs,
    [`${ENDPOINTS.docs}/*`]: answerDocs,
    [ENDPOINTS.console]: answerConsole,
    [`${ENDPOINTS.console}/*`]: answerConsole,
    [ENDPOINTS.session]: answerSession,
    [`${ENDPOINTS.session}/*`]: answerSession,
  };
  for (const [url, handler] of Object.entries(routes)) {
    const onRequest = answer(handler);
    server.all(url, { onRequest }, onRequest);
  }
}

function answerOne(
  { request, response, id, handler }: Received,
  settings: AppSettings,
  state: State,
): MaybePromise<void> {
  // The client may have disconnected while the request was queued.
  if (request.socket.destroyed) return undefined;
  const exchange: Exchange = {
    request,
    response,
    id,
    turn: state.turn,
    isLast: state.phase === 'leaving' || state.phase === 'draining',
    linger: state.linger,
    offersBasic: () =>
      settings.service.sessions.acceptsBasic && mayOfferBasic(request, settings.proxies),
    origin: NO_ORIGIN,
  };
  return withRescue(
    () => answerAllowed(exchange, handler, settings, state),
    (error) => answerError(exchange, error, settings),
  );
}

const RETRY_LATER = { headers: { 'Retry-After': '5' } };

/** Calls the handler unless the service is stopping, the Host header is invalid, or the request is a CORS preflight. */
function answerAllowed(
  exchange: Exchange,
  handler: Handler,
  settings: AppSettings,
  { phase }: State,
): MaybePromise<void> {
  const { request } = exchange;
  if (phase !== 'serving' && isRejected(pathOf(request), phase))
    throw new Fault(phase === 'replacing' ? 'model.applying' : 'store.stopping', {}, RETRY_LATER);
  requireOneHost(request);
  exchange.origin = originHeaders(request, originsOf(request, settings));
  if (isPreflight(request, exchange.origin))
    return send(exchange, { status: 204, headers: {}, body: undefined });
  requireSafeBasic(request, settings.proxies);
  return handler(exchange, settings);
}

/** A process that leaves serves requests until load balancers know that it is not ready any more. */
function isRejected(path: string, phase: State['phase']): boolean {
  return phase === 'leaving' ? path === ENDPOINTS.readiness : path !== ENDPOINTS.health;
}

/** The origins whose pages may send a request and read the response. */
function originsOf(request: IncomingMessage, { corsOrigins }: AppSettings): ReadonlySet<string> {
  const { url = '' } = request;
  if (url.startsWith(ENDPOINTS.token) && pathOf(request) === ENDPOINTS.token) return ANY_ORIGIN;
  if (isConsolePath(url)) return OWN_ORIGIN;
  return typeof corsOrigins === 'function' ? corsOrigins() : corsOrigins;
}

/** Answers with the error; if that fails, closes the connection. */
function answerError(
  exchange: Exchange,
  error: unknown,
  settings: AppSettings,
): MaybePromise<void> {
  return withRescue(
    () => sendError(exchange, error, settings),
    () => {
      exchange.request.socket.destroy();
    },
  );
}

function sendError(
  exchange: Exchange,
  error: unknown,
  { service, proxies }: AppSettings,
): MaybePromise<void> {
  if (error instanceof ClientGone) return undefined;
  const { id, request } = exchange;
  if (error instanceof Fault) {
    const { status, code: fault } = error;
    service.observe({
      kind: 'refused',
      id,
      status,
      fault,
      address: clientAddress(request, proxies),
    });
  } else service.observe({ kind: 'failure', id, error });
  if (!exchange.response.headersSent)
    return send(exchange, renderError(error, errorFormFor(joinHeaders(request), queryOf(request))));
  exchange.response.destroy();
  return undefined;
}

/** Answers requests that fastify cannot route. The service reports methods and URLs below its root that are invalid. */
function answerUnrouted(
  exchange: Exchange,
  toService: Handler,
  settings: AppSettings,
  paths: ServicePaths,
): MaybePromise<void> {
  const path = pathOf(exchange.request);
  if (paths.includes(path)) return toService(exchange, settings);
  throw new Fault('http.unknown-address', { path: path.slice(0, 100), root: paths.prefix });
}

function answerCall(
  exchange: Exchange,
  settings: AppSettings,
  readHead: (exchange: Exchange) => Call,
): MaybePromise<void> {
  const head = readHead(exchange);
  const call = hasBody(exchange.request) ? readContent(exchange, head, settings) : head;
  return andThen(call, (whole) =>
    andThen(handle(whole, settings.service), (answer) => send(exchange, answer)),
  );
}

function headOf({ request, id }: Exchange, callers: Callers, { prefix }: ServicePaths): Call {
  const url = withoutOrigin(request.url ?? '/');
  const mark = url.indexOf('?');
  const { headers, address, root } = callers.of(request);
  return {
    id,
    method: request.method ?? 'GET',
    path: url.slice(prefix.length + 1, mark < 0 ? undefined : mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers,
    body: undefined,
    address,
    root,
  };
}

/** Authenticates the client before reading the body. */
async function readContent(
  { request }: Exchange,
  head: Call,
  { service, bodyTimes }: AppSettings,
): Promise<Call> {
  const isEnabled = service.isEnabled();
  if (isEnabled) await service.sessions.authenticate(head.headers.authorization, head.address);
  return isEnabled && hasFileBody(head, service)
    ? { ...head, upload: streamBody(request, bodyTimes) }
    : { ...head, body: await readBody(request, service.limits.bodyBytes, bodyTimes) };
}

/** Returns a generator of unique request ids: a random prefix and a counter. */
function idsOf(world: World): () => string {
  const prefix = Buffer.from(world.randomBytes(9)).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
