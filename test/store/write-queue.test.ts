// This file tests how the queue of a writer groups writes: those of clients that write again and again share commits, and a write that is
// alone is not held up. The clock stands still unless a test moves it, so that a slow machine changes nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kept } from '../../src/store/work.ts';
import { type PendingWrite, report, writeQueue } from '../../src/store/write-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const LIMIT = 8;

/** Lets everything happen that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A queue whose groups take a turn of the event loop, and the sizes of its groups. */
function makeQueue() {
  const sizes: number[] = [];
  const runGroup = async (items: readonly PendingWrite[]) => {
    sizes.push(items.length);
    await new Promise((resolve) => setImmediate(resolve));
    report(
      items.map((item) => ({ item, kind: 'done', result: undefined })),
      (error) => error,
    );
  };
  const { write, close } = writeQueue(runGroup, LIMIT);
  const writes = (count: number) =>
    Array.from({ length: count }, () => write(() => kept(nothing())));
  return { sizes, close, writes };
}

// biome-ignore lint/correctness/useYield: a unit of work without operations
function* nothing(): Generator<never, undefined> {
  return undefined;
}

describe('The queue of a writer', () => {
  it('waits for those who have just written', async () => {
    const { writes, sizes } = makeQueue();
    await Promise.all(writes(6));
    writes(3);
    await settle();
    expect(sizes).toEqual([6]);
    writes(3);
    await settle();
    vi.advanceTimersByTime(2);
    await settle();
    expect(sizes).toEqual([6, 6]);
  });

  it('expects those, too, that waited after the last group', async () => {
    const { writes, sizes } = makeQueue();
    writes(3);
    await new Promise((resolve) => setImmediate(resolve));
    writes(4);
    await settle();
    expect(sizes).toEqual([3]);
    writes(3);
    await settle();
    expect(sizes).toEqual([3, 7]);
  });

  it('begins after 2 ms with those who have come', async () => {
    const { writes, sizes } = makeQueue();
    await Promise.all(writes(6));
    writes(5);
    await settle();
    vi.advanceTimersByTime(1);
    await settle();
    expect(sizes).toEqual([6]);
    vi.advanceTimersByTime(1);
    await settle();
    expect(sizes).toEqual([6, 5]);
  });

  it('does not hold up a client that is alone', async () => {
    const { writes, sizes } = makeQueue();
    for (let count = 0; count < 20; count++) {
      writes(1);
      await settle();
    }
    expect(sizes).toEqual(Array.from({ length: 20 }, () => 1));
  });

  it('does not hold up work that writes again as soon as it hears of its last write', async () => {
    const { writes, sizes } = makeQueue();
    for (let count = 0; count < 20; count++) await writes(1)[0];
    expect(sizes).toEqual(Array.from({ length: 20 }, () => 1));
  });

  it('waits less and less often for clients that do not come back, until they do', async () => {
    const { writes, sizes } = makeQueue();
    /** Four write, and then one. Returns whether that one had to wait. */
    const isHeldUp = async () => {
      await Promise.all(writes(4));
      const before = sizes.length;
      writes(1);
      await settle();
      const held = sizes.length === before;
      vi.advanceTimersByTime(2);
      await settle();
      return held;
    };
    const held: boolean[] = [];
    for (let count = 0; count < 11; count++) held.push(await isHeldUp());
    const [yes, no] = [true, false];
    expect(held).toEqual([yes, no, yes, no, no, yes, no, no, no, no, yes]);
  });

  it('makes no group larger than its limit, and finishes what waits when it is closed', async () => {
    const { writes, sizes, close } = makeQueue();
    const all = writes(20);
    const closed = close();
    await settle();
    vi.advanceTimersByTime(2);
    await Promise.all([closed, ...all]);
    expect(sizes).toEqual([8, 8, 4]);
    await expect(writes(1)[0]).rejects.toMatchObject({ code: 'store.stopping' });
  });
});
