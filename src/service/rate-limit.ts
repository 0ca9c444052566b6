// This file limits how many requests an account, and an address, may send within a minute, where an administrator has set a limit. A
// batch counts as one request. Each process counts for itself: of several, each lets as many pass.
import { machineOf } from '../auth/token.ts';
import { Fault } from '../base/fault.ts';
import type { Answer } from '../response/response.ts';
import type { Service } from './service.ts';

/** Milliseconds of a window. */
const WINDOW = 60_000;

/** Requests of a minute by whoever sent them. */
export class Rates {
  readonly #elapsed: () => number;
  #start = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  /** @param elapsed milliseconds of a clock that never goes back */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Counts a request.
   * @param who of what the limit is, and its name; addresses of one machine count together, as for tokens
   * @param limit requests in a minute; 0 for any number
   * @returns headers for the answer; undefined where there is no limit
   * Fault service.rate when it is one too many. Source: RFC 6585, "429 Too Many Requests".
   */
  count(
    who: readonly ['account' | 'address', string],
    limit: number,
  ): Answer['headers'] | undefined {
    if (limit === 0) return undefined;
    const left = this.#begin();
    const [kind, name] = who;
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

  /** Begins a new window where the last one has ended. Gives what is left of it, in milliseconds. */
  #begin(): number {
    const now = this.#elapsed();
    if (now - this.#start >= WINDOW) {
      this.#start = now;
      this.#counts = new Map();
    }
    return this.#start + WINDOW - now;
  }
}

const rates = new WeakMap<Service, Rates>();

/** What a running service has counted. */
export function ratesOf(service: Service): Rates {
  const known = rates.get(service) ?? new Rates(service.world.elapsed);
  rates.set(service, known);
  return known;
}
