// This file runs scans in threads with connections of their own, so that a statement that looks at a whole table never holds up the
// others. A scan that takes longer than the limit is given up: its thread is replaced when it comes back.
import { Worker } from 'node:worker_threads';
import { Fault, type FaultCode } from '../base/fault.ts';
import type { Cell, Row } from './database.ts';

export interface ReaderSettings {
  readonly file: string;
  readonly threads: number;
  /** Milliseconds one scan may take. */
  readonly timeLimit: number;
}

export interface Readers {
  /** Faults store.slow, store.busy. */
  readonly scan: (text: string, values: readonly Cell[]) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

/** What a thread is asked, and what it says. */
export interface ScanRequest {
  readonly text: string;
  readonly values: readonly Cell[];
}

export type ScanReply =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** `message` is that of the fault: parameters are filled in already. */
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

interface Job extends ScanRequest {
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A scan under way, and what ends it when it takes too long. */
interface Running {
  readonly job: Job;
  readonly clock: NodeJS.Timeout;
}

const WAITING_LIMIT = 1000;

/** Threads over a database file. They run compiled code only: from TypeScript sources there are none, and scans run where they are asked. */
export function startReaders(settings: ReaderSettings): Readers | undefined {
  if (settings.threads === 0 || import.meta.url.endsWith('.ts')) return undefined;
  return new ReaderPool(settings);
}

class ReaderPool implements Readers {
  readonly #settings: ReaderSettings;
  readonly #idle: Worker[] = [];
  /** What each thread is doing; undefined for those that wait for work. */
  readonly #threads = new Map<Worker, Running | undefined>();
  /** Threads that were given up, and end when their statement returns. */
  readonly #leaving = new Set<Worker>();
  readonly #waiting: Job[] = [];
  #isClosed = false;

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
  }

  scan(text: string, values: readonly Cell[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#waiting.length >= WAITING_LIMIT) {
        reject(new Fault('store.busy', {}, { headers: { 'Retry-After': '1' } }));
        return;
      }
      this.#waiting.push({ text, values, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#threads.keys(), ...this.#leaving];
    await Promise.all(all.map(async (worker) => await worker.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#isClosed) return;
    const worker = this.#idle.pop() ?? (this.#mayStart() ? this.#start() : undefined);
    const job = worker === undefined ? undefined : this.#waiting.shift();
    if (worker !== undefined && job !== undefined) this.#assign(worker, job);
  }

  /** A thread that was given up is replaced at once, but slow queries cannot gather more than as many threads again. */
  #mayStart(): boolean {
    const { threads } = this.#settings;
    return this.#threads.size < threads && this.#threads.size + this.#leaving.size < 2 * threads;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./sqlite/reader-thread.js', import.meta.url), {
      workerData: { file: this.#settings.file },
    });
    worker.unref();
    worker.on('message', (reply: ScanReply) => this.#finish(worker, reply));
    worker.on('error', (error) => this.#threads.get(worker)?.job.reject(error));
    worker.on('exit', () => this.#forget(worker));
    this.#threads.set(worker, undefined);
    return worker;
  }

  #assign(worker: Worker, job: Job): void {
    const clock = setTimeout(() => this.#giveUp(worker, job), this.#settings.timeLimit);
    this.#threads.set(worker, { job, clock });
    const request: ScanRequest = { text: job.text, values: job.values };
    worker.postMessage(request);
  }

  #finish(worker: Worker, reply: ScanReply): void {
    const running = this.#threads.get(worker);
    // The answer of a thread that was given up comes too late.
    if (running === undefined) return;
    clearTimeout(running.clock);
    this.#threads.set(worker, undefined);
    this.#idle.push(worker);
    deliver(reply, running.job);
    this.#next();
  }

  /** A statement cannot be interrupted from outside: its thread ends when it returns, and nobody waits for it any more. */
  #giveUp(worker: Worker, job: Job): void {
    this.#threads.delete(worker);
    this.#leaving.add(worker);
    void worker.terminate();
    job.reject(new Fault('store.slow', { seconds: this.#settings.timeLimit / 1000 }));
    this.#next();
  }

  /** Of a thread that has ended, whatever the reason. */
  #forget(worker: Worker): void {
    const running = this.#threads.get(worker);
    clearTimeout(running?.clock);
    running?.job.reject(new Error('a reader thread has ended'));
    this.#threads.delete(worker);
    this.#leaving.delete(worker);
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#next();
  }
}

function deliver(reply: ScanReply, job: Job): void {
  if (reply.kind === 'rows') job.resolve(reply.rows);
  else if (reply.kind === 'fault')
    job.reject(Object.assign(new Fault(reply.code), { message: reply.message }));
  else job.reject(new Error(reply.message));
}
