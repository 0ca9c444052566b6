// This file runs the step that calculates the clocks of a row: reads what they depend on, lets the service calculate, and makes the results
// available to the statements that store them.
import { invariant } from '../base/fault.ts';
import { calculatedLocal } from '../sql/write/clocks.ts';
import type { ClocksStep, UpdateStep } from '../sql/write/write-script.ts';
import type { Work } from './database.ts';
import { changeOf, queryOf, type Run, rowIn } from './script-state.ts';

/** Stores the results, unless a later insert contains them. Returns the change that is to be made to a row that existed before. */
export function* calculateClocks(run: Run, step: ClocksStep): Work<UpdateStep | undefined> {
  const { calculate, context, created, locals } = run;
  invariant(calculate !== undefined, 'clocks cannot be calculated here');
  const { rows } = yield queryOf(run, step.inputs);
  const [inputs] = rows;
  if (inputs === undefined) return undefined;
  const isNew = created.has(rowIn(run, step.row).identity);
  const values = yield* calculate({ step, inputs, context, isNew });
  for (const [index, path] of step.calculated.entries())
    locals.set(
      calculatedLocal(path),
      values?.get(path) ?? (values ? null : inputs[index + 1]) ?? null,
    );
  if (values === undefined || step.stored === undefined) return undefined;
  if (!isNew) return step.stored.change;
  yield changeOf(run, step.stored.fill);
  return undefined;
}
