// This file limits the requests per minute of an account and of an IP address, if an administrator has configured limits. A batch counts
// as one request. Each worker process counts separately.
import { machineOf } from '../auth/token.ts';
import { Fault } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';
import type { Answer } from '../response/response.ts';
import type { Service } from './service.ts';

/** Length of the window in milliseconds. */
const WINDOW = 60_000;

/** Counts the requests of the current window. */
export class RateLimiter {
  readonly #elapsed: () => number;
  #start = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  /** @param elapsed monotonic clock in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Counts a request and returns the rate limit headers of its response.
   * @param name the account or address; addresses of one machine count together, as for tokens
   * @param limit requests per minute; 0 means unlimited
   * Throws: service.rate if the limit is exceeded. Source: RFC 6585, "429 Too Many Requests".
   */
  count(kind: 'account' | 'address', name: string, limit: number): Answer['headers'] | undefined {
    if (limit === 0) return undefined;
    const left = this.#begin();
    const key = `${kind} ${kind === 'address' ? machineOf(name) : name}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const seconds = String(Math.ceil(left / 1000));
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, limit - count)),
      'RateLimit-Reset': seconds,
    };
    if (count <= limit) return headers;
    const place = { headers: { ...headers, 'Retry-After': seconds } };
    throw new Fault('service.rate', { who: kind, limit, seconds }, place);
  }

  /** Starts a new window if the last one has ended. Returns the milliseconds left in it. */
  #begin(): number {
    const now = this.#elapsed();
    if (now - this.#start >= WINDOW) {
      this.#start = now;
      this.#counts = new Map();
    }
    return this.#start + WINDOW - now;
  }
}

/** The rate limiter of a service. */
export const rateLimiterOf = perObject(
  ({ world }: Service): RateLimiter => new RateLimiter(world.elapsed),
);
