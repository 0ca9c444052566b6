// This file lets so many in at once and no more; others wait in order, for a time.

interface Waiting {
  readonly enter: () => void;
}

export class Gate {
  #free: number;
  readonly #places: number;
  readonly #waiting: Set<Waiting> = new Set();

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /**
   * Waits for a place and gives what leaves it; leaving twice counts once.
   * Raises an Error when none is free within the time, and the signal's reason once it is given.
   */
  async enter(milliseconds: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(milliseconds, signal);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave();
    };
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next.enter();
  }

  /** Kept when the place of somebody who leaves is handed over. */
  #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        enter: () => {
          stop();
          resolve();
        },
      };
      const abort = () => {
        stop();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`all ${this.#places} connections stayed in use`));
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
    });
  }
}
