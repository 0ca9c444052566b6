// This file runs scans on read replicas. Before each scan, the node asks the primary for its position in the write-ahead log and uses a
// replica only once that has replayed it. So a scan sees every change that was committed before it, on whichever node, as on the primary.
// Several scans share one question. Quick reads stay on the primary: they cost it no more than the question.
import { databasePlace } from '../../base/without-password.ts';
import type { Statement } from '../../sql/script.ts';
import type { Cell, Row } from '../database.ts';
import { type Connection, type PostgresSettings, statementOf } from './connection.ts';
import { Disconnected, isDisconnect, isRetryable, type TimeLimits } from './errors.ts';
import type { Pool } from './pool.ts';
import { type Position, positionIn, Replica, requireSameTables, TABLES_PLACE } from './replica.ts';

/** Commits are visible before they are flushed if synchronous_commit is off. */
const POSITION = `SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::bigint,
  ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int`;

/** The limits of questions to replicas. */
const ASKING: TimeLimits = { statementSeconds: 1, lockSeconds: 1 };

interface Parts {
  readonly connect: (url: string, limits: TimeLimits) => Promise<Connection>;
  /** The pool for scans on a replica, to which `open` connects. */
  readonly poolOf: (open: () => Promise<Connection>) => Pool;
}

/** Reports a replica that cannot be used, or can be used again. */
type Report = (reason: string) => void;

export class Replicas {
  readonly #primary: Pool;
  readonly #replicas: readonly Replica[];
  #turn = 0;
  #asking: Promise<Position> | undefined;
  #next: Promise<Position> | undefined;
  #report: Report = () => undefined;

  /** @param primary runs the questions for the position, and where its tables are */
  constructor(settings: PostgresSettings, primary: Pool, { connect, poolOf }: Parts) {
    this.#primary = primary;
    const open = async (url: string, limits: TimeLimits) =>
      await this.#requireSame(await connect(url, limits));
    this.#replicas = (settings.readReplicas ?? []).map(
      (url) =>
        new Replica(databasePlace(url), {
          connect: () => open(url, ASKING),
          pool: poolOf(() => open(url, settings)),
          report: (reason) => this.#report(reason),
        }),
    );
  }

  /** See Database.reportTo. */
  reportTo(report: Report): void {
    this.#report = report;
    for (const replica of this.#replicas) {
      replica.reportState();
      replica.start();
    }
  }

  /** Runs a scan on a replica; undefined if none is available and current enough. Throws: the errors of a pool. */
  async scan(statement: Statement, values: readonly Cell[]): Promise<readonly Row[] | undefined> {
    const replica = this.#choose();
    if (replica === undefined) return undefined;
    if (!(await replica.reaches(await this.#position()))) return undefined;
    try {
      return await replica.pool.run(statement, values);
    } catch (error) {
      // Replaying may cancel a statement that needs rows which the primary has removed.
      if (isDisconnect(error) || isRetryable(error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  /** The connection, if it reads the tables of the primary. An address may belong to another server at each connection. Throws: Disconnected. */
  async #requireSame(connection: Connection): Promise<Connection> {
    try {
      const primary = await this.#primary.run(statementOf(TABLES_PLACE), []);
      await requireSameTables(connection, primary);
      return connection;
    } catch (cause) {
      connection.abandon();
      if (cause instanceof Disconnected) throw cause;
      throw new Disconnected('the tables of the replica cannot be compared', { cause });
    }
  }

  #choose(): Replica | undefined {
    for (const replica of this.#replicas) replica.start();
    const usable = this.#replicas.filter((replica) => replica.isUsable);
    return usable[this.#turn++ % usable.length];
  }

  /** A question under way may be older than the caller's last write, so callers share the one after it. */
  #position(): Promise<Position> {
    if (this.#asking === undefined) return this.#ask();
    this.#next ??= this.#asking.then(
      () => this.#ask(),
      () => this.#ask(),
    );
    return this.#next;
  }

  #ask(): Promise<Position> {
    const asking = this.#primary.run(statementOf(POSITION), []).then(positionIn);
    this.#asking = asking;
    this.#next = undefined;
    const end = () => {
      if (this.#asking === asking) this.#asking = undefined;
    };
    asking.then(end, end);
    return asking;
  }
}
