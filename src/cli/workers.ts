// This file serves one installation by several processes. The first process only takes connections and hands them to its workers in
// turn, and lends them the brake on guessing; a worker that ends is replaced by one at the same place, which finishes what the other had
// accepted. Everything else that they share is in the database.
import type { Serializable } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import type { Brake } from '../auth/login-throttle.ts';
import { Fault, invariant } from '../base/fault.ts';
import type { Place } from '../service/deferred/job-table.ts';
import { lendBrake } from './shared-login-throttle.ts';

/** Milliseconds until a worker is replaced, and that workers have to end in order. */
const REPLACE_AFTER = 200;
const STOP_LIMIT = 25_000;
const NO_START = 'The service cannot start; its workers have said why.';
/** The variables in which a worker is told its place. */
const NUMBER = 'WORKER_NUMBER';
const COUNT = 'WORKER_COUNT';

/** The workers of this process. */
export interface Crew {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export function isWorker(): boolean {
  return cluster.isWorker;
}

export function placeOfWorker(): Place {
  const place = { number: Number(process.env[NUMBER]), of: Number(process.env[COUNT]) };
  invariant(place.number < place.of, 'a worker is told its place');
  return place;
}

/** Starts the workers: kept when all listen. Rejects when one cannot. `say` is told of workers that end unasked. */
export async function startWorkers(
  count: number,
  brake: Brake,
  say: (line: string) => void,
): Promise<Crew> {
  let isStopping = false;
  const hire = (number: number): Promise<number> => {
    const worker = cluster.fork({ [NUMBER]: number, [COUNT]: count });
    lendBrake(brake, worker);
    closeWhatIsOnItsWay(worker);
    return new Promise((resolve, reject) => {
      let listens = false;
      worker.once('listening', ({ port }) => {
        listens = true;
        resolve(port);
      });
      worker.once('exit', (code, signal) => {
        if (!listens) reject(new Fault('cli.refused', { reason: NO_START }));
        else if (!isStopping) {
          say(`Worker ${number + 1} of ${count} has ended with ${signal ?? code}.`);
          replace(number);
        }
      });
    });
  };
  const replace = (number: number): void => {
    const again = () => {
      if (!isStopping) hire(number).catch(() => replace(number));
    };
    setTimeout(again, REPLACE_AFTER).unref();
  };
  const stop = async () => {
    isStopping = true;
    await Promise.all(workers().map(stopWorker));
  };
  try {
    const ports = await Promise.all(Array.from({ length: count }, (_, number) => hire(number)));
    return { port: ports[0] ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Node leaves a connection open that it was handing over when the worker died, and the client would wait for ever: it is closed, so that
 * the client knows and asks again. One connection at most is on its way to a worker.
 */
function closeWhatIsOnItsWay(worker: Worker): void {
  const child = worker.process;
  const send = child.send.bind(child);
  let sent: unknown;
  child.send = (message: Serializable, ...more: readonly unknown[]) => {
    if (isClosable(more[0])) [sent] = more;
    return Reflect.apply(send, child, [message, ...more]);
  };
  worker.once('exit', () => {
    // Nothing comes of it where the worker has taken it over.
    if (isClosable(sent)) sent.close();
  });
}

function isClosable(handle: unknown): handle is { readonly close: () => void } {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'close' in handle &&
    typeof handle.close === 'function'
  );
}

function workers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  const clock = setTimeout(() => worker.process.kill('SIGKILL'), STOP_LIMIT);
  worker.process.kill('SIGTERM');
  await ended;
  clearTimeout(clock);
}

/** Kept when the process that started this worker is gone. */
export function abandoned(): Promise<void> {
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve());
  });
}

/** Lets the worker's process end: the channel to the first process would keep it. */
export function leaveCrew(): void {
  if (process.connected) process.disconnect();
}
