// This file does works in rounds: what comes while others are under way is begun together when these are done, and all of a round are
// told together. So those who go on when they have been told meet again: files that go to the disk in one round get their rows in one
// transaction, which is brought to the disk once.

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly told: (outcome: PromiseSettledResult<unknown>) => void;
}

/** Works in rounds; a work that comes alone waits for nobody. */
export class Rounds {
  #waiting: Waiting[] = [];
  #isRunning = false;

  /** Does the work in the next round. Raises what it raises. */
  async join(work: () => Promise<unknown>): Promise<void> {
    const outcome = await new Promise<PromiseSettledResult<unknown>>((told) => {
      this.#waiting.push({ work, told });
      if (!this.#isRunning) this.#run();
    });
    if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const round = this.#waiting;
      this.#waiting = [];
      const outcomes = await Promise.allSettled(round.map(async ({ work }) => await work()));
      for (const [index, outcome] of outcomes.entries()) round[index]?.told(outcome);
    }
    this.#isRunning = false;
  }
}
