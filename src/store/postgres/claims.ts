// This file claims names for this process among all processes of an installation. A claim is an advisory lock of a connection, so it ends
// with the process, or when the connection is lost. The server ends the connection of a process that hangs.
import { hostname } from 'node:os';
import type { Claim } from '../database.ts';
import type { ClaimHolder } from '../installation-database.ts';
import { type Connection, connect, type PostgresSettings } from './connection.ts';

/** Milliseconds between statements that show whether the connection still works. */
const WATCH_INTERVAL = 2000;
/** A process that has been silent for so long hangs, or its machine is paused. */
const LIMIT_SILENCE = "SET idle_session_timeout = '10s'";
const TIME_LIMITS = { statementSeconds: 5, lockSeconds: 5 };

const KEY = "hashtextextended('docket claim ' || current_schema() || ' ' || $1::text, 0)";
const TRY = `SELECT pg_try_advisory_lock(${KEY})`;
const RELEASE = `SELECT pg_advisory_unlock(${KEY})`;
/** Shows in pg_stat_activity where the process of a connection runs. The server cuts off names of more than 63 bytes. */
const NAME = "SELECT set_config('application_name', $1, false)";
/** PostgreSQL, "pg_locks": the key of an advisory lock of one bigint is in two columns. */
const HOLDERS = `SELECT c.name, a.application_name, host(a.client_addr), a.backend_start::text,
    extract(epoch FROM clock_timestamp() - greatest(a.state_change, a.query_start))::float8
  FROM jsonb_array_elements_text($1::jsonb) WITH ORDINALITY AS c(name, position)
  JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.classid::bigint << 32 | l.objid::bigint) = ${KEY.replace('$1::text', 'c.name')}
  JOIN pg_stat_activity a ON a.pid = l.pid ORDER BY c.position`;

/** Who holds the claims of these names. Claims that nobody holds are left out. */
export async function claimHolders(
  connection: Connection,
  names: readonly string[],
): Promise<readonly ClaimHolder[]> {
  const { rows } = await connection.query(HOLDERS, [JSON.stringify(names)]);
  return rows.map(([name, process, address, connected, silence]) => ({
    name: String(name),
    process: String(process ?? ''),
    address: typeof address === 'string' ? address : undefined,
    connectedSince: new Date(String(connected)).toISOString(),
    silentSeconds: Math.max(0, Math.round(Number(silence))),
  }));
}

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
      await connection.query(NAME, [`docket ${hostname()} ${process.pid}`]);
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
