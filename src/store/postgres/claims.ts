// This file claims names for this process among all processes of an installation. A claim is an advisory lock of a connection, so it ends
// with the process, or when the connection is lost. The server ends the connection of a process that hangs.
import type { Claim } from '../database.ts';
import { type Connection, connect, type PostgresSettings } from './connection.ts';

/** Milliseconds between statements that show whether the connection still works. */
const WATCH_INTERVAL = 2000;
/** A process that has been silent for so long hangs, or its machine is paused. */
const LIMIT_SILENCE = "SET idle_session_timeout = '10s'";
const TIME_LIMITS = { statementSeconds: 5, lockSeconds: 5 };

const KEY = "hashtextextended('docket claim ' || current_schema() || ' ' || $1::text, 0)";
const TRY = `SELECT pg_try_advisory_lock(${KEY})`;
const RELEASE = `SELECT pg_advisory_unlock(${KEY})`;

export class Claims {
  readonly #settings: PostgresSettings;
  /** Functions to call when claims are lost, by claimed name. */
  readonly #held = new Map<string, () => void>();
  /** Names that are being claimed. */
  readonly #attempted = new Set<string>();
  #connection: Promise<Connection> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
  }

  /** See Database.claim. */
  async claim(name: string, onLost: () => void): Promise<Claim | undefined> {
    // A lock that the connection has already would be granted again.
    if (this.#isClosed || this.#held.has(name) || this.#attempted.has(name)) return undefined;
    this.#attempted.add(name);
    try {
      this.#connection ??= this.#open();
      const connection = await this.#connection;
      const { rows } = await connection.query(TRY, [name]);
      if (rows[0]?.[0] !== 1n || connection.isBroken) return undefined;
      this.#held.set(name, onLost);
      return { release: async () => await this.#release(connection, name) };
    } finally {
      this.#attempted.delete(name);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#held.clear();
    clearInterval(this.#watch);
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  async #release(connection: Connection, name: string): Promise<void> {
    if (!this.#held.delete(name) || connection.isBroken) return;
    await connection.query(RELEASE, [name]).catch(() => connection.abandon());
  }

  async #open(): Promise<Connection> {
    try {
      const connection = await connect(this.#settings, TIME_LIMITS);
      await connection.query(LIMIT_SILENCE, []);
      connection.onEnd(() => this.#lose());
      this.#watch = setInterval(() => {
        connection.query('SELECT 1', []).catch(() => connection.abandon());
      }, WATCH_INTERVAL).unref();
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  #lose(): void {
    clearInterval(this.#watch);
    this.#connection = undefined;
    const lost = [...this.#held.values()];
    this.#held.clear();
    for (const onLost of lost) onLost();
  }
}
