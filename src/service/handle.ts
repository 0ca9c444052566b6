// This file is the corridor: a call is turned into an answer by six verbs, each the door of one room, and one catch.
//     parse -> bind -> decide -> compile -> run -> render
// Reads go straight through; writes run in one transaction, with what is answered read in it (write.ts).
import { type Rights, resolveRights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { bind } from '../bind/bind.ts';
import type { Scope } from '../bind/scope.ts';
import { decide } from '../plan/decide.ts';
import type { Plan } from '../plan/plan.ts';
import { parse } from '../request/parse.ts';
import type { Tree } from '../request/tree.ts';
import type { Answer } from '../response/answer.ts';
import { renderError, type Spoken } from '../response/error.ts';
import { render } from '../response/render.ts';
import type { Site } from '../response/site.ts';
import { compile } from '../sql/compile.ts';
import type { Script } from '../sql/script.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run.ts';
import { PlanCache } from './plan-cache.ts';
import type { Call, Service } from './service.ts';
import { answerWrite } from './write.ts';

/** A read that is ready to run: nothing in it depends on the moment. */
interface PreparedRead {
  readonly tree: Tree;
  readonly plan: Plan;
  readonly script: Script;
}

/** What one answer came from, for those who watch. */
interface Trail {
  spoken: Spoken | undefined;
  principal: Principal | undefined;
  fault: string | undefined;
}

/** Answers a call; never throws. */
export async function handle(call: Call, service: Service): Promise<Answer> {
  const start = service.world.elapsed();
  const trail: Trail = { spoken: undefined, principal: undefined, fault: undefined };
  const answer = await answerOrFault(call, service, trail);
  const { principal, fault } = trail;
  service.see({
    kind: 'request',
    id: call.id,
    method: call.method,
    path: call.path,
    status: answer.status,
    milliseconds: service.world.elapsed() - start,
    stages: {},
    ...(fault === undefined ? {} : { fault }),
    ...(principal === undefined ? {} : { account: principal.loginName }),
  });
  return answer;
}

async function answerOrFault(call: Call, service: Service, trail: Trail): Promise<Answer> {
  try {
    if (!service.isEnabled())
      throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
    if (!isOpen(call, service))
      trail.principal = await service.sessions.authenticate(
        call.headers.authorization,
        call.address,
      );
    return await answerCall(call, service, trail.principal ?? NOBODY, trail);
  } catch (error) {
    if (error instanceof Fault) trail.fault = error.code;
    else service.see({ kind: 'failure', id: call.id, error });
    return renderError(error, trail.spoken);
  }
}

/** Answers a call of a known principal. Faults: all that the rooms raise. */
export async function answerCall(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Pick<Trail, 'spoken'>,
): Promise<Answer> {
  const isReading =
    call.method === 'GET' || call.method === 'HEAD' || /(?:^|\/)\$query\/?$/.test(call.path);
  if (!isReading) return await answerWrite(call, service, principal, trail);
  const { tree, plan, script } = prepareRead(call, service, principal, trail);
  const outcome = await runRead(script, service.database, contextOf(call, service, principal));
  return render(outcome, plan, tree, siteOf(call, service));
}

function prepareRead(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Pick<Trail, 'spoken'>,
): PreparedRead {
  const rights = rightsOf(service, principal);
  const cache = cacheOf(service);
  const known = cache.find(rights, call);
  if (known !== undefined) {
    trail.spoken = known.tree.wishes;
    return known;
  }
  const tree = readTree(call, service, trail);
  const bound = bind(tree, scopeOf(call, service));
  const plan = decide(bound, tree, settingOf(service, rights));
  const script = compile(plan, service.layout, service.dialect);
  const prepared = { tree, plan, script };
  cache.keep(rights, call, prepared);
  return prepared;
}

/** The request as it was said. Faults: request.*. */
export function readTree(call: Call, service: Service, trail: Pick<Trail, 'spoken'>): Tree {
  const { method, path, query, headers, body } = call;
  const text = body === undefined ? {} : { body: Buffer.from(body).toString('utf8') };
  const tree = parse({ method, path, query, headers, ...text }, service.limits, service.unread);
  trail.spoken = tree.wishes;
  if (tree.wishes.isolation === 'snapshot') throw new Fault('request.isolation');
  return tree;
}

export function scopeOf(call: Call, { model, rules, limits }: Service): Scope {
  return { model, rules, limits, root: call.root };
}

/** What deciding needs to know. */
export function settingOf(service: Service, rights: Rights) {
  const { model, limits, languages } = service;
  return {
    model,
    rights,
    languages,
    limits: { pageSize: limits.pageSize, maximum: limits.maximumPageSize },
    bindRule: service.bindRule,
  };
}

export function contextOf(call: Call, service: Service, principal: Principal): Context {
  return {
    now: new Date(service.world.now()).toISOString(),
    me: principal.person ?? null,
    account: principal.loginName,
    accountKey: principal.account,
    root: call.root,
    request: call.id,
  };
}

export function siteOf(call: Call, { model, documents, world }: Service): Site {
  return { root: call.root, model, documents, now: world.now() };
}

/** Rights are resolved once for a principal: a session keeps the same one. */
export function rightsOf(service: Service, principal: Principal): Rights {
  const known = rightsByPrincipal.get(principal);
  if (known !== undefined) return known;
  const rights = resolveRights(service.policy, principal, service.model);
  rightsByPrincipal.set(principal, rights);
  return rights;
}

const rightsByPrincipal = new WeakMap<Principal, Rights>();
const caches = new WeakMap<Service, PlanCache<PreparedRead>>();

function cacheOf(service: Service): PlanCache<PreparedRead> {
  const cache = caches.get(service) ?? new PlanCache<PreparedRead>();
  caches.set(service, cache);
  return cache;
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
  if (method !== 'GET' && method !== 'HEAD') return false;
  const name = path.replace(/\/$/, '');
  return (
    (name === '$ping' && anonymous.has('ping')) ||
    (name === '$metadata' && anonymous.has('metadata'))
  );
}
