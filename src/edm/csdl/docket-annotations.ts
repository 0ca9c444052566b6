// This file writes the annotations of Docket.V1, the vocabulary of this service. Defaults are omitted. read-csdl.ts reads the same
// terms.
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

export const docketAnnotations = {
  type: (type: StructuredType): Annotations =>
    type.kind === 'complex' && type.coded !== undefined
      ? { 'Docket.Coded': { Value: type.coded.value, Text: type.coded.text } }
      : { ...relatesTerm(type), ...recordedTerm(type) },

  property: (property: Property): Annotations => ({
    ...textTerm('CodeList', property.codeList),
    ...flagTerm('Custom', property.custom),
    ...flagTerm('Searchable', property.searchable),
    ...flagTerm('Unique', property.unique),
    ...flagTerm('Indexed', property.indexed),
    ...textTerm('ChangePart', property.changePart),
    ...textTerm('ChangeCode', property.changeCode?.toString()),
    ...textTerm('FilePart', property.filePart),
    ...generatedTerm(property),
  }),

  navigation: (navigation: Navigation): Annotations => ({
    ...flagTerm('Inverse', navigation.inverse),
    ...flagTerm('Ordered', navigation.ordered),
    ...flagTerm('Acyclic', navigation.acyclic),
    ...flagTerm('Computed', navigation.computed),
    ...flagTerm('Immutable', navigation.immutable),
    ...disclosesTerm(navigation),
    ...textTerm('OnDelete', navigation.onDelete),
    ...textTerm('ChangePart', navigation.changePart),
    ...textTerm('FilePart', navigation.filePart),
  }),

  operation: ({ expression, effects, available }: Operation): Annotations => ({
    ...textTerm('Expression', expression),
    ...(effects === undefined ? {} : { 'Docket.Effects': writeEffects(effects) }),
    ...textTerm('Available', available),
  }),

  parameter: (parameter: Parameter): Annotations => textTerm('CodeList', parameter.codeList),

  set: (set: EntitySet): Annotations => ({
    ...textTerm('Singular', set.singular),
    ...flagTerm('Administrative', set.administrative),
    ...flagTerm('Grantable', set.grantable),
    ...(set.kind === 'singleton' && !set.listed ? { 'Docket.Listed': false } : {}),
  }),

  import: (item: OperationImport): Annotations => ({
    ...(item.ignoredOptions === undefined
      ? {}
      : { 'Docket.IgnoredOptions': [...item.ignoredOptions] }),
    ...flagTerm('Listed', item.kind === 'action-import' ? item.listed : undefined),
  }),

  /** @param describe returns the labels and annotations of a code list */
  container: (
    definition: ModelDefinition,
    describe: (list: CodeList) => Annotations,
  ): Annotations => ({
    'Docket.Languages': [...definition.languages],
    ...textTerm('People', definition.people),
    ...textTerm('History', definition.history),
    ...templatesTerm(definition.templates),
    ...(definition.codeLists.length === 0
      ? {}
      : { 'Docket.CodeLists': definition.codeLists.map((list) => codeListRecord(list, describe)) }),
  }),
};

function relatesTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.relates === undefined) return {};
  const { source, target, type: relationType } = type.relates;
  const optionalSource = source === undefined ? {} : { Source: source };
  const optionalType = relationType === undefined ? {} : { Type: relationType };
  return { 'Docket.Relates': { ...optionalSource, Target: target, ...optionalType } };
}

function recordedTerm(type: StructuredType): Annotations {
  return type.kind === 'entity' ? textTerm('Recorded', type.recorded) : {};
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

/** Int64 values that a double cannot represent become strings, as with IEEE754Compatible. */
function plainNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

function flagTerm(term: string, value: boolean | undefined): Annotations {
  return value === true ? { [`Docket.${term}`]: true } : {};
}

function textTerm(term: string, value: string | undefined): Annotations {
  return value === undefined ? {} : { [`Docket.${term}`]: value };
}
