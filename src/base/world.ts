// This file defines World, the clock and random source of the service. They are injected so that tests can control them.

export interface World {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00:00Z, for time stamps and expiry. */
  readonly now: () => number;
  /** Monotonic time in milliseconds from an arbitrary start, for durations. */
  readonly elapsed: () => number;
  /** Returns `count` cryptographically secure random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}
