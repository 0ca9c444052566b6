// This file interrupts the server process that builds an index for `docket index add`, and tests what the commands make of what it leaves.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasOwnServers, type OwnServer, ownServer } from '../postgres/own-server.ts';
import { type Library, makeLibrary, modelText, SHELF } from './library.ts';
import type { Ended } from './run-docket.ts';

const BUILDER = `FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;

describe.skipIf(!hasOwnServers)('an index whose build the server aborts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-interrupted-'));
  let server: OwnServer;
  let library: Library;

  beforeAll(async () => {
    const model = join(folder, 'library.json');
    writeFileSync(model, modelText(SHELF));
    server = await ownServer();
    library = await makeLibrary('postgres', folder, model, server.url);
  }, 120_000);
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  async function open(): Promise<Client> {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Starts to build an index, which waits for a transaction, and interrupts it. */
  async function interrupt(by: (other: Client) => Promise<unknown>): Promise<Ended> {
    const [writer, other] = [await open(), await open()];
    await writer.query('BEGIN; UPDATE "Books" SET "Shelf" = 1 WHERE "Id" = 1000001');
    const adding = library.docket('index', 'add', 'Books', 'Shelf,Title');
    await vi.waitFor(async () => {
      const { rows } = await other.query(`SELECT 1 ${BUILDER}`);
      expect(rows).toHaveLength(1);
    }, 10_000);
    await by(other);
    for (const client of [writer, other]) await client.end().catch(() => undefined);
    return await adding;
  }

  /** Interrupts it by a restart of the server, which leaves it incomplete. */
  async function leaveIncomplete(): Promise<Ended> {
    const ended = await interrupt(() => server.stop());
    await server.start();
    return ended;
  }

  const listed = async () => (await library.docket('index', 'list', 'Books')).out;
  const INCOMPLETE = /^Books +Shelf, Title +installation +incomplete/m;

  it('is dropped by the command, if the server still runs', async () => {
    const { code, err } = await interrupt((other) =>
      other.query(`SELECT pg_terminate_backend(pid) ${BUILDER}`),
    );
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /^The connection to the database postgres on \S+ was lost: terminating connection due to administrator command\. Check the log of the server, and run the same command again\.\n$/,
      ),
    ]);
    expect(await listed()).not.toContain('Shelf, Title');
    const other = await open();
    const { rows } = await other.query('SELECT 1 FROM pg_index WHERE NOT indisvalid');
    await other.end();
    expect(rows).toEqual([]);
  }, 30_000);

  it('is listed, found by doctor and dropped', async () => {
    const { code, err } = await leaveIncomplete();
    expect([code, err]).toEqual([1, expect.stringContaining('was lost: ')]);
    expect(await listed()).toMatch(INCOMPLETE);
    const { out } = await library.docket('doctor');
    expect(out).toContain('The index of Books by Shelf,Title is incomplete.');
    expect(await library.docket('index', 'drop', 'Books', 'Shelf,Title')).toMatchObject({
      code: 0,
    });
    expect(await listed()).not.toContain('Shelf, Title');
  }, 30_000);

  it('is completed by a migration', async () => {
    await leaveIncomplete();
    expect(await listed()).toMatch(INCOMPLETE);
    expect(await library.docket('migrate')).toMatchObject({ code: 0 });
    expect(await listed()).toMatch(/^Books +Shelf, Title +installation +in use/m);
  }, 30_000);
});
