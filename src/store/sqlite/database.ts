// This file drives SQLite: a connection that only reads, and one that writes.
import type { Cell, Database, Row } from '../database.ts';
import type { Readers } from '../reader-pool.ts';
import {
  type Connection,
  connect,
  fetch,
  guarded,
  PATIENCE,
  statementCache,
  translate,
} from './connection.ts';
import { tidying } from './merge-text-indexes.ts';
import { TableStates } from './table-versions.ts';
import { writerQueue } from './writer.ts';

export interface SqliteSettings {
  /** The database file; it is made when it is missing. */
  readonly file: string;
  /** Runs scans elsewhere; without them scans run here. */
  readonly readers?: Readers;
}

/** Opens the database. InvariantError when it cannot be made durable. */
export function openSqlite(settings: SqliteSettings): Database {
  const writer = connect(settings.file, false);
  const reader = connect(settings.file, true);
  const prepareRead = statementCache(reader);
  const queue = writerQueue(writer);
  writer.pragma('busy_timeout = 0');
  const read = (text: string, values: readonly Cell[]): readonly Row[] => {
    try {
      return fetch(prepareRead(text), values);
    } catch (error) {
      throw translate(error);
    }
  };
  let states: TableStates | undefined;
  let tidy: (() => boolean) | undefined;
  const hold = () => {
    if (reader.inTransaction) return () => undefined;
    prepareRead('BEGIN').run();
    return () => void prepareRead('COMMIT').run();
  };
  return {
    read,
    hold,
    stateOf: (statement) => {
      states ??= new TableStates(reader);
      return states.of(statement);
    },
    scan: async (text, values) =>
      settings.readers === undefined
        ? read(text, values)
        : await settings.readers.scan(text, values),
    write: queue.write,
    tidy: () => {
      tidy ??= tidying(writer);
      return guarded(tidy);
    },
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
