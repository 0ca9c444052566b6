// This file adds the administrative sets to every model: sessions, tokens, API keys, settings, the audit trail, due actions that
// failed, outgoing mail, webhooks, and what accounts save in the console. The engine writes their rows, which contain no secrets. Table
// names are fixed; a set whose name the model already uses gets the prefix Docket.
import { CONSOLE_TABLES, consoleSets, consoleTypes } from './console-sets.ts';
import {
  about,
  COMPUTED,
  FLAG,
  INDEXED,
  INSTANT,
  KEYED,
  many,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  takenNames,
  text,
  withEngine,
  withSchema,
} from './engine-schema.ts';
import { MAIL_ACTIONS, MAIL_SETS, MAIL_TABLES, MAIL_TYPES } from './mail-sets.ts';
import type { EntitySet, Model, ModelDefinition, QualifiedName } from './model.ts';
import type { JsonObject } from './value/lossless-json.ts';
import {
  DELIVERY_ACTIONS,
  WEBHOOK_SETS,
  WEBHOOK_TABLES,
  WEBHOOK_TYPES,
  withWebhookActions,
} from './webhooks/webhook-sets.ts';

/** Types of the administrative sets. */
export const SESSION_TYPE = 'Docket.System.Session';
export const TOKEN_TYPE = 'Docket.System.Token';
export const API_KEY_TYPE = 'Docket.System.ApiKey';
export const SETTING_TYPE = 'Docket.System.Setting';
export const AUDIT_TYPE = 'Docket.System.AuditEntry';
export const FAILED_ACTION_TYPE = 'Docket.System.FailedAction';
export const WORKFLOW_ADVICE_TYPE = 'Docket.System.WorkflowAdvice';

/** Tables of these types, independent of the names of their sets. */
export const SYSTEM_TABLES = {
  [SESSION_TYPE]: 'docket:session',
  [TOKEN_TYPE]: 'docket:token',
  [API_KEY_TYPE]: 'docket:apikey',
  [SETTING_TYPE]: 'docket:setting',
  [AUDIT_TYPE]: 'docket:audit',
  [FAILED_ACTION_TYPE]: 'docket:failedaction',
  [WORKFLOW_ADVICE_TYPE]: 'docket:workflowadvice',
  ...MAIL_TABLES,
  ...WEBHOOK_TABLES,
  ...CONSOLE_TABLES,
} as const;

/** The table of an administrative type; undefined for any other type. */
export function systemTable(type: QualifiedName): string | undefined {
  return new Map<string, string>(Object.entries(SYSTEM_TABLES)).get(type);
}

/** The set of an administrative type. */
export function systemSet(model: Model, type: QualifiedName): EntitySet | undefined {
  return model.definition.sets.find((set) => set.type === type);
}

/** Adds the administrative types and sets. `account` and `role` are the types of the accounts and roles. */
export function withAdministration(
  definition: ModelDefinition,
  { account, role }: Readonly<Record<'account' | 'role', QualifiedName>>,
): ModelDefinition {
  const taken = new Set(definition.sets.flatMap(({ name, singular }) => [name, singular]));
  const own = consoleSets(definition).map(
    ([name, singular, set]) => [name, singular, { ...ADMINISTRATIVE, ...set }] as const,
  );
  const sets = [...ADMINISTRATION_SETS, ...own].map(([name, singular, set]) => {
    const prefix = taken.has(name) || taken.has(singular) ? 'Docket' : '';
    return [`${prefix}${name}`, { ...set, '@Docket.Singular': `${prefix}${singular}` }] as const;
  });
  const elements = {
    Session: sessionType(account),
    ApiKey: apiKeyType(account),
    ...ADMINISTRATION_TYPES,
    ...MAIL_TYPES,
    ...WEBHOOK_TYPES,
    ...QUEUE_ACTIONS,
    ...consoleTypes(definition, role),
  };
  const added = withWebhookActions(
    withSchema(definition, { elements, container: Object.fromEntries(sets) }),
  );
  const setOf = (type: QualifiedName) => added.sets.find((set) => set.type === type)?.name;
  const sessions = setOf(SESSION_TYPE);
  const complete = sessions === undefined ? added : withCurrentSession(added, sessions);
  const advice = setOf(WORKFLOW_ADVICE_TYPE);
  return advice === undefined ? complete : withReport(complete, advice);
}

/** Adds WorkflowReport, which returns everything that is kept. */
function withReport(definition: ModelDefinition, set: string): ModelDefinition {
  const report = {
    $Kind: 'Function',
    $IsComposable: true,
    $ReturnType: { $Type: WORKFLOW_ADVICE_TYPE, $Collection: true },
    ...about('What enforced workflows would have rejected in the last 30 days'),
    '@Docket.Expression': `$root/${set}`,
  };
  return withSchema(definition, {
    elements: { [REPORT]: [report] },
    container: { [REPORT]: { $Function: `${SYSTEM_NAMESPACE}.${REPORT}`, $EntitySet: set } },
  });
}

const REPORT = 'WorkflowReport';

/** Adds CurrentSession. An import whose name the model uses gets the prefix Docket. */
function withCurrentSession(definition: ModelDefinition, set: string): ModelDefinition {
  const prefix = takenNames(definition).includes(CURRENT_SESSION.toLowerCase()) ? 'Docket' : '';
  const current = {
    $Kind: 'Function',
    $IsComposable: true,
    $ReturnType: { $Type: SESSION_TYPE, $Nullable: true },
    ...about('The session of the request; null for requests with an API key'),
    '@Docket.Expression': `$root/${set}(@session)`,
  };
  const $Function = `${SYSTEM_NAMESPACE}.${CURRENT_SESSION}`;
  return withEngine('current-session', definition, {
    elements: { [CURRENT_SESSION]: [current] },
    container: { [`${prefix}${CURRENT_SESSION}`]: { $Function, $EntitySet: set } },
  });
}

const CURRENT_SESSION = 'CurrentSession';

/** The actions of what is queued, with an overload for each kind. */
const QUEUE_ACTIONS = {
  Retry: [MAIL_ACTIONS.Retry, DELIVERY_ACTIONS.Retry],
  Cancel: [MAIL_ACTIONS.Cancel, DELIVERY_ACTIONS.Cancel],
};

const ADMINISTRATIVE = {
  $Collection: true,
  $IncludeInServiceDocument: false,
  '@Docket.Administrative': true,
};
const RESERVED = {
  ...ADMINISTRATIVE,
  '@Capabilities.InsertRestrictions': { Insertable: false },
};
const NOT_UPDATABLE = { '@Capabilities.UpdateRestrictions': { Updatable: false } };
const NOT_DELETABLE = { '@Capabilities.DeleteRestrictions': { Deletable: false } };

/** The sets with their singular names. */
const ADMINISTRATION_SETS: readonly (readonly [string, string, JsonObject])[] = [
  [
    'Sessions',
    'Session',
    {
      ...RESERVED,
      ...NOT_UPDATABLE,
      $Type: SESSION_TYPE,
      $NavigationPropertyBinding: { Account: 'Accounts' },
      '@Docket.Grantable': true,
    },
  ],
  ['Tokens', 'Token', { ...RESERVED, ...NOT_UPDATABLE, $Type: TOKEN_TYPE }],
  [
    'ApiKeys',
    'ApiKey',
    {
      ...RESERVED,
      ...NOT_UPDATABLE,
      $Type: API_KEY_TYPE,
      $NavigationPropertyBinding: { Account: 'Accounts' },
      '@Docket.Grantable': true,
    },
  ],
  ['Settings', 'Setting', { ...RESERVED, ...NOT_DELETABLE, $Type: SETTING_TYPE }],
  [
    'AuditEntries',
    'AuditEntry',
    {
      ...RESERVED,
      ...NOT_UPDATABLE,
      ...NOT_DELETABLE,
      $Type: AUDIT_TYPE,
      '@Docket.Grantable': true,
    },
  ],
  ['FailedActions', 'FailedAction', { ...RESERVED, ...NOT_UPDATABLE, $Type: FAILED_ACTION_TYPE }],
  [
    'WorkflowAdvices',
    'WorkflowAdvice',
    { ...RESERVED, ...NOT_UPDATABLE, $Type: WORKFLOW_ADVICE_TYPE },
  ],
  ...[...MAIL_SETS, ...WEBHOOK_SETS].map(
    ([name, singular, set]) => [name, singular, { ...ADMINISTRATIVE, ...set }] as const,
  ),
];

/** A text that only the engine writes. */
function computedText(length: number, description: string): JsonObject {
  return { ...text(length, description), ...OPTIONAL, ...COMPUTED };
}

/** A navigation to the owner, with which the entity is deleted. */
function owner(type: QualifiedName): JsonObject {
  return {
    $Kind: 'NavigationProperty',
    $Type: type,
    '@Docket.Computed': true,
    '@Docket.OnDelete': 'cascade',
  };
}

function sessionType(account: QualifiedName): JsonObject {
  return {
    ...KEYED,
    ...about('A login that has not ended; the session starts when it is first used'),
    Account: owner(account),
    Address: computedText(64, 'IP address of the login'),
    Machine: computedText(
      64,
      'The machine that the tokens are bound to; empty if they are not bound',
    ),
    Client: {
      ...computedText(256, 'The program of the log-in, as its header User-Agent names it'),
    },
    Method: computedText(16, 'How the account has proved who it is: "password" or "issuer"'),
    Opened: { ...INSTANT, ...INDEXED },
    LastUsed: { ...INSTANT, ...OPTIONAL, ...INDEXED, ...about('Null before the first use') },
    Tokens: many('Token', { $Partner: 'Session', '@Docket.Computed': true }),
  };
}

function apiKeyType(account: QualifiedName): JsonObject {
  return {
    ...KEYED,
    ...about('A key by which a program uses the service as an account; CreateApiKey creates one'),
    Account: owner(account),
    Name: computedText(128, 'What the key is for'),
    Start: computedText(16, 'The first characters of the key'),
    Created: INSTANT,
    Expires: { ...INSTANT, ...OPTIONAL, ...about('Null if the key does not expire') },
    LastUsed: { ...INSTANT, ...OPTIONAL, ...INDEXED, ...about('Null before the first use') },
    ReadOnly: { ...FLAG, ...COMPUTED, ...about('Whether the key may only read') },
    Roles: {
      $Collection: true,
      ...text(128, 'Names of the roles that the key is limited to; empty for all of the account'),
      ...COMPUTED,
    },
    PageSize: {
      $Type: 'Edm.Int32',
      ...OPTIONAL,
      ...COMPUTED,
      ...about('Records per page of responses to requests with the key'),
    },
  };
}

const ADMINISTRATION_TYPES: JsonObject = {
  Token: {
    ...KEYED,
    ...about('An issued token'),
    Session: { ...owner(SESSION_TYPE), $Partner: 'Tokens' },
    Kind: computedText(16, '"access" or "refresh"'),
    Issued: INSTANT,
    Expires: { ...INSTANT, ...INDEXED },
    Used: { ...INSTANT, ...OPTIONAL, ...about('When a refresh token was used') },
  },
  Setting: {
    $Kind: 'EntityType',
    $Key: ['Name'],
    ...about('A setting that can be changed while the service runs'),
    Name: { ...text(64), ...COMPUTED },
    Value: { ...text(2000, 'The value as JSON; null to use the configured value'), ...OPTIONAL },
    Configured: computedText(2000, 'The value from the configuration file, as JSON'),
    Kind: computedText(16, '"number", "choice" or "list"'),
    Range: computedText(500, 'The permitted values'),
    Applies: computedText(16, '"at once" or "at the next start"'),
    Description: computedText(500, 'What the setting is for'),
  },
  AuditEntry: {
    ...KEYED,
    ...about('A security-relevant event'),
    Time: { ...INSTANT, ...INDEXED },
    Kind: { ...computedText(32, 'What happened'), ...INDEXED },
    Account: { ...computedText(128, 'Name of the account as the client sent it'), ...INDEXED },
    Address: computedText(64, 'IP address of the client'),
    Request: computedText(64, 'Id of the request, as in X-Request-ID'),
    Target: computedText(500, 'The affected or requested resource'),
    Detail: computedText(500, 'Further details'),
    Count: { $Type: 'Edm.Int32', ...COMPUTED, ...about('Occurrences within a second') },
  },
  FailedAction: {
    ...KEYED,
    ...about(
      'A due action that could not be performed; it is tried again after the row is deleted',
    ),
    Action: computedText(256, 'Qualified name of the action'),
    Entity: computedText(1000, 'The entity, relative to the service root'),
    Due: { ...INSTANT, ...about('When the action was due') },
    Attempts: { $Type: 'Edm.Int32', ...COMPUTED },
    LastAttempt: INSTANT,
    NextAttempt: { ...INSTANT, ...OPTIONAL, ...about('Null if the service has given up') },
    Error: computedText(2000, 'The message of the last attempt'),
  },
  WorkflowAdvice: {
    ...KEYED,
    ...about('Changes of a state on one day that an enforced workflow would have rejected'),
    Day: { $Type: 'Edm.Date', ...COMPUTED, ...INDEXED, ...about('In UTC') },
    Entity: computedText(128, 'The type of the entities'),
    From: computedText(80, 'Symbol of the state before; null for new entities'),
    To: computedText(80, 'Symbol of the state after'),
    Reason: computedText(1000, 'Codes of the errors, with the members that they concern'),
    Count: { $Type: 'Edm.Int32', ...COMPUTED, ...about('Number of changes') },
    LastTime: { ...INSTANT, ...about('When the last of them was made') },
  },
};
