// This file is the entry point for requests. It authenticates, passes the request on as a read, write, batch or asynchronous job, and
// turns errors into responses. Reads and writes go through the stages
//     parse -> bind -> decide -> compile -> run -> render
import type { Principal } from '../access/principal.ts';
import { anonymousPrincipal } from '../auth/anonymous.ts';
import { Fault } from '../base/fault.ts';
import type { RequestSpan, Spans } from '../base/spans.ts';
import { traceIdOf } from '../base/trace-context.ts';
import { andThen, type MaybePromise, withRescue } from '../base/value-or-promise.ts';
import { errorFormFor } from '../request/headers/headers.ts';
import { renderError } from '../response/error.ts';
import { type Answer, withBytes } from '../response/response.ts';
import { faultFor, requireAccount } from './accounts/anonymous-requests.ts';
import { answerEffectiveRights, mayConcernOtherAccount } from './accounts/effective-rights.ts';
import { mayHoldSecret } from './accounts/extract-password.ts';
import { rejectBeforeStep } from './accounts/required-step.ts';
import { answerBatch, isBatch } from './batch/batch.ts';
import type { SubrequestHandler } from './batch/batch-request.ts';
import { repeatedRead } from './cache/prepared-plans.ts';
import { mayWaitForChanges, withCallback } from './callbacks/delta-callbacks.ts';
import { answerExplanation, mayExplain } from './clocks/explain.ts';
import { withRepeatabilityResult } from './deferred/repeatable-requests.ts';
import { answerMonitor, isMonitor, prefersAsync } from './deferred/status-monitor.ts';
import { answerEngineFunction, mayCallEngineFunction } from './engine-functions.ts';
import { answerStream, isStreamRequest } from './events/answer-stream.ts';
import { inMemory } from './files/download.ts';
import { answerImport } from './import/answer-import.ts';
import { isImport } from './import/import-request.ts';
import { rateLimiterOf } from './rate-limit.ts';
import { answerRead } from './read.ts';
import { routeOf } from './route-template.ts';
import { answerCalculation, mayCalculate } from './schedules/answer-calculation.ts';
import { timingHeader } from './server-timing.ts';
import type { Call, Perform, Service } from './service.ts';
import { isReading, type RequestTrace, readTree } from './stage-inputs.ts';
import { answerWrite, writeInTransaction } from './write/write.ts';

interface Trace extends RequestTrace {
  principal: Principal | undefined;
  /** Code of the error, for the log. */
  fault: string | undefined;
  /** Rate limit headers of the response. */
  rate: Answer['headers'] | undefined;
  /** Whether the response has a Server-Timing header. */
  hasTiming: boolean;
  readonly isPart: boolean;
  span: RequestSpan | undefined;
}

/** Answers a request. Never throws. */
export function handle(call: Call, service: Service): MaybePromise<Answer> {
  return traced(call, service, (trace) => {
    if (!service.isEnabled())
      throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
    const { sessions, limits } = service;
    trace.rate = rateLimiterOf(service).count('address', call.address, limits.addressRequests);
    const resource = anonymousResource(call);
    if (resource === undefined) return authenticateAndAnswer(call, service, trace);
    return andThen(sessions.refresh(), () =>
      service.anonymous.has(resource)
        ? answerOne(call, service, ANONYMOUS, trace)
        : authenticateAndAnswer(call, service, trace),
    );
  });
}

function authenticateAndAnswer(call: Call, service: Service, trace: Trace): MaybePromise<Answer> {
  const principal = service.sessions.authenticate(call.headers.authorization, call.address);
  return andThen(principal, (known) => {
    rejectBeforeStep(call, service, known);
    return answerAuthenticated(call, service, known, trace);
  });
}

function withHeaders(answer: Answer, headers: Answer['headers'] | undefined): Answer {
  if (headers === undefined) return answer;
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

function answerAuthenticated(
  call: Call,
  service: Service,
  principal: Principal,
  trace: Trace,
): MaybePromise<Answer> {
  const { accountRequests } = service.limits;
  trace.principal = principal;
  // Callers without a token are counted by address alone, and have no monitors, which belong to accounts.
  if (principal.anonymous === true)
    return isStreamRequest(call)
      ? answerStream(call, service, principal)
      : answerNow(call, service, principal, trace);
  trace.hasTiming = service.hasTiming();
  trace.rate =
    rateLimiterOf(service).count('account', principal.loginName, accountRequests) ?? trace.rate;
  if (isStreamRequest(call)) return answerStream(call, service, principal);
  const isAsync = prefersAsync(call) && !isMonitor(call) && !mayHoldSecret(call);
  if (isAsync && call.upload === undefined)
    return service.jobs.accept(call, principal, service, performer(service));
  return answerNow(call, service, principal, trace);
}

/** Runs asynchronous requests, whose principal was authenticated when they were accepted. */
export function performer(service: Service): Perform {
  return async (call, principal) =>
    await traced(call, service, async (trace) => {
      trace.principal = principal;
      const answer = await answerNow(call, service, principal, trace);
      return await inMemory(answer, STORED_RESPONSE_LIMIT);
    });
}

/** Maximum size of a stored response. Bytes. */
const STORED_RESPONSE_LIMIT = 134_217_728;

function answerNow(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): MaybePromise<Answer> {
  if (!isBatch(call)) return answerOne(call, service, principal, trace);
  return answerBatch(call, readTree(call, service, trace), subrequestHandler(service, principal));
}

function subrequestHandler(service: Service, principal: Principal): SubrequestHandler {
  const current = () => service.sessions.current(principal);
  const startSpan = service.spans?.starter();
  return {
    service,
    principal,
    current,
    answer: (call) =>
      traced(
        call,
        service,
        (trace) => {
          trace.principal = principal;
          return andThen(current(), (known) => {
            trace.principal = known;
            return answerOne(call, service, known, trace);
          });
        },
        true,
      ),
    write: (call, latest, known, staging) => {
      requireAccount(call, latest, known);
      const work = writeInTransaction(call, latest, known, staging);
      return startSpan === undefined ? work : inSpan(work, call, latest, startSpan);
    },
  };
}

/** Performs a write of a change set in a span. The span of a write that is rolled back and run again appears twice. */
function* inSpan(
  work: ReturnType<SubrequestHandler['write']>,
  { id, method, path }: Call,
  { model }: Service,
  startSpan: ReturnType<Spans['starter']>,
): ReturnType<SubrequestHandler['write']> {
  const route = routeOf(path, model);
  const end = startSpan(`${method} ${route}`, { 'http.route': route, 'docket.request.id': id });
  try {
    const written = yield* work;
    end();
    return written;
  } catch (error) {
    end({ type: error instanceof Fault ? error.code : 'internal' });
    throw error;
  }
}

function answerOne(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): MaybePromise<Answer> {
  requireAccount(call, service, principal);
  const repeated = repeatedRead(call, service);
  const other = repeated === undefined ? answerOther(call, service, principal, trace) : undefined;
  if (other !== undefined) return other;
  const answer = answerRead(call, service, principal, trace, repeated);
  return mayWaitForChanges(call) ? withCallback(answer, call, service, principal) : answer;
}

/**
 * Answers all but plain reads, for which it returns undefined. Whether a request is a plain read must follow from its syntax and the
 * model, never from the principal: it is not asked again for repeated reads.
 */
function answerOther(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): MaybePromise<Answer> | undefined {
  if (isMonitor(call)) return answerMonitor(call, service, principal);
  if (mayConcernOtherAccount(call)) return answerEffectiveRights(call, service, principal, trace);
  if (mayCallEngineFunction(call)) return answerEngineFunction(call, service, principal, trace);
  if (mayCalculate(call, service)) return answerCalculation(call, service, principal, trace);
  if (mayExplain(call, service)) return answerExplanation(call, service, principal, trace);
  if (isImport(call)) return answerImport(call, service, principal, trace);
  if (service.mail.isPreview(call, service.model))
    return service.mail.preview(call, service, principal);
  return isReading(call) ? undefined : answerWrite(call, service, principal, trace);
}

/** Runs `work`, turns its error into a response, adds the common headers, and reports the request. */
function traced(
  call: Call,
  service: Service,
  work: (trace: Trace) => MaybePromise<Answer>,
  isPart = false,
): MaybePromise<Answer> {
  // Written out, because V8 reads objects made by a spread much more slowly.
  const trace: Trace = {
    negotiated: undefined,
    stages: {},
    principal: undefined,
    fault: undefined,
    rate: undefined,
    hasTiming: false,
    planCached: undefined,
    responseCached: undefined,
    isPart,
    span: undefined,
  };
  if (service.spans === undefined) return answerTraced(call, service, trace, work);
  const { method, headers } = call;
  return service.spans.request({ method, headers, isPart }, (span) => {
    trace.span = span;
    return answerTraced(call, service, trace, work);
  });
}

function answerTraced(
  call: Call,
  service: Service,
  trace: Trace,
  work: (trace: Trace) => MaybePromise<Answer>,
): MaybePromise<Answer> {
  const start = service.world.elapsed();
  const answer = withRescue(
    () => work(trace),
    (error) => errorResponse(call, service, trace, error),
  );
  return andThen(answer, (response) => {
    const whole = withHeaders(withRepeatabilityResult(call, response), trace.rate);
    const complete = trace.isPart ? whole : withBytes(whole);
    const milliseconds = service.world.elapsed() - start;
    logRequest(call, service, trace, complete, milliseconds);
    if (trace.span !== undefined) describeSpan(trace.span, trace, call, service, complete.status);
    return trace.hasTiming
      ? withHeaders(complete, timingHeader(trace.stages, milliseconds))
      : complete;
  });
}

/** Names and attributes follow the semantic conventions of OpenTelemetry for HTTP. The path is left out because it contains keys. */
function describeSpan(
  span: RequestSpan,
  { fault }: Trace,
  { id, method, path }: Call,
  { model }: Service,
  status: number,
): void {
  const route = routeOf(path, model);
  span.describe(`${method} ${route}`, {
    'http.route': route,
    'http.response.status_code': status,
    'docket.request.id': id,
    ...(fault === undefined ? {} : { 'docket.error.code': fault }),
  });
  if (status >= 500) span.fail(fault ?? 'internal');
}

function errorResponse(call: Call, service: Service, trace: Trace, thrown: unknown): Answer {
  const error = faultFor(service, trace.principal, thrown);
  if (error instanceof Fault) trace.fault = error.code;
  else service.observe({ kind: 'failure', id: call.id, error });
  return renderError(error, trace.negotiated ?? errorFormFor(call.headers, call.query));
}

function logRequest(
  { id, method, path, address, headers }: Call,
  { observe, model }: Service,
  { stages, fault, principal, isPart, planCached, responseCached, span }: Trace,
  { status, bytes }: Answer,
  milliseconds: number,
): void {
  observe({
    kind: 'request',
    id,
    method,
    path,
    route: () => routeOf(path, model),
    isPart,
    status,
    milliseconds,
    bytes,
    stages,
    fault,
    planCached,
    responseCached,
    account: principal?.loginName,
    apiKey: principal?.key === undefined ? undefined : principal.session,
    client: headers['user-agent'],
    address,
    trace: span?.trace ?? traceIdOf(headers.traceparent),
  });
}

/** The principal of requests for resources that need no token. */
const ANONYMOUS = anonymousPrincipal();

/** What a request reads that may be readable without a login. */
function anonymousResource({ path, query, method }: Call): 'ping' | 'metadata' | undefined {
  if (!path.startsWith('$') || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const name = path.replace(/\/$/, '');
  if (name === '$ping') return 'ping';
  const isPublic = name === '$metadata' && !/(?:^|&)engine=/.test(query);
  return isPublic ? 'metadata' : undefined;
}
