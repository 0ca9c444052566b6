// This file prepares reads: parse -> bind -> decide -> compile. After parsing, the plan cache replaces the other stages where a
// request with the same template and equal answers to the questions of planning has been prepared before.
import type { Principal } from '../access/principal.ts';
import { bind } from '../bind/bind-read.ts';
import { Parameters } from '../bind/parameter.ts';
import type { Scope } from '../bind/scope.ts';
import { decide, type Setting } from '../plan/decide-read.ts';
import type { Plan, ReadResponse, ResponsePlan } from '../plan/read-plan.ts';
import type { RawValue } from '../request/template.ts';
import type { Tree } from '../request/tree.ts';
import { compile } from '../sql/compile.ts';
import type { Script } from '../sql/script.ts';
import type { Inputs } from '../store/database.ts';
import type { PlanKey } from './cache/plan-cache.ts';
import { keepRead, keyOf, keyOfRepeated, plansOf } from './cache/prepared-plans.ts';
import type { RepeatedRead } from './cache/repeated-reads.ts';
import type { Call, Service } from './service.ts';
import { type RequestTrace, readTree, scopeOf, settingOf } from './stage-inputs.ts';

/** A read that is ready to run: nothing in it depends on the moment. */
export interface PreparedRead {
  readonly tree: Tree;
  readonly plan: ResponsePlan;
  readonly script: Script;
  /** The values of the request's parameters. */
  readonly values: Inputs;
  readonly principal: Principal;
}

/**
 * Prepares a read. Throws: the faults of parsing, binding and deciding.
 * @param repeated what an earlier read has shown about the call
 */
export function prepareRead(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
  repeated?: RepeatedRead,
): PreparedRead {
  const end = service.spans?.starter()('plan', {});
  try {
    return (
      (repeated && prepareAgain(call, service, principal, trace, repeated)) ??
      prepare(call, service, principal, trace)
    );
  } finally {
    end?.();
  }
}

/** The read with the plan of an earlier one; undefined if that is not kept, or the key of this read needs another one. */
function prepareAgain(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
  repeated: RepeatedRead,
): PreparedRead | undefined {
  const { tree } = repeated;
  const found = findPlan(keyOfRepeated({ call, service, principal }, repeated), service, repeated);
  if (found === undefined) return undefined;
  trace.negotiated = tree.negotiated;
  trace.planCached = true;
  return preparedFrom(tree, found, principal);
}

/** Written out, because V8 reads objects made by a spread much more slowly. */
function preparedFrom(tree: Tree, { plan, script, values }: FoundPlan, principal: Principal) {
  return { tree, plan, script, values, principal };
}

export type FoundPlan = Pick<PreparedRead, 'plan' | 'script' | 'values'>;

/** The plan of an earlier read with the same key; undefined if none is kept, or the values need another one. */
export function findPlan(
  key: PlanKey,
  service: Service,
  { values: literals }: { readonly values: readonly RawValue[] },
): FoundPlan | undefined {
  const found = plansOf(service).find(key, literals);
  if (found?.plan.kind !== 'read') return undefined;
  const { plan, values } = found;
  return { plan: withOwnKeys(plan.plan, values), script: plan.script, values };
}

function prepare(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): PreparedRead {
  const tree = readTree(call, service, trace);
  const { template } = tree;
  const key = keyOf({ call, service, principal }, tree);
  const found = key && findPlan(key, service, template);
  trace.planCached = found !== undefined;
  if (found !== undefined) {
    keepRead(call, service, tree);
    return preparedFrom(tree, found, principal);
  }
  const inputs = { scope: scopeOf(call, service), setting: settingOf(service, principal) };
  return preparedFrom(tree, makePlan({ tree, key, service, ...inputs }, timed), principal);

  function timed<Result>(stage: 'bind' | 'decide' | 'compile', work: () => Result): Result {
    const began = service.world.elapsed();
    const result = work();
    trace.stages[stage] = service.world.elapsed() - began;
    return result;
  }
}

interface PlannedRead {
  readonly tree: Tree;
  /** Under which the plan is kept, if at all. */
  readonly key: PlanKey | undefined;
  readonly service: Service;
  readonly scope: Scope;
  readonly setting: Setting;
}

type Timed = <Result>(stage: 'bind' | 'decide' | 'compile', work: () => Result) => Result;

/** Plans a read, and keeps the plan. Throws: the faults of binding and deciding. */
export function makePlan(
  { tree, key, service, scope, setting }: PlannedRead,
  timed: Timed = (_, work) => work(),
): FoundPlan {
  const parameters = parametersOf(tree);
  const bound = timed('bind', () => bind(tree, { ...scope, parameters }));
  const plan = timed('decide', () => decide(bound, tree, { ...setting, parameters }));
  const script = timed('compile', () => compile(plan, service.layout, service.dialect));
  if (key !== undefined)
    plansOf(service).keep(key, parameters, {
      kind: 'read',
      plan: responsePlan(plan, tree),
      script,
    });
  return { plan, script, values: parameters.values };
}

function parametersOf({ template }: Tree): Parameters {
  return new Parameters({ values: template.values, templates: [{ template, first: 0 }] });
}

/** The whole plan of a read, of which the plan cache keeps a part. */
export function planAgain({ tree, principal }: PreparedRead, call: Call, service: Service): Plan {
  const parameters = parametersOf(tree);
  const bound = bind(tree, { ...scopeOf(call, service), parameters });
  return decide(bound, tree, { ...settingOf(service, principal), parameters });
}

/** The part of a plan that is kept: the script replaces the rest. Only Atom documents and exports are made from the members of the shape. */
function responsePlan(plan: Plan, { negotiated }: Tree): ResponsePlan {
  if (plan.kind !== 'read') return plan;
  const { select, parent: _, output, ...rest } = plan;
  const { page } = select;
  const { kind } = negotiated.format;
  const isBare = 'shape' in output && kind !== 'xml' && kind !== 'export';
  return {
    ...rest,
    select: page === undefined ? {} : { page },
    output: isBare ? { ...output, shape: { ...output.shape, members: [] } } : output,
  };
}

/** The plan with the keys of a request in its context URL. */
function withOwnKeys(plan: ResponsePlan, values: Inputs): ResponsePlan {
  return plan.kind !== 'read' || plan.contextKeys.length === 0 ? plan : withKeys(plan, values);
}

/** As withOwnKeys, for the result of a write. */
export function withKeys<Kept extends ReadResponse>(plan: Kept, values: Inputs): Kept {
  const { context, contextKeys } = plan;
  let text = '';
  let done = 0;
  for (const { at, length, slot } of contextKeys) {
    text += context.slice(done, at) + String(values[slot]);
    done = at + length;
  }
  return { ...plan, context: text + context.slice(done) };
}
