// This file keeps the order of messages: those about one entity form a lane, of which only the first may be under way. Lanes take turns.
import type { Queued } from './delivery-queue.ts';

/** The messages of a subscription that are in memory. */
export class Lanes {
  readonly #lanes = new Map<string, Queued[]>();
  /** Lanes whose first message may be sent now, in the order of their turns. Those under way are neither here nor waiting. */
  #ready: string[] = [];
  /** Lanes whose first message waits, with the time. */
  readonly #waiting = new Map<string, number>();
  #count = 0;
  #bytes = 0;

  /** Number of messages, and the length of their bodies. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(item: Queued): void {
    const key = laneOf(item);
    const lane = this.#lanes.get(key);
    this.#count++;
    this.#bytes += item.body.length;
    if (lane !== undefined) {
      lane.push(item);
      return;
    }
    this.#lanes.set(key, [item]);
    this.#line(key, item);
  }

  /** The next message to send. The next one of its lane follows `finish` or `delay`. */
  take(now: number): Queued | undefined {
    for (const [key, time] of this.#waiting) if (time <= now) this.#wake(key);
    for (let key = this.#ready.shift(); key !== undefined; key = this.#ready.shift()) {
      const [item] = this.#lanes.get(key) ?? [];
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Whether another message about the same entity waits. */
  isFollowed(item: Queued): boolean {
    return (this.#lanes.get(laneOf(item))?.length ?? 0) > 1;
  }

  /** The message has been sent or given up. */
  finish(item: Queued): void {
    const lane = this.#lanes.get(laneOf(item));
    if (lane?.[0]?.uid !== item.uid) return;
    lane.shift();
    this.#count--;
    this.#bytes -= item.body.length;
    const [next] = lane;
    if (next === undefined) this.#lanes.delete(laneOf(item));
    else this.#line(laneOf(item), next);
  }

  /** The message is sent again later; the lane waits for it. */
  delay(item: Queued, again: Queued): void {
    const key = laneOf(item);
    const lane = this.#lanes.get(key);
    if (lane?.[0]?.uid !== item.uid) return;
    this.#bytes += again.body.length - item.body.length;
    lane[0] = again;
    this.#line(key, again);
  }

  /** Ends all waiting, after a receiver that was unreachable has answered. */
  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.#wake(key);
  }

  #line(key: string, { nextAttempt }: Queued): void {
    if (nextAttempt === undefined) this.#ready.push(key);
    else this.#waiting.set(key, nextAttempt);
  }

  #wake(key: string): void {
    this.#waiting.delete(key);
    this.#ready.push(key);
  }
}

/** Batches are one lane, and each test is its own. */
function laneOf({ isTest, uid, subject = '' }: Queued): string {
  return isTest ? `test ${uid}` : subject;
}
