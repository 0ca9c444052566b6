// This file runs the statement of a prepared read, measures it, and notes it if it takes long.
import { Fault } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import type { Outcome } from '../plan/outcome.ts';
import { instantOf } from '../plan/read/tokens.ts';
import { usesPositions } from '../sql/expression/clock-time.ts';
import type { Script } from '../sql/script.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run-read-script.ts';
import { readAt } from './clocks/schedule-positions.ts';
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
  const running = isVolatile(prepared)
    ? runAtPositions(prepared, service, context)
    : runRead(prepared.script, service.database, context, prepared.values);
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

/** Whether the result changes without a write, since it depends on elapsed or remaining time. */
export function isVolatile({ script }: Pick<PreparedRead, 'script'>): boolean {
  return volatility(script).is;
}

const volatility = perObject((script: Script) => {
  if (script.kind === 'chain')
    return { is: script.parts.some(({ statement }) => usesPositions(statement)) };
  return { is: script.kind !== 'empty' && usesPositions(script.statement) };
});

/** The pages of a result are those of one instant, so that rows neither appear twice nor are left out while time passes. */
async function runAtPositions(
  { tree, script, values }: PreparedRead,
  service: Service,
  context: Context,
): Promise<Outcome> {
  const { skiptoken = '' } = tree.options;
  const at = instantOf(skiptoken) ?? Date.parse(String(context.now));
  const outcome = await readAt(service, context, at, (own) =>
    runRead(script, service.database, own, values),
  );
  return outcome.kind === 'read' ? { ...outcome, at } : outcome;
}

function rowsIn(outcome: Outcome): number {
  if (outcome.kind === 'chain') return outcome.parts.reduce((sum, part) => sum + rowsIn(part), 0);
  return outcome.kind === 'empty' ? 0 : outcome.rows.length;
}
