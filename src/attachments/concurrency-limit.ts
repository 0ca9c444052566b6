// A semaphore with a first-in, first-out queue and a time limit for waiting.

export class Semaphore {
  #free: number;
  readonly #slots: number;
  /** Functions that hand over a slot, in the order of the calls that wait for one. */
  readonly #waiting: Set<() => void> = new Set();

  constructor(slots: number) {
    this.#slots = slots;
    this.#free = slots;
  }

  /**
   * Waits for a slot and returns a function that frees it; only its first call has an effect.
   * Throws an Error if no slot becomes free in time, and the signal's reason if it is aborted.
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
    else next();
  }

  /** Resolves when a slot has been handed over. */
  #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(enter);
      };
      const enter = () => {
        stop();
        resolve();
      };
      const abort = () => {
        stop();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`all ${this.#slots} connections are in use`));
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(enter);
    });
  }
}
