// This file implements the driver contract with the package better-sqlite3. No other file imports the package.
import BetterSqlite3 from 'better-sqlite3';
import type { SqlValue } from '../../sql/dialect/sqlite-functions.ts';
import type { Row } from '../database.ts';
import type { Connection, ConnectionSettings, Prepared } from './driver.ts';

export function openBetterSqlite3(settings: ConnectionSettings): Connection {
  const { file, readonly, timeout, functions } = settings;
  const database = new BetterSqlite3(file, { readonly, timeout });
  database.defaultSafeIntegers(true);
  const options = { deterministic: true, varargs: true, safeIntegers: true };
  for (const [name, implementation] of Object.entries(functions))
    database.function(name, options, implementation);
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    prepare: (text) => toPrepared(database.prepare(text)),
    exec: (script) => void database.exec(script),
    close: () => void database.close(),
  };
}

/** The values are bound as one array: passing each as an argument takes longer. */
function toPrepared(statement: BetterSqlite3.Statement<[readonly SqlValue[]], Row>): Prepared {
  if (!statement.reader) {
    const run = (values: readonly SqlValue[]) => statement.run(values).changes;
    const all = (values: readonly SqlValue[]): readonly Row[] => {
      run(values);
      return [];
    };
    return { all, rows: all, first: (values) => all(values)[0]?.[0], run };
  }
  statement.raw(true);
  return {
    all: (values) => statement.all(values),
    rows: (values) => statement.iterate(values),
    first: (values) => statement.get(values)?.[0],
    run: (values) => statement.all(values).length,
  };
}
