// This file turns role definitions into grants: it resolves the names of types and members and parses conditions. Invalid parts grant
// nothing and are reported as mistakes. The caller supplies the check that binds a condition to its type.
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import type {
  ACCESS_ACTIONS,
  AttributeAccess,
  EntityAccess,
  RoleDefinition,
} from '../edm/account-sets.ts';
import {
  type EntityType,
  isAssignable,
  type Model,
  type QualifiedName,
  simpleName,
} from '../edm/model.ts';
import { equivalentMembers } from '../edm/partners.ts';
import { WEBHOOK_DELIVERY_TYPE, WEBHOOK_SUBSCRIPTION_TYPE } from '../edm/webhooks/webhook-sets.ts';
import { parseExpression } from '../request/expression/expression.ts';
import type { Expression } from '../request/tree.ts';
import {
  ACTIONS,
  type Action,
  type Grant,
  joinReach,
  type Reach,
  type Role,
  type Rule,
} from './policy.ts';

/** Checks that a condition is valid for rows of a type. Throws: bind.*, not-built. */
export type CheckRule = (rule: Expression, type: EntityType) => void;

/** An invalid part of a role definition. */
interface RoleMistake {
  readonly part: 'entities' | 'attributes';
  readonly index: number;
  /** Its target is the invalid member. */
  readonly fault: Fault;
}

export interface ReadRole {
  readonly role: Role;
  readonly mistakes: readonly RoleMistake[];
}

/** Converts a role definition. Mistakes have the codes access.rule, access.rule-type and access.rule-member. */
export function readRole(model: Model, definition: RoleDefinition, check: CheckRule): ReadRole {
  const mistakes: RoleMistake[] = [];
  const read = <Item, Result>(
    part: RoleMistake['part'],
    items: readonly Item[],
    make: (item: Item) => Result,
  ): readonly Result[] =>
    items.flatMap((item, index) => {
      try {
        return [make(item)];
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        mistakes.push({ part, index, fault: error });
        return [];
      }
    });
  const entities = read('entities', definition.entities, (item) => readAccess(model, item, check));
  const attributes = read('attributes', definition.attributes ?? [], (item) =>
    readAttribute(model, item),
  ).flatMap((one) => withAlike(model, one));
  const { name, updatesAll = false } = definition;
  return { role: { name, updatesAll, grants: grantsOf(model, entities, attributes) }, mistakes };
}

/**
 * Parses a condition in $filter syntax, in which `$me` is the key of the requesting account's person and `$account` its login name.
 * A condition that uses `$me` is always false for accounts without a person. Throws: request.*.
 */
export function readRule(text: string): Rule {
  const inner = text.replaceAll(WHO, (whole, name) => (name === undefined ? whole : `@${name}`));
  const condition = parse(inner);
  const usesPerson = [...inner.matchAll(PERSON)].some(([match]) => match === '@me');
  return { text, condition: usesPerson ? parse(`(${inner}) and @me ne null`) : condition };
}

/** String literals match too, so that their content is skipped. */
const WHO = /'(?:[^']|'')*'|\$(me|account)\b/g;
const PERSON = /'(?:[^']|'')*'|@me\b/g;

function parse(text: string): Expression {
  return parseExpression(text, 'the condition');
}

// ---- entities and attributes ----------------------------------------------------------------------------------------

interface Access {
  readonly type: EntityType;
  readonly actions: Readonly<Partial<Record<Action, Reach>>>;
}

interface Withheld extends AttributeAccess {
  readonly type: EntityType;
}

/** Maps the action names of role records. */
export const ACTION_OF = {
  Read: 'read',
  Create: 'create',
  Change: 'change',
  Delete: 'delete',
  Attach: 'attach',
} as const satisfies Record<(typeof ACCESS_ACTIONS)[number], Action>;

function readAccess(model: Model, access: EntityAccess, check: CheckRule): Access {
  const type = typeNamed(model, access.entity);
  const reach = withinOwn(type, access.filter, reachOf(type, access.filter, check));
  const actions = access.actions.map((name) => [ACTION_OF[name], reach] as const);
  return { type, actions: Object.fromEntries(actions) };
}

function reachOf(type: EntityType, filter: string | undefined, check: CheckRule): Reach {
  if (filter === undefined || filter.trim() === '') return { kind: 'all' };
  try {
    const rule = readRule(filter);
    check(rule.condition, type);
    return { kind: 'some', rules: [rule] };
  } catch (error) {
    const isOfRule = error instanceof Fault && (error.status < 500 || error.code === 'not-built');
    if (!isOfRule) throw error;
    throw new Fault(
      'access.rule',
      { type: type.name, reason: error.message },
      { target: 'Filter', ...(error.position === undefined ? {} : { position: error.position }) },
    );
  }
}

/** Records that have the rights of the account that has made them, so that roles grant rights to the own ones only. */
const OWN_ONLY: ReadonlyMap<QualifiedName, string> = new Map([
  [WEBHOOK_SUBSCRIPTION_TYPE, 'Owner eq $account'],
  [WEBHOOK_DELIVERY_TYPE, 'Subscription/Owner eq $account'],
]);

function withinOwn({ name }: EntityType, filter: string | undefined, reach: Reach): Reach {
  const own = OWN_ONLY.get(name);
  if (own === undefined) return reach;
  const rule = reach.kind === 'some' ? `(${filter}) and ${own}` : own;
  return { kind: 'some', rules: [readRule(rule)] };
}

function readAttribute(model: Model, access: AttributeAccess): Withheld {
  const type = typeNamed(model, access.entity);
  const members = model.members(type);
  if (members.has(access.attribute)) return { ...access, type };
  const hint = didYouMean(access.attribute, members.keys());
  throw new Fault(
    'access.rule-member',
    { name: access.attribute, type: type.name, hint },
    { target: 'Attribute' },
  );
}

/** A withheld member must not be readable through its partner navigation, a dependent property or a summary of values either. */
function withAlike(model: Model, withheld: Withheld): readonly Withheld[] {
  if (withheld.read) return [withheld];
  const { type, attribute: name } = withheld;
  const [, ...equivalent] = equivalentMembers(model, { type, name });
  const others = [...equivalent, ...summariesOf(model, type, name)];
  return [
    withheld,
    ...others.map((other) => ({
      entity: other.type.name,
      attribute: other.name,
      read: false,
      modify: true,
      type: other.type,
    })),
  ];
}

/** The members of history entries that repeat the value of the member. */
function summariesOf(model: Model, type: EntityType, name: string) {
  const members = [...model.members(type).values()];
  const part = members.find((member) => member.name === name)?.changePart;
  if (part !== 'before' && part !== 'after') return [];
  return members.flatMap((member) =>
    member.changePart === 'summary' ? [{ type, name: member.name }] : [],
  );
}

/** Finds a type by its qualified name, or by its simple name if that is unambiguous. Throws: access.rule-type. */
function typeNamed(model: Model, name: string): EntityType {
  const all = [...model.types.values()].filter((type) => type.kind === 'entity');
  const [found, ...others] = all.filter(
    (type) => type.name === name || simpleName(type.name) === name,
  );
  if (found !== undefined && others.length === 0) return found;
  const hint =
    found === undefined
      ? didYouMean(
          name,
          all.map((type) => (name.includes('.') ? type.name : simpleName(type.name))),
        )
      : ` Write ${[found, ...others].map((type) => `"${type.name}"`).join(' or ')}.`;
  throw new Fault('access.rule-type', { name, hint }, { target: 'Entity' });
}

// ---- grants ---------------------------------------------------------------------------------------------------------

/** Returns one grant for each type named in the role. Members withheld from a type are withheld from its derived types. */
function grantsOf(
  model: Model,
  entities: readonly Access[],
  attributes: readonly Withheld[],
): readonly Grant[] {
  const types = new Map<QualifiedName, EntityType>();
  for (const { type } of [...entities, ...attributes]) types.set(type.name, type);
  return [...types.values()].flatMap((type) => {
    const nearest = nearestOf(model, type, entities);
    if (nearest === undefined) return [];
    const here = attributes.filter((one) => isAssignable(model, type, one.type));
    return [
      {
        type: type.name,
        actions: joinActions(entities.filter((one) => one.type === nearest)),
        unreadable: here.filter(({ read }) => !read).map(({ attribute }) => attribute),
        unwritable: here.filter(({ modify }) => !modify).map(({ attribute }) => attribute),
      },
    ];
  });
}

/** Returns the type itself or its nearest base type that the role names. */
function nearestOf(
  model: Model,
  type: EntityType,
  entities: readonly Access[],
): EntityType | undefined {
  if (entities.some((one) => one.type === type)) return type;
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  return base?.kind === 'entity' ? nearestOf(model, base, entities) : undefined;
}

function joinActions(accesses: readonly Access[]): Grant['actions'] {
  const none: Reach = { kind: 'none' };
  const joined = ACTIONS.map((action) => [
    action,
    accesses.map(({ actions }) => actions[action] ?? none).reduce(joinReach, none),
  ]);
  return Object.fromEntries(joined);
}
