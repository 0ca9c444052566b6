// This file defines rights as data: the grants of each role per entity type, and the resulting rights of a principal. The rights of
// several roles add up. They are enforced elsewhere: plan/rights/read-rights.ts adds read conditions to plans, write plans check the rest.
import {
  type EntityType,
  entityType,
  isStructured,
  type Model,
  type QualifiedName,
} from '../edm/model.ts';
import type { Expression } from '../request/tree.ts';
import type { Principal } from './principal.ts';

/** attach: add, replace and remove the streams and the contained media entities of an entity. */
export const ACTIONS = ['read', 'create', 'change', 'delete', 'attach'] as const;

export type Action = (typeof ACTIONS)[number];

/** A condition on entities. */
export interface Rule {
  /** The condition as the role states it: `Caller/Uid eq $me`. */
  readonly text: string;
  /** A $filter expression, in which `@me` and `@account` refer to the requesting principal. */
  readonly condition: Expression;
}

/** The entities of a type to which a right applies. */
export type Reach =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  /** Entities that match any of the rules. */
  | { readonly kind: 'some'; readonly rules: readonly Rule[] };

/** The rights of a role to the entities of a type, and of derived types that have no grant of their own. */
export interface Grant {
  readonly type: QualifiedName;
  /** Actions that are not listed are not granted. */
  readonly actions: Readonly<Partial<Record<Action, Reach>>>;
  /** Members that this grant does not let read. Keys are always readable. */
  readonly unreadable?: readonly string[];
  /** Members that this grant does not let change. */
  readonly unwritable?: readonly string[];
  /** Whether a changed entity must still be one that may be changed. */
  readonly isLasting?: boolean;
}

export interface Role {
  readonly name: string;
  /** May change many records in one request. */
  readonly updatesAll?: boolean;
  readonly grants: readonly Grant[];
}

export interface Policy {
  readonly roles: readonly Role[];
}

/** The rights of a principal to the entities of one type. The maps list the members that are more restricted than the entity itself. */
export interface TypeRights {
  readonly actions: Readonly<Record<Action, Reach>>;
  /** Members that are readable in some of the readable entities only. */
  readonly reading: ReadonlyMap<string, Reach>;
  /** Members that may be changed in some of the changeable entities only. */
  readonly writing: ReadonlyMap<string, Reach>;
  /** Members that may be set in some of the new entities only. */
  readonly creating: ReadonlyMap<string, Reach>;
  /** Whether a changed entity must still be one that may be changed. */
  readonly isLasting: boolean;
}

export interface Rights {
  /** No restrictions at all; includes rights reserved to administrators. */
  readonly everything: boolean;
  /** May change nothing, whatever the types permit. */
  readonly readOnly?: boolean;
  /** May create recorded entities, which only the service writes. */
  readonly records?: boolean;
  /** May change many entities in one request. */
  readonly updatesAll: boolean;
  /** The names of the roles, for transitions that name theirs. */
  readonly roles: readonly string[];
  /** By name of entity type. A derived type with the same grants as its base shares the object of the base. */
  readonly types: ReadonlyMap<QualifiedName, TypeRights>;
}

/** The policy of a new installation: only administrators have rights. */
export const ADMINISTRATORS_ONLY: Policy = { roles: [] };

const NONE: Reach = { kind: 'none' };
const ALL: Reach = { kind: 'all' };

/** The rights of administrators. */
export const UNRESTRICTED: Rights = {
  everything: true,
  updatesAll: true,
  roles: [],
  types: new Map(),
};

const NOTHING: TypeRights = {
  actions: { read: NONE, create: NONE, change: NONE, delete: NONE, attach: NONE },
  reading: new Map(),
  writing: new Map(),
  creating: new Map(),
  isLasting: false,
};

/** Combines the rights of the principal's roles. Cache the result per principal: this visits all types of the model. */
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
    roles: principal.roles,
    types: new Map([...found].map(([name, { rights }]) => [name, rights])),
  };
}

/** Returns the rights to entities of the type, or no rights if no grant covers it. */
export function rightsTo(rights: Rights, type: EntityType): TypeRights {
  return rights.types.get(type.name) ?? NOTHING;
}

/** Returns the entities in which the member is readable, provided that the entity itself is. */
export function readReachOf(rights: TypeRights, member: string): Reach {
  return rights.reading.get(member) ?? ALL;
}

/** Returns the union of two reaches. */
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

/** Returns the role's grant for the type, or else for its nearest base type. */
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
    isLasting: grants.some((grant) => grant.isLasting === true),
  };
}

function unite(grants: readonly Grant[], reach: (grant: Grant) => Reach | undefined): Reach {
  return grants.map((grant) => reach(grant) ?? NONE).reduce(joinReach, NONE);
}

/** For each member that some grant withholds, returns the entities in which another grant includes it. */
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
    const including = grants.filter((grant) => withheld(grant)?.includes(name) !== true);
    const reach = unite(including, (grant) => grant.actions[action]);
    if (reach.kind !== 'all') restricted.set(name, reach);
  }
  return restricted;
}
