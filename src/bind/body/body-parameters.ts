// This file notes, while a body is read, which of its values another body of the same shape could have otherwise, and reads those of
// such a body. Shape is what a body says besides its plain values: names, kinds of values, control information. Whoever reads
// something of which more depends on a value than what is stored there spoils the notes.

import type { Property } from '../../edm/model.ts';
import { isJsonList, isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { LiteralPlace } from '../bound.ts';
import { Mistakes } from './body-errors.ts';
import { documentText, readScalar } from './property-value.ts';
import type { ValueScope } from './value-context.ts';

/** A value of the body, and how it is read. `empty`: it came to null, and only what comes to null can stand in its place. */
interface Lifted {
  readonly steps: readonly (string | number)[];
  readonly target: string;
  readonly property: Property;
  readonly form: 'value' | 'json';
  readonly empty: boolean;
}

/** The part of a request that values of bodies stand in; they are counted in the order in which they were read. */
export const BODY_PART = 'body';

/** The part that the URL of an entity at the target is. */
export function referencePart(target: string): string {
  return `${BODY_PART}:${target}`;
}

/** What can be lifted out of one body. */
export class Lifting {
  readonly #lifted: Lifted[] = [];
  #isSpoilt = false;

  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** Number of values. */
  get count(): number {
    return this.#lifted.length;
  }

  /** Whether the value was null when it was noted. */
  isEmpty(index: number): boolean {
    return this.#lifted[index]?.empty !== false;
  }

  spoil(): void {
    this.#isSpoilt = true;
  }

  /** Notes a value that has been read at the target, and gives the place by which it goes from now on. */
  note(
    property: Property,
    target: string,
    form: 'value' | 'json',
    empty: boolean,
  ): LiteralPlace | undefined {
    const at = this.#lifted.length;
    this.#lifted.push({ steps: stepsTo(target), target, property, form, empty });
    return empty ? undefined : { part: BODY_PART, at };
  }

  /** The values of another body of the same shape, in order; undefined where one of them is a mistake or comes to null where none did. */
  read(values: Omit<ValueScope, 'mistakes'>, body: JsonInput): readonly Value[] | undefined {
    const scope: ValueScope = { ...values, mistakes: new Mistakes() };
    const read: Value[] = [];
    for (const one of this.#lifted) {
      const value = readOne(scope, one, body);
      if (value === undefined || scope.mistakes.count > 0) return undefined;
      if ((value === null) !== one.empty) return undefined;
      read.push(value);
    }
    return read;
  }
}

function readOne(
  scope: ValueScope,
  { steps, property, target, form }: Lifted,
  body: JsonInput,
): Value | undefined {
  const input = valueAt(body, steps);
  if (input === undefined) return undefined;
  return form === 'json'
    ? documentText(scope, property, input, target)
    : readScalar(scope, property, input, target);
}

/** `Workorders[0]/Status` is [Workorders, 0, Status]: the path of a value is where it stands in the body. */
function stepsTo(target: string): readonly (string | number)[] {
  return target
    .split(/[/[]/)
    .map((step) => (step.endsWith(']') ? Number(step.slice(0, -1)) : step));
}

function valueAt(body: JsonInput, steps: readonly (string | number)[]): JsonInput | undefined {
  let found: JsonInput | undefined = body;
  for (const step of steps) {
    if (typeof step === 'number') found = isJsonList(found) ? found[step] : undefined;
    else found = isJsonObject(found) ? found[step] : undefined;
  }
  return found;
}
