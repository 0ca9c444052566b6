// This file records the outcomes of deliveries. While one transaction runs, further outcomes gather for the next one, so that many
// deliveries cost few transactions.
import type { AuthDatabase } from '../auth/database.ts';
import type { World } from '../base/world.ts';
import type { DeliveryLease } from './delivery-lease.ts';
import { type Recorded, recordOutcomes } from './delivery-queue.ts';

interface Waiting {
  readonly recorded: Recorded;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The largest number of outcomes in a transaction. */
const MOST = 500;

export class OutcomeRecorder {
  readonly #database: AuthDatabase;
  readonly #world: World;
  readonly #lease: DeliveryLease;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(database: AuthDatabase, world: World, lease: DeliveryLease) {
    this.#database = database;
    this.#world = world;
    this.#lease = lease;
  }

  /** Resolves when the outcome is stored. Throws LeaseLost, and the faults of the store. */
  async record(recorded: Recorded): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ recorded, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Outcomes of the same moment share the first transaction.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const part = this.#waiting.splice(0, MOST);
      try {
        await this.#store(part.map(({ recorded }) => recorded));
        for (const { resolve } of part) resolve();
      } catch (error) {
        for (const { reject } of part) reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #store(recorded: readonly Recorded[]): Promise<void> {
    const lease = this.#lease;
    const now = this.#world.now();
    await this.#database.write(function* () {
      yield* lease.require();
      yield* recordOutcomes(recorded, now);
    });
  }
}
