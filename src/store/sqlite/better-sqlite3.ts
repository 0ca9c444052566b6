// This file implements the driver contract with the package better-sqlite3. No other file imports the package.
import BetterSqlite3 from 'better-sqlite3';
import type { SqlValue } from '../../sql/dialect/sqlite-functions.ts';
import type { Cell, Row } from '../database.ts';
import type { Connection, ConnectionSettings, Prepared } from './driver.ts';

export function openBetterSqlite3(settings: ConnectionSettings): Connection {
  const { file, readonly, timeout, functions } = settings;
  const database = new BetterSqlite3(file, { readonly, timeout });
  database.defaultSafeIntegers(true);
  const options = { deterministic: true, varargs: true, safeIntegers: true };
  for (const [name, implementation] of Object.entries(functions))
    database.function(name, options, implementation);
  return new BetterConnection(database);
}

class BetterConnection implements Connection {
  readonly #database: BetterSqlite3.Database;

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  prepare(text: string): Prepared {
    return new BetterPrepared(this.#database, text);
  }

  exec(script: string): void {
    this.#database.exec(script);
  }

  close(): void {
    this.#database.close();
  }
}

class BetterPrepared implements Prepared {
  readonly #statement: BetterSqlite3.Statement<SqlValue[], Row>;
  readonly #returnsRows: boolean;

  constructor(database: BetterSqlite3.Database, text: string) {
    const statement = database.prepare<SqlValue[], Row>(text);
    this.#statement = statement.reader ? statement.raw(true) : statement;
    this.#returnsRows = statement.reader;
  }

  all(values: readonly SqlValue[]): readonly Row[] {
    if (this.#returnsRows) return this.#statement.all(...values);
    this.#statement.run(...values);
    return [];
  }

  first(values: readonly SqlValue[]): Cell | undefined {
    const row = this.#returnsRows ? this.#statement.get(...values) : this.all(values)[0];
    return row?.[0];
  }

  run(values: readonly SqlValue[]): number {
    if (this.#returnsRows) return this.#statement.all(...values).length;
    return this.#statement.run(...values).changes;
  }
}
