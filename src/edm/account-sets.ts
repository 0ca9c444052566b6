// This file adds the sets Accounts and Roles to models that lack them. A model with its own set Accounts must provide the same
// members. The content of a role is defined here for both.
import { key, SYSTEM_NAMESPACE, withAdministration, withElements } from './administration-sets.ts';
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
  many,
  parameter,
  returning,
  text,
} from './define.ts';
import type { Member, ModelDefinition, Operation, Parameter } from './model.ts';
import type { JsonObject } from './value/lossless-json.ts';

/** Names that authentication and authorization rely on. */
export const ACCOUNT_SET = 'Accounts';
export const ROLE_SET = 'Roles';
export const ADMINISTRATOR_ROLE = 'administrator';
/** The contained collections of a role. */
export const ENTITY_ACCESS = 'EntityAccess';
export const ATTRIBUTE_ACCESS = 'AttributeAccess';

/** Rights to records; EntityAccess has a member for each. */
export const ACCESS_ACTIONS = ['Read', 'Create', 'Change', 'Delete', 'Attach'] as const;

/** The rights of a role to records of one type. Several entries for one type add up. */
export interface EntityAccess {
  /** Name of the entity type, with or without its namespace. */
  readonly entity: string;
  readonly actions: readonly (typeof ACCESS_ACTIONS)[number][];
  /** Limits the rights to matching records. $filter syntax, where `$me` is the key of the account's person. */
  readonly filter?: string | undefined;
}

/** Restricts a role's access to one member of a type. */
export interface AttributeAccess {
  readonly entity: string;
  readonly attribute: string;
  readonly read: boolean;
  readonly modify: boolean;
}

/** A role in a model file. */
export interface RoleDefinition {
  readonly name: string;
  readonly description?: string;
  /** May change many records in one request. */
  readonly updatesAll?: boolean;
  readonly entities: readonly EntityAccess[];
  readonly attributes?: readonly AttributeAccess[];
}

/** The roles as a document of records, in the format of request bodies. */
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

/** The members of EntityAccess except its key. */
export const entityAccessMembers: readonly Member[] = [
  text('Entity', {
    nullable: false,
    maxLength: 128,
    description: 'Name of the entity type; also applies to derived types',
  }),
  ...ACCESS_ACTIONS.map((action) => boolean(action, { nullable: false, default: false })),
  text('Filter', {
    maxLength: 2000,
    description: 'Limits the rights to records that match this $filter expression',
  }),
];

/** The members of AttributeAccess except its key. */
export const attributeAccessMembers: readonly Member[] = [
  text('Entity', { nullable: false, maxLength: 128, description: 'Name of the entity type' }),
  text('Attribute', {
    nullable: false,
    maxLength: 255,
    description: 'Name of the property or navigation property',
  }),
  boolean('Read', { nullable: false, default: true }),
  boolean('Modify', { nullable: false, default: true }),
];

/** The members of a role that define its rights. */
export const roleMembers: readonly Member[] = [
  text('Description', { maxLength: 255 }),
  boolean('UpdateAllAllowed', { description: 'May change many records in one request' }),
  contained(ENTITY_ACCESS, 'EntityAccess'),
  contained(ATTRIBUTE_ACCESS, 'AttributeAccess'),
];

/** The return type of EffectiveRights. */
export const RIGHTS_TYPE = `${SYSTEM_NAMESPACE}.EffectiveRights`;

/**
 * Adds the engine's parts of a model: accounts, roles and the administrative sets, all reserved for administrators, the function
 * EffectiveRights and the action ChangePassword.
 */
export function withSystem(definition: ModelDefinition): ModelDefinition {
  const accounts = definition.sets.find((set) => set.name === ACCOUNT_SET);
  const complete = withPasswordAction(
    withRightsFunction(accounts ? definition : withElements(definition, systemDefinition())),
  );
  return withAdministration(complete, accounts?.type ?? `${SYSTEM_NAMESPACE}.Account`);
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

/** Adds `EffectiveRights`, bound to every root entity type in two overloads: for the current account and for another one. */
function withRightsFunction(definition: ModelDefinition): ModelDefinition {
  const [first] = definition.namespaces;
  const own = `${first?.name ?? SYSTEM_NAMESPACE}.${RIGHTS_FUNCTION}`;
  const isTaken = definition.operations.some(({ name }) => name === own);
  const name = isTaken ? `${SYSTEM_NAMESPACE}.${RIGHTS_FUNCTION}` : own;
  const roots = definition.types.filter(
    (type) => type.kind === 'entity' && type.base === undefined,
  );
  const functions = roots.flatMap(({ name: type }) => {
    const it = parameter({ ...text('it', { nullable: false }), type });
    return [
      rightsFunction(name, [it, otherAccount], 'The rights of another account to the entity'),
      rightsFunction(name, [it], 'The rights of the current account to the entity'),
    ];
  });
  return withElements(definition, { types: [rightsType, memberRightsType], operations: functions });
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

/** Parameter of EffectiveRights: the login name of the other account. */
export const RIGHTS_ACCOUNT = 'Account';

const otherAccount = parameter(
  text(RIGHTS_ACCOUNT, { nullable: false, description: 'The login name; for administrators' }),
);

const PASSWORD_ACTION = 'ChangePassword';

/** Parameters of ChangePassword. */
export const CURRENT_PASSWORD = 'CurrentPassword';
export const NEW_PASSWORD = 'NewPassword';

/** Adds `ChangePassword` for the current account, imported as `DocketChangePassword` if the model uses the name. */
function withPasswordAction(definition: ModelDefinition): ModelDefinition {
  const taken = [...definition.sets, ...definition.imports].flatMap((element) => [
    element.name.toLowerCase(),
    'singular' in element ? element.singular?.toLowerCase() : undefined,
  ]);
  const isTaken = taken.includes(PASSWORD_ACTION.toLowerCase());
  const operation = `${SYSTEM_NAMESPACE}.${PASSWORD_ACTION}`;
  const action = actionOf(
    operation,
    [
      parameter(text(CURRENT_PASSWORD, { nullable: false, description: 'The current password' })),
      parameter(
        text(NEW_PASSWORD, {
          nullable: false,
          description: 'The new password, at least 12 characters',
        }),
      ),
    ],
    { description: 'Changes the password of the current account and ends its other sessions' },
  );
  const name = `${isTaken ? 'Docket' : ''}${PASSWORD_ACTION}`;
  return withElements(definition, {
    operations: [{ ...action, engine: 'own-password' }],
    imports: [actionImport(name, operation)],
  });
}

const RIGHTS_FUNCTION = 'EffectiveRights';

const memberRightsType = complexType(
  `${SYSTEM_NAMESPACE}.MemberRights`,
  [
    text('Name', { nullable: false, description: 'Name of the property or navigation property' }),
    boolean('Read', { nullable: false }),
    boolean('Change', { nullable: false }),
  ],
  { description: 'Rights to a member of an entity' },
);

const rightsType = complexType(
  RIGHTS_TYPE,
  [
    ...ACCESS_ACTIONS.map((action) => boolean(action, { nullable: false })),
    collectionOf(complex('Members', memberRightsType.name)),
  ],
  { description: 'Rights to an entity' },
);
