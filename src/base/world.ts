// This file defines World: the clock and the source of randomness. They reach the service as values, so that tests can fix them.

export interface World {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the wall clock; for time stamps and expiry. */
  readonly now: () => number;
  /** Milliseconds from an arbitrary start that never run backwards; for durations. */
  readonly elapsed: () => number;
  /** That many unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}
