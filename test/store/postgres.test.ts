// This file tests the PostgreSQL driver on a real server: values, errors, transactions of several units of work, several nodes, lost
// connections and closing.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Database, Work, WorkResult } from '../../src/store/database.ts';
import { connect, type PostgresSettings } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { allocate, change, kept, pipeline, query } from '../../src/store/work.ts';
import { postgresUrl } from '../postgres.ts';
import { type FaultyProxy, startProxy } from './postgres-proxy.ts';

const TABLES = [
  'DROP TABLE IF EXISTS "docket_sequence", "People", "Pets"',
  'CREATE TABLE "docket_sequence" ("name" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL)',
  'CREATE TABLE "People" ("Key" bigint PRIMARY KEY, "Name" text UNIQUE, "Count" bigint)',
  `CREATE TABLE "Pets" ("Key" bigint PRIMARY KEY, "Owner" bigint REFERENCES "People" DEFERRABLE INITIALLY DEFERRED,
    "$parent" bigint, "Tag, or ""Mark" text, UNIQUE ("$parent", "Tag, or ""Mark"))`,
];

let url: string;
let opened: Database[];
let database: Database;

const settingsOf = (own: string): PostgresSettings => ({
  url: own,
  poolSize: 4,
  statementSeconds: 2,
  lockSeconds: 4,
  queue: { length: 100, wait: 2000, settings: { length: 'a', wait: 'b' } },
});

async function open(own = url): Promise<Database> {
  const result = await openPostgres(settingsOf(own));
  opened.push(result);
  return result;
}

beforeAll(async () => {
  url = await postgresUrl();
});
beforeEach(async () => {
  opened = [];
  database = await open();
  await database.define(TABLES);
});
afterEach(async () => {
  for (const one of opened) await one.close();
});

const run = (work: () => Work<unknown>, on = database) => on.write(() => kept(work()));

function addPerson(key: number, name: string) {
  const text = 'INSERT INTO "People" VALUES ($1::bigint, $2::text, 0)';
  return change(text, [BigInt(key), name], `People[${key}]`);
}

const add = (key: number, name: string, on = database) =>
  run(function* () {
    yield addPerson(key, name);
  }, on);

async function names(on = database): Promise<string> {
  const rows = await on.read('SELECT "Name" FROM "People" ORDER BY "Key"', []);
  return rows.map(([name]) => name).join(' ');
}

/** The code and target of a rejection. */
async function faultOf(promise: unknown): Promise<unknown> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.target === undefined ? error.code : `${error.code} ${error.target}`;
  }
}

/** The connections that run a statement which ends with the text. */
async function sleepers(end: string): Promise<readonly unknown[]> {
  const text =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%' || $1::text AND state = 'active' AND pid <> pg_backend_pid()";
  return (await database.read(text, [end])).flat();
}

const cancel = (pid: unknown) =>
  database.read('SELECT pg_cancel_backend($1::bigint::integer)', [BigInt(String(pid))]);

describe('values', () => {
  it.each([
    ['bigint', -(2n ** 63n), -(2n ** 63n)],
    ['bigint', 2n ** 63n - 1n, 2n ** 63n - 1n],
    ['smallint', 7n, 7n],
    ['integer', 7n, 7n],
    ['boolean', 1n, 1n],
    ['boolean', 0n, 0n],
    ['boolean', true, 1n],
    ['boolean', false, 0n],
    ['float8', 0.1, 0.1],
    ['float8', 5e-324, 5e-324],
    ['float8', Number.NaN, Number.NaN],
    ['float8', Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ['numeric', '1.10', '1.10'],
    ['text', "a'\\\n\u{1F600}", "a'\\\n\u{1F600}"],
    ['text', '', ''],
    ['text', null, null],
    ['bytea', new Uint8Array([0, 92, 255]), Buffer.from([0, 92, 255])],
    ['bytea', new Uint8Array(), Buffer.from([])],
  ])('%s %s', async (type, value, expected) => {
    expect(await database.read(`SELECT $1::${type}`, [value])).toEqual([[expected]]);
    expect(await database.scan(`SELECT $1::${type}`, [value])).toEqual([[expected]]);
  });

  it.each(['a\0', '\ud800'])(
    '%j is rejected, since it would be stored as another text',
    async (text) => {
      expect(await faultOf(database.read('SELECT $1::text', [text]))).toBe('store.text');
      expect(await faultOf(add(1, text))).toBe('store.text');
      expect(await names()).toBe('');
    },
  );

  it('changed rows are counted', async () => {
    await add(1, 'a');
    await add(2, 'b');
    const update = change('UPDATE "People" SET "Count" = 5 WHERE "Key" > $1::bigint', [0n]);
    const changed = await run(function* () {
      return (yield update).changed;
    });
    expect(changed).toBe(2);
  });

  it('integers remain text in columns that only become text', async () => {
    const text = 'SELECT $1::bigint, true, 0.5::float8, $1::bigint';
    const statement = { text, parameters: [], reads: [], writes: [], textColumns: 3 };
    for (const _ of ['described', 'known'])
      expect(await database.scan(statement, [5n])).toEqual([['5', 1n, 0.5, 5n]]);
  });

  it('a statement whose columns have changed since runs again', async () => {
    await add(1, 'a');
    const read = () => database.read('SELECT * FROM "People"', []);
    expect(await read()).toEqual([[1n, 'a', 0n]]);
    await database.define(['ALTER TABLE "People" ADD COLUMN "Tall" boolean DEFAULT true']);
    expect(await read()).toEqual([[1n, 'a', 0n, 1n]]);
  });

  it('several executions of a statement are on their way before it is described', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => BigInt(index));
    const rows = await Promise.all(numbers.map((one) => database.read('SELECT $1::bigint', [one])));
    expect(rows.map(([row]) => row?.[0])).toEqual(numbers);
  });

  it('more statements than a connection keeps prepared all run', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `SELECT ${index}`);
    for (const round of [1, 2])
      for (const [index, text] of texts.entries())
        expect([round, await database.read(text, [])]).toEqual([round, [[BigInt(index)]]]);
    const prepared = await database.read('SELECT count(*) FROM pg_prepared_statements', []);
    expect(Number(prepared[0]?.[0])).toBeLessThan(230);
  });
});

describe('errors that a client can act on', () => {
  const raise = (code: string, message: string) =>
    `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`;

  it('of a statement that only fails when it is committed', async () => {
    await database.define([
      'CREATE TABLE "Pairs" ("Key" bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)',
    ]);
    const text = 'INSERT INTO "Pairs" VALUES ($1::bigint), ($1::bigint)';
    expect(await faultOf(database.read(text, [1n]))).toBe('store.unique Key');
  });

  it.each([
    ['SELECT 9223372036854775807 + $1::bigint', 'sql.overflow'],
    ['SELECT 7 / ($1::bigint - 1)', 'sql.division-by-zero'],
    ['SELECT pg_sleep(5 * $1::bigint)', 'store.slow'],
  ])('%s', async (text, code) => {
    const faults = [database.read(text, [1n]), database.scan(text, [1n])].map(faultOf);
    expect(await Promise.all(faults)).toEqual([code, code]);
  });

  it.each([
    ['DOCKT', 'sql.division-by-zero', 'sql.division-by-zero'],
    ['53100', 'no space', 'store.full'],
    ['XX001', 'invalid page', 'store.damaged'],
    ['54001', 'stack', 'store.too-complex'],
    ['55P03', 'lock', 'store.locked'],
    ['22P05', 'escape', 'store.text'],
    ['40001', 'serialization', 'store.locked'],
  ])('SQLSTATE %s', async (state, message, code) => {
    expect(await faultOf(database.read(raise(state, message), []))).toBe(code);
    expect(await faultOf(run(() => failing(raise(state, message))))).toBe(code);
  });

  function* failing(text: string): Work<void> {
    yield query(text, []);
  }

  it('a value that is too long for an index is rejected as such', async () => {
    // Text that cannot be compressed.
    const letters = Array.from({ length: 30_000 }, (_, index) =>
      (index ** 3 % 99_991).toString(36),
    );
    expect(await faultOf(add(1, letters.join('').slice(0, 9000)))).toBe('store.too-long');
    expect(await faultOf(add(1, letters.join('').slice(0, 90_000)))).toBe('store.too-long');
  });

  it('others are bugs', async () => {
    await expect(async () => await database.read('SELEC 1', [])).rejects.toThrow('syntax error');
    await expect(run(() => failing('SELECT * FROM nowhere'))).rejects.toThrow('does not exist');
  });

  it('a violated unique constraint names its columns and the place in the request', async () => {
    await add(1, 'a');
    expect(await faultOf(add(2, 'a'))).toBe('store.unique People[2]/Name');
    expect(await faultOf(add(1, 'b'))).toBe('store.unique People[1]/Key');
    const pet = (key: bigint) =>
      change('INSERT INTO "Pets" VALUES ($1::bigint, NULL, 7, $2::text)', [key, 'x)=(']);
    await run(function* () {
      yield pet(1n);
    });
    const second = run(function* () {
      yield pet(2n);
    });
    await expect(second).rejects.toMatchObject({
      target: 'Tag, or "Mark',
      message: expect.stringContaining('"Tag, or "Mark" in the record that contains both'),
    });
  });

  it('a foreign key that is violated at COMMIT fails only its own write', async () => {
    const pet = run(function* () {
      yield change('INSERT INTO "Pets" VALUES (1, $1::bigint, 1, NULL)', [99n]);
    });
    const results = await Promise.allSettled([add(1, 'a'), faultOf(pet), add(2, 'b')]);
    expect(results.map((one) => one.status === 'fulfilled' && one.value)).toContain(
      'store.foreign-key',
    );
    expect(await names()).toBe('a b');
  });

  it('waiting for a lock ends at the limit', async () => {
    const blocker = await openPostgres({
      ...settingsOf(url),
      statementSeconds: 60,
      lockSeconds: 30,
    });
    opened.push(blocker);
    const blocked = await openPostgres({ ...settingsOf(url), lockSeconds: 0.8 });
    opened.push(blocked);
    const long = faultOf(
      run(function* () {
        yield query('SELECT pg_sleep(30)', []);
      }, blocker),
    );
    await expect.poll(() => sleepers('pg_sleep(30)')).toHaveLength(1);
    expect(await faultOf(add(1, 'a', blocked))).toBe('store.locked');
    await Promise.all((await sleepers('pg_sleep(30)')).map(cancel));
    expect(await long).toBe('store.slow');
    await add(2, 'b', blocked);
    expect(await names()).toBe('b');
  });
});

describe('writes that share a transaction', () => {
  it.each(['before', 'after'])(
    'one that fails %s it has changed something has no effect',
    async (when) => {
      const failing = run(function* () {
        if (when === 'after') yield addPerson(9, 'nobody');
        throw new Fault('write.too-many', { count: 1, limit: 0 });
      });
      const all = [add(1, 'a'), faultOf(failing), add(3, 'c')];
      expect(await Promise.all(all)).toEqual([undefined, 'write.too-many', undefined]);
      expect(await names()).toBe('a c');
    },
  );

  it('one whose statement fails has no effect on the others', async () => {
    await add(1, 'a');
    const second = run(function* () {
      yield addPerson(2, 'b');
      yield addPerson(3, 'a');
    });
    const all = [add(4, 'd'), faultOf(second), add(5, 'e'), faultOf(add(6, 'd'))];
    expect(await Promise.all(all)).toEqual([
      undefined,
      'store.unique People[3]/Name',
      undefined,
      'store.unique People[6]/Name',
    ]);
    expect(await names()).toBe('a d e');
  });

  it('a dry run has no effect', async () => {
    const dry = database.write(function* (): Work<WorkResult<number>> {
      yield addPerson(7, 'dry');
      return { result: 7, keep: false };
    });
    expect(await Promise.all([add(1, 'a'), dry, add(2, 'b')])).toEqual([undefined, 7, undefined]);
    expect(await names()).toBe('a b');
  });

  it('one may continue after an error of a statement, which alone is undone', async () => {
    await add(1, 'a');
    const insistent = run(function* () {
      yield addPerson(2, 'b');
      let first = 0n;
      try {
        yield addPerson(3, 'a');
      } catch {
        first = (yield allocate('numbers', 1n)).first;
      }
      yield addPerson(4, 'd');
      return first;
    });
    const swallowing = run(function* () {
      yield addPerson(5, 'e');
      try {
        yield addPerson(6, 'a');
      } catch {
        // Nothing more to do.
      }
    });
    expect(await Promise.all([insistent, swallowing, add(7, 'g')])).toEqual([
      1n,
      undefined,
      undefined,
    ]);
    expect(await names()).toBe('a b d e g');
  });

  it('numbers of sequences that a failed write has drawn are drawn again', async () => {
    const draw = (fails: boolean) =>
      run(function* () {
        const { first } = yield allocate('numbers', 3n);
        if (fails) throw new Fault('write.too-many', { count: 1, limit: 0 });
        return first;
      });
    const drawn = await Promise.allSettled([draw(false), draw(true), draw(false)]);
    expect(drawn.map((one) => one.status === 'fulfilled' && one.value)).toEqual([1n, false, 4n]);
    expect(await draw(false)).toBe(7n);
  });
});

describe('a pipeline', () => {
  it('runs its operations in order and replies to each', async () => {
    const replies = await run(function* () {
      const { replies } = yield pipeline([
        allocate('ids', 2n),
        addPerson(1, 'Ada'),
        query('UPDATE "People" SET "Count" = 7 WHERE "Name" = $1::text RETURNING "Count"', ['Ada']),
        change('UPDATE "People" SET "Count" = 8', []),
        change('UPDATE "People" SET "Count" = 9 RETURNING "Name"', [], undefined, true),
        allocate('others', 1n),
      ]);
      return replies.map(({ rows, changed, first }) => [rows, changed, first]);
    });
    expect(replies).toEqual([
      [[], 0, 1n],
      [[], 1, 0n],
      [[[7n]], 0, 0n],
      [[], 1, 0n],
      [[['Ada']], 1, 0n],
      [[], 0, 1n],
    ]);
  });

  it('fails with the error of the first operation that fails, and has no effect', async () => {
    const failing = run(function* () {
      yield pipeline([
        addPerson(1, 'Ada'),
        addPerson(2, 'Ada'),
        change('INSERT INTO "Missing" VALUES (1)', []),
        addPerson(1, 'Ben'),
      ]);
    });
    const [fault] = await Promise.all([faultOf(failing), add(4, 'Dan')]);
    expect(fault).toBe('store.unique People[2]/Name');
    expect(await names()).toBe('Dan');
  });
});

describe('several nodes', () => {
  it('lose no update when they read and then write', async () => {
    const other = await open();
    await add(1, 'a');
    const increment = (on: Database) =>
      run(function* () {
        const { rows } = yield query('SELECT "Count" FROM "People" WHERE "Key" = 1', []);
        const count = BigInt(String(rows[0]?.[0])) + 1n;
        yield change('UPDATE "People" SET "Count" = $1::bigint', [count]);
        return (yield allocate('numbers', 1n)).first;
      }, on);
    const numbers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => increment(index % 2 === 0 ? database : other)),
    );
    expect(await database.read('SELECT "Count" FROM "People"', [])).toEqual([[64n]]);
    expect(new Set(numbers).size).toBe(64);
  });

  it('know the versions of tables soon after a commit of another node', async () => {
    const other = await open();
    const version = () => other.tableVersionOf(READS);
    await expect.poll(version).toBeDefined();
    const before = version();
    await add(1, 'a');
    const isOther = () => ![before, undefined].includes(version());
    await expect.poll(isOther, { timeout: 5000 }).toBe(true);
  });

  it('know the versions of their own commits at once', async () => {
    await expect.poll(() => database.tableVersionOf(READS)).toBeDefined();
    for (let key = 1; key < 20; key++) {
      const before = database.tableVersionOf(READS);
      await add(key, `n${key}`);
      expect(database.tableVersionOf(READS)).not.toBe(before);
    }
  });
});

const READS = ['People'];

describe('a lost connection', () => {
  let proxy: FaultyProxy;
  let remote: Database;
  beforeEach(async () => {
    proxy = await startProxy(url);
    remote = await open(proxy.url);
  });
  afterEach(() => proxy.close());

  it('is replaced for reads and writes', async () => {
    await add(1, 'a', remote);
    await Promise.all([remote.read('SELECT 1', []), remote.scan('SELECT 1', [])]);
    for (let key = 2; key < 6; key++) {
      proxy.cut();
      expect(await names(remote)).toContain('a');
      await add(key, `n${key}`, remote);
      expect(await remote.scan('SELECT 1', [])).toEqual([[1n]]);
    }
    expect(await names()).toBe('a n2 n3 n4 n5');
  });

  it('is replaced when the server does not respond any more', { timeout: 30_000 }, async () => {
    await add(1, 'a', remote);
    await remote.read('SELECT 1', []);
    proxy.silence();
    await Promise.all([add(2, 'b', remote), remote.read('SELECT 1', [])]);
    expect(await names()).toBe('a b');
  });

  it('is kept while a statement takes long', { timeout: 30_000 }, async () => {
    await run(function* () {
      yield change('INSERT INTO "People" SELECT 1, pg_backend_pid()::text, 0 FROM pg_sleep(5)', []);
    }, remote);
    await run(function* () {
      yield change('DELETE FROM "People" WHERE "Name" <> pg_backend_pid()::text', []);
    }, remote);
    expect(await names()).toMatch(/^\d+$/);
  });

  it('returns 503 while the database cannot be reached, and heals by itself', async () => {
    proxy.isDown = true;
    proxy.cut();
    const reading = faultOf(remote.read('SELECT 1', []));
    expect(await Promise.all([reading, faultOf(add(1, 'a', remote))])).toEqual([
      'store.unavailable',
      'store.unavailable',
    ]);
    expect(remote.tableVersionOf(READS)).toBeUndefined();
    proxy.isDown = false;
    await expect.poll(() => faultOf(remote.read('SELECT 1', []))).toBe('none');
    await add(1, 'a', remote);
    expect(await names()).toBe('a');
  });

  it.each(['cut-before', 'cut-after'] as const)(
    'during COMMIT (%s) neither loses a write nor repeats it',
    async (verdict) => {
      await add(1, 'a', remote);
      let remaining = 1;
      proxy.judge = (bytes) =>
        bytes.includes('COMMIT\0') && remaining-- > 0 ? verdict : 'forward';
      const count = run(function* () {
        yield change('UPDATE "People" SET "Count" = "Count" + 1', []);
      }, remote);
      await Promise.all([count, add(2, 'b', remote)]);
      expect(remaining).toBeLessThan(1);
      expect(await database.read('SELECT "Name", "Count" FROM "People" ORDER BY 1', [])).toEqual([
        ['a', 1n],
        ['b', 0n],
      ]);
    },
  );

  it('in the middle of a transaction repeats it', async () => {
    let remaining = 1;
    proxy.judge = (bytes) =>
      bytes.includes('INSERT INTO "People"') && remaining-- > 0 ? 'cut-after' : 'forward';
    await Promise.all([add(1, 'a', remote), add(2, 'b', remote)]);
    expect(remaining).toBeLessThan(1);
    expect(await names()).toBe('a b');
  });
});

describe('after close', () => {
  const sleep = (node: Database) => node.scan('SELECT pg_sleep(0.5)', []);

  /** Resolves once so many scans run: before that, they wait for a connection. */
  const scansRun = (count: number) =>
    expect.poll(() => sleepers('pg_sleep(0.5)')).toHaveLength(count);

  it('writes that wait and reads that run are done, later writes are rejected', async () => {
    const node = await openPostgres(settingsOf(url));
    const reading = sleep(node);
    await scansRun(1);
    const waiting = Array.from({ length: 50 }, (_, key) => add(key, `n${key}`, node));
    const closing = node.close();
    expect(await faultOf(add(99, 'late', node))).toBe('store.stopping');
    await Promise.all([...waiting, reading, closing]);
    expect((await names()).split(' ')).toHaveLength(50);
  });

  it('reads that wait for a connection are rejected', async () => {
    const node = await openPostgres(settingsOf(url));
    // Half of the connections are for scans.
    const running = [sleep(node), sleep(node)];
    await scansRun(2);
    const waiting = faultOf(sleep(node));
    await node.close();
    expect(await waiting).toBe('store.stopping');
    await Promise.all(running);
  });
});

it('a connection on which a write fails because the database is read-only is closed', async () => {
  const connection = await connect(settingsOf(url), { statementSeconds: 5, lockSeconds: 5 });
  await connection.command('SET default_transaction_read_only = on');
  const { processId } = connection;
  await expect(connection.command('DELETE FROM "People"')).rejects.toThrow('read-only');
  const open = 'SELECT count(*) FROM pg_stat_activity WHERE pid = $1::bigint';
  await expect
    .poll(async () => await database.read(open, [BigInt(processId)]), { timeout: 5000 })
    .toEqual([[0n]]);
});
