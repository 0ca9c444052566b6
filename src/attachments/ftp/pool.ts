// This file keeps connections to an FTP server: at most so many, looked after before they are used again, closed when nobody needs them.
// A server that could not be reached is left alone for a moment, so that requests fail at once instead of one by one after a time limit.
import type { Client } from 'basic-ftp';
import type { World } from '../../base/world.ts';
import { Gate } from '../concurrency-limit.ts';
import { unavailable } from '../store.ts';
import { connect, type FtpSettings } from './connection.ts';

/** A connection in use. `end` gives it back; one that is closed, or in an unknown state, is not used again. */
export interface Lease {
  readonly client: Client;
  readonly end: (isSound: boolean) => void;
}

interface Idle {
  readonly client: Client;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds for which a connection is kept that nobody uses. */
const KEPT = 30_000;
/** Milliseconds after which a connection is asked whether it is alive before it is used. */
const TRUSTED = 2000;
/** Milliseconds for which a server that could not be reached is not tried again. */
const PAUSE = 3000;

export class FtpPool {
  readonly #settings: FtpSettings;
  readonly #elapsed: World['elapsed'];
  readonly #gate: Gate;
  readonly #idle: Idle[] = [];
  #broken: { readonly until: number; readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(settings: FtpSettings, elapsed: World['elapsed']) {
    this.#settings = settings;
    this.#elapsed = elapsed;
    this.#gate = new Gate(settings.connections);
  }

  /** A connection, as soon as one is free. Fault file.unavailable; the signal's reason once it is given. */
  async take(signal?: AbortSignal): Promise<Lease> {
    const leave = await this.#enter(signal);
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

  /** Does something with a connection and gives it back. Raises what the work raises. */
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

  async #enter(signal: AbortSignal | undefined): Promise<() => void> {
    try {
      return await this.#gate.enter(this.#settings.timeoutSeconds * 1000, signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unavailable('ftp', error);
    }
  }

  async #connect(): Promise<Client> {
    if (this.#broken !== undefined && this.#elapsed() < this.#broken.until)
      throw this.#broken.error;
    try {
      const client = await connect(this.#settings);
      this.#broken = undefined;
      return client;
    } catch (error) {
      this.#broken = { until: this.#elapsed() + PAUSE, error };
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
    if (this.#elapsed() - since < TRUSTED) return true;
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
      }, KEPT).unref(),
    };
    this.#idle.push(idle);
  }
}
