// This file tests how the queue of a writer groups writes: those of clients that write again and again share commits, and a write that is
// alone is not held up.
import { describe, expect, it } from 'vitest';
import { kept } from '../../src/store/work.ts';
import { type PendingWrite, report, writeQueue } from '../../src/store/write-queue.ts';

const LIMIT = 8;

/** A queue whose groups take the given milliseconds, and the sizes of its groups. */
function makeQueue(milliseconds: number) {
  const sizes: number[] = [];
  const runGroup = async (items: readonly PendingWrite[]) => {
    sizes.push(items.length);
    await pause(milliseconds);
    report(
      items.map((item) => ({ item, kind: 'done', result: undefined })),
      (error) => error,
    );
  };
  const { write, close } = writeQueue(runGroup, LIMIT);
  return { sizes, close, write: () => write(() => kept(nothing())) };
}

// biome-ignore lint/correctness/useYield: a unit of work without operations
function* nothing(): Generator<never, undefined> {
  return undefined;
}

/** A pause of 0 is a turn of the event loop: a timer would take a millisecond. */
const pause = (milliseconds: number) =>
  new Promise((resolve) =>
    milliseconds === 0 ? setImmediate(resolve) : setTimeout(resolve, milliseconds),
  );

/** A client that sends its next write a moment after the last one was acknowledged. */
async function client(write: () => Promise<unknown>, writes: number): Promise<void> {
  for (let count = 0; count < writes; count++) {
    await write();
    await pause(0);
    await pause(0);
  }
}

describe('The queue of a writer', () => {
  it('lets clients that begin at different times share all later commits', async () => {
    const { write, sizes, close } = makeQueue(4);
    const clients = Array.from({ length: 6 }, async (_, index) => {
      await pause(index);
      await client(write, 20);
    });
    await Promise.all(clients);
    await close();
    expect(sizes.reduce((sum, size) => sum + size)).toBe(120);
    // Without a wait, two halves take turns: 40 groups of 3.
    expect(sizes.length).toBeLessThan(30);
    expect(sizes).toContain(6);
  });

  it('begins at once with writes of a single client', async () => {
    const { write, sizes, close } = makeQueue(0);
    const began = performance.now();
    await client(write, 100);
    const alone = performance.now() - began;
    await close();
    expect(sizes).toEqual(Array.from({ length: 100 }, () => 1));
    // 100 waits would take 200 ms.
    expect(alone).toBeLessThan(100);
  });

  it('waits once after the last client but one has left', async () => {
    const { write, sizes, close } = makeQueue(0);
    await Promise.all([write(), write(), write()]);
    await client(write, 3);
    await close();
    expect(sizes).toEqual([3, 1, 1, 1]);
  });

  it('makes no group larger than its limit, and finishes what waits when it is closed', async () => {
    const { write, sizes, close } = makeQueue(1);
    const writes = Array.from({ length: 20 }, () => write());
    await close();
    await Promise.all(writes);
    expect(sizes).toEqual([8, 8, 4]);
    await expect(write()).rejects.toMatchObject({ code: 'store.stopping' });
  });
});
