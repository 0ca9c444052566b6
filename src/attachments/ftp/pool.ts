// Connection pool for an FTP server. It limits the number of connections, checks idle ones before reusing them, and closes them after a
// while. After a failed attempt to connect, further attempts fail immediately for a few seconds instead of each waiting for a timeout.
import type { Client } from 'basic-ftp';
import type { World } from '../../base/world.ts';
import { Semaphore } from '../concurrency-limit.ts';
import { unavailable } from '../store.ts';
import { connect, type FtpSettings } from './connection.ts';

/** A connection in use. `end` returns it to the pool, or closes it if it is not in a known state. */
export interface Lease {
  readonly client: Client;
  readonly end: (isSound: boolean) => void;
}

interface Idle {
  readonly client: Client;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds for which an idle connection is kept. */
const IDLE_TIMEOUT = 30_000;
/** Milliseconds without use after which a connection is checked before it is reused. */
const CHECK_AFTER = 2000;
/** Milliseconds for which no new connection is attempted after a failure. */
const PAUSE = 3000;

export class FtpPool {
  readonly #settings: FtpSettings;
  readonly #elapsed: World['elapsed'];
  readonly #semaphore: Semaphore;
  readonly #idle: Idle[] = [];
  #failure: { readonly until: number; readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(settings: FtpSettings, elapsed: World['elapsed']) {
    this.#settings = settings;
    this.#elapsed = elapsed;
    this.#semaphore = new Semaphore(settings.connections);
  }

  /**
   * A connection, as soon as one is available. Throws: file.unavailable, an Error if all connections stay in use, and the signal's reason.
   */
  async take(signal?: AbortSignal): Promise<Lease> {
    const leave = await this.#semaphore.enter(this.#settings.timeoutSeconds * 1000, signal);
    try {
      const client = (await this.#reuse()) ?? (await this.#connect());
      return {
        client,
        end: (isSound) => {
          if (isSound) this.#keep(client);
          else client.close();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw unavailable('ftp', error);
    }
  }

  /** Does some work with a connection. Throws what `take` and the work throw. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const lease = await this.take();
    try {
      return await work(lease.client);
    } finally {
      lease.end(!lease.client.closed);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { client, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      client.close();
    }
  }

  async #connect(): Promise<Client> {
    if (this.#failure !== undefined && this.#elapsed() < this.#failure.until)
      throw this.#failure.error;
    try {
      const client = await connect(this.#settings);
      this.#failure = undefined;
      return client;
    } catch (error) {
      this.#failure = { until: this.#elapsed() + PAUSE, error };
      throw error;
    }
  }

  async #reuse(): Promise<Client | undefined> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (await this.#isAlive(idle)) return idle.client;
      idle.client.close();
    }
    return undefined;
  }

  async #isAlive({ client, since }: Idle): Promise<boolean> {
    if (client.closed) return false;
    if (this.#elapsed() - since < CHECK_AFTER) return true;
    try {
      await client.send('NOOP');
      return true;
    } catch {
      return false;
    }
  }

  #keep(client: Client): void {
    if (client.closed || this.#isClosed) {
      client.close();
      return;
    }
    const idle: Idle = {
      client,
      since: this.#elapsed(),
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(idle), 1);
        client.close();
      }, IDLE_TIMEOUT).unref(),
    };
    this.#idle.push(idle);
  }
}
