// Adds the values of properties to the result of reading an entity. A value that can differ between requests with the same plan is a
// parameter: the plan reads it only through the parameter.
import type { Property } from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { resolvePrimitive } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Parameter, SlotValue } from '../parameter.ts';
import type { InputValue } from '../write/bound-write.ts';
import type { Body, Structure } from './body-context.ts';
import { Mistakes, noteNull, type Written } from './body-errors.ts';
import { checkCount } from './checked-values.ts';
import { documentText, isScalar, readScalar, scalarText } from './property-value.ts';
import { isNeverNull } from './required-members.ts';

/** Adds the text of a value that is stored as JSON. */
export function putDocument(structure: Structure, property: Property, written: Written): void {
  const { input, target } = written;
  const text = documentText(structure.body, property, input, target);
  const path = [...structure.path, property];
  const parameter = toParameter(structure, property, written, documentText);
  structure.draft.values.push(writtenText(path, text, parameter));
}

/** Adds a scalar. It can be null even if the JSON was not, for a code whose Value and Text are null. */
export function putScalar(
  structure: Structure,
  property: Property,
  value: Value,
  written: Written,
): void {
  if (value === null) {
    putNull(structure, property, written.target);
    return;
  }
  const { body, path, draft, document } = structure;
  const whole = [...path, property];
  const parameter = toParameter(structure, property, written, readScalar);
  if (!document) draft.values.push(writtenValue(whole, value, parameter));
  else draft.values.push({ kind: 'json', path: whole, text: scalarText(body, property, value) });
}

function writtenValue(
  path: readonly Property[],
  value: Value,
  parameter: Parameter | undefined,
): InputValue {
  if (parameter === undefined) return { kind: 'value', path, value };
  return {
    kind: 'value',
    path,
    parameter,
    get value() {
      return parameter.value;
    },
  };
}

function writtenText(
  path: readonly Property[],
  text: string,
  parameter: Parameter | undefined,
): InputValue {
  if (parameter === undefined) return { kind: 'json', path, text };
  return {
    kind: 'json',
    path,
    parameter,
    get text() {
      return String(parameter.value);
    },
  };
}

/** Adds null. In a new or replaced entity, null for a required property is the same as omitting it. */
export function putNull(structure: Structure, property: Property, target: string): void {
  const { body, place, draft } = structure;
  if (resolvePrimitive(body.model, property)?.type === 'Edm.Stream') return;
  const isRequired = !property.nullable || (isNeverNull(property) && place.mode !== 'create');
  if (isRequired && !property.collection) {
    if (place.mode === 'merge') noteNull(body, property, target);
    return;
  }
  if (property.collection) checkCount(body, property, { input: null, target }, 0);
  const value = nullOf(structure, property);
  if (value !== undefined) draft.values.push(value);
}

function nullOf(structure: Structure, property: Property): InputValue | undefined {
  const { model } = structure.body;
  const path = [...structure.path, property];
  if (property.collection) return { kind: 'json', path, text: '[]' };
  if (structure.document) return { kind: 'json', path, text: 'null' };
  if (isScalar(model, property)) return { kind: 'value', path, value: null };
  if (isDocument(model, property)) return { kind: 'json', path, text: null };
  const type = model.types.get(property.type);
  return type?.kind === 'complex' ? { kind: 'presence', path, type, present: false } : undefined;
}

/** The value as a parameter of the plan. The parts of JSON documents, which are stored as a whole, are no parameters. */
function toParameter(
  { body, document }: Structure,
  property: Property,
  written: Written,
  read: typeof readScalar | typeof documentText,
): Parameter | undefined {
  if (document) {
    body.parameters?.reject();
    return undefined;
  }
  const { model, codes, language } = body;
  const { target } = written;
  const of = (other: SlotValue) => {
    const mistakes = new Mistakes();
    const value = read({ model, codes, language, mistakes }, property, other as JsonInput, target);
    return mistakes.count > 0 || value === null ? undefined : value;
  };
  return valueAt(body, property, written)?.convert({ name: property.type, of });
}

/** The value of the body at the target; of an upload, the part of its file that the property stores. */
function valueAt(
  { parameters }: Body,
  { filePart }: Property,
  { input, target }: Written,
): Parameter | undefined {
  const sent = filePart === 'file-name' ? 'fileName' : filePart;
  return parameters?.ofTarget(target, input) ?? (sent && parameters?.ofTarget(sent, input));
}
