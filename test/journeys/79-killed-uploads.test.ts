// This file kills the service again and again while clients upload files: every file that was acknowledged is there with its digest, no
// row is without bytes, and what a kill leaves in the store is found as a stray.

import { createHash, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocalStore } from '../../src/attachments/local/store.ts';
import { findStrays } from '../../src/attachments/remove-orphans.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const ROUNDS = sampleSize(4, 20);
const CLIENTS = 4;

let service: Killable;
beforeAll(() => {
  service = makeKillable();
}, 120_000);
afterAll(() => service.close());

interface Acknowledged {
  readonly path: string;
  readonly sha256: string;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Uploads until the service is gone, and adds to `done` what was acknowledged. */
async function uploadOn(
  { origin }: Serving,
  token: string,
  path: string,
  done: Acknowledged[],
): Promise<void> {
  try {
    for (;;) {
      const bytes = randomBytes(1 + Math.floor(Math.random() * 400_000));
      const answer = await fetch(`${origin}/odata/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/octet-stream',
          slug: randomBytes(8).toString('hex'),
        },
        body: bytes,
      });
      const { Uid } = (await answer.json()) as { Uid: number };
      if (answer.status === 201)
        done.push({ path: `${path}(${Uid})/$value`, sha256: sha256(bytes) });
    }
  } catch {
    // The service was killed.
  }
}

async function read({ origin }: Serving, token: string, path: string): Promise<Uint8Array> {
  const answer = await fetch(`${origin}/odata/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

it(`${ROUNDS} kills in the middle of uploads: what was acknowledged is there, and no row is without bytes`, async () => {
  let serving = await service.serve();
  const token = await logIn(serving);
  const list = await fetch(`${serving.origin}/odata/ServiceRequests?$select=Uid`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { value } = (await list.json()) as { value: readonly { Uid: number }[] };
  const path = `ServiceRequests(${value[0]?.Uid})/Attachments`;
  const all: Acknowledged[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const done: Acknowledged[] = [];
    const uploads = Array.from({ length: CLIENTS }, () => uploadOn(serving, token, path, done));
    while (done.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    await kill(serving);
    await Promise.all(uploads);
    all.push(...done);
    serving = await service.serve();
    for (const one of done) expect(sha256(await read(serving, token, one.path))).toBe(one.sha256);
  }
  for (const one of all) expect(sha256(await read(serving, token, one.path))).toBe(one.sha256);
  await kill(serving);
  expect(all.length).toBeGreaterThan(ROUNDS);
  await expectWhole();
  process.stdout.write(`${all.length} files were acknowledged in ${ROUNDS} rounds\n`);
}, 300_000);

/** Every row has its bytes; what has no row is a stray, and goes. */
async function expectWhole(): Promise<void> {
  const database = openSqlite({ file: service.database });
  const store = openLocalStore({ directory: join(dirname(service.database), 'files') });
  const rows = database.read('SELECT "key", "size" FROM "docket_file"', []);
  for (const [key, size] of rows) expect(await store.size(String(key))).toBe(Number(size));
  const { strays } = await findStrays(database, store, Date.now() + 1000);
  process.stdout.write(`${strays.length} strays among ${rows.length} files\n`);
  for (const { key } of strays) await store.remove(key);
  const left: string[] = [];
  for await (const { key } of store.list()) left.push(key);
  expect(left.sort()).toEqual(rows.map(([key]) => String(key)).sort());
  await database.close();
}
