// This file makes of a call and the service what each room is handed: the tree of the request, the scope of binding, the setting of
// deciding, the context of running, the site of rendering.
import { hash } from 'node:crypto';
import { type Policy, type Rights, resolveRights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { Stage } from '../base/observation.ts';
import { ruleBinder } from '../bind/model/policy-condition.ts';
import type { Scope } from '../bind/scope.ts';
import { parse } from '../request/parse.ts';
import type { Tree } from '../request/tree.ts';
import type { Spoken } from '../response/error.ts';
import type { Site } from '../response/site.ts';
import type { Context } from '../store/database.ts';
import type { Call, Service } from './service.ts';

/** What is known of a request that is under way, for the answer to one that fails. */
export interface Spoke {
  spoken: Spoken | undefined;
  /** How long its steps took. Milliseconds. */
  readonly stages: Partial<Record<Stage, number>>;
}

/** The request as it was said. Faults: request.*. */
export function readTree(call: Call, service: Service, trail: Spoke): Tree {
  const { method, path, query, headers, body } = call;
  // Only a query in a body is text of the request; other bodies may be large and are read by those who know their type.
  const text =
    body !== undefined && isQuery(path) ? { body: Buffer.from(body).toString('utf8') } : {};
  const tree = parse({ method, path, query, headers, ...text }, service.limits, service.unread);
  trail.spoken = tree.wishes;
  if (tree.wishes.isolation === 'snapshot') throw new Fault('request.isolation');
  refuseOtherSchema(tree.options.schemaversion);
  return tree;
}

/** The schema has no versions, so that only `*`, the current one, can be asked for. OData Protocol 4.01, "System Query Option $schemaversion". */
function refuseOtherSchema(version: string | undefined): void {
  if (version === undefined || version === '*') return;
  throw new Fault('request.schema-version', { version }, { target: '$schemaversion' });
}

/** Whether the call changes nothing, by its method or as a query in a body. */
export function isReading({ method, path }: Call): boolean {
  return method === 'GET' || method === 'HEAD' || isQuery(path);
}

function isQuery(path: string): boolean {
  return /(?:^|\/)(?:\$|%24)query\/?$/.test(path);
}

/** What binding needs to know. */
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
    limits: {
      pageSize: limits.pageSize,
      maximum: limits.maximumPageSize,
      maximumPage: limits.maximumPage,
    },
    bindRule: ruleBinder({ model, rules: 'odata', limits }),
  };
}

/** What statements may ask for. */
export function contextOf(call: Call, service: Service, principal: Principal): Context {
  return new CallContext(call, principal, service.world.now());
}

class CallContext implements Context {
  readonly me: Context['me'];
  readonly account: string;
  readonly accountKey: bigint;
  readonly root: string;
  readonly request: string;
  /** Milliseconds since 1970. */
  readonly #moment: number;

  constructor({ root, id }: Call, { person, loginName, account }: Principal, moment: number) {
    this.me = person ?? null;
    this.account = loginName;
    this.accountKey = account;
    this.root = root;
    this.request = id;
    this.#moment = moment;
  }

  /** Few statements ask for the time, and writing it takes longer than the rest of this. */
  get now(): string {
    return new Date(this.#moment).toISOString();
  }
}

/** What rendering needs to know. */
export function siteOf(call: Call, { model, documents, world }: Service, tags: Site['tags']): Site {
  return { root: call.root, model, documents, now: world.now(), tags, digest };
}

/** 96 bits of SHA-256: different representations do not share them by chance. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Rights are resolved once for each set of roles: accounts that have the same share them, and what was planned under them. */
export function rightsOf({ roles, model }: Service, principal: Principal): Rights {
  const { policy } = roles;
  const known = rightsByPrincipal.get(principal);
  if (known?.policy === policy) return known.rights;
  const byRoles = rightsByPolicy.get(policy) ?? new Map<string, Rights>();
  rightsByPolicy.set(policy, byRoles);
  const { administrator } = principal;
  const key = JSON.stringify([
    administrator,
    ...(administrator ? [] : [...principal.roles].sort()),
  ]);
  const rights = byRoles.get(key) ?? resolveRights(policy, principal, model);
  byRoles.set(key, rights);
  rightsByPrincipal.set(principal, { policy, rights });
  return rights;
}

const rightsByPrincipal = new WeakMap<
  Principal,
  { readonly policy: Policy; readonly rights: Rights }
>();

const rightsByPolicy = new WeakMap<Policy, Map<string, Rights>>();
