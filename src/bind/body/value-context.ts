// This file defines what the reading of values shares: the scope of one body, the typed place that a value goes to, and the
// wording of the mistakes that any value can make.

import type { FilePart, Model, TypeReference } from '../../edm/model.ts';
import { isJsonObject, type JsonInput, showInput } from '../../edm/value/lossless-json.ts';
import type { CodeBook } from '../codes.ts';
import { type Mistakes, within } from './body-errors.ts';

/** What the reading of one body shares. */
export interface ValueScope {
  readonly model: Model;
  readonly codes: CodeBook;
  /** In which code texts are told. */
  readonly language: string;
  readonly mistakes: Mistakes;
}

/** A typed place: a property, a parameter, an item of a collection. */
export interface Slot extends TypeReference {
  readonly name: string;
  readonly codeList?: string;
  readonly filePart?: FilePart;
}

/** Something written at a place of the body. */
export interface Written {
  readonly input: JsonInput;
  readonly target: string;
}

/** Notes that the value is not valid. `expected` completes "The value is not valid: …". */
export function noValue(
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
 * Notes that the body, or an item of its list, is not the JSON object that is needed: there is none, it is something else, or it
 * lacks the member `wanted`. `expected` completes "Send …".
 */
export function noObject(
  scope: ValueScope,
  { input, target }: { readonly input: JsonInput | undefined; readonly target: string },
  expected: string,
  wanted?: string,
  thing = target === '' ? 'The body' : `"${target}"`,
): undefined {
  const place = wanted === undefined || !isJsonObject(input) ? target : within(target, wanted);
  scope.mistakes.add('write.body-form', { thing, found: foundIn(input, wanted), expected }, place);
  return undefined;
}

function foundIn(input: JsonInput | undefined, wanted: string | undefined): string {
  if (input === undefined) return 'is empty';
  if (wanted !== undefined && isJsonObject(input)) return `has no "${wanted}"`;
  return `is ${showInput(input)}`;
}

/** Notes that there must be a value. */
export function nullMistake(scope: ValueScope, slot: Slot, target: string): undefined {
  const name = target === '' ? slot.name : target;
  scope.mistakes.add('write.null', { name, type: slot.type }, target);
  return undefined;
}

/** What is expected may end in a question, "Did you mean …?". */
function sentence(text: string): string {
  return /[.?…]$/.test(text) ? text : `${text}.`;
}
