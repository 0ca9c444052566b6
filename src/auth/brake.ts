// This file slows down guessing: after a few failures a name and an address must wait, longer each time, never for ever
// (OWASP ASVS, "Authentication": guessing is limited, and nobody can lock another out).
import type { World } from '../base/world.ts';
import type { Brake } from './grant.ts';

/** Failures that cost nothing; then the wait doubles up to the longest. Seconds. */
const FREE_FAILURES = 5;
const FIRST_WAIT = 1;
const LONGEST_WAIT = 300;
/** A streak is forgotten this long after its last failure. Milliseconds. */
const MEMORY = 15 * 60_000;
const STREAK_LIMIT = 10_000;

interface StreakKey {
  readonly name: string;
  /** Failures without a wait. */
  readonly free: number;
}

interface Streak {
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly last: number;
}

/** A brake that remembers failures per name at an address, and per address, in memory. */
export function makeBrake(world: World): Brake {
  const streaks = new Map<string, Streak>();
  return {
    wait: (loginName, machine) =>
      Math.max(
        ...keys(loginName, machine).map((key) =>
          waitFor(streaks.get(key.name), key.free, world.now()),
        ),
      ),
    note: (loginName, machine, succeeded) => {
      const [pair, address] = keys(loginName, machine);
      if (succeeded) streaks.delete(pair.name);
      else for (const key of [pair, address]) noteFailure(streaks, key.name, world.now());
    },
  };
}

/** Many people can stand behind one address: it is allowed ten times the failures of one name, and a success there proves nothing for the rest. */
function keys(loginName: string, machine: string): readonly [StreakKey, StreakKey] {
  return [
    { name: `${loginName.toLowerCase().slice(0, 200)}\n${machine}`, free: FREE_FAILURES },
    { name: `\n${machine}`, free: FREE_FAILURES * 10 },
  ];
}

function waitFor(streak: Streak | undefined, free: number, now: number): number {
  if (streak === undefined || streak.failures < free) return 0;
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(20, streak.failures - free));
  return Math.max(0, Math.ceil((streak.last + wait * 1000 - now) / 1000));
}

function noteFailure(streaks: Map<string, Streak>, key: string, now: number): void {
  const previous = streaks.get(key);
  streaks.delete(key);
  const failures =
    previous !== undefined && now - previous.last < MEMORY ? previous.failures + 1 : 1;
  streaks.set(key, { failures, last: now });
  const oldest = streaks.keys().next();
  if (streaks.size > STREAK_LIMIT && !oldest.done) streaks.delete(oldest.value);
}
