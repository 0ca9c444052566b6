// This file orders the units of work of one transaction. Each has a turn, in which it runs as if it were alone. To save round trips, a
// unit may send its first queries before its turn, and the next turn begins as soon as a unit has sent its last operation.

/** The turn of one unit of work. */
export class Turn {
  /** The tables that the unit has read before its turn. */
  readonly readAhead = new Set<string>();
  /** Whether the unit has changed anything. */
  hasChanged = false;
  #state: 'waiting' | 'current' | 'ended' = 'waiting';
  #begin: () => void = () => undefined;
  #next: Turn | undefined;
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  /** A turn after another one, or one that begins immediately. */
  constructor(previous?: Turn) {
    if (previous === undefined) this.#start();
    else previous.#next = this;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Whether another unit may have sent operations after those of this one. */
  get isOvertaken(): boolean {
    return this.#state === 'ended' && this.#next !== undefined;
  }

  /** Resolves once the turn has begun. */
  async wait(): Promise<void> {
    if (this.isWaiting) await this.#begun;
  }

  /** Ends a turn that has begun: the unit sends no more operations. */
  end(): void {
    if (this.#state !== 'current') return;
    this.#state = 'ended';
    if (this.#next !== undefined) this.#next.#start();
  }

  #start(): void {
    this.#state = 'current';
    this.#begin();
  }
}

/** Consecutive turns. */
export function turns(count: number): readonly Turn[] {
  const result: Turn[] = [];
  for (let index = 0; index < count; index++) result.push(new Turn(result.at(-1)));
  return result;
}
