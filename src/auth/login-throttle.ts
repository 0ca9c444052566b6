// This file slows down guessing: after a few failures a name and an address must wait, longer each time, never for ever
// (OWASP ASVS, "Authentication": guessing is limited, and nobody can lock another out). An attempt counts from before its password is
// tried: no more of them are under way than may still fail; what goes beyond that waits until it is known what came of the others.
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';

/** Failures that cost nothing; then the wait doubles up to the longest. Seconds. */
const FREE_FAILURES = 5;
const FIRST_WAIT = 1;
const LONGEST_WAIT = 300;
/** A streak is forgotten this long after its last failure. Milliseconds. */
const MEMORY = 15 * 60_000;
const STREAK_LIMIT = 10_000;
/** Attempts of one machine that may wait for others of it. */
const WAITING_LIMIT = 64;

/** How often a name and an address may fail before they must wait. */
export interface LoginThrottle {
  /** Whether a password may be tried now; kept as soon as that is known. Fault auth.busy when too many attempts wait. */
  readonly begin: (loginName: string, machine: string) => Promise<Admission>;
}

export type Admission =
  | { readonly kind: 'slowed'; readonly seconds: number }
  /** It may be tried; `end` must be called with what came of it, once. */
  | { readonly kind: 'begun'; readonly end: (outcome: Outcome) => void };

/** What came of an attempt; undecided where the password could not be tried. */
export type Outcome = 'failed' | 'succeeded' | 'undecided';

interface StreakKey {
  readonly name: string;
  /** Failures without a wait. */
  readonly free: number;
}

/** The name at the address, and the address. */
type Keys = readonly [StreakKey, StreakKey];

interface Streak {
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly last: number;
}

interface Waiting {
  readonly keys: Keys;
  readonly resolve: (admission: Admission) => void;
}

/** A brake that remembers failures per name at an address, and per address, in memory. */
export function createLoginThrottle(world: World): LoginThrottle {
  return new Attempts(world);
}

class Attempts implements LoginThrottle {
  readonly #world: World;
  readonly #streaks = new Map<string, Streak>();
  /** How many attempts are under way, by the names of their keys. */
  readonly #underWay = new Map<string, number>();
  /** Those that wait, by their machines, in the order in which they came. */
  readonly #waiting = new Map<string, readonly Waiting[]>();

  constructor(world: World) {
    this.#world = world;
  }

  async begin(loginName: string, machine: string): Promise<Admission> {
    const keys = keysOf(loginName, machine);
    const admission = this.#admit(keys, machine);
    if (admission !== undefined) return admission;
    const line = this.#waiting.get(machine) ?? [];
    if (line.length >= WAITING_LIMIT)
      throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '2' } });
    return await new Promise((resolve) => {
      this.#waiting.set(machine, [...line, { keys, resolve }]);
    });
  }

  /** Undefined while it depends on what comes of others: then one of them is under way. */
  #admit(keys: Keys, machine: string): Admission | undefined {
    const now = this.#world.now();
    const seconds = Math.max(...keys.map((key) => waitFor(this.#streak(key, now), key, now)));
    if (seconds > 0) return { kind: 'slowed', seconds };
    if (keys.some((key) => this.#count(key) >= roomFor(this.#streak(key, now), key)))
      return undefined;
    for (const key of keys) this.#underWay.set(key.name, this.#count(key) + 1);
    return { kind: 'begun', end: (outcome) => this.#end(keys, machine, outcome) };
  }

  #end(keys: Keys, machine: string, outcome: Outcome): void {
    for (const key of keys) {
      const others = this.#count(key) - 1;
      if (others > 0) this.#underWay.set(key.name, others);
      else this.#underWay.delete(key.name);
      if (outcome === 'failed') this.#noteFailure(key);
    }
    if (outcome === 'succeeded') this.#streaks.delete(keys[0].name);
    this.#callUp(machine);
  }

  /** Tells those that wait what is known by now. */
  #callUp(machine: string): void {
    const left = (this.#waiting.get(machine) ?? []).filter(({ keys, resolve }) => {
      const admission = this.#admit(keys, machine);
      if (admission !== undefined) resolve(admission);
      return admission === undefined;
    });
    if (left.length > 0) this.#waiting.set(machine, left);
    else this.#waiting.delete(machine);
  }

  #count({ name }: StreakKey): number {
    return this.#underWay.get(name) ?? 0;
  }

  /** The failures in a row that are not forgotten yet. */
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

/** Many people can stand behind one address: it is allowed ten times the failures of one name, and a success there proves nothing for the rest. */
function keysOf(loginName: string, machine: string): Keys {
  return [
    { name: `${loginName.toLowerCase().slice(0, 200)}\n${machine}`, free: FREE_FAILURES },
    { name: `\n${machine}`, free: FREE_FAILURES * 10 },
  ];
}

/** Seconds until the next attempt may begin. */
function waitFor(streak: Streak | undefined, { free }: StreakKey, now: number): number {
  if (streak === undefined || streak.failures < free) return 0;
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(20, streak.failures - free));
  return Math.max(0, Math.ceil((streak.last + wait * 1000 - now) / 1000));
}

/** How many attempts may be under way: as many as may fail before there is a wait, and one after it. */
function roomFor(streak: Streak | undefined, { free }: StreakKey): number {
  return Math.max(1, free - (streak?.failures ?? 0));
}
