// This file is the corridor of a read: parse -> bind -> decide -> compile, remembered by what was asked, and then run -> render.
// Preconditions are applied to the response that comes of it.
import type { Rights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { type Ready, whenReady } from '../base/value-or-promise.ts';
import { bind } from '../bind/bind-read.ts';
import { decide } from '../plan/decide-read.ts';
import type { ReadOutcome } from '../plan/outcome.ts';
import type { Plan } from '../plan/read-plan.ts';
import { type Conditions, readConditions } from '../request/headers/entity-tags.ts';
import { conditional } from '../response/conditional.ts';
import { render } from '../response/render.ts';
import type { Answer } from '../response/response.ts';
import { compile } from '../sql/compile.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run-script.ts';
import { exchanging, type PreparedRead } from './cache/exchange-literals.ts';
import { PlanCache } from './cache/read-plan-cache.ts';
import { AnswerCache } from './cache/response-cache.ts';
import { answerBytes, type FileRow } from './files/download.ts';
import { withFiles } from './files/inline-streams.ts';
import type { Call, Service } from './service.ts';
import {
  contextOf,
  readTree,
  rightsOf,
  type Spoke,
  scopeOf,
  settingOf,
  siteOf,
} from './stage-inputs.ts';

/** Answers a read: at once where its records are at hand. Faults: all that the rooms raise. */
export function answerRead(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Ready<Answer> {
  const asked = unconditional(call);
  const prepared = preparedFor(asked, service, principal, trail);
  const context = contextOf(call, service, principal);
  const conditions = asked === call ? undefined : readConditions(call.headers);
  if (isStream(prepared.plan))
    return makeBytes(prepared, call, service, context, conditions ?? UNCONDITIONAL);
  const showsFiles = prepared.plan.kind === 'read' && prepared.plan.showsFiles === true;
  const answer = showsFiles
    ? make(prepared, asked, service, context, trail)
    : makeOrRecall(prepared, asked, service, context, trail);
  const settled =
    conditions === undefined ? answer : whenReady(answer, (made) => conditional(made, conditions));
  return showsFiles ? whenReady(settled, (made) => withFiles(made, service.vault)) : settled;
}

/**
 * The call without its preconditions, which have no part in the response that they are applied to: what is remembered of it serves
 * calls with any others, and each of them has another tag. The call itself where it has none.
 */
function unconditional(call: Call): Call {
  const { headers } = call;
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return call;
  return { ...call, headers: { ...headers, 'if-match': undefined, 'if-none-match': undefined } };
}

const UNCONDITIONAL: Conditions = { ifMatch: undefined, ifNoneMatch: undefined };

/** The response without regard to preconditions, from the cache where it is in there. */
function makeOrRecall(
  prepared: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  trail: Spoke,
): Ready<Answer> {
  const { answers } = rememberedBy(service);
  const place = answers.placeOf(prepared, call, context, service.database.stateOf);
  if (place === undefined) return make(prepared, call, service, context, trail);
  const known = answers.find(place);
  if (known !== undefined) return known;
  const made = make(prepared, call, service, context, trail);
  return whenReady(made, (answer) => answers.keep(place, answer));
}

function make(
  { tree, plan, script }: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  trail: Spoke,
): Ready<Answer> {
  const { elapsed } = service.world;
  const start = elapsed();
  return whenReady(runRead(script, service.database, context), (outcome) => {
    const middle = elapsed();
    trail.stages.run = middle - start;
    const answer = render(outcome, plan, tree, siteOf(call, service, 'representation'));
    trail.stages.render = elapsed() - middle;
    return answer;
  });
}

function preparedFor(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): PreparedRead {
  const rights = rightsOf(service, principal);
  const { plans } = rememberedBy(service);
  const prepared = plans.get(rights, call, () => prepare(call, service, rights, trail));
  trail.spoken = prepared.tree.wishes;
  return prepared;
}

function prepare(call: Call, service: Service, rights: Rights, trail: Spoke): PreparedRead {
  const { elapsed } = service.world;
  const start = elapsed();
  const tree = readTree(call, service, trail);
  const parsed = elapsed();
  const bound = bind(tree, scopeOf(call, service));
  const named = elapsed();
  const plan = decide(bound, tree, settingOf(service, rights));
  const decided = elapsed();
  const script = compile(plan, service.layout, service.dialect);
  const compiled = elapsed() - decided;
  const planned = { parse: parsed - start, bind: named - parsed, decide: decided - named };
  Object.assign(trail.stages, planned, { compile: compiled });
  return { tree, plan, script };
}

function isStream(plan: Plan): boolean {
  return plan.kind === 'read' && plan.output.kind === 'stream';
}

/** Bytes of files are not remembered. */
async function makeBytes(
  { tree, plan, script }: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  conditions: Conditions,
): Promise<Answer> {
  const outcome = await runRead(script, service.database, context);
  const file = outcome.kind === 'read' ? fileIn(outcome) : undefined;
  return file === undefined
    ? render(outcome, plan, tree, siteOf(call, service, 'representation'))
    : await answerBytes({ call, tree, vault: service.vault, file, conditions });
}

/** What is known of the bytes; undefined where there are none. */
function fileIn({ rows }: ReadOutcome): FileRow | undefined {
  const json = rows[0]?.json ?? null;
  return json === null ? undefined : JSON.parse(json);
}

/** What a service remembers of its reads. */
interface Remembered {
  readonly plans: PlanCache<PreparedRead>;
  readonly answers: AnswerCache;
}

const remembered = new WeakMap<Service, Remembered>();

function rememberedBy(service: Service): Remembered {
  const known = remembered.get(service);
  if (known !== undefined) return known;
  const parse = (call: Call) => readTree(call, service, { spoken: undefined, stages: {} });
  const made = {
    plans: new PlanCache(exchanging(parse)),
    answers: new AnswerCache(service.limits.answerMegabytes * MEGABYTE),
  };
  remembered.set(service, made);
  return made;
}

const MEGABYTE = 1_048_576;
