// This file keeps the writing connection of a node and replaces it when it is lost. The connection also holds the shared lock that shows
// migrations that the installation is in use. Without it the database may be migrated, so nothing is read until the lock is held again
// and the tables are still those that the node knows.
import { Fault } from '../../base/fault.ts';
import { LAYOUT_SETTING } from '../../sql/schema/ddl.ts';
import { ENGINE_SETTING } from '../model-tables.ts';
import type { CommitMarks } from './commit-marks.ts';
import { type Connection, connect, type PostgresSettings } from './connection.ts';
import { Disconnected, isDisconnect, sqlState, type TimeLimits } from './errors.ts';
import { locksOf } from './installation-objects.ts';
import { requireServer } from './requirements.ts';

/** The connection that writes. */
export interface WriterConnection {
  readonly connection: Connection;
  /** The key of the lock of writing transactions, as SQL. */
  readonly lock: string;
}

export type TransactionState = 'committed' | 'aborted' | 'unknown';

/** Milliseconds that a commit may remain unknown, and between attempts to find out. */
const COMMIT_PATIENCE = 10_000;
const COMMIT_INTERVAL = 100;

/** Milliseconds that a statement takes before the node checks that the server still executes it. */
const CHECK_AFTER = 2000;
const IS_ACTIVE = "SELECT 1 FROM pg_stat_activity WHERE pid = $1::int AND state = 'active'";

/** Milliseconds to wait for a migration to end, and between attempts to connect after a failure. */
const MIGRATION_PATIENCE = 1000;
const PAUSE = 50;
const PAUSE_AFTER_REFUSAL = 1000;

/** A digest of the definitions that the tables were created from, and of the model in force. */
const LAYOUT = `SELECT md5(string_agg("value", ' ' ORDER BY "name")), (SELECT max("version") FROM "docket_model")
  FROM "docket_setting" WHERE "name" IN ('${LAYOUT_SETTING}', '${ENGINE_SETTING}')`;

export class Session {
  readonly limits: TimeLimits;
  readonly #settings: PostgresSettings;
  #writer: Promise<WriterConnection> | undefined;
  #current: Connection | undefined;
  /** The layout that the node knows, once it has checked it. */
  #layout: string | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.limits = settings;
  }

  /** Whether the lock is held, so that the tables are those that the node knows. */
  get isOpen(): boolean {
    return this.#current?.isBroken === false;
  }

  /**
   * The writing connection; opens it if there is none. A failure is repeated for a moment without another attempt.
   * Throws: store.server, store.migrating, store.other-version, Disconnected, errors of pg.
   */
  writer(): Promise<WriterConnection> {
    if (this.#writer !== undefined) return this.#writer;
    const opening = this.#connect();
    this.#writer = opening;
    opening.then(
      ({ connection }) => {
        this.#current = connection;
        connection.onEnd(() => this.#reopen(opening));
      },
      (error) => {
        const pause = error instanceof Fault ? PAUSE_AFTER_REFUSAL : PAUSE;
        setTimeout(() => this.#reopen(opening), pause).unref();
      },
    );
    return opening;
  }

  /** See Database.keepLayout. */
  async keepLayout(): Promise<void> {
    const { connection } = await this.writer();
    this.#layout = await layoutOf(connection);
  }

  /** What has become of the transaction that was marked last, whose connection was lost during COMMIT. */
  async stateOfLast(marks: CommitMarks): Promise<TransactionState> {
    const end = performance.now() + COMMIT_PATIENCE;
    do {
      const state = await this.#tryStateOfLast(marks);
      if (state !== undefined) return state;
      await new Promise((resolve) => setTimeout(resolve, COMMIT_INTERVAL));
    } while (performance.now() < end);
    return 'unknown';
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const writer = await this.#writer?.catch(() => undefined);
    await writer?.connection.close();
  }

  /** Takes the lock again as soon as possible, once a connection was there. */
  #reopen(former: Promise<WriterConnection>): void {
    if (this.#writer !== former) return;
    this.#writer = undefined;
    if (!this.#isClosed && this.#current !== undefined) void this.writer();
  }

  async #tryStateOfLast(marks: CommitMarks): Promise<TransactionState | undefined> {
    try {
      const { connection, lock } = await this.writer();
      // The server may still be executing the transaction, which has the lock until it ends.
      await connection.command(`SELECT pg_advisory_xact_lock(${lock})`);
      return (await marks.isLastStored(connection)) ? 'committed' : 'aborted';
    } catch (error) {
      // A fault is why the database may not be used for now, such as a migration.
      if (isDisconnect(error) || error instanceof Fault) return undefined;
      if (/^57|^55P03/.test(sqlState(error) ?? '')) return undefined;
      throw error;
    }
  }

  async #connect(): Promise<WriterConnection> {
    if (this.#isClosed) throw new Disconnected('the database is closed');
    const { lockSeconds } = this.limits;
    // A node that stalls in a transaction must lose its lock before others stop waiting for it.
    const limits = { statementSeconds: 0, lockSeconds, idleSeconds: lockSeconds / 2 };
    const connection = await connect(this.#settings, limits);
    this.#watch(connection);
    try {
      await requireServer(connection);
      const { writes, uses } = await locksOf(connection);
      await lockShared(connection, uses, lockSeconds);
      if (this.#layout !== undefined && (await layoutOf(connection)) !== this.#layout)
        throw new Fault('store.other-version', {}, RETRY_LATER);
      connection.joinStatements();
      return { connection, lock: String(writes) };
    } catch (error) {
      connection.abandon();
      throw error;
    }
  }

  /** Statements that write have no time limit, so a server that disappears is noticed by asking about them on another connection. */
  #watch(connection: Connection): void {
    const check = async () => {
      if (connection.load === 0 || performance.now() - connection.since < CHECK_AFTER) return;
      if (!(await this.#isExecuting(connection))) connection.abandon();
    };
    const timer = setInterval(() => void check(), CHECK_AFTER).unref();
    connection.onEnd(() => clearInterval(timer));
  }

  async #isExecuting(connection: Connection): Promise<boolean> {
    const { since, processId } = connection;
    try {
      const other = await connect(this.#settings, { statementSeconds: 5, lockSeconds: 5 });
      const { rows } = await other.query(IS_ACTIVE, [BigInt(processId)]);
      await other.close();
      return rows.length > 0 || connection.load === 0 || connection.since !== since;
    } catch (error) {
      return !(error instanceof Disconnected);
    }
  }
}

const RETRY_LATER = { headers: { 'Retry-After': '5' } } as const;

/** Throws: store.migrating. */
async function lockShared(connection: Connection, key: bigint, lockSeconds: number): Promise<void> {
  const locked = `SELECT pg_advisory_lock_shared(${key})`;
  try {
    await connection.command(`SET lock_timeout = ${MIGRATION_PATIENCE}; ${locked}`);
  } catch (error) {
    throw sqlState(error) === '55P03' ? new Fault('store.migrating', {}, RETRY_LATER) : error;
  }
  await connection.command(`SET lock_timeout = ${Math.ceil(lockSeconds * 1000)}`);
}

async function layoutOf(connection: Connection): Promise<string> {
  const { rows } = await connection.query(LAYOUT, []);
  return String(rows[0]);
}
