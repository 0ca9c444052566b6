// This file makes connections to SQLite with the engine's functions and settings, keeps their prepared statements, and tells which of
// the driver's errors a client can do something about. synchronous=FULL is checked, since NORMAL loses acknowledged deeds at a power
// cut.
import SqliteDriver from 'better-sqlite3';
import { Fault, invariant } from '../../base/fault.ts';
import { toSqlite } from '../../sql/dialect/sqlite.ts';
import { SQLITE_FUNCTIONS } from '../../sql/dialect/sqlite-functions.ts';
import { PARENT_COLUMN } from '../../sql/schema/layout.ts';
import type { Cell, Row } from '../database.ts';

export type Connection = SqliteDriver.Database;
export type Prepared = SqliteDriver.Statement<unknown[], unknown>;

/** Statements kept per connection. */
const PREPARED_LIMIT = 500;
/** Milliseconds that a thread waits for a lock where it may. */
export const PATIENCE = 5000;

/** A connection with the engine's functions and settings. */
export function connect(file: string, readonly: boolean): Connection {
  const connection = new SqliteDriver(file, { readonly, timeout: PATIENCE });
  connection.defaultSafeIntegers(true);
  connection.unsafeMode(false);
  for (const [name, work] of Object.entries(SQLITE_FUNCTIONS)) {
    connection.function(name, { deterministic: true, varargs: true, safeIntegers: true }, work);
  }
  if (!readonly) {
    invariant(
      connection.pragma('journal_mode = WAL', { simple: true }) === 'wal',
      'the database cannot be set to WAL',
    );
    connection.pragma('synchronous = FULL');
    invariant(
      connection.pragma('synchronous', { simple: true }) === 2n,
      'the database cannot be set to synchronous=FULL',
    );
  }
  connection.pragma('foreign_keys = ON');
  connection.pragma('cache_size = -65536');
  connection.pragma('mmap_size = 1073741824');
  connection.pragma('temp_store = MEMORY');
  connection.pragma('journal_size_limit = 67108864');
  return connection;
}

/** Rows of a prepared statement, bound in the driver's form. */
export function fetch(statement: Prepared, values: readonly Cell[]): readonly Row[] {
  const bound = values.map(toSqlite);
  if (statement.reader) return statement.all(...bound) as Row[];
  statement.run(...bound);
  return [];
}

/** Prepared statements by their text, the ones least recently used forgotten. */
export function statementCache(connection: Connection): (text: string) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (text) => {
    const known = prepared.get(text);
    // Until there are many, none is about to be forgotten, and their order does not matter.
    if (known !== undefined && prepared.size < PREPARED_LIMIT / 2) return known;
    const statement = known ?? prepareRaw(connection, text);
    prepared.delete(text);
    prepared.set(text, statement);
    const oldest = prepared.keys().next();
    if (prepared.size > PREPARED_LIMIT && !oldest.done) prepared.delete(oldest.value);
    return statement;
  };
}

/** Rows come as arrays. */
function prepareRaw(connection: Connection, text: string): Prepared {
  const statement = connection.prepare(text);
  return statement.reader ? statement.raw(true) : statement;
}

/** Faults for what a client can do something about; other errors pass. */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

/** The fault of an error, with `place` as that where the request says the values; other errors as they are. */
export function translate(error: unknown, place?: string): unknown {
  if (!(error instanceof SqliteDriver.SqliteError)) return error;
  const { code } = error;
  if (isBusy(error)) return busy();
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR'))
    return new Fault('store.full', {}, { headers: { 'Retry-After': '30' } });
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return uniqueFault(error.message, place);
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new Fault('store.foreign-key');
  // SQLite, "Built-in Aggregate Functions": sum() raises this where whole numbers add up to too large a one.
  if (error.message === 'integer overflow') return new Fault('sql.overflow');
  if (BEYOND_LIMITS.test(error.message)) return new Fault('store.too-complex');
  return error;
}

/** What SQLite says of statements that go beyond its limits. SQLite documentation, "Implementation Limits For SQLite". */
const BEYOND_LIMITS =
  /Expression tree is too large|Recursion limit|parser stack overflow|too many (?:SQL variables|terms|columns|levels|references|arguments)|at most \d+ tables|statement too long/;

export function isBusy(error: unknown): boolean {
  return (
    error instanceof SqliteDriver.SqliteError &&
    (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED'))
  );
}

/** `UNIQUE constraint failed: Persons.Searchcode` names table and columns. */
function uniqueFault(message: string, around: string | undefined): Fault {
  const columns = message.replace(/^.*failed: /, '').split(', ');
  const all = columns.map((column) => column.slice(column.indexOf('.') + 1));
  const names = all.filter((name) => name !== PARENT_COLUMN);
  const place = names.length < all.length ? ' in the record that contains both' : '';
  const [first = ''] = names;
  return new Fault(
    'store.unique',
    { names: names.map((name) => `"${name}"`).join(', ') + place },
    { target: around === undefined ? first : `${around}/${first}` },
  );
}

export function busy(): Fault {
  return new Fault('store.busy', {}, { headers: { 'Retry-After': '1' } });
}

/** Whether what was written breaks a rule of the tables; deferred foreign keys are checked at COMMIT only. */
export function isConstraint(error: unknown): boolean {
  return error instanceof SqliteDriver.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
}
