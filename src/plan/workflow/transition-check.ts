// This file turns the workflow of an entity type into checks of a row: conditions that the database evaluates, and the transitions that
// need them. transition-result.ts judges the results.
import type { Rights } from '../../access/policy.ts';
import { memoized, perObject } from '../../base/memo.ts';
import type { Expression } from '../../bind/bound.ts';
import { TRUE } from '../../bind/expression/literal.ts';
import {
  type Code,
  type Member,
  type Model,
  memberAt,
  simpleName,
  type Texts,
} from '../../edm/model.ts';
import type { WorkflowTransition } from '../../edm/workflow/declaration.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { isReadable } from '../rights/readable-condition.ts';
import type { Guard } from '../rights/row-conditions.ts';

/** A condition on the row, which counts only for some changes of state. */
export interface StateCondition {
  /** The states before, by value; undefined: whatever the state was. */
  readonly from?: readonly bigint[] | undefined;
  readonly to: bigint;
  readonly expression: Expression;
}

/** The place of a condition in the check. */
interface ConditionPlace {
  readonly condition: number;
  /** Whether it depends on something that the account may not read, so that its result is shown only where it decides. */
  readonly isWithheld: boolean;
}

/** A member that must have a value. */
export interface RequiredMember extends ConditionPlace {
  readonly path: string;
}

export interface CheckedTransition {
  readonly symbol: string;
  /** Empty: from any state. */
  readonly from: readonly bigint[];
  readonly to: bigint;
  /** Whether the account may take it, by its roles. */
  readonly mayTake: boolean;
  /** Who may take it, for messages. */
  readonly takers: readonly string[];
  /** Whether a role of the account may take it without the right to change the entity. */
  readonly isGranted: boolean;
  readonly needsComment: boolean;
  readonly guard?: (ConditionPlace & { readonly text: string }) | undefined;
  readonly required: readonly RequiredMember[];
}

/** What the results of the conditions are judged by. */
export interface TransitionRules {
  /** The simple name of the type, and the property that holds the state. */
  readonly type: string;
  readonly member: string;
  readonly initial: readonly bigint[];
  /** Whether the request stores a comment. */
  readonly isCommented: boolean;
  readonly transitions: readonly CheckedTransition[];
  /** The members that states require, by the values of the states. */
  readonly required: ReadonlyMap<bigint, readonly RequiredMember[]>;
  /** The texts of the states, and with their symbols: `In progress (IN_PROGRESS)`. */
  readonly labels: ReadonlyMap<bigint, string>;
  readonly names: ReadonlyMap<bigint, string>;
  /** The symbols of the states; their values as text where they have none. */
  readonly symbols: ReadonlyMap<bigint, string>;
}

/** The rules with the conditions that the database evaluates. */
export interface TransitionCheck extends TransitionRules {
  readonly conditions: readonly StateCondition[];
}

export interface CheckScope {
  readonly model: Model;
  readonly guard: Guard;
  readonly language: string;
  /** Binds a condition over the row. */
  readonly bind: (text: string) => Expression;
  /** Whether the account asks without leaving a trace. Conditions that it may not read then count as fulfilled. */
  readonly isTraceless: boolean;
  readonly isCommented?: boolean;
  /** Whether only transitions count that are granted to a role of the account. */
  readonly isGranted?: boolean;
}

/** The check of the workflow for a row, as one account sees it. */
export function makeCheck(workflow: TypeWorkflow, scope: CheckScope): TransitionCheck {
  const builder = new CheckBuilder(workflow, scope);
  const { declared, type, values } = workflow;
  const required = new Map(
    [...workflow.states].map(([value, state]) => {
      const paths = state.members.flatMap(({ member, flag }) =>
        flag === 'required' ? [member] : [],
      );
      return [value, paths.map((path) => builder.require(path, value))] as const;
    }),
  );
  return {
    type: simpleName(type.name),
    member: declared.member,
    initial: declared.initial.flatMap((symbol) => values.get(symbol) ?? []),
    isCommented: scope.isCommented ?? false,
    transitions: declared.transitions
      .filter((one) => scope.isGranted !== true || isGranted(one, scope.guard.rights))
      .flatMap((one) => builder.transition(one) ?? []),
    required,
    conditions: builder.conditions,
    ...memoized(textsOf(workflow), scope.language, () => stateTexts(workflow, scope.language)),
  };
}

class CheckBuilder {
  readonly conditions: StateCondition[] = [];
  readonly #workflow: TypeWorkflow;
  readonly #scope: CheckScope;

  constructor(workflow: TypeWorkflow, scope: CheckScope) {
    this.#workflow = workflow;
    this.#scope = scope;
  }

  transition(declared: WorkflowTransition): CheckedTransition | undefined {
    const { values } = this.#workflow;
    const to = values.get(declared.to);
    if (to === undefined) return undefined;
    const from = declared.from.flatMap((symbol) => values.get(symbol) ?? []);
    const states = from.length === 0 ? undefined : from;
    const { guard } = declared;
    const { rights } = this.#scope.guard;
    return {
      symbol: declared.symbol,
      from,
      to,
      ...takersOf(declared, rights),
      isGranted: isGranted(declared, rights),
      needsComment: declared.comment === 'required',
      guard:
        guard === undefined ? undefined : { text: guard, ...this.#condition(guard, to, states) },
      required: declared.require.map((path) => this.require(path, to, states)),
    };
  }

  require(path: string, to: bigint, from?: readonly bigint[]): RequiredMember {
    const text = presenceText(memberAt(this.#scope.model, this.#workflow.type, path), path);
    return { path, ...this.#condition(text, to, from) };
  }

  #condition(text: string, to: bigint, from: readonly bigint[] | undefined): ConditionPlace {
    const { bind, guard, isTraceless } = this.#scope;
    const whole = bind(text);
    const isWithheld = !isReadable(guard, whole);
    const expression = isWithheld && isTraceless ? TRUE : whole;
    return { condition: this.conditions.push({ from, to, expression }) - 1, isWithheld };
  }
}

/** The condition that a member has a value. */
function presenceText(member: Member | undefined, path: string): string {
  if (member?.collection === true) return `${path}/any()`;
  const isText = member?.kind === 'property' && member.type === 'Edm.String';
  return isText ? `${path} ne null and trim(${path}) ne ''` : `${path} ne null`;
}

/** Whether a role of the account may take the transition without the right to change the entity. */
export function isGranted({ grants }: WorkflowTransition, { roles, readOnly }: Rights): boolean {
  return readOnly !== true && grants.some((role) => roles.includes(role));
}

function takersOf(
  { roles, by }: WorkflowTransition,
  rights: Rights,
): Pick<CheckedTransition, 'mayTake' | 'takers'> {
  if (by === 'service') return { mayTake: rights.everything, takers: ['the service'] };
  const mayTake =
    rights.everything || roles.length === 0 || roles.some((role) => rights.roles.includes(role));
  return { mayTake, takers: roles };
}

type StateTexts = Pick<TransitionCheck, 'labels' | 'names' | 'symbols'>;

/** By language. */
const textsOf = perObject((_: TypeWorkflow) => new Map<string, StateTexts>());

/** The texts of all codes of the list, since records may have codes that are no states. */
function stateTexts({ list, states }: TypeWorkflow, language: string): StateTexts {
  const symbolOf = ({ value, meaning }: Code) => states.get(value)?.symbol ?? meaning;
  const labels = new Map(
    list.codes.map(({ value, texts }) => [value, textIn(texts, language) ?? String(value)]),
  );
  const names = new Map(
    list.codes.map((code) => {
      const text = labels.get(code.value) ?? '';
      const symbol = symbolOf(code);
      return [code.value, symbol === undefined ? text : `${text} (${symbol})`];
    }),
  );
  const symbols = new Map(
    list.codes.map((code) => [code.value, symbolOf(code) ?? String(code.value)]),
  );
  return { labels, names, symbols };
}

function textIn(texts: Texts, language: string): string | undefined {
  return texts[language] ?? Object.values(texts)[0];
}
