// This file is the queue of statements that wait for a thread or a connection. It rejects a statement that would wait too long, so that
// under overload clients get 503 with Retry-After early instead of a response that comes too late.
import { Fault } from '../base/fault.ts';

export interface QueueLimits {
  /** Maximum number of waiting statements. */
  readonly length: number;
  /** Maximum waiting time in milliseconds. */
  readonly wait: number;
  /** The settings that define these limits, for messages: `limits.waitingScans`. */
  readonly settings: { readonly length: string; readonly wait: string };
}

/** A statement that waits. The caller of `next` settles it, unless the queue has rejected it. */
export interface Waiting {
  readonly reject: (error: unknown) => void;
}

/** Waiting statements in order of arrival. */
export class AdmissionQueue<Item extends Waiting> {
  readonly #limits: QueueLimits;
  readonly #timers = new Map<Item, NodeJS.Timeout>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#timers.size;
  }

  /** Appends a statement. It is rejected with store.queue-full if too many wait, and with store.queue-time if it waits too long. */
  add(item: Item): void {
    const { length, wait, settings } = this.#limits;
    if (this.length >= length) {
      item.reject(this.#fault('store.queue-full', { limit: length, setting: settings.length }));
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(item);
      const parameters = { seconds: wait / 1000, setting: settings.wait };
      item.reject(this.#fault('store.queue-time', parameters));
    }, wait);
    this.#timers.set(item, timer);
  }

  /** Removes and returns the statement that has waited longest. */
  next(): Item | undefined {
    for (const [item, timer] of this.#timers) {
      clearTimeout(timer);
      this.#timers.delete(item);
      return item;
    }
    return undefined;
  }

  /** Rejects all waiting statements. */
  rejectAll(error: unknown): void {
    for (let item = this.next(); item !== undefined; item = this.next()) item.reject(error);
  }

  /** Retry-After is the waiting time, because after it none of the statements waiting now are left. */
  #fault(
    code: 'store.queue-full' | 'store.queue-time',
    parameters: Readonly<Record<string, string | number>>,
  ): Fault {
    const seconds = Math.max(1, Math.ceil(this.#limits.wait / 1000));
    return new Fault(code, parameters, { headers: { 'Retry-After': String(seconds) } });
  }
}
