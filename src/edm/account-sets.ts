// This file adds the sets Accounts and Roles to models that lack them. A model with its own set Accounts must provide the same
// members. The content of a role is defined here for both. It is long because what accounts, roles and their actions consist of belongs
// together.
import { perObject } from '../base/memo.ts';
import { withAdministration } from './administration-sets.ts';
import { withHolidayImport } from './clocks/holiday-import.ts';
import { withClockOperations } from './clocks/operations.ts';
import { withCodeSets } from './code-sets.ts';
import {
  about,
  COMPUTED,
  FLAG,
  KEYED,
  many,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  takenNames,
  text,
  withActions,
  withEngine,
  withSchema,
} from './engine-schema.ts';
import { type ModelDefinition, makeModel } from './model.ts';
import { elementPath, type Mistake, mistake, mistakeIf } from './model-error.ts';
import { withReferenceFunctions } from './reference-functions.ts';
import type { JsonObject } from './value/lossless-json.ts';
import { withModelOperations } from './versions/model-operations.ts';
import { withWorkflowOperations } from './workflow/operations.ts';

/** Names that authentication and authorization rely on. */
export const ACCOUNT_SET = 'Accounts';
export const ROLE_SET = 'Roles';
export const ADMINISTRATOR_ROLE = 'administrator';
/** The contained collections of a role. */
export const ENTITY_ACCESS = 'EntityAccess';
export const ATTRIBUTE_ACCESS = 'AttributeAccess';

/** The flag of roles whose accounts must have a second factor, and that of accounts which have one. */
export const FACTOR_REQUIRED = 'SecondFactorRequired';
export const HAS_FACTOR = 'HasSecondFactor';

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
  /** Whether accounts with the role must have a second factor. */
  readonly requiresFactor?: boolean;
  readonly entities: readonly EntityAccess[];
  readonly attributes?: readonly AttributeAccess[];
}

/** The values of a role by column. */
export function roleValues(role: RoleDefinition) {
  const { name, description, updatesAll, requiresFactor } = role;
  return {
    Name: name,
    Description: description ?? null,
    UpdateAllAllowed: updatesAll ?? false,
    // Only where it is needed, because the roles of some models lack the member.
    ...(requiresFactor === true ? { [FACTOR_REQUIRED]: true } : {}),
  };
}

interface AccessValues {
  readonly collection: string;
  readonly values: Readonly<Record<string, string | boolean | null>>;
}

/** The values of the records in EntityAccess and then in AttributeAccess. */
export function accessValues(role: RoleDefinition): readonly AccessValues[] {
  const { entities, attributes = [] } = role;
  return [
    ...entities.map(({ entity, actions, filter }) => {
      const rights = ACCESS_ACTIONS.map((action) => [action, actions.includes(action)] as const);
      const values = { Entity: entity, ...Object.fromEntries(rights), Filter: filter ?? null };
      return { collection: ENTITY_ACCESS, values };
    }),
    ...attributes.map(({ entity, attribute, read, modify }) => ({
      collection: ATTRIBUTE_ACCESS,
      values: { Entity: entity, Attribute: attribute, Read: read, Modify: modify },
    })),
  ];
}

/** The roles as a document of records, in the format of request bodies. */
export function rolesDocument(roles: readonly RoleDefinition[]): JsonObject {
  return {
    [ROLE_SET]: roles.map((role) => {
      const access = (name: string) =>
        accessValues(role).flatMap(({ collection, values }) =>
          collection === name ? [values] : [],
        );
      return {
        ...roleValues(role),
        [ENTITY_ACCESS]: access(ENTITY_ACCESS),
        [ATTRIBUTE_ACCESS]: access(ATTRIBUTE_ACCESS),
      };
    }),
  };
}

/** The return type of EffectiveRights. */
export const RIGHTS_TYPE = `${SYSTEM_NAMESPACE}.EffectiveRights`;

/**
 * Adds the engine's parts of a model: accounts, roles, the administrative sets and those of code lists, all reserved for administrators,
 * the functions EffectiveRights and ByReference, the operations of workflows, clocks, holidays and of the model itself, and actions such
 * as ChangePassword.
 */
export const withSystem = perObject((definition: ModelDefinition): ModelDefinition => {
  const accounts = definition.sets.find((set) => set.name === ACCOUNT_SET);
  const known = accounts ? definition : withSchema(definition, ACCOUNTS_AND_ROLES);
  const complete = withActions(
    OPERATIONS.reduce((before, add) => add(before), known),
    ACCOUNT_ACTIONS,
  );
  const typeOf = (set: string) => complete.sets.find(({ name }) => name === set)?.type;
  return withCodeSets(
    withAdministration(complete, {
      account: typeOf(ACCOUNT_SET) ?? `${SYSTEM_NAMESPACE}.Account`,
      role: typeOf(ROLE_SET) ?? `${SYSTEM_NAMESPACE}.Role`,
    }),
  );
});

/** The members without which the service does not work in a model with its own sets. Roles without others give no rights. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  [ACCOUNT_SET]: ['Uid', 'LoginName', 'Name', 'Blocked', 'Roles'],
  [ROLE_SET]: ['Uid', 'Name'],
};

/** Sets of a model that have the names of the engine's sets, but cannot take their place. */
export function accountSetMistakes(definition: ModelDefinition): readonly Mistake[] {
  const model = makeModel(definition);
  const own = Object.keys(NEEDED).flatMap((name) => model.storedSets.get(name) ?? []);
  const [single] = own;
  const place = (name: string) => elementPath(definition.container, name);
  if (own.length === 1 && single !== undefined) {
    const [other] = Object.keys(NEEDED).filter((name) => name !== single.name);
    const message = `The service keeps accounts and roles in ${ACCOUNT_SET} and ${ROLE_SET}. A model has both of these sets or neither.`;
    return [mistake(place(single.name), message, `Rename the set, or add ${other}.`)];
  }
  return own.flatMap(({ name, type }) => {
    const structure = model.types.get(type);
    if (structure?.kind !== 'entity') return [];
    const members = model.stored(structure);
    const absent = (NEEDED[name] ?? []).filter((member) => !members.has(member));
    return mistakeIf(absent.length > 0, () =>
      mistake(
        place(name),
        `The service keeps its ${name.toLowerCase()} in this set, but ${type} lacks members that it needs: ${absent.join(', ')}.`,
        'Rename the set, or add them as in the built-in model.',
      ),
    );
  });
}

/** The model without them. The engine adds its own instead, so that the rest of the model can be checked. */
export function withoutAccountSets(definition: ModelDefinition): ModelDefinition {
  const sets = definition.sets.filter(({ name }) => NEEDED[name] === undefined);
  return { ...definition, sets };
}

/** The functions that add operations, in order. */
const OPERATIONS = [
  withRightsFunction,
  withSetRights,
  withWorkflowOperations,
  withHolidayImport,
  withClockOperations,
  withReferenceFunctions,
  withModelOperations,
];

/** The set of an engine type, reserved for administrators. */
function reservedSet(type: string): JsonObject {
  return {
    $Collection: true,
    $Type: `${SYSTEM_NAMESPACE}.${type}`,
    $IncludeInServiceDocument: false,
    '@Docket.Singular': type,
    '@Docket.Administrative': true,
  };
}

const UNIQUE = { '@Docket.Unique': true };

const ACCOUNTS_AND_ROLES = {
  elements: {
    Account: {
      ...KEYED,
      '@Core.AlternateKeys': [{ Key: [{ Name: 'LoginName' }] }],
      LoginName: { ...text(128), ...UNIQUE },
      Name: { ...text(255), ...OPTIONAL },
      Blocked: { ...FLAG, ...OPTIONAL },
      [HAS_FACTOR]: {
        ...FLAG,
        ...OPTIONAL,
        ...COMPUTED,
        ...about('Whether log-ins by password need a code of an authenticator app'),
      },
      Roles: many('Role', { $Partner: 'Accounts' }),
    },
    Role: {
      ...KEYED,
      Name: { ...text(128), ...UNIQUE },
      Description: { ...text(255), ...OPTIONAL },
      UpdateAllAllowed: {
        ...FLAG,
        ...OPTIONAL,
        ...about('May change many records in one request'),
      },
      [FACTOR_REQUIRED]: {
        ...FLAG,
        ...OPTIONAL,
        ...about('Accounts with the role may only add a second factor until they have one'),
      },
      [ENTITY_ACCESS]: many('EntityAccess', { $ContainsTarget: true }),
      [ATTRIBUTE_ACCESS]: many('AttributeAccess', { $ContainsTarget: true }),
      Accounts: many('Account', { $Partner: 'Roles', '@Docket.OnDelete': 'set-null' }),
    },
    EntityAccess: {
      ...KEYED,
      Entity: text(128, 'Name of the entity type; also applies to derived types'),
      ...flags({ ...FLAG, $DefaultValue: false }),
      Filter: {
        ...text(2000, 'Limits the rights to records that match this $filter expression'),
        ...OPTIONAL,
      },
    },
    AttributeAccess: {
      ...KEYED,
      Entity: text(128, 'Name of the entity type'),
      Attribute: text(255, 'Name of the property or navigation property'),
      Read: { ...FLAG, $DefaultValue: true },
      Modify: { ...FLAG, $DefaultValue: true },
    },
  },
  container: { [ACCOUNT_SET]: reservedSet('Account'), [ROLE_SET]: reservedSet('Role') },
};

/** A property for each right to records. */
function flags(property: JsonObject): JsonObject {
  return Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, property]));
}

const RIGHTS_FUNCTION = 'EffectiveRights';

/** Parameter of EffectiveRights: the login name of the other account. */
export const RIGHTS_ACCOUNT = 'Account';

/** Adds `EffectiveRights`, bound to every root entity type in two overloads: for the current account and for another one. */
function withRightsFunction(definition: ModelDefinition): ModelDefinition {
  const own = definition.namespaces[0]?.name ?? SYSTEM_NAMESPACE;
  const isTaken = definition.operations.some(({ name }) => name === `${own}.${RIGHTS_FUNCTION}`);
  const roots = definition.types.filter(
    (type) => type.kind === 'entity' && type.base === undefined,
  );
  const other = { $Name: RIGHTS_ACCOUNT, ...about('The login name; for administrators') };
  const overloads = roots.flatMap(({ name }) => {
    const it = { $Name: 'it', $Type: name };
    return [
      rightsFunction([it, other], 'The rights of another account to the entity'),
      rightsFunction([it], 'The rights of the current account to the entity'),
    ];
  });
  return withEngine('effective-rights', withSchema(definition, { elements: RIGHTS_TYPES }), {
    elements: { [RIGHTS_FUNCTION]: overloads },
    namespace: isTaken ? SYSTEM_NAMESPACE : own,
  });
}

function rightsFunction(parameters: readonly JsonObject[], description: string): JsonObject {
  return {
    $Kind: 'Function',
    $IsBound: true,
    $Parameter: parameters,
    $ReturnType: { $Type: RIGHTS_TYPE },
    ...about(description),
  };
}

const RIGHTS_TYPES = {
  EffectiveRights: {
    $Kind: 'ComplexType',
    ...about('Rights to an entity'),
    ...flags(FLAG),
    Members: { $Collection: true, $Type: `${SYSTEM_NAMESPACE}.MemberRights` },
  },
  MemberRights: {
    $Kind: 'ComplexType',
    ...about('Rights to a member of an entity'),
    Name: about('Name of the property or navigation property'),
    Read: FLAG,
    Change: FLAG,
  },
};

/** Adds `SetRights`. An import whose name the model uses gets the prefix Docket. */
function withSetRights(definition: ModelDefinition): ModelDefinition {
  const prefix = takenNames(definition).includes(SET_RIGHTS.toLowerCase()) ? 'Docket' : '';
  return withEngine('set-rights', withSchema(definition, { elements: SET_RIGHTS_TYPES }), {
    elements: {
      [SET_RIGHTS]: [
        {
          $Kind: 'Function',
          $ReturnType: { $Type: `${SYSTEM_NAMESPACE}.RightsToSet`, $Collection: true },
          ...about('What the current account may do with each set'),
        },
      ],
    },
    container: { [`${prefix}${SET_RIGHTS}`]: { $Function: `${SYSTEM_NAMESPACE}.${SET_RIGHTS}` } },
  });
}

const SET_RIGHTS = 'SetRights';

const SET_RIGHTS_TYPES = {
  RightsToSet: {
    $Kind: 'ComplexType',
    ...about('Rights to a set; each counts if the account has it for some entities'),
    Set: about('Name of the set or singleton'),
    Read: FLAG,
    Create: FLAG,
    Update: FLAG,
    Delete: FLAG,
    Unreadable: {
      $Collection: true,
      ...about('Members that are readable in no entity; empty if Read is false'),
    },
    Unchangeable: {
      $Collection: true,
      ...about('Members that cannot be changed in any entity; empty if Update is false'),
    },
  },
};

/** Parameters of ChangePassword. */
export const CURRENT_PASSWORD = 'CurrentPassword';
export const NEW_PASSWORD = 'NewPassword';

const CHANGE_PASSWORD = {
  $Kind: 'Action',
  $Parameter: [
    { $Name: CURRENT_PASSWORD, ...about('The current password') },
    { $Name: NEW_PASSWORD, ...about('The new password, at least 12 characters') },
  ],
  ...about('Changes the password of the current account and ends its other sessions'),
};

/** Parameters of CreateApiKey. */
export const KEY_PARAMETERS = {
  name: 'Name',
  account: 'Account',
  expires: 'Expires',
  readOnly: 'ReadOnly',
  roles: 'Roles',
  pageSize: 'PageSize',
} as const;

/** Maximum length of the name of an API key. */
const KEY_NAME_LENGTH = 128;

const CREATE_API_KEY = {
  $Kind: 'Action',
  $Parameter: [
    { $Name: KEY_PARAMETERS.name, ...text(KEY_NAME_LENGTH, 'What the key is for') },
    {
      $Name: KEY_PARAMETERS.account,
      ...text(128, 'The login name of another account; for administrators'),
      ...OPTIONAL,
    },
    {
      $Name: KEY_PARAMETERS.expires,
      $Type: 'Edm.DateTimeOffset',
      $Precision: 3,
      ...OPTIONAL,
      ...about('When the key expires; by default never'),
    },
    {
      $Name: KEY_PARAMETERS.readOnly,
      ...FLAG,
      ...OPTIONAL,
      ...about('Whether the key may only read'),
    },
    {
      $Name: KEY_PARAMETERS.pageSize,
      $Type: 'Edm.Int32',
      ...OPTIONAL,
      ...about('Records per page of responses to requests with the key'),
    },
    {
      $Name: KEY_PARAMETERS.roles,
      $Collection: true,
      ...text(128, 'Names of the roles that the key is limited to; by default all of the account'),
      '@Core.OptionalParameter': {},
    },
  ],
  $ReturnType: {},
  ...about('Creates an API key and returns it. It cannot be read again'),
};

const END_OTHER_SESSIONS = {
  $Kind: 'Action',
  ...about('Ends all sessions of the current account except that of the request'),
};

/** Parameter of the actions for the second factor. */
export const CODE = 'Code';

const BEGIN_SECOND_FACTOR = {
  $Kind: 'Action',
  $Parameter: [{ $Name: CURRENT_PASSWORD, ...about('The current password') }],
  $ReturnType: {},
  ...about('Returns an otpauth URI for an authenticator app. It counts after ConfirmSecondFactor'),
};

const CONFIRM_SECOND_FACTOR = {
  $Kind: 'Action',
  $Parameter: [{ $Name: CODE, ...about('A code of the authenticator app') }],
  $ReturnType: { $Collection: true },
  ...about('Makes log-ins by password require a code. Returns recovery codes, once'),
};

const REMOVE_SECOND_FACTOR = {
  $Kind: 'Action',
  $Parameter: [{ $Name: CODE, ...about('A code of the authenticator app, or a recovery code') }],
  ...about('Makes the password sufficient again'),
};

const ACCOUNT_ACTIONS = [
  ['ChangePassword', 'own-password', CHANGE_PASSWORD],
  ['EndOtherSessions', 'end-sessions', END_OTHER_SESSIONS],
  ['BeginSecondFactor', 'begin-second-factor', BEGIN_SECOND_FACTOR],
  ['ConfirmSecondFactor', 'confirm-second-factor', CONFIRM_SECOND_FACTOR],
  ['RemoveSecondFactor', 'remove-second-factor', REMOVE_SECOND_FACTOR],
  ['CreateApiKey', 'api-key', CREATE_API_KEY],
] as const;
