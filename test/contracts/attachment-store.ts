// This file holds the tests that every store of files must pass, whichever it is. What a store needs for them is made by its own test:
// a fresh, empty place for each run of the suite.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AttachmentStore,
  isKey,
  makeKey,
  type StoredFile,
} from '../../src/attachments/store.ts';

/** A store and what ends it together with its server. */
export interface OpenStore {
  readonly store: AttachmentStore;
  readonly end: () => Promise<void>;
}

/** Beginnings of keys; a store that spreads its files by them is listed sooner when there are few. */
const BEGINNINGS = ['00', '7f', 'ff'];

export function newKey(): string {
  const key = makeKey(randomBytes);
  return `${BEGINNINGS[Number.parseInt(key.slice(0, 2), 16) % BEGINNINGS.length]}${key.slice(2)}`;
}

/** A copy of the bytes in uneven pieces: stores take the pieces for themselves. */
export async function* pieces(bytes: Uint8Array, size = 65_537): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size)
    yield new Uint8Array(bytes.subarray(start, start + size));
}

export async function gather(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export async function listed(store: AttachmentStore): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const file of store.list()) files.push(file);
  return files.sort((one, other) => (one.key < other.key ? -1 : 1));
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Pieces until so many bytes have gone, then a mistake of the source. */
async function* breaking(size: number): AsyncGenerator<Uint8Array> {
  yield* pieces(randomBytes(size));
  throw new Error('the client has gone');
}

/** One piece, then silence. */
async function* silent(size: number): AsyncGenerator<Uint8Array> {
  yield randomBytes(size);
  await new Promise(() => undefined);
}

export function describeStore(name: string, open: () => Promise<OpenStore>): void {
  describe(name, () => {
    let store: AttachmentStore;
    let end: OpenStore['end'];
    beforeAll(async () => {
      ({ store, end } = await open());
    }, 60_000);
    afterAll(async () => {
      await store?.close();
      await end?.();
    });

    it.each([0, 1, 1000, 65_536, 1_048_577])(
      'gives back %d bytes as they were, and their digest',
      async (size) => {
        const key = newKey();
        const bytes = randomBytes(size);
        expect(await store.put(key, pieces(bytes))).toBe(digest(bytes));
        const back = await gather(await store.get(key));
        expect(back.byteLength).toBe(size);
        expect(digest(back)).toBe(digest(bytes));
        expect(await store.size(key)).toBe(size);
      },
    );

    it('gives back a file of many parts', async () => {
      const key = newKey();
      const bytes = randomBytes(20_000_003);
      await store.put(key, pieces(bytes));
      expect(digest(await gather(await store.get(key)))).toBe(digest(bytes));
      expect(await store.size(key)).toBe(20_000_003);
      await store.remove(key);
    }, 60_000);

    it('gives a range with both its ends', async () => {
      const key = newKey();
      const bytes = randomBytes(300_000);
      await store.put(key, pieces(bytes));
      for (const [first, last] of [
        [0, 0],
        [299_999, 299_999],
        [0, 299_999],
        [65_530, 131_080],
      ] as const) {
        const part = await gather(await store.get(key, { first, last }));
        expect(part.equals(bytes.subarray(first, last + 1))).toBe(true);
      }
    });

    it('puts other bytes under a key in place of those before', async () => {
      const key = newKey();
      await store.put(key, pieces(randomBytes(5000)));
      await store.put(key, pieces(Buffer.from('second')));
      expect((await gather(await store.get(key))).toString()).toBe('second');
      expect(await store.size(key)).toBe(6);
    });

    it('says of a key that it does not have: no size, lost bytes, and nothing to take away', async () => {
      const key = newKey();
      expect(await store.size(key)).toBeUndefined();
      await expect(store.get(key)).rejects.toMatchObject({ code: 'file.lost', status: 500 });
      await expect(store.remove(key)).resolves.toBeUndefined();
    });

    it('takes away what it has', async () => {
      const key = newKey();
      await store.put(key, pieces(Buffer.from('soon gone')));
      await store.remove(key);
      expect(await store.size(key)).toBeUndefined();
      await expect(store.get(key)).rejects.toMatchObject({ code: 'file.lost' });
    });

    it('keeps nothing when the source breaks, and tells its very mistake', async () => {
      for (const size of [0, 100_000, 12_000_000]) {
        const key = newKey();
        const before = await listed(store);
        await expect(store.put(key, breaking(size))).rejects.toThrow('the client has gone');
        expect(await store.size(key)).toBeUndefined();
        expect(await listed(store)).toEqual(before);
      }
    }, 60_000);

    it('keeps nothing when the signal is given, even while the source is silent', async () => {
      for (const size of [10, 12_000_000]) {
        const key = newKey();
        const before = await listed(store);
        const stop = new AbortController();
        const putting = store.put(key, silent(size), stop.signal);
        setTimeout(() => stop.abort(new Error('no longer wanted')), 300);
        await expect(putting).rejects.toThrow('no longer wanted');
        expect(await listed(store)).toEqual(before);
      }
      const given = AbortSignal.abort(new Error('never wanted'));
      await expect(store.put(newKey(), pieces(randomBytes(10)), given)).rejects.toThrow(
        'never wanted',
      );
    }, 60_000);

    it('lists every key with size and time', async () => {
      const before = new Set((await listed(store)).map((file) => file.key));
      const made = new Map<string, number>();
      for (const size of [0, 17, 70_000]) {
        const key = newKey();
        await store.put(key, pieces(randomBytes(size)));
        made.set(key, size);
      }
      const fresh = (await listed(store)).filter((file) => !before.has(file.key));
      expect(new Map(fresh.map((file) => [file.key, file.size]))).toEqual(made);
      for (const { modified, key } of fresh) {
        expect(Math.abs(modified.getTime() - Date.now())).toBeLessThan(120_000);
        expect(isKey(key)).toBe(true);
      }
    });

    it('serves many at once', async () => {
      const files = Array.from({ length: 24 }, (_, index) => ({
        key: newKey(),
        bytes: randomBytes(1000 + index * 20_000),
      }));
      await Promise.all(files.map(({ key, bytes }) => store.put(key, pieces(bytes))));
      const back = await Promise.all(
        files.map(async ({ key }) => digest(await gather(await store.get(key)))),
      );
      expect(back).toEqual(files.map(({ bytes }) => digest(bytes)));
      await Promise.all(files.map(({ key }) => store.remove(key)));
    }, 60_000);

    it('goes on after readers that stop in the middle, or never begin', async () => {
      const key = newKey();
      const bytes = randomBytes(3_000_000);
      await store.put(key, pieces(bytes));
      for (let round = 0; round < 20; round++) {
        const stream = await store.get(key);
        expect(stream).toBeInstanceOf(Readable);
        if (round % 2 === 0) await stream[Symbol.asyncIterator]().next();
        stream.destroy();
      }
      expect(digest(await gather(await store.get(key)))).toBe(digest(bytes));
    }, 60_000);

    it('holds a reader that is slow no more than it asks for', async () => {
      const key = newKey();
      const bytes = randomBytes(4_000_000);
      await store.put(key, pieces(bytes));
      const stream = await store.get(key);
      const hash = createHash('sha256');
      let reads = 0;
      for await (const piece of stream) {
        hash.update(piece);
        if (reads++ < 5) await new Promise((resolve) => setTimeout(resolve, 60));
      }
      expect(hash.digest('hex')).toBe(digest(bytes));
    }, 60_000);

    it.each([
      '',
      '..',
      '../../etc/passwd',
      `${'a'.repeat(31)}/`,
      `${'A'.repeat(32)}`,
      'x\r\nDELE y',
    ])('makes no path of %j', async (key) => {
      await expect(store.put(key, pieces(randomBytes(1)))).rejects.toThrow('is not the key');
      await expect(store.get(key)).rejects.toThrow('is not the key');
      await expect(store.remove(key)).rejects.toThrow('is not the key');
      await expect(store.size(key)).rejects.toThrow('is not the key');
    });

    it('passes its own trial, and leaves nothing of it', async () => {
      const before = await listed(store);
      const steps = [];
      for await (const step of store.probe()) steps.push(step);
      expect(steps.filter((step) => step.kind === 'failed')).toEqual([]);
      expect(steps.map((step) => step.step).slice(-3)).toEqual(['write', 'read back', 'remove']);
      expect(await listed(store)).toEqual(before);
    });
  });
}
