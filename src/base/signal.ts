// A signal without content between parts of a process, such as a commit to those that follow the change log.

export class Signal {
  readonly #listeners = new Set<() => void>();

  /** Calls back at each signal. Returns the function that ends this. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  send(): void {
    for (const listener of this.#listeners) listener();
  }
}
