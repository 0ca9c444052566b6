// This file tests how outcomes share transactions.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuthDatabase } from '../../src/auth/database.ts';
import { DeliveryLease } from '../../src/webhooks/delivery-lease.ts';
import type { Recorded } from '../../src/webhooks/delivery-queue.ts';
import { OutcomeRecorder } from '../../src/webhooks/record-batch.ts';
import { fixedWorld } from '../world.ts';

const recorded: Recorded = {
  item: {
    ...{ uid: 1n, messageId: '1-1', isTest: false, subject: 'Persons(1)', body: '{}', readAt: 0 },
    ...{ attempts: 0, firstAttempt: undefined, nextAttempt: undefined },
  },
  outcome: { state: 'delivered', status: 204, response: '', nextAttempt: undefined },
  at: 1,
  body: undefined,
};

let transactions = 0;
/** What transactions wait for; they are counted, and run nothing. */
let disk: Promise<void> = Promise.resolve();
const database: AuthDatabase = {
  read: () => Promise.reject(new Error('nothing is read')),
  write: async () => {
    transactions++;
    await disk;
    return undefined as never;
  },
};

let recorder: OutcomeRecorder;
beforeEach(() => {
  transactions = 0;
  disk = Promise.resolve();
  const world = fixedWorld();
  recorder = new OutcomeRecorder(database, world, new DeliveryLease(database, world, 1000));
});

afterEach(() => void vi.useRealTimers());

/** Outcomes would wait for ever for others. */
const stopTimers = () => vi.useFakeTimers({ toFake: ['setTimeout'] });

/** Records outcomes that arrive one after another. */
async function several(count: number): Promise<Promise<void>[]> {
  const results: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    results.push(recorder.record(recorded, true));
    await new Promise(setImmediate);
  }
  return results;
}

describe('Outcomes', () => {
  it('that may wait share a transaction', async () => {
    await Promise.all(await several(5));
    expect(transactions).toBe(1);
  });

  it('are stored without delay if a message waits for one of them', async () => {
    stopTimers();
    const results = await several(5);
    expect(transactions).toBe(0);
    await Promise.all([...results, recorder.record(recorded)]);
    expect(transactions).toBe(1);
    await recorder.record(recorded);
    expect(transactions).toBe(2);
  });

  it('are stored without delay if there are many', async () => {
    stopTimers();
    const results = await several(499);
    expect(transactions).toBe(0);
    await Promise.all([...results, recorder.record(recorded, true)]);
    expect(transactions).toBe(1);
    await Promise.all(Array.from({ length: 1000 }, () => recorder.record(recorded, true)));
    expect(transactions).toBe(3);
  });

  it('that arrive during a transaction are stored by the next one', async () => {
    let finish = () => {};
    disk = new Promise((resolve) => {
      finish = resolve;
    });
    const first = recorder.record(recorded);
    await expect.poll(() => transactions).toBe(1);
    const others = await several(3);
    expect(transactions).toBe(1);
    finish();
    await Promise.all([first, ...others, recorder.record(recorded)]);
    expect(transactions).toBe(2);
  });

  it('all fail if their transaction does, and others do not', async () => {
    disk = Promise.reject(new Error('disk full'));
    disk.catch(() => {});
    const settled = await Promise.allSettled(await several(3));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    disk = Promise.resolve();
    await recorder.record(recorded, true);
  });
});
