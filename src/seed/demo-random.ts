// This file holds the seeded chance of the demo data: the same seed gives the same numbers, on every machine and for ever.

/** A stream of numbers that looks random and follows from its seed alone (a mixer of 32-bit integers over a counter). */
export class Chance {
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

  /** An integer from 0 to the limit, not included; 0 where the limit is 0. */
  below(limit: number): number {
    return Math.floor((this.next() / 4294967296) * limit);
  }

  /** True that many times out of a hundred. */
  happens(percent: number): boolean {
    return this.next() < percent * 42949672.96;
  }

  /** One of the items. The list must not be empty. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
