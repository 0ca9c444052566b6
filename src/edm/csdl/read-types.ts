// This file reads the types of a CSDL JSON document: entity and complex types with their keys, enumerations, type definitions.
// OData CSDL JSON 4.01, "Entity Type", "Complex Type", "Enumeration Type", "Type Definition".

import type {
  ComplexType,
  EntityType,
  EnumType,
  KeyPart,
  NamedType,
  Relating,
  TypeDefinition,
} from '../model.ts';
import { isJsonObject, type JsonInput } from '../value/lossless-json.ts';
import {
  checkMembers,
  childPart,
  flagMember,
  integerMember,
  type Part,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import {
  type CodedTexts,
  given,
  type ReadContext,
  readFacets,
  readMember,
  TYPE_MEMBERS,
} from './read-members.ts';
import { Terms } from './terms.ts';

/** Undefined for what is kept as it is: terms, further containers, annotations with external targets. */
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
      checkKept(part, name, kind);
      return undefined;
  }
}

function checkKept(part: Part, name: string, kind: string | undefined): void {
  if (name.endsWith('.$Annotations')) return;
  const isSecond = kind === 'EntityContainer';
  const message = isSecond
    ? `${name} is a second entity container, and a service has one.`
    : `$Kind ${kind ?? ''} is no kind of schema element.`.replace('  ', ' ');
  const remedy = isSecond
    ? 'Put its sets into the container that $EntityContainer names.'
    : 'Write EntityType, ComplexType, EnumType, TypeDefinition, Term or EntityContainer; operations are lists.';
  report(part, '$Kind', message, remedy);
}

const STRUCTURED_MEMBERS = ['$Kind', '$BaseType', '$Abstract', '$OpenType'];

function readEntityType(context: ReadContext, part: Part, name: string): EntityType {
  checkMembers(part, [...STRUCTURED_MEMBERS, '$Key', '$HasStream']);
  const terms = new Terms(context, part);
  const alternateKeys = readAlternateKeys(terms);
  const relates = readRelates(part, terms);
  const recorded = terms.takeText('Docket.Recorded');
  return {
    kind: 'entity',
    name,
    ...given('key', readKey(part)),
    ...given('alternateKeys', alternateKeys),
    ...given('hasStream', flagMember(part, '$HasStream') === true ? true : undefined),
    ...given('relates', relates),
    ...given('recorded', recorded),
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
    ...given('coded', coded),
    ...readStructure(context, part, coded),
    ...terms.describe(context),
  };
}

function readStructure(context: ReadContext, part: Part, coded: CodedTexts) {
  const base = textMember(part, '$BaseType');
  const names = Object.keys(part.value).filter((name) => !/^[$@]/.test(name));
  return {
    ...given('base', base === undefined ? undefined : context.fullName(base)),
    ...given('abstract', flagMember(part, '$Abstract') === true ? true : undefined),
    ...given('open', flagMember(part, '$OpenType') === true ? true : undefined),
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
  report(part, '@Docket.Coded', 'It does not say which properties hold value and text.', remedy);
  return undefined;
}

function readRelates(part: Part, terms: Terms): Relating | undefined {
  const record = terms.takeRecord('Docket.Relates');
  if (record === undefined) return undefined;
  const { Source: source, Target: target, Type: type } = record;
  if (isTextOrNothing(source) && isTextOrNothing(type) && typeof target === 'string')
    return { ...given('source', source), target, ...given('type', type) };
  const remedy =
    'Write {"Source": …, "Target": …, "Type": …} with the names of two navigations and of a property of the type.';
  report(part, '@Docket.Relates', 'It does not say what is related with what.', remedy);
  return undefined;
}

function isTextOrNothing(value: JsonInput | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function readKey(part: Part): readonly KeyPart[] | undefined {
  const keys = part.value.$Key;
  if (keys === undefined) return undefined;
  const parts = Array.isArray(keys) ? keys.map(keyPart) : [undefined];
  if (parts.every((item) => item !== undefined)) return parts;
  const remedy = 'Write a list of names, or of {"alias": "path"} for paths.';
  report(part, '$Key', 'The key cannot be read.', remedy);
  return undefined;
}

function keyPart(key: JsonInput): KeyPart | undefined {
  if (typeof key === 'string') return { path: key };
  const [entry, ...others] = isJsonObject(key) ? Object.entries(key) : [];
  if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') return undefined;
  return { path: entry[1], alias: entry[0] };
}

/** Keys in a form that is not understood stay an annotation. */
function readAlternateKeys(terms: Terms): EntityType['alternateKeys'] {
  const value = terms.take('Core.AlternateKeys');
  if (value === undefined) return undefined;
  const keys = Array.isArray(value) ? value.map(alternateKey) : [undefined];
  if (keys.every((key) => key !== undefined)) return keys;
  terms.put('Core.AlternateKeys', value);
  return undefined;
}

function alternateKey(key: JsonInput): readonly KeyPart[] | undefined {
  const parts = isJsonObject(key) && Array.isArray(key.Key) ? key.Key.map(referencedPart) : [];
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

function referencedPart(reference: JsonInput): KeyPart | undefined {
  if (!isJsonObject(reference) || typeof reference.Name !== 'string') return undefined;
  const { Name: path, Alias: alias } = reference;
  return { path, ...given('alias', typeof alias === 'string' ? alias : undefined) };
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
  return {
    kind: 'definition',
    name,
    underlying: requiredText(part, '$UnderlyingType'),
    facets: readFacets(part),
    ...new Terms(context, part).describe(context),
  };
}
