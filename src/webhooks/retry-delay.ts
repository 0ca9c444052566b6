// This file calculates when a message is tried again.

/** Milliseconds before the second attempt; each further delay is so many times longer, up to the longest. */
const FIRST_DELAY = 5000;
const FACTOR = 4;
const LONGEST_DELAY = 4 * 3600 * 1000;
/** The longest delay that a receiver may request. */
const LONGEST_REQUEST = 24 * 3600 * 1000;
/** How much a delay differs at random, so that messages which have failed together are not tried again together. */
const JITTER = 0.25;

/**
 * Milliseconds until the next attempt.
 * @param attempts that have been made
 * @param random 0 to 1
 * @param requested what the receiver has requested
 */
export function retryDelay(attempts: number, random: number, requested = 0): number {
  const delay = Math.min(FIRST_DELAY * FACTOR ** (attempts - 1), LONGEST_DELAY);
  const spread = delay * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(spread, Math.min(requested, LONGEST_REQUEST)));
}

/** The milliseconds that the header Retry-After requests. RFC 9110, "Retry-After". */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}
