// This file writes the annotations of Docket.V1, the vocabulary of this service. Defaults are omitted. read-csdl.ts reads the same
// terms.
import { CLOCKS } from '../clocks/clock-rules.ts';
import { writeSchedule } from '../clocks/schedules.ts';
import { definedMembers } from '../defined-members.ts';
import { writeEffects } from '../effects.ts';
import { writeMailRecord } from '../mail-record.ts';
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
import { writeWorkflow } from '../workflow/annotation.ts';
import { APPROVAL } from '../workflow/approval-rules.ts';
import { ASSIGNMENT } from '../workflow/assignment-rules.ts';
import { plainJson } from './document-reader.ts';
import { EDITABLE, writeShaped } from './shaped-record.ts';

export const docketAnnotations = {
  type: (type: StructuredType): Annotations =>
    type.kind === 'complex' && type.coded !== undefined
      ? { 'Docket.Coded': { Value: type.coded.value, Text: type.coded.text }, ...formerName(type) }
      : { ...entityTerms(type), ...formerName(type) },

  property: (property: Property): Annotations => ({
    ...textTerm('CodeList', property.codeList),
    ...flagTerm('Custom', property.custom),
    ...flagTerm('Searchable', property.searchable),
    ...flagTerm('Unique', property.unique),
    ...flagTerm('Indexed', property.indexed),
    ...(property.itemKey === undefined ? {} : { 'Docket.ItemKey': [...property.itemKey] }),
    ...flagTerm('Hidden', property.hidden),
    ...textTerm('ChangePart', property.changePart),
    ...textTerm('ChangeCode', property.changeCode?.toString()),
    ...textTerm('FilePart', property.filePart),
    ...generatedTerm(property),
    ...formerName(property),
  }),

  navigation: (navigation: Navigation): Annotations => ({
    ...flagTerm('Inverse', navigation.inverse),
    ...flagTerm('Ordered', navigation.ordered),
    ...flagTerm('Acyclic', navigation.acyclic),
    ...flagTerm('Computed', navigation.computed),
    ...flagTerm('Immutable', navigation.immutable),
    ...disclosesTerm(navigation),
    ...flagTerm('Hidden', navigation.hidden),
    ...textTerm('OnDelete', navigation.onDelete),
    ...textTerm('ChangePart', navigation.changePart),
    ...textTerm('FilePart', navigation.filePart),
    ...formerName(navigation),
  }),

  operation: ({
    expression,
    effects,
    available,
    due,
    calculates,
    recalculates,
  }: Operation): Annotations => ({
    ...textTerm('Expression', expression),
    ...textTerm('Calculates', calculates),
    ...flagTerm('Recalculates', recalculates),
    ...(effects === undefined ? {} : { 'Docket.Effects': writeEffects(effects) }),
    ...textTerm('Available', available),
    ...(due === undefined ? {} : { 'Docket.Due': { At: due.at, Where: due.where } }),
  }),

  parameter: (parameter: Parameter): Annotations => textTerm('CodeList', parameter.codeList),

  set: (set: EntitySet): Annotations => ({
    ...textTerm('Singular', set.singular),
    ...flagTerm('Administrative', set.administrative),
    ...flagTerm('Grantable', set.grantable),
    ...formerName(set),
    ...flagTerm('Hidden', set.hidden),
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

function formerName({ renamedFrom }: { readonly renamedFrom?: string | undefined }): Annotations {
  return textTerm('RenamedFrom', renamedFrom);
}

function entityTerms(type: StructuredType): Annotations {
  return {
    ...relatesTerm(type),
    ...recipientTerm(type),
    ...mailTerm(type),
    ...recordedTerm(type),
    ...editableTerm(type),
    ...indexesTerm(type),
    ...workflowTerm(type),
    ...approvalTerm(type),
    ...assignedTerm(type),
    ...scheduleTerm(type),
    ...clocksTerm(type),
  };
}

function mailTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.mail === undefined) return {};
  return { 'Docket.MailRecord': writeMailRecord(type.mail) };
}

function relatesTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.relates === undefined) return {};
  const { source, target, type: relationType } = type.relates;
  return {
    'Docket.Relates': definedMembers({ Source: source, Target: target, Type: relationType }),
  };
}

function recipientTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.recipient === undefined) return {};
  const { address, name, language, timeZone, members } = type.recipient;
  const record = { Address: address, Name: name, Language: language, TimeZone: timeZone };
  return { 'Docket.Recipient': definedMembers({ ...record, Members: members }) };
}

function editableTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.editable === undefined) return {};
  return { 'Docket.Editable': writeShaped(type.editable, EDITABLE) };
}

function recordedTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity') return {};
  return { ...textTerm('Recorded', type.recorded), ...textTerm('DisplayName', type.displayName) };
}

function indexesTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.indexes === undefined) return {};
  return { 'Docket.Indexes': type.indexes.map((paths) => ({ Members: [...paths] })) };
}

function workflowTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.workflow === undefined) return {};
  return { 'Docket.Workflow': writeWorkflow(type.workflow) };
}

function approvalTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.approval === undefined) return {};
  return { 'Docket.Approval': writeShaped(type.approval, APPROVAL) };
}

function assignedTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.assigned === undefined) return {};
  return { 'Docket.Assigned': writeShaped(type.assigned, ASSIGNMENT) };
}

function scheduleTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.schedule === undefined) return {};
  return { 'Docket.Schedule': writeSchedule(type.schedule) };
}

function clocksTerm(type: StructuredType): Annotations {
  if (type.kind !== 'entity' || type.clocks === undefined) return {};
  return { 'Docket.Clocks': writeShaped(type.clocks, CLOCKS) };
}

function disclosesTerm({ discloses }: Navigation): Annotations {
  if (discloses === undefined) return {};
  const { members, whole, through } = discloses;
  const record = { Members: [...members], Whole: whole, Through: through };
  return { 'Docket.Discloses': definedMembers(record) };
}

function generatedTerm({ generated }: Property): Annotations {
  if (generated === undefined) return {};
  const expression = 'expression' in generated ? generated.expression : undefined;
  return { 'Docket.Generated': definedMembers({ By: generated.by, Expression: expression }) };
}

function templatesTerm(templates: ModelDefinition['templates']): Annotations {
  if (templates === undefined) return {};
  const record = definedMembers({
    Navigation: templates.navigation,
    Values: templates.values,
    Property: templates.property,
    Value: templates.value,
    Type: templates.type,
    Blocked: templates.blocked,
    Roles: templates.roles,
  });
  return { 'Docket.Templates': record };
}

function codeListRecord(list: CodeList, describe: (list: CodeList) => Annotations): Json {
  const { name, ordered, hierarchical, codes } = list;
  const head = { Name: name, Ordered: ordered, Hierarchical: hierarchical };
  return { ...head, ...describe(list), Codes: codes.map(codeRecord) };
}

function codeRecord({ value, texts, meaning, parent, disabled, ...look }: Code): Json {
  return definedMembers({
    Value: plainJson(value),
    Texts: Object.entries(texts).map(([language, text]) => ({ Language: language, Text: text })),
    Meaning: meaning,
    Parent: parent === undefined ? undefined : plainJson(parent),
    Disabled: disabled,
    Criticality: look.criticality,
    Icon: look.icon,
  });
}

function flagTerm(term: string, value: boolean | undefined): Annotations {
  return value === true ? { [`Docket.${term}`]: true } : {};
}

function textTerm(term: string, value: string | undefined): Annotations {
  return value === undefined ? {} : { [`Docket.${term}`]: value };
}
