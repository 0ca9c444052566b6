// Serves one installation with several processes. The primary process accepts connections, distributes them to its workers round-robin
// and runs the login throttle for all of them. A worker that exits is replaced by one with the same number, which finishes the
// asynchronous requests that the other had accepted. All other shared state is in the database.
import cluster, { type Worker } from 'node:cluster';
import type { LoginThrottle } from '../auth/login-throttle.ts';
import { Fault, invariant } from '../base/fault.ts';
import { closeForgottenConnections } from '../http/forgotten-connections.ts';
import type { WorkerSlot } from '../service/deferred/job-table.ts';
import type { Config } from './config/config.ts';
import { serveLoginThrottle } from './shared-login-throttle.ts';

/** Delay before a worker is replaced, and the time that workers have for a graceful shutdown. Milliseconds. */
const REPLACE_AFTER = 200;
const STOP_LIMIT = 25_000;
/** Milliseconds in which another worker takes a connection that one has rejected. */
const FORGOTTEN_AFTER = 5000;
const NO_START = 'The service cannot start. The workers have printed the reason above.';
/** Environment variables that pass a worker its number and the number of workers. */
const NUMBER = 'WORKER_NUMBER';
const COUNT = 'WORKER_COUNT';

export interface WorkerPool {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export function isWorker(): boolean {
  return cluster.isWorker;
}

export function workerPlace(): WorkerSlot {
  const place = { number: Number(process.env[NUMBER]), of: Number(process.env[COUNT]) };
  invariant(place.number < place.of, 'a worker knows its number');
  return place;
}

/**
 * Starts the workers and resolves when all of them listen. Throws: cli.refused, when one cannot start.
 * @param say prints a line for each worker that exits unexpectedly
 */
export async function startWorkers(
  { workers: count, drainSeconds }: Pick<Config, 'workers' | 'drainSeconds'>,
  throttle: LoginThrottle,
  say: (line: string) => void,
): Promise<WorkerPool> {
  let isStopping = false;
  const startWorker = (number: number): Promise<number> => {
    const worker = cluster.fork({ [NUMBER]: number, [COUNT]: count });
    serveLoginThrottle(throttle, worker);
    closeForgottenConnections(worker, FORGOTTEN_AFTER);
    return new Promise((resolve, reject) => {
      let isListening = false;
      worker.once('listening', ({ port }) => {
        isListening = true;
        resolve(port);
      });
      worker.once('exit', (code, signal) => {
        if (!isListening) reject(new Fault('cli.refused', { reason: NO_START }));
        else if (!isStopping) {
          say(
            `Worker ${number + 1} of ${count} exited with ${signal ?? code}. It is being replaced.`,
          );
          replaceWorker(number);
        }
      });
    });
  };
  const replaceWorker = (number: number): void => {
    const restart = () => {
      if (!isStopping) startWorker(number).catch(() => replaceWorker(number));
    };
    setTimeout(restart, REPLACE_AFTER).unref();
  };
  const stop = async () => {
    isStopping = true;
    const limit = STOP_LIMIT + drainSeconds * 1000;
    await Promise.all(workers().map((worker) => stopWorker(worker, limit)));
  };
  try {
    const ports = await Promise.all(
      Array.from({ length: count }, (_, number) => startWorker(number)),
    );
    return { port: ports[0] ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function workers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
}

async function stopWorker(worker: Worker, limit: number): Promise<void> {
  if (worker.isDead()) return;
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), limit);
  worker.process.kill('SIGTERM');
  await exited;
  clearTimeout(timer);
}

/** Resolves when the primary process is gone. */
export function primaryGone(): Promise<void> {
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve());
  });
}

/** Closes the channel to the primary process, which would keep the worker's process alive. The worker may still report an error. */
export function disconnectFromPrimary(): void {
  // Without this, Node ends the process as soon as the channel is closed.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  if (process.connected) process.disconnect();
}
