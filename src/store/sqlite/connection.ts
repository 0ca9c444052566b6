// This file opens SQLite connections with the engine's functions and settings, caches prepared statements, and translates driver
// errors into faults where a client can act on them. It verifies synchronous=FULL, since NORMAL can lose acknowledged transactions in
// a power failure.
import { Fault, invariant } from '../../base/fault.ts';
import { SQLITE, toSqlite } from '../../sql/dialect/sqlite.ts';
import { SQLITE_FUNCTIONS } from '../../sql/dialect/sqlite-functions.ts';
import { type Fragment, toStatement } from '../../sql/fragment.ts';
import type { Statement } from '../../sql/script.ts';
import { type Cell, type DatabaseReader, isCompiled, type Row, type SqlText } from '../database.ts';
import { busy, full, sizeOf, tooLarge, uniqueFault } from '../driver-faults.ts';
import { ALL_TABLES } from '../table-changes.ts';
import { type Connection, type Prepared, resultCode } from './driver.ts';
import { builtInSqlite } from './driver-choice.ts';
import { nodeDriver } from './node-sqlite.ts';

/** Bytes that the cached statements of a connection may take. A statement takes about 10 per character of its text. */
const STATEMENT_BYTES = 32 * 1_048_576;
const BYTES_PER_CHARACTER = 10;
/** Milliseconds that a thread may block waiting for a lock. */
export const PATIENCE = 5000;

const builtIn = builtInSqlite();
const openConnection =
  builtIn === undefined
    ? (await import('./better-sqlite3.ts')).openBetterSqlite3
    : nodeDriver(builtIn);

/** Opens a database in memory, with the engine's functions. */
export function openInMemory(): Connection {
  return open(':memory:', false);
}

/** Opens a connection with the engine's functions, and the default settings of SQLite. */
export function open(file: string, readonly: boolean): Connection {
  return openConnection({ file, readonly, timeout: PATIENCE, functions: SQLITE_FUNCTIONS });
}

/** Opens a connection with the engine's functions and settings. */
export function connect(file: string, readonly: boolean): Connection {
  const connection = open(file, readonly);
  if (!readonly) {
    invariant(
      firstCell(connection, 'PRAGMA journal_mode = WAL') === 'wal',
      'the database cannot be set to WAL',
    );
    connection.exec('PRAGMA synchronous = FULL');
    invariant(
      firstCell(connection, 'PRAGMA synchronous') === 2n,
      'the database cannot be set to synchronous=FULL',
    );
  }
  connection.exec(SETTINGS);
  return connection;
}

/** The size of the memory map is the largest that SQLite supports: 2 GB less 64 KB. */
const SETTINGS = `
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -65536;
  PRAGMA mmap_size = 2147418112;
  PRAGMA temp_store = MEMORY;
  PRAGMA journal_size_limit = 67108864;
`;

/** Runs work in a transaction. An error rolls it back. */
export function inTransaction(connection: Connection, begin: string, work: () => void): void {
  connection.exec(begin);
  try {
    work();
    connection.exec('COMMIT');
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** Runs work on a connection of its own that only reads. */
export function withReader<Result>(file: string, work: (connection: Connection) => Result): Result {
  const connection = connect(file, true);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** The first column of the first row of a statement. */
export function firstCell(
  connection: Connection,
  text: string,
  values: readonly Cell[] = [],
): Cell | undefined {
  return connection.prepare(text).first(values.map(toSqlite));
}

export interface SqliteReader extends DatabaseReader {
  readonly read: (statement: SqlText, values: readonly Cell[]) => readonly Row[];
  readonly hasTable: (name: string) => boolean;
}

/**
 * Reads through a connection without translating errors.
 * @param resultSize for compiled statements, see FetchLimits
 */
export function readerOf(connection: Connection, resultSize?: number): SqliteReader {
  const statements = new StatementCache(connection);
  return {
    read: (sql, values) => {
      const prepared = statements.prepare(sql);
      if (!isCompiled(sql)) return fetch(prepared, values);
      return fetchWithin(prepared, values, { resultSize, isOne: sql.isOne });
    },
    hasTable: (name) => fetch(statements.prepare(TABLE_NAMED), [name]).length > 0,
  };
}

const TABLE_NAMED = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";

/** Runs a prepared statement and returns its rows. */
export function fetch(statement: Prepared, values: readonly Cell[]): readonly Row[] {
  return statement.all(values.map(toSqlite));
}

interface FetchLimits {
  /** The maximum size of all rows, as sizeOf counts it. */
  readonly resultSize?: number | undefined;
  /** Whether there is one row at most. Reading it as one of several would take twice as long. */
  readonly isOne?: boolean | undefined;
}

/** Runs a prepared statement and returns its rows. Throws: store.too-large. */
export function fetchWithin(
  statement: Prepared,
  values: readonly Cell[],
  { resultSize = Number.POSITIVE_INFINITY, isOne = false }: FetchLimits,
): readonly Row[] {
  const rows: Row[] = [];
  let size = 0;
  const bound = values.map(toSqlite);
  for (const row of isOne ? statement.all(bound) : statement.rows(bound)) {
    size += sizeOf(row);
    if (size > resultSize) throw tooLarge(resultSize);
    rows.push(row);
  }
  return rows;
}

/** The prepared statements of a connection, by text; the least recently used are evicted. */
export class StatementCache {
  readonly #connection: Connection;
  readonly #prepared = new Map<string, Prepared>();
  #bytes = 0;
  #evicted = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether evicted statements take much memory: it is free once they are collected as garbage, or the connection is closed. */
  get isWorn(): boolean {
    return this.#evicted > STATEMENT_BYTES / 2;
  }

  prepare(sql: SqlText): Prepared {
    const text = typeof sql === 'string' ? sql : statementOf(sql).text;
    const cached = this.#prepared.get(text);
    if (cached === undefined) return this.#add(text);
    // The order only matters once the cache is close to evicting.
    if (this.#bytes > STATEMENT_BYTES / 2) {
      this.#prepared.delete(text);
      this.#prepared.set(text, cached);
    }
    return cached;
  }

  #add(text: string): Prepared {
    const statement = this.#connection.prepare(text);
    this.#prepared.set(text, statement);
    this.#bytes += bytesOf(text);
    for (const oldest of this.#prepared.keys()) {
      if (this.#bytes <= STATEMENT_BYTES) break;
      this.#prepared.delete(oldest);
      this.#bytes -= bytesOf(oldest);
      this.#evicted += bytesOf(oldest);
    }
    return statement;
  }
}

function bytesOf(text: string): number {
  return BYTES_PER_CHARACTER * text.length;
}

const rendered = new WeakMap<Fragment, Statement>();

/** The statement with its text in SQLite's dialect. Each fragment is rendered once. */
export function statementOf(sql: SqlText): Statement {
  if (typeof sql === 'string')
    return { text: sql, parameters: [], reads: [], writes: [ALL_TABLES] };
  if (isCompiled(sql)) return sql;
  const known = rendered.get(sql);
  if (known !== undefined) return known;
  const statement = toStatement(sql, SQLITE.placeholder);
  rendered.set(sql, statement);
  return statement;
}

/** Runs `work` and translates its errors. */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

/** The fault for a driver error that a client can act on; other errors unchanged. `place` locates the values in the request. */
export function translate(error: unknown, place?: string): unknown {
  const code = resultCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  if (isBusy(error)) return busy();
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR')) return full();
  if (isDamage(error)) return new Fault('store.damaged');
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return uniqueFault(columnsIn(error.message), place);
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new Fault('store.foreign-key');
  // sum() throws this when the total exceeds 64 bits. Source: SQLite, "Built-in Aggregate Functions".
  if (error.message === 'integer overflow') return new Fault('sql.overflow');
  if (code === 'SQLITE_TOOBIG') return tooLarge();
  if (BEYOND_LIMITS.test(error.message)) return new Fault('store.too-complex');
  return error;
}

/** Error messages for statements that exceed SQLite's limits. Source: SQLite, "Implementation Limits For SQLite". */
const BEYOND_LIMITS =
  /Expression tree is too large|Recursion limit|parser stack overflow|too many (?:SQL variables|terms|columns|levels|references|arguments)|at most \d+ tables|statement too long/;

/** Whether an error means that the file is damaged or not a database. */
export function isDamage(error: unknown): boolean {
  if (error instanceof Fault) return error.code === 'store.damaged';
  return /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/.test(resultCode(error) ?? '');
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(resultCode(error) ?? '');
}

/** Parses messages such as `UNIQUE constraint failed: Persons.Searchcode`. */
function columnsIn(message: string): readonly string[] {
  const columns = message.replace(/^.*failed: /, '').split(', ');
  return columns.map((column) => column.slice(column.indexOf('.') + 1));
}

/** Whether a constraint was violated. Deferred foreign keys fail only at COMMIT. */
export function isConstraint(error: unknown): boolean {
  return resultCode(error)?.startsWith('SQLITE_CONSTRAINT') ?? false;
}
