// This file defines the business time of a demo installation (`docket demo --clock`): the time of records, which is ahead of the real time
// by an offset in the database. Whatever protects or operates the service keeps the real time: tokens, leases, mail and logs.
import type { World } from '../../base/world.ts';
import type { Database, Work } from '../../store/database.ts';
import {
  currentSetting,
  readSetting,
  settingOf,
  writeSetting,
} from '../../store/installation-settings.ts';
import { kept } from '../../store/work.ts';

/** The stored setting with the offset in milliseconds. Only demo installations whose clock can be moved have it. */
export const CLOCK_SETTING = 'clock';

export interface ClockParts {
  readonly database: Database;
  readonly world: World;
}

/** Business time in this process. */
export class BusinessClock {
  readonly #parts: ClockParts;
  #offset = 0;

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#parts.world.now() + this.#offset;
  }

  /** Applies what another process has stored. A replica may return an older offset, but the clock never goes back. */
  async load(): Promise<void> {
    const stored = await currentSetting(this.#parts.database, CLOCK_SETTING);
    this.#offset = Math.max(this.#offset, Number(stored ?? 0));
  }

  /** As load, within a transaction, which no replica answers. A move must begin at the time at which the last one ended. */
  async loadNewest(): Promise<void> {
    const stored = await this.#parts.database.write(() => kept(storedOffset()));
    this.#offset = Math.max(this.#offset, stored);
  }

  /** Moves the clock of all processes to a time, unless it is there already. The others follow within a second. */
  async moveTo(time: number): Promise<void> {
    const offset = time - this.#parts.world.now();
    if (offset <= this.#offset) return;
    await writeSetting(this.#parts.database, CLOCK_SETTING, String(offset));
    this.#offset = offset;
  }
}

function* storedOffset(): Work<number> {
  return Number((yield* settingOf(CLOCK_SETTING)) ?? 0);
}

/** Whether administrators can move business time. */
export async function hasClock(database: Pick<Database, 'read' | 'hasTable'>): Promise<boolean> {
  return (await readSetting(database, CLOCK_SETTING)) !== undefined;
}
