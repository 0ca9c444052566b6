// This file implements the driver contract with the module node:sqlite.
import type { SqlValue } from '../../sql/dialect/sqlite-functions.ts';
import type { OpenConnection, Prepared } from './driver.ts';
import type { NodeSqlite, NodeStatement } from './driver-choice.ts';

/** Returns the driver for a loaded module. */
export function nodeDriver({ DatabaseSync }: NodeSqlite): OpenConnection {
  return ({ file, readonly, timeout, functions }) => {
    const options = { readOnly: readonly, timeout, readBigInts: true, returnArrays: true };
    const database = withResultCode(() => new DatabaseSync(file, options));
    const forAll = { deterministic: true, varargs: true, useBigIntArguments: true };
    for (const [name, implementation] of Object.entries(functions))
      database.function(name, forAll, implementation);
    return {
      get inTransaction() {
        return database.isTransaction;
      },
      prepare: (text) => withResultCode(() => toPrepared(() => database.prepare(text))),
      exec: (script) => withResultCode(() => database.exec(script)),
      close: () => database.close(),
    };
  };
}

function toPrepared(prepare: () => NodeStatement): Prepared {
  let prepared: NodeStatement | undefined = prepare();
  const returnsRows = prepared.columns().length > 0;
  const statement = () => (prepared ??= prepare());
  const all = (values: readonly SqlValue[]) => {
    const rows = withResultCode(() => statement().all(...values));
    if (rows === undefined) throw TOO_LONG;
    return rows;
  };
  return {
    all,
    rows: function* (values) {
      try {
        yield* statement().iterate(...values);
      } catch (error) {
        // Node throws the error of an iteration again when the statement runs the next time.
        prepared = undefined;
        throw isTooLong(error) ? TOO_LONG : nameResultCode(error);
      }
    },
    first: (values) => withResultCode(() => statement().get(...values)?.[0]),
    run: (values) =>
      withResultCode(() =>
        returnsRows ? all(values).length : Number(statement().run(...values).changes),
      ),
  };
}

/** Node returns undefined in place of a row with a text that is longer than JavaScript permits. */
function isTooLong(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith('Iterator result');
}

/** The error of SQLite for what exceeds its own limit, which is higher. */
const TOO_LONG = Object.assign(new Error('string or blob too big'), { code: 'SQLITE_TOOBIG' });

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
