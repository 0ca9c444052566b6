// This file drives SQLite: a connection that only reads, and one that writes. Deeds that wait for the writer are done in one
// transaction, a savepoint each, so that they share one sync; none is acknowledged before it. synchronous=FULL is checked, since
// NORMAL loses acknowledged deeds at a power cut.
import SqliteDriver from 'better-sqlite3';
import { Fault, invariant } from '../base/fault.ts';
import { toSqlite } from '../sql/sqlite.ts';
import { SQLITE_FUNCTIONS } from '../sql/sqlite-functions.ts';
import type { Cell, Database, Deed, Row, Transaction } from './database.ts';
import type { Readers } from './readers.ts';

type Connection = SqliteDriver.Database;
type Prepared = SqliteDriver.Statement<unknown[], unknown>;

/** Statements kept per connection. */
const PREPARED_LIMIT = 500;
/** Deeds that may wait, and deeds done in one transaction. */
const WAITING_LIMIT = 1000;
const SHARED_LIMIT = 256;
/** How long another process may hold the writer's lock: so often it is asked for, with so many milliseconds between. */
const LOCK_ATTEMPTS = 250;
const LOCK_INTERVAL = 20;
/** Milliseconds that a thread waits for a lock where it may. */
const PATIENCE = 5000;

export interface SqliteSettings {
  /** The database file; it is made when it is missing. */
  readonly file: string;
  /** Runs scans elsewhere; without them scans run here. */
  readonly readers?: Readers;
}

interface Waiting {
  readonly deed: (transaction: Transaction) => Deed<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens the database. InvariantError when it cannot be made durable. */
export function openSqlite(settings: SqliteSettings): Database {
  const writer = connect(settings.file, false);
  const reader = connect(settings.file, true);
  const prepareRead = statementCache(reader);
  const queue = writerQueue(writer);
  writer.pragma('busy_timeout = 0');
  const read = (text: string, values: readonly Cell[]): readonly Row[] =>
    guarded(() => fetch(prepareRead(text), values));
  return {
    read,
    scan: async (text, values) =>
      settings.readers === undefined
        ? read(text, values)
        : await settings.readers.scan(text, values),
    write: queue.write,
    define: (statements) => {
      const all = writer.transaction(() => {
        for (const statement of statements) writer.exec(statement);
      });
      guarded(() => patiently(writer, () => all.immediate()));
    },
    close: async () => {
      await queue.close();
      await settings.readers?.close();
      reader.close();
      patiently(writer, () => writer.pragma('optimize'));
      writer.close();
    },
  };
}

/** Waits for the lock of another process with the whole thread: for what happens before and after serving. */
function patiently<Result>(writer: Connection, work: () => Result): Result {
  writer.pragma(`busy_timeout = ${PATIENCE}`);
  try {
    return work();
  } finally {
    writer.pragma('busy_timeout = 0');
  }
}

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
  if (statement.reader) return statement.raw(true).all(...bound) as Row[];
  statement.run(...bound);
  return [];
}

/** Prepared statements by their text, the ones least recently used forgotten. */
export function statementCache(connection: Connection): (text: string) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (text) => {
    const known = prepared.get(text);
    const statement = known ?? connection.prepare(text);
    if (known !== undefined) prepared.delete(text);
    prepared.set(text, statement);
    const oldest = prepared.keys().next();
    if (prepared.size > PREPARED_LIMIT && !oldest.done) prepared.delete(oldest.value);
    return statement;
  };
}

/** Faults for what a client can do something about; other errors pass. */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof SqliteDriver.SqliteError)) return error;
  const { code } = error;
  if (isBusy(error)) return busy();
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR'))
    return new Fault('store.full', {}, { headers: { 'Retry-After': '30' } });
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return uniqueFault(error.message);
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new Fault('store.foreign-key');
  return error;
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof SqliteDriver.SqliteError &&
    (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED'))
  );
}

/** `UNIQUE constraint failed: Persons.Searchcode` names table and columns. */
function uniqueFault(message: string): Fault {
  const columns = message.replace(/^.*failed: /, '').split(', ');
  const names = columns.map((column) => column.slice(column.indexOf('.') + 1));
  const [first = ''] = names;
  return new Fault(
    'store.unique',
    { names: names.map((name) => `"${name}"`).join(', ') },
    { target: first },
  );
}

function busy(): Fault {
  return new Fault('store.busy', {}, { headers: { 'Retry-After': '1' } });
}

function stopping(): Fault {
  return new Fault('store.stopping', {}, { headers: { 'Retry-After': '5' } });
}

interface WriterQueue {
  readonly write: Database['write'];
  /** Refuses deeds from now on; kept when none waits any more. */
  readonly close: () => Promise<void>;
}

function writerQueue(connection: Connection): WriterQueue {
  const waiting: Waiting[] = [];
  const writer = makeWriter(connection);
  let draining: Promise<void> | undefined;
  let isClosed = false;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // One turn of the event loop, in which other deeds join and reads get their chance.
      await new Promise((resolve) => setImmediate(resolve));
      await perform(writer, waiting.splice(0, SHARED_LIMIT));
    }
    draining = undefined;
  };
  return {
    write: (deed) =>
      new Promise((resolve, reject) => {
        if (isClosed || waiting.length >= WAITING_LIMIT) {
          reject(isClosed ? stopping() : busy());
          return;
        }
        waiting.push({ deed, resolve: resolve as (result: unknown) => void, reject });
        draining ??= drain();
      }),
    close: async () => {
      isClosed = true;
      await draining;
    },
  };
}

/** The writing connection, with statements kept for what is said to it again and again. */
interface Writer {
  readonly connection: Connection;
  readonly transaction: Transaction;
  readonly say: (command: string) => void;
}

function makeWriter(connection: Connection): Writer {
  const prepare = statementCache(connection);
  return {
    connection,
    transaction: transactionOn(connection),
    say: (command) => void prepare(command).run(),
  };
}

/** What a deed is given: the connection has a transaction open while it is used. */
export function transactionOn(connection: Connection): Transaction {
  const prepare = statementCache(connection);
  return {
    rows: (text, values) => fetch(prepare(text), values),
    change: (text, values) => {
      const statement = prepare(text);
      if (statement.reader) return fetch(statement, values).length;
      return Number(statement.run(...values.map(toSqlite)).changes);
    },
  };
}

type Settled = { readonly item: Waiting } & (
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
);

/** Does the deeds in one transaction; where that cannot be committed as a whole, each in one of its own. */
async function perform(writer: Writer, items: readonly Waiting[]): Promise<void> {
  const outcome = await attempt(writer, items);
  if (outcome.kind === 'committed') {
    for (const settled of outcome.settled) {
      if (settled.kind === 'done') settled.item.resolve(settled.result);
      else settled.item.reject(translate(settled.error));
    }
    return;
  }
  if (items.length > 1 && isConstraint(outcome.error))
    for (const item of items) await perform(writer, [item]);
  else for (const item of items) item.reject(translate(outcome.error));
}

type Attempt =
  | { readonly kind: 'committed'; readonly settled: readonly Settled[] }
  | { readonly kind: 'failed'; readonly error: unknown };

async function attempt(writer: Writer, items: readonly Waiting[]): Promise<Attempt> {
  try {
    await begin(writer);
    const settled = items.map((item) => performOne(writer, item));
    writer.say('COMMIT');
    return { kind: 'committed', settled };
  } catch (error) {
    if (writer.connection.inTransaction) writer.say('ROLLBACK');
    return { kind: 'failed', error };
  }
}

/** Another process may be writing, a command of the administrator for one: reads go on while its turn lasts. */
async function begin(writer: Writer): Promise<void> {
  for (let attempts = 0; ; attempts++) {
    try {
      writer.say('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || attempts >= LOCK_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_INTERVAL));
  }
}

function performOne(writer: Writer, item: Waiting): Settled {
  writer.say('SAVEPOINT deed');
  try {
    const { result, keep } = item.deed(writer.transaction);
    if (!keep) writer.say('ROLLBACK TO deed');
    writer.say('RELEASE deed');
    return { item, kind: 'done', result };
  } catch (error) {
    // A full disk may have ended the whole transaction: then all deeds in it have failed.
    if (!writer.connection.inTransaction) throw error;
    writer.say('ROLLBACK TO deed');
    writer.say('RELEASE deed');
    return { item, kind: 'failed', error };
  }
}

/** Deferred foreign keys are checked at COMMIT only: one wrong deed must not take the others down. */
function isConstraint(error: unknown): boolean {
  return error instanceof SqliteDriver.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
}
