// This file counts the requests of a process by account and client until they are stored. Clients are API keys, or products as named by
// the first word of User-Agent, without its version. Both numbers are limited, because clients choose the names.
import type { Observation, RequestObservation } from '../../base/observation.ts';

/** What an account has requested by a client. */
export interface Usage {
  readonly account: string;
  readonly client: string;
  readonly requests: number;
  /** Those that were answered with 4xx. */
  readonly rejected: number;
  /** Those that were answered with 5xx. */
  readonly failed: number;
  readonly microseconds: number;
  /** Bytes of the response bodies, uncompressed and without files. */
  readonly bytes: number;
}

/** The largest number of clients of an account in a day; others count as one. */
export const MOST_CLIENTS = 20;
/** The name of all others. */
export const OTHER = 'other';
/** Accounts in memory. */
const MOST_ACCOUNTS = 10_000;
/** The largest number of characters of a client. */
const CLIENT_LENGTH = 64;

interface Counts {
  requests: number;
  rejected: number;
  failed: number;
  milliseconds: number;
  bytes: number;
}

export class UsageCounter {
  #accounts = new Map<string, Map<string, Counts>>();

  /** Counts whole requests: a batch is one. Those without an account, and those of the service itself, have no client and are not counted. */
  observe(event: Observation): void {
    if (event.kind !== 'request' || event.isPart || event.account === undefined) return;
    if (event.address === '') return;
    const clients = this.#clientsOf(event.account);
    if (clients === undefined) return;
    const counts = countsOf(clients, clientOf(event));
    counts.requests++;
    if (event.status >= 500) counts.failed++;
    else if (event.status >= 400) counts.rejected++;
    counts.milliseconds += event.milliseconds;
    counts.bytes += event.bytes ?? 0;
  }

  /** What has been counted since the last call. */
  take(): readonly Usage[] {
    const taken = [...this.#accounts].flatMap(([account, clients]) =>
      [...clients].map(([client, { milliseconds, ...counts }]) => {
        const microseconds = Math.round(milliseconds * 1000);
        return { account, client, ...counts, microseconds };
      }),
    );
    if (taken.length > 0) this.#accounts = new Map();
    return taken;
  }

  #clientsOf(account: string): Map<string, Counts> | undefined {
    const known = this.#accounts.get(account);
    if (known !== undefined || this.#accounts.size >= MOST_ACCOUNTS) return known;
    const clients = new Map<string, Counts>();
    this.#accounts.set(account, clients);
    return clients;
  }
}

function countsOf(clients: Map<string, Counts>, client: string): Counts {
  const isFull = clients.size >= MOST_CLIENTS && !clients.has(client);
  const name = isFull ? OTHER : client;
  const known = clients.get(name);
  if (known !== undefined) return known;
  const counts = { requests: 0, rejected: 0, failed: 0, milliseconds: 0, bytes: 0 };
  clients.set(name, counts);
  return counts;
}

/** RFC 9110, "User-Agent": the header begins with the product, whose version follows a slash. */
function clientOf({ apiKey, client = '' }: Pick<RequestObservation, 'apiKey' | 'client'>): string {
  if (apiKey !== undefined) return `API key ${apiKey}`;
  return /^[\w!#$%&'*+.^`|~-]+/.exec(client)?.[0].slice(0, CLIENT_LENGTH) ?? 'unknown';
}
