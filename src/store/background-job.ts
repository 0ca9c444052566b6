// Runs a job at intervals in the background.
import type { Observe } from '../base/observation.ts';

/**
 * Does the work now and at each interval, never twice at the same time. Errors are reported and do not end the repetition. Returns a
 * function that stops the job and waits for a run in progress.
 * @param id identifies the job in reports
 * @param interval milliseconds
 */
export function startJob(
  id: string,
  interval: number,
  observe: Observe,
  work: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const once = async () => {
    if (signal.aborted) return;
    await work(signal).catch((error: unknown) => {
      if (error !== signal.reason) observe({ kind: 'failure', id, error });
    });
  };
  let running = once();
  const timer = setInterval(() => {
    running = running.then(once);
  }, interval);
  timer.unref();
  return async () => {
    stop.abort();
    clearInterval(timer);
    await running;
  };
}
