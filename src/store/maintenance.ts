// This file has a database put itself in order while nothing else is to be done: step by step, and not while requests keep the process busy.
import { performance } from 'node:perf_hooks';
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { Database } from './database.ts';

/** Milliseconds between two steps, and until one looks again after all was done. */
const BETWEEN_STEPS = 50;
const BETWEEN_ROUNDS = 10_000;
/** Part of the time in which the process may have been busy since the last look. */
const BUSY = 0.3;

/**
 * Takes steps until it is ended. Gives what ends it.
 * @param isBusy whether there was much else to do since this was last asked
 */
export function startTidying(
  database: Pick<Database, 'tidy'>,
  see: See,
  isBusy: () => boolean = busyProcess(),
): () => void {
  const step = () => {
    const isMore = isBusy() || tried(database, see);
    timer = setTimeout(step, isMore ? BETWEEN_STEPS : BETWEEN_ROUNDS).unref();
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

function tried(database: Pick<Database, 'tidy'>, see: See): boolean {
  try {
    return database.tidy();
  } catch (error) {
    // A full disk is told to those who write.
    if (!(error instanceof Fault)) see({ kind: 'failure', id: 'tidying', error });
    return false;
  }
}
