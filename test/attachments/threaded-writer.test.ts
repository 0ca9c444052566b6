// The thread that writes files runs compiled code only, so that this is about the compiled program.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { openLocalStore } from '../../src/attachments/local/store.ts';
import type { threadedWriter } from '../../src/attachments/local/threaded-writer.ts';
import type { FileWriter } from '../../src/attachments/local/write-file.ts';
import type { AttachmentStore } from '../../src/attachments/store.ts';
import { compileSources } from '../compiled.ts';
import { describeStore, gather, newKey, pieces } from '../contracts/attachment-store.ts';
import { sha256 } from '../journeys/files.ts';

const MEBI = 1_048_576;
const folder = mkdtempSync(join(tmpdir(), 'docket-threaded-'));
let compiled: string;
let open: typeof openLocalStore;
let store: AttachmentStore;
let writer: FileWriter;
beforeAll(async () => {
  compiled = compileSources();
  const at = (file: string) => pathToFileURL(join(compiled, 'attachments', 'local', file)).href;
  const local: { openLocalStore: typeof openLocalStore } = await import(at('store.js'));
  open = local.openLocalStore;
  store = open({ directory: join(folder, 'files') });
  const threaded: { threadedWriter: typeof threadedWriter } = await import(
    at('threaded-writer.js')
  );
  writer = threaded.threadedWriter();
}, 120_000);
afterAll(async () => {
  await store.close();
  await writer.close();
  rmSync(folder, { recursive: true });
});

describeStore('the store in a directory, compiled', async () => {
  const directory = join(folder, `suite-${newKey()}`);
  return { store: open({ directory }), end: async () => rmSync(directory, { recursive: true }) };
});

describe('files that are written in the thread', () => {
  it('are kept whole and told with their digests, whatever their size, many at once', async () => {
    const sizes = [0, 1, 65_536, 524_287, 524_288, 524_289, MEBI, 2 * MEBI, 6_000_001];
    const files = [...sizes, ...sizes, ...sizes].map((size) => ({
      key: newKey(),
      bytes: randomBytes(size),
    }));
    const digests = await Promise.all(
      files.map(async ({ key, bytes }) => await store.put(key, pieces(bytes))),
    );
    expect(digests).toEqual(files.map(({ bytes }) => sha256(bytes)));
    for (const { key, bytes } of files)
      expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
  });

  it('may come a byte at a time', async () => {
    const bytes = randomBytes(3000);
    const key = newKey();
    expect(await store.put(key, pieces(bytes, 1))).toBe(sha256(bytes));
    expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
  });

  it('take the memory of their pieces, and copy what is a part of some memory', async () => {
    const whole = randomBytes(600_000);
    const shared = randomBytes(700_000);
    const before = sha256(shared);
    async function* both() {
      yield whole;
      yield shared.subarray(0, 600_000);
    }
    const expected = sha256(Buffer.concat([whole, shared.subarray(0, 600_000)]));
    const digest = await store.put(newKey(), both());
    expect(whole.byteLength).toBe(0);
    expect(sha256(shared)).toBe(before);
    expect(digest).toBe(expected);
  });

  it('go on after an upload that was given up', async () => {
    async function* broken() {
      yield randomBytes(700_000);
      throw new Error('the client has gone');
    }
    await expect(store.put(newKey(), broken())).rejects.toThrow('the client has gone');
    const bytes = randomBytes(700_000);
    expect(await store.put(newKey(), pieces(bytes))).toBe(sha256(bytes));
  });
});

describe('the thread', () => {
  it('tells the mistakes of the system by their names, and goes on', async () => {
    writeFileSync(join(folder, 'plain'), '');
    const wrong = writer.begin(join(folder, 'plain', 'aa', 'one'));
    await expect(wrong.keep([randomBytes(9)])).rejects.toMatchObject({ code: 'ENOTDIR' });
    await wrong.discard();
    const bytes = randomBytes(9);
    const expected = sha256(bytes);
    const right = writer.begin(join(folder, 'aa', 'one'));
    expect(await right.keep([bytes])).toBe(expected);
  });

  it('does not get more than it can write, but for a few pieces', async () => {
    const place = join(folder, newKey());
    // Nothing is taken out of a pipe that nobody reads.
    execFileSync('mkfifo', [`${place}.part`]);
    const file = writer.begin(place);
    for (let count = 0; count < 2; count++) await file.write([randomBytes(MEBI)]);
    let isWritten = false;
    const third = file.write([randomBytes(MEBI)]).then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isWritten).toBe(false);
    createReadStream(`${place}.part`).resume();
    await third;
    await file.discard();
    expect(existsSync(`${place}.part`)).toBe(false);
  });

  it('that ends fails the files that wait for it, and those only', async () => {
    const files = Array.from({ length: 20 }, () => randomBytes(600_000));
    const expected = files.map(sha256);
    const kept = files.map((bytes) => store.put(newKey(), pieces(bytes)));
    const outcomes = Promise.allSettled(kept);
    await store.close();
    for (const [index, outcome] of (await outcomes).entries()) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'file.unavailable' });
      else expect(outcome.value).toBe(expected[index]);
    }
    const bytes = randomBytes(600_000);
    expect(await store.put(newKey(), pieces(bytes))).toBe(sha256(bytes));
  });

  it('that has ended leaves nothing of the file that it was writing, and another one takes its place', async () => {
    const place = join(folder, newKey());
    const lost = writer.begin(place);
    for (let count = 0; count < 6; count++) await lost.write([randomBytes(MEBI)]);
    expect(existsSync(`${place}.part`)).toBe(true);
    await writer.close();
    await expect(lost.keep([])).rejects.toThrow('the file writer thread has exited');
    await lost.discard();
    expect(existsSync(`${place}.part`)).toBe(false);
    const bytes = randomBytes(600_000);
    const expected = sha256(bytes);
    expect(await writer.begin(place).keep([bytes])).toBe(expected);
  });
});
