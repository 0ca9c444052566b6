// This file asks how slowly a client may take its answers, on a clock of its own.
import { expect, it } from 'vitest';
import { BODY_TIMES } from '../../src/http/body-stream.ts';
import { CONNECTION_LIMITS } from '../../src/http/connection-limits.ts';
import { isTooLate } from '../../src/http/connection-watch.ts';

const watching = { limits: CONNECTION_LIMITS, times: BODY_TIMES };

/** Seconds after which a client is too late that takes so many bytes every so many seconds; undefined where it never is. */
function secondsUntilLate(bytes: number, every: number): number | undefined {
  const output = { start: 0, readBefore: 5000, read: 5000, changed: 0 };
  for (let second = 1; second < 10_000; second++) {
    if (second % every === 0) {
      output.read += bytes;
      output.changed = second * 1000;
    }
    if (isTooLate(output, second * 1000, watching)) return second;
  }
  return undefined;
}

it.each([
  ['nothing', 0, 1, 61],
  ['a byte a second', 1, 1, 61],
  ['a byte a minute', 1, 60, 61],
  ['half a kibibyte a second', 512, 1, 121],
  ['a kibibyte a second', 1024, 1, undefined],
  ['a minute of that at once', 61_440, 60, undefined],
  ['more than enough, but too seldom', 10_000_000, 80, 61],
])('a client that takes %s', (_, bytes, every, late) => {
  expect(secondsUntilLate(bytes, every)).toBe(late);
});

it('a client that has taken enough may take nothing for 75 seconds, no longer', () => {
  const output = { start: 0, readBefore: 0, read: 50_000_000, changed: 1_000_000 };
  expect(isTooLate(output, 1_074_999, watching)).toBe(false);
  expect(isTooLate(output, 1_075_000, watching)).toBe(true);
  expect(isTooLate(undefined, 1_075_000, watching)).toBe(false);
});
