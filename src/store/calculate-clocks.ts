// This file runs the step that calculates the clocks of a row: reads what they depend on, lets the service calculate, and makes the results
// available to the statements that store them.
import { invariant } from '../base/fault.ts';
import { OUTDATED_SINCE, SHOWN_CAUSES } from '../sql/write/clock-causes.ts';
import { calculatedLocal } from '../sql/write/clocks.ts';
import { rememberedLocal } from '../sql/write/transitions.ts';
import type { ClocksStep, UpdateStep } from '../sql/write/write-script.ts';
import type { Cell, Work } from './database.ts';
import { changeOf, queryOf, type Run, rowIn } from './script-state.ts';

interface ClockChange {
  readonly change: UpdateStep;
  readonly cause: string | null;
}

/** Stores the results, unless a later insert contains them. Returns the change that is to be made to a row that existed before. */
export function* calculateClocks(run: Run, step: ClocksStep): Work<ClockChange | undefined> {
  const { calculate, context, created, locals } = run;
  invariant(calculate !== undefined, 'clocks cannot be calculated here');
  const { rows } = yield queryOf(run, step.inputs);
  const [inputs] = rows;
  if (inputs === undefined) return undefined;
  // The row of an insert that will contain the results may have no identity yet.
  const isNew = step.stored === undefined || created.has(rowIn(run, step.row).identity);
  const before = (path: string) => locals.get(rememberedLocal(path, step.row)) ?? null;
  const values = yield* calculate({ step, inputs, context, isNew, before });
  for (const [index, path] of step.calculated.entries())
    locals.set(
      calculatedLocal(path),
      values?.get(path) ?? (values ? null : inputs[index + 1]) ?? null,
    );
  if (values === undefined || step.stored === undefined) return undefined;
  const since = inputs[step.calculated.indexOf(step.outdatedSince) + 1] ?? null;
  if (!isNew) return { change: step.stored.change, cause: yield* causeOf(run, step, since) };
  yield changeOf(run, step.stored.fill);
  return undefined;
}

/** Why the row was outdated: `Schedule: Silver (admin); Calendar: Easter (eva)`. Null if it was not. */
function* causeOf(run: Run, { causes }: ClocksStep, since: Cell): Work<string | null> {
  if (typeof since !== 'string') return null;
  run.locals.set(OUTDATED_SINCE, new Date(since).toISOString());
  const { rows } = yield queryOf(run, causes);
  const shown = rows
    .slice(0, SHOWN_CAUSES)
    .map(([what, account]) => (account === null ? `${what}` : `${what} (${account})`));
  const all = rows.length > SHOWN_CAUSES ? [...shown, '…'] : shown;
  return all.length === 0 ? null : all.join('; ');
}
