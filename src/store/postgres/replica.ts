// This file follows one read replica: a connection of its own asks how far it has replayed. A replica that is away, or lags too much, is
// skipped for a while and reported, and so is a replica of another installation.
import type { Row } from '../database.ts';
import type { Connection } from './connection.ts';
import { Disconnected } from './errors.ts';
import type { Pool } from './pool.ts';

/** The timeline is that of the last restart point, so a replica is used some minutes after it has followed another primary. */
const REPLAYED = `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint ELSE 0 END,
  (SELECT timeline_id FROM pg_catalog.pg_control_checkpoint())`;

/** Where the tables are that a connection reads: the server and its replicas, the database and the schema. */
export const TABLES_PLACE = `SELECT (SELECT system_identifier FROM pg_catalog.pg_control_system())::text, current_database()::text,
  coalesce(current_schema(), '')::text`;

/** Milliseconds between questions whether the replica has reached a position. */
const PAUSES = [0, 1, 2, 5, 10, 20];
/** Milliseconds for which a replica that lags is skipped, and between attempts to connect. */
const SKIP = 500;
const RETRY = 1000;
/** Milliseconds after which a question without an answer ends the connection. */
const PATIENCE = 1000;

/** A position in the history that the primary writes. Positions of different timelines cannot be compared. */
export interface Position {
  readonly position: bigint;
  readonly timeline: bigint;
}

/** The position in a row of two numbers. */
export function positionIn([row]: readonly Row[]): Position {
  const [position, timeline] = row ?? [];
  return { position: BigInt(String(position ?? 0)), timeline: BigInt(String(timeline ?? 0)) };
}

/**
 * Checks that a connection to a replica reads the tables of the primary. Positions do not show that: they are those of a server, which may
 * have several databases, and those of two servers may be equal. Throws: Disconnected, errors of pg.
 */
export async function requireSameTables(
  connection: Connection,
  primary: readonly Row[],
): Promise<void> {
  const { rows } = await connection.query(TABLES_PLACE, []);
  const problem = differenceOf(rows[0] ?? [], primary[0] ?? []);
  if (problem !== undefined) throw new Disconnected(problem);
}

function differenceOf(
  [server, database, schema]: Row,
  [ownServer, ownDatabase, ownSchema]: Row,
): string | undefined {
  if (server !== ownServer)
    return 'it does not belong to the server of the primary. Name a standby of that server in readReplicas';
  if (database !== ownDatabase)
    return `its database is "${database}", not "${ownDatabase}". Name the database of the primary in its URL`;
  if (schema !== ownSchema)
    return `its schema is "${schema}", not "${ownSchema}". Write the same options in its URL as in that of the primary`;
  return undefined;
}

interface Parts {
  readonly connect: () => Promise<Connection>;
  /** Runs the scans. */
  readonly pool: Pool;
  readonly report: (reason: string) => void;
}

export class Replica {
  readonly pool: Pool;
  readonly #place: string;
  readonly #parts: Parts;
  #connection: Connection | undefined;
  #replayed: Position = { position: 0n, timeline: 0n };
  #skippedUntil = 0;
  /** Why it is skipped; empty while it is used. */
  #problem = '';
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(place: string, parts: Parts) {
    this.#place = place;
    this.#parts = parts;
    this.pool = parts.pool;
  }

  /** Connects. Commands that never scan do not wait for a replica that is away. */
  start(): void {
    this.#opening ??= this.#open();
  }

  get isUsable(): boolean {
    return this.#connection?.isBroken === false && performance.now() >= this.#skippedUntil;
  }

  reportState(): void {
    if (this.#problem !== '')
      this.#parts.report(`The read replica ${this.#place} is skipped: ${this.#problem}.`);
  }

  /** Waits a moment until the replica has replayed the position. Returns whether it has. */
  async reaches(wanted: Position): Promise<boolean> {
    for (const pause of PAUSES) {
      if (this.#has(wanted)) return true;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (!(await this.#refresh())) return false;
      if (this.#has(wanted)) {
        this.#use();
        return true;
      }
    }
    this.#skip(this.#lag(wanted));
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#opening;
    await this.#connection?.close();
    await this.pool.close();
  }

  #has({ position, timeline }: Position): boolean {
    return timeline === this.#replayed.timeline && this.#replayed.position >= position;
  }

  /** Why the position is not reached. */
  #lag({ timeline }: Position): string {
    if (this.#replayed.position === 0n) return 'it is not a read replica';
    if (timeline !== this.#replayed.timeline) return 'it does not follow the primary';
    return 'its replication lag is too high';
  }

  /** Returns whether the replica has responded. */
  async #refresh(): Promise<boolean> {
    const connection = this.#connection;
    if (connection === undefined) return false;
    const timer = setTimeout(() => connection.abandon(), PATIENCE);
    try {
      const { rows } = await connection.query(REPLAYED, []);
      this.#replayed = positionIn(rows);
      return true;
    } catch {
      connection.abandon();
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(): Promise<void> {
    try {
      const connection = await this.#parts.connect();
      this.#connection = connection;
      connection.onEnd(() => {
        this.#connection = undefined;
        if (!this.#isClosed) this.#skip('the connection is lost');
        this.#retry();
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      this.#skip(cause instanceof Error ? cause.message : String(cause));
      this.#retry();
    }
  }

  #retry(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#opening = this.#open();
    }, RETRY).unref();
  }

  #skip(problem: string): void {
    this.#skippedUntil = performance.now() + SKIP;
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.reportState();
  }

  #use(): void {
    if (this.#problem === '') return;
    this.#problem = '';
    this.#parts.report(`The read replica ${this.#place} is used again.`);
  }
}
