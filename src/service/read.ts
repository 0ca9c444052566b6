// This file is the corridor of a read: parse -> bind -> decide -> compile, remembered by what was asked, and then run -> render.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { bind } from '../bind/bind.ts';
import { decide } from '../plan/decide.ts';
import type { Plan } from '../plan/plan.ts';
import type { Tree } from '../request/tree.ts';
import type { Answer } from '../response/answer.ts';
import { render } from '../response/render.ts';
import { compile } from '../sql/compile.ts';
import type { Script } from '../sql/script.ts';
import { runRead } from '../store/run.ts';
import { PlanCache } from './plan-cache.ts';
import { contextOf, readTree, rightsOf, type Spoke, scopeOf, settingOf, siteOf } from './scopes.ts';
import type { Call, Service } from './service.ts';

/** A read that is ready to run: nothing in it depends on the moment. */
interface PreparedRead {
  readonly tree: Tree;
  readonly plan: Plan;
  readonly script: Script;
}

/** Answers a read. Faults: all that the rooms raise. */
export async function answerRead(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  const { tree, plan, script } = prepareRead(call, service, principal, trail);
  const outcome = await runRead(script, service.database, contextOf(call, service, principal));
  return render(outcome, plan, tree, siteOf(call, service));
}

function prepareRead(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
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
  if (plan.kind === 'read' && plan.output.kind === 'stream') {
    throw new Fault('not-built', { feature: 'reading the bytes of files' });
  }
  const script = compile(plan, service.layout, service.dialect);
  const prepared = { tree, plan, script };
  cache.keep(rights, call, prepared);
  return prepared;
}

const caches = new WeakMap<Service, PlanCache<PreparedRead>>();

function cacheOf(service: Service): PlanCache<PreparedRead> {
  const cache = caches.get(service) ?? new PlanCache<PreparedRead>();
  caches.set(service, cache);
  return cache;
}
