// This file queues writes for a single writer, which runs those that wait as a group in one transaction.
import type { Database, Work, WorkResult } from './database.ts';
import { busy, stopping } from './driver-faults.ts';

/** Maximum of waiting writes. */
const WAITING_LIMIT = 1000;

export interface PendingWrite {
  readonly start: () => Work<WorkResult<unknown>>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When it was queued, by performance.now(). */
  readonly since: number;
}

/** The outcome of one write of a transaction. It counts once the transaction is committed. */
export type Settled = { readonly item: PendingWrite } & (
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
);

/** What has become of the transaction of a group. */
export type Attempt =
  | { readonly kind: 'completed'; readonly settled: readonly Settled[] }
  /** One write must be undone without the others, which takes savepoints. */
  | { readonly kind: 'needs-savepoints' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Reports the outcomes of a committed transaction. `translate` converts errors of the driver. */
export function report(outcomes: readonly Settled[], translate: (error: unknown) => unknown): void {
  for (const outcome of outcomes) {
    if (outcome.kind === 'done') outcome.item.resolve(outcome.result);
    else outcome.item.reject(translate(outcome.error));
  }
}

export interface WriteQueue {
  readonly write: Database['write'];
  /** Writes that have not begun. */
  readonly waiting: () => number;
  /** Rejects further writes. Resolves once none is waiting. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a queue.
 * @param runGroup runs writes as one transaction and settles them; never rejects
 * @param groupLimit maximum of writes in one transaction
 */
export function writeQueue(
  runGroup: (items: readonly PendingWrite[]) => Promise<void>,
  groupLimit: number,
): WriteQueue {
  const waiting: PendingWrite[] = [];
  let draining: Promise<void> | undefined;
  let isClosed = false;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Lets other writes join and reads run in between.
      await new Promise((resolve) => setImmediate(resolve));
      await runGroup(waiting.splice(0, groupLimit));
    }
    draining = undefined;
  };
  return {
    write: (start) =>
      new Promise((resolve, reject) => {
        if (isClosed || waiting.length >= WAITING_LIMIT) {
          reject(isClosed ? stopping() : busy());
          return;
        }
        const since = performance.now();
        waiting.push({ start, resolve: resolve as (result: unknown) => void, reject, since });
        draining ??= drain();
      }),
    waiting: () => waiting.length,
    close: async () => {
      isClosed = true;
      await draining;
    },
  };
}
