// This file provides the random numbers of the demo data. A seed always yields the same numbers, on every machine.

/** A seeded pseudo-random number generator (a 32-bit mixer over a counter). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.trunc(seed) | 0;
  }

  /** An integer from 0 to 4,294,967,295. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** An integer from 0 up to, but not including, the limit; 0 if the limit is 0. */
  below(limit: number): number {
    return Math.floor((this.next() / 4294967296) * limit);
  }

  /** True with this probability. */
  happens(percent: number): boolean {
    return this.next() < percent * 42949672.96;
  }

  /** One of the items. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
