// This file runs scans in worker threads with their own connections, so that a full table scan never blocks other requests. A scan
// that exceeds the time limit is abandoned and its thread replaced.
import { Worker } from 'node:worker_threads';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { AdmissionQueue, type QueueLimits } from '../admission-queue.ts';
import type { Cell, Row } from '../database.ts';
import { stopping } from '../driver-faults.ts';

export interface ReaderSettings {
  readonly file: string;
  readonly threads: number;
  /** Milliseconds per scan, including the time that it waits for a thread. */
  readonly timeLimit: number;
  /** The maximum size of a result, as sizeOf counts it. */
  readonly resultSize: number;
  readonly queue: QueueLimits;
}

export interface Readers {
  /** Throws: store.slow, store.queue-full, store.queue-time, store.stopping. */
  readonly scan: (text: string, values: readonly Cell[]) => Promise<readonly Row[]>;
  readonly load: () => ReaderLoad;
  readonly close: () => Promise<void>;
}

interface ReaderLoad {
  readonly threads: number;
  readonly busy: number;
  readonly waiting: number;
}

/** Message to a reader thread; ScanReply is its response. */
export interface ScanRequest {
  readonly text: string;
  readonly values: readonly Cell[];
}

export type ScanReply =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** `message` has its parameters filled in already. */
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'error'; readonly message: string }
  /** The database could not be opened, and may be with the next scan. */
  | { readonly kind: 'unopened' };

interface Job extends ScanRequest {
  /** When the time limit ends, by `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly job: Job;
  readonly timer: NodeJS.Timeout;
}

/**
 * Starts reader threads for a database file. Workers need compiled code: when run from TypeScript sources this returns undefined, and
 * scans run in the main thread.
 */
export function startReaders(settings: ReaderSettings): Readers | undefined {
  if (settings.threads === 0 || import.meta.url.endsWith('.ts')) return undefined;
  return new ReaderPool(settings);
}

class ReaderPool implements Readers {
  readonly #settings: ReaderSettings;
  readonly #idle: Worker[] = [];
  /** Threads with their current scan; undefined for idle ones. */
  readonly #threads = new Map<Worker, Running | undefined>();
  /** Abandoned threads; they end when their statement returns. */
  readonly #abandoned = new Set<Worker>();
  readonly #waiting: AdmissionQueue<Job>;
  #isClosed = false;

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
    this.#waiting = new AdmissionQueue(settings.queue);
  }

  scan(text: string, values: readonly Cell[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#settings.timeLimit;
      const job = { text, values, deadline, resolve, reject };
      const worker = this.#freeThread();
      if (this.#isClosed) reject(stopping());
      else if (worker === undefined) this.#waiting.add(job);
      else this.#assign(worker, job);
    });
  }

  load(): ReaderLoad {
    const threads = this.#threads.size;
    return { threads, busy: threads - this.#idle.length, waiting: this.#waiting.length };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.rejectAll(stopping());
    const all = [...this.#threads.keys(), ...this.#abandoned];
    await Promise.all(all.map(async (worker) => await worker.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const worker = this.#freeThread();
    const job = worker === undefined ? undefined : this.#waiting.next();
    if (worker !== undefined && job !== undefined) this.#assign(worker, job);
  }

  #freeThread(): Worker | undefined {
    if (this.#isClosed) return undefined;
    return this.#idle.pop() ?? (this.#mayStart() ? this.#start() : undefined);
  }

  /** An abandoned thread is replaced immediately, but slow queries can at most double the number of threads. */
  #mayStart(): boolean {
    const { threads } = this.#settings;
    return this.#threads.size < threads && this.#threads.size + this.#abandoned.size < 2 * threads;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-thread.js', import.meta.url), {
      workerData: { file: this.#settings.file, resultSize: this.#settings.resultSize },
    });
    worker.unref();
    worker.on('message', (reply: ScanReply) => this.#finish(worker, reply));
    worker.on('error', () => this.#threads.get(worker)?.job.reject(unavailable()));
    worker.on('exit', () => this.#remove(worker));
    this.#threads.set(worker, undefined);
    return worker;
  }

  #assign(worker: Worker, job: Job): void {
    const left = Math.max(0, job.deadline - performance.now());
    const timer = setTimeout(() => this.#abandon(worker, job), left);
    this.#threads.set(worker, { job, timer });
    const request: ScanRequest = { text: job.text, values: job.values };
    worker.postMessage(request);
  }

  #finish(worker: Worker, reply: ScanReply): void {
    const running = this.#threads.get(worker);
    // The thread was abandoned, so nobody waits for its reply.
    if (running === undefined) return;
    clearTimeout(running.timer);
    this.#threads.set(worker, undefined);
    this.#idle.push(worker);
    settle(running.job, reply);
    this.#next();
  }

  /** A running statement cannot be interrupted from outside, so the thread ends only when the statement returns. */
  #abandon(worker: Worker, job: Job): void {
    this.#threads.delete(worker);
    this.#abandoned.add(worker);
    void worker.terminate();
    job.reject(new Fault('store.slow', { seconds: this.#settings.timeLimit / 1000 }));
    this.#next();
  }

  #remove(worker: Worker): void {
    const running = this.#threads.get(worker);
    clearTimeout(running?.timer);
    running?.job.reject(unavailable());
    this.#threads.delete(worker);
    this.#abandoned.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#next();
  }
}

function unavailable(): Fault {
  return new Fault('store.reader', {}, { headers: { 'Retry-After': '1' } });
}

function settle(job: Job, reply: ScanReply): void {
  if (reply.kind === 'rows') job.resolve(reply.rows);
  else if (reply.kind === 'fault')
    job.reject(Object.assign(new Fault(reply.code), { message: reply.message }));
  else job.reject(reply.kind === 'unopened' ? unavailable() : new Error(reply.message));
}
