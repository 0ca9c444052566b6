// This file tests over HTTP that queries which read many records run on a read replica of PostgreSQL, and see each change that was
// confirmed before, whichever node has made it and however much the replica lags.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startListening } from '../../src/cli/command/serve.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { missingServer, serverUrl } from '../postgres/binaries.ts';
import { type OwnServer, ownServer } from '../postgres/own-server.ts';
import { type FaultyProxy, startProxy } from '../store/postgres-proxy.ts';
import { docketHere } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const reason = missingServer ?? (serverUrl === undefined ? undefined : 'not the own server');

const data = mkdtempSync(join(tmpdir(), 'docket-replica-'));
let primary: OwnServer;
let standby: OwnServer;
let proxy: FaultyProxy;
let nodes: readonly Awaited<ReturnType<typeof startListening>>[];
let headers: Readonly<Record<string, string>>;
/** Scans that have reached the replica. */
let scans = 0;

async function run(server: OwnServer, text: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query({ text, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

describe.skipIf(reason !== undefined)(`a read replica ${reason ?? ''}`, () => {
  beforeAll(async () => {
    primary = await ownServer();
    await docketHere(['demo', '--requests', '20', '--data', data], {
      DOCKET_DATABASE: primary.url,
      DOCKET_ADMIN_PASSWORD: PASSWORD,
    });
    standby = await primary.replicate();
    proxy = await startProxy(standby.url);
    proxy.judge = (bytes) => {
      if (bytes.includes('marker-')) scans++;
      return 'forward';
    };
    const config = readConfig(
      { data, port: 0, logLevel: 'silent' },
      { DOCKET_DATABASE: primary.url, DOCKET_READ_REPLICAS: proxy.url },
    );
    nodes = [await startListening(config), await startListening(config)];
    const body = new URLSearchParams({
      grant_type: 'password',
      username: 'admin',
      password: PASSWORD,
    });
    const login = await fetch(`${origin(0)}/token`, { method: 'POST', body });
    const { access_token: token } = (await login.json()) as { access_token: string };
    headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    // Another question each time: responses are cached.
    let question = 0;
    await vi.waitFor(async () => {
      await countOf(0, `none-${++question}`);
      expect(scans).toBeGreaterThan(0);
    }, 10_000);
  }, 120_000);

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await proxy.close();
    await standby.remove();
    await primary.remove();
    rmSync(data, { recursive: true });
  });

  const origin = (node: number) => `http://127.0.0.1:${nodes[node]?.port}`;
  let number = 0;

  /** The number of persons with a marker in their name, by a substring search, which reads many records. */
  async function countOf(node: number, marker: string): Promise<number> {
    const filter = encodeURIComponent(`contains(Name,'marker-${marker}')`);
    const url = `${origin(node)}/odata/Persons?$count=true&$top=0&$filter=${filter}`;
    const response = await fetch(url, { headers });
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.error]).toEqual([200, undefined]);
    return Number(body['@odata.count']);
  }

  /** Creates a person on one node, and counts on both at once. */
  async function writeAndCount(): Promise<readonly number[]> {
    const marker = `${++number}x`;
    const body = JSON.stringify({ Name: `marker-${marker}` });
    const response = await fetch(`${origin(number % 2)}/odata/Persons`, {
      method: 'POST',
      headers,
      body,
    });
    expect([response.status, await response.text()]).toEqual([201, expect.anything()]);
    return await Promise.all([countOf(0, marker), countOf(1, marker)]);
  }

  it('serves scans, which see each change that was confirmed before on any node', async () => {
    scans = 0;
    for (let round = 0; round < 60; round++) expect(await writeAndCount()).toEqual([1, 1]);
    expect(scans).toBeGreaterThan(60);
  }, 60_000);

  it('that lags is skipped and used again later', async () => {
    await run(standby, 'SELECT pg_wal_replay_pause()');
    await vi.waitFor(async () =>
      expect(await run(standby, 'SELECT pg_get_wal_replay_pause_state()')).toEqual(['paused']),
    );
    for (let round = 0; round < 10; round++) expect(await writeAndCount()).toEqual([1, 1]);
    scans = 0;
    await countOf(0, 'skipped');
    expect(scans).toBe(0);
    await run(standby, 'SELECT pg_wal_replay_resume()');
    await usedAgain();
  }, 60_000);

  it('that is away is skipped and used again later', async () => {
    proxy.isDown = true;
    proxy.cut();
    for (let round = 0; round < 10; round++) expect(await writeAndCount()).toEqual([1, 1]);
    proxy.isDown = false;
    await usedAgain();
  }, 60_000);

  it('that was promoted is not used', async () => {
    await run(standby, 'SELECT pg_promote()');
    for (let round = 0; round < 10; round++) expect(await writeAndCount()).toEqual([1, 1]);
  }, 60_000);

  async function usedAgain(): Promise<void> {
    scans = 0;
    await vi.waitFor(async () => {
      await countOf(0, `again${++number}`);
      await countOf(1, `again${++number}`);
      expect(scans).toBeGreaterThan(0);
    }, 10_000);
  }
});

const SETTINGS = {
  poolSize: 2,
  statementSeconds: 5,
  lockSeconds: 5,
  queue: { length: 10, wait: 1000, settings: { length: 'a', wait: 'b' } },
};

/** A database with what it reports about replicas. */
async function openWith(url: string, readReplicas: readonly string[]) {
  const database = await openPostgres({ url, readReplicas, ...SETTINGS });
  const reports: string[] = [];
  database.reportTo((text) => reports.push(text.replace(/\d{4,}/, 'PORT')));
  return { database, reports };
}

/** The URL with another database, and perhaps a schema. */
function placed(url: string, database: string, schema?: string): string {
  const parts = new URL(url);
  parts.pathname = `/${database}`;
  if (schema !== undefined) parts.search = `?options=-c%20search_path%3D${schema}`;
  return parts.href;
}

const PLACE_TABLE = (name: string) => `CREATE TABLE place AS SELECT '${name}' AS name`;

describe.skipIf(reason !== undefined)('a replica of another installation', () => {
  let own: OwnServer;
  let ownStandby: OwnServer;
  let foreign: OwnServer;
  let foreignStandby: OwnServer;

  beforeAll(async () => {
    own = await ownServer();
    foreign = await ownServer();
    await run(own, 'CREATE DATABASE other');
    for (const server of [own, foreign]) await run(server, PLACE_TABLE('public'));
    await run({ ...own, url: placed(own.url, 'other') }, PLACE_TABLE('other'));
    await run(own, 'CREATE SCHEMA desk');
    await run({ ...own, url: placed(own.url, 'postgres', 'desk') }, PLACE_TABLE('desk'));
    ownStandby = await own.replicate();
    foreignStandby = await foreign.replicate();
  }, 120_000);

  afterAll(async () => {
    for (const server of [ownStandby, foreignStandby, own, foreign]) await server.remove();
  });

  const standby = () => new URL(ownStandby.url);
  const SCHEMA =
    'its schema is "public", not "desk". Write the same options in its URL as in that of the primary';

  it.each([
    [
      'on another server',
      () => foreignStandby.url,
      'postgres',
      'it does not belong to the server of the primary. Name a standby of that server in readReplicas',
    ],
    [
      'in another database',
      () => placed(standby().href, 'other'),
      'other',
      'its database is "other", not "postgres". Name the database of the primary in its URL',
    ],
    ['in another schema', () => placed(standby().href, 'postgres', 'public'), 'postgres', SCHEMA],
    ['whose URL has no schema', () => standby().href, 'postgres', SCHEMA],
  ])(
    '%s is skipped',
    async (_, url, name, problem) => {
      const { database, reports } = await openWith(placed(own.url, 'postgres', 'desk'), [url()]);
      await vi.waitFor(async () => {
        expect(await database.scan('SELECT name FROM place', [])).toEqual([['desk']]);
        expect(reports).toEqual([
          `The read replica ${name} on 127.0.0.1:PORT is skipped: ${problem}.`,
        ]);
      }, 5000);
      // Attempts to connect again do not use it either.
      for (let round = 0; round < 15; round++) {
        expect(await database.scan('SELECT name FROM place', [])).toEqual([['desk']]);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(reports).toHaveLength(1);
      await database.close();
    },
    20_000,
  );

  it('is not used when it takes the place of one that was', async () => {
    const front = await startProxy(ownStandby.url);
    const { database } = await openWith(own.url, [front.url]);
    const IS_REPLICA = 'SELECT pg_is_in_recovery(), name FROM place';
    await vi.waitFor(
      async () => expect(await database.scan(IS_REPLICA, [])).toEqual([[1n, 'public']]),
      10_000,
    );
    const { port } = new URL(front.url);
    await front.close();
    const other = await startProxy(foreignStandby.url, Number(port));
    for (let round = 0; round < 30; round++) {
      expect(await database.scan(IS_REPLICA, [])).toEqual([[0n, 'public']]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await database.close();
    await other.close();
  }, 20_000);

  it('is distinguished by a role without rights, too', async () => {
    await run(own, 'CREATE ROLE plain LOGIN');
    await run(own, 'GRANT SELECT ON place TO plain');
    const asPlain = (url: string) => url.replace('docket@', 'plain@');
    const { database } = await openWith(asPlain(own.url), [asPlain(ownStandby.url)]);
    await vi.waitFor(
      async () => expect(await database.scan('SELECT pg_is_in_recovery()', [])).toEqual([[1n]]),
      10_000,
    );
    await database.close();
  }, 20_000);
});

it.skipIf(reason !== undefined)(
  'reports replicas that it skips',
  async () => {
    const server = await ownServer();
    const replica = await startProxy(server.url);
    const { database, reports } = await openWith(server.url, [replica.url]);
    const place = 'The read replica postgres on 127.0.0.1:PORT';
    await vi.waitFor(async () => {
      await database.scan('SELECT 1', []);
      expect(reports).toEqual([`${place} is skipped: it is not a read replica.`]);
    }, 5000);
    replica.isDown = true;
    replica.cut();
    await vi.waitFor(() =>
      expect(reports.slice(1, 2)).toEqual([`${place} is skipped: the connection is lost.`]),
    );
    await database.close();
    await replica.close();
    await server.remove();
  },
  60_000,
);
