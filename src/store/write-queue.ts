// This file queues writes for a single writer, which runs those that wait as a group in one transaction. Clients whose writes have just
// been acknowledged are likely to send the next ones, so a group waits for them for a moment: a commit costs more than all else.
import type { Database, Work, WorkResult } from './database.ts';
import { busy, stopping } from './driver-faults.ts';

/** Maximum of waiting writes. */
const WAITING_LIMIT = 1000;
/** Milliseconds for which a group waits for more writes at most. */
const LONGEST_WAIT = 2;
/** A wait that fewer than this share of the expected writes have used was in vain. */
const ENOUGH = 0.75;
/** Maximum of groups that begin without a wait after waits in vain. */
const MOST_HASTY = 64;

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
  /** The others have not begun. */
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
  const gathering = new Gathering(waiting);
  /** Size of the group of which no outcome has been reported yet. */
  let running = 0;

  /** Counts before clients hear of their writes: what they write then would be counted twice. */
  const noteEnd = (): void => {
    if (running > 0) gathering.expect(Math.min(running + waiting.length, groupLimit));
    running = 0;
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Lets other writes join and reads run in between.
      await new Promise((resolve) => setImmediate(resolve));
      await gathering.wait();
      const group = waiting.splice(0, groupLimit);
      running = group.length;
      await runGroup(group);
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
        const settle = resolve as (result: unknown) => void;
        waiting.push({
          start,
          resolve: (result) => {
            noteEnd();
            settle(result);
          },
          reject: (error) => {
            noteEnd();
            reject(error);
          },
          since,
        });
        draining ??= drain();
        gathering.check();
      }),
    waiting: () => waiting.length,
    close: async () => {
      isClosed = true;
      await draining;
    },
  };
}

/** Waits until all who have sent a write lately have sent another one. Where they do so later, groups mostly begin without a wait. */
class Gathering {
  readonly #waiting: readonly PendingWrite[];
  #expected = 1;
  /** Groups that begin without a wait, from now on and after the next wait in vain. */
  #hasty = 0;
  #nextHasty = 1;
  #end: () => void = () => undefined;

  constructor(waiting: readonly PendingWrite[]) {
    this.#waiting = waiting;
  }

  /** @param writes those that the next group will probably have */
  expect(writes: number): void {
    this.#expected = writes;
  }

  /** Returns when the next group is to begin. */
  async wait(): Promise<void> {
    if (this.#waiting.length >= this.#expected) return;
    if (this.#hasty > 0) {
      this.#hasty--;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LONGEST_WAIT);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const isVain = this.#waiting.length < ENOUGH * this.#expected;
    this.#hasty = isVain ? this.#nextHasty : 0;
    this.#nextHasty = isVain ? Math.min(2 * this.#nextHasty, MOST_HASTY) : 1;
  }

  /** Ends the wait if all are there. */
  check(): void {
    if (this.#waiting.length >= this.#expected) this.#end();
  }
}
