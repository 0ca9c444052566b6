// The thread of digests runs compiled code only, so that this is about the compiled program.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digester } from '../../src/attachments/digester.ts';
import type { openLocalStore } from '../../src/attachments/local.ts';
import type { AttachmentStore } from '../../src/attachments/store.ts';
import { type Compiled, compileSources } from '../compiled.ts';
import { newKey, pieces } from '../contracts/attachment-store.ts';
import { sha256 } from '../journeys/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-digests-'));
let compiled: Compiled;
let store: AttachmentStore;
let digester: Digester;
beforeAll(async () => {
  compiled = compileSources();
  const at = (file: string) => pathToFileURL(join(compiled.directory, 'attachments', file)).href;
  const local: { openLocalStore: typeof openLocalStore } = await import(at('local.js'));
  store = local.openLocalStore({ directory: join(folder, 'files') });
  const found: { Digester: new () => Digester } = await import(at('digester.js'));
  digester = new found.Digester();
}, 120_000);
afterAll(async () => {
  await store.close();
  await digester.close();
  compiled.remove();
  rmSync(folder, { recursive: true });
});

describe('digests of files', () => {
  it('are those of their bytes, whatever their size, many at once', async () => {
    const sizes = [0, 1, 131_071, 131_072, 131_073, 524_288, 600_000, 2_097_152, 6_000_001];
    const files = [...sizes, ...sizes, ...sizes].map((size) => randomBytes(size));
    const digests = await Promise.all(
      files.map(async (bytes) => await store.putAndDigest?.(newKey(), pieces(bytes))),
    );
    expect(digests).toEqual(files.map(sha256));
  });

  it('go on after an upload that was given up', async () => {
    async function* broken() {
      yield randomBytes(700_000);
      throw new Error('the client has gone');
    }
    await expect(store.putAndDigest?.(newKey(), broken())).rejects.toThrow('the client has gone');
    const bytes = randomBytes(700_000);
    expect(await store.putAndDigest?.(newKey(), pieces(bytes))).toBe(sha256(bytes));
  });
});

describe('the thread', () => {
  it('that ends fails the files that wait for it, and those only', async () => {
    const files = Array.from({ length: 20 }, () => randomBytes(600_000));
    const kept = files.map((bytes) => store.putAndDigest?.(newKey(), pieces(bytes)));
    const outcomes = Promise.allSettled(kept);
    await store.close();
    for (const [index, outcome] of (await outcomes).entries()) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'file.unavailable' });
      else expect(outcome.value).toBe(sha256(files[index] ?? ''));
    }
    const bytes = randomBytes(600_000);
    expect(await store.putAndDigest?.(newKey(), pieces(bytes))).toBe(sha256(bytes));
  });

  async function written(size: number): Promise<{ handle: FileHandle; bytes: Buffer; at: string }> {
    const at = join(folder, newKey());
    const handle = await open(at, 'wx+');
    const bytes = randomBytes(size);
    await handle.write(bytes);
    return { handle, bytes, at };
  }

  it('tells why a file cannot be digested, and only that of this file', async () => {
    const short = await written(400_000);
    const whole = await written(400_000);
    const one = digester.begin(short.handle.fd);
    const other = digester.begin(whole.handle.fd);
    await truncate(short.at, 1000);
    one.take([short.bytes], 400_000);
    other.take([whole.bytes], 400_000);
    await expect(one.finish()).rejects.toThrow('the file ends after 1000 of 400000 bytes');
    expect(await other.finish()).toBe(sha256(whole.bytes));
    await short.handle.close();
    await whole.handle.close();
  });

  it('that has ended fails those who wait for it, and another one takes its place', async () => {
    const { handle, bytes } = await written(400_000);
    const long = await written(1);
    // Nothing but a hole behind the first byte, which takes a while to be read.
    await long.handle.truncate(400_000_000);
    const lost = digester.begin(long.handle.fd);
    lost.take([], 400_000_000);
    const failing = expect(lost.finish()).rejects.toThrow('the thread of digests has ended');
    await digester.close();
    await failing;
    const again = digester.begin(handle.fd);
    again.take([bytes], 400_000);
    expect(await again.finish()).toBe(sha256(bytes));
    await handle.close();
    await long.handle.close();
  });
});
