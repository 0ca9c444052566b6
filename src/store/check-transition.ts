// This file checks a change of state that a write script has made.
import { changeFault, type StateChange } from '../plan/workflow/transition-result.ts';
import type { ScriptStep } from '../sql/write/write-script.ts';
import type { Cell, Work } from './database.ts';
import { queryOf, type Run, rowIn } from './script-state.ts';

type TransitionStep = ScriptStep & { readonly kind: 'transition' };

/** The change of state that the script has made; undefined if there is none. Throws: the faults of the check. */
export function* changeOfState(run: Run, step: TransitionStep): Work<StateChange | undefined> {
  const { row, isNew, statement, before, check, target } = step;
  if (run.created.has(rowIn(run, row).identity) !== isNew) return undefined;
  if (isNew) run.locals.set(before, null);
  const { rows } = yield queryOf(run, statement);
  const [cells] = rows;
  if (cells === undefined) return undefined;
  const [after, ...results] = cells;
  const former = isNew ? undefined : stateOf(run.locals.get(before));
  const change = { before: former, after: stateOf(after), target };
  const holds = (condition: number) => Number(results[condition]) === 1;
  const fault = check === undefined ? undefined : changeFault(check, change, holds);
  if (fault !== undefined) throw fault;
  return change.before === change.after ? undefined : change;
}

function stateOf(cell: Cell | undefined): bigint | null {
  return typeof cell === 'bigint' || typeof cell === 'number' ? BigInt(cell) : null;
}
