// This file records the outcomes of deliveries, many in one transaction: a sync to disk takes longer than several attempts. Outcomes gather
// for a moment, and while a transaction runs, unless a message waits for one of them.
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
/** Milliseconds for which outcomes gather. If the service is killed meanwhile, these messages are sent again. */
const GATHERING = 20;

export class OutcomeRecorder {
  readonly #database: AuthDatabase;
  readonly #world: World;
  readonly #lease: DeliveryLease;
  #waiting: Waiting[] = [];
  #isRunning = false;
  /** Whether one of those that wait must not wait for others. */
  #isUrgent = false;
  /** Ends the gathering. */
  #hurry: () => void = () => {};

  constructor(database: AuthDatabase, world: World, lease: DeliveryLease) {
    this.#database = database;
    this.#world = world;
    this.#lease = lease;
  }

  /**
   * Resolves when the outcome is stored. Throws LeaseLost, and the faults of the store.
   * @param mayWait whether it may wait for others
   */
  async record(recorded: Recorded, mayWait = false): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ recorded, resolve, reject });
      this.#isUrgent ||= !mayWait || this.#waiting.length >= MOST;
      if (!this.#isRunning) void this.#run();
      else if (this.#isUrgent) this.#hurry();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      const part = this.#waiting.splice(0, MOST);
      this.#isUrgent = this.#waiting.length > 0;
      try {
        await this.#store(part.map(({ recorded }) => recorded));
        for (const { resolve } of part) resolve();
      } catch (error) {
        for (const { reject } of part) reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** Outcomes of the same moment are stored together in any case. */
  async #gather(): Promise<void> {
    if (this.#isUrgent) return await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHERING);
      this.#hurry = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
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
