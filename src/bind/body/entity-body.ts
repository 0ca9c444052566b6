// This file reads an entity out of a body: it goes through the members of the object, checks each against the model and notes
// every mistake. Relations are related-entities.ts's business, single values property-value.ts's.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type ComplexType,
  type EntityType,
  type Property,
  simpleName,
  structuredType,
} from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { resolvePrimitive } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { LiteralPlace } from '../bound.ts';
import { insideValue } from '../expression/name-suggestions.ts';
import { dynamicProperty } from '../expression/types.ts';
import { fullName } from '../names.ts';
import type { EntityInput } from '../write/bound-write.ts';
import {
  type Body,
  type Draft,
  type EntityPlace,
  emptyInput,
  homeOf,
  newDraft,
  pathText,
  type Structure,
} from './body-context.ts';
import { within } from './body-errors.ts';
import { isGivenByServer, keyProperties } from './body-keys.ts';
import {
  annotatedType,
  misspeltControls,
  type SortedObject,
  sortMembers,
} from './control-information.ts';
import { takeInlineFile } from './inline-media.ts';
import {
  checkConcrete,
  documentText,
  dynamicText,
  isScalar,
  readScalar,
  readType,
  scalarText,
} from './property-value.ts';
import { constrainedValues } from './referential-constraints.ts';
import { readBind, readDelta, readNavigation } from './related-entities.ts';
import { isLasting, noteMissing } from './required-members.ts';
import { noObject, noValue, nullMistake } from './value-context.ts';

/**
 * Reads an entity. Mistakes are noted in the body's scope, and what is returned is of no use where there are any.
 * OData JSON 4.01, "Entity"; OData Protocol 4.01, "Create an Entity", "Update an Entity".
 */
export function readEntity(
  body: Body,
  place: EntityPlace,
  input: JsonInput | undefined,
): EntityInput {
  body.countEntity();
  if (!isJsonObject(input)) {
    const name = simpleName(place.type.name);
    noObject(body, { input, target: place.target }, `a JSON object with properties of ${name}`);
    return emptyInput(place.type, place.target);
  }
  const whole = sortMembers(input);
  const type = readType(body, place.type, whole, place.target);
  const mayBring = place.deed === 'create' && place.file === undefined && type.hasStream === true;
  const { sorted, file = place.file } = mayBring
    ? takeInlineFile(body, whole, place.target)
    : { sorted: whole };
  const made = file === undefined ? place : { ...place, file };
  if (whole.controls.has('removed')) refuseRemoval(body, place);
  if (place.deed === 'create') checkMakeable(body, made, type);
  if (place.deed === 'replace') checkConcrete(body, place.type, type, place.target);
  const structure = wholeEntity(body, place, type);
  const { draft } = structure;
  readMembers(structure, sorted);
  draft.values.push(...constrainedValues(body, place, { type, ...draft }));
  const result = {
    type,
    target: place.target,
    ...draft,
    ...entityControls(structure, sorted),
    ...(file === undefined ? {} : { file }),
  };
  const isFilled = isFilledByTemplate(body, place, result);
  if (place.deed !== 'merge' && !isFilled && place.file === undefined)
    noteMissing(body, place, result);
  return result;
}

function wholeEntity(body: Body, place: EntityPlace, type: EntityType): Structure {
  return {
    body,
    place,
    type,
    keys: new Set(keyProperties(body.model, type).map(({ name }) => name)),
    path: [],
    target: place.target,
    draft: newDraft(),
    document: false,
  };
}

/** Whether a template gives what the body leaves out: of the entity that the request is about, never of one inside it. */
function isFilledByTemplate(body: Body, { target }: EntityPlace, input: EntityInput): boolean {
  const namesTemplate = body.namesTemplate(input);
  if (namesTemplate) body.lifting?.spoil();
  if (target === '') return namesTemplate || body.isTemplate;
  if (namesTemplate) body.mistakes.add('write.template-inside', {}, target);
  return false;
}

/** What is written is not removed by it; lists of changes never come here with what they remove. */
function refuseRemoval({ mistakes }: Body, { type, target }: EntityPlace): void {
  const why = 'send DELETE, or a list of changes with its context';
  mistakes.add('write.delta', { name: type.name, why }, within(target, '@odata.removed'));
}

/** A new entity has a type that is not abstract, one set that it is kept in, and no bytes that a body could not hold. */
function checkMakeable(
  body: Body,
  { source, type: declared, target, file }: EntityPlace,
  type: EntityType,
): void {
  checkConcrete(body, declared, type, target);
  if (type.hasStream === true && file === undefined)
    body.mistakes.add('write.media', { type: type.name }, target);
  const isSettled = type.abstract === true || homeOf(body.model, source, type) !== undefined;
  const isClosed = source.set?.insertable === false;
  if (isSettled && !isClosed) return;
  body.mistakes.add('write.homeless', { type: type.name, set: source.set?.name ?? 'set' }, target);
}

const CONTENT_ID = ['Core.ContentID', 'Org.OData.Core.V1.ContentID'];

function entityControls(
  { body, place }: Structure,
  sorted: SortedObject,
): Pick<EntityInput, 'etag' | 'contentId'> {
  const etag = sorted.controls.get('etag');
  const contentId = CONTENT_ID.map((name) => sorted.annotations.get(name)).find(
    (value) => typeof value === 'string',
  );
  const isHonoured = body.version === '4.01' && place.deed !== 'create' && typeof etag === 'string';
  return {
    ...(isHonoured ? { etag } : {}),
    ...(typeof contentId === 'string' ? { contentId } : {}),
  };
}

/** Reads the members of an entity or of a complex value into the draft. */
function readMembers(structure: Structure, sorted: SortedObject): void {
  refuseMisspelt(structure, sorted);
  const members = structure.body.model.members(structure.type);
  for (const [name, input] of sorted.members) {
    const member = members.get(name);
    const controls = sorted.memberControls.get(name);
    if (member === undefined) readDynamic(structure, { name, input, controls });
    else if (member.kind === 'property') readProperty(structure, member, input);
    else if (!(input === null && controls?.has('bind'))) readNavigation(structure, member, input);
  }
  for (const [name, controls] of sorted.memberControls) readControls(structure, name, controls);
}

function readControls(
  structure: Structure,
  name: string,
  controls: ReadonlyMap<string, JsonInput>,
): void {
  const { body, type, target } = structure;
  const member = body.model.members(type).get(name);
  for (const control of ['bind', 'delta'] as const) {
    const input = controls.get(control);
    if (input === undefined) continue;
    const place = `${within(target, name)}@odata.${control}`;
    if (member?.kind !== 'navigation') refuseRelation(structure, name, place);
    else if (control === 'bind') readBind(structure, member, { input, target: place });
    else readDelta(structure, member, { input, target: place });
  }
  const annotated = controls.get('type');
  if (member?.kind === 'property' && typeof annotated === 'string') {
    checkPropertyType(structure, member, annotated);
  }
}

function refuseRelation({ body, type }: Structure, name: string, target: string): void {
  const names = [...body.model.members(type).values()].flatMap((member) =>
    member.kind === 'navigation' ? [member.name] : [],
  );
  const hint = insideValue(body.model, type, name) || didYouMean(name, names);
  const parameters = { type: type.name, name: name.slice(0, 100), hint };
  body.mistakes.add('write.unknown-navigation', parameters, target);
}

/** `"Deadline@odata.type": "#DateTimeOffset"`: the type must be one that there is. */
function checkPropertyType(
  { body, target }: Structure,
  property: Property,
  annotated: string,
): void {
  const { name } = annotatedType(annotated);
  const isKnown =
    resolvePrimitive(body.model, { type: name, facets: {} }) !== undefined ||
    resolvePrimitive(body.model, { type: `Edm.${name}`, facets: {} }) !== undefined ||
    body.model.types.has(fullName(body.model, name));
  if (isKnown) return;
  body.mistakes.add(
    'write.type',
    {
      name: annotated.slice(0, 100),
      expected: `write #${property.type} or leave it out`,
      hint: '',
    },
    `${within(target, property.name)}@odata.type`,
  );
}

function refuseMisspelt({ body, type, target }: Structure, sorted: SortedObject): void {
  const members = body.model.members(type);
  const isRelation = (name: string) => members.get(name)?.kind === 'navigation';
  for (const { member, control, meant } of misspeltControls(sorted, isRelation)) {
    const place = `${within(target, member)}@odata.${control}`;
    const name = `@odata.${control.slice(0, 100)}`;
    body.mistakes.add('write.annotation', { name, meant: `${member}@odata.${meant}` }, place);
  }
}

function readDynamic(
  { body, type, path, target, draft, document }: Structure,
  member: { name: string; input: JsonInput; controls: ReadonlyMap<string, JsonInput> | undefined },
): void {
  const text = dynamicText(body, type, member, within(target, member.name));
  if (text === undefined) return;
  body.lifting?.spoil();
  const kept = member.input === null ? null : text;
  if (document)
    draft.values.push({ kind: 'json', path: [...path, dynamicProperty(member.name)], text: kept });
  else draft.dynamic.set(member.name, kept);
}

function readProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { place } = structure;
  const isKey = structure.keys.has(pathText(structure.path, property.name));
  if (isKey) {
    readKeyProperty(structure, property, input);
    return;
  }
  if (property.computed === true) return;
  if (property.immutable === true && place.deed !== 'create') return;
  writeProperty(structure, property, input);
}

/** Reads the value of a property that may be written. */
function writeProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { body, target } = structure;
  const place = within(target, property.name);
  if (input === null) {
    readNull(structure, property, place);
    return;
  }
  if (isScalar(body.model, property)) {
    const value = readScalar(body, property, input, place);
    if (value !== undefined) putScalar(structure, property, value, place);
    return;
  }
  const type = body.model.types.get(property.type);
  const isWhole = structure.document ? property.collection : isDocument(body.model, property);
  if (type?.kind !== 'complex' || (isWhole && !mayMerge(structure, property, input))) {
    const text = documentText(body, property, input, place);
    const path = [...structure.path, property];
    structure.draft.values.push({ kind: 'json', path, text, ...lift(structure, property, 'json') });
    return;
  }
  readComplex(structure, { property, type }, input, isWhole);
}

/** The place by which a value goes that another body could have otherwise. Parts of a document are stored with it, not by themselves. */
function lift(
  { body: { lifting }, target, document }: Structure,
  property: Property,
  form: 'value' | 'json',
  empty = false,
): { readonly place?: LiteralPlace } {
  if (document) lifting?.spoil();
  const place = lifting?.note(property, within(target, property.name), form, empty);
  return place === undefined ? {} : { place };
}

/** What is kept as JSON is merged member by member unless it is to have a derived type. */
function mayMerge({ body, place }: Structure, property: Property, input: JsonInput): boolean {
  if (place.deed !== 'merge' || property.collection || !isJsonObject(input)) return false;
  const annotated = sortMembers(input).controls.get('type');
  return (
    typeof annotated !== 'string' ||
    fullName(body.model, annotatedType(annotated).name) === property.type
  );
}

function readComplex(
  structure: Structure,
  { property, type }: { readonly property: Property; readonly type: ComplexType },
  input: JsonInput,
  isDocumentRoot: boolean,
): void {
  const { body, draft } = structure;
  const target = within(structure.target, property.name);
  if (!isJsonObject(input)) {
    noValue(body, property, { input, target }, `an object of type ${type.name}`);
    return;
  }
  const sorted = sortMembers(input);
  readType(body, type, sorted, target);
  const path = [...structure.path, property];
  draft.values.push({ kind: 'presence', path, type, present: true });
  const document = structure.document || isDocumentRoot;
  readMembers({ ...structure, type, path, target, document }, sorted);
}

/** A canonical scalar; what is not null but of a scalar type may still turn out to be null: a code without Value and Text. */
function putScalar(structure: Structure, property: Property, value: Value, target: string): void {
  const lifted = lift(structure, property, 'value', value === null);
  if (value === null) {
    readNull(structure, property, target);
    return;
  }
  const { body, path, draft, document } = structure;
  const whole = [...path, property];
  if (!document) draft.values.push({ kind: 'value', path: whole, value, ...lifted });
  else draft.values.push({ kind: 'json', path: whole, text: scalarText(body, property, value) });
}

/** Null empties. Where a new entity must have a value, null is as good as leaving the property out. */
function readNull(structure: Structure, property: Property, target: string): void {
  const { body, place, path, draft, document } = structure;
  const whole = [...path, property];
  const type = body.model.types.get(property.type);
  const isStream = resolvePrimitive(body.model, property)?.type === 'Edm.Stream';
  if (isStream) return;
  if (property.collection) draft.values.push({ kind: 'json', path: whole, text: '[]' });
  else if (!property.nullable || (isLasting(property) && place.deed !== 'create')) {
    if (place.deed === 'merge') nullMistake(body, property, target);
  } else if (document) draft.values.push({ kind: 'json', path: whole, text: 'null' });
  else if (isScalar(body.model, property))
    draft.values.push({ kind: 'value', path: whole, value: null });
  else if (isDocument(body.model, property))
    draft.values.push({ kind: 'json', path: whole, text: null });
  else if (type?.kind === 'complex')
    draft.values.push({ kind: 'presence', path: whole, type, present: false });
}

/** A key that the service gives must not be in the body of a new entity; any other deed passes the key over. */
function readKeyProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { body, place, target } = structure;
  if (place.deed !== 'create') return;
  if (!isGivenByServer(property)) {
    writeProperty(structure, property, input);
    return;
  }
  const name = within(target, property.name);
  if (input !== null) body.mistakes.add('write.key', { name }, name);
}

/** A property outside of any body that holds a whole entity: one that a URL names, or one that gets its default. */
export interface LoneProperty {
  readonly place: EntityPlace;
  /** Complex properties around it. */
  readonly around: readonly Property[];
  readonly property: Property;
}

/** Reads one property; what comes of it stands in the draft. */
export function readLoneProperty(
  body: Body,
  { place, around, property }: LoneProperty,
  input: JsonInput,
): Draft {
  const draft = newDraft();
  const owner = around.at(-1);
  const type = owner === undefined ? place.type : structuredType(body.model, owner.type);
  const document = around.some((step) => isDocument(body.model, step));
  const target = place.target;
  const structure = {
    body,
    place,
    type,
    keys: new Set<string>(),
    path: around,
    target,
    draft,
    document,
  };
  writeProperty(structure, property, input);
  return draft;
}
