// This file runs the step that calculates the clocks of a row: reads what they depend on, lets the service calculate, and makes the results
// available to the statements that store them.
import { invariant } from '../base/fault.ts';
import { calculatedLocal } from '../sql/write/clocks.ts';
import type { ClocksStep } from '../sql/write/write-script.ts';
import type { Work } from './database.ts';
import { changeOf, queryOf, type Run, rowIn } from './script-state.ts';

/** Stores the results if the script has created the row. Returns whether the row is to be changed by the step's change instead. */
export function* calculateClocks(run: Run, step: ClocksStep): Work<boolean> {
  const { calculate, context, created, locals } = run;
  invariant(calculate !== undefined, 'clocks cannot be calculated here');
  const { rows } = yield queryOf(run, step.inputs);
  const [inputs] = rows;
  const isNew = created.has(rowIn(run, step.row).identity);
  const values = inputs && (yield* calculate({ step, inputs, context, isNew }));
  if (values === undefined) return false;
  for (const [path, cell] of values) locals.set(calculatedLocal(path), cell);
  if (isNew) yield changeOf(run, step.fill);
  return !isNew;
}
