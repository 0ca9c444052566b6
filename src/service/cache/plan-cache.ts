// This file caches prepared requests per rights and template. A template can have several plans, which differ in the answers to the
// questions that planning asked about values. They form a tree: each node asks one question, and the leaf is the plan.
//     ServiceRequests?$filter=ID eq #    type? -> Edm.Int64    as Edm.Int32? -> yes    the plan
// The cache is bounded in bytes. Accounts with the same rights share its plans.
import type { Rights } from '../../access/policy.ts';
import type { Parameters, PlanStep, SlotValue } from '../../bind/parameter.ts';

/** The plans of one template: what exceeds this depends on too many values to be found again. */
const VARIANTS = 100;

/** Requests with more questions than this, such as for long lists, are seldom sent twice. */
const MOST_STEPS = 500;

/** What a template takes besides the texts of its plans. Bytes. */
const OVERHEAD = 2000;

interface Question {
  readonly step: PlanStep;
  readonly byAnswer: Map<unknown, Node>;
}

interface Leaf<Plan> {
  readonly plan: Plan;
}

type Node<Plan = unknown> = Question | Leaf<Plan>;

/** A plan, and the values of the request for it: its own ones, and those converted from them. */
export interface Found<Plan> {
  readonly plan: Plan;
  readonly values: readonly SlotValue[];
}

/** A request for a plan. */
export interface PlanKey {
  readonly rights: Rights;
  readonly template: string;
}

interface Entry<Plan> {
  root: Node<Plan>;
  variants: number;
  bytes: number;
}

export class PlanCache<Plan> {
  readonly #limit: number;
  readonly #sizeOf: (plan: Plan) => number;
  readonly #names = new WeakMap<Rights, string>();
  readonly #entries = new Map<string, Entry<Plan>>();
  #rightsCount = 0;
  #bytes = 0;
  #hits = 0;

  /**
   * @param limit bytes that the plans may take; 0 for none
   * @param sizeOf the approximate size of a plan. Bytes
   */
  constructor(limit: number, sizeOf: (plan: Plan) => number) {
    this.#limit = limit;
    this.#sizeOf = sizeOf;
  }

  /** How often a plan was found. */
  get hits(): number {
    return this.#hits;
  }

  /** The plan for a request with these values; undefined if there is none yet. */
  find(key: PlanKey, raw: readonly SlotValue[]): Found<Plan> | undefined {
    const name = this.#nameOf(key);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const values = [...raw];
    const leaf = follow(entry.root, values);
    if (leaf === undefined) return undefined;
    this.#touch(name, entry);
    this.#hits++;
    return { plan: leaf.plan, values };
  }

  /** Keeps the plan for all requests that would take the same steps. */
  keep(key: PlanKey, parameters: Parameters, plan: Plan): void {
    parameters.fixOthers();
    if (!parameters.isShareable || parameters.steps.length > MOST_STEPS) return;
    const bytes = this.#sizeOf(plan);
    if (bytes > this.#limit / 8) return;
    const name = this.#nameOf(key);
    const known = this.#entries.get(name);
    const entry =
      known === undefined || known.variants >= VARIANTS
        ? { root: { plan }, variants: 0, bytes: OVERHEAD + 2 * name.length }
        : known;
    this.#forget(name);
    entry.root = insert(entry === known ? entry.root : undefined, parameters.steps, { plan });
    entry.variants++;
    entry.bytes += bytes;
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
    this.#shrink();
  }

  #nameOf({ rights, template }: PlanKey): string {
    let name = this.#names.get(rights);
    if (name === undefined) {
      name = `${(this.#rightsCount++).toString(36)} `;
      this.#names.set(rights, name);
    }
    return name + template;
  }

  /** The order only matters once the cache is close to its limit. */
  #touch(name: string, entry: Entry<Plan>): void {
    if (this.#bytes < this.#limit / 2) return;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }

  #forget(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }

  /** Those least recently used go first. */
  #shrink(): void {
    for (const name of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.#forget(name);
    }
  }
}

/** Answers the questions with the values, to which conversions add theirs. Undefined if an answer is new. */
function follow<Plan>(root: Node<Plan>, values: SlotValue[]): Leaf<Plan> | undefined {
  let node: Node<Plan> | undefined = root;
  while (node !== undefined && 'step' in node) {
    const { step, byAnswer }: Question = node;
    const result = step.of(values[step.slot] as SlotValue);
    if (step.kind === 'question') node = byAnswer.get(result) as Node<Plan> | undefined;
    else {
      if (result !== undefined) values.push(result as SlotValue);
      node = byAnswer.get(result !== undefined) as Node<Plan> | undefined;
    }
  }
  return node;
}

/** The tree with a leaf at the end of the steps. Planning is deterministic, so a node has the question that follows its answers. */
function insert<Plan>(
  root: Node<Plan> | undefined,
  steps: readonly PlanStep[],
  leaf: Leaf<Plan>,
): Node<Plan> {
  const [step] = steps;
  if (step === undefined) return leaf;
  const isSame = root !== undefined && 'step' in root && isSameStep(root.step, step);
  const node: Question = isSame ? root : { step, byAnswer: new Map() };
  const next = node.byAnswer.get(step.answer) as Node<Plan> | undefined;
  node.byAnswer.set(step.answer, insert(next, steps.slice(1), leaf));
  return node;
}

function isSameStep(one: PlanStep, other: PlanStep): boolean {
  return one.kind === other.kind && one.slot === other.slot && one.name === other.name;
}
