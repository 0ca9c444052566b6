// This file lets one process deliver at a time. The process that does the scheduled work holds a lease while it delivers, and each of its
// transactions requires it. So a process that has lost its claim without noticing can record nothing, and a new one waits until the
// attempts of the previous one must have ended.
import { hostname } from 'node:os';
import type { AuthDatabase } from '../auth/database.ts';
import type { World } from '../base/world.ts';
import type { Work } from '../store/database.ts';
import { removeSetting, settingOf, storeSetting } from '../store/installation-settings.ts';

/** The stored setting with the holder and the end of the lease. */
const SETTING = 'webhook lease';
/** Milliseconds of a lease beyond an attempt, and how much of them is left when it is renewed. */
const RESERVE = 10_000;
const RENEWED = 5000;

export const OTHER_PROCESS = 'Another process delivers webhooks.';

/** Thrown in transactions of a process that no longer holds the lease. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class DeliveryLease {
  readonly #database: AuthDatabase;
  readonly #world: World;
  /** Milliseconds of an attempt. */
  readonly #timeout: number;
  readonly #holder: string;
  /** Milliseconds since 1970. */
  #ends = 0;
  #renewal: Promise<boolean> | undefined;

  constructor(database: AuthDatabase, world: World, timeout: number) {
    this.#database = database;
    this.#world = world;
    this.#timeout = timeout;
    const token = Buffer.from(world.randomBytes(12)).toString('hex');
    this.#holder = `${hostname()} ${process.pid} ${token}`;
  }

  /** Whether an attempt that begins now ends before the lease does. Renews it if necessary. */
  async hold(): Promise<boolean> {
    if (this.#ends - this.#world.now() > this.#timeout + RENEWED) return true;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return await this.#renewal;
  }

  /** Throws LeaseLost unless this process holds the lease. */
  *require(): Work<void> {
    const held = parse(yield* settingOf(SETTING));
    if (held?.holder === this.#holder) return;
    this.#ends = 0;
    throw new LeaseLost(OTHER_PROCESS);
  }

  /** Gives the lease up. */
  async release(): Promise<void> {
    if (this.#ends === 0) return;
    this.#ends = 0;
    const holder = this.#holder;
    await this.#database.write(function* () {
      if (parse(yield* settingOf(SETTING))?.holder === holder) yield* removeSetting(SETTING);
    });
  }

  async #renew(): Promise<boolean> {
    const now = this.#world.now();
    const ends = now + this.#timeout + RESERVE;
    const holder = this.#holder;
    const isHeld = await this.#database.write(function* () {
      const held = parse(yield* settingOf(SETTING));
      const isOther = held !== undefined && held.holder !== holder && held.ends > now;
      if (isOther && !hasEnded(held.holder)) return false;
      yield* storeSetting(SETTING, JSON.stringify({ holder, ends }));
      return true;
    });
    this.#ends = isHeld ? ends : 0;
    return isHeld;
  }
}

interface Held {
  readonly holder: string;
  readonly ends: number;
}

function parse(text: string | undefined): Held | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

/** Whether the holder was another process of this machine, which has ended. */
function hasEnded(holder: string): boolean {
  const [host, id] = holder.split(' ');
  const number = Number(id);
  if (host !== hostname() || number === process.pid) return false;
  try {
    process.kill(number, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
