// This file runs the statement of a prepared read, measures it, and notes it if it takes long.
import { Fault } from '../base/fault.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import type { Outcome } from '../plan/outcome.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run-read-script.ts';
import type { PreparedRead } from './read-plans.ts';
import type { Call, Service } from './service.ts';
import { noteSlow } from './slow-statements.ts';
import type { RequestTrace } from './stage-inputs.ts';

/** Runs a prepared read. Throws: the faults of the store. */
export function runPrepared(
  prepared: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  trace: RequestTrace,
): MaybePromise<Outcome> {
  const { elapsed } = service.world;
  const start = elapsed();
  const running = runRead(prepared.script, service.database, context, prepared.values);
  if (running instanceof Promise)
    running.catch((error) => {
      if (error instanceof Fault && error.code === 'store.slow')
        noteSlow(prepared, { milliseconds: elapsed() - start, rows: 0 }, call, service);
    });
  return andThen(running, (outcome) => {
    const milliseconds = elapsed() - start;
    trace.stages.run = milliseconds;
    if (milliseconds > service.slowStatements.threshold)
      noteSlow(prepared, { milliseconds, rows: rowsIn(outcome) }, call, service);
    return outcome;
  });
}

function rowsIn(outcome: Outcome): number {
  if (outcome.kind === 'chain') return outcome.parts.reduce((sum, part) => sum + rowsIn(part), 0);
  return outcome.kind === 'empty' ? 0 : outcome.rows.length;
}
