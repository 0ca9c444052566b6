// Reads an entity from a body: checks each member of the object against the model and collects all mistakes. related-entities.ts
// reads relations, property-value.ts single values, and written-values.ts adds values to the result.
// It is long because the functions for entities, complex values and the members of both call one another.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type ComplexType,
  type EntityType,
  type Property,
  simpleName,
  structuredType,
} from '../../edm/model.ts';
import { isDocument, isServerGenerated, navigationsOfMember } from '../../edm/property-storage.ts';
import { allowsWrite, unwritablePaths } from '../../edm/restrictions.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../../edm/value/lossless-json.ts';
import { nestedMemberHint } from '../expression/name-suggestions.ts';
import { dynamicProperty } from '../expression/types.ts';
import { fullName } from '../names.ts';
import type { EntityInput } from '../write/bound-write.ts';
import {
  type Body,
  type Draft,
  type EntityPlace,
  emptyInput,
  insertionSource,
  isRestricted,
  newDraft,
  pathText,
  type Structure,
} from './body-context.ts';
import { Mistakes, memberPath, noteInvalidObject, noteInvalidValue } from './body-errors.ts';
import { keyProperties } from './body-keys.ts';
import {
  annotatedType,
  checkDeclaredType,
  misspelledControls,
  noteRepeated,
  type SortedObject,
  sortMembers,
} from './control-information.ts';
import { takeInlineFile } from './inline-media.ts';
import {
  checkConcrete,
  checkPermitted,
  isScalar,
  readDynamicValue,
  readScalar,
  readType,
  typeMember,
} from './property-value.ts';
import { constrainedValues } from './referential-constraints.ts';
import { readBind, readDelta, readNavigation } from './related-entities.ts';
import { noteMissing } from './required-members.ts';
import { putRetainedCodes } from './retained-code.ts';
import { putDocument, putNull, putScalar } from './written-values.ts';

/**
 * Reads an entity. Mistakes are added to the body; after a mistake, the result must not be used.
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
    const expected = `a JSON object with properties of ${name}`;
    noteInvalidObject(body, { input, target: place.target }, expected);
    return emptyInput(place.type, place.target);
  }
  const whole = sortMembers(input);
  const type = readType(body, place.type, whole, place.target);
  const mayInline = place.mode === 'create' && place.file === undefined && type.hasStream === true;
  const { sorted, file = place.file } = mayInline
    ? takeInlineFile(body, whole, place.target)
    : { sorted: whole };
  const created = file === undefined ? place : { ...place, file };
  if (whole.controls.has('removed')) rejectRemoval(body, place);
  if (place.mode === 'create') checkCreatable(body, created, type);
  if (place.mode === 'replace') checkConcrete(body, place.type, type, place.target);
  const { set } = place.source;
  if (set !== undefined) checkPermitted(body, set, { declared: set.type, type }, place.target);
  const structure = wholeEntity(body, place, type);
  const { draft } = structure;
  readMembers(structure, sorted);
  draft.values.push(...constrainedValues(body, place, { type, ...draft }));
  const result = {
    type,
    target: place.target,
    ...draft,
    ...entityControls(structure, sorted),
    kept: place.mode === 'replace' ? unwritablePaths(place, 'change') : undefined,
    file,
  };
  const isFilled = isFilledByTemplate(body, place, result);
  if (place.mode !== 'merge' && !isFilled && place.file === undefined)
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

/** Whether a template supplies omitted members. Only the outermost entity may name a template; nested ones add a mistake. */
function isFilledByTemplate(body: Body, { target }: EntityPlace, input: EntityInput): boolean {
  const namesTemplate = body.namesTemplate(input);
  if (namesTemplate) body.parameters?.reject();
  if (target === '') return namesTemplate || body.isTemplate;
  if (namesTemplate) body.mistakes.add('write.template-inside', {}, target);
  return false;
}

/** Rejects `@removed`, which is only valid in delta payloads. */
function rejectRemoval({ mistakes }: Body, { type, target }: EntityPlace): void {
  const why = 'send DELETE, or a delta payload with its context';
  mistakes.add('write.delta', { name: type.name, why }, memberPath(target, '@odata.removed'));
}

/** A new entity needs a concrete type, a set to store it in, and content if it is a media entity. */
function checkCreatable(
  body: Body,
  { source, route, type: declared, target, file }: EntityPlace,
  type: EntityType,
): void {
  checkConcrete(body, declared, type, target);
  if (type.hasStream === true && file === undefined)
    body.mistakes.add('write.media', { type: type.name }, target);
  const hasSource =
    type.abstract === true || insertionSource(body.model, source, type) !== undefined;
  const isClosed = allowsWrite({ source, route }, 'insertable') === false && !body.isLoad;
  if (hasSource && !isClosed) return;
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
  const usesEtag = body.version === '4.01' && place.mode !== 'create' && typeof etag === 'string';
  return {
    etag: usesEtag ? etag : undefined,
    contentId: typeof contentId === 'string' ? contentId : undefined,
  };
}

/** Reads the members of an entity or of a complex value into the draft. */
function readMembers(structure: Structure, sorted: SortedObject): void {
  rejectMisspelled(structure, sorted);
  noteRepeated(structure.body.mistakes, sorted, structure.target);
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
    const place = `${memberPath(target, name)}@odata.${control}`;
    if (member?.kind !== 'navigation') rejectRelation(structure, name, place);
    else if (control === 'bind') readBind(structure, member, { input, target: place });
    else readDelta(structure, member, { input, target: place });
  }
  if (member?.kind !== 'property') return;
  checkDeclaredType(body, member, controls.get('type'), `${memberPath(target, name)}@odata.type`);
}

function rejectRelation({ body, type }: Structure, name: string, target: string): void {
  const names = [...body.model.members(type).values()].flatMap((member) =>
    member.kind === 'navigation' ? [member.name] : [],
  );
  const hint = nestedMemberHint(body.model, type, name) || didYouMean(name, names);
  const parameters = { type: type.name, name: name.slice(0, 100), hint };
  body.mistakes.add('write.unknown-navigation', parameters, target);
}

function rejectMisspelled({ body, type, target }: Structure, sorted: SortedObject): void {
  const members = body.model.members(type);
  const isRelation = (name: string) => members.get(name)?.kind === 'navigation';
  for (const { member, control, meant } of misspelledControls(sorted, isRelation)) {
    const place = `${memberPath(target, member)}@odata.${control}`;
    const name = `@odata.${control.slice(0, 100)}`;
    body.mistakes.add('write.annotation', { name, meant: `${member}@odata.${meant}` }, place);
  }
}

function readDynamic(
  structure: Structure,
  member: { name: string; input: JsonInput; controls: ReadonlyMap<string, JsonInput> | undefined },
): void {
  const { body, type, target, place } = structure;
  const { name, input } = member;
  const value = readDynamicValue(body, type, member, memberPath(target, name));
  if (value === undefined) return;
  body.parameters?.reject();
  const { text, note = null } = value;
  if (note !== null || place.mode === 'merge') putDynamic(structure, typeMember(name), note);
  putDynamic(structure, name, input === null ? null : text);
}

/** Sets a member of the document with dynamic properties, or removes it. */
function putDynamic({ path, draft, document }: Structure, name: string, text: string | null): void {
  if (!document) draft.dynamic.set(name, text);
  else draft.values.push({ kind: 'json', path: [...path, dynamicProperty(name)], text });
}

/** Whether a load can set a property that the service maintains: not if it follows from the other content of the entity. */
function isLoadable({ generated, filePart }: Property): boolean {
  return generated?.by !== 'expression' && filePart === undefined;
}

function readProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { body, place } = structure;
  const isKey = structure.keys.has(pathText(structure.path, property.name));
  if (isKey) {
    readKeyProperty(structure, property, input);
    return;
  }
  if (property.computed === true && !(body.isLoad && isLoadable(property))) return;
  if (property.immutable === true && place.mode !== 'create') return;
  if (isRestricted(structure, property.name)) return;
  writeProperty(structure, property, input);
}

/** Reads the value of a writable property. */
function writeProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { body, target } = structure;
  const place = memberPath(target, property.name);
  if (input === null) {
    putNull(structure, property, place);
    return;
  }
  if (isScalar(body.model, property)) {
    if (putRetainedCodes(structure, property, { input, target: place })) return;
    const value = readScalar(body, property, input, place);
    if (value !== undefined) putScalar(structure, property, value, { input, target: place });
    return;
  }
  const type = body.model.types.get(property.type);
  const isWhole = structure.document ? property.collection : isDocument(body.model, property);
  if (type?.kind !== 'complex' || (isWhole && !mayMerge(structure, property, input))) {
    const written = { input: takeRelations(structure, property, input), target: place };
    if (!putRetainedCodes(structure, property, written)) putDocument(structure, property, written);
    return;
  }
  readComplex(structure, { property, type }, input, isWhole);
}

/** Reads the relations inside a value that is stored as JSON, and returns the value without them. */
function takeRelations(structure: Structure, property: Property, input: JsonInput): JsonInput {
  const { body } = structure;
  const declared = body.model.types.get(property.type);
  const hasRelations = navigationsOfMember(body.model, property).length > 0;
  if (!hasRelations || declared?.kind !== 'complex' || !isJsonObject(input)) return input;
  // The columns of the relations depend on the type of the value, so other requests cannot have the same plan.
  body.parameters?.reject();
  const target = memberPath(structure.target, property.name);
  const whole = sortMembers(input);
  const { model, codes, language } = body;
  const type = readType({ model, codes, language, mistakes: new Mistakes() }, declared, whole, '');
  const path = [...structure.path, property];
  const inside: Structure = { ...structure, type, path, target, document: true };
  const members = body.model.members(type);
  const isRelation = (name: string) => members.get(name)?.kind === 'navigation';
  const own = [...whole.members].filter(([name]) => isRelation(name));
  const controls = [...whole.memberControls].filter(
    ([name, found]) => isRelation(name) || found.has('bind') || found.has('delta'),
  );
  readMembers(inside, { ...whole, members: new Map(own), memberControls: new Map(controls) });
  const others = Object.entries(input).filter(([name]) => !isRelation(name.split('@')[0] ?? ''));
  return Object.fromEntries(
    others.map(([name, value]) => {
      const member = members.get(name);
      const isProperty = member?.kind === 'property';
      return [name, isProperty ? takeRelations(inside, member, value) : value];
    }),
  );
}

/**
 * A value stored as JSON is merged member by member. If the body names its type, the members that both types have are kept; inside
 * another value, one of a derived type is replaced.
 */
function mayMerge(
  { body, place, document }: Structure,
  property: Property,
  input: JsonInput,
): boolean {
  if (place.mode !== 'merge' || property.collection || !isJsonObject(input)) return false;
  const annotated = sortMembers(input).controls.get('type');
  return (
    !document ||
    typeof annotated !== 'string' ||
    fullName(body.model, annotatedType(annotated).name) === property.type
  );
}

function readComplex(
  structure: Structure,
  { property, type: declared }: { readonly property: Property; readonly type: ComplexType },
  input: JsonInput,
  isDocumentRoot: boolean,
): void {
  const { body, draft } = structure;
  const target = memberPath(structure.target, property.name);
  if (!isJsonObject(input)) {
    noteInvalidValue(body, property, { input, target }, `an object of type ${declared.name}`);
    return;
  }
  const sorted = sortMembers(input);
  const type = readType(body, declared, sorted, target);
  const typed = isDocumentRoot && typeof sorted.controls.get('type') === 'string';
  if (typed) checkConcrete(body, declared, type, target);
  checkPermitted(body, property, { declared: declared.name, type }, target);
  const path = [...structure.path, property];
  draft.values.push({ kind: 'presence', path, type, present: true, typed });
  const document = structure.document || isDocumentRoot;
  readMembers({ ...structure, type, path, target, document }, sorted);
}

/** Rejects server-generated keys in new entities, except in loads. Updates ignore keys in the body. */
function readKeyProperty(structure: Structure, property: Property, input: JsonInput): void {
  const { body, place, target } = structure;
  if (place.mode !== 'create') return;
  if (!isServerGenerated(property) || (body.isLoad && input !== null)) {
    writeProperty(structure, property, input);
    return;
  }
  const name = memberPath(target, property.name);
  if (input !== null) body.mistakes.add('write.key', { name }, name);
}

/** A property that is read on its own: one addressed by a URL, or one that gets its default value. */
export interface SingleProperty {
  readonly place: EntityPlace;
  /** The complex properties on the path to it. */
  readonly parents: readonly Property[];
  readonly property: Property;
  /** The type of a complex value, which the input need not name. */
  readonly cast?: ComplexType | undefined;
}

/** Reads one property into a new draft. */
export function readSingleProperty(
  body: Body,
  { place, parents, property, cast }: SingleProperty,
  input: JsonInput,
): Draft {
  const structure = structureAround(body, place, parents);
  if (cast === undefined || !isJsonObject(input)) writeProperty(structure, property, input);
  else readCast(structure, { property, type: cast }, input);
  return structure.draft;
}

/** Reads a dynamic property of a complex value, which is the only member of the input. */
export function readDynamicMember(
  body: Body,
  { place, parents }: Pick<SingleProperty, 'place' | 'parents'>,
  input: JsonObject,
): Draft {
  const structure = structureAround(body, { ...place, mode: 'merge' }, parents);
  readMembers(structure, sortMembers(input));
  return structure.draft;
}

function structureAround(body: Body, place: EntityPlace, parents: readonly Property[]): Structure {
  const owner = parents.at(-1);
  const type = owner === undefined ? place.type : structuredType(body.model, owner.type);
  const document = parents.some((step) => isDocument(body.model, step));
  const entity = wholeEntity(body, place, place.type);
  const keys = place.mode === 'create' ? NO_KEYS : entity.keys;
  return { ...entity, type, keys, path: parents, document };
}

/** Reads a complex value of a derived type, or of one derived from that. A change without a type keeps the type of the value. */
function readCast(
  structure: Structure,
  { property, type }: { readonly property: Property; readonly type: ComplexType },
  input: JsonObject,
): void {
  const { body, place, document } = structure;
  const sorted = sortMembers(input);
  if (place.mode === 'merge' && !(document && sorted.controls.has('type'))) {
    readComplex(structure, { property, type }, input, !document);
    return;
  }
  const named = readType(body, type, sorted, property.name);
  writeProperty(structure, property, { ...input, '@odata.type': `#${named.name}` });
}

const NO_KEYS: ReadonlySet<string> = new Set();
