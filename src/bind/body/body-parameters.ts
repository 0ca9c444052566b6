// Extracts plain values of a body as parameters, so that bodies with the same names, kinds of values and control information can
// share a cached plan. Code that makes decisions from a value, beyond storing it, must call invalidate().

import type { Property } from '../../edm/model.ts';
import { isJsonArray, isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { LiteralPlace } from '../bound.ts';
import { Mistakes } from './body-errors.ts';
import { documentText, readScalar } from './property-value.ts';
import type { ValueScope } from './value-context.ts';

/** A value of the body and how to read it. `empty`: it was null, so other bodies must have null there, too. */
interface BodyParameter {
  readonly steps: readonly (string | number)[];
  readonly target: string;
  readonly property: Property;
  readonly form: 'value' | 'json';
  readonly empty: boolean;
}

/** The part of literals in bodies; their position is the order in which they were read. */
export const BODY_PART = 'body';

/** The part of literals in the URL of an entity at the target. */
export function referencePart(target: string): string {
  return `${BODY_PART}:${target}`;
}

/** The parameters of one body. */
export class BodyParameters {
  readonly #parameters: BodyParameter[] = [];
  #isInvalid = false;

  get isInvalid(): boolean {
    return this.#isInvalid;
  }

  /** The number of parameters. */
  get count(): number {
    return this.#parameters.length;
  }

  /** Whether the value was null when it was noted. */
  isEmpty(index: number): boolean {
    return this.#parameters[index]?.empty !== false;
  }

  /** The body cannot share a plan with other bodies. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  /** Adds the value at the target, and returns its place for the literal; undefined for null. */
  note(
    property: Property,
    target: string,
    form: 'value' | 'json',
    empty: boolean,
  ): LiteralPlace | undefined {
    const at = this.#parameters.length;
    this.#parameters.push({ steps: stepsTo(target), target, property, form, empty });
    return empty ? undefined : { part: BODY_PART, at };
  }

  /** Reads the parameters of another body of the same form. Returns undefined if one is invalid, or differs in being null. */
  read(values: Omit<ValueScope, 'mistakes'>, body: JsonInput): readonly Value[] | undefined {
    const scope: ValueScope = { ...values, mistakes: new Mistakes() };
    const result: Value[] = [];
    for (const one of this.#parameters) {
      const value = readOne(scope, one, body);
      if (value === undefined || scope.mistakes.count > 0) return undefined;
      if ((value === null) !== one.empty) return undefined;
      result.push(value);
    }
    return result;
  }
}

function readOne(
  scope: ValueScope,
  { steps, property, target, form }: BodyParameter,
  body: JsonInput,
): Value | undefined {
  const input = valueAt(body, steps);
  if (input === undefined) return undefined;
  return form === 'json'
    ? documentText(scope, property, input, target)
    : readScalar(scope, property, input, target);
}

/** `Workorders[0]/Status` becomes [Workorders, 0, Status]. */
function stepsTo(target: string): readonly (string | number)[] {
  return target
    .split(/[/[]/)
    .map((step) => (step.endsWith(']') ? Number(step.slice(0, -1)) : step));
}

function valueAt(body: JsonInput, steps: readonly (string | number)[]): JsonInput | undefined {
  let found: JsonInput | undefined = body;
  for (const step of steps) {
    if (typeof step === 'number') found = isJsonArray(found) ? found[step] : undefined;
    else found = isJsonObject(found) ? found[step] : undefined;
  }
  return found;
}
