// This file defines parameters: literals of a request whose values may differ between requests that share a plan. A plan is made with
// the values of one request. What the plan depends on besides the template is recorded as steps: questions asked about a value, and
// conversions of it. Another request with the same template has the same plan if its values give the same answers. Code that just
// reads the value of a parameter asks for all of it, so forgetting to ask a better question makes plans less common, never wrong.
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  printJson,
} from '../edm/value/lossless-json.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { RawValue, Template } from '../request/template.ts';
import type { ResourcePath } from '../request/tree.ts';

/** A value of the request before it has a type, or a value converted from it. */
export type SlotValue = RawValue | Value | JsonInput | Uint8Array;

/** What a plan may depend on. Two questions or conversions with the same name must be the same. */
export interface Question<Answer> {
  readonly name: string;
  readonly of: (value: SlotValue) => Answer;
}

/** A question that was asked while planning, or a conversion, whose result becomes the next slot. */
export interface PlanStep {
  readonly kind: 'question' | 'conversion';
  /** The number of the value: first those of the request, then the converted ones in order. */
  readonly slot: number;
  readonly name: string;
  readonly of: (value: SlotValue) => unknown;
  /** The answer; for conversions, whether there was a result. */
  readonly answer: unknown;
}

/** The slots from `slot` up to `end`: a value of the body with all values inside it. */
export interface Span {
  readonly slot: number;
  readonly end: number;
}

/** A template of a part of the request, and the slot of its first literal. */
export interface LocatedTemplate {
  readonly template: Template;
  readonly first: number;
}

/** The values of a request, and their positions in it. */
export interface ParameterSource {
  readonly values: readonly SlotValue[];
  readonly templates: readonly LocatedTemplate[];
  /** The values of the body by their paths. */
  readonly targets?: ReadonlyMap<string, Span>;
  /** The parsed URLs of entities in the body, by the paths of their annotations. */
  readonly references?: ReadonlyMap<string, ResourcePath>;
  /** The slot of the version in If-Match. */
  readonly version?: number | undefined;
}

/** The parameters of one request, and the steps that its plan has taken. */
export class Parameters {
  readonly steps: PlanStep[] = [];
  readonly #source: ParameterSource;
  readonly #slots: SlotValue[];
  /** The slots of conversions by their source and name; undefined without a result. */
  readonly #known = new Map<string, number | undefined>();
  /** The values of the request that were made parameters. */
  readonly #used = new Set<number>();
  #isShareable = true;

  constructor(source: ParameterSource) {
    this.#source = source;
    this.#slots = [...source.values];
  }

  /** The values of the request, and those that were converted from them. */
  get values(): readonly SlotValue[] {
    return this.#slots;
  }

  /** Whether other requests may have the same plan. */
  get isShareable(): boolean {
    return this.#isShareable;
  }

  /** States that the plan is for this request only. */
  reject(): void {
    this.#isShareable = false;
  }

  /** The literal of the URL that this node of the syntax tree is; undefined for other nodes. */
  ofNode(node: object): Parameter | undefined {
    return this.#first((template) => template.indexOf(node));
  }

  /** The value of $skip or $skiptoken. */
  ofKind(kind: 'skip' | 'token'): Parameter | undefined {
    return this.#first((template) => template.indexOfKind(kind));
  }

  /** The version in If-Match. */
  ofVersion(): Parameter | undefined {
    const { version } = this.#source;
    return version === undefined ? undefined : this.#use({ slot: version, end: version + 1 });
  }

  /** The value of the body at the path; undefined for a value that stands there, but does not come from the body. */
  ofTarget(target: string, value: JsonInput): Parameter | undefined {
    const span = this.#source.targets?.get(target);
    return span !== undefined && this.read(span.slot) === value ? this.#use(span) : undefined;
  }

  /** The URL of an entity in the body, parsed so that its literals are parameters. */
  referenceAt(target: string): ResourcePath | undefined {
    return this.#source.references?.get(target);
  }

  #first(indexIn: (template: Template) => number | undefined): Parameter | undefined {
    for (const { template, first } of this.#source.templates) {
      const index = indexIn(template);
      if (index !== undefined) return this.#use({ slot: first + index, end: first + index + 1 });
    }
    return undefined;
  }

  #use({ slot, end }: Span): Parameter {
    for (let used = slot; used < end; used++) this.#used.add(used);
    return new Parameter(this, slot);
  }

  /** Makes the plan depend on the values that were not made parameters, since they had their effect in another way. */
  fixOthers(): void {
    for (const [slot, value] of this.#source.values.entries()) {
      const isWhole = isJsonArray(value as JsonInput) || isJsonObject(value as JsonInput);
      if (!isWhole && !this.#used.has(slot)) this.ask(slot, ITSELF);
    }
  }

  /** The value in a slot, without recording anything. */
  read(slot: number): SlotValue {
    return this.#slots[slot] as SlotValue;
  }

  ask<Answer>(slot: number, { name, of }: Question<Answer>): Answer {
    const answer = of(this.read(slot));
    const key = `${slot} ${name}`;
    if (!this.#known.has(key)) {
      this.#known.set(key, undefined);
      this.steps.push({ kind: 'question', slot, name, of, answer });
    }
    return answer;
  }

  /** The slot of the converted value; undefined without a result. */
  convert(slot: number, { name, of }: Question<SlotValue | undefined>): number | undefined {
    const key = `${slot} to ${name}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const result = of(this.read(slot));
    const next = result === undefined ? undefined : this.#slots.push(result) - 1;
    this.#known.set(key, next);
    this.steps.push({ kind: 'conversion', slot, name, of, answer: next !== undefined });
    return next;
  }
}

/** One value of a request. */
export class Parameter {
  readonly slot: number;
  readonly #all: Parameters;

  constructor(all: Parameters, slot: number) {
    this.#all = all;
    this.slot = slot;
  }

  /** The value. The plan is then only for requests with the same one. */
  get value(): Value {
    this.#all.ask(this.slot, ITSELF);
    return this.shown;
  }

  /** The value, only to be shown in the errors of a plan: a write that fails is planned again with its own values. */
  get shown(): Value {
    return this.#all.read(this.slot) as Value;
  }

  /** The answer to a question. The plan is then only for requests with the same answer. */
  ask<Answer extends string | number | boolean | undefined>(question: Question<Answer>): Answer {
    return this.#all.ask(this.slot, question);
  }

  /** The value in another form; undefined if it has none. */
  convert(conversion: Question<SlotValue | undefined>): Parameter | undefined {
    const slot = this.#all.convert(this.slot, conversion);
    return slot === undefined ? undefined : new Parameter(this.#all, slot);
  }
}

const ITSELF: Question<unknown> = { name: 'value', of: answerOf };

/** The value as the key of a Map, which does not distinguish 0 from -0, and compares objects by identity. */
function answerOf(value: SlotValue): unknown {
  if (Object.is(value, -0)) return '-0';
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  return typeof value === 'object' ? printJson(value) : value;
}
