// This file tests the limits of the queue of waiting statements.
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { AdmissionQueue } from '../../src/store/admission-queue.ts';

const LIMITS = {
  length: 2,
  wait: 1500,
  settings: { length: 'limits.waitingScans', wait: 'limits.scanWaitSeconds' },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Item {
  readonly name: string;
  readonly reject: Mock<(error: unknown) => void>;
}

const item = (name: string): Item => ({ name, reject: vi.fn<(error: unknown) => void>() });

function filled(...names: readonly string[]) {
  const queue = new AdmissionQueue<Item>(LIMITS);
  const items = names.map(item);
  for (const one of items) queue.add(one);
  return { queue, items };
}

describe('The queue of waiting statements', () => {
  it('returns them in order of arrival', () => {
    const { queue, items } = filled('first', 'second');
    expect([queue.next(), queue.next(), queue.next()]).toEqual([...items, undefined]);
    expect(queue.length).toBe(0);
  });

  it('rejects one more than the limit, and names the setting', () => {
    const { queue } = filled('first', 'second');
    const third = item('third');
    queue.add(third);
    expect(queue.length).toBe(2);
    expect(third.reject).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: 'store.queue-full',
        status: 503,
        headers: { 'Retry-After': '2' },
        message: expect.stringContaining('2 queries are already waiting (limits.waitingScans)'),
      }),
    );
  });

  it('rejects those that wait too long, and only those', () => {
    const { queue, items } = filled('early');
    vi.advanceTimersByTime(1000);
    const late = item('late');
    queue.add(late);
    vi.advanceTimersByTime(501);
    expect(items[0]?.reject).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: 'store.queue-time',
        status: 503,
        headers: { 'Retry-After': '2' },
        message: expect.stringContaining('1.5 seconds'),
      }),
    );
    expect(late.reject).not.toHaveBeenCalled();
    expect(queue.next()).toBe(late);
  });

  it('never rejects what has left it', () => {
    const { queue, items } = filled('first');
    queue.next();
    vi.advanceTimersByTime(10_000);
    expect(items[0]?.reject).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects all at the end', () => {
    const { queue, items } = filled('first', 'second');
    const error = new Error('stopping');
    queue.rejectAll(error);
    for (const { reject } of items) expect(reject).toHaveBeenCalledExactlyOnceWith(error);
    expect([queue.length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
