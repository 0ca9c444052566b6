// This file checks a change of state that a write script has made, and lets the service follow changes of states and votes.
import { invariant } from '../base/fault.ts';
import { adviceOf, changeFault, type StateChange } from '../plan/workflow/transition-result.ts';
import type { FollowStep, ScriptStep } from '../sql/write/write-script.ts';
import type { Cell, Work } from './database.ts';
import { queryOf, type Run, rowIn, toFault } from './script-state.ts';

type TransitionStep = ScriptStep & { readonly kind: 'transition' };

/** The change of state that the script has made; undefined if there is none. Throws: the faults of the rules, unless they are advice. */
export function* changeOfState(run: Run, step: TransitionStep): Work<StateChange | undefined> {
  const { row, isNew, statement, before, rules, isAdvice, target } = step;
  if (run.created.has(rowIn(run, row).identity) !== isNew) return undefined;
  if (isNew) run.locals.set(before, null);
  const { rows } = yield queryOf(run, statement);
  const [cells] = rows;
  if (cells === undefined) return undefined;
  const [after, ...results] = cells;
  const former = isNew ? undefined : integerIn(run.locals.get(before));
  const change = { before: former, after: integerIn(after), target };
  const holds = (condition: number) => Number(results[condition]) === 1;
  const fault = rules === undefined ? undefined : changeFault(rules, change, holds);
  if (fault !== undefined && !isAdvice) throw toFault(fault);
  if (fault !== undefined && rules !== undefined) run.advice.push(adviceOf(rules, change, fault));
  return change.before === change.after ? undefined : change;
}

/** Lets the service do what follows from a change of a state or a vote. Throws: the faults of its requests. */
export function* followChange(run: Run, step: FollowStep): Work<void> {
  const { follow, registers, created, locals } = run;
  invariant(follow !== undefined, 'approvals cannot be followed here');
  const row = rowIn(run, step.row);
  const { rows } = yield queryOf(run, step.statement);
  const [, key = null, after = null] = (rows[0] ?? []).map(integerIn);
  if (key === null) return;
  const before = created.has(row.identity) ? null : integerIn(locals.get(step.before));
  const concerns = step.waiting === before || step.waiting === after;
  if (step.event === 'state' && !concerns) return;
  if (['state', 'part', 'group'].includes(step.event) && before === after) return;
  const { type, event, collection } = step;
  yield* follow({ type, event, collection, key, before, after });
  // What followed may have changed the row.
  const again = yield queryOf(run, step.statement);
  const version = integerIn(again.rows[0]?.[0]);
  if (version === null) return;
  for (const [name, one] of registers)
    if (one.identity === row.identity) registers.set(name, { ...one, version });
}

function integerIn(cell: Cell | undefined): bigint | null {
  return typeof cell === 'bigint' || typeof cell === 'number' ? BigInt(cell) : null;
}
