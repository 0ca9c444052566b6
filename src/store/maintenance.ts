// This file compacts the database in the background: in small steps, and only while requests leave the process idle.
import { performance } from 'node:perf_hooks';
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { Database } from './database.ts';

/** Milliseconds between steps, and between rounds once nothing is left to do. */
const BETWEEN_STEPS = 50;
const BETWEEN_ROUNDS = 10_000;
/** Event loop utilization above which no step is run. */
const BUSY = 0.3;

/**
 * Starts background compaction and returns the function that stops it.
 * @param isBusy whether the process was busy since the last call
 */
export function startMaintenance(
  database: Pick<Database, 'compact'>,
  observe: Observe,
  isBusy: () => boolean = busyProcess(),
): () => void {
  const step = () => {
    const hasMore = isBusy() || tryStep(database, observe);
    timer = setTimeout(step, hasMore ? BETWEEN_STEPS : BETWEEN_ROUNDS).unref();
  };
  let timer = setTimeout(step, BETWEEN_ROUNDS).unref();
  return () => clearTimeout(timer);
}

function busyProcess(): () => boolean {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization > BUSY;
  };
}

function tryStep(database: Pick<Database, 'compact'>, observe: Observe): boolean {
  try {
    return database.compact();
  } catch (error) {
    // A full disk is reported by the writes that fail because of it.
    if (!(error instanceof Fault)) observe({ kind: 'failure', id: 'tidying', error });
    return false;
  }
}
