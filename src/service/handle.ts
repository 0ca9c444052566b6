// This file is where a call comes in: it asks who is asking, sends the request down the corridor of reads or of writes, or takes it
// apart (batches) or puts it off (jobs), and catches whatever is refused on the way.
//     parse -> bind -> decide -> compile -> run -> render
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { Answer } from '../response/answer.ts';
import { renderError } from '../response/error.ts';
import { answerMonitor, asksForLater, isMonitor } from './async.ts';
import { answerBatch, isBatch } from './batch.ts';
import type { Corridor } from './corridor.ts';
import { inMemory } from './download.ts';
import { mayHoldPassword } from './password.ts';
import { ratesOf } from './rate.ts';
import { answerRead } from './read.ts';
import { announced } from './repeat.ts';
import { isReading, readTree, type Spoke } from './scopes.ts';
import type { Call, Perform, Service } from './service.ts';
import { answerWrite, writeWithin } from './write.ts';

/** What one answer came from, for those who watch. */
interface Trail extends Spoke {
  principal: Principal | undefined;
  fault: string | undefined;
  /** What the answer says of how many requests may follow. */
  rate: Answer['headers'] | undefined;
}

/** Answers a call; never throws. */
export async function handle(call: Call, service: Service): Promise<Answer> {
  return await watch(call, service, async (trail) => {
    if (!service.isEnabled())
      throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
    const { sessions, limits } = service;
    const rates = ratesOf(service);
    trail.rate = rates.count(['address', call.address], limits.addressRequests);
    if (isOpen(call, service)) return await answerOne(call, service, NOBODY, trail);
    const principal = await sessions.authenticate(call.headers.authorization, call.address);
    trail.principal = principal;
    trail.rate =
      rates.count(['account', principal.loginName], limits.accountRequests) ?? trail.rate;
    return await answerKnown(call, service, principal, trail);
  });
}

function withHeaders(answer: Answer, headers: Answer['headers'] | undefined): Answer {
  if (headers === undefined) return answer;
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

async function answerKnown(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  const isLater = asksForLater(call) && !isMonitor(call) && !mayHoldPassword(call);
  if (isLater && call.upload === undefined)
    return await service.jobs.accept(call, principal, service, performer(service));
  return await answerNow(call, service, principal, trail);
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

async function answerNow(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  if (!isBatch(call)) return await answerOne(call, service, principal, trail);
  return await answerBatch(call, readTree(call, service, trail), corridorOf(service, principal));
}

function corridorOf(service: Service, principal: Principal): Corridor {
  return {
    service,
    principal,
    answer: async (call) =>
      await watch(call, service, async (trail) => {
        trail.principal = principal;
        return await answerOne(call, service, principal, trail);
      }),
    write: (call, within) => writeWithin(call, service, principal, within),
  };
}

async function answerOne(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  if (isMonitor(call)) return await answerMonitor(call, service, principal);
  return isReading(call)
    ? await answerRead(call, service, principal, trail)
    : await answerWrite(call, service, principal, trail);
}

/** The one catch: what was refused becomes an answer, and what became of the request is told. */
async function watch(
  call: Call,
  service: Service,
  work: (trail: Trail) => Promise<Answer>,
): Promise<Answer> {
  const start = service.world.elapsed();
  const trail: Trail = {
    spoken: undefined,
    stages: {},
    principal: undefined,
    fault: undefined,
    rate: undefined,
  };
  const done = await answerOrFault(call, service, trail, work);
  const answer = withHeaders(announced(call, done), trail.rate);
  const { principal, fault } = trail;
  service.see({
    kind: 'request',
    id: call.id,
    method: call.method,
    path: call.path,
    status: answer.status,
    milliseconds: service.world.elapsed() - start,
    stages: trail.stages,
    ...(fault === undefined ? {} : { fault }),
    ...(principal === undefined ? {} : { account: principal.loginName }),
    address: call.address,
  });
  return answer;
}

async function answerOrFault(
  call: Call,
  service: Service,
  trail: Trail,
  work: (trail: Trail) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(trail);
  } catch (error) {
    if (error instanceof Fault) trail.fault = error.code;
    else service.see({ kind: 'failure', id: call.id, error });
    return renderError(error, trail.spoken);
  }
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
