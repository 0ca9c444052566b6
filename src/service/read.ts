// This file is the corridor of a read: parse -> bind -> decide -> compile, remembered by what was asked, and then run -> render.
import type { Rights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { bind } from '../bind/bind.ts';
import { decide } from '../plan/decide.ts';
import type { Answer } from '../response/answer.ts';
import { render } from '../response/render.ts';
import { compile } from '../sql/compile.ts';
import { runRead } from '../store/run.ts';
import { exchanging, type PreparedRead } from './exchange.ts';
import { PlanCache } from './plan-cache.ts';
import { contextOf, readTree, rightsOf, type Spoke, scopeOf, settingOf, siteOf } from './scopes.ts';
import type { Call, Service } from './service.ts';

/** Answers a read. Faults: all that the rooms raise. */
export async function answerRead(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  const { tree, plan, script } = preparedFor(call, service, principal, trail);
  const outcome = await runRead(script, service.database, contextOf(call, service, principal));
  return render(outcome, plan, tree, siteOf(call, service));
}

function preparedFor(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): PreparedRead {
  const rights = rightsOf(service, principal);
  const prepared = cacheOf(service).get(rights, call, () => prepare(call, service, rights, trail));
  trail.spoken = prepared.tree.wishes;
  return prepared;
}

function prepare(call: Call, service: Service, rights: Rights, trail: Spoke): PreparedRead {
  const tree = readTree(call, service, trail);
  const bound = bind(tree, scopeOf(call, service));
  const plan = decide(bound, tree, settingOf(service, rights));
  if (plan.kind === 'read' && plan.output.kind === 'stream') {
    throw new Fault('not-built', { feature: 'reading the bytes of files' });
  }
  return { tree, plan, script: compile(plan, service.layout, service.dialect) };
}

const caches = new WeakMap<Service, PlanCache<PreparedRead>>();

function cacheOf(service: Service): PlanCache<PreparedRead> {
  const known = caches.get(service);
  if (known !== undefined) return known;
  const cache = new PlanCache(exchanging((call) => readTree(call, service, { spoken: undefined })));
  caches.set(service, cache);
  return cache;
}
