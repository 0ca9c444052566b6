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
import { contextAt, readAt } from './clocks/schedule-positions.ts';
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
  const { usesNow, usesClocks } = momentsIn(prepared.script);
  const running =
    usesNow || usesClocks
      ? runAtInstant(prepared, service, context)
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
  return momentsIn(script).usesClocks;
}

const momentsIn = perObject((script: Script) => {
  const parts = script.kind === 'chain' ? script.parts : script.kind === 'empty' ? [] : [script];
  const statements = parts.map(({ statement }) => statement);
  return {
    usesClocks: statements.some(usesPositions),
    usesNow: statements.some(({ parameters }) =>
      parameters.some((one) => one.kind === 'context' && one.name === 'now'),
    ),
  };
});

/** The pages of a result are those of one instant, so that rows neither appear twice nor are left out while time passes. */
function runAtInstant(
  { tree, script, values }: PreparedRead,
  service: Service,
  context: Context,
): MaybePromise<Outcome> {
  const { skiptoken = '' } = tree.options;
  const at = instantOf(skiptoken) ?? Date.parse(String(context.now));
  const run = (own: Context) => runRead(script, service.database, own, values);
  const running = momentsIn(script).usesClocks
    ? readAt(service, context, at, run)
    : run(contextAt(context, at));
  return andThen(running, (outcome) => (outcome.kind === 'read' ? { ...outcome, at } : outcome));
}

function rowsIn(outcome: Outcome): number {
  if (outcome.kind === 'chain') return outcome.parts.reduce((sum, part) => sum + rowsIn(part), 0);
  return outcome.kind === 'empty' ? 0 : outcome.rows.length;
}
