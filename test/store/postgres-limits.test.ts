// This file tests the limits of statements on PostgreSQL: of their time, to which waiting for a connection counts, and of their results.
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { MessageLengths } from '../../src/store/postgres/message-lengths.ts';
import { postgresUrl } from '../postgres.ts';

let database: Database;
afterEach(() => database?.close());

/** A database with one connection for scans. */
async function open(statementSeconds: number, wait = 5000): Promise<void> {
  const settings = { length: 'limits.waitingScans', wait: 'limits.scanWaitSeconds' };
  const queue = { length: 10, wait, settings };
  const url = await postgresUrl();
  database = await openPostgres({ url, poolSize: 2, statementSeconds, lockSeconds: 5, queue });
}

const sleep = (seconds: number) => database.scan(`SELECT pg_sleep(${seconds})`, []);

/** The code of the fault of a scan, and after how many milliseconds. */
async function failure(scan: Promise<unknown>): Promise<readonly [unknown, number]> {
  const start = performance.now();
  const error = await scan.then(
    () => undefined,
    (reason) => reason,
  );
  return [(error as { code?: unknown })?.code, performance.now() - start];
}

it('a scan that waits has less time to run', async () => {
  await open(2);
  const first = sleep(1.2);
  // With all of the time, it would succeed.
  const second = failure(sleep(1.2));
  await first;
  const [code, milliseconds] = await second;
  expect(code).toBe('store.slow');
  expect(milliseconds).toBeGreaterThan(1950);
  await sleep(1.2);
});

it('a scan that waits and is quick succeeds, and leaves the limit as it was', async () => {
  await open(3);
  const first = sleep(0.7);
  const limit = "SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout'";
  const shown = database.scan(limit, []);
  await first;
  expect(Number((await shown)[0]?.[0])).toBeLessThan(2350);
  expect(await database.scan(limit, [])).toEqual([[3000n]]);
});

it('messages name the setting of each limit', async () => {
  await open(1.5, 200);
  const running = sleep(0.8);
  await expect(sleep(0)).rejects.toThrow(
    'waited 0.2 seconds without being started (limits.scanWaitSeconds)',
  );
  await running;
  await expect(sleep(5)).rejects.toThrow('longer than 1.5 seconds (limits.statementSeconds)');
});

it('a result that exceeds its limit is dropped, and the connection serves the next statement', async () => {
  const queue = { length: 10, wait: 5000, settings: { length: 'a', wait: 'b' } };
  const [url, limits] = [await postgresUrl(), { statementSeconds: 20, lockSeconds: 5 }];
  database = await openPostgres({ url, poolSize: 2, ...limits, queue, resultSize: 1000 });
  const tens = (count: number) =>
    database.scan(`SELECT lpad(i::text, 10, '0'), true FROM generate_series(1, ${count}) i`, []);
  // Booleans are a character that the server sends.
  expect(await tens(90)).toHaveLength(90);
  const own = "SELECT lpad(i::text, 10, '0') FROM generate_series(1, 200) i";
  expect(await database.read(own, [])).toHaveLength(200);
  const compiled = { text: own, parameters: [], reads: [], writes: [] };
  expect((await failure(Promise.resolve(database.read(compiled, []))))[0]).toBe('store.too-large');
  const [beyond, far, next] = [failure(tens(91)), failure(tens(100_000)), tens(2)];
  expect([(await beyond)[0], (await far)[0]]).toEqual(['store.too-large', 'store.too-large']);
  expect(await next).toEqual([
    ['0000000001', 1n],
    ['0000000002', 1n],
  ]);
});

it('a message that is too long ends the connection and fails the statement that has returned it', async () => {
  const connection = await connect(
    { url: await postgresUrl() },
    { statementSeconds: 20, lockSeconds: 5 },
  );
  connection.limitMessages(1000);
  await connection.query('SELECT 0', []);
  const statements = ['SELECT 1', "SELECT repeat('x', 1000000)", 'SELECT 2'];
  const results = statements.map((text) => connection.query(text, []));
  // Meanwhile, results arrive that are read together.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300));
  const outcomes = await Promise.allSettled(results);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: { rows: [[1n]] } },
    { status: 'rejected', reason: { code: 'store.too-large' } },
    { status: 'rejected', reason: { name: 'Disconnected' } },
  ]);
  expect(connection.isBroken).toBe(true);
});

it('lengths of messages are read whatever chunks they arrive in', () => {
  const message = (length: number): Buffer => {
    const bytes = Buffer.alloc(length + 5, 'D');
    bytes.writeUInt32BE(length + 4, 1);
    return bytes;
  };
  const parts = fc.array(fc.nat(300), { minLength: 1 });
  fc.assert(
    fc.property(parts, fc.array(fc.integer({ min: 1, max: 40 })), (sizes, cuts) => {
      const stream = Buffer.concat(sizes.map(message));
      const lengths = new MessageLengths();
      const seen: number[] = [];
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const end = at + (cuts[turn % cuts.length] ?? stream.length);
        seen.push(lengths.longestIn(stream.subarray(at, end)));
        at = end;
      }
      expect(Math.max(...seen)).toBe(Math.max(...sizes));
    }),
  );
});
