// This file tests that the PostgreSQL driver outlives restarts of its server with reads and writes under way: it reports an outage, heals
// by itself, and neither loses nor repeats a write. The server is one of its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { change, kept } from '../../src/store/work.ts';
import { hasOwnServers, type OwnServer, ownServer } from '../postgres/own-server.ts';

let server: OwnServer | undefined;
beforeAll(async () => {
  if (!hasOwnServers) return;
  server = await ownServer();
});
afterAll(async () => await server?.remove());

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

it.runIf(hasOwnServers)(
  'restarts, fast and immediate, cost errors but neither writes nor the process',
  { timeout: 60_000 },
  async () => {
    const database = await openPostgres({
      url: server?.url ?? '',
      poolSize: 4,
      statementSeconds: 5,
      lockSeconds: 5,
      queue: { length: 100, wait: 5000, settings: { length: 'a', wait: 'b' } },
    });
    await database.define([
      'CREATE TABLE entries (n bigint)',
      'CREATE TABLE docket_sequence ("name" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL)',
    ]);
    const faults = new Map<string, number>();
    const acknowledged = new Set<bigint>();
    const unknown = new Set<bigint>();
    let next = 0n;
    let isDone = false;

    /** Returns the code of the fault, if any. */
    const attempt = async (work: unknown): Promise<string | undefined> => {
      try {
        await work;
        return undefined;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        faults.set(error.code, (faults.get(error.code) ?? 0) + 1);
        expect(error.headers['Retry-After']).toBeDefined();
        return error.code;
      }
    };
    const write = async () => {
      while (!isDone) {
        const n = next++;
        const insert = change('INSERT INTO entries VALUES ($1::bigint)', [n]);
        const code = await attempt(
          database.write(() =>
            kept(
              (function* () {
                yield insert;
              })(),
            ),
          ),
        );
        if (code === undefined) acknowledged.add(n);
        if (code === 'store.unknown-commit') unknown.add(n);
        if (code !== undefined) await pause(20);
      }
    };
    const read = async () => {
      while (!isDone) {
        const code = await attempt(database.read('SELECT count(*) FROM entries', []));
        await attempt(database.scan('SELECT pg_sleep(0.02), $1::bigint', [1n]));
        if (code !== undefined) await pause(20);
      }
    };
    const clients = [write, write, write, write, write, write, read, read, read].map((run) =>
      run(),
    );

    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGQUIT'] as const) {
      await pause(700);
      await server?.stop(signal);
      await pause(300);
      await server?.start();
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 3000 }).toBeGreaterThan(before);
    }
    await pause(300);
    isDone = true;
    await Promise.all(clients);

    const rows = await database.read('SELECT n, count(*) FROM entries GROUP BY n', []);
    const stored = new Map(rows.map(([n, count]) => [n, count]));
    expect([...acknowledged].filter((n) => !stored.has(n))).toEqual([]);
    expect([...stored].filter(([, count]) => count !== 1n)).toEqual([]);
    expect(
      [...stored.keys()].filter((n) => !acknowledged.has(n as bigint) && !unknown.has(n as bigint)),
    ).toEqual([]);
    expect(
      [...faults.keys()].filter((code) => !/^store\.un(?:available|known-commit)$/.test(code)),
    ).toEqual([]);
    expect(faults.get('store.unavailable')).toBeGreaterThan(0);
    await database.close();
  },
);
