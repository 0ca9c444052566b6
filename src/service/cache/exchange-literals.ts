// This file replaces the literals of a prepared read with those of another request of the same URL template, in those parameters of its
// statement that are literals of the URL. The rest of the plan is reused unchanged.
import { isDeepStrictEqual } from 'node:util';
import type { Plan, ReadPlan } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import type { Parameter, ReadScript, Script, Statement } from '../../sql/script.ts';
import type { Call } from '../service.ts';
import type { Exchange, PlanKind } from './read-plan-cache.ts';
import type { LiftedLiteral } from './url-template.ts';

/** A read that is ready to run: nothing in it depends on the moment. */
export interface PreparedRead {
  readonly tree: Tree;
  readonly plan: Plan;
  readonly script: Script;
}

/**
 * Caches prepared reads by URL template.
 * @param parse reads the tree of a call of the same URL template, whose first request was parsed successfully
 */
export function exchanging(parse: (call: Call) => Tree): PlanKind<PreparedRead> {
  return {
    exchange: (prepared, literals) => exchangeOf(prepared, literals, parse),
    isSame,
  };
}

function exchangeOf(
  { tree, plan, script }: PreparedRead,
  literals: readonly LiftedLiteral[],
  parse: (call: Call) => Tree,
): Exchange<PreparedRead> | undefined {
  if (script.kind !== 'read') return undefined;
  const slots = slotsOf(script.statement, literals);
  const parentSlots = script.parent === undefined ? [] : slotsOf(script.parent, literals);
  if (slots === undefined || parentSlots === undefined) return undefined;
  const fillPlan = plan.kind === 'read' ? planFiller(plan, literals) : () => plan;
  if (fillPlan === undefined) return undefined;
  // A literal that is bound nowhere has become part of the plan itself.
  const bound = new Set([...slots, ...parentSlots]);
  if (!literals.every((_literal, index) => bound.has(index))) return undefined;
  return (others, call) => {
    const filled = fill(script, slots, parentSlots, others);
    if (filled === undefined) return undefined;
    return { tree: new LaterTree(tree, () => parse(call)), plan: fillPlan(others), script: filled };
  };
}

/** A value of a request, and where it stands. */
interface Placed {
  readonly part: string;
  readonly at?: number;
  readonly value: bigint | string;
}

/**
 * Creates the plan for another request of the same URL template, with its keys in the context URL and its own page.
 * Undefined where a key in the context is none of the values that are exchanged.
 */
export function planFiller(
  plan: ReadPlan,
  values: readonly Placed[],
): ((others: readonly Placed[]) => ReadPlan) | undefined {
  const { contextKeys, select } = plan;
  const slots = contextKeys.map(({ place }) =>
    values.findIndex(({ part, at }) => part === place.part && at === place.at),
  );
  if (slots.includes(-1)) return undefined;
  const skip = values.findIndex(({ part }) => part === 'skip');
  const { page } = select;
  if (page === undefined || skip < 0) return filledContext(plan, slots);
  const fill = filledContext(plan, slots);
  return (others) => {
    const own = { ...page, skip: Number(others[skip]?.value ?? page.skip) };
    return { ...fill(others), select: { ...select, page: own } };
  };
}

function filledContext(
  plan: ReadPlan,
  slots: readonly number[],
): (others: readonly Placed[]) => ReadPlan {
  const { context, contextKeys } = plan;
  if (slots.length === 0) return () => plan;
  const ends = contextKeys.map(({ at, length }) => at + length);
  return (others) => {
    const pieces = contextKeys.map(
      ({ at }, index) => context.slice(ends[index - 1] ?? 0, at) + others[slots[index] ?? 0]?.value,
    );
    return { ...plan, context: pieces.join('') + context.slice(ends.at(-1)) };
  };
}

/** For each parameter the literal that it is, by number; undefined where one has become another value. */
function slotsOf(
  { parameters }: Statement,
  literals: readonly LiftedLiteral[],
): readonly (number | undefined)[] | undefined {
  const slots = parameters.map((parameter) => {
    if (parameter.kind !== 'value' || parameter.place === undefined) return undefined;
    const { part, at } = parameter.place;
    const index = literals.findIndex((literal) => literal.part === part && literal.at === at);
    return index < 0 ? undefined : index;
  });
  const isRight = parameters.every((parameter, at) => {
    const literal = literals[slots[at] ?? -1];
    return literal === undefined || isValue(parameter, literal.value);
  });
  return isRight ? slots : undefined;
}

function isValue(parameter: Parameter, read: LiftedLiteral['value']): boolean {
  return parameter.kind === 'value' && parameter.value === valueFor(parameter, read);
}

function valueFor(
  { from }: Parameter & { readonly kind: 'value' },
  read: LiftedLiteral['value'],
): (Parameter & { readonly kind: 'value' })['value'] | undefined {
  return from === undefined ? read : from(read);
}

/** Undefined where another statement is needed for these literals. */
function fill(
  script: ReadScript,
  slots: readonly (number | undefined)[],
  parentSlots: readonly (number | undefined)[],
  literals: readonly LiftedLiteral[],
): ReadScript | undefined {
  const statement = fillStatement(script.statement, slots, literals);
  if (statement === undefined || script.parent === undefined)
    return statement && { ...script, statement };
  const parent = fillStatement(script.parent, parentSlots, literals);
  return parent && { ...script, statement, parent };
}

function fillStatement(
  { text, parameters }: Statement,
  slots: readonly (number | undefined)[],
  literals: readonly LiftedLiteral[],
): Statement | undefined {
  const filled: Parameter[] = [];
  for (const parameter of parameters) {
    const literal = literals[slots[filled.length] ?? -1];
    if (literal === undefined || parameter.kind !== 'value') filled.push(parameter);
    else {
      const value = valueFor(parameter, literal.value);
      if (value === undefined) return undefined;
      filled.push({ kind: 'value', value });
    }
  }
  return { text, parameters: filled };
}

/** The tree of a request with a cached plan. The URL is parsed only if a caller needs it. */
export class LaterTree implements Tree {
  readonly method: Tree['method'];
  readonly negotiated: Tree['negotiated'];
  readonly #parse: () => Tree;
  #parsed: Tree | undefined;

  constructor(like: Tree, parse: () => Tree) {
    this.method = like.method;
    this.negotiated = like.negotiated;
    this.#parse = parse;
  }

  get path(): Tree['path'] {
    return this.#whole().path;
  }

  get options(): Tree['options'] {
    return this.#whole().options;
  }

  #whole(): Tree {
    this.#parsed ??= this.#parse();
    return this.#parsed;
  }
}

/** Whether two reads differ in nothing that could be seen in an answer, their trees apart. */
function isSame(left: PreparedRead, right: PreparedRead): boolean {
  return (
    isDeepStrictEqual(withoutPlaces(left.script), withoutPlaces(right.script)) &&
    isDeepStrictEqual(factsOf(left.plan), factsOf(right.plan))
  );
}

function withoutPlaces(script: Script): unknown {
  if (script.kind !== 'read') return script;
  const plain = ({ text, parameters }: Statement) => ({
    text,
    parameters: parameters.map((one) =>
      one.kind === 'value' ? { kind: one.kind, value: one.value } : one,
    ),
  });
  const { statement, parent } = script;
  return { ...script, statement: plain(statement), parent: parent && plain(parent) };
}

/** What rendering reads of a plan besides its shape, which the statement has written. */
export function factsOf(plan: Plan): unknown {
  if (plan.kind === 'read') {
    const { context, applied, nullable, remaining, paging, tracking, output, select } = plan;
    return {
      ...{ context, applied, nullable, remaining, paging, tracking, output: output.kind },
      // The values after which the page starts are parameters of the statement.
      page: select.page && { ...select.page, after: undefined },
    };
  }
  return plan.kind === 'evaluate' ? [plan.context, plan.applied, plan.nullable, plan.raw] : plan;
}
