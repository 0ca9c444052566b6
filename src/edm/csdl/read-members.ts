// This file reads what stands inside a structured type of CSDL JSON, properties and navigations, and the references to types that
// parameters and results share with them.
// OData CSDL JSON 4.01, "Structural Property", "Navigation Property", "Type Facets".

import type {
  Disclosure,
  Facets,
  Generated,
  Member,
  Navigation,
  Property,
  ReferentialConstraint,
  StructuredType,
  TypeReference,
} from '../model.ts';
import { showInput } from '../value/lossless-json.ts';
import {
  checkMembers,
  childPart,
  flagMember,
  integerMember,
  type Part,
  plainJson,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import { type TermContext, Terms } from './terms.ts';

/** Also resolves the aliases of schemas in names of types. */
export interface ReadContext extends TermContext {
  readonly fullName: (name: string) => string;
}

export const TYPE_MEMBERS = [
  '$Type',
  '$Collection',
  '$Nullable',
  '$MaxLength',
  '$Unicode',
  '$Precision',
  '$Scale',
  '$SRID',
];

const PROPERTY_MEMBERS = ['$Kind', '$DefaultValue', ...TYPE_MEMBERS];
const NAVIGATION_MEMBERS = [
  '$Kind',
  '$Type',
  '$Collection',
  '$Nullable',
  '$Partner',
  '$ContainsTarget',
  '$ReferentialConstraint',
  '$OnDelete',
];
const GENERATORS = ['key', 'sequence', 'created', 'modified', 'creator', 'modifier'] as const;

export type CodedTexts = Extract<StructuredType, { kind: 'complex' }>['coded'];

/** One member of a structured type. @param coded of the type, when it holds coded values */
export function readMember(
  context: ReadContext,
  part: Part,
  name: string,
  coded: CodedTexts,
): Member {
  const kind = textMember(part, '$Kind') ?? 'Property';
  if (kind === 'NavigationProperty') return readNavigation(context, part, name);
  if (kind !== 'Property') {
    const remedy = 'Write NavigationProperty, or leave $Kind out for a property.';
    report(part, '$Kind', `${kind} does not belong into a type.`, remedy);
  }
  return readProperty(context, part, name, coded);
}

export function readTypeReference(context: ReadContext, part: Part): TypeReference {
  return {
    type: context.fullName(textMember(part, '$Type') ?? 'Edm.String'),
    collection: flagMember(part, '$Collection') ?? false,
    nullable: flagMember(part, '$Nullable') ?? false,
    facets: readFacets(part),
  };
}

export function readFacets(part: Part): Facets {
  const maxLength = countMember(part, '$MaxLength');
  const precision = countMember(part, '$Precision');
  const unicode = flagMember(part, '$Unicode');
  const scale = readScale(part);
  const srid = readSrid(part);
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(unicode === undefined ? {} : { unicode }),
    ...(srid === undefined ? {} : { srid }),
  };
}

function readScale(part: Part): number | 'variable' | 'floating' | undefined {
  const value = part.value.$Scale;
  return value === 'variable' || value === 'floating' ? value : countMember(part, '$Scale');
}

function readSrid(part: Part): number | 'variable' | undefined {
  return part.value.$SRID === 'variable' ? 'variable' : countMember(part, '$SRID');
}

function countMember(part: Part, name: string): number | undefined {
  const value = integerMember(part, name);
  if (value === undefined) return undefined;
  if (value >= 0n && value <= 2n ** 31n) return Number(value);
  report(part, name, `${name} cannot be ${value}.`, 'Write a count that is not negative.');
  return undefined;
}

function readProperty(context: ReadContext, part: Part, name: string, coded: CodedTexts): Property {
  checkMembers(part, PROPERTY_MEMBERS);
  const terms = new Terms(context, part);
  const generated = readGenerated(part, terms);
  if (generated?.by === 'initial') terms.dropIf('Core.ComputedDefaultValue', true);
  if (coded?.text === name) terms.dropIf('Core.IsLanguageDependent', true);
  const defaultValue = part.value.$DefaultValue;
  return {
    kind: 'property',
    name,
    ...readTypeReference(context, part),
    ...(defaultValue === undefined ? {} : { defaultValue: plainJson(defaultValue) }),
    ...given('computed', terms.takeFlag('Core.Computed')),
    ...given('immutable', terms.takeFlag('Core.Immutable')),
    ...given('codeList', terms.takeText('Docket.CodeList')),
    ...given('custom', terms.takeFlag('Docket.Custom')),
    ...given('searchable', terms.takeFlag('Docket.Searchable')),
    ...given('unique', terms.takeFlag('Docket.Unique')),
    ...given('indexed', terms.takeFlag('Docket.Indexed')),
    ...given('changePart', oneOf(CHANGE_PART, part, terms, ['property', 'before', 'after'])),
    ...given('changeCode', readChangeCode(part, terms)),
    ...given('filePart', oneOf(FILE_PART, part, terms, FILE_PARTS)),
    ...given('generated', generated),
    ...terms.describe(context),
  };
}

function readGenerated(part: Part, terms: Terms): Generated | undefined {
  const record = terms.takeRecord('Docket.Generated');
  if (record === undefined) return undefined;
  const { By: by, Expression: expression } = record;
  const simple = GENERATORS.find((generator) => generator === by);
  if (simple !== undefined) return { by: simple };
  if ((by === 'expression' || by === 'initial') && typeof expression === 'string') {
    return { by, expression };
  }
  const remedy = `Write By as one of ${GENERATORS.join(', ')}, or as expression or initial with an Expression.`;
  report(part, '@Docket.Generated', `${showInput(record)} does not say what is put in.`, remedy);
  return undefined;
}

function readNavigation(context: ReadContext, part: Part, name: string): Navigation {
  checkMembers(part, NAVIGATION_MEMBERS);
  const terms = new Terms(context, part);
  const computed = terms.takeFlag('Docket.Computed');
  if (computed === true) terms.dropIf('Core.Permissions', 'Read');
  const constraints = readConstraints(part, terms);
  const onDelete = part.value.$OnDelete;
  if (onDelete !== undefined) terms.put('$OnDelete', plainJson(onDelete));
  for (const [member, value] of Object.entries(part.value)) {
    if (member.startsWith('$OnDelete@')) terms.put(member, plainJson(value));
  }
  return {
    kind: 'navigation',
    name,
    target: context.fullName(requiredText(part, '$Type')),
    collection: flagMember(part, '$Collection') ?? false,
    nullable: flagMember(part, '$Nullable') ?? false,
    contained: flagMember(part, '$ContainsTarget') ?? false,
    ...given('partner', textMember(part, '$Partner')),
    ...given('inverse', terms.takeFlag('Docket.Inverse')),
    ...given('computed', computed),
    ...given('immutable', terms.takeFlag('Docket.Immutable')),
    ...given('constraints', constraints),
    ...given('onDelete', readOwnOnDelete(part, terms)),
    ...given('ordered', terms.takeFlag('Docket.Ordered')),
    ...given('acyclic', terms.takeFlag('Docket.Acyclic')),
    ...given('discloses', readDiscloses(part, terms)),
    ...given('changePart', oneOf(CHANGE_PART, part, terms, ['account'])),
    ...given('filePart', oneOf(FILE_PART, part, terms, ['account'])),
    ...terms.describe(context),
  };
}

function readDiscloses(part: Part, terms: Terms): Disclosure | undefined {
  const record = terms.takeRecord('Docket.Discloses');
  if (record === undefined) return undefined;
  const { Members: members, Whole: whole } = record;
  const isList = Array.isArray(members) && members.every((item) => typeof item === 'string');
  if (isList && (whole === undefined || typeof whole === 'string'))
    return { members, ...given('whole', whole) };
  const remedy = 'Write {"Members": […], "Whole": …} with names of properties and a condition.';
  report(part, '@Docket.Discloses', 'It does not say what is disclosed.', remedy);
  return undefined;
}

/** A term that says what of something a member holds. */
interface PartTerm {
  readonly term: string;
  readonly whole: string;
}

const CHANGE_PART: PartTerm = { term: 'Docket.ChangePart', whole: 'a change' };
const FILE_PART: PartTerm = { term: 'Docket.FilePart', whole: 'a file' };
const FILE_PARTS = ['name', 'file-name', 'type', 'size', 'sha256'] as const;

/** What of a change the member of a history entry holds, or of a file that of a media entity. */
function oneOf<const Choice extends string>(
  { term, whole }: PartTerm,
  part: Part,
  terms: Terms,
  choices: readonly Choice[],
): Choice | undefined {
  const given = terms.takeText(term);
  const choice = choices.find((one) => one === given);
  if (given !== undefined && choice === undefined) {
    const remedy = `Write ${choices.join(', ')}.`;
    report(part, `@${term}`, `"${given}" is no part of ${whole}.`, remedy);
  }
  return choice;
}

function readChangeCode(part: Part, terms: Terms): number | undefined {
  const digits = terms.takeText('Docket.ChangeCode');
  if (digits === undefined) return undefined;
  if (/^\d{1,15}$/.test(digits)) return Number(digits);
  report(part, '@Docket.ChangeCode', `"${digits}" is no code.`, 'Write the value of a code.');
  return undefined;
}

function readOwnOnDelete(part: Part, terms: Terms): Navigation['onDelete'] {
  const action = terms.takeText('Docket.OnDelete');
  if (action === undefined) return undefined;
  if (action === 'cascade' || action === 'set-null' || action === 'restrict') return action;
  const remedy = 'Write cascade, set-null or restrict.';
  report(part, '@Docket.OnDelete', `"${action}" is nothing that a deletion can do.`, remedy);
  return undefined;
}

function readConstraints(part: Part, terms: Terms): readonly ReferentialConstraint[] | undefined {
  const constraints = childPart(part, '$ReferentialConstraint');
  if (constraints === undefined) return undefined;
  const names = Object.keys(constraints.value);
  for (const name of names.filter((item) => item.includes('@'))) {
    const value = constraints.value[name];
    if (value !== undefined) terms.put(`$ReferentialConstraint/${name}`, plainJson(value));
  }
  return names
    .filter((name) => !name.includes('@'))
    .map((property) => ({ property, referenced: requiredText(constraints, property) }));
}

/** The member, unless there is nothing to say: an absent member and an undefined one are not the same to a definition. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}
