// This file reads the types of a CSDL JSON document: entity types with their keys, complex types, enumerations and type definitions.
// OData CSDL JSON 4.01, "Entity Type", "Complex Type", "Enumeration Type", "Type Definition".

import { CLOCKS, type ClockRules } from '../clocks/clock-rules.ts';
import { readSchedule } from '../clocks/schedules.ts';
import { definedMembers } from '../defined-members.ts';
import { readMailRecord } from '../mail-record.ts';
import {
  type Annotations,
  type ComplexType,
  type EditableRule,
  type EntityType,
  type EnumType,
  isPlainRecord,
  type Json,
  type KeyPart,
  type NamedType,
  type RecipientMembers,
  type RelationMembers,
  type TypeDefinition,
} from '../model.ts';
import { isJsonObject, type JsonInput } from '../value/lossless-json.ts';
import { readWorkflow } from '../workflow/annotation.ts';
import { APPROVAL, type ApprovalRules } from '../workflow/approval-rules.ts';
import { ASSIGNMENT, type AssignmentRules } from '../workflow/assignment-rules.ts';
import {
  checkMembers,
  childPart,
  flagMember,
  integerMember,
  objectPart,
  type Part,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import {
  type CodedTexts,
  type ReadContext,
  readFacets,
  readMember,
  TYPE_MEMBERS,
} from './read-members.ts';
import { EDITABLE, readShaped } from './shaped-record.ts';
import { Terms } from './terms.ts';

/** Reads a type; undefined for elements that are preserved unchanged: terms, other containers, external annotations. */
export function readType(context: ReadContext, part: Part, name: string): NamedType | undefined {
  const kind = textMember(part, '$Kind');
  switch (kind) {
    case 'EntityType':
      return readEntityType(context, part, name);
    case 'ComplexType':
      return readComplexType(context, part, name);
    case 'EnumType':
      return readEnumType(context, part, name);
    case 'TypeDefinition':
      return readTypeDefinition(context, part, name);
    case 'Term':
      return undefined;
    default:
      reportUnknown(part, name, kind);
      return undefined;
  }
}

function reportUnknown(part: Part, name: string, kind: string | undefined): void {
  if (name.endsWith('.$Annotations')) return;
  const isContainer = kind === 'EntityContainer';
  const unknown =
    kind === undefined
      ? `${name} has no $Kind, which only elements that exist in an extended model can omit.`
      : `$Kind ${kind} is not a kind of schema element.`;
  const message = isContainer
    ? `${name} is a second entity container. A service can only have one.`
    : unknown;
  const remedy = isContainer
    ? 'Move its sets to the container that $EntityContainer names.'
    : 'Use EntityType, ComplexType, EnumType, TypeDefinition, Term or EntityContainer, or an array for operations.';
  report(part, '$Kind', message, remedy);
}

const STRUCTURED_MEMBERS = ['$Kind', '$BaseType', '$Abstract', '$OpenType'];

function readEntityType(context: ReadContext, part: Part, name: string): EntityType {
  checkMembers(part, [...STRUCTURED_MEMBERS, '$Key', '$HasStream']);
  const terms = new Terms(context, part);
  return {
    kind: 'entity',
    name,
    ...definedMembers({
      key: readKey(part),
      alternateKeys: readAlternateKeys(part, terms),
      hasStream: flagMember(part, '$HasStream') || undefined,
      relates: readRelates(part, terms),
      recipient: readRecipient(part, terms),
      mail: readMailRecord(part, terms),
      recorded: terms.takeText('Docket.Recorded'),
      editable: readEditable(part, terms),
      displayName: terms.takeText('Docket.DisplayName'),
      indexes: readIndexes(part, terms),
      workflow: readWorkflow(part, terms),
      approval: readApproval(part, terms),
      assigned: readAssigned(part, terms),
      schedule: readSchedule(part, terms),
      clocks: readClocks(part, terms),
      renamedFrom: terms.takeText('Docket.RenamedFrom'),
    }),
    ...readStructure(context, part, undefined),
    ...terms.describe(context),
  };
}

function readComplexType(context: ReadContext, part: Part, name: string): ComplexType {
  checkMembers(part, STRUCTURED_MEMBERS);
  const terms = new Terms(context, part);
  const coded = readCoded(part, terms);
  return {
    kind: 'complex',
    name,
    ...definedMembers({ coded, renamedFrom: terms.takeText('Docket.RenamedFrom') }),
    ...readStructure(context, part, coded),
    ...terms.describe(context),
  };
}

function readApproval(part: Part, terms: Terms): ApprovalRules | undefined {
  const record = terms.takeRecord('Docket.Approval');
  if (record === undefined) return undefined;
  return readShaped(objectPart(record, `${part.path}/@Docket.Approval`, part.mistakes), APPROVAL);
}

function readEditable(part: Part, terms: Terms): EditableRule | undefined {
  const record = terms.takeRecord('Docket.Editable');
  if (record === undefined) return undefined;
  return readShaped(objectPart(record, `${part.path}/@Docket.Editable`, part.mistakes), EDITABLE);
}

function readAssigned(part: Part, terms: Terms): AssignmentRules | undefined {
  const record = terms.takeRecord('Docket.Assigned');
  if (record === undefined) return undefined;
  return readShaped(objectPart(record, `${part.path}/@Docket.Assigned`, part.mistakes), ASSIGNMENT);
}

function readClocks(part: Part, terms: Terms): ClockRules | undefined {
  const record = terms.takeRecord('Docket.Clocks');
  if (record === undefined) return undefined;
  return readShaped(objectPart(record, `${part.path}/@Docket.Clocks`, part.mistakes), CLOCKS);
}

function readStructure(context: ReadContext, part: Part, coded: CodedTexts) {
  const base = textMember(part, '$BaseType');
  const names = Object.keys(part.value).filter((name) => !/^[$@]/.test(name));
  return {
    ...definedMembers({
      base: base === undefined ? undefined : context.fullName(base),
      abstract: flagMember(part, '$Abstract') || undefined,
      open: flagMember(part, '$OpenType') || undefined,
    }),
    members: names.flatMap((name) => {
      const member = childPart(part, name);
      return member === undefined ? [] : [readMember(context, member, name, coded)];
    }),
  } as const;
}

function readCoded(part: Part, terms: Terms): CodedTexts {
  const record = terms.takeRecord('Docket.Coded');
  if (record === undefined) return undefined;
  const { Value: value, Text: text } = record;
  if (typeof value === 'string' && typeof text === 'string') return { value, text };
  const remedy = 'Write {"Value": …, "Text": …} with the names of two properties of the type.';
  report(part, '@Docket.Coded', 'The value or text property is missing.', remedy);
  return undefined;
}

function readRelates(part: Part, terms: Terms): RelationMembers | undefined {
  const record = terms.takeRecord('Docket.Relates');
  if (record === undefined) return undefined;
  const { Source: source, Target: target, Type: type } = record;
  if (isOptionalText(source) && isOptionalText(type) && typeof target === 'string')
    return { ...definedMembers({ source }), target, ...definedMembers({ type }) };
  const remedy =
    'Write {"Source": …, "Target": …, "Type": …} with the names of two navigations and a property. Only Target is required.';
  report(part, '@Docket.Relates', 'The related navigations are missing or invalid.', remedy);
  return undefined;
}

function readRecipient(part: Part, terms: Terms): RecipientMembers | undefined {
  const record = terms.takeRecord('Docket.Recipient');
  if (record === undefined) return undefined;
  const { Address: address, Name, Language, TimeZone, Members, ...others } = record;
  const isComplete = typeof address === 'string' && Object.keys(others).length === 0;
  if (isComplete && isOptionalText(Name) && isOptionalText(Language))
    if (isOptionalText(TimeZone) && isOptionalText(Members)) {
      const names = { name: Name, language: Language, timeZone: TimeZone, members: Members };
      return { address, ...definedMembers(names) };
    }
  const remedy =
    'Write {"Address": …, "Name": …, "Language": …, "TimeZone": …, "Members": …} with names of properties and of a collection. Only Address is required.';
  report(part, '@Docket.Recipient', 'The members of the recipient are missing or invalid.', remedy);
  return undefined;
}

function isOptionalText(value: JsonInput | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function readKey(part: Part): readonly KeyPart[] | undefined {
  const keys = part.value.$Key;
  if (keys === undefined) return undefined;
  const parts = Array.isArray(keys) ? keys.map(keyPart) : [undefined];
  if (parts.every((item) => item !== undefined)) return parts;
  const remedy = 'Write an array of property names, or of {"alias": "path"} for paths.';
  report(part, '$Key', 'The key is invalid.', remedy);
  return undefined;
}

function keyPart(key: JsonInput): KeyPart | undefined {
  if (typeof key === 'string') return { path: key };
  const [entry, ...others] = isJsonObject(key) ? Object.entries(key) : [];
  if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') return undefined;
  return { path: entry[1], alias: entry[0] };
}

function readAlternateKeys(part: Part, terms: Terms): EntityType['alternateKeys'] {
  const value = terms.take('Core.AlternateKeys');
  if (value === undefined) return undefined;
  const keys = Array.isArray(value) ? value.map(alternateKey) : [undefined];
  if (keys.every((key) => key !== undefined)) return keys;
  const message = Array.isArray(value)
    ? `The alternate key at position ${keys.indexOf(undefined) + 1} is invalid.`
    : 'The alternate keys are not an array.';
  const remedy =
    'Write [{"Key": [{"Name": "Code"}]}]: an array of keys, each with its properties. Name is the path of a property, a string; Alias, another string, may follow.';
  report(part, '@Core.AlternateKeys', message, remedy);
  return undefined;
}

function alternateKey(key: Json): readonly KeyPart[] | undefined {
  if (!hasOnly(key, ['Key']) || !Array.isArray(key.Key)) return undefined;
  const parts = key.Key.map(referencedPart);
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

function referencedPart(reference: Json): KeyPart | undefined {
  if (!hasOnly(reference, ['Name', 'Alias'])) return undefined;
  const { Name: path, Alias: alias } = reference;
  if (typeof path !== 'string' || !isOptionalText(alias)) return undefined;
  return { path, ...definedMembers({ alias }) };
}

/** Whether it is a record without other members than these and annotations. */
function hasOnly(value: Json, names: readonly string[]): value is Annotations {
  return (
    isPlainRecord(value) &&
    Object.keys(value).every((name) => names.includes(name) || name.includes('@'))
  );
}

function readIndexes(part: Part, terms: Terms): EntityType['indexes'] {
  const value = terms.take('Docket.Indexes');
  if (value === undefined) return undefined;
  const indexes = Array.isArray(value) ? value.map(indexPaths) : [undefined];
  if (indexes.every((paths) => paths !== undefined)) return indexes;
  const remedy =
    'Write an array of {"Members": […]} with the paths of each index, the most significant first.';
  report(part, '@Docket.Indexes', 'The indexes are invalid.', remedy);
  return undefined;
}

function indexPaths(index: JsonInput): readonly string[] | undefined {
  const paths = isJsonObject(index) && Array.isArray(index.Members) ? index.Members : [];
  const texts = paths.filter((path) => typeof path === 'string');
  return texts.length > 0 && texts.length === paths.length ? texts : undefined;
}

function readEnumType(context: ReadContext, part: Part, name: string): EnumType {
  checkMembers(part, ['$Kind', '$UnderlyingType', '$IsFlags']);
  const members = Object.keys(part.value).filter((member) => !/^\$|@/.test(member));
  return {
    kind: 'enum',
    name,
    underlying: textMember(part, '$UnderlyingType') ?? 'Edm.Int32',
    flags: flagMember(part, '$IsFlags') ?? false,
    members: members.map((member) => ({
      name: member,
      value: integerMember(part, member) ?? 0n,
      ...new Terms(context, part, member).describe(context),
    })),
    ...new Terms(context, part).describe(context),
  };
}

function readTypeDefinition(context: ReadContext, part: Part, name: string): TypeDefinition {
  const facets = TYPE_MEMBERS.filter((member) => !/^\$(Type|Collection|Nullable)$/.test(member));
  checkMembers(part, ['$Kind', '$UnderlyingType', ...facets]);
  const underlying = requiredText(part, '$UnderlyingType');
  return {
    kind: 'definition',
    name,
    underlying,
    facets: readFacets(part, underlying),
    ...new Terms(context, part).describe(context),
  };
}
