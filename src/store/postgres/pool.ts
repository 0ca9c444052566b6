// This file runs reads on a pool of connections. Quick reads and scans have connections of their own, so that a quick read never waits
// for a scan; several quick reads may be on their way on one connection.

import type { Statement } from '../../sql/script.ts';
import { AdmissionQueue, type QueueLimits } from '../admission-queue.ts';
import type { Cell, Row } from '../database.ts';
import { stopping } from '../driver-faults.ts';
import type { Connection } from './connection.ts';
import { isDisconnect, isStaleStatement } from './errors.ts';
import type { Result } from './prepared-query.ts';

export interface PoolSettings {
  readonly connections: number;
  /** Statements that may be sent on a connection before the first of them returns. */
  readonly depth: number;
  /** The time limit of a statement in milliseconds, which the server enforces. Waiting for a connection counts towards it. */
  readonly timeLimit: number;
  /** The maximum size of a result, as sizeOf counts it. */
  readonly resultSize: number | undefined;
  readonly queue: QueueLimits;
}

interface Job {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs a statement on a connection. */
type RunOn = (connection: Connection) => Promise<Result>;

/** Milliseconds without a new attempt to connect after one has failed. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 200;
/** Milliseconds of waiting that do not count. */
const SHORT_WAIT = 100;

export class Pool {
  readonly #open: () => Promise<Connection>;
  readonly #settings: PoolSettings;
  readonly #connections = new Set<Connection>();
  readonly #waiting: AdmissionQueue<Job>;
  #opening = 0;
  #pause = 0;
  #pausedUntil = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(open: () => Promise<Connection>, settings: PoolSettings) {
    this.#open = open;
    this.#settings = settings;
    this.#waiting = new AdmissionQueue(settings.queue);
  }

  /** Runs a statement. A read has no effects, so one whose connection is lost runs again. Throws: store.queue-full, store.queue-time, errors of pg. */
  async run(
    statement: Statement,
    values: readonly Cell[],
    isLimited: boolean = true,
  ): Promise<readonly Row[]> {
    const { text, textColumns } = statement;
    const resultSize = isLimited ? this.#settings.resultSize : undefined;
    const runOn: RunOn = (connection) => connection.query(text, values, textColumns, resultSize);
    try {
      return await this.#runOnce(runOn);
    } catch (error) {
      if (!isDisconnect(error) && !isStaleStatement(error)) throw error;
      return await this.#runOnce(runOn);
    }
  }

  get load(): { readonly connections: number; readonly busy: number; readonly waiting: number } {
    const busy = [...this.#connections].filter(({ load }) => load > 0).length;
    return { connections: this.#connections.size, busy, waiting: this.#waiting.length };
  }

  /** Rejects the statements that wait for a connection. Resolves once all others have their results. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#waiting.rejectAll(stopping());
    await Promise.all([...this.#connections].map(closeIdle));
  }

  async #runOnce(runOn: RunOn): Promise<readonly Row[]> {
    const start = performance.now();
    const connection = this.#free() ?? (await this.#wait());
    const waited = performance.now() - start;
    try {
      if (waited < SHORT_WAIT) return (await runOn(connection)).rows;
      const limit = this.#settings.timeLimit - waited;
      return await this.#runWithin(connection, limit, runOn);
    } finally {
      if (this.#waiting.length > 0) this.#serve();
    }
  }

  /** Runs a statement with what is left of its time limit. The three statements are sent together, so they take one round trip. */
  async #runWithin(
    connection: Connection,
    milliseconds: number,
    runOn: RunOn,
  ): Promise<readonly Row[]> {
    const limited = connection.command(limitTo(milliseconds));
    const result = runOn(connection);
    const restored = connection.command(limitTo(this.#settings.timeLimit));
    const [outcome, ...commands] = await Promise.allSettled([result, limited, restored]);
    if (commands.some(({ status }) => status === 'rejected')) connection.abandon();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value.rows;
  }

  #wait(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(stopping());
        return;
      }
      this.#waiting.add({ resolve, reject });
      this.#serve();
    });
  }

  /** An idle connection, or the one with the fewest statements once no more can be opened. */
  #free(): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.load === 0) return connection;
      if (best === undefined || connection.load < best.load) best = connection;
    }
    const isFull = this.#connections.size >= this.#settings.connections;
    return isFull && best !== undefined && best.load < this.#settings.depth ? best : undefined;
  }

  #serve(): void {
    const connection = this.#waiting.length === 0 ? undefined : this.#free();
    if (connection === undefined) {
      this.#openMore();
      return;
    }
    this.#waiting.next()?.resolve(connection);
    // The job sends its statement in a microtask: until then the connection would look free.
    queueMicrotask(() => this.#serve());
  }

  #openMore(): void {
    const { connections } = this.#settings;
    while (
      !this.#isClosed &&
      this.#opening < this.#waiting.length &&
      this.#connections.size + this.#opening < connections
    ) {
      if (performance.now() < this.#pausedUntil) {
        this.#retry ??= setTimeout(() => this.#endPause(), this.#pause);
        return;
      }
      void this.#openOne();
    }
  }

  #endPause(): void {
    this.#retry = undefined;
    this.#pausedUntil = 0;
    this.#serve();
  }

  async #openOne(): Promise<void> {
    this.#opening++;
    try {
      const connection = await this.#open();
      connection.onEnd(() => this.#connections.delete(connection));
      this.#connections.add(connection);
      this.#pause = 0;
      if (this.#isClosed) await connection.close();
    } catch (error) {
      this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE), LONGEST_PAUSE);
      this.#pausedUntil = performance.now() + this.#pause;
      // Requests do not wait for a database that cannot be reached, unless connections remain that will serve them.
      if (this.#connections.size === 0) this.#waiting.rejectAll(error);
    } finally {
      this.#opening--;
      this.#serve();
    }
  }
}

async function closeIdle(connection: Connection): Promise<void> {
  while (connection.load > 0 && !connection.isBroken)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await connection.close();
}

/** 0 would be no limit. */
function limitTo(milliseconds: number): string {
  return `SET statement_timeout = ${Math.max(1, Math.ceil(milliseconds))}`;
}
