// This file opens connections to PostgreSQL and runs statements on them, prepared by name. Settings are made by SET after connecting, so
// that options in the URL, such as the schema, remain in force.
import { constants } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { Client, DatabaseError, type QueryArrayResult } from 'pg';
import { invariant } from '../../base/fault.ts';
import { POSTGRES } from '../../sql/dialect/postgres/postgres.ts';
import { type Fragment, type Placeholder, toStatement } from '../../sql/fragment.ts';
import type { Statement } from '../../sql/script.ts';
import type { QueueLimits } from '../admission-queue.ts';
import type { Cell, SqlText } from '../database.ts';
import { tooLarge } from '../driver-faults.ts';
import { ALL_TABLES } from '../table-changes.ts';
import { TYPES, toPostgres } from './cells.ts';
import {
  ConnectionLost,
  Disconnected,
  isDisconnect,
  isStaleStatement,
  type TimeLimits,
} from './errors.ts';
import { MessageLengths } from './message-lengths.ts';
import { type Execution, type Result, runPrepared } from './prepared-query.ts';
import { PreparedStatements } from './statements.ts';

export interface PostgresSettings extends TimeLimits {
  /** `postgres://user:password@host:port/database`, with the schema as `?options=-c search_path=name`. */
  readonly url: string;
  /** Certificates and verification, where the URL does not say enough. */
  readonly tls?: ConnectionOptions | undefined;
  /** The maximum size of the result of a read, as sizeOf counts it. */
  readonly resultSize?: number | undefined;
  /** Connections for reading. One more writes, and one more waits for notifications. */
  readonly poolSize: number;
  /** The limits of waiting scans. */
  readonly queue: QueueLimits;
  /** The limits of waiting quick reads, by default those of scans. */
  readonly readQueue?: QueueLimits;
  /** URLs of read replicas, each of one server. */
  readonly readReplicas?: readonly string[] | undefined;
}

/** Milliseconds until a connection attempt fails. */
const CONNECT_TIMEOUT = 5000;
/** Milliseconds beyond the time limit of a statement after which a connection without a response is given up. */
const GRACE = 5000;
const WATCH_INTERVAL = 1000;
/** The bytes of a message whose fields JavaScript can hold as texts. */
const LONGEST_MESSAGE = constants.MAX_STRING_LENGTH;
/** The most statements that are joined: they are sent while the client prepares more, so that the server does not wait for it. */
const MOST_JOINED = 5;
/** Milliseconds without traffic after which the operating system checks that the server is still there. */
const KEEP_ALIVE = 10_000;

/** The parts of pg's client that its types do not declare: the texts of the prepared statements by name, and the socket. */
interface Internals {
  readonly connection: {
    readonly parsedStatements: Record<string, string>;
    readonly stream: Duplex;
  };
}

/** One connection. Statements are sent without waiting for the results of earlier ones. */
export class Connection {
  /** When the statement that runs was sent or became the next one. */
  since = 0;
  /** Statements without a result, in the order in which they were sent. */
  readonly #sent = new Set<object>();
  /** The statement that has ended the connection by a message that was too long. */
  #tooLarge: object | undefined;
  #isBroken = false;
  #isCorked = false;
  #joinsStatements = false;
  /** Statements that the end of this turn of the event loop sends. */
  #waiting: Execution[] = [];
  readonly #client: Client;
  readonly #statements = new PreparedStatements();
  readonly #ends: (() => void)[] = [];

  constructor(client: Client) {
    this.#client = client;
    // An idle client reports a lost connection as an event; without a listener it would end the process.
    client.on('error', () => this.#break());
    client.on('end', () => this.#break());
  }

  /** Number of statements without a result. */
  get load(): number {
    return this.#sent.size;
  }

  /** Whether the connection is lost. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Calls `end` once the connection is lost or closed, also if it is already. */
  onEnd(end: () => void): void {
    if (this.#isBroken) end();
    else this.#ends.push(end);
  }

  /** The number of the server process. */
  get processId(): number {
    return (this.#client as unknown as { readonly processID: number }).processID;
  }

  /**
   * From now on, the statements of one turn of the event loop are executed together, some at a time, which is faster. After one that fails,
   * none of the others is executed, so this is for transactions, where they would fail as well.
   */
  joinStatements(): void {
    this.#joinsStatements = true;
  }

  /** Calls `receive` with each notification of other connections. */
  onNotification(receive: () => void): void {
    this.#client.on('notification', ({ processId }) => {
      if (processId !== this.processId) receive();
    });
  }

  /**
   * Runs a statement that is prepared under a name. Throws: errors of pg, Disconnected, store.too-large.
   * @param textColumns the number of leading columns in which integers remain text
   * @param resultSize the maximum size of all rows, as sizeOf counts it
   */
  async query(
    text: string,
    values: readonly Cell[],
    textColumns: number = 0,
    resultSize: number = Number.POSITIVE_INFINITY,
  ): Promise<Result> {
    const bound = values.map(toPostgres);
    const statement = this.#statements.find(text);
    try {
      const result = await this.#send(() =>
        this.#execute({ statement, values: bound, textColumns, resultSize }),
      );
      this.#closeEvicted();
      return result;
    } catch (error) {
      if (isStaleStatement(error)) this.#statements.forget(statement);
      throw error;
    }
  }

  /** Runs commands without values, in one round trip, and returns the result of the last one. */
  async command(text: string): Promise<Result> {
    const results = await this.#send(() => {
      this.#sendWaiting();
      return this.#client.query<Cell[]>({ text, rowMode: 'array' });
    });
    return toResult(Array.isArray(results) ? results.at(-1) : results);
  }

  async close(): Promise<void> {
    if (!this.#isBroken) await this.#client.end();
  }

  /** Gives the connection up if a statement has no result after so many milliseconds, as when the server disappears. */
  limit(milliseconds: number): void {
    const timer = setInterval(() => {
      if (this.load > 0 && performance.now() - this.since > milliseconds) this.abandon();
    }, WATCH_INTERVAL).unref();
    this.onEnd(() => clearInterval(timer));
  }

  /** From now on, gives the connection up as soon as a statement returns a message of more bytes. */
  limitMessages(bytes: number): void {
    const lengths = new MessageLengths();
    const { stream } = (this.#client as unknown as Internals).connection;
    stream.on('data', (chunk: Buffer) => {
      if (lengths.longestIn(chunk) <= bytes) return;
      // Statements whose results are in the same chunk have ended by then.
      setImmediate(() => {
        [this.#tooLarge] = this.#sent;
        this.abandon();
      });
    });
  }

  /** Ends a connection that does not respond. Its statements fail. */
  abandon(): void {
    this.#break();
    // Client.end would wait for the server.
    (this.#client as unknown as Internals).connection.stream.destroy();
  }

  async #send<Sent>(send: () => Promise<Sent>): Promise<Sent> {
    if (this.#isBroken) throw new ConnectionLost('the connection is lost');
    if (this.load === 0) this.since = performance.now();
    const own = {};
    this.#sent.add(own);
    this.#cork();
    try {
      return await send();
    } catch (error) {
      if (own === this.#tooLarge) throw tooLarge();
      if (isDisconnect(error)) {
        this.#break();
        // The server keeps the connection itself after some errors, such as those of a database that has become read-only.
        setImmediate(() => this.abandon());
      }
      if (this.#isBroken && !(error instanceof DatabaseError))
        throw new ConnectionLost('the connection is lost', { cause: error });
      throw error;
    } finally {
      this.#sent.delete(own);
      this.since = performance.now();
    }
  }

  #execute({
    statement,
    values,
    textColumns,
    resultSize,
  }: Omit<Execution, 'resolve' | 'reject'>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // An object that is spread and then extended is slow to make, and slow to read later.
      this.#waiting.push({ statement, values, textColumns, resultSize, resolve, reject });
      if (!this.#joinsStatements) this.#sendWaiting();
      else if (this.#waiting.length >= MOST_JOINED) this.#flush();
    });
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    runPrepared(this.#client, waiting);
  }

  /** Sends what waits before the end of the turn. */
  #flush(): void {
    this.#sendWaiting();
    const { stream } = (this.#client as unknown as Internals).connection;
    stream.uncork();
    stream.cork();
  }

  /** Sends the statements of one turn of the event loop together, since each write to a socket takes longer than most statements. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = (this.#client as unknown as Internals).connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#sendWaiting();
      stream.uncork();
    });
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    for (const end of this.#ends) end();
  }

  /** pg never closes prepared statements, and must forget those that are closed: it would not prepare them again. */
  #closeEvicted(): void {
    const evicted = this.#statements.takeEvicted();
    const { parsedStatements } = (this.#client as unknown as Internals).connection;
    const prepared = evicted.filter((name) => parsedStatements[name] !== undefined);
    if (prepared.length === 0) return;
    const text = prepared.map((name) => `DEALLOCATE ${name}`).join('; ');
    this.#sendWaiting();
    this.#client.query(text).catch(() => undefined);
    for (const name of prepared) delete parsedStatements[name];
  }
}

function toResult(result: QueryArrayResult<Cell[]> | undefined): Result {
  invariant(result !== undefined, 'a command has no result');
  return { rows: result.rows, changed: result.rowCount ?? 0, command: result.command };
}

/**
 * Opens a connection.
 * @param limits seconds after which the server ends statements, waiting for locks, and idle transactions; 0 is no limit
 * Throws: errors of pg for wrong settings; Disconnected.
 */
export async function connect(
  { url, tls }: Pick<PostgresSettings, 'url' | 'tls'>,
  limits: TimeLimits & { readonly idleSeconds?: number },
): Promise<Connection> {
  const client = new Client({
    connectionString: url,
    ...(tls === undefined ? {} : { ssl: tls }),
    types: TYPES as never,
    fallback_application_name: 'docket',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    pipeline: true,
  });
  const connection = new Connection(client);
  try {
    await client.connect();
  } catch (cause) {
    if (cause instanceof DatabaseError) throw cause;
    throw new Disconnected('the database cannot be reached', { cause });
  }
  connection.limitMessages(LONGEST_MESSAGE);
  await connection.command(settingsOf(limits));
  if (limits.statementSeconds > 0) connection.limit(limits.statementSeconds * 1000 + GRACE);
  return connection;
}

function settingsOf(limits: Parameters<typeof connect>[1]): string {
  const { statementSeconds, lockSeconds, idleSeconds = 0 } = limits;
  const milliseconds = (seconds: number) => Math.ceil(seconds * 1000);
  return `
    SET TimeZone = 'UTC'; SET jit = off; SET bytea_output = hex; SET standard_conforming_strings = on;
    SET extra_float_digits = 1; SET statement_timeout = ${milliseconds(statementSeconds)};
    SET lock_timeout = ${milliseconds(lockSeconds)};
    SET idle_in_transaction_session_timeout = ${milliseconds(idleSeconds)}`;
}

const rendered = new WeakMap<Fragment, Statement>();

/** The values of a fragment are bound in the order in which they occur, so each occurrence has a number of its own. */
const placeholder: Placeholder = (index, parameter) => POSTGRES.placeholder(index, parameter);

/** The statement with its text in PostgreSQL's dialect. Each fragment is rendered once. */
export function statementOf(sql: SqlText): Statement {
  if (typeof sql === 'string')
    return { text: sql, parameters: [], reads: [], writes: [ALL_TABLES] };
  if ('text' in sql) return sql;
  const known = rendered.get(sql);
  if (known !== undefined) return known;
  const statement = toStatement(sql, placeholder);
  rendered.set(sql, statement);
  return statement;
}
