// This file says what of a model goes into annotations of Docket.V1, the vocabulary of what only this service understands.
// Only what is not the default is written. read-csdl.ts takes the same terms apart again.
import { writeEffects } from '../effects.ts';
import type {
  Annotations,
  Code,
  CodeList,
  EntitySet,
  Json,
  ModelDefinition,
  Navigation,
  Operation,
  OperationImport,
  Parameter,
  Property,
  StructuredType,
} from '../model.ts';

export const ownTerms = {
  type: (type: StructuredType): Annotations =>
    type.kind === 'complex' && type.coded !== undefined
      ? { 'Docket.Coded': { Value: type.coded.value, Text: type.coded.text } }
      : { ...relatesTerm(type), ...recordedTerm(type) },

  property: (property: Property): Annotations => ({
    ...given('CodeList', property.codeList),
    ...flag('Custom', property.custom),
    ...flag('Searchable', property.searchable),
    ...flag('Unique', property.unique),
    ...flag('Indexed', property.indexed),
    ...given('ChangePart', property.changePart),
    ...given('ChangeCode', property.changeCode?.toString()),
    ...given('FilePart', property.filePart),
    ...generatedTerm(property),
  }),

  navigation: (navigation: Navigation): Annotations => ({
    ...flag('Inverse', navigation.inverse),
    ...flag('Ordered', navigation.ordered),
    ...flag('Acyclic', navigation.acyclic),
    ...flag('Computed', navigation.computed),
    ...flag('Immutable', navigation.immutable),
    ...disclosesTerm(navigation),
    ...given('OnDelete', navigation.onDelete),
    ...given('ChangePart', navigation.changePart),
    ...given('FilePart', navigation.filePart),
  }),

  operation: ({ expression, effects, available }: Operation): Annotations => ({
    ...given('Expression', expression),
    ...(effects === undefined ? {} : { 'Docket.Effects': writeEffects(effects) }),
    ...given('Available', available),
  }),

  parameter: (parameter: Parameter): Annotations => given('CodeList', parameter.codeList),

  set: (set: EntitySet): Annotations => ({
    ...given('Singular', set.singular),
    ...flag('Administrative', set.administrative),
    ...flag('Grantable', set.grantable),
    ...(set.kind === 'singleton' && !set.listed ? { 'Docket.Listed': false } : {}),
  }),

  import: (item: OperationImport): Annotations => ({
    ...(item.ignoredOptions === undefined
      ? {}
      : { 'Docket.IgnoredOptions': [...item.ignoredOptions] }),
    ...flag('Listed', item.kind === 'action-import' ? item.listed : undefined),
  }),

  /** @param describe writes the labels and annotations of a code list as members of its record */
  container: (
    definition: ModelDefinition,
    describe: (list: CodeList) => Annotations,
  ): Annotations => ({
    'Docket.Languages': [...definition.languages],
    ...given('People', definition.people),
    ...given('History', definition.history),
    ...templatesTerm(definition.templates),
    ...(definition.codeLists.length === 0
      ? {}
      : { 'Docket.CodeLists': definition.codeLists.map((list) => codeListRecord(list, describe)) }),
  }),
};

function relatesTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.relates === undefined) return {};
  const { source, target, type: way } = type.relates;
  const from = source === undefined ? {} : { Source: source };
  const by = way === undefined ? {} : { Type: way };
  return { 'Docket.Relates': { ...from, Target: target, ...by } };
}

function recordedTerm(type: StructuredType): Annotations {
  return type.kind === 'entity' ? given('Recorded', type.recorded) : {};
}

function disclosesTerm({ discloses }: Navigation): Annotations {
  if (discloses === undefined) return {};
  const whole = discloses.whole === undefined ? {} : { Whole: discloses.whole };
  return { 'Docket.Discloses': { Members: [...discloses.members], ...whole } };
}

function generatedTerm({ generated }: Property): Annotations {
  if (generated === undefined) return {};
  const expression = 'expression' in generated ? { Expression: generated.expression } : {};
  return { 'Docket.Generated': { By: generated.by, ...expression } };
}

function templatesTerm(templates: ModelDefinition['templates']): Annotations {
  if (templates === undefined) return {};
  const { navigation, values, property, value, type, blocked } = templates;
  const record = {
    Navigation: navigation,
    Values: values,
    Property: property,
    Value: value,
    ...(type === undefined ? {} : { Type: type }),
    ...(blocked === undefined ? {} : { Blocked: blocked }),
  };
  return { 'Docket.Templates': record };
}

function codeListRecord(list: CodeList, describe: (list: CodeList) => Annotations): Json {
  return {
    Name: list.name,
    Ordered: list.ordered,
    Hierarchical: list.hierarchical,
    ...describe(list),
    Codes: list.codes.map(codeRecord),
  };
}

function codeRecord(code: Code): Json {
  return {
    Value: plainNumber(code.value),
    Texts: Object.entries(code.texts).map(([language, text]) => ({
      Language: language,
      Text: text,
    })),
    ...(code.meaning === undefined ? {} : { Meaning: code.meaning }),
    ...(code.parent === undefined ? {} : { Parent: plainNumber(code.parent) }),
    ...(code.disabled === undefined ? {} : { Disabled: code.disabled }),
  };
}

/** Int64 values that no double holds are strings, as in OData JSON for readers whose only number is the double. */
function plainNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

function flag(term: string, value: boolean | undefined): Annotations {
  return value === true ? { [`Docket.${term}`]: true } : {};
}

function given(term: string, value: string | undefined): Annotations {
  return value === undefined ? {} : { [`Docket.${term}`]: value };
}
