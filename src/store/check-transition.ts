// This file checks a change of state that a write script has made.
import { changeFault } from '../plan/workflow/transition-result.ts';
import type { ScriptStep } from '../sql/write/write-script.ts';
import type { Cell, Reply } from './database.ts';
import { queryOf, type Run, rowIn } from './script-state.ts';

type TransitionStep = ScriptStep & { readonly kind: 'transition' };

/** The query of the step. A row that the script has created had no state before. */
export function transitionQuery(run: Run, step: TransitionStep): ReturnType<typeof queryOf> {
  if (isCreated(run, step)) run.locals.set(step.before, null);
  return queryOf(run, step.statement);
}

/** Throws: workflow.initial, workflow.requirements, workflow.transition. */
export function requireTransition(
  run: Run,
  step: TransitionStep,
  { rows: [row] }: Pick<Reply, 'rows'>,
): void {
  if (row === undefined) return;
  const { before, check, target } = step;
  const [after, ...results] = row;
  const change = {
    before: isCreated(run, step) ? undefined : stateOf(run.locals.get(before)),
    after: stateOf(after),
    target,
  };
  const fault = changeFault(check, change, (condition) => Number(results[condition]) === 1);
  if (fault !== undefined) throw fault;
}

function isCreated(run: Run, { row }: TransitionStep): boolean {
  return run.created.has(rowIn(run, row).identity);
}

function stateOf(cell: Cell | undefined): bigint | null {
  return typeof cell === 'bigint' || typeof cell === 'number' ? BigInt(cell) : null;
}
