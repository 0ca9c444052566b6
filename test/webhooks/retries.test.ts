// This file tests when messages are sent again, and in which order.
import { describe, expect, it } from 'vitest';
import type { Queued } from '../../src/webhooks/delivery-queue.ts';
import { Lanes } from '../../src/webhooks/lanes.ts';
import { retryAfter, retryDelay } from '../../src/webhooks/retry-delay.ts';

describe('Delays', () => {
  it('grow to four hours, and differ at random', () => {
    const seconds = (attempts: number, random = 0.5) => retryDelay(attempts, random) / 1000;
    expect([1, 2, 3, 4].map((one) => seconds(one))).toEqual([5, 20, 80, 320]);
    expect([seconds(30), seconds(30, 0), seconds(30, 1)]).toEqual([14_400, 10_800, 18_000]);
  });

  it('follow Retry-After up to a day', () => {
    const now = Date.parse('2026-11-27T10:00:00Z');
    expect(retryAfter('120', now)).toBe(120_000);
    expect(retryAfter('Fri, 27 Nov 2026 10:01:00 GMT', now)).toBe(60_000);
    expect(
      [undefined, 'soon', '-5', 'Fri, 27 Nov 2026 09:00:00 GMT'].map((one) => retryAfter(one, now)),
    ).toEqual([0, 0, 0, 0]);
    expect(retryDelay(1, 0.5, 120_000)).toBe(120_000);
    expect(retryDelay(1, 0.5, 1000)).toBe(5000);
    expect(retryDelay(1, 0.5, 1e12)).toBe(86_400_000);
  });
});

describe('Lanes', () => {
  let uid = 0n;
  const item = (subject: string | undefined, more: Partial<Queued> = {}): Queued => ({
    ...{ uid: ++uid, messageId: String(uid), isTest: false, subject, body: 'x', readAt: 0 },
    ...{ attempts: 0, firstAttempt: undefined, nextAttempt: undefined },
    ...more,
  });

  it('send one message about an entity at a time, in order', () => {
    const lanes = new Lanes();
    const [a1, a2, b1] = [item('a'), item('a'), item('b')];
    for (const one of [a1, a2, b1]) lanes.add(one);
    expect([lanes.take(0), lanes.take(0), lanes.take(0)]).toEqual([a1, b1, undefined]);
    expect([a1, a2, b1].map((one) => lanes.isFollowed(one))).toEqual([true, true, false]);
    lanes.finish(a1);
    expect(lanes.take(0)).toBe(a2);
    expect([lanes.count, lanes.bytes]).toEqual([2, 2]);
  });

  it('wait for a message that is sent again', () => {
    const lanes = new Lanes();
    const [a1, a2] = [item('a'), item('a')];
    for (const one of [a1, a2]) lanes.add(one);
    lanes.take(0);
    const again = { ...a1, nextAttempt: 50, body: 'longer' };
    lanes.delay(a1, again);
    expect([lanes.take(49), lanes.take(50), lanes.bytes]).toEqual([undefined, again, 7]);
    lanes.delay(again, { ...again, nextAttempt: 99 });
    lanes.wakeAll();
    expect(lanes.take(51)?.uid).toBe(a1.uid);
    lanes.finish(again);
    expect([lanes.take(51), lanes.take(51)]).toEqual([a2, undefined]);
  });

  it('are one for batches, and one for each test', () => {
    const lanes = new Lanes();
    const test = item(undefined, { isTest: true });
    const batches = [item(undefined), item(undefined)];
    for (const one of [...batches, test]) lanes.add(one);
    expect([lanes.take(0), lanes.take(0), lanes.take(0)]).toEqual([batches[0], test, undefined]);
  });
});
