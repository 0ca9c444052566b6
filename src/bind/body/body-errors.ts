// Collects the mistakes in a body, so that one response reports all of them. FAULTS has the texts; the target of a mistake is a
// property path such as `Status/Value` or `Workorders[2]/Description`. Readers of values share the scope of one body, the typed slot
// for a value, and common mistakes.
import { counted } from '../../base/counted.ts';
import {
  Fault,
  type FaultCode,
  type FaultDetail,
  type FaultParameters,
  faultDetail,
} from '../../base/fault.ts';
import type { Annotations, FilePart, Model, Navigation, TypeReference } from '../../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  showInput,
} from '../../edm/value/lossless-json.ts';
import type { CodeBook } from '../codes.ts';

/** Further mistakes are only counted. */
const MOST_DETAILS = 100;

export class Mistakes {
  readonly #details: FaultDetail[] = [];
  readonly #targets: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get details(): readonly FaultDetail[] {
    return [...this.#details];
  }

  /** Adds a mistake at a position in the body. */
  add(code: FaultCode, parameters: FaultParameters, target: string): void {
    this.note(faultDetail(code, parameters, target));
  }

  note(detail: FaultDetail): void {
    this.#count += 1;
    if (this.#details.length >= MOST_DETAILS) return;
    this.#details.push(detail);
    this.#targets.push(detail.target ?? '');
  }

  /** Whether there is a mistake at the target or inside it. */
  hasUnder(target: string): boolean {
    return this.#targets.some(
      (known) => known.startsWith(target) && /^$|^[/[@]/.test(known.slice(target.length)),
    );
  }

  /** Throws: write.body with one detail per mistake, if there are any. */
  raise(): void {
    const fault = this.toFault();
    if (fault !== undefined) throw fault;
  }

  /** All mistakes as one write.body error; undefined if there are none. */
  toFault(): Fault | undefined {
    const [first] = this.#details;
    if (first === undefined) return undefined;
    const more = moreMistakes(this.#count - 1);
    const target = first.target === undefined ? {} : { target: first.target };
    return new Fault(
      'write.body',
      { first: first.message, more },
      { ...target, details: [...this.#details] },
    );
  }
}

/** The sentence about mistakes beyond the first one; '' without any. */
export function moreMistakes(others: number): string {
  if (others === 0) return '';
  return ` There ${others === 1 ? 'is' : 'are'} ${counted(others, 'more mistake')}.`;
}

/** The path of a member: `Status` and `Value` become `Status/Value`. */
export function memberPath(place: string, name: string): string {
  return place === '' ? name : `${place}/${name}`;
}

/** The path of a list item: `Workorders[2]`. */
export function itemPath(place: string, index: number): string {
  return `${place}[${index}]`;
}

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
  readonly annotations?: Annotations;
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
  const shown = isJsonArray(input) ? '[…]' : isJsonObject(input) ? '{…}' : showInput(input);
  scope.mistakes.add('write.value', { shown, name, type, expected: why }, target);
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

/** How to send the entities of a containment, other than in the body of their owner. */
export function containedRemedy({ name, collection }: Pick<Navigation, 'name' | 'collection'>) {
  return collection ? `POST them to "${name}"` : `PUT one to "${name}"`;
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
