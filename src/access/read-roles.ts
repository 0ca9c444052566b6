// This file makes rights of roles as they are written down: names of types and members are looked up, conditions are read. What is
// wrong grants nothing, and is told as a mistake; whether a condition fits its type is asked of whoever can bind it.
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
import { alikeMembers } from '../edm/partners.ts';
import { parseExpression } from '../request/expression/expression.ts';
import type { Expression } from '../request/tree.ts';
import { ACTIONS, type Action, type Grant, joinReach, type Reach, type Role } from './policy.ts';

/** Tells what is wrong with a condition for rows of a type, or gives nothing back. Faults: bind.*. */
export type CheckRule = (rule: Expression, type: EntityType) => void;

/** Something in a role that cannot be understood. */
export interface RoleMistake {
  readonly part: 'entities' | 'attributes';
  readonly index: number;
  /** With the member that is wrong as its target. */
  readonly fault: Fault;
}

export interface ReadRole {
  readonly role: Role;
  readonly mistakes: readonly RoleMistake[];
}

/** The role as rights. Mistakes: access.rule, access.rule-type, access.rule-member. */
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
 * A condition in the syntax of $filter, in which `$me` is the key of the person behind the account that asks and `$account` its name.
 * A condition that speaks of the person is false for accounts without one, whatever else it says. Faults: request.*.
 */
export function readRule(text: string): Expression {
  const inner = text.replaceAll(WHO, (whole, name) => (name === undefined ? whole : `@${name}`));
  const rule = parse(inner);
  const speaksOfPerson = [...inner.matchAll(PERSON)].some(([found]) => found === '@me');
  return speaksOfPerson ? parse(`(${inner}) and @me ne null`) : rule;
}

/** Texts in quotes are passed over. */
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

/** The actions as records of roles name them. */
export const ACTION_OF = {
  Read: 'read',
  Create: 'create',
  Change: 'change',
  Delete: 'delete',
  Attach: 'attach',
} as const satisfies Record<(typeof ACCESS_ACTIONS)[number], Action>;

function readAccess(model: Model, access: EntityAccess, check: CheckRule): Access {
  const type = typeNamed(model, access.entity);
  const reach = reachOf(type, access.filter, check);
  const actions = access.actions.map((name) => [ACTION_OF[name], reach] as const);
  return { type, actions: Object.fromEntries(actions) };
}

function reachOf(type: EntityType, filter: string | undefined, check: CheckRule): Reach {
  if (filter === undefined || filter.trim() === '') return { kind: 'all' };
  try {
    const rule = readRule(filter);
    check(rule, type);
    return { kind: 'some', rules: [rule] };
  } catch (error) {
    if (!(error instanceof Fault) || error.status >= 500) throw error;
    throw new Fault(
      'access.rule',
      { type: type.name, reason: error.message },
      { target: 'Filter', ...(error.position === undefined ? {} : { position: error.position }) },
    );
  }
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

/** What cannot be read cannot be read from its other side either, nor from a property that depends on it. */
function withAlike(model: Model, withheld: Withheld): readonly Withheld[] {
  if (withheld.read) return [withheld];
  const { type, attribute: name } = withheld;
  const [, ...others] = alikeMembers(model, { type, name });
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

/** By its qualified name, or by its own where no other type has it. */
function typeNamed(model: Model, name: string): EntityType {
  const types = [...model.types.values()].filter((type): type is EntityType =>
    type.kind === 'entity' ? type.name === name || simpleName(type.name) === name : false,
  );
  const found = types.find((type) => type.name === name) ?? types[0];
  if (found !== undefined && (types.length === 1 || found.name === name)) return found;
  const all = [...model.types.values()].filter(({ kind }) => kind === 'entity');
  const hint =
    types.length > 1
      ? ` Write ${types.map((type) => `"${type.name}"`).join(' or ')}.`
      : didYouMean(
          name,
          all.map((type) => (name.includes('.') ? type.name : simpleName(type.name))),
        );
  throw new Fault('access.rule-type', { name, hint }, { target: 'Entity' });
}

// ---- grants ---------------------------------------------------------------------------------------------------------

/** One grant for each type that the role speaks of. What is withheld of a type is withheld of those derived from it. */
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

/** The type itself or the nearest above it that the role speaks of. */
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
