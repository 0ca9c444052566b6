// This file derives the input of each stage from a call and the service: the request tree for parsing, and the scope of binding, the
// setting of deciding, the context of running and the site of rendering.
import { hash } from 'node:crypto';
import { type Policy, type Rights, resolveRights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { Stage } from '../base/observation.ts';
import { ruleBinder } from '../bind/model/policy-condition.ts';
import type { Scope } from '../bind/scope.ts';
import { parse } from '../request/parse.ts';
import type { Tree } from '../request/tree.ts';
import type { ErrorForm } from '../response/error.ts';
import type { Site } from '../response/site.ts';
import type { Context } from '../store/database.ts';
import type { Call, Service } from './service.ts';

/** What a running request has found out so far, for error responses and the log. */
export interface RequestTrace {
  /** Version and format of error responses. */
  negotiated: ErrorForm | undefined;
  /** Duration of each stage. Milliseconds. */
  readonly stages: Partial<Record<Stage, number>>;
}

export function newTrace(): RequestTrace {
  return { negotiated: undefined, stages: {} };
}

/** Parses a request. Throws: request.*. */
export function readTree(call: Call, service: Service, trace: RequestTrace): Tree {
  const { method, path, query, headers, body } = call;
  // Only the body of a /$query request is parsed here. Other bodies may be large and depend on the target's type.
  const text =
    body !== undefined && isQuery(path) ? { body: Buffer.from(body).toString('utf8') } : {};
  const tree = parse({ method, path, query, headers, ...text }, service.limits, service.unread);
  trace.negotiated = tree.negotiated;
  if (tree.negotiated.isolation === 'snapshot') throw new Fault('request.isolation');
  requireCurrentSchema(tree.options.schemaversion);
  return tree;
}

/** The schema has no versions, so only `*` is supported. OData Protocol 4.01, "System Query Option $schemaversion". */
function requireCurrentSchema(version: string | undefined): void {
  if (version === undefined || version === '*') return;
  throw new Fault('request.schema-version', { version }, { target: '$schemaversion' });
}

/** Whether the call is a read, by its method or as a /$query request. */
export function isReading({ method, path }: Call): boolean {
  return method === 'GET' || method === 'HEAD' || isQuery(path);
}

function isQuery(path: string): boolean {
  return /(?:^|\/)(?:\$|%24)query\/?$/.test(path);
}

/** Input of binding. */
export function scopeOf(call: Call, { model, rules, limits }: Service): Scope {
  return { model, rules, limits, root: call.root };
}

/** Input of deciding. */
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

/** Values that statements refer to. */
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
  readonly #time: number;

  constructor({ root, id }: Call, { person, loginName, account }: Principal, time: number) {
    this.me = person ?? null;
    this.account = loginName;
    this.accountKey = account;
    this.root = root;
    this.request = id;
    this.#time = time;
  }

  /** Formatted on demand: few statements use it, and formatting costs more than the rest of the context. */
  get now(): string {
    return new Date(this.#time).toISOString();
  }
}

/** Input of rendering. */
export function siteOf(call: Call, { model, documents, world }: Service, tags: Site['tags']): Site {
  return { root: call.root, model, documents, now: world.now(), tags, digest };
}

/** 96 bits of SHA-256, enough to rule out accidental collisions. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** The rights of a principal, resolved once per set of roles so that accounts with equal roles share rights and query plans. */
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
