// This file defines what the reading of values shares: the scope of one body, the typed place that a value goes to, and the
// wording of the mistakes that any value can make.

import type { Model, TypeReference } from '../../edm/model.ts';
import { type JsonInput, showInput } from '../../edm/value/lossless-json.ts';
import type { CodeBook } from '../codes.ts';
import type { Mistakes } from './body-errors.ts';

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
