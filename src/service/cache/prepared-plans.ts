// This file defines what the plan cache of a service holds, and the key of a request.

import type { Principal } from '../../access/principal.ts';
import { MEGABYTE } from '../../base/sizes.ts';
import type { ResponsePlan } from '../../plan/read-plan.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type { Tree } from '../../request/tree.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Script } from '../../sql/script.ts';
import type { WriteScript } from '../../sql/write/write-script.ts';
import type { Call, Service } from '../service.ts';
import { pageSizeOf, rightsOf, rulesOf } from '../stage-inputs.ts';
import type { Location } from '../write/created-location.ts';
import { Manners } from './manner.ts';
import { PlanCache, type PlanKey } from './plan-cache.ts';
import { type RepeatedRead, RepeatedReads } from './repeated-reads.ts';

/** A plan with its script, for all requests that share it. */
export type PreparedPlan =
  | { readonly kind: 'read'; readonly plan: ResponsePlan; readonly script: Script }
  | {
      readonly kind: 'write';
      readonly plan: WritePlan;
      readonly script: WriteScript;
      /** The URL of the created entity. */
      readonly location: Location | undefined;
    };

interface Plans {
  /** The layout that the statements are made for. Another one may have other indexes, or other texts of codes. */
  readonly layout: Layout;
  /** The modes of workflows that the plans are made for. */
  readonly workflows: ReturnType<Service['workflows']>;
  /** The setting that plans contain as a condition. */
  readonly noteMinutes: number;
  readonly cache: PlanCache<PreparedPlan>;
  readonly manners: Manners;
  readonly repeats: RepeatedReads;
}

const plansByService = new WeakMap<Service, Plans>();

/** The plan cache of a service. */
export function plansOf(service: Service): PlanCache<PreparedPlan> {
  return cachesOf(service).cache;
}

/** A request, and the principal that sends it. */
interface Asked {
  readonly call: Call;
  readonly service: Service;
  readonly principal: Principal;
}

/** Characters of a template; longer ones are seldom sent twice. */
const LONGEST = 8192;

/**
 * The key of a request in the plan cache; undefined if it is not worth caching, or if its template does not say all of it.
 * @param more what distinguishes the request besides its URL and headers
 */
export function keyOf(
  { call, service, principal }: Asked,
  { template }: Tree,
  more = '',
): PlanKey | undefined {
  const length = template.text.length + more.length;
  if (!template.isComplete || length > LONGEST) return undefined;
  const manner = cachesOf(service).manners.of(call);
  return manner && keyFor({ call, service, principal }, manner.name, template.text + more);
}

function keyFor({ call, service, principal }: Asked, manner: string, template: string): PlanKey {
  const profile = `${rulesOf(call, service)} ${pageSizeOf(service, principal)} `;
  return { rights: rightsOf(service, principal), template: manner + profile + template };
}

/** What an earlier read has shown about a call; undefined if it differs from all of them in more than the key of its path. */
export function repeatedRead(call: Call, service: Service): RepeatedRead | undefined {
  const { manners, repeats } = cachesOf(service);
  const manner = manners.of(call);
  return manner?.isBare === true ? repeats.find(call, manner.name, service) : undefined;
}

/** Keeps what a read shows about calls like it. */
export function keepRead(call: Call, service: Service, tree: Tree): void {
  const { manners, repeats } = cachesOf(service);
  const manner = manners.of(call);
  if (manner?.isBare === true) repeats.keep(call, manner.name, tree);
}

/** As keyOf, of a repeated read. */
export function keyOfRepeated(asked: Asked, { manner, template }: RepeatedRead): PlanKey {
  return keyFor(asked, manner, template);
}

function cachesOf(service: Service): Plans {
  const existing = plansByService.get(service);
  const { layout } = service;
  const workflows = service.workflows();
  const noteMinutes = service.noteMinutes();
  const isCurrent = existing?.layout === layout && existing.workflows === workflows;
  if (isCurrent && existing.noteMinutes === noteMinutes) return existing;
  const limit = service.limits.planMegabytes * MEGABYTE;
  const cache = new PlanCache<PreparedPlan>(limit, sizeOf);
  const [manners, repeats] = [new Manners(), new RepeatedReads()];
  const plans = { layout, workflows, noteMinutes, cache, manners, repeats };
  plansByService.set(service, plans);
  return plans;
}

/** What a plan keeps besides the texts of its statements, and per character of them with the prepared statement. Bytes. */
const PLAN_BYTES = 6000;
const BYTES_PER_CHARACTER = 2;

function sizeOf(prepared: PreparedPlan): number {
  return PLAN_BYTES + BYTES_PER_CHARACTER * lengthOf(prepared);
}

/** The characters of all statements, and of the rest of the script as JSON would write it. */
function lengthOf({ script, ...prepared }: PreparedPlan): number {
  return charactersIn(script) + charactersIn(prepared.kind === 'write' ? prepared.location : 0);
}

/** Characters of a member besides its name and value, and of a value that is not text, on average. */
const PUNCTUATION = 4;

/** The deletions of a script are shared by all scripts. This runs for each new plan; writing JSON to measure it takes twice as long. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  let sum = 0;
  if (Array.isArray(value) || value instanceof Map)
    for (const item of value) sum += PUNCTUATION + charactersIn(item);
  else
    for (const [name, member] of Object.entries(value))
      if (name !== 'deletions') sum += name.length + PUNCTUATION + charactersIn(member);
  return sum;
}
