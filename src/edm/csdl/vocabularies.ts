// This file knows the vocabularies that annotations come from: the standard ones of OASIS, by namespace, alias and address, with
// those of their values that are paths or enumeration members; and Docket.V1, the terms of this service's own.
import type { JsonObject } from '../value/lossless-json.ts';

export interface Vocabulary {
  readonly namespace: string;
  readonly alias: string;
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

export const STANDARD_VOCABULARIES: readonly Vocabulary[] = STANDARD_NAMES.map((alias) => ({
  namespace: `Org.OData.${alias}.V1`,
  alias,
}));

export const OWN_VOCABULARY: Vocabulary = { namespace: 'Docket.V1', alias: 'Docket' };

/** Where the vocabulary is published, for `$Reference`. */
export function vocabularyAddress(vocabulary: Vocabulary, format: 'json' | 'xml'): string {
  return `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${vocabulary.namespace}.${format}`;
}

/** By namespace and by alias: every annotation of a model is looked up here. */
const VOCABULARIES: ReadonlyMap<string, Vocabulary> = new Map(
  [...STANDARD_VOCABULARIES, OWN_VOCABULARY].flatMap((vocabulary) => [
    [vocabulary.namespace, vocabulary],
    [vocabulary.alias, vocabulary],
  ]),
);

/** The vocabulary with that namespace or alias. */
export function findVocabulary(name: string): Vocabulary | undefined {
  return VOCABULARIES.get(name);
}

export type PathKind =
  | 'PropertyPath'
  | 'NavigationPropertyPath'
  | 'AnyPropertyPath'
  | { readonly enumeration: string };

/**
 * Terms and members of records whose JSON strings are not plain text, by alias of their vocabulary. CSDL JSON writes them all as
 * strings, CSDL XML tells them apart.
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

/** The schema of Docket.V1. It is written into the documents that use it, so that they can be read on their own. */
export const OWN_SCHEMA: JsonObject = {
  $Alias: OWN_VOCABULARY.alias,
  '@Core.Description': 'What a model says about how its records are kept and served',
  Acyclic: tag(
    'By following the navigation or its partner nobody comes back to where they started',
    'NavigationProperty',
  ),
  Administrative: tag(
    'The set is part of the engine and reserved to administrators',
    'EntitySet',
    'Singleton',
  ),
  Available: text(
    'Condition, as an OData expression, on which the action is offered and carried out',
    'Action',
  ),
  ChangeCode: text('The code that history entries of changes have', 'Property'),
  ChangePart: text(
    'What of a change the member of a history entry holds: property, before, after or account',
    'Property',
    'NavigationProperty',
  ),
  CodeList: text('The code list that the coded value is taken from', 'Property', 'Parameter'),
  CodeLists: {
    ...record('The code lists of the model', 'CodeListType', 'EntityContainer'),
    $Collection: true,
  },
  Coded: record(
    'Values of the type are codes: the value is stored, the text belongs to the code list',
    'CodedType',
    'ComplexType',
  ),
  Computed: tag('The navigation is set by the server', 'NavigationProperty'),
  Custom: tag('An installation has added the property', 'Property'),
  Discloses: record(
    'What accounts that may read the entity read of the administrative entity that the navigation leads to',
    'DisclosesType',
    'NavigationProperty',
  ),
  Effects: {
    ...record('What the action does, in order', 'EffectType', 'Action'),
    $Collection: true,
  },
  Expression: text('What the operation returns, as an OData expression', 'Function', 'Action'),
  FilePart: text(
    'What of its file the member of a media entity holds: name, file-name, type, size, sha256 or account',
    'Property',
    'NavigationProperty',
  ),
  Generated: record('What the server puts into the property', 'GeneratedType', 'Property'),
  Grantable: tag('Roles may give the right to read the administrative set', 'EntitySet'),
  History: text('The contained collection that receives a line for each change', 'EntityContainer'),
  IgnoredOptions: {
    ...text('System query options that are passed over unread', 'FunctionImport', 'ActionImport'),
    $Collection: true,
  },
  Immutable: tag('The navigation can be set at creation only', 'NavigationProperty'),
  Indexed: tag('The property is often filtered or sorted by', 'Property'),
  Inverse: tag('The relation is kept on the side of the partner', 'NavigationProperty'),
  Languages: {
    ...text('Languages of the texts, the default one first', 'EntityContainer'),
    $Collection: true,
  },
  Listed: tag('Shown in the service document', 'Singleton', 'ActionImport'),
  OnDelete: text(
    'What a deletion of the target does: cascade, set-null or restrict',
    'NavigationProperty',
  ),
  Ordered: tag('The related entities keep their order', 'NavigationProperty'),
  People: text(
    'The set whose entities stand for the people behind the accounts',
    'EntityContainer',
  ),
  Recorded: text(
    'Condition, as an OData expression: entities for which it is true are written by the service and read-only for clients',
    'EntityType',
  ),
  Relates: record(
    'An entity of the type says how two different entities are related; no two say the same',
    'RelatesType',
    'EntityType',
  ),
  Searchable: tag('The property takes part in $search', 'Property'),
  Singular: text(
    'A further name by which one entity of the set is addressed',
    'EntitySet',
    'Singleton',
  ),
  Templates: record('How records are made from templates', 'TemplatesType', 'EntityContainer'),
  Unique: tag('No two entities of a set have the same value', 'Property'),
  CodedType: { $Kind: 'ComplexType', Value: {}, Text: {} },
  DisclosesType: { $Kind: 'ComplexType', Members: names, Whole: optional },
  EffectType: {
    $Kind: 'ComplexType',
    Require: optional,
    Message: optional,
    Change: optional,
    Create: optional,
    Type: optional,
    Values: { $Type: 'Docket.V1.EffectValueType', ...names },
    As: optional,
    Delete: optional,
  },
  EffectValueType: { $Kind: 'ComplexType', Member: {}, Expression: {} },
  GeneratedType: { $Kind: 'ComplexType', By: {}, Expression: optional },
  CodeListType: {
    $Kind: 'ComplexType',
    Name: {},
    Ordered: { $Type: 'Edm.Boolean' },
    Hierarchical: { $Type: 'Edm.Boolean' },
    Codes: { $Type: 'Docket.V1.CodeType', ...names },
  },
  CodeType: {
    $Kind: 'ComplexType',
    Value: { $Type: 'Edm.Int64' },
    Texts: { $Type: 'Docket.V1.TextType', ...names },
    Meaning: optional,
    Parent: { $Type: 'Edm.Int64', ...optional },
    Disabled: { $Type: 'Edm.Boolean', ...optional },
  },
  RelatesType: { $Kind: 'ComplexType', Source: optional, Target: {}, Type: optional },
  TemplatesType: {
    $Kind: 'ComplexType',
    Navigation: {},
    Values: {},
    Property: {},
    Value: {},
    Type: optional,
    Blocked: optional,
  },
  TextType: { $Kind: 'ComplexType', Language: {}, Text: {} },
};
