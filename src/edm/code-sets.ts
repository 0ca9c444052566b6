// This file defines the sets CodeLists and Codes, in which administrators edit the code lists of a model. A model may declare them itself,
// as the built-in one does; to other models with code lists they are added, reserved for administrators.
import {
  about,
  COMPUTED,
  FLAG,
  KEYED,
  many,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  text,
  withSchema,
} from './engine-schema.ts';
import type { EntityType, Model, ModelDefinition, NamedType } from './model.ts';
import { type Source, setSource } from './source.ts';
import { CRITICALITIES } from './value/criticality.ts';

/** The sources of the code lists and of their codes. */
export interface CodeSources {
  readonly lists: Source;
  readonly codes: Source;
}

const LIST_MEMBERS = ['Name', 'Ordered', 'Hierarchical', 'Codes'];
const CODE_MEMBERS = ['Value', 'Texts', 'Ordering', 'Disabled', 'Meaning', 'List', 'Parent'];

/** The types that the engine adds, which metadata does not show. */
export const CODE_SET_TYPES: ReadonlySet<string> = new Set(
  ['CodeList', 'CodeEntry', 'Translation'].map((type) => `${SYSTEM_NAMESPACE}.${type}`),
);

/** Where the codes of a model are stored; undefined if it has no code lists. */
export function codeSources(model: Model): CodeSources | undefined {
  const { sets } = model.definition;
  const isList = (name: string) => isListType(model.types.get(name), memberNames(model));
  const isCode = (name: string) => isCodeType(model.types.get(name), memberNames(model));
  const lists = sets.find(({ name, type }) => LIST_SETS.has(name) && isList(type));
  const codes = sets.find(({ name, type }) => CODE_SETS.has(name) && isCode(type));
  if (lists === undefined || codes === undefined) return undefined;
  return { lists: setSource(model, lists.name), codes: setSource(model, codes.name) };
}

const LIST_SETS = new Set(['CodeLists', 'DocketCodeLists']);
const CODE_SETS = new Set(['Codes', 'DocketCodes']);

type MemberNames = (type: EntityType) => ReadonlySet<string>;

function memberNames(model: Model): MemberNames {
  return (type) => new Set(model.members(type).keys());
}

function isListType(type: NamedType | undefined, names: MemberNames): boolean {
  return type?.kind === 'entity' && LIST_MEMBERS.every((name) => names(type).has(name));
}

function isCodeType(type: NamedType | undefined, names: MemberNames): boolean {
  return type?.kind === 'entity' && CODE_MEMBERS.every((name) => names(type).has(name));
}

/** Adds the sets to a model that has code lists and does not declare them. Sets whose names are in use get the prefix Docket. */
export function withCodeSets(definition: ModelDefinition): ModelDefinition {
  if (definition.codeLists.length === 0 || declaresCodeSets(definition)) return definition;
  const taken = new Set(definition.sets.flatMap(({ name, singular }) => [name, singular]));
  const isTaken = ['CodeLists', 'CodeList', 'Codes', 'CodeEntry'].some((name) => taken.has(name));
  const prefix = isTaken ? 'Docket' : '';
  return withSchema(definition, {
    elements: ELEMENTS,
    container: {
      [`${prefix}CodeLists`]: {
        ...RESERVED,
        $Type: `${SYSTEM_NAMESPACE}.CodeList`,
        '@Docket.Singular': `${prefix}CodeList`,
        '@Capabilities.InsertRestrictions': { Insertable: false },
        '@Capabilities.DeleteRestrictions': { Deletable: false },
      },
      [`${prefix}Codes`]: {
        ...RESERVED,
        $Type: `${SYSTEM_NAMESPACE}.CodeEntry`,
        '@Docket.Singular': `${prefix}CodeEntry`,
      },
    },
  });
}

function declaresCodeSets({ sets, types }: ModelDefinition): boolean {
  const names: MemberNames = (type) => new Set(type.members.map(({ name }) => name));
  const typeOf = (set: string) => {
    const name = sets.find((one) => one.name === set)?.type;
    return types.find((type) => type.name === name);
  };
  return isListType(typeOf('CodeLists'), names) && isCodeType(typeOf('Codes'), names);
}

const RESERVED = {
  $Collection: true,
  $IncludeInServiceDocument: false,
  '@Docket.Administrative': true,
  '@Docket.Grantable': true,
};

const ELEMENTS = {
  Translation: {
    $Kind: 'ComplexType',
    Language: text(35, 'Language tag, such as nl'),
    Text: text(255),
  },
  CodeList: {
    ...KEYED,
    ...about('A list of codes'),
    '@Core.AlternateKeys': [{ Key: [{ Name: 'Name' }] }],
    Name: { ...text(128), '@Docket.Unique': true, ...COMPUTED },
    Ordered: { ...FLAG, ...OPTIONAL },
    Hierarchical: { ...FLAG, ...OPTIONAL },
    Codes: many('CodeEntry', { $Partner: 'List' }),
  },
  CodeEntry: {
    ...KEYED,
    ...about('A code of a code list; records store its Value'),
    '@Core.AlternateKeys': [{ Key: [{ Name: 'Value' }] }],
    Value: {
      $Type: 'Edm.Int64',
      ...about('The value that records store, unique among all codes; the Uid if it is left out'),
      '@Core.Immutable': true,
      '@Docket.Unique': true,
      '@Docket.Generated': { By: 'initial', Expression: 'Uid' },
    },
    Texts: { $Collection: true, $Type: `${SYSTEM_NAMESPACE}.Translation` },
    Ordering: { $Type: 'Edm.Int32', ...OPTIONAL },
    Disabled: { ...FLAG, ...OPTIONAL, ...about('Kept by records, but can no longer be chosen') },
    Meaning: { ...text(80, 'A symbol that stays when the code is renamed'), ...OPTIONAL },
    Criticality: {
      $Type: 'Edm.Int16',
      ...OPTIONAL,
      ...about('How user interfaces colour it: a value of UI.CriticalityType'),
      '@Validation.AllowedValues': CRITICALITIES.map((Value) => ({ Value })),
    },
    Icon: { ...text(40, 'The name of an icon for user interfaces'), ...OPTIONAL },
    List: {
      $Kind: 'NavigationProperty',
      $Type: `${SYSTEM_NAMESPACE}.CodeList`,
      $Partner: 'Codes',
      '@Docket.Immutable': true,
    },
    Parent: {
      $Kind: 'NavigationProperty',
      $Type: `${SYSTEM_NAMESPACE}.CodeEntry`,
      $Nullable: true,
      $Partner: 'Children',
      '@Docket.Acyclic': true,
    },
    Children: many('CodeEntry', { $Partner: 'Parent' }),
  },
};
