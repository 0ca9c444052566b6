// This file gives every model what its administrators look at: sessions, tokens, settings and the audit trail, as sets like any other.
// The engine writes their rows; no secret stands in them. Their tables have names of their own, so that a model may have sets that are
// called the same: the engine's are called by another name then.
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

/** Types of what administrators look at. */
export const SESSION_TYPE = 'Docket.System.Session';
export const TOKEN_TYPE = 'Docket.System.Token';
export const SETTING_TYPE = 'Docket.System.Setting';
export const AUDIT_TYPE = 'Docket.System.AuditEntry';

/** Tables of these types, whatever their sets are called. */
export const SYSTEM_TABLES = {
  [SESSION_TYPE]: 'docket:session',
  [TOKEN_TYPE]: 'docket:token',
  [SETTING_TYPE]: 'docket:setting',
  [AUDIT_TYPE]: 'docket:audit',
} as const;

/** The table of a type, where it is one of these. */
export function systemTable(type: QualifiedName): string | undefined {
  return new Map<string, string>(Object.entries(SYSTEM_TABLES)).get(type);
}

/** The set of one of these types. */
export function systemSet(model: Model, type: QualifiedName): EntitySet | undefined {
  return model.definition.sets.find((set) => set.type === type);
}

/** The definition with these types and sets. `account` is the type of its accounts. */
export function withAdministration(
  definition: ModelDefinition,
  account: QualifiedName,
): ModelDefinition {
  const taken = new Set(definition.sets.flatMap(({ name, singular }) => [name, singular]));
  const named = (set: EntitySet): EntitySet => {
    const isTaken = taken.has(set.name) || taken.has(set.singular);
    return isTaken
      ? { ...set, name: `Docket${set.name}`, singular: `Docket${set.singular ?? ''}` }
      : set;
  };
  const [sessions, tokens, settings, entries] = administrationSets.map(named);
  const bound = defineModel({
    namespaces: [{ name: SYSTEM_NAMESPACE }],
    types: administrationTypes(account),
    sets: [
      withBindings(sessions, { Account: 'Accounts', Tokens: tokens?.name }),
      withBindings(tokens, { Session: sessions?.name }),
      ...[settings, entries].flatMap((set) => withBindings(set, {})),
    ].flat(),
  });
  const hasNamespace = definition.namespaces.some(({ name }) => name === SYSTEM_NAMESPACE);
  return {
    ...definition,
    namespaces: hasNamespace
      ? definition.namespaces
      : [...definition.namespaces, { name: SYSTEM_NAMESPACE }],
    types: [...definition.types, ...bound.types],
    sets: [...definition.sets, ...bound.sets],
  };
}

function withBindings(
  set: EntitySet | undefined,
  bindings: Readonly<Record<string, string | undefined>>,
): readonly EntitySet[] {
  if (set === undefined) return [];
  const known = Object.entries(bindings).flatMap(([path, target]) =>
    target === undefined ? [] : [[path, target] as const],
  );
  return [{ ...set, bindings: Object.fromEntries(known) }];
}

const RESERVED = { administrative: true, listed: false, insertable: false } as const;

const administrationSets: readonly EntitySet[] = [
  entitySet('Sessions', SESSION_TYPE, { ...RESERVED, singular: 'Session', updatable: false }),
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
      description: 'A log-in that has not ended; its session begins with the first use',
    }),
    entityType('Token', tokenMembers, { key: ['Uid'], description: 'A token that was given out' }),
    entityType('Setting', settingMembers, {
      key: ['Name'],
      description: 'A setting of the service that can be changed while it runs',
    }),
    entityType('AuditEntry', auditMembers, {
      key: ['Uid'],
      description: 'Something that matters for security, as it happened',
    }),
  ];
}

function key(): Property {
  return int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } });
}

function sessionMembers(account: QualifiedName) {
  return [
    key(),
    one('Account', account, { nullable: false, computed: true, onDelete: 'cascade' }),
    told('Address', 64, 'IP address that logged in'),
    told('Machine', 64, 'The machine that the tokens are bound to; empty where they are not'),
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
  told('Kind', 16, '"access" or "refresh"'),
  dateTime('Issued', { nullable: false, computed: true }),
  dateTime('Expires', { nullable: false, computed: true, indexed: true }),
  dateTime('Used', { computed: true, description: 'When a refresh token was spent' }),
];

const settingMembers = [
  text('Name', { nullable: false, maxLength: 64, computed: true }),
  text('Value', {
    maxLength: 2000,
    description: 'Written as JSON; null for what the configuration of the installation says',
  }),
  told('Configured', 2000, 'What holds where no value is given, as JSON'),
  told('Kind', 16, '"number", "choice" or "list"'),
  told('Range', 500, 'The values that are permitted'),
  told('Applies', 16, '"at once" or "at the next start"'),
  told('Description', 500, 'What the setting is for'),
];

const auditMembers = [
  key(),
  dateTime('Time', { nullable: false, computed: true, indexed: true }),
  { ...told('Kind', 32, 'What happened'), indexed: true },
  { ...told('Account', 128, 'Name of the account, as it was given'), indexed: true },
  told('Address', 64, 'IP address of the client'),
  told('Request', 64, 'Id of the request, as in X-Request-ID'),
  told('Target', 500, 'What it was done to, or asked for'),
  told('Detail', 500, 'More about it'),
  int32('Count', { nullable: false, computed: true, description: 'How often, within a second' }),
];

function told(name: string, maxLength: number, description: string): Property {
  return text(name, { computed: true, maxLength, description });
}
