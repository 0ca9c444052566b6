// This file implements the Database interface with SQLite: one read-only connection and one for writing.
import type { Cell, Database, Probe, Row, SqlText } from '../database.ts';
import type { WriteQueue } from '../write-queue.ts';
import { Claims } from './claims.ts';
import {
  connect,
  guarded,
  inTransaction,
  PATIENCE,
  readerOf,
  type SqliteReader,
  statementOf,
  translate,
} from './connection.ts';
import type { Connection } from './driver.ts';
import { mergeStep } from './merge-text-indexes.ts';
import type { Readers } from './reader-pool.ts';
import { collectStatistics, dropUnreliableStatistics } from './statistics.ts';
import { TableVersions } from './table-versions.ts';
import { writerQueue } from './writer.ts';

export interface SqliteSettings {
  /** The database file, created if missing. */
  readonly file: string;
  /** Reader threads for scans; without them scans run in the main thread. */
  readonly readers?: Readers | undefined;
  /** The maximum size of a result in the main thread, as sizeOf counts it. */
  readonly resultSize?: number | undefined;
  /** Whether rows may refer to rows that do not exist yet. */
  readonly isLoading?: boolean;
}

/** A database that reads synchronously. */
export interface SqliteDatabase extends Database, SqliteReader {
  readonly read: SqliteReader['read'];
  readonly hasTable: SqliteReader['hasTable'];
  readonly define: (statements: readonly string[]) => void;
}

/** Opens the database. Throws InvariantError if WAL or synchronous=FULL cannot be set. */
export function openSqlite(settings: SqliteSettings): SqliteDatabase {
  const writer = connect(settings.file, false);
  writer.exec('PRAGMA busy_timeout = 0');
  dropUnreliableStatistics(writer);
  const reader = connect(settings.file, true);
  const [begin, commit] = [reader.prepare('BEGIN'), reader.prepare('COMMIT')];
  const unguarded = readerOf(reader, settings.resultSize);
  const queue = writerQueue(writer);
  const claims = new Claims(settings.file);
  if (settings.isLoading === true) writer.exec('PRAGMA foreign_keys = OFF');
  const read = (statement: SqlText, values: readonly Cell[]): readonly Row[] => {
    try {
      return unguarded.read(statement, values);
    } catch (error) {
      throw translate(error);
    }
  };
  const findsFew = makeFindsFew(read);
  let versions: TableVersions | undefined;
  let merge: (() => boolean) | undefined;
  const pinSnapshot = () => {
    if (reader.inTransaction) return () => undefined;
    guarded(() => begin.run([]));
    return () => void guarded(() => commit.run([]));
  };
  return {
    read,
    hasTable: (name) => guarded(() => unguarded.hasTable(name)),
    pinSnapshot,
    explain: async ({ text, parameters }) => {
      const values = parameters.map(() => null);
      return stepsIn(read(`EXPLAIN QUERY PLAN ${text}`, values));
    },
    load: () => loadOf(settings, queue),
    tableVersionOf: (reads) => {
      return guarded(() => {
        versions ??= new TableVersions(reader);
        return versions.of(reads);
      });
    },
    scan: async (statement, values, probe) =>
      settings.readers === undefined || (probe !== undefined && findsFew(probe))
        ? read(statement, values)
        : await settings.readers.scan(statementOf(statement).text, values),
    write: queue.write,
    compact: () => {
      merge ??= mergeStep(writer);
      return guarded(merge);
    },
    define: (statements) =>
      guarded(() => whileBlocking(writer, () => runInTransaction(writer, statements))),
    // A migration needs the file alone.
    keepLayout: () => undefined,
    reportTo: () => undefined,
    claim: async (name) => claims.claim(name),
    close: async () => {
      await queue.close();
      await settings.readers?.close();
      claims.close();
      reader.close();
      whileBlocking(writer, () => collectStatistics(writer));
      writer.close();
    },
  };
}

/** Milliseconds for which few rows are taken to be few, since writes add only some more in this time. */
const FEW_LIFETIME = 1000;

/** Returns the function that finds out whether a probe finds few rows. Dashboards ask for the same values again and again. */
export function makeFindsFew(
  read: SqliteDatabase['read'],
  elapsed = () => performance.now(),
): (probe: Probe) => boolean {
  const known = new WeakMap<
    Probe['statement'],
    { readonly values: readonly Cell[]; readonly until: number }
  >();
  return ({ statement, values }) => {
    const last = known.get(statement);
    const isKnown = last !== undefined && last.until > elapsed() && isSame(last.values, values);
    if (isKnown) return true;
    const [row = []] = read(statement, values);
    const isFew = row.includes(null);
    if (isFew) known.set(statement, { values, until: elapsed() + FEW_LIFETIME });
    return isFew;
  };
}

function isSame(one: readonly Cell[], other: readonly Cell[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Quick reads never wait, because they run in the thread of the requests. */
function loadOf({ readers }: SqliteSettings, queue: Pick<WriteQueue, 'waiting'>) {
  const { threads = 0, busy = 0, waiting = 0 } = readers?.load() ?? {};
  return {
    connections: threads,
    busyConnections: busy,
    waitingReads: 0,
    waitingScans: waiting,
    waitingWrites: queue.waiting(),
  };
}

/** Indents each step below the one that it belongs to. Source: SQLite, "EXPLAIN QUERY PLAN". */
function stepsIn(rows: readonly Row[]): readonly string[] {
  const depths = new Map<unknown, number>();
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return `${'  '.repeat(depth)}${detail}`;
  });
}

function runInTransaction(writer: Connection, statements: readonly string[]): void {
  inTransaction(writer, 'BEGIN IMMEDIATE', () => {
    for (const statement of statements) writer.exec(statement);
  });
}

/** Lets the thread block on another process's lock. Only for work before and after serving requests. */
function whileBlocking<Result>(writer: Connection, work: () => Result): Result {
  writer.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
  try {
    return work();
  } finally {
    writer.exec('PRAGMA busy_timeout = 0');
  }
}
