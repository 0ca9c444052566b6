// This file derives the input of each stage from a call and the service: the request tree for parsing, and the scope of binding, the
// setting of deciding, the context of running and the site of rendering.
import { hash } from 'node:crypto';
import { principalRights, rightsKey } from '../access/key-rights.ts';
import type { Policy, Rights } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { Stage } from '../base/observation.ts';
import { ruleBinder } from '../bind/model/policy-condition.ts';
import type { Scope } from '../bind/scope.ts';
import { schemaVersions } from '../edm/schema-versions.ts';
import { readMediaType } from '../request/headers/media-types.ts';
import { parse } from '../request/parse.ts';
import type { Negotiated, Tree } from '../request/tree.ts';
import type { ErrorForm } from '../response/error.ts';
import type { Site } from '../response/site.ts';
import type { Context } from '../store/database.ts';
import type { Call, Service } from './service.ts';
import { readText } from './text-body.ts';

/** What a running request has found out so far, for error responses and the log. */
export interface RequestTrace {
  /** Version and format of error responses. */
  negotiated: ErrorForm | undefined;
  /** Duration of each stage. Milliseconds. */
  readonly stages: Partial<Record<Stage, number>>;
  /** Whether the plan and the response were cached; undefined if they were not looked up. */
  planCached: boolean | undefined;
  responseCached: boolean | undefined;
}

export function newTrace(): RequestTrace {
  return { negotiated: undefined, stages: {}, planCached: undefined, responseCached: undefined };
}

/** Parses a request. Throws: request.*. */
export function readTree(call: Call, service: Service, trace: RequestTrace): Tree {
  const { method, path, query, headers, body } = call;
  // Only the body of a /$query request is parsed here. Other bodies may be large and depend on the target's type.
  const text = body !== undefined && isQuery(path) ? { body: queryText(body, headers) } : {};
  const tree = parse({ method, path, query, headers, ...text }, service.limits, service.unread);
  trace.negotiated = tree.negotiated;
  if (!isReading(call)) requireRecordFormat(tree.negotiated);
  if (tree.negotiated.isolation === 'snapshot') throw new Fault('request.isolation');
  requireCurrentSchema(tree.options.schemaversion, service);
  return tree;
}

function queryText(body: Uint8Array, { 'content-type': type = '' }: Call['headers']): string {
  return readText(body, readMediaType(type)?.parameters.get('charset'));
}

/** Only collections are exported. Throws: request.not-acceptable. */
export function requireRecordFormat({ format, accept }: Negotiated): void {
  if (format.kind !== 'export') return;
  const requested = accept.map(({ name }) => name).join(', ');
  const supported =
    'exports are for reading collections of entities; request application/json here';
  throw new Fault('request.not-acceptable', { accept: requested, supported });
}

/** Only the current schema is available: `*`, or a version that it declares. OData Protocol 4.01, "System Query Option $schemaversion". */
function requireCurrentSchema(
  version: string | undefined,
  { model }: Pick<Service, 'model'>,
): void {
  if (version === undefined || version === '*') return;
  const versions = schemaVersions(model);
  if (versions.includes(version)) return;
  const available = versions.length === 0 ? '*' : `${versions.join(', ')} or *`;
  throw new Fault('request.schema-version', { version, available }, { target: '$schemaversion' });
}

/** Whether the call is a read, by its method or as a /$query request. */
export function isReading({ method, path }: Call): boolean {
  return method === 'GET' || method === 'HEAD' || isQuery(path);
}

function isQuery(path: string): boolean {
  return /(?:^|\/)(?:\$|%24)query\/?$/.test(path);
}

/** Input of binding. */
export function scopeOf(call: Call, service: Service): Scope {
  const { model, limits, codes } = service;
  return { model, rules: rulesOf(call, service), limits, codes, root: call.root };
}

/** The rules that apply to a request. Excel and Power BI derive $select and $expand from the steps of a query, without the key. */
export function rulesOf({ headers }: Call, { rules, odataClients }: Service): Scope['rules'] {
  const { 'user-agent': agent = '' } = headers;
  return odataClients().some((start) => agent.startsWith(start)) ? 'odata' : rules;
}

/** Input of deciding. */
export function settingOf(service: Service, principal: Principal) {
  const { model, limits, languages, workflows, noteMinutes } = service;
  return {
    model,
    workflows: workflows(),
    noteMinutes: noteMinutes(),
    rights: rightsOf(service, principal),
    languages,
    limits: {
      pageSize: pageSizeOf(service, principal),
      maximum: limits.maximumPageSize,
      maximumPage: limits.maximumPage,
    },
    bindRule: ruleBinder({ model, rules: 'odata', limits }),
  };
}

/** Records per page if the request asks for no other size. */
export function pageSizeOf({ limits }: Service, { pageSize }: Principal): number {
  return pageSize === undefined ? limits.pageSize : Math.min(pageSize, limits.maximumPage);
}

/** Values that statements refer to. */
export function contextOf(call: Call, service: Service, principal: Principal): Context {
  return new CallContext(call, principal, service.businessTime());
}

class CallContext implements Context {
  readonly me: Context['me'];
  readonly account: string;
  /** Null for requests of the service itself, which have no account. */
  readonly accountKey: bigint | null;
  readonly session: bigint | null;
  readonly cause: string | null;
  readonly root: string;
  readonly request: string;
  /** Statements that need them get a context with them. */
  readonly positions = null;
  /** Milliseconds since 1970. */
  readonly #time: number;
  #now: string | undefined;

  constructor({ root, id, cause }: Call, principal: Principal, time: number) {
    const { person, loginName, account, session } = principal;
    this.me = person ?? null;
    this.account = loginName;
    this.accountKey = account === 0n ? null : account;
    this.session = session ?? null;
    this.cause = cause ?? null;
    this.root = root;
    this.request = id;
    this.#time = time;
  }

  /** Formatted on demand: few statements use it, and formatting costs more than the rest of the context. */
  get now(): string {
    this.#now ??= new Date(this.#time).toISOString();
    return this.#now;
  }

  get present(): string {
    return this.now;
  }
}

/** Input of rendering. */
export function siteOf(
  call: Call,
  { model, documents, flatMetadata, businessTime }: Service,
  tags: Site['tags'],
): Site {
  const now = businessTime();
  return { root: call.root, model, documents, flatMetadata, now, tags, digest };
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
  const key = rightsKey(principal);
  const rights = byRoles.get(key) ?? principalRights(policy, principal, model);
  byRoles.set(key, rights);
  rightsByPrincipal.set(principal, { policy, rights });
  return rights;
}

const rightsByPrincipal = new WeakMap<
  Principal,
  { readonly policy: Policy; readonly rights: Rights }
>();

const rightsByPolicy = new WeakMap<Policy, Map<string, Rights>>();
