// This file kills processes in the middle of an upload: a store never holds half a file under a key.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { beforeAll, expect, it } from 'vitest';
import { openFtpStore } from '../../src/attachments/ftp/store.ts';
import { openLocalStore } from '../../src/attachments/local/store.ts';
import { openS3Store } from '../../src/attachments/s3/store.ts';
import { type AttachmentStore, isKey } from '../../src/attachments/store.ts';
import { waitForOutput } from '../child-output.ts';
import { compileSources } from '../compiled.ts';
import { gather, listed } from '../contracts/attachment-store.ts';
import { startFtpSrv } from '../contracts/ftp-servers.ts';
import { startS3 } from '../contracts/s3-server.ts';
import { sampleSize } from '../sample-size.ts';

const UPLOADER = join(import.meta.dirname, '..', 'contracts', 'uploader.mjs');

let compiled: string;
beforeAll(() => {
  compiled = compileSources();
}, 120_000);

interface Told {
  /** Digest by key. */
  readonly begun: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
}

/** Uploads in a process of its own, which is killed so many milliseconds after it has begun a file, or kept one. */
async function uploadUntilKilled(
  kind: string,
  settings: object,
  first: 'begun' | 'kept',
  after: number,
): Promise<Told> {
  const words = [UPLOADER, compiled, kind, JSON.stringify(settings)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  child.stdout.on('data', (chunk) => {
    told += chunk;
  });
  await waitForOutput(child, (output) => output.includes(first) || undefined);
  await new Promise((resolve) => setTimeout(resolve, after));
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  const lines = told.split('\n').map((line) => line.split(' '));
  const of = (word: string) => lines.filter(([first]) => first === word);
  return {
    begun: new Map(of('begun').map(([, key = '', digest = '']) => [key, digest])),
    kept: of('kept').map(([, key = '']) => key),
  };
}

async function expectWhole(store: AttachmentStore, { begun, kept }: Told): Promise<void> {
  const there = (await listed(store)).map((file) => file.key);
  expect(there).toEqual(expect.arrayContaining([...kept]));
  // The server of the package keeps what it has got of a request that breaks off, which object storage does not: strays, unlike files.
  const whole = store.name === 's3' ? kept : there.filter(isKey);
  for (const key of whole) {
    const digest = createHash('sha256')
      .update(await gather(await store.get(key)))
      .digest('hex');
    expect(digest).toBe(begun.get(key));
  }
  for (const key of there) await store.remove(key);
  expect(await listed(store)).toEqual([]);
}

async function killAgainAndAgain(
  rounds: number,
  store: AttachmentStore,
  settings: object,
): Promise<void> {
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? 'kept' : 'begun';
    const told = await uploadUntilKilled(store.name, settings, first, 50 + ((round * 137) % 700));
    await expectWhole(store, told);
    count += told.kept.length;
  }
  expect(count).toBeGreaterThan(0);
}

it('a service that is killed while it writes to a directory leaves whole files, and what can be swept', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'docket-killed-'));
  await killAgainAndAgain(sampleSize(8, 20), openLocalStore({ directory }), { directory });
  rmSync(directory, { recursive: true });
}, 180_000);

it('so does one that writes to an FTP server', async () => {
  const { settings, end } = await startFtpSrv();
  const clock = { now: Date.now, elapsed: () => performance.now() };
  const store = openFtpStore(settings, clock);
  await killAgainAndAgain(sampleSize(3, 5), store, settings);
  await store.close();
  await end();
}, 180_000);

it('so does one that writes to object storage', async () => {
  const { settings, end } = await startS3();
  await killAgainAndAgain(sampleSize(3, 5), openS3Store(settings), settings);
  await end();
}, 180_000);
