// This file checks the contract of SQLite drivers with every driver that this Node can load.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { SqlValue } from '../../src/sql/dialect/sqlite-functions.ts';
import { openBetterSqlite3 } from '../../src/store/sqlite/better-sqlite3.ts';
import {
  type Connection,
  type ConnectionSettings,
  type OpenConnection,
  resultCode,
} from '../../src/store/sqlite/driver.ts';
import { builtInSqlite } from '../../src/store/sqlite/driver-choice.ts';
import { nodeDriver } from '../../src/store/sqlite/node-sqlite.ts';

const IN_MEMORY: ConnectionSettings = {
  file: ':memory:',
  readonly: false,
  timeout: 0,
  functions: {},
};

/** The driver, or why this Node cannot load it. */
function probe(open: OpenConnection): OpenConnection | string {
  try {
    open(IN_MEMORY).close();
    return open;
  } catch (error) {
    return `not compiled for Node ${process.version}: ${String(error).split('\n')[0]}`;
  }
}

const module = builtInSqlite();
const DRIVERS: readonly (readonly [string, OpenConnection | string])[] = [
  ['better-sqlite3', probe(openBetterSqlite3)],
  [
    'node:sqlite',
    module === undefined ? `not used in Node ${process.version}` : nodeDriver(module),
  ],
];

for (const [name, driver] of DRIVERS) {
  if (typeof driver === 'string') describe.skip(`${name} (${driver})`, () => checkContract(fail));
  else describe(name, () => checkContract(driver));
}

it('there is a driver for this Node', () => {
  expect(DRIVERS.some(([, driver]) => typeof driver !== 'string')).toBe(true);
});

function fail(): never {
  throw new Error('a driver that cannot be loaded was used');
}

function checkContract(open: OpenConnection): void {
  let folder: string;
  let file: string;
  const connections: Connection[] = [];

  const openFile = (settings: Partial<ConnectionSettings> = {}): Connection => {
    const connection = open({ ...IN_MEMORY, file, ...settings });
    connections.push(connection);
    return connection;
  };
  const openMemory = (functions: ConnectionSettings['functions'] = {}): Connection =>
    openFile({ file: ':memory:', functions });
  /** The values after a round trip through parameters and columns. */
  const roundTrip = (...values: readonly SqlValue[]): readonly unknown[] | undefined => {
    const marks = values.map(() => '?').join(', ');
    return openMemory().prepare(`SELECT ${marks}`).all(values)[0];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'docket-driver-'));
    file = join(folder, 'test.db');
  });

  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
    rmSync(folder, { recursive: true });
  });

  describe('values', () => {
    it('integers are bigint and keep all 64 bits', () => {
      const limits = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
      expect(roundTrip(...limits)).toEqual(limits);
      expect(openMemory().prepare('SELECT 1, count(*)').all([])).toEqual([[1n, 1n]]);
    });

    it('an integer beyond 64 bits is rejected', () => {
      expect(() => roundTrip(2n ** 63n)).toThrow(/too (?:big|large)/);
    });

    it('numbers are doubles, also without a fraction', () => {
      const doubles = [1, 1.5, -0, 5e-324, Number.MAX_VALUE, Number.POSITIVE_INFINITY];
      const found = roundTrip(...doubles);
      expect(found).toEqual(doubles);
      expect(Object.is(found?.[2], -0)).toBe(true);
      expect(openMemory().prepare('SELECT typeof(?)').all([1])).toEqual([['real']]);
    });

    it('text keeps U+0000, characters beyond the basic plane, and the empty string', () => {
      const texts = ['a\0b', '\0', '😀 İzmir', '', 'x'.repeat(100_000)];
      expect(roundTrip(...texts)).toEqual(texts);
      const length = openMemory().prepare('SELECT length(CAST(? AS BLOB))');
      expect(length.all(['a\0b'])).toEqual([[3n]]);
    });

    it('bytes are bytes, also none', () => {
      const [bytes, none] = roundTrip(new Uint8Array([0, 255, 16]), new Uint8Array(0)) ?? [];
      expect(bytes).toBeInstanceOf(Uint8Array);
      expect([...(bytes as Uint8Array)]).toEqual([0, 255, 16]);
      expect([...(none as Uint8Array)]).toEqual([]);
      expect(
        openMemory()
          .prepare("SELECT typeof(?), x'0aff'")
          .all([new Uint8Array(0)]),
      ).toEqual([['blob', expect.objectContaining({ 0: 10, 1: 255 })]]);
    });

    it('part of a buffer is only that part', () => {
      const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
      expect([...((roundTrip(part) ?? [])[0] as Uint8Array)]).toEqual([2, 3]);
    });

    it('null is null', () => {
      expect(roundTrip(null)).toEqual([null]);
    });

    it('a statement takes as many parameters as SQLite allows', () => {
      const values = Array.from({ length: 32_766 }, (_, index) => BigInt(index));
      const marks = values.map(() => '(?)').join(', ');
      const sum = openMemory().prepare(`SELECT sum(column1), count(*) FROM (VALUES ${marks})`);
      expect(sum.all(values)).toEqual([[(32_765n * 32_766n) / 2n, 32_766n]]);
    });

    it('a value too many is rejected', () => {
      const statement = openMemory().prepare('SELECT ?');
      expect(() => statement.all([1n, 2n])).toThrow();
    });
  });

  describe('statements', () => {
    it('all() returns the rows of a query, of RETURNING, and none of other statements', () => {
      const connection = openMemory();
      expect(connection.prepare('CREATE TABLE t (a INTEGER PRIMARY KEY, b)').all([])).toEqual([]);
      const insert = connection.prepare('INSERT INTO t (b) VALUES (?), (?) RETURNING a, b');
      expect(insert.all(['x', 'y'])).toEqual([
        [1n, 'x'],
        [2n, 'y'],
      ]);
      expect(connection.prepare("UPDATE t SET b = 'z'").all([])).toEqual([]);
      const query = connection.prepare('SELECT b, a, b FROM t WHERE a = ?');
      expect([query.all([2n]), query.all([3n]), query.all([1n])]).toEqual([
        [['z', 2n, 'z']],
        [],
        [['z', 1n, 'z']],
      ]);
    });

    it('first() returns the first column of the first row, if there is one', () => {
      const connection = openMemory();
      const first = (text: string) => connection.prepare(text).first([]);
      expect(first('CREATE TABLE t (a UNIQUE)')).toBeUndefined();
      expect(first('INSERT INTO t VALUES (1), (2)')).toBeUndefined();
      expect(first('SELECT a, 2.5 FROM t ORDER BY a DESC')).toBe(2n);
      expect(first('SELECT a FROM t WHERE a > 2')).toBeUndefined();
      expect(first('SELECT NULL')).toBeNull();
      expect(first('INSERT INTO t VALUES (3) RETURNING a')).toBe(3n);
      expect(() => first('INSERT INTO t VALUES (1) RETURNING a')).toThrow('UNIQUE');
      const query = connection.prepare('SELECT a, 2 FROM t WHERE a = ?');
      expect([query.first([2n]), query.all([2n]), query.first([1n])]).toEqual([2n, [[2n, 2n]], 1n]);
    });

    it('run() returns the number of changed rows, or of returned rows', () => {
      const connection = openMemory();
      connection.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b)');
      const run = (text: string) => connection.prepare(text).run([]);
      expect(run("INSERT INTO t (b) VALUES ('x'), ('y'), ('z')")).toBe(3);
      expect(run("UPDATE t SET b = 'w' WHERE a > 1")).toBe(2);
      expect(run('UPDATE t SET b = NULL WHERE a > 9')).toBe(0);
      expect(run('DELETE FROM t WHERE a < 3 RETURNING a')).toBe(2);
      expect(run('SELECT a FROM t')).toBe(1);
      expect(connection.prepare('SELECT count(*) FROM t').all([])).toEqual([[1n]]);
    });

    it('a statement works again after the schema has changed', () => {
      const connection = openMemory();
      connection.exec('CREATE TABLE t (a)');
      const query = connection.prepare('SELECT a FROM t');
      connection.exec('INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b');
      expect(query.all([])).toEqual([[1n]]);
    });

    it('a statement works again after an error', () => {
      const connection = openMemory();
      connection.exec('CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)');
      const insert = connection.prepare('INSERT INTO t VALUES (?)');
      expect(() => insert.run([1n])).toThrow('UNIQUE');
      expect(insert.run([2n])).toBe(1);
    });

    it('exec() runs several statements and ignores their rows', () => {
      const connection = openMemory();
      connection.exec('CREATE TABLE t (a); SELECT 1; INSERT INTO t VALUES (7)');
      expect(connection.prepare('SELECT a FROM t').all([])).toEqual([[7n]]);
    });
  });

  describe('functions', () => {
    it('take and return every type', () => {
      const seen: SqlValue[][] = [];
      const note = (...values: SqlValue[]): SqlValue => {
        seen.push(values);
        return values.at(-1) ?? null;
      };
      const connection = openMemory({ note });
      const values = [2n ** 53n + 1n, 1, 2.5, 'a\0😀', new Uint8Array([1, 2]), null];
      for (const value of values) {
        const [row] = connection.prepare('SELECT note(1, ?)').all([value]);
        expect(row).toEqual([value instanceof Uint8Array ? expect.any(Uint8Array) : value]);
      }
      expect(seen.map(([first]) => first)).toEqual(values.map(() => 1n));
      const bytes = seen[4]?.[1];
      expect(bytes).toBeInstanceOf(Uint8Array);
      expect([...(bytes as Uint8Array)]).toEqual([1, 2]);
      expect(seen.map(([, second]) => second).filter((one) => one !== bytes)).toEqual(
        values.filter((one) => !(one instanceof Uint8Array)),
      );
    });

    it('take any number of arguments', () => {
      const connection = openMemory({ count: (...values) => BigInt(values.length) });
      expect(connection.prepare('SELECT count(), count(1), count(1, 2, 3)').all([])).toEqual([
        [0n, 1n, 3n],
      ]);
    });

    it('can be used in an index, since they are deterministic', () => {
      const connection = openMemory({ docket_lower: (text) => String(text).toLowerCase() });
      connection.exec('CREATE TABLE t (a); CREATE INDEX i ON t (docket_lower(a))');
      const plan = connection.prepare('EXPLAIN QUERY PLAN SELECT a FROM t WHERE docket_lower(a)=?');
      expect(String(plan.all(['x'])[0]?.[3])).toContain('USING INDEX i');
    });

    it('end the statement with the very error that they throw', () => {
      const fault = new Fault('sql.overflow');
      const connection = openMemory({
        fail: () => {
          throw fault;
        },
      });
      const attempt = () => connection.prepare('SELECT fail(1)').all([]);
      expect(attempt).toThrow(fault);
      try {
        attempt();
      } catch (error) {
        expect(error).toBe(fault);
        expect(resultCode(error)).toBeUndefined();
      }
    });
  });

  describe('errors', () => {
    const TABLES = `
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size NOT NULL DEFAULT 0 CHECK (size < 10));
      CREATE TABLE child (id TEXT PRIMARY KEY, parent REFERENCES parent (id)) WITHOUT ROWID;
      INSERT INTO parent (id, name) VALUES (1, 'a');
      INSERT INTO child VALUES ('x', 1)`;
    const failureOf = (work: () => unknown): readonly unknown[] => {
      try {
        work();
      } catch (error) {
        return [resultCode(error), error instanceof Error ? error.message : error];
      }
      throw new Error('nothing was thrown');
    };

    it.each([
      [
        "INSERT INTO parent (name) VALUES ('a')",
        'SQLITE_CONSTRAINT_UNIQUE',
        'UNIQUE constraint failed: parent.name',
      ],
      [
        "INSERT INTO child VALUES ('x', 1)",
        'SQLITE_CONSTRAINT_PRIMARYKEY',
        'UNIQUE constraint failed: child.id',
      ],
      [
        "INSERT INTO child VALUES ('y', 2) RETURNING id",
        'SQLITE_CONSTRAINT_FOREIGNKEY',
        'FOREIGN KEY constraint failed',
      ],
    ])('%s: %s', (text, code, message) => {
      const connection = openMemory();
      connection.exec(`PRAGMA foreign_keys = ON; ${TABLES}`);
      expect(failureOf(() => connection.prepare(text).all([]))).toEqual([code, message]);
      expect(failureOf(() => connection.prepare(text).run([]))).toEqual([code, message]);
      expect(failureOf(() => connection.exec(text))).toEqual([code, message]);
    });

    it.each([
      ['UPDATE parent SET size = NULL', 'NOT NULL constraint failed: parent.size'],
      ['UPDATE parent SET size = 10', 'CHECK constraint failed: size < 10'],
    ])('%s: a constraint', (text, expected) => {
      const connection = openMemory();
      connection.exec(TABLES);
      const [code, message] = failureOf(() => connection.prepare(text).run([]));
      expect([String(code).startsWith('SQLITE_CONSTRAINT'), message]).toEqual([true, expected]);
    });

    it('a syntax error', () => {
      expect(failureOf(() => openMemory().prepare('SELEC 1'))).toEqual([
        'SQLITE_ERROR',
        'near "SELEC": syntax error',
      ]);
    });

    it('a sum beyond 64 bits', () => {
      const sum = openMemory().prepare('SELECT sum(column1) FROM (VALUES (?), (1))');
      expect(failureOf(() => sum.all([2n ** 63n - 1n]))).toEqual([
        'SQLITE_ERROR',
        'integer overflow',
      ]);
    });

    it('text in double quotes is not a string', () => {
      const [code, message] = failureOf(() => openMemory().prepare('SELECT "x"'));
      expect([code, message]).toEqual([
        'SQLITE_ERROR',
        expect.stringContaining('no such column: "x"'),
      ]);
    });

    it('a lock of another connection, after the time limit', () => {
      const [one, other] = [openFile(), openFile({ timeout: 50 })];
      one.exec('CREATE TABLE t (a); BEGIN IMMEDIATE');
      const began = performance.now();
      expect(failureOf(() => other.exec('BEGIN IMMEDIATE'))).toEqual([
        'SQLITE_BUSY',
        'database is locked',
      ]);
      expect(performance.now() - began).toBeGreaterThan(40);
      expect(other.inTransaction).toBe(false);
    });

    it('a full disk', () => {
      const connection = openFile();
      connection.exec('CREATE TABLE t (a); PRAGMA max_page_count = 4');
      const insert = connection.prepare('INSERT INTO t VALUES (?)');
      expect(failureOf(() => insert.run(['x'.repeat(100_000)]))).toEqual([
        'SQLITE_FULL',
        'database or disk is full',
      ]);
    });

    it('a write to a connection for reads', () => {
      openFile().exec('CREATE TABLE t (a)');
      const [code] = failureOf(() => openFile({ readonly: true }).exec('INSERT INTO t VALUES (1)'));
      expect(code).toBe('SQLITE_READONLY');
    });

    it('a missing file that is opened for reads', () => {
      expect(failureOf(() => openFile({ readonly: true }))[0]).toBe('SQLITE_CANTOPEN');
      expect(existsSync(file)).toBe(false);
    });

    it('a file that is not a database', () => {
      writeFileSync(file, 'no database'.repeat(100));
      const connection = openFile();
      expect(failureOf(() => connection.prepare('SELECT 1 FROM sqlite_schema').all([]))).toEqual([
        'SQLITE_NOTADB',
        'file is not a database',
      ]);
    });
  });

  describe('transactions', () => {
    it('inTransaction follows BEGIN, COMMIT and ROLLBACK', () => {
      const connection = openMemory();
      const states = ['BEGIN', 'COMMIT', 'BEGIN IMMEDIATE', 'ROLLBACK'].map((command) => {
        connection.prepare(command).run([]);
        return connection.inTransaction;
      });
      expect(states).toEqual([true, false, true, false]);
    });

    it('a rollback to a savepoint undoes only what follows it', () => {
      const connection = openMemory();
      connection.exec('CREATE TABLE t (a)');
      const insert = connection.prepare('INSERT INTO t VALUES (?)');
      connection.exec('BEGIN');
      insert.run([1n]);
      connection.exec('SAVEPOINT work');
      insert.run([2n]);
      connection.exec('ROLLBACK TO work; RELEASE work');
      insert.run([3n]);
      connection.exec('COMMIT');
      expect(connection.prepare('SELECT a FROM t').all([])).toEqual([[1n], [3n]]);
    });

    it('other connections see what was committed', () => {
      const [one, other] = [openFile(), openFile({ readonly: true })];
      one.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
      const count = other.prepare('SELECT count(*) FROM t');
      one.exec('BEGIN; INSERT INTO t VALUES (1)');
      expect(count.all([])).toEqual([[0n]]);
      one.exec('COMMIT');
      expect(count.all([])).toEqual([[1n]]);
    });
  });

  describe('what Docket needs of SQLite', () => {
    it('VACUUM INTO copies the database', () => {
      const copy = join(folder, "a copy's name.db");
      const connection = openFile();
      connection.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
      connection.prepare('VACUUM INTO ?').run([copy]);
      expect(openFile({ file: copy, readonly: true }).prepare('SELECT a FROM t').all([])).toEqual([
        [1n],
      ]);
    });

    it('full text with words and trigrams', () => {
      const connection = openMemory();
      connection.exec(`CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'unicode61');
        CREATE VIRTUAL TABLE grams USING fts5(text, tokenize = 'trigram');
        INSERT INTO words VALUES ('Ada Lovelace'); INSERT INTO grams VALUES ('Ada Lovelace')`);
      const found = (index: string) =>
        connection.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH ?`);
      expect([found('words').all(['lovelace']), found('grams').all(['velac'])]).toEqual([
        [[1n]],
        [[1n]],
      ]);
    });

    it('JSON, mathematics, window functions and expressions of great depth', () => {
      const connection = openMemory();
      const depth = `1${' + 1'.repeat(900)}`;
      expect(
        connection
          .prepare(
            `SELECT json_group_array(column1 ->> 'a'), floor(2.5), row_number() OVER (), ${depth} FROM (VALUES ('{"a":1}'))`,
          )
          .all([]),
      ).toEqual([['[1]', 2, 1n, 901n]]);
    });
  });
}

describe('the choice of a driver', () => {
  const fakeModule = (text: string) => ({
    DatabaseSync: class {
      prepare = () => ({ all: () => [{ text }] });
      close = () => undefined;
    },
  });
  const loadAs = (load: () => unknown) =>
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(load as never);

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it('is the module of Node if that keeps text whole', () => {
    const whole = fakeModule('\0');
    loadAs(() => whole);
    expect(builtInSqlite()).toBe(whole);
  });

  it.each([
    ['there is none', undefined],
    ['it cuts text', fakeModule('')],
  ])('is better-sqlite3 if %s', (_reason, module) => {
    loadAs(() => module);
    expect(builtInSqlite()).toBeUndefined();
  });

  it('is better-sqlite3 if the environment says so', () => {
    loadAs(() => fakeModule('\0'));
    vi.stubEnv('DOCKET_SQLITE_DRIVER', 'better-sqlite3');
    expect(builtInSqlite()).toBeUndefined();
  });

  it('prints no warning that the module is experimental', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    loadAs(() => process.emitWarning('SQLite is experimental', 'ExperimentalWarning'));
    builtInSqlite();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });
});
