// This file gives the accounts and roles that every installation needs to a model that has none of its own, such as a foreign one. A
// model that has a set Accounts brings the same members under its own names and texts. What a role says is defined here for both.
import { SYSTEM_NAMESPACE, withAdministration } from './administration-sets.ts';
import {
  actionImport,
  actionOf,
  boolean,
  collectionOf,
  complex,
  complexType,
  contained,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int64,
  many,
  parameter,
  returning,
  text,
} from './define.ts';
import type { Member, ModelDefinition, Operation, Parameter, Property } from './model.ts';
import type { JsonObject } from './value/lossless-json.ts';

/** Names that logging in relies on. */
export const ACCOUNT_SET = 'Accounts';
export const ROLE_SET = 'Roles';
export const ADMINISTRATOR_ROLE = 'administrator';
/** The contained collections of a role. */
export const ENTITY_ACCESS = 'EntityAccess';
export const ATTRIBUTE_ACCESS = 'AttributeAccess';

/** What may be done with records: a member of EntityAccess for each. */
export const ACCESS_ACTIONS = ['Read', 'Create', 'Change', 'Delete', 'Attach'] as const;

/** What a role may do with the records of one type. Several of them for one type add up. */
export interface EntityAccess {
  /** Name of the entity type, with or without its namespace. */
  readonly entity: string;
  readonly actions: readonly (typeof ACCESS_ACTIONS)[number][];
  /** Only those records: a condition in the syntax of $filter, in which `$me` is the key of the account's person. */
  readonly filter?: string;
}

/** What a role does not let see or change of the records of one type. */
export interface AttributeAccess {
  readonly entity: string;
  readonly attribute: string;
  readonly read: boolean;
  readonly modify: boolean;
}

/** A role as it is written down. */
export interface RoleDefinition {
  readonly name: string;
  readonly description?: string;
  /** May change many records by one request. */
  readonly updatesAll?: boolean;
  readonly entities: readonly EntityAccess[];
  readonly attributes?: readonly AttributeAccess[];
}

/** The roles as a document of records, as they would be posted. */
export function rolesDocument(roles: readonly RoleDefinition[]): JsonObject {
  return {
    [ROLE_SET]: roles.map(({ name, description, updatesAll, entities, attributes = [] }) => ({
      Name: name,
      Description: description ?? null,
      UpdateAllAllowed: updatesAll ?? false,
      [ENTITY_ACCESS]: entities.map(({ entity, actions, filter }) => ({
        Entity: entity,
        ...Object.fromEntries(actions.map((action) => [action, true])),
        Filter: filter ?? null,
      })),
      [ATTRIBUTE_ACCESS]: attributes.map(({ entity, attribute, read, modify }) => ({
        Entity: entity,
        Attribute: attribute,
        Read: read,
        Modify: modify,
      })),
    })),
  };
}

/** The members of an entity access besides its key. */
export const entityAccessMembers: readonly Member[] = [
  text('Entity', {
    nullable: false,
    maxLength: 128,
    description: 'Name of the entity type; types derived from it are meant as well',
  }),
  ...ACCESS_ACTIONS.map((action) => boolean(action, { nullable: false, default: false })),
  text('Filter', {
    maxLength: 2000,
    description: 'Only records for which this condition is true, written as in $filter',
  }),
];

/** The members of an attribute access besides its key. */
export const attributeAccessMembers: readonly Member[] = [
  text('Entity', { nullable: false, maxLength: 128, description: 'Name of the entity type' }),
  text('Attribute', {
    nullable: false,
    maxLength: 255,
    description: 'Name of the property or of the navigation',
  }),
  boolean('Read', { nullable: false, default: true }),
  boolean('Modify', { nullable: false, default: true }),
];

/** The members of a role that say what it may do. */
export const roleMembers: readonly Member[] = [
  text('Description', { maxLength: 255 }),
  boolean('UpdateAllAllowed', { description: 'May change many records by one request' }),
  contained(ENTITY_ACCESS, 'EntityAccess'),
  contained(ATTRIBUTE_ACCESS, 'AttributeAccess'),
];

const NAMESPACE = SYSTEM_NAMESPACE;

/** The type of what EffectiveRights gives back. */
export const RIGHTS_TYPE = `${NAMESPACE}.EffectiveRights`;

/**
 * The definition with accounts and roles and with what administrators look at, all of it reserved to them, with the function that
 * tells rights, and with the action by which accounts change their password.
 */
export function withSystem(definition: ModelDefinition): ModelDefinition {
  const accounts = definition.sets.find((set) => set.name === ACCOUNT_SET);
  const complete = withPasswordAction(
    withRightsFunction(accounts ? definition : withAccounts(definition)),
  );
  return withAdministration(complete, accounts?.type ?? `${NAMESPACE}.Account`);
}

function withAccounts(definition: ModelDefinition): ModelDefinition {
  const system = systemDefinition();
  return {
    ...definition,
    namespaces: [...definition.namespaces, { name: NAMESPACE }],
    types: [...definition.types, ...system.types],
    sets: [...definition.sets, ...system.sets],
  };
}

function systemDefinition(): ModelDefinition {
  return defineModel({
    namespaces: [{ name: SYSTEM_NAMESPACE }],
    types: [
      entityType(
        'Account',
        [
          key(),
          text('LoginName', { nullable: false, unique: true, maxLength: 128 }),
          text('Name', { maxLength: 255 }),
          boolean('Blocked'),
          many('Roles', 'Role', { partner: 'Accounts' }),
        ],
        { key: ['Uid'], alternateKeys: [['LoginName']] },
      ),
      entityType(
        'Role',
        [
          key(),
          text('Name', { nullable: false, unique: true, maxLength: 128 }),
          ...roleMembers,
          many('Accounts', 'Account', { partner: 'Roles', onDelete: 'set-null' }),
        ],
        { key: ['Uid'] },
      ),
      entityType('EntityAccess', [key(), ...entityAccessMembers], { key: ['Uid'] }),
      entityType('AttributeAccess', [key(), ...attributeAccessMembers], { key: ['Uid'] }),
    ],
    sets: [
      entitySet(ACCOUNT_SET, 'Account', {
        singular: 'Account',
        administrative: true,
        listed: false,
      }),
      entitySet(ROLE_SET, 'Role', { singular: 'Role', administrative: true, listed: false }),
    ],
  });
}

/** `EffectiveRights`, bound to every entity: two overloads for each type that derives from no other, with another account and without. */
function withRightsFunction(definition: ModelDefinition): ModelDefinition {
  const [first] = definition.namespaces;
  const own = `${first?.name ?? NAMESPACE}.${RIGHTS_FUNCTION}`;
  const isTaken = definition.operations.some(({ name }) => name === own);
  const name = isTaken ? `${NAMESPACE}.${RIGHTS_FUNCTION}` : own;
  const roots = definition.types.filter(
    (type) => type.kind === 'entity' && type.base === undefined,
  );
  const functions = roots.flatMap(({ name: type }) => {
    const it = parameter({ ...text('it', { nullable: false }), type });
    return [
      rightsFunction(name, [it, otherAccount], 'What another account may do with the entity'),
      rightsFunction(name, [it], 'What the account that asks may do with the entity'),
    ];
  });
  const isKnown = definition.namespaces.some((namespace) => namespace.name === NAMESPACE);
  return {
    ...definition,
    namespaces: isKnown ? definition.namespaces : [...definition.namespaces, { name: NAMESPACE }],
    types: [...definition.types, rightsType, memberRightsType],
    operations: [...definition.operations, ...functions],
  };
}

function rightsFunction(
  name: string,
  parameters: readonly Parameter[],
  description: string,
): Operation {
  const returns = returning(rightsType.name);
  const declared = functionOf(name, parameters, { bound: true, returns, description });
  return { ...declared, engine: 'effective-rights' };
}

/** Of EffectiveRights: the log-in name of the account that is asked about. */
export const RIGHTS_ACCOUNT = 'Account';

const otherAccount = parameter(
  text(RIGHTS_ACCOUNT, { nullable: false, description: 'Its log-in name; for administrators' }),
);

const PASSWORD_ACTION = 'ChangePassword';

/** Parameters of the action by which an account gives itself another password. */
export const CURRENT_PASSWORD = 'CurrentPassword';
export const NEW_PASSWORD = 'NewPassword';

/** `ChangePassword`, for whoever asks; by another name where the model has something of this name. */
function withPasswordAction(definition: ModelDefinition): ModelDefinition {
  const taken = [...definition.sets, ...definition.imports].flatMap((one) => [
    one.name.toLowerCase(),
    'singular' in one ? one.singular?.toLowerCase() : undefined,
  ]);
  const isTaken = taken.includes(PASSWORD_ACTION.toLowerCase());
  const operation = `${NAMESPACE}.${PASSWORD_ACTION}`;
  const action = actionOf(
    operation,
    [
      parameter(text(CURRENT_PASSWORD, { nullable: false, description: 'As it is now' })),
      parameter(
        text(NEW_PASSWORD, {
          nullable: false,
          description: 'As it shall be; 12 characters or more',
        }),
      ),
    ],
    { description: 'Gives the account that asks another password and ends its other sessions' },
  );
  return {
    ...definition,
    operations: [...definition.operations, { ...action, engine: 'own-password' }],
    imports: [
      ...definition.imports,
      actionImport(`${isTaken ? 'Docket' : ''}${PASSWORD_ACTION}`, operation),
    ],
  };
}

const RIGHTS_FUNCTION = 'EffectiveRights';

const memberRightsType = complexType(
  `${NAMESPACE}.MemberRights`,
  [
    text('Name', { nullable: false, description: 'Name of the property or of the navigation' }),
    boolean('Read', { nullable: false }),
    boolean('Change', { nullable: false }),
  ],
  { description: 'What may be done with one member of an entity' },
);

const rightsType = complexType(
  RIGHTS_TYPE,
  [
    ...ACCESS_ACTIONS.map((action) => boolean(action, { nullable: false })),
    collectionOf(complex('Members', memberRightsType.name)),
  ],
  { description: 'What may be done with an entity' },
);

function key(): Property {
  return int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } });
}
