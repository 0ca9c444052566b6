// Compiles the checks of workflows: the state before a change becomes a local, and one query evaluates the conditions of the transitions
// that can have led from it to the state after the change.
import { memoized, perPair } from '../../base/memo.ts';
import type { Expression } from '../../bind/bound.ts';
import type {
  StateCondition,
  TransitionCheck,
  TransitionRules,
} from '../../plan/workflow/transition-check.ts';
import type { StateSteps, Steps } from '../../plan/write-plan.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Fragment, flattened, integer, list, local, sql } from '../fragment.ts';
import type { Layout } from '../schema/layout.ts';
import { selectOn, versionAndIntegers } from './row-expressions.ts';
import { rowStatement, type StepOf, statement, type WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

export function compileRemember(
  { row, as, value }: StepOf<'remember'>,
  scope: WriteScope,
): ScriptStep {
  const query = selectOn(row, scope, (inner) => inner.value(inner, value).sql);
  return {
    kind: 'remember',
    statement: rowStatement(query, row, scope),
    local: rememberedLocal(as, row.name),
  };
}

export function compileFollow(step: StepOf<'follow'>, scope: WriteScope): ScriptStep {
  const { row, type, event, collection, key, state, waiting } = step;
  const values = [key, ...(state === undefined ? [] : [state])];
  const query = versionAndIntegers(row, values, scope);
  const before = rememberedLocal(OWN_VALUES.has(event) ? event : 'state', row.name);
  return {
    kind: 'follow',
    row: row.name,
    type,
    event,
    collection,
    waiting,
    statement: statement(query, scope),
    before,
  };
}

/** The events that follow another value than the state. */
const OWN_VALUES: ReadonlySet<string> = new Set(['group', 'required', 'vote']);

/** The local with a value before the change. */
export const rememberedLocal = (as: string, register: string) => `${as} of ${register} before`;

/** @param compile compiles the effects of states */
export function compileTransition(
  step: StepOf<'transition'>,
  scope: WriteScope,
  compile: (steps: Steps) => readonly ScriptStep[],
): ScriptStep {
  const { row, state, check, isAdvice, target } = step;
  const before = rememberedLocal('state', row.name);
  const conditions = compiledConditions(scope.layout, scope.dialect);
  const query = selectOn(row, scope, (inner) => {
    const after = inner.value(inner, state).sql;
    const results = (check?.conditions ?? []).map((condition) => {
      const { expression } = condition;
      const holds = memoized(conditions, expression, () =>
        flattened(inner.condition(inner, expression)),
      );
      return resultOf(condition, { after, before, holds });
    });
    return list([after, ...results]);
  });
  const known = compiledSteps(scope.layout, scope.dialect);
  const stepsOf = (states: StateSteps) =>
    new Map(
      [...states].map(([value, steps]) => [value, memoized(known, steps, () => compile(steps))]),
    );
  return {
    kind: 'transition',
    row: row.name,
    isNew: step.isNew,
    statement: statement(query, scope),
    before,
    rules: check && rulesOf(check),
    isAdvice,
    target,
    leaving: stepsOf(step.leaving),
    entering: stepsOf(step.entering),
  };
}

/** The conditions of a workflow are the same objects in all plans, and so are the effects of its states. */
const compiledConditions = perPair(
  (_layout: Layout, _: Dialect) => new WeakMap<Expression, Fragment>(),
);
const compiledSteps = perPair(
  (_layout: Layout, _: Dialect) => new WeakMap<Steps, readonly ScriptStep[]>(),
);

/** The check without its conditions: they are part of the statement, and would be most of what the plan cache keeps. */
function rulesOf({ conditions: _, ...rules }: TransitionCheck): TransitionRules {
  return rules;
}

interface Evaluated {
  readonly after: Fragment;
  readonly before: string;
  readonly holds: Fragment;
}

/** 1 if the condition is true. Conditions of other changes are not evaluated: CASE guarantees the order. */
function resultOf({ from, to }: StateCondition, { after, before, holds }: Evaluated): Fragment {
  const reaches = sql`${after} = ${integer(to)}`;
  const starts =
    from === undefined
      ? reaches
      : sql`${reaches} AND ${local(before, 'integer')} IN (${list(from.map(integer))})`;
  return sql`CASE WHEN ${starts} THEN CASE WHEN ${holds} THEN 1 ELSE 0 END ELSE 0 END`;
}
