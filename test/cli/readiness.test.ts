// This file tests over HTTP that a node with PostgreSQL says whether it is ready and why not, and serves nothing from a database that
// another program has migrated or is migrating.
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startListening } from '../../src/cli/command/serve.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { type FaultyProxy, startProxy } from '../store/postgres-proxy.ts';
import { docketHere } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const data = mkdtempSync(join(tmpdir(), 'docket-ready-'));
let url: string;
let proxy: FaultyProxy;
let service: Awaited<ReturnType<typeof startListening>>;
let token: string;

beforeAll(async () => {
  url = await postgresUrl();
  const words = ['demo', '--requests', '5', '--data', data];
  await docketHere(words, { DOCKET_DATABASE: url, DOCKET_ADMIN_PASSWORD: PASSWORD });
  proxy = await startProxy(url);
  const config = readConfig({ data, port: 0, logLevel: 'silent' }, { DOCKET_DATABASE: proxy.url });
  service = await startListening(config);
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const response = await fetch(`${origin()}/token`, { method: 'POST', body });
  token = ((await response.json()) as { access_token: string }).access_token;
}, 60_000);

afterEach(() => {
  proxy.judge = null;
  proxy.isDown = false;
});

afterAll(async () => {
  await service.stop();
  await proxy.close();
  await dropDatabase(url);
  rmSync(data, { recursive: true });
});

const origin = () => `http://127.0.0.1:${service.port}`;

async function readiness(): Promise<string> {
  const response = await fetch(`${origin()}/readyz`);
  return `${response.status} ${(await response.text()).trimEnd()}`;
}

/** The status, the code of the error and Retry-After of a request that reads records. */
async function read(): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${origin()}/odata/ServiceRequests?$top=1`, { headers });
  const body = (await response.json()) as { readonly error?: { readonly code: string } };
  return [response.status, body.error?.code, response.headers.get('retry-after')];
}

async function until(expected: string): Promise<void> {
  await expect.poll(readiness).toBe(expected);
}

it('is ready while the database responds', async () => {
  expect(await readiness()).toBe('200 ready');
  expect(await read()).toEqual([200, undefined, null]);
});

it('is not ready while the database cannot be reached, and is again afterwards', async () => {
  proxy.isDown = true;
  proxy.cut();
  await until('503 The database is unavailable; try again in a moment.');
  expect(await read()).toEqual([503, 'store.unavailable', '2']);
  proxy.isDown = false;
  await until('200 ready');
  expect(await read()).toEqual([200, undefined, null]);
});

it('is not ready while the database does not respond, and says so soon', async () => {
  proxy.judge = () => 'lose';
  expect(await readiness()).toBe('503 The database has not responded within 2 seconds.');
  proxy.judge = null;
  proxy.cut();
  await until('200 ready');
});

it('serves nothing while and after another program migrates the database', async () => {
  const program = new Client({ connectionString: url });
  await program.connect();
  const lock = "hashtextextended('docket uses ' || current_schema(), 0)";
  const alone = `SELECT pg_try_advisory_lock(${lock}) AS granted`;
  const isAlone = async () => (await program.query(alone)).rows[0].granted;
  const holders = `SELECT count(*)::int AS count FROM pg_locks
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await program.query(holders)).rows[0].count).toBe(1);
  expect(await isAlone()).toBe(false);

  proxy.isDown = true;
  proxy.cut();
  await expect.poll(isAlone).toBe(true);
  proxy.isDown = false;
  await until('503 The database is being migrated; try again later.');
  expect(await read()).toEqual([503, 'store.migrating', '5']);

  const change = 'UPDATE docket_setting SET "value" = "value" ||';
  await program.query(`${change} ' ' WHERE "name" = 'layout'`);
  await program.query(`SELECT pg_advisory_unlock(${lock})`);
  const other =
    '503 The database schema was changed by another program and does not match this process any more. Restart it with the version of Docket that the database has now.';
  await until(other);
  expect(await read()).toEqual([503, 'store.other-version', '5']);
  // The node does not prevent further migrations, except while it looks at the version.
  await expect.poll(isAlone).toBe(true);
  await program.query(
    `UPDATE docket_setting SET "value" = rtrim("value", ' ') WHERE "name" = 'layout'`,
  );
  await program.query(`SELECT pg_advisory_unlock(${lock})`);

  await until('200 ready');
  expect(await read()).toEqual([200, undefined, null]);
  expect(await isAlone()).toBe(false);
  await program.end();
}, 30_000);

it('stops while the database cannot be reached', async () => {
  const config = readConfig({ data, port: 0, logLevel: 'silent' }, { DOCKET_DATABASE: proxy.url });
  const other = await startListening(config);
  // A session in use, which is stored when the service stops.
  const headers = { authorization: `Bearer ${token}` };
  const url = `http://127.0.0.1:${other.port}/odata/ServiceRequests?$top=1`;
  for (let count = 0; count < 2; count++) expect((await fetch(url, { headers })).status).toBe(200);
  proxy.isDown = true;
  proxy.cut();
  await other.stop();
  await expect(fetch(url, { headers })).rejects.toThrow('fetch failed');
}, 30_000);

it('status shows the database without its password, and what makes it slow', async () => {
  const own = new URL(url);
  own.password = 'tr0ub4dor';
  const status = async () => {
    const { out, err } = await docketHere(['status', '--data', data, '--json'], {
      DOCKET_DATABASE: own.href,
    });
    expect(out + err).not.toContain('tr0ub4dor');
    return JSON.parse(out);
  };
  // The process may still be waiting for the work to become free again.
  await expect.poll(status).toMatchObject({
    database: `${own.pathname.slice(1)} on ${own.hostname}:${own.port}`,
    engine: expect.stringMatching(/^PostgreSQL \d+\.\d+$/),
    warnings: [],
    lastBackup: null,
    processes: [
      {
        process: `docket ${hostname()} ${process.pid}`,
        connectedSince: expect.stringMatching(/^20\d\d-.*Z$/),
        silentSeconds: expect.any(Number),
        doesScheduledWork: true,
      },
    ],
  });
  const text = await docketHere(['status', '--data', data], { DOCKET_DATABASE: own.href });
  expect(text.out).toMatch(
    /process +docket .*, connected since 20\d\d-\S+Z, last heard of \d+ s ago/,
  );
  const program = new Client({ connectionString: url });
  await program.connect();
  await program.query('DROP EXTENSION pg_trgm CASCADE');
  await program.end();
  expect((await status()).warnings).toEqual([
    expect.stringMatching(/^Substring searches read whole tables/),
  ]);
}, 30_000);
