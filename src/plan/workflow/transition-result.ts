// This file judges a change of state by the results of the conditions of its check: which transitions are possible, what they lack, and
// the error of a change that none of them permits.
import { type FaultDetail, faultDetail } from '../../base/fault.ts';
import type { PlannedFault } from '../write-plan.ts';
import type { CheckedTransition, RequiredMember, TransitionRules } from './transition-check.ts';

/** A state: the value of a code, or null without one. */
type State = bigint | null;

/** What keeps an account from taking a transition; nothing if it can take it. */
interface TransitionResult {
  readonly transition: CheckedTransition;
  readonly mayTake: boolean;
  readonly isGuardTrue: boolean;
  /** The members without a value. */
  readonly missing: readonly RequiredMember[];
}

/** The results of the conditions of a check, by their positions. */
export type ConditionResults = (condition: number) => boolean;

/** The transitions that start in the state. */
function transitionsFrom(
  { transitions }: TransitionRules,
  from: State,
): readonly CheckedTransition[] {
  return transitions.filter(({ from: starts, to }) =>
    starts.length === 0 ? to !== from : from !== null && starts.includes(from),
  );
}

function resultOf(
  { required }: TransitionRules,
  transition: CheckedTransition,
  holds: ConditionResults,
): TransitionResult {
  const { guard, mayTake, to } = transition;
  const members = [...(required.get(to) ?? []), ...transition.required];
  return {
    transition,
    mayTake,
    isGuardTrue: guard === undefined || holds(guard.condition),
    missing: missingOf(members, holds),
  };
}

function missingOf(members: readonly RequiredMember[], holds: ConditionResults) {
  const missing = members.filter(({ condition }) => !holds(condition));
  return [...new Map(missing.map((one) => [one.path, one])).values()];
}

/** A change of state: that of an existing entity, or the state of a new one. */
export interface StateChange {
  /** Undefined for a new entity. */
  readonly before: State | undefined;
  readonly after: State;
  /** The path of the property in the body. */
  readonly target: string;
}

/** A change that an enforced workflow would have rejected. */
export interface StateAdvice {
  /** The simple name of the entity type. */
  readonly type: string;
  /** Symbols of the states; undefined where there is none. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Everything that the change lacks, the same in every language: `workflow.required Solution; workflow.guard`. */
  readonly reason: string;
  /** The same as in the error. */
  readonly details: readonly FaultDetail[];
}

/** The advice about a change, made of its error. */
export function adviceOf(
  { type, symbols }: TransitionRules,
  { before, after }: StateChange,
  { code, parameters, place }: PlannedFault,
): StateAdvice {
  const { details = [] } = place ?? {};
  const symbolOf = (state: State | undefined) =>
    state === null || state === undefined ? undefined : (symbols.get(state) ?? String(state));
  const problems = details.filter((one) => one.code !== NEXT);
  const reasons = problems.length === 0 ? [{ code }] : problems;
  return {
    type,
    from: symbolOf(before),
    to: symbolOf(after),
    reason: reasons.map(reasonText).join('; '),
    details: details.length === 0 ? [faultDetail(code, parameters, place?.target)] : details,
  };
}

/** The advice about a write that changes no state. */
export function adviceAbout(type: string, { code, parameters, place }: PlannedFault): StateAdvice {
  const detail = faultDetail(code, parameters, place?.target);
  return { type, from: undefined, to: undefined, reason: reasonText(detail), details: [detail] };
}

/** The detail that names the states that may follow. */
const NEXT = 'workflow.next';

function reasonText({ code, target }: Pick<FaultDetail, 'code' | 'target'>): string {
  return target === undefined ? code : `${code} ${target}`;
}

/** The error of the change; undefined if the workflow permits it. */
export function changeFault(
  rules: TransitionRules,
  change: StateChange,
  holds: ConditionResults,
): PlannedFault | undefined {
  const { before, after } = change;
  if (before === after) return undefined;
  if (before === undefined) return creationFault(rules, change, holds);
  const results = transitionsFrom(rules, before)
    .filter(({ to }) => to === after)
    .map((transition) => resultOf(rules, transition, holds));
  const problems = results
    .map((result) => problemsOf(rules, result))
    .sort((left, right) => left.length - right.length);
  if (problems[0]?.length === 0) return undefined;
  return transitionFault(rules, { ...change, before }, problems[0] ?? []);
}

function creationFault(
  rules: TransitionRules,
  { after, target }: StateChange,
  holds: ConditionResults,
): PlannedFault | undefined {
  const { type, member, initial } = rules;
  const to = nameOf(rules, after);
  if (after === null || !initial.includes(after)) {
    const names = initial.map((value) => nameOf(rules, value)).join(', ');
    const parameters = { type, member, to, initial: names };
    return { code: 'workflow.initial', parameters, place: { target } };
  }
  const missing = missingOf(rules.required.get(after) ?? [], holds);
  const details = missing.map(({ path }) => requiredDetail(rules, after, path));
  if (details.length === 0) return undefined;
  const parameters = { type, member, to, ...summary(details) };
  return { code: 'workflow.requirements', parameters, place: { target, details } };
}

function transitionFault(
  rules: TransitionRules,
  { before, after, target }: StateChange & { readonly before: State },
  problems: readonly FaultDetail[],
): PlannedFault {
  const { type, member } = rules;
  const next = nextDetail(rules, before, target);
  const { first, more } = summary(problems.length === 0 ? [next] : problems);
  const parameters = {
    type,
    member,
    from: nameOf(rules, before),
    to: nameOf(rules, after),
    reason: `${first}${more}`,
  };
  return {
    code: 'workflow.transition',
    parameters,
    place: { target, details: [...problems, next] },
  };
}

function summary(details: readonly FaultDetail[]): Readonly<Record<'first' | 'more', string>> {
  const others = details.length - 1;
  const more = others > 0 ? ` See details for ${others} more.` : '';
  return { first: details[0]?.message ?? '', more };
}

/** The states that may follow by transitions that the account may take, since others would be rejected, too. */
function nextDetail(rules: TransitionRules, before: State, target: string): FaultDetail {
  const { member } = rules;
  const possible = transitionsFrom(rules, before).filter(({ mayTake }) => mayTake);
  const values = new Set(possible.map(({ to }) => to));
  const next = [...values].map((value) => nameOf(rules, value)).join(', ') || 'nothing else';
  const from = nameOf(rules, before);
  return faultDetail(NEXT, { from, member, next }, target);
}

/**
 * Everything that the transition lacks. What the account may not read is named only if nothing else is lacking: otherwise a request that
 * cannot succeed would disclose it without a trace.
 */
function problemsOf(rules: TransitionRules, result: TransitionResult): readonly FaultDetail[] {
  const { symbol, takers, needsComment } = result.transition;
  const open = [
    ...(result.mayTake
      ? []
      : [faultDetail('workflow.roles', { symbol, takers: takers.join(', ') })]),
    ...unfulfilled(rules, result, false),
    ...(needsComment && !rules.isCommented
      ? [faultDetail('workflow.comment', { symbol }, 'Comment')]
      : []),
  ];
  return open.length > 0 ? open : unfulfilled(rules, result, true);
}

/** The guard and the members that the transition lacks, either those that the account may read, or the others. */
function unfulfilled(
  rules: TransitionRules,
  { transition, isGuardTrue, missing }: TransitionResult,
  isWithheld: boolean,
): readonly FaultDetail[] {
  const { symbol, guard, to } = transition;
  const isGuardNamed = guard !== undefined && !isGuardTrue && guard.isWithheld === isWithheld;
  return [
    ...(isGuardNamed ? [faultDetail('workflow.guard', { symbol, guard: guard.text })] : []),
    ...missing
      .filter((one) => one.isWithheld === isWithheld)
      .map(({ path }) => requiredDetail(rules, to, path)),
  ];
}

function requiredDetail(rules: TransitionRules, state: bigint, name: string): FaultDetail {
  const to = nameOf(rules, state);
  const { member } = rules;
  return faultDetail('workflow.required', { member, to, name }, name);
}

function nameOf({ names }: TransitionRules, state: State): string {
  if (state === null) return 'null';
  return names.get(state) ?? String(state);
}
