// This file serves one installation by several processes. The first process only takes connections and hands them to its workers in
// turn; a worker that ends is replaced. What one worker learns of failed log-ins it tells the others; everything else that they
// share is in the database.
import cluster, { type Worker } from 'node:cluster';
import type { Brake } from '../auth/grant.ts';

/** Milliseconds until a worker is replaced, and that workers have to end in order. */
const REPLACE_AFTER = 200;
const STOP_LIMIT = 25_000;
/** The variable in which a worker is told its duties. */
const DUTY = 'WORKER_DUTY';

/**
 * What a worker does besides answering. all = it also finishes what was left undone at the last stop; care = it looks after old changes
 * and stray files; none = nothing.
 */
export type Duty = 'all' | 'care' | 'none';

/** The workers of this process. */
export interface Crew {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export function isWorker(): boolean {
  return cluster.isWorker;
}

export function dutyOfWorker(): Duty {
  const duty = process.env[DUTY];
  return duty === 'all' || duty === 'care' ? duty : 'none';
}

/** Starts the workers: kept when all listen. Rejects when one cannot. */
export async function startWorkers(count: number): Promise<Crew> {
  let isStopping = false;
  const hire = (duty: Duty): Promise<number> => {
    const worker = cluster.fork({ [DUTY]: duty });
    worker.on('message', (message: unknown) => passOn(worker, message));
    return new Promise((resolve, reject) => {
      let listens = false;
      worker.once('listening', ({ port }) => {
        listens = true;
        resolve(port);
      });
      worker.once('exit', (code, signal) => {
        if (!listens) reject(new Error(`A worker has ended with ${signal ?? code} at its start.`));
        else if (!isStopping) replace(duty);
      });
    });
  };
  const replace = (duty: Duty): void => {
    const again = () => {
      // Others are at work: what the worker left undone is not told from what they do.
      if (!isStopping) hire(duty === 'none' ? 'none' : 'care').catch(() => replace(duty));
    };
    setTimeout(again, REPLACE_AFTER).unref();
  };
  const stop = async () => {
    isStopping = true;
    await Promise.all(workers().map(stopWorker));
  };
  try {
    const ports = await Promise.all(
      Array.from({ length: count }, (_, index) => hire(index === 0 ? 'all' : 'none')),
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

async function stopWorker(worker: Worker): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  const clock = setTimeout(() => worker.process.kill('SIGKILL'), STOP_LIMIT);
  worker.process.kill('SIGTERM');
  await ended;
  clearTimeout(clock);
}

/** A log-in that was tried, as one worker tells the others. */
interface Attempt {
  readonly kind: 'log-in';
  readonly loginName: string;
  readonly machine: string;
  readonly succeeded: boolean;
}

function passOn(from: Worker, message: unknown): void {
  if (!isAttempt(message)) return;
  for (const worker of workers()) if (worker !== from && worker.isConnected()) worker.send(message);
}

/** A brake that knows of the failures that other workers have seen. */
export function sharedBrake(brake: Brake): Brake {
  process.on('message', (message: unknown) => {
    if (isAttempt(message)) brake.note(message.loginName, message.machine, message.succeeded);
  });
  return {
    wait: brake.wait,
    note: (loginName, machine, succeeded) => {
      brake.note(loginName, machine, succeeded);
      const attempt: Attempt = { kind: 'log-in', loginName, machine, succeeded };
      if (process.connected) process.send?.(attempt);
    },
  };
}

function isAttempt(message: unknown): message is Attempt {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'log-in' &&
    'loginName' in message &&
    typeof message.loginName === 'string' &&
    'machine' in message &&
    typeof message.machine === 'string' &&
    'succeeded' in message &&
    typeof message.succeeded === 'boolean'
  );
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
