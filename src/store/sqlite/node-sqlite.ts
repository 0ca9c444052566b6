// This file implements the driver contract with the module node:sqlite.
import type { SqlValue } from '../../sql/dialect/sqlite-functions.ts';
import type { Cell, Row } from '../database.ts';
import type { Connection, ConnectionSettings, OpenConnection, Prepared } from './driver.ts';
import type { NodeDatabase, NodeSqlite, NodeStatement } from './driver-choice.ts';

/** Returns the driver for a loaded module. */
export function nodeDriver({ DatabaseSync }: NodeSqlite): OpenConnection {
  return ({ file, readonly, timeout, functions }: ConnectionSettings) => {
    const options = { readOnly: readonly, timeout, readBigInts: true, returnArrays: true };
    const database = withResultCode(() => new DatabaseSync(file, options));
    const forAll = { deterministic: true, varargs: true, useBigIntArguments: true };
    for (const [name, implementation] of Object.entries(functions))
      database.function(name, forAll, implementation);
    return new NodeConnection(database);
  };
}

class NodeConnection implements Connection {
  readonly #database: NodeDatabase;

  constructor(database: NodeDatabase) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  prepare(text: string): Prepared {
    const database = this.#database;
    return withResultCode(() => new NodePrepared(database, text));
  }

  exec(script: string): void {
    withResultCode(() => this.#database.exec(script));
  }

  close(): void {
    this.#database.close();
  }
}

class NodePrepared implements Prepared {
  readonly #statement: NodeStatement;
  readonly #returnsRows: boolean;

  constructor(database: NodeDatabase, text: string) {
    this.#statement = database.prepare(text);
    this.#returnsRows = this.#statement.columns().length > 0;
  }

  all(values: readonly SqlValue[]): readonly Row[] {
    try {
      return this.#statement.all(...values);
    } catch (error) {
      throw nameResultCode(error);
    }
  }

  first(values: readonly SqlValue[]): Cell | undefined {
    try {
      return this.#statement.get(...values)?.[0];
    } catch (error) {
      throw nameResultCode(error);
    }
  }

  run(values: readonly SqlValue[]): number {
    try {
      if (this.#returnsRows) return this.#statement.all(...values).length;
      return Number(this.#statement.run(...values).changes);
    } catch (error) {
      throw nameResultCode(error);
    }
  }
}

function withResultCode<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw nameResultCode(error);
  }
}

/** Names of the result codes that need treatment. Source: SQLite, "Result and Error Codes". */
const CODES: Readonly<Record<number, string>> = {
  3: 'PERM',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  23: 'AUTH',
  24: 'FORMAT',
  26: 'NOTADB',
  787: 'CONSTRAINT_FOREIGNKEY',
  1555: 'CONSTRAINT_PRIMARYKEY',
  2067: 'CONSTRAINT_UNIQUE',
};
/** The primary code is in the low byte of an extended one. */
const PRIMARY = 0xff;

/** Replaces Node's `code`, the same for all errors of SQLite, with the name of the result code. */
function nameResultCode(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error) {
    const number = Number(error.errcode);
    const name = CODES[number] ?? CODES[number & PRIMARY] ?? 'ERROR';
    Object.assign(error, { code: `SQLITE_${name}` });
  }
  return error;
}
