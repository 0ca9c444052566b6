// Reads values of single properties: primitives, enumerations, coded values, and values that are stored as JSON. entity-body.ts
// reads entities and complex values that are stored in columns.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type ComplexType,
  type Facets,
  lineage,
  type Model,
  type Property,
  type StructuredType,
  type TypeReference,
} from '../../edm/model.ts';
import { isDynamicName } from '../../edm/property-storage.ts';
import { itemCounts, permittedTypes } from '../../edm/validation/value-rules.ts';
import { parseEnumJson, writeEnum } from '../../edm/value/enum.ts';
import { isJsonObject, type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import {
  hasAnyPrecision,
  isPrimitive,
  parseJson,
  resolvePrimitive,
  writeJson,
} from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { shortestFraction } from '../../edm/value/temporal.ts';
import { codesOfDefaults } from '../codes.ts';
import { hintInBody } from '../expression/name-suggestions.ts';
import { typeNote, typeOfReference } from '../expression/types.ts';
import { fullName, structuredNamed } from '../names.ts';
import {
  itemPath,
  memberPath,
  noteInvalidValue,
  noteNull,
  type Slot,
  type ValueScope,
} from './body-errors.ts';
import { checkCount, followingRules } from './checked-values.ts';
import { readCode, writeCode } from './coded-value.ts';
import {
  annotatedType,
  checkDeclaredType,
  noteType,
  type SortedObject,
  sortMembers,
} from './control-information.ts';

/** Whether the value is a single primitive, enumeration member or code. */
export function isScalar(model: Model, slot: TypeReference): boolean {
  if (slot.collection) return false;
  const type = model.types.get(slot.type);
  return type?.kind !== 'complex' || type.coded !== undefined;
}

/** The canonical value of a scalar, or null; undefined after a mistake. */
export function readScalar(
  scope: ValueScope,
  slot: Slot,
  input: JsonInput,
  target: string,
): Value | undefined {
  if (input === null) return null;
  const type = scope.model.types.get(slot.type);
  if (type?.kind === 'enum') {
    const reading = parseEnumJson(type, input);
    return reading.kind === 'value'
      ? followingRules(scope, slot, { input, target }, reading.value)
      : noteInvalidValue(scope, slot, { input, target }, reading.expected);
  }
  if (type?.kind === 'complex') return readCode(scope, slot, type, { input, target });
  const primitive = resolvePrimitive(scope.model, slot);
  if (primitive === undefined) return noteInvalidValue(scope, slot, { input, target }, 'no value');
  const reading = parseJson(primitive.type, primitive.facets, input);
  if (reading.kind === 'mistake')
    return noteInvalidValue(scope, slot, { input, target }, reading.expected);
  const hasLineBreak = isFileName(slot) && /[\r\n]/.test(String(reading.value));
  return hasLineBreak
    ? noteInvalidValue(scope, slot, { input, target }, 'a name without line breaks')
    : followingRules(scope, slot, { input, target }, reading.value);
}

/** Whether the value is a file name, which appears in headers of downloads and on disks of clients. */
function isFileName({ filePart }: Slot): boolean {
  return filePart === 'name' || filePart === 'file-name';
}

/** The JSON text of a canonical scalar, as stored in JSON documents. */
export function scalarText(scope: ValueScope, slot: Slot, value: Value): string {
  if (value === null) return 'null';
  const type = scope.model.types.get(slot.type);
  if (type?.kind === 'enum') return JSON.stringify(writeEnum(type, BigInt(value)));
  if (type?.kind === 'complex') return writeCode(scope, slot, type, BigInt(value));
  const primitive = resolvePrimitive(scope.model, slot);
  if (primitive === undefined) return 'null';
  const shown = hasAnyPrecision(primitive.facets) ? shortestFraction(String(value)) : value;
  return writeJson(primitive.type, shown);
}

/**
 * The JSON text of a collection or complex value that is stored as JSON, with all declared members. Mistakes are added to the
 * scope; after a mistake, the text must not be used.
 */
export function documentText(
  scope: ValueScope,
  slot: Slot,
  input: JsonInput,
  target: string,
): string {
  if (!slot.collection) return itemText(scope, slot, input, target);
  if (input === null) {
    checkCount(scope, slot, { input, target }, 0);
    return '[]';
  }
  if (!Array.isArray(input)) {
    noteInvalidValue(scope, slot, { input, target }, `a list of ${slot.type}`);
    return '[]';
  }
  checkCount(scope, slot, { input, target }, input.length);
  const item = { ...slot, collection: false };
  return `[${input.map((value: JsonInput, index) => itemText(scope, item, value, itemPath(target, index))).join(',')}]`;
}

function itemText(scope: ValueScope, slot: Slot, input: JsonInput, target: string): string {
  if (input === null) {
    if (!slot.nullable) noteNull(scope, slot, target);
    return 'null';
  }
  const type = scope.model.types.get(slot.type);
  if (type?.kind === 'complex' && type.coded === undefined) {
    return complexText(scope, { declared: type, slot }, input, target);
  }
  const value = readScalar(scope, slot, input, target);
  return value === undefined ? 'null' : scalarText(scope, slot, value);
}

function complexText(
  scope: ValueScope,
  { declared, slot }: { readonly declared: ComplexType; readonly slot: Slot },
  input: JsonInput,
  target: string,
): string {
  if (!isJsonObject(input)) {
    noteInvalidValue(scope, slot, { input, target }, `an object of type ${declared.name}`);
    return 'null';
  }
  const sorted = sortMembers(input);
  const type = readType(scope, declared, sorted, target);
  checkConcrete(scope, declared, type, target);
  checkPermitted(scope, slot, { declared: declared.name, type }, target);
  const parts = [...scope.model.members(type).values()].flatMap((member) => {
    const place = memberPath(target, member.name);
    if (member.kind === 'navigation') return rejectRelation(scope, sorted, member.name, place);
    return `${JSON.stringify(member.name)}:${memberText(scope, member, sorted, place)}`;
  });
  const typed = type === declared ? [] : [`"@odata.type":${JSON.stringify(`#${type.name}`)}`];
  return `{${[...typed, ...parts, ...dynamicParts(scope, type, sorted, target)].join(',')}}`;
}

/** Only complex values that are stored in columns can have relations. */
function rejectRelation(scope: ValueScope, sorted: SortedObject, name: string, target: string): [] {
  const hasEntity = (sorted.members.get(name) ?? null) !== null;
  const isBound = sorted.memberControls.get(name)?.has('bind') === true;
  if (hasEntity || isBound) scope.mistakes.add('write.inner-relation', { name }, target);
  return [];
}

function memberText(
  scope: ValueScope,
  property: Property,
  sorted: SortedObject,
  target: string,
): string {
  const input = sorted.members.get(property.name);
  const annotated = sorted.memberControls.get(property.name)?.get('type');
  checkDeclaredType(scope, property, annotated, `${target}@odata.type`);
  const isOwn = input !== undefined && property.computed !== true;
  if (isOwn && (input !== null || property.nullable))
    return documentText(scope, property, input, target);
  if (property.defaultValue !== undefined) {
    const { model, language, mistakes } = scope;
    const own = { model, codes: codesOfDefaults(model), language, mistakes };
    return documentText(own, property, property.defaultValue, target);
  }
  if (property.collection && (itemCounts(property)?.least ?? 0) === 0) return '[]';
  if ((!property.nullable || property.collection) && property.computed !== true) {
    scope.mistakes.add('write.required', { name: target, type: property.type, hint: '' }, target);
  }
  return 'null';
}

function dynamicParts(
  scope: ValueScope,
  type: StructuredType,
  sorted: SortedObject,
  target: string,
): readonly string[] {
  const declared = scope.model.members(type);
  return [...sorted.members].flatMap(([name, input]) => {
    if (declared.has(name)) return [];
    const place = memberPath(target, name);
    const controls = sorted.memberControls.get(name);
    const value = readDynamicValue(scope, type, { name, input, controls }, place);
    if (value === undefined) return [];
    const { text, note } = value;
    const typed = note === undefined ? [] : [`${JSON.stringify(typeMember(name))}:${note}`];
    return [...typed, `${JSON.stringify(name)}:${text}`];
  });
}

/** The member of a stored document with the type of a dynamic property. */
export function typeMember(name: string): string {
  return `${name}@odata.type`;
}

export interface DynamicMember {
  readonly name: string;
  readonly input: JsonInput;
  readonly controls: ReadonlyMap<string, JsonInput> | undefined;
}

export interface DynamicValue {
  /** Its JSON text. */
  readonly text: string;
  /** The JSON text of its type, if the body names one that the JSON does not reveal. */
  readonly note?: string | undefined;
}

/** odataIdentifier in the OData ABNF. */
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

/**
 * The value of a dynamic property; undefined after a mistake, for example if the type is not open. The name of a property that a
 * derived type declares is a mistake, too: only the database knows whether the stored value is of that type.
 */
export function readDynamicValue(
  scope: ValueScope,
  type: StructuredType,
  { name, input, controls }: DynamicMember,
  target: string,
): DynamicValue | undefined {
  if (!isDynamicName(scope.model, type, name)) {
    const hint = hintInBody(scope.model, type, name, input);
    scope.mistakes.add(
      'write.unknown-property',
      { type: type.name, name: name.slice(0, 100), hint },
      target,
    );
    return undefined;
  }
  if (!IDENTIFIER.test(name)) {
    noteInvalidValue(
      scope,
      { name, type: type.name, collection: false },
      { input: name, target },
      'a name of letters, digits and _',
    );
    return undefined;
  }
  const annotated = controls?.get('type') ?? typeInside(input);
  if (annotated !== undefined && input !== null)
    return readTyped(scope, { name, input, annotated }, target);
  const text = untypedText(scope, { name, input, type: type.name }, target);
  return text === undefined ? undefined : { text };
}

/** The type that an object names itself, as those of complex types do. */
function typeInside(input: JsonInput): JsonInput | undefined {
  return isJsonObject(input) ? sortMembers(input).controls.get('type') : undefined;
}

/** The escapes of U+0000 and of unpaired surrogates in JSON text. Paired surrogates are not escaped. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function untypedText(
  scope: ValueScope,
  { name, input, type }: { name: string; input: JsonInput; type: string },
  target: string,
): string | undefined {
  const text = printJson(input);
  if (!NO_TEXT.test(text)) return text;
  const slot = { name, type, collection: false };
  const expected = 'text without U+0000 and unpaired surrogates';
  return noteInvalidValue(scope, slot, { input, target }, expected);
}

/** A dynamic value with a type annotation: `"Since@odata.type": "#Date"`. */
function readTyped(
  scope: ValueScope,
  { name, input, annotated }: { name: string; input: JsonInput; annotated: JsonInput },
  target: string,
): DynamicValue | undefined {
  const place = `${target}@odata.type`;
  const { name: written, collection } = annotatedType(
    typeof annotated === 'string' ? annotated : '',
  );
  const primitive = written.startsWith('Edm.') ? written : `Edm.${written}`;
  const type = isPrimitive(primitive) ? primitive : valueTypeNamed(scope.model, written);
  if (type !== undefined) {
    const facets = dynamicFacets(type, input);
    const slot = { name, type, collection, nullable: true, facets };
    const text = documentText(scope, slot, input, target);
    return typedValue(scope, slot, text);
  }
  const hint = didYouMean(written, scope.model.types.keys());
  const expected = 'use a primitive, enumeration or complex type';
  noteType(scope.mistakes, annotated, { expected, example: '#Date', hint }, place);
  return undefined;
}

/** Values of complex types name their type inside. INF and NaN are texts in JSON, which does not reveal that they are numbers. */
function typedValue({ model }: ValueScope, slot: Slot, text: string): DynamicValue {
  const type = typeOfReference(model, slot);
  if (type.kind === 'complex' && !type.collection && !text.startsWith('{"@'))
    return { text: text.replace('{', `{"@odata.type":"#${slot.type}",`).replace(',}', '}') };
  const isTextual = slot.type === 'Edm.Double' && text.startsWith('"');
  const note = isTextual ? '#Double' : typeNote(type);
  return { text, note: note === undefined ? undefined : JSON.stringify(note) };
}

/** Dynamic properties have no declared precision, so times of day with a fraction get milliseconds. */
function dynamicFacets(type: string, input: JsonInput): Facets {
  return type === 'Edm.TimeOfDay' && /\.\d/.test(printJson(input)) ? { precision: 3 } : {};
}

function valueTypeNamed(model: Model, name: string): string | undefined {
  const type = model.types.get(fullName(model, name));
  return type === undefined || type.kind === 'entity' ? undefined : type.name;
}

/**
 * The type of a value: the declared type, or the derived type in its annotation. Adds a mistake for unknown or unrelated types.
 * OData JSON 4.01, "Control Information: type".
 */
export function readType<Type extends StructuredType>(
  scope: ValueScope,
  declared: Type,
  sorted: SortedObject,
  target: string,
): Type {
  const annotated = sorted.controls.get('type');
  return annotated === undefined || annotated === null
    ? declared
    : namedType(scope, declared, annotated, typePlace(target));
}

/** Adds a mistake if the type of a new value is abstract. */
export function checkConcrete(
  scope: ValueScope,
  declared: StructuredType,
  type: StructuredType,
  target: string,
): void {
  const place = typePlace(target);
  if (type.abstract !== true || scope.mistakes.hasUnder(place)) return;
  const names = scope.model
    .derived(declared)
    .flatMap((one) => (one.abstract === true ? [] : [one.name]));
  const expected = `${type.name} is abstract; use one of ${names.join(', ')}`;
  scope.mistakes.add('write.type', { name: type.name, expected, hint: '' }, place);
}

/** Adds a mistake if the element does not permit the derived type of the value (Validation.DerivedTypeConstraint). */
export function checkPermitted(
  scope: ValueScope,
  { annotations }: Pick<Slot, 'annotations'>,
  { declared, type }: { readonly declared: string; readonly type: StructuredType },
  target: string,
): void {
  const permitted = permittedTypes(scope.model, annotations);
  const names = lineage(type, scope.model.types).map(({ name }) => name);
  if (permitted === undefined || type.name === declared) return;
  if (permitted.some((name) => names.includes(name))) return;
  const list = [declared, ...permitted].join(', ');
  const expected = `permitted are ${list} (Validation.DerivedTypeConstraint)`;
  scope.mistakes.add('write.type', { name: type.name, expected, hint: '' }, typePlace(target));
}

function typePlace(target: string): string {
  return target === '' ? '@odata.type' : `${target}/@odata.type`;
}

function namedType<Type extends StructuredType>(
  scope: ValueScope,
  declared: Type,
  annotated: JsonInput,
  place: string,
): Type {
  const { model } = scope;
  const { name, collection } = annotatedType(typeof annotated === 'string' ? annotated : '');
  const type = collection || !name.includes('.') ? undefined : structuredNamed(model, name);
  const narrower = [declared, ...model.derived(declared)].find((one) => one === type);
  if (narrower !== undefined) return narrower as Type;
  const candidates = [declared, ...model.derived(declared)].map((one) => one.name);
  const expected =
    type === undefined ? 'there is no such type' : `use ${declared.name} or a type derived from it`;
  const hint = didYouMean(name, candidates);
  noteType(scope.mistakes, annotated, { expected, example: `#${declared.name}`, hint }, place);
  return declared;
}
