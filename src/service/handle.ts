// This file is where a call comes in: it asks who is asking, sends the request down the corridor of reads or of writes, or takes it
// apart (batches) or puts it off (jobs), and catches whatever is refused on the way.
//     parse -> bind -> decide -> compile -> run -> render
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { type Ready, rescued, whenReady } from '../base/value-or-promise.ts';
import { answerAskedFor } from '../request/headers/headers.ts';
import { renderError } from '../response/error.ts';
import type { Answer } from '../response/response.ts';
import { answerRightsOf, mayAskForOther } from './accounts/effective-rights.ts';
import { mayHoldPassword } from './accounts/posted-password.ts';
import type { Corridor } from './answer-request.ts';
import { answerBatch, isBatch } from './batch/batch.ts';
import { announced } from './deferred/repeatable-requests.ts';
import { answerMonitor, asksForLater, isMonitor } from './deferred/status-monitor.ts';
import { inMemory } from './files/download.ts';
import { ratesOf } from './rate-limit.ts';
import { answerRead } from './read.ts';
import type { Call, Perform, Service } from './service.ts';
import { isReading, readTree, type Spoke } from './stage-inputs.ts';
import { answerWrite, writeWithin } from './write/write.ts';

/** What one answer came from, for those who watch. */
interface Trail extends Spoke {
  principal: Principal | undefined;
  fault: string | undefined;
  /** What the answer says of how many requests may follow. */
  rate: Answer['headers'] | undefined;
}

/** Answers a call; never throws. */
export function handle(call: Call, service: Service): Ready<Answer> {
  return watch(call, service, (trail) => {
    if (!service.isEnabled())
      throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
    const { sessions, limits } = service;
    trail.rate = ratesOf(service).count(['address', call.address], limits.addressRequests);
    if (isOpen(call, service)) return answerOne(call, service, NOBODY, trail);
    const principal = sessions.authenticate(call.headers.authorization, call.address);
    return whenReady(principal, (known) => answerKnown(call, service, known, trail));
  });
}

function withHeaders(answer: Answer, headers: Answer['headers'] | undefined): Answer {
  if (headers === undefined) return answer;
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

function answerKnown(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Trail,
): Ready<Answer> {
  const { accountRequests } = service.limits;
  trail.principal = principal;
  trail.rate =
    ratesOf(service).count(['account', principal.loginName], accountRequests) ?? trail.rate;
  const isLater = asksForLater(call) && !isMonitor(call) && !mayHoldPassword(call);
  if (isLater && call.upload === undefined)
    return service.jobs.accept(call, principal, service, performer(service));
  return answerNow(call, service, principal, trail);
}

/** Does requests whose principal is known: those that were put off. */
export function performer(service: Service): Perform {
  return async (call, principal) =>
    await watch(call, service, async (trail) => {
      trail.principal = principal;
      const answer = await answerNow(call, service, principal, trail);
      return await inMemory(answer, KEPT_ANSWER_LIMIT);
    });
}

/** Bytes of an answer that is kept for later. */
const KEPT_ANSWER_LIMIT = 134_217_728;

function answerNow(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Ready<Answer> {
  if (!isBatch(call)) return answerOne(call, service, principal, trail);
  return answerBatch(call, readTree(call, service, trail), corridorOf(service, principal));
}

function corridorOf(service: Service, principal: Principal): Corridor {
  const current = () => service.sessions.current(principal);
  return {
    service,
    principal,
    current,
    answer: (call) =>
      watch(call, service, (trail) => {
        trail.principal = principal;
        return whenReady(current(), (known) => {
          trail.principal = known;
          return answerOne(call, service, known, trail);
        });
      }),
    write: (call, known, within) => writeWithin(call, service, known, within),
  };
}

function answerOne(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Ready<Answer> {
  if (isMonitor(call)) return answerMonitor(call, service, principal);
  if (mayAskForOther(call)) return answerRightsOf(call, service, principal, trail);
  return isReading(call)
    ? answerRead(call, service, principal, trail)
    : answerWrite(call, service, principal, trail);
}

/** The one catch: what was refused becomes an answer, and what became of the request is told. */
function watch(call: Call, service: Service, work: (trail: Trail) => Ready<Answer>): Ready<Answer> {
  const start = service.world.elapsed();
  const trail: Trail = {
    spoken: undefined,
    stages: {},
    principal: undefined,
    fault: undefined,
    rate: undefined,
  };
  const done = rescued(
    () => work(trail),
    (error) => refusal(call, service, trail, error),
  );
  return whenReady(done, (answer) => {
    const whole = withHeaders(announced(call, answer), trail.rate);
    tell(call, service, trail, whole.status, service.world.elapsed() - start);
    return whole;
  });
}

function refusal(call: Call, service: Service, trail: Trail, error: unknown): Answer {
  if (error instanceof Fault) trail.fault = error.code;
  else service.see({ kind: 'failure', id: call.id, error });
  return renderError(error, trail.spoken ?? answerAskedFor(call.headers, call.query));
}

function tell(
  { id, method, path, address }: Call,
  service: Service,
  { stages, fault, principal }: Trail,
  status: number,
  milliseconds: number,
): void {
  const account = principal?.loginName;
  service.see({
    kind: 'request',
    id,
    method,
    path,
    status,
    milliseconds,
    stages,
    fault,
    account,
    address,
  });
}

/** Who asks where no token is needed. */
const NOBODY: Principal = {
  account: 0n,
  loginName: '',
  person: undefined,
  roles: [],
  administrator: false,
};

function isOpen({ path, method }: Call, { anonymous }: Service): boolean {
  if (!path.startsWith('$') || (method !== 'GET' && method !== 'HEAD')) return false;
  const name = path.replace(/\/$/, '');
  return (
    (name === '$ping' && anonymous.has('ping')) ||
    (name === '$metadata' && anonymous.has('metadata'))
  );
}
