// Shared by the readers of values: the scope of one body, the typed slot for a value, and common mistakes.

import type { FilePart, Model, TypeReference } from '../../edm/model.ts';
import { isJsonObject, type JsonInput, showInput } from '../../edm/value/lossless-json.ts';
import type { CodeBook } from '../codes.ts';
import { type Mistakes, memberPath } from './body-errors.ts';

/** Shared while the values of one body are read. */
export interface ValueScope {
  readonly model: Model;
  readonly codes: CodeBook;
  /** The language of code texts in messages. */
  readonly language: string;
  readonly mistakes: Mistakes;
}

/** The declared type of a property, a parameter or an item of a collection. */
export interface Slot extends TypeReference {
  readonly name: string;
  readonly codeList?: string;
  readonly filePart?: FilePart;
}

/** A JSON value, and its path in the body. */
export interface Written {
  readonly input: JsonInput;
  readonly target: string;
}

/** Adds the mistake that the value is not valid. `expected` is the description of a valid value. */
export function noteInvalidValue(
  scope: ValueScope,
  slot: Pick<Slot, 'name' | 'type' | 'collection'>,
  { input, target }: Written,
  expected: string,
): undefined {
  const type = slot.collection ? `Collection(${slot.type})` : slot.type;
  const why = sentence(expected.startsWith('expected ') ? expected : `expected ${expected}`);
  const name = target === '' ? slot.name : target;
  scope.mistakes.add('write.value', { shown: showInput(input), name, type, expected: why }, target);
  return undefined;
}

/**
 * Adds the mistake that the body, or an item of its list, is missing, is not an object, or lacks the member `wanted`. `expected`
 * completes "Send …".
 */
export function noteInvalidObject(
  scope: ValueScope,
  { input, target }: { readonly input: JsonInput | undefined; readonly target: string },
  expected: string,
  wanted?: string,
  thing = target === '' ? 'The body' : `"${target}"`,
): undefined {
  const place = wanted === undefined || !isJsonObject(input) ? target : memberPath(target, wanted);
  scope.mistakes.add('write.body-form', { thing, found: foundIn(input, wanted), expected }, place);
  return undefined;
}

/** The list in `{"value": […]}`; empty after a mistake, whose `expected` completes "Send …". */
export function listIn(
  scope: ValueScope,
  input: JsonInput | undefined,
  expected: string,
): readonly JsonInput[] {
  const value = isJsonObject(input) ? input.value : undefined;
  if (Array.isArray(value)) return value;
  noteInvalidObject(scope, { input, target: '' }, expected, 'value');
  return [];
}

function foundIn(input: JsonInput | undefined, wanted: string | undefined): string {
  if (input === undefined) return 'is empty';
  if (wanted !== undefined && isJsonObject(input)) return `has no "${wanted}"`;
  return `is ${showInput(input)}`;
}

/** Adds the mistake that null is not allowed. */
export function noteNull(scope: ValueScope, slot: Slot, target: string): undefined {
  const name = target === '' ? slot.name : target;
  scope.mistakes.add('write.null', { name, type: slot.type }, target);
  return undefined;
}

/** Adds a period, unless the text ends with punctuation, as in "Did you mean …?". */
function sentence(text: string): string {
  return /[.?…]$/.test(text) ? text : `${text}.`;
}
