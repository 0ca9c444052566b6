// This file defines the known vocabularies: those of OASIS and of user interfaces, with the terms whose values are paths or enumeration members, and
// the schema of Docket.V1. It is long because it has a row for each term and each member of their types.
import { CLOCKS } from '../clocks/clock-rules.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import { APPROVAL } from '../workflow/approval-rules.ts';
import { ASSIGNMENT } from '../workflow/assignment-rules.ts';
import { CONSOLE_NAMESPACE, CONSOLE_SCHEMA } from './console-terms.ts';
import { EDITABLE, shapeTypes } from './shaped-record.ts';

export interface Vocabulary {
  readonly namespace: string;
  readonly alias: string;
  /** The folder of its documents. */
  readonly folder?: string;
}

const STANDARD_NAMES = [
  'Aggregation',
  'Authorization',
  'Capabilities',
  'Core',
  'JSON',
  'Measures',
  'Repeatability',
  'Temporal',
  'Validation',
];

/** Layout of lists and forms, which Fiori elements reads as well. */
const UI_VOCABULARY: Vocabulary = {
  namespace: 'com.sap.vocabularies.UI.v1',
  alias: 'UI',
  folder: 'https://sap.github.io/odata-vocabularies/vocabularies',
};

/** The vocabularies that others publish, to which documents refer. */
export const PUBLISHED_VOCABULARIES: readonly Vocabulary[] = [
  ...STANDARD_NAMES.map((alias) => ({ namespace: `Org.OData.${alias}.V1`, alias })),
  UI_VOCABULARY,
];

export const DOCKET_VOCABULARY: Vocabulary = { namespace: 'Docket.V1', alias: 'Docket' };

/** It has no shorter name, so that nothing else claims one. */
const CONSOLE_VOCABULARY: Vocabulary = { namespace: CONSOLE_NAMESPACE, alias: CONSOLE_NAMESPACE };

/** The vocabularies whose schemas documents include, by namespace. */
const OWN_SCHEMAS: ReadonlyMap<string, () => JsonObject> = new Map([
  [DOCKET_VOCABULARY.namespace, () => DOCKET_SCHEMA],
  [CONSOLE_NAMESPACE, () => CONSOLE_SCHEMA],
]);

/** Whether documents include the schema of the vocabulary, which is no part of the model. */
export function isOwnVocabulary(namespace: string): boolean {
  return OWN_SCHEMAS.has(namespace);
}

/** The schema of a vocabulary of the service, by the alias that its terms have in the model. */
export function ownSchema(alias: string): JsonObject | undefined {
  return OWN_SCHEMAS.get(findVocabulary(alias)?.namespace ?? '')?.();
}

/** The URL of a published vocabulary, for `$Reference`. */
export function vocabularyAddress(vocabulary: Vocabulary, format: 'json' | 'xml'): string {
  const { namespace, alias, folder } = vocabulary;
  if (folder !== undefined) return `${folder}/${alias}.${format}`;
  return `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${namespace}.${format}`;
}

/** Vocabularies by namespace and by alias. */
const VOCABULARIES: ReadonlyMap<string, Vocabulary> = new Map(
  [...PUBLISHED_VOCABULARIES, DOCKET_VOCABULARY, CONSOLE_VOCABULARY].flatMap((vocabulary) => [
    [vocabulary.namespace, vocabulary],
    [vocabulary.alias, vocabulary],
  ]),
);

export function findVocabulary(name: string): Vocabulary | undefined {
  return VOCABULARIES.get(name);
}

export type PathKind =
  | 'PropertyPath'
  | 'NavigationPropertyPath'
  | 'AnyPropertyPath'
  | 'AnnotationOrNavigationPath'
  | { readonly enumeration: string };

/**
 * Terms and record members whose strings are paths or enumeration members, by alias of the vocabulary. CSDL JSON does not distinguish
 * them from text; CSDL XML does.
 */
export const PATH_VALUES: Readonly<Record<string, Readonly<Record<string, PathKind>>>> = {
  Aggregation: {
    ContextDefiningProperties: 'PropertyPath',
    GroupableProperties: 'AnyPropertyPath',
    LeveledHierarchy: 'PropertyPath',
    NodeProperty: 'PropertyPath',
    ParentNavigationProperty: 'NavigationPropertyPath',
    Property: 'PropertyPath',
    RequiredProperties: 'PropertyPath',
    Rollup: { enumeration: 'RollupType' },
  },
  Authorization: { Location: { enumeration: 'KeyLocation' } },
  Capabilities: {
    AscendingOnlyProperties: 'PropertyPath',
    CollectionProperty: 'PropertyPath',
    ConformanceLevel: { enumeration: 'ConformanceLevelType' },
    DescendingOnlyProperties: 'PropertyPath',
    ExpandableProperties: 'NavigationPropertyPath',
    FilterableProperties: 'PropertyPath',
    IsolationSupported: { enumeration: 'IsolationLevel' },
    Navigability: { enumeration: 'NavigationType' },
    NavigationProperty: 'NavigationPropertyPath',
    NonCountableNavigationProperties: 'NavigationPropertyPath',
    NonCountableProperties: 'PropertyPath',
    NonDeletableNavigationProperties: 'NavigationPropertyPath',
    NonExpandableProperties: 'NavigationPropertyPath',
    NonExpandableStreamProperties: 'PropertyPath',
    NonFilterableProperties: 'PropertyPath',
    NonInsertableNavigationProperties: 'NavigationPropertyPath',
    NonInsertableProperties: 'PropertyPath',
    NonSortableProperties: 'PropertyPath',
    NonUpdatableNavigationProperties: 'NavigationPropertyPath',
    NonUpdatableProperties: 'PropertyPath',
    Property: 'PropertyPath',
    RequiredProperties: 'PropertyPath',
    UnsupportedExpressions: { enumeration: 'SearchExpressions' },
    UpdateMethod: { enumeration: 'HttpMethod' },
  },
  Core: {
    Kind: { enumeration: 'RevisionKind' },
    Name: 'PropertyPath',
    OptimisticConcurrency: 'PropertyPath',
    Permissions: { enumeration: 'Permission' },
    failedOperation: { enumeration: 'DataModificationOperationKind' },
  },
  Temporal: {
    ObjectKey: 'PropertyPath',
    PeriodEnd: 'PropertyPath',
    PeriodStart: 'PropertyPath',
  },
  UI: {
    ChartType: { enumeration: 'ChartType' },
    Criticality: { enumeration: 'CriticalityType' },
    DataPoint: 'AnnotationOrNavigationPath',
    Dimension: 'PropertyPath',
    Dimensions: 'PropertyPath',
    GroupBy: 'PropertyPath',
    Importance: { enumeration: 'ImportanceType' },
    Measure: 'PropertyPath',
    Measures: 'PropertyPath',
    Property: 'PropertyPath',
    PropertyName: 'PropertyPath',
    RequestAtLeast: 'PropertyPath',
    SelectionFields: 'PropertyPath',
    Target: 'AnnotationOrNavigationPath',
    TextArrangement: { enumeration: 'TextArrangementType' },
    Visualizations: 'AnnotationOrNavigationPath',
  },
  Validation: { path: 'NavigationPropertyPath', target: 'NavigationPropertyPath' },
};

const tag = (description: string, ...appliesTo: readonly string[]) => ({
  $Kind: 'Term',
  $Type: 'Edm.Boolean',
  $DefaultValue: true,
  $AppliesTo: appliesTo,
  '@Core.Description': description,
});
const text = (description: string, ...appliesTo: readonly string[]) => ({
  $Kind: 'Term',
  $AppliesTo: appliesTo,
  '@Core.Description': description,
});
const record = (description: string, type: string, ...appliesTo: readonly string[]) => ({
  $Kind: 'Term',
  $Type: `Docket.V1.${type}`,
  $AppliesTo: appliesTo,
  '@Core.Description': description,
});
const optional = { $Nullable: true };
const names = { $Collection: true };
/** A complex type of strings. A question mark follows the names of optional members. */
const structure = (...members: readonly string[]): JsonObject => {
  const strings = members.map((name) => [
    name.replace('?', ''),
    name.endsWith('?') ? optional : {},
  ]);
  return { $Kind: 'ComplexType', ...Object.fromEntries(strings) };
};

/** The schema of Docket.V1, included in documents that use it to make them self-contained. */
export const DOCKET_SCHEMA: JsonObject = {
  $Alias: DOCKET_VOCABULARY.alias,
  '@Core.Description': 'How the records of a model are stored and served',
  Acyclic: tag('Following the navigation or its partner never forms a cycle', 'NavigationProperty'),
  Administrative: tag(
    'The set is part of the engine and reserved for administrators',
    'EntitySet',
    'Singleton',
  ),
  Available: text(
    'OData expression; the action is advertised and executed only where it is true',
    'Action',
  ),
  Calculates: text(
    'What the function of a schedule calculates: working-time, add-working-time, add-working-days or next-opening',
    'Function',
  ),
  Approval: record('How votes decide about the entity', 'ApprovalType', 'EntityType'),
  Assigned: record(
    'How the service gives the entity to a person of a group',
    'AssignedType',
    'EntityType',
  ),
  ChangeCode: text(
    'The code that marks a history entry as a change, of the entry or of a property that it is about',
    'Property',
  ),
  ChangePart: text(
    'The part of a change that the member holds: property, before, after, summary, origin, cause or account',
    'Property',
    'NavigationProperty',
  ),
  Clocks: record(
    'How the priority, the agreement, the deadlines and the clocks of the entity are calculated',
    'ClocksType',
    'EntityType',
  ),
  CodeList: text('The code list of the coded value', 'Property', 'Parameter'),
  CodeLists: {
    ...record('The code lists of the model', 'CodeListType', 'EntityContainer'),
    $Collection: true,
  },
  Coded: record(
    'Values of the type are codes: the value is stored, the text comes from the code list',
    'CodedType',
    'ComplexType',
  ),
  Computed: tag('The navigation is set by the server', 'NavigationProperty'),
  Custom: tag('The property was added by an installation', 'Property'),
  Discloses: record(
    'What accounts that may read the entity can read of the administrative target',
    'DisclosesType',
    'NavigationProperty',
  ),
  DisplayName: text('The property by which history entries name the entity', 'EntityType'),
  Due: record('When the service performs the action itself', 'DueType', 'Action'),
  Editable: record(
    'Clients may change the entity where a condition is true, for the minutes of the setting noteMinutes',
    'EditableType',
    'EntityType',
  ),
  Effects: {
    ...record('What the action does, in order', 'EffectType', 'Action'),
    $Collection: true,
  },
  Expression: text('What the operation returns, as an OData expression', 'Function', 'Action'),
  FilePart: text(
    'The part of the file that the member holds: name, file-name, type, size, sha256 or account',
    'Property',
    'NavigationProperty',
  ),
  Generated: record('How the server generates the value', 'GeneratedType', 'Property'),
  Grantable: tag('Roles may grant the right to read the administrative set', 'EntitySet'),
  Hidden: tag(
    'The element is stored, but neither published nor accessible',
    'Property',
    'NavigationProperty',
    'EntitySet',
    'Singleton',
  ),
  History: text(
    'The contained collection that receives an entry for each change',
    'EntityContainer',
  ),
  IgnoredOptions: {
    ...text('System query options that the import ignores', 'FunctionImport', 'ActionImport'),
    $Collection: true,
  },
  Immutable: tag('The navigation can be set at creation only', 'NavigationProperty'),
  Indexed: tag('The property is often used in filters or sort orders', 'Property'),
  Indexes: {
    ...record(
      'Combinations of members that filters and sort orders often use',
      'IndexType',
      'EntityType',
    ),
    $Collection: true,
  },
  Inverse: tag("The relation is stored on the partner's side", 'NavigationProperty'),
  ItemKey: {
    ...text('Members that identify an item among those of all entities of a set', 'Property'),
    $Collection: true,
  },
  Languages: {
    ...text('Languages of the texts, the default one first', 'EntityContainer'),
    $Collection: true,
  },
  Listed: tag('Shown in the service document', 'Singleton', 'ActionImport'),
  MailRecord: record(
    'The members that keep the parts of an incoming message',
    'MailRecordType',
    'EntityType',
  ),
  OnDelete: text(
    'What deleting the target does to the owner: cascade, set-null or restrict (default; collections lose the target by default)',
    'NavigationProperty',
  ),
  Ordered: tag('The related entities keep their order', 'NavigationProperty'),
  People: text('The set of the people who own accounts', 'EntityContainer'),
  Recalculates: tag('The action calculates the clocks of its entity again', 'Action'),
  Recorded: text(
    'OData expression; where it is true, only the service writes the entity, and clients only read it',
    'EntityType',
  ),
  Recipient: record(
    'The entity can get mail: the members with its address, name, language, time zone and other recipients',
    'RecipientType',
    'EntityType',
  ),
  Relates: record(
    'An entity of the type relates two different entities; each relation exists only once',
    'RelatesType',
    'EntityType',
  ),
  RenamedFrom: text(
    'The old name, whose values a model that is applied keeps under the new one',
    'EntityType',
    'ComplexType',
    'Property',
    'NavigationProperty',
    'EntitySet',
    'Singleton',
  ),
  Schedule: record(
    'The entity is a schedule: where it has its time zone, windows and holidays',
    'ScheduleType',
    'EntityType',
  ),
  Searchable: tag('The property is included in $search', 'Property'),
  Singular: text(
    'Another name that addresses a single entity of the set',
    'EntitySet',
    'Singleton',
  ),
  Templates: record(
    'Where the model keeps templates of new records',
    'TemplatesType',
    'EntityContainer',
  ),
  TimeZone: tag(
    'The value is a name of the IANA time zone database',
    'Property',
    'Parameter',
    'TypeDefinition',
  ),
  Unique: tag('The value is unique among the entities of a set', 'Property'),
  Workflow: record(
    'The states of the entity, and the transitions between them',
    'WorkflowType',
    'EntityType',
  ),
  ...shapeTypes('Approval', APPROVAL),
  ...shapeTypes('Assigned', ASSIGNMENT),
  ...shapeTypes('Editable', EDITABLE),
  ...shapeTypes('Clocks', CLOCKS),
  CodedType: structure('Value', 'Text'),
  DueType: structure('At', 'Where'),
  DisclosesType: { ...structure(), Members: names, Whole: optional, Through: optional },
  EffectType: {
    ...structure('Require?', 'Message?', 'Change?', 'Create?', 'Type?'),
    Values: { $Type: 'Docket.V1.EffectValueType', ...names },
    As: optional,
    Delete: optional,
  },
  EffectValueType: structure('Member', 'Expression'),
  GeneratedType: structure('By', 'Expression?'),
  IndexType: { ...structure(), Members: names },
  CodeListType: {
    ...structure('Name'),
    Ordered: { $Type: 'Edm.Boolean' },
    Hierarchical: { $Type: 'Edm.Boolean' },
    Codes: { $Type: 'Docket.V1.CodeType', ...names },
  },
  CodeType: {
    ...structure(),
    Value: { $Type: 'Edm.Int64' },
    Texts: { $Type: 'Docket.V1.TextType', ...names },
    Meaning: optional,
    Parent: { $Type: 'Edm.Int64', ...optional },
    Disabled: { $Type: 'Edm.Boolean', ...optional },
    Criticality: { $Type: 'Edm.Int16', ...optional },
    Icon: optional,
  },
  RecipientType: structure('Address', 'Name?', 'Language?', 'TimeZone?', 'Members?'),
  MailRecordType: structure(
    'Subject',
    'MessageId',
    'Files',
    'Body?',
    'BodyHtml?',
    'FromAddress?',
    'FromName?',
    'To?',
    'Cc?',
    'InReplyTo?',
    'ReceivedAt?',
    'Language?',
    'Automatic?',
    'Distrust?',
    'Status?',
    'ErrorStatus?',
    'Sender?',
    'SenderAddress?',
    'Record?',
    'Reply?',
  ),
  RelatesType: structure('Source?', 'Target', 'Type?'),
  ScheduleType: {
    ...structure('TimeZone'),
    Windows: { $Type: 'Docket.V1.WindowsType' },
    Holidays: { $Type: 'Docket.V1.HolidaysType', ...optional },
  },
  WindowsType: structure('Rows', 'Weekday', 'From', 'To'),
  HolidaysType: structure('Rows', 'Date', 'From?', 'To?', 'Open?', 'Name?', 'Source?', 'Sequence?'),
  TemplatesType: structure(
    'Navigation',
    'Values',
    'Property',
    'Value',
    'Type?',
    'Blocked?',
    'Roles?',
  ),
  TextType: structure('Language', 'Text'),
  WorkflowType: {
    ...structure('Member', 'Mode?', 'Comments?'),
    Initial: names,
    States: { $Type: 'Docket.V1.StateType', ...names },
    Transitions: { $Type: 'Docket.V1.TransitionType', ...names },
    Relations: { $Type: 'Docket.V1.RelationRuleType', ...names },
  },
  RelationRuleType: structure('Member', 'Guard'),
  StateType: {
    ...structure('Symbol', 'Category?'),
    Members: { $Type: 'Docket.V1.StateMemberType', ...names },
    OnEnter: { $Type: 'Docket.V1.EffectValueType', ...names },
    OnExit: { $Type: 'Docket.V1.EffectValueType', ...names },
  },
  StateMemberType: structure('Member', 'Flag?'),
  TransitionType: {
    ...structure('Symbol'),
    From: names,
    To: {},
    Require: names,
    Guard: optional,
    Roles: names,
    By: optional,
  },
};

/** The term of Docket.V1 by which clients find the codes that a property permits. */
export const CODE_LIST_SCHEMA: JsonObject = {
  $Alias: DOCKET_VOCABULARY.alias,
  CodeList: DOCKET_SCHEMA.CodeList ?? {},
};
