// This file caches prepared writes per rights and write template, with their values extracted as parameters, so that for later writes
// only the values are read and checked. Writes with mistakes or errors are always prepared in full, as are templates whose plan depends
// on values.
import { isDeepStrictEqual } from 'node:util';
import type { Rights } from '../../access/policy.ts';
import { BODY_PART, type BodyParameters } from '../../bind/body/body-parameters.ts';
import type { ValueScope } from '../../bind/body/value-context.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import type { EntityType } from '../../edm/model.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type { Tree } from '../../request/tree.ts';
import type { ReadScript } from '../../sql/script.ts';
import {
  type Inputs,
  parameterizeRead,
  parameterizeScript,
  usedInputs,
} from '../../sql/script-inputs.ts';
import type { WriteScript } from '../../sql/write/write-script.ts';
import type { Cell } from '../../store/database.ts';
import { factsOf, planFiller } from './exchange-literals.ts';
import { MATCH_PART, type ShapeNumber, type WriteShape } from './write-template.ts';

/** What was made of one write. */
export interface DecidedWrite {
  readonly tree: Tree;
  readonly bound: BoundWrite;
  readonly plan: WritePlan;
  readonly script: WriteScript;
  readonly location: ReadScript | undefined;
}

/** What does for all writes of a shape. */
export interface LiftedWrite extends Pick<DecidedWrite, 'tree' | 'script' | 'location'> {
  readonly planOf: (shape: WriteShape) => WritePlan;
  /** Of an upload: what it makes. Its body is what is said of the file, as members of this type. */
  readonly media?: EntityType;
  /** The inputs of the script for a write of the template; undefined if it has to be planned. */
  readonly inputsOf: (shape: WriteShape, body: JsonInput) => readonly Cell[] | undefined;
}

/** unknown = never seen; seen = seen once; keyed = the keys of its path are part of the template; unfit = never cached. */
export type Known = 'unknown' | 'seen' | 'keyed' | 'unfit' | LiftedWrite;

const LIMIT = 1000;

/** The writes that are known, those least recently asked for forgotten. */
export class WritePlans {
  readonly #byRights = new WeakMap<Rights, Map<string, Known>>();
  #hits = 0;

  /** How often a cached plan was used. */
  get hits(): number {
    return this.#hits;
  }

  find(rights: Rights, { key }: WriteShape): Known {
    const known = this.#byRights.get(rights);
    const found = known?.get(key);
    if (known === undefined || found === undefined) return 'unknown';
    known.delete(key);
    known.set(key, found);
    return found;
  }

  keep(rights: Rights, { key }: WriteShape, what: Exclude<Known, 'unknown'>): void {
    const known = this.#byRights.get(rights) ?? new Map<string, Known>();
    this.#byRights.set(rights, known);
    known.set(key, what);
    const oldest = known.keys().next();
    if (known.size > LIMIT && !oldest.done) known.delete(oldest.value);
  }

  hit(): void {
    this.#hits++;
  }
}

/** What was read of the body of a write, and how. */
export interface Reading {
  readonly bodyParameters: BodyParameters;
  readonly values: Omit<ValueScope, 'mistakes'>;
}

/**
 * Lifts the values out of what was made of a write.
 * @param other what was made of the same write with other numbers: it must come to the same
 */
export function liftWrite(
  decided: DecidedWrite,
  other: DecidedWrite,
  shape: { readonly own: WriteShape; readonly other: WriteShape },
  { bodyParameters, values }: Reading,
): LiftedWrite | 'unfit' {
  if (bodyParameters.isInvalid || !isLiftable(decided.bound)) return 'unfit';
  const { numbers } = shape.own;
  const own = lift(decided, numbers);
  const planOf = writtenFiller(decided.plan, numbers);
  if (planOf === undefined) return 'unfit';
  const isSame =
    describe(own) === describe(lift(other, shape.other.numbers)) &&
    isDeepStrictEqual(shownOf(planOf(shape.other)), shownOf(other.plan));
  return isSame && usesAll(own, numbers.length, bodyParameters)
    ? { tree: decided.tree, planOf, ...own, ...mediaOf(decided.bound), inputsOf }
    : 'unfit';

  function inputsOf(asked: WriteShape, body: JsonInput): readonly Cell[] | undefined {
    const read = bodyParameters.read(values, body);
    return read && [...asked.numbers.map(({ value }) => value), ...read];
  }
}

/** Creates the plan for a write of the template: the context URL of its response may contain the keys of its path. */
function writtenFiller(
  plan: WritePlan,
  numbers: readonly ShapeNumber[],
): ((shape: WriteShape) => WritePlan) | undefined {
  const { result } = plan;
  if (result === undefined) return () => plan;
  const fill = planFiller(result, numbers);
  return fill && ((shape) => ({ ...plan, result: fill(shape.numbers) }));
}

/** What rendering makes of what was read, and what else of the plan it asks. */
function shownOf({ answer, stream, applied, result }: WritePlan): unknown {
  return [answer, stream, applied, result === undefined ? undefined : factsOf(result)];
}

type Scripts = Pick<DecidedWrite, 'script' | 'location'>;

/** Of all other writes more depends on values, or they are too rare. */
function isLiftable(bound: BoundWrite): boolean {
  if (bound.kind === 'create') return true;
  return bound.kind === 'change' && bound.create === undefined;
}

function mediaOf(bound: BoundWrite): Pick<LiftedWrite, 'media'> {
  return bound.kind === 'create' && bound.media !== undefined ? { media: bound.input.type } : {};
}

/** Numbers come first, and then the values of the body. */
function lift({ script, location }: Scripts, numbers: readonly ShapeNumber[]): Scripts {
  const version = numbers.findIndex(({ part }) => part === MATCH_PART);
  const inputs: Inputs = {
    at: ({ part, at }) => {
      if (part === BODY_PART) return numbers.length + at;
      const index = numbers.findIndex((one) => one.part === part && (one.at ?? at) === at);
      return index < 0 ? undefined : index;
    },
    ...(version < 0 ? {} : { version: { index: version, value: numbers[version]?.value ?? 0n } }),
  };
  return {
    script: parameterizeScript(script, inputs),
    location: location === undefined ? undefined : parameterizeRead(location, inputs),
  };
}

/** A value that nothing asks for has had its effect elsewhere. */
function usesAll(
  { script, location }: Scripts,
  numbers: number,
  bodyParameters: BodyParameters,
): boolean {
  const used = new Set([
    ...usedInputs(script),
    ...(location === undefined ? [] : usedInputs({ steps: [], result: location })),
  ]);
  const isUsed = (_: unknown, index: number) => used.has(index);
  const values = Array.from({ length: bodyParameters.count }, (_, index) => index);
  return (
    Array.from({ length: numbers }).every(isUsed) &&
    values.every((index) => bodyParameters.isEmpty(index) || used.has(numbers + index))
  );
}

/** The texts of errors are not compared: a write that fails is planned again. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['refusal', 'missing', 'none', 'deletions']);

function describe(scripts: Scripts): string {
  return JSON.stringify(scripts, (name, value: unknown) => {
    if (NOT_COMPARED.has(name)) return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}
