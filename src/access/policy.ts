// This file defines rights as data: what each role may do with the entities of a type, and what that comes to for one principal.
// Rights of several roles add up. Nothing is applied here: reading rights are put into plans by plan/rights/read-rights.ts, the others by the
// plans of writing.
import {
  type EntityType,
  entityType,
  isStructured,
  type Model,
  type QualifiedName,
} from '../edm/model.ts';
import type { Expression } from '../request/tree.ts';
import type { Principal } from './principal.ts';

/** attach = add, replace and remove the bytes of streams and the media entities contained in an entity. */
export const ACTIONS = ['read', 'create', 'change', 'delete', 'attach'] as const;

export type Action = (typeof ACTIONS)[number];

/** Which entities of a type a right reaches. */
export type Reach =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  /** Those for which one of the rules is true: conditions in the syntax of $filter; `@me` and `@account` name who asks. */
  | { readonly kind: 'some'; readonly rules: readonly Expression[] };

/** What a role may do with entities of a type, and of the types derived from it that have no grant of their own. */
export interface Grant {
  readonly type: QualifiedName;
  /** An action that is not named is not granted. */
  readonly actions: Readonly<Partial<Record<Action, Reach>>>;
  /** Members that this grant does not show. Keys are always shown. */
  readonly unreadable?: readonly string[];
  /** Members that this grant does not let change. */
  readonly unwritable?: readonly string[];
}

export interface Role {
  readonly name: string;
  /** May change many records by one request. */
  readonly updatesAll?: boolean;
  readonly grants: readonly Grant[];
}

export interface Policy {
  readonly roles: readonly Role[];
}

/** What one principal may do with entities of one type. */
export interface TypeRights {
  readonly actions: Readonly<Record<Action, Reach>>;
  /** Members that can be read in fewer entities than the entity itself: where they can. */
  readonly reading: ReadonlyMap<string, Reach>;
  /** Members that can be changed in fewer entities than the entity itself: where they can. */
  readonly writing: ReadonlyMap<string, Reach>;
  /** Members that can be given in fewer new entities than can be made: where they can. */
  readonly creating: ReadonlyMap<string, Reach>;
}

/** What one principal may do. */
export interface Rights {
  /** No restriction at all, what is reserved to administrators included. */
  readonly everything: boolean;
  /** May change many entities by one request. */
  readonly updatesAll: boolean;
  /** By name of entity type. A derived type to which the same grants apply has the same object as its base. */
  readonly types: ReadonlyMap<QualifiedName, TypeRights>;
}

/** The policy of a new installation: administrators may do everything, nobody else anything. */
export const ADMINISTRATORS_ONLY: Policy = { roles: [] };

const NONE: Reach = { kind: 'none' };
const ALL: Reach = { kind: 'all' };

const UNRESTRICTED: Rights = { everything: true, updatesAll: true, types: new Map() };

const NOTHING: TypeRights = {
  actions: { read: NONE, create: NONE, change: NONE, delete: NONE, attach: NONE },
  reading: new Map(),
  writing: new Map(),
  creating: new Map(),
};

/** What the roles of the principal come to. To be kept with the principal: it walks through all types of the model. */
export function resolveRights(policy: Policy, principal: Principal, model: Model): Rights {
  if (principal.administrator) return UNRESTRICTED;
  const roles = policy.roles.filter((role) => principal.roles.includes(role.name));
  const found = new Map<QualifiedName, Resolved>();
  for (const type of model.definition.types) {
    if (isStructured(type) && type.kind === 'entity') resolveType(model, roles, type, found);
  }
  return {
    everything: false,
    updatesAll: roles.some((role) => role.updatesAll === true),
    types: new Map([...found].map(([name, { rights }]) => [name, rights])),
  };
}

/** What the principal may do with entities of the type: nothing, where no grant speaks of it. */
export function rightsTo(rights: Rights, type: EntityType): TypeRights {
  return rights.types.get(type.name) ?? NOTHING;
}

/** Where a member of an entity can be read, as far as the entity itself can be. */
export function mayReadMember(rights: TypeRights, member: string): Reach {
  return rights.reading.get(member) ?? ALL;
}

/** Where either of two rights reaches. */
export function joinReach(left: Reach, right: Reach): Reach {
  if (left.kind === 'all' || right.kind === 'all') return ALL;
  if (left.kind === 'none') return right;
  if (right.kind === 'none') return left;
  return { kind: 'some', rules: [...left.rules, ...right.rules] };
}

interface Resolved {
  readonly rights: TypeRights;
  readonly grants: readonly Grant[];
}

function resolveType(
  model: Model,
  roles: readonly Role[],
  type: EntityType,
  found: Map<QualifiedName, Resolved>,
): Resolved {
  const known = found.get(type.name);
  if (known !== undefined) return known;
  const base =
    type.base === undefined
      ? undefined
      : resolveType(model, roles, entityType(model, type.base), found);
  const grants = roles.flatMap((role) => nearestGrant(model, role, type) ?? []);
  const isSame =
    base !== undefined &&
    grants.length === base.grants.length &&
    grants.every((grant, index) => grant === base.grants[index]);
  const resolved = isSame ? base : { grants, rights: addUp(model, type, grants) };
  found.set(type.name, resolved);
  return resolved;
}

/** The grant of the role for the type itself, or else for the nearest type that it derives from. */
function nearestGrant(model: Model, role: Role, type: EntityType): Grant | undefined {
  const own = role.grants.find((grant) => grant.type === type.name);
  if (own !== undefined || type.base === undefined) return own;
  return nearestGrant(model, role, entityType(model, type.base));
}

function addUp(model: Model, type: EntityType, grants: readonly Grant[]): TypeRights {
  if (grants.length === 0) return NOTHING;
  const reachOf = (action: Action) => unite(grants, (grant) => grant.actions[action]);
  const keys = new Set(model.key(type).map((part) => part.path.split('/')[0] ?? part.path));
  return {
    actions: {
      read: reachOf('read'),
      create: reachOf('create'),
      change: reachOf('change'),
      delete: reachOf('delete'),
      attach: reachOf('attach'),
    },
    reading: restrict(grants, 'read', (grant) => grant.unreadable, keys),
    writing: restrict(grants, 'change', (grant) => grant.unwritable, new Set()),
    creating: restrict(grants, 'create', (grant) => grant.unwritable, new Set()),
  };
}

function unite(grants: readonly Grant[], reach: (grant: Grant) => Reach | undefined): Reach {
  return grants.map((grant) => reach(grant) ?? NONE).reduce(joinReach, NONE);
}

/** For each member that some grant withholds: the entities in which another grant gives it. */
function restrict(
  grants: readonly Grant[],
  action: Action,
  withheld: (grant: Grant) => readonly string[] | undefined,
  exempt: ReadonlySet<string>,
): ReadonlyMap<string, Reach> {
  const names = new Set(grants.flatMap((grant) => withheld(grant) ?? []));
  const restricted = new Map<string, Reach>();
  for (const name of names) {
    if (exempt.has(name)) continue;
    const giving = grants.filter((grant) => withheld(grant)?.includes(name) !== true);
    const reach = unite(giving, (grant) => grant.actions[action]);
    if (reach.kind !== 'all') restricted.set(name, reach);
  }
  return restricted;
}
