// Reads the bodies of writes to a single property: `{"value": …}`, a complex value itself, or the text of `/$value`.
// OData Protocol 4.01, "Managing Values and Properties Directly".
import { Fault } from '../../base/fault.ts';
import {
  type ComplexType,
  type Model,
  type Property,
  pathName,
  simpleName,
} from '../../edm/model.ts';
import { isDocument, isServerGenerated } from '../../edm/property-storage.ts';
import { isInside, unwritablePaths } from '../../edm/restrictions.ts';
import { parseEnumText } from '../../edm/value/enum.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../../edm/value/lossless-json.ts';
import { parseText, resolvePrimitive } from '../../edm/value/primitives.ts';
import type { ReadResult } from '../../edm/value/read-result.ts';
import type { InputValue } from '../write/bound-write.ts';
import { type Body, type Draft, type EntityPlace, newDraft, pathText } from './body-context.ts';
import { itemPath, noteInvalidObject, noteInvalidValue, noteNull } from './body-errors.ts';
import { keyProperties } from './body-keys.ts';
import { followingRules } from './checked-values.ts';
import { checkDeclaredType, sortMembers } from './control-information.ts';
import { readSingleProperty } from './entity-body.ts';
import { documentText } from './property-value.ts';
import { isNeverNull } from './required-members.ts';

/** A property addressed by a URL, and its entity. */
export interface NamedProperty {
  readonly place: EntityPlace;
  readonly path: readonly Property[];
  readonly property: Property;
  /** The type of a complex value that the URL names by a cast. */
  readonly cast?: ComplexType | undefined;
}

/** The path of the stored property. For Value or Text of a code, this is the path of the code. */
export function storedPath({ model }: Body, path: readonly Property[]): readonly Property[] {
  const parent = path.at(-2);
  const type = parent === undefined ? undefined : model.types.get(parent.type);
  return type?.kind === 'complex' && type.coded !== undefined ? path.slice(0, -1) : path;
}

/** Throws: write.read-only for keys, computed properties and immutable properties. */
export function checkWritable(body: Body, { place, path }: NamedProperty): void {
  const keys = new Set(keyProperties(body.model, place.type).map(({ name }) => name));
  const name = pathName(path);
  const isFixed = path.some((step) => isServerGenerated(step) || step.immutable === true);
  if (
    !isFixed &&
    !keys.has(name) &&
    !unwritablePaths(place, 'change').some((one) => isInside(name, one))
  )
    return;
  throw new Fault('write.read-only', { name }, { target: name });
}

/** Reads a whole value. */
export function readWhole(body: Body, named: NamedProperty, input: JsonInput | undefined): Draft {
  const { place, path, property, cast } = named;
  const stored = storedPath(body, path);
  const last = stored.at(-1) ?? property;
  const value =
    stored.length < path.length
      ? codePart(property, plainValue(body, property, input))
      : plainValue(body, property, input);
  if (value === undefined) {
    rejectBody(body, property, input);
    return newDraft();
  }
  if (value === null && isNeverNull(last) && !last.collection) {
    noteNull(body, last, last.name);
    return newDraft();
  }
  const parents = stored.slice(0, -1);
  const draft = readSingleProperty(body, { place, parents, property: last, cast }, value);
  return { ...draft, values: [...presenceAround(body.model, parents), ...draft.values] };
}

/** A dynamic property as a member of its entity or complex value, with the type that the body names. */
export function dynamicMember(
  body: Body,
  property: Property,
  input: JsonInput | undefined,
  raw: boolean,
): JsonObject {
  const { name } = property;
  if (raw && typeof input === 'string') return { [name]: input };
  const value = raw ? undefined : plainValue(body, property, input, () => undefined);
  if (value === undefined) rejectBody(body, property, input);
  if (!isJsonObject(input)) return { [name]: null };
  const { controls, memberControls } = sortMembers(input);
  const type = memberControls.get('value')?.get('type') ?? controls.get('type') ?? null;
  return { ...(type === null ? {} : { [`${name}@odata.type`]: type }), [name]: value ?? null };
}

/** Adds the mistake that the body does not have the form for the property. */
function rejectBody(body: Body, property: Property, input: JsonInput | undefined): void {
  const written = { input, target: property.name };
  noteInvalidObject(body, written, expectedBody(body, property), undefined, 'The body');
}

/** Setting a part of a complex value makes the complex value not null. */
export function presenceAround(model: Model, parents: readonly Property[]): readonly InputValue[] {
  return parents.flatMap((step, index): readonly InputValue[] => {
    const type = model.types.get(step.type);
    if (type?.kind !== 'complex') return [];
    return [{ kind: 'presence', path: parents.slice(0, index + 1), type, present: true }];
  });
}

/** The object of a code of which only Value or Text is written. */
function codePart(property: Property, value: JsonInput | undefined): JsonInput | undefined {
  return value === undefined || value === null ? value : { [property.name]: value };
}

/** The value in the body; undefined if the body has none. */
function plainValue(
  body: Body,
  property: Property,
  input: JsonInput | undefined,
  check = checkType,
): JsonInput | undefined {
  const { model, mistakes } = body;
  const isComplex = model.types.get(property.type)?.kind === 'complex' && !property.collection;
  if (input === null || (isComplex && isJsonObject(input) && !isWrapped(model, property, input)))
    return input;
  if (!isJsonObject(input) || !Object.hasOwn(input, 'value')) return undefined;
  for (const name of Object.keys(input)) {
    if (name === 'value' || name.includes('@')) continue;
    const hint = ' Send only "value" and annotations.';
    mistakes.add('write.unknown-property', { type: property.type, name, hint }, name);
  }
  check(body, property, input);
  return input.value;
}

/** The type of the value may stand before it, or, as in responses, before the whole body. */
function checkType(body: Body, property: Property, input: JsonObject): void {
  const { controls, memberControls } = sortMembers(input);
  const slot = { ...property, collection: property.collection || Array.isArray(input.value) };
  checkDeclaredType(body, slot, controls.get('type'), '@odata.type');
  checkDeclaredType(body, slot, memberControls.get('value')?.get('type'), 'value@odata.type');
}

/** Whether a complex value is wrapped in `{"value": …}`; not if it has a member of that name. */
function isWrapped(model: Body['model'], property: Property, input: JsonInput): boolean {
  const type = model.types.get(property.type);
  const isOwn = type?.kind === 'complex' && model.members(type).has('value');
  return isJsonObject(input) && !isOwn && Object.hasOwn(input, 'value');
}

function expectedBody({ model }: Body, property: Property): string {
  const isComplex = model.types.get(property.type)?.kind === 'complex' && !property.collection;
  return isComplex
    ? `a JSON object with properties of ${simpleName(property.type)}`
    : '{"value": …}';
}

/** Reads the text of `/$value`. */
export function readRaw(body: Body, named: NamedProperty, input: JsonInput | undefined): Draft {
  const { property, path } = named;
  if (typeof input !== 'string') {
    noteInvalidValue(
      body,
      property,
      { input: input ?? null, target: property.name },
      'the value as text',
    );
    return newDraft();
  }
  if (storedPath(body, path).length < path.length) {
    return readWhole(body, named, { value: codeText(property, input) });
  }
  const written = { input, target: property.name };
  const reading = parseRaw(body, property, input);
  const value =
    reading.kind === 'value'
      ? followingRules(body, property, written, reading.value)
      : noteInvalidValue(body, property, written, reading.expected);
  if (value === undefined) return newDraft();
  const values = [
    ...presenceAround(body.model, path.slice(0, -1)),
    { kind: 'value', path, value } as const,
  ];
  return { ...newDraft(), values };
}

function codeText(property: Property, text: string): JsonInput {
  return property.type === 'Edm.String' || !/^-?\d{1,19}$/.test(text) ? text : BigInt(text);
}

function parseRaw({ model }: Body, property: Property, text: string): ReadResult {
  const type = model.types.get(property.type);
  if (type?.kind === 'enum') return parseEnumText(type, text);
  const primitive = resolvePrimitive(model, property);
  return primitive === undefined
    ? { kind: 'mistake', expected: 'expected no text, since the property has no raw value' }
    : parseText(primitive.type, primitive.facets, text);
}

/** Reads items to append to a collection, or the replacement of one item; each becomes a JSON text. */
export function readItems(
  body: Body,
  { path, property }: NamedProperty,
  input: JsonInput | undefined,
): readonly InputValue[] {
  const item = { ...property, collection: false };
  const value = plainValue(body, item, input);
  if (value === undefined) {
    rejectBody(body, item, input);
    return [];
  }
  const items: readonly JsonInput[] = Array.isArray(value) ? value : [value];
  return items.map((one, index) => {
    const target = Array.isArray(value) ? itemPath(property.name, index) : property.name;
    return { kind: 'json', path, text: documentText(body, item, one, target) };
  });
}

/** The value that a DELETE sets: null, or an empty collection. Throws: write.null for required properties. */
export function emptyValue(body: Body, named: NamedProperty): readonly InputValue[] {
  const path = storedPath(body, named.path);
  const property = path.at(-1) ?? named.property;
  const name = pathText(path.slice(0, -1), property.name);
  if (isNeverNull(property) && !property.collection) {
    throw new Fault('write.null', { name, type: property.type }, { target: name });
  }
  const isInside = path.slice(0, -1).some((step) => isDocument(body.model, step));
  if (isInside) return [{ kind: 'json', path, text: property.collection ? '[]' : 'null' }];
  return readSingleProperty(
    body,
    { place: named.place, parents: path.slice(0, -1), property },
    null,
  ).values;
}
