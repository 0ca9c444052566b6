// This file reads the members of structured types from CSDL JSON: properties, navigations and their type references. Parameters and
// return types share the latter.
// OData CSDL JSON 4.01, "Structural Property", "Navigation Property", "Type Facets".

import { didYouMean } from '../../base/nearest-name.ts';
import { definedMembers } from '../defined-members.ts';
import type {
  Disclosure,
  Facets,
  Generated,
  Json,
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
  integerOf,
  type Part,
  plainJson,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import { type TermContext, Terms } from './terms.ts';

export interface ReadContext extends TermContext {
  /** Resolves a schema alias in a type name. */
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

/** Reads a member of a structured type. @param coded the value and text properties if the type is coded */
export function readMember(
  context: ReadContext,
  part: Part,
  name: string,
  coded: CodedTexts,
): Member {
  const kind = textMember(part, '$Kind') ?? 'Property';
  if (kind === 'NavigationProperty') return readNavigation(context, part, name);
  if (kind !== 'Property') {
    const remedy = 'Use NavigationProperty, or omit $Kind for a property.';
    report(part, '$Kind', `${kind} is not a kind of member.`, remedy);
  }
  return readProperty(context, part, name, coded);
}

export function readTypeReference(context: ReadContext, part: Part): TypeReference {
  const type = context.fullName(textMember(part, '$Type') ?? 'Edm.String');
  return {
    type,
    collection: flagMember(part, '$Collection') ?? false,
    nullable: flagMember(part, '$Nullable') ?? false,
    facets: readFacets(part, type),
  };
}

/** OData CSDL JSON 4.01, "Precision": absence means arbitrary precision. */
export function readFacets(part: Part, type: string): Facets {
  const precision = countMember(part, '$Precision');
  const isAny =
    precision === undefined && (type === 'Edm.DateTimeOffset' || type === 'Edm.TimeOfDay');
  return definedMembers({
    maxLength: countMember(part, '$MaxLength'),
    precision,
    anyPrecision: isAny ? true : undefined,
    scale: readScale(part),
    unicode: flagMember(part, '$Unicode'),
    srid: readSrid(part),
  });
}

function readScale(part: Part): number | 'variable' | 'floating' | undefined {
  const value = part.value.$Scale;
  if (value === 'variable' || value === 'floating') return value;
  if (typeof value !== 'string' || integerOf(value) !== undefined)
    return countMember(part, '$Scale');
  const message = `Expected an integer, variable or floating, found ${showInput(value)}.`;
  report(
    part,
    '$Scale',
    message,
    `Write one of them.${didYouMean(value, ['variable', 'floating'])}`,
  );
  return undefined;
}

function readSrid(part: Part): number | 'variable' | undefined {
  return part.value.$SRID === 'variable' ? 'variable' : countMember(part, '$SRID');
}

function countMember(part: Part, name: string): number | undefined {
  const value = integerMember(part, name);
  if (value === undefined) return undefined;
  if (value >= 0n && value <= 2n ** 31n) return Number(value);
  report(part, name, `${name} cannot be ${value}.`, 'Use an integer from 0 to 2147483648.');
  return undefined;
}

function readProperty(context: ReadContext, part: Part, name: string, coded: CodedTexts): Property {
  checkMembers(part, PROPERTY_MEMBERS);
  const terms = new Terms(context, part);
  const generated = readGenerated(part, terms);
  if (generated?.by === 'initial') terms.dropIf('Core.ComputedDefaultValue', true);
  if (coded?.text === name) terms.dropIf('Core.IsLanguageDependent', true);
  const defaultValue = part.value.$DefaultValue;
  const computedDefault = terms.takeFlag('Core.ComputedDefaultValue');
  return {
    kind: 'property',
    name,
    ...readTypeReference(context, part),
    ...definedMembers({
      defaultValue: defaultValue === undefined ? undefined : plainJson(defaultValue),
      computed: readComputed(part, terms, computedDefault === true ? undefined : generated),
      computedDefault,
      immutable: terms.takeFlag('Core.Immutable'),
      codeList: terms.takeText('Docket.CodeList'),
      custom: terms.takeFlag('Docket.Custom'),
      searchable: terms.takeFlag('Docket.Searchable'),
      unique: terms.takeFlag('Docket.Unique'),
      indexed: terms.takeFlag('Docket.Indexed'),
      itemKey: terms.takeTexts('Docket.ItemKey'),
      hidden: terms.takeFlag('Docket.Hidden'),
      changePart: oneOf(CHANGE_PART, part, terms, [
        'property',
        'before',
        'after',
        'summary',
        'origin',
        'cause',
      ]),
      changeCode: readChangeCode(part, terms),
      filePart: oneOf(FILE_PART, part, terms, FILE_PARTS),
      generated,
      renamedFrom: terms.takeText('Docket.RenamedFrom'),
    }),
    ...terms.describe(context),
  };
}

/** Core.Computed, which generated values imply. Keys have rules of their own, and clients can change initial values. */
function readComputed(
  part: Part,
  terms: Terms,
  generated: Generated | undefined,
): true | undefined {
  const isImplied = generated !== undefined && generated.by !== 'key' && generated.by !== 'initial';
  if (!isImplied) return terms.takeFlag('Core.Computed');
  if (terms.dropIf('Core.Computed', false)) {
    const remedy = 'Remove it, or let clients give the value by @Core.ComputedDefaultValue.';
    report(part, '@Core.Computed', 'The service generates the value.', remedy);
  }
  terms.takeFlag('Core.Computed');
  return true;
}

const shown = (value: Json | undefined) => (value === undefined ? 'none' : showInput(value));

function readGenerated(part: Part, terms: Terms): Generated | undefined {
  const record = terms.takeRecord('Docket.Generated');
  if (record === undefined) return undefined;
  const { By: by, Expression: expression } = record;
  const simple = GENERATORS.find((generator) => generator === by);
  if (simple !== undefined) return { by: simple };
  if (by === 'expression' || by === 'initial') {
    if (typeof expression === 'string') return { by, expression };
    const message = `Expected an expression with By: ${by}, found ${shown(expression)}.`;
    report(part, '@Docket.Generated', message, 'Set Expression to an OData expression as text.');
    return undefined;
  }
  const known = [...GENERATORS, 'expression', 'initial'];
  const hint = typeof by === 'string' ? didYouMean(by, known) : '';
  const message = `Expected in By how the value is generated, found ${shown(by)}.`;
  report(part, '@Docket.Generated', message, `Set By to one of ${known.join(', ')}.${hint}`);
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
    ...definedMembers({
      partner: textMember(part, '$Partner'),
      inverse: terms.takeFlag('Docket.Inverse'),
      computed,
      immutable: terms.takeFlag('Docket.Immutable'),
      constraints,
      onDelete: readOwnOnDelete(part, terms),
      ordered: terms.takeFlag('Docket.Ordered'),
      acyclic: terms.takeFlag('Docket.Acyclic'),
      discloses: readDiscloses(part, terms),
      hidden: terms.takeFlag('Docket.Hidden'),
      changePart: oneOf(CHANGE_PART, part, terms, ['account']),
      filePart: oneOf(FILE_PART, part, terms, ['account']),
      renamedFrom: terms.takeText('Docket.RenamedFrom'),
    }),
    ...terms.describe(context),
  };
}

function readDiscloses(part: Part, terms: Terms): Disclosure | undefined {
  const record = terms.takeRecord('Docket.Discloses');
  if (record === undefined) return undefined;
  const { Members: members, Whole: whole, Through: through } = record;
  const isList = Array.isArray(members) && members.every((item) => typeof item === 'string');
  if (isList && isTextOrNone(whole) && isTextOrNone(through))
    return { members, ...definedMembers({ whole, through }) };
  const remedy =
    'Write {"Members": […], "Whole": …, "Through": …} with property names, and optionally a condition and a navigation.';
  report(part, '@Docket.Discloses', 'The disclosed properties are missing or invalid.', remedy);
  return undefined;
}

const isTextOrNone = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

const CHANGE_PART = 'Docket.ChangePart';
const FILE_PART = 'Docket.FilePart';
const FILE_PARTS = ['name', 'file-name', 'type', 'size', 'sha256'] as const;

/** Takes a term with a fixed set of values. */
function oneOf<const Choice extends string>(
  term: string,
  part: Part,
  terms: Terms,
  choices: readonly Choice[],
): Choice | undefined {
  const value = terms.takeText(term);
  const choice = choices.find((candidate) => candidate === value);
  if (value !== undefined && choice === undefined) {
    const remedy = `Use one of ${choices.join(', ')}.`;
    report(part, `@${term}`, `"${value}" is not allowed here.`, remedy);
  }
  return choice;
}

function readChangeCode(part: Part, terms: Terms): number | undefined {
  const digits = terms.takeText('Docket.ChangeCode');
  if (digits === undefined) return undefined;
  if (/^\d{1,15}$/.test(digits)) return Number(digits);
  report(part, '@Docket.ChangeCode', `"${digits}" is not a code.`, 'Use the value of a code.');
  return undefined;
}

function readOwnOnDelete(part: Part, terms: Terms): Navigation['onDelete'] {
  const action = terms.takeText('Docket.OnDelete');
  if (action === undefined) return undefined;
  if (action === 'cascade' || action === 'set-null' || action === 'restrict') return action;
  const remedy = 'Use cascade, set-null or restrict.';
  report(part, '@Docket.OnDelete', `"${action}" is not a known action.`, remedy);
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
