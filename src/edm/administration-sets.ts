// This file adds the administrative sets to every model: sessions, tokens, settings and the audit trail. The engine writes their rows,
// which contain no secrets. Table names are fixed; a set whose name the model already uses gets the prefix Docket.
import {
  dateTime,
  defineModel,
  entitySet,
  entityType,
  int32,
  int64,
  many,
  one,
  text,
} from './define.ts';
import type {
  EntitySet,
  Model,
  ModelDefinition,
  NamedType,
  Property,
  QualifiedName,
} from './model.ts';

export const SYSTEM_NAMESPACE = 'Docket.System';

/** Types of the administrative sets. */
export const SESSION_TYPE = 'Docket.System.Session';
export const TOKEN_TYPE = 'Docket.System.Token';
export const SETTING_TYPE = 'Docket.System.Setting';
export const AUDIT_TYPE = 'Docket.System.AuditEntry';

/** Tables of these types, independent of the names of their sets. */
export const SYSTEM_TABLES = {
  [SESSION_TYPE]: 'docket:session',
  [TOKEN_TYPE]: 'docket:token',
  [SETTING_TYPE]: 'docket:setting',
  [AUDIT_TYPE]: 'docket:audit',
} as const;

/** The table of an administrative type; undefined for any other type. */
export function systemTable(type: QualifiedName): string | undefined {
  return new Map<string, string>(Object.entries(SYSTEM_TABLES)).get(type);
}

/** The set of an administrative type. */
export function systemSet(model: Model, type: QualifiedName): EntitySet | undefined {
  return model.definition.sets.find((set) => set.type === type);
}

/** Adds the administrative types and sets. `account` is the type of the accounts. */
export function withAdministration(
  definition: ModelDefinition,
  account: QualifiedName,
): ModelDefinition {
  const taken = new Set(definition.sets.flatMap(({ name, singular }) => [name, singular]));
  const sets = administrationSets.map((set) =>
    taken.has(set.name) || taken.has(set.singular)
      ? { ...set, name: `Docket${set.name}`, singular: `Docket${set.singular}` }
      : set,
  );
  const namespaces = [{ name: SYSTEM_NAMESPACE }];
  const added = defineModel({ namespaces, types: administrationTypes(account), sets });
  return withElements(definition, added);
}

/** Adds elements of the engine to a definition. */
export function withElements(
  definition: ModelDefinition,
  added: Partial<Pick<ModelDefinition, 'types' | 'sets' | 'operations' | 'imports'>>,
): ModelDefinition {
  const { namespaces } = definition;
  const isKnown = namespaces.some(({ name }) => name === SYSTEM_NAMESPACE);
  return {
    ...definition,
    namespaces: isKnown ? namespaces : [...namespaces, { name: SYSTEM_NAMESPACE }],
    types: [...definition.types, ...(added.types ?? [])],
    sets: [...definition.sets, ...(added.sets ?? [])],
    operations: [...definition.operations, ...(added.operations ?? [])],
    imports: [...definition.imports, ...(added.imports ?? [])],
  };
}

const RESERVED = { administrative: true, listed: false, insertable: false } as const;

const administrationSets: readonly EntitySet[] = [
  entitySet('Sessions', SESSION_TYPE, {
    ...RESERVED,
    singular: 'Session',
    updatable: false,
    bindings: { Account: 'Accounts' },
  }),
  entitySet('Tokens', TOKEN_TYPE, { ...RESERVED, singular: 'Token', updatable: false }),
  entitySet('Settings', SETTING_TYPE, { ...RESERVED, singular: 'Setting', deletable: false }),
  entitySet('AuditEntries', AUDIT_TYPE, {
    ...RESERVED,
    singular: 'AuditEntry',
    updatable: false,
    deletable: false,
    grantable: true,
  }),
];

function administrationTypes(account: QualifiedName): readonly NamedType[] {
  return [
    entityType('Session', sessionMembers(account), {
      key: ['Uid'],
      description: 'A login that has not ended; the session starts when it is first used',
    }),
    entityType('Token', tokenMembers, { key: ['Uid'], description: 'An issued token' }),
    entityType('Setting', settingMembers, {
      key: ['Name'],
      description: 'A setting that can be changed while the service runs',
    }),
    entityType('AuditEntry', auditMembers, {
      key: ['Uid'],
      description: 'A security-relevant event',
    }),
  ];
}

/** The key of an entity type of the engine. */
export function key(): Property {
  return int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } });
}

function sessionMembers(account: QualifiedName) {
  return [
    key(),
    one('Account', account, { nullable: false, computed: true, onDelete: 'cascade' }),
    computedText('Address', 64, 'IP address of the login'),
    computedText(
      'Machine',
      64,
      'The machine that the tokens are bound to; empty if they are not bound',
    ),
    dateTime('Opened', { nullable: false, computed: true, indexed: true }),
    dateTime('LastUsed', {
      computed: true,
      indexed: true,
      description: 'Null before the first use',
    }),
    many('Tokens', 'Token', { partner: 'Session', computed: true }),
  ];
}

const tokenMembers = [
  key(),
  one('Session', 'Session', {
    nullable: false,
    computed: true,
    partner: 'Tokens',
    onDelete: 'cascade',
  }),
  computedText('Kind', 16, '"access" or "refresh"'),
  dateTime('Issued', { nullable: false, computed: true }),
  dateTime('Expires', { nullable: false, computed: true, indexed: true }),
  dateTime('Used', { computed: true, description: 'When a refresh token was used' }),
];

const settingMembers = [
  text('Name', { nullable: false, maxLength: 64, computed: true }),
  text('Value', {
    maxLength: 2000,
    description: 'The value as JSON; null to use the configured value',
  }),
  computedText('Configured', 2000, 'The value from the configuration file, as JSON'),
  computedText('Kind', 16, '"number", "choice" or "list"'),
  computedText('Range', 500, 'The permitted values'),
  computedText('Applies', 16, '"at once" or "at the next start"'),
  computedText('Description', 500, 'What the setting is for'),
];

const auditMembers = [
  key(),
  dateTime('Time', { nullable: false, computed: true, indexed: true }),
  { ...computedText('Kind', 32, 'What happened'), indexed: true },
  { ...computedText('Account', 128, 'Name of the account as the client sent it'), indexed: true },
  computedText('Address', 64, 'IP address of the client'),
  computedText('Request', 64, 'Id of the request, as in X-Request-ID'),
  computedText('Target', 500, 'The affected or requested resource'),
  computedText('Detail', 500, 'Further details'),
  int32('Count', { nullable: false, computed: true, description: 'Occurrences within a second' }),
];

function computedText(name: string, maxLength: number, description: string): Property {
  return text(name, { computed: true, maxLength, description });
}
