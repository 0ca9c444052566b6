// Slows down password guessing. After a few failures, further attempts for a name and from an address must wait, longer each time but
// never indefinitely, so that nobody can lock out another user (OWASP ASVS, "Authentication"). An attempt counts before its password is
// checked: only as many attempts run at the same time as may still fail, and others wait for their results. Wrong API keys count for the
// address only, so that nobody slows down the log-ins of an account by its name.
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';

/** Number of failures without a wait. Then the wait doubles with each failure, up to the longest. Seconds. */
const FREE_FAILURES = 5;
const FIRST_WAIT = 1;
const LONGEST_WAIT = 300;
/** Time after the last failure at which a streak is forgotten. Milliseconds. */
const MEMORY = 15 * 60_000;
const STREAK_LIMIT = 10_000;
/** Maximum number of waiting attempts per machine. */
const WAITING_LIMIT = 64;

/** Admits or delays attempts to log in. */
export interface LoginThrottle {
  /** Asks to check a password, or with the login name '' an API key. Resolves when the attempt may begin or is rejected. Throws: auth.busy. */
  readonly begin: (loginName: string, machine: string) => Promise<Admission>;
}

export type Admission =
  | { readonly kind: 'slowed'; readonly seconds: number }
  /** The attempt may begin. `end` must be called once with its outcome. */
  | { readonly kind: 'begun'; readonly end: (outcome: Outcome) => void };

/** The outcome of an attempt. It is undecided if the password could not be checked. */
export type Outcome = 'failed' | 'succeeded' | 'undecided';

interface StreakKey {
  readonly name: string;
  /** Failures without a wait. */
  readonly free: number;
}

/** The keys for the name at the address, if there is a name, and for the address. */
type Keys = readonly [StreakKey, ...StreakKey[]];

interface Streak {
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly last: number;
}

interface Waiting {
  readonly keys: Keys;
  readonly resolve: (admission: Admission) => void;
}

/** A throttle that keeps its state in memory. */
export function createLoginThrottle(world: World): LoginThrottle {
  return new Attempts(world);
}

class Attempts implements LoginThrottle {
  readonly #world: World;
  readonly #streaks = new Map<string, Streak>();
  /** Number of running attempts by the names of their keys. */
  readonly #running = new Map<string, number>();
  /** Waiting attempts by machine, in order of arrival. */
  readonly #waiting = new Map<string, readonly Waiting[]>();

  constructor(world: World) {
    this.#world = world;
  }

  async begin(loginName: string, machine: string): Promise<Admission> {
    const keys = keysOf(loginName, machine);
    const admission = this.#admit(keys, machine);
    if (admission !== undefined) return admission;
    const queue = this.#waiting.get(machine) ?? [];
    if (queue.length >= WAITING_LIMIT)
      throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '2' } });
    return await new Promise((resolve) => {
      this.#waiting.set(machine, [...queue, { keys, resolve }]);
    });
  }

  /** Returns undefined if the decision depends on the outcome of a running attempt. */
  #admit(keys: Keys, machine: string): Admission | undefined {
    const now = this.#world.now();
    const seconds = Math.max(...keys.map((key) => waitFor(this.#streak(key, now), key, now)));
    if (seconds > 0) return { kind: 'slowed', seconds };
    if (keys.some((key) => this.#count(key) >= concurrencyFor(this.#streak(key, now), key)))
      return undefined;
    for (const key of keys) this.#running.set(key.name, this.#count(key) + 1);
    return { kind: 'begun', end: (outcome) => this.#end(keys, machine, outcome) };
  }

  #end(keys: Keys, machine: string, outcome: Outcome): void {
    for (const key of keys) {
      const others = this.#count(key) - 1;
      if (others > 0) this.#running.set(key.name, others);
      else this.#running.delete(key.name);
      if (outcome === 'failed') this.#noteFailure(key);
    }
    if (outcome === 'succeeded') this.#streaks.delete(keys[0].name);
    this.#admitWaiting(machine);
  }

  /** Resolves the waiting attempts that can be decided now. */
  #admitWaiting(machine: string): void {
    const undecided = (this.#waiting.get(machine) ?? []).filter(({ keys, resolve }) => {
      const admission = this.#admit(keys, machine);
      if (admission !== undefined) resolve(admission);
      return admission === undefined;
    });
    if (undecided.length > 0) this.#waiting.set(machine, undecided);
    else this.#waiting.delete(machine);
  }

  #count({ name }: StreakKey): number {
    return this.#running.get(name) ?? 0;
  }

  /** The recent consecutive failures. */
  #streak({ name }: StreakKey, now: number): Streak | undefined {
    const streak = this.#streaks.get(name);
    return streak !== undefined && now - streak.last < MEMORY ? streak : undefined;
  }

  #noteFailure(key: StreakKey): void {
    const now = this.#world.now();
    const failures = (this.#streak(key, now)?.failures ?? 0) + 1;
    this.#streaks.delete(key.name);
    this.#streaks.set(key.name, { failures, last: now });
    const oldest = this.#streaks.keys().next();
    if (this.#streaks.size > STREAK_LIMIT && !oldest.done) this.#streaks.delete(oldest.value);
  }
}

/** Many people may share an address, so it is allowed ten times as many failures, and a success does not end its streak. */
function keysOf(loginName: string, machine: string): Keys {
  const ofMachine = { name: `\n${machine}`, free: FREE_FAILURES * 10 };
  if (loginName === '') return [ofMachine];
  const name = `${loginName.toLowerCase().slice(0, 200)}\n${machine}`;
  return [{ name, free: FREE_FAILURES }, ofMachine];
}

/** Seconds until the next attempt may begin. */
function waitFor(streak: Streak | undefined, { free }: StreakKey, now: number): number {
  if (streak === undefined || streak.failures < free) return 0;
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(20, streak.failures - free));
  return Math.max(0, Math.ceil((streak.last + wait * 1000 - now) / 1000));
}

/** The number of attempts that may run at the same time: as many as may fail before a wait, but at least one. */
function concurrencyFor(streak: Streak | undefined, { free }: StreakKey): number {
  return Math.max(1, free - (streak?.failures ?? 0));
}
