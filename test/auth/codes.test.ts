// This file checks codes with the values of RFC 6238, "Test Vectors", cut to six digits.
import { expect, it } from 'vitest';
import { intervalOf } from '../../src/auth/second-factor/codes.ts';

/** `12345678901234567890` in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  [59, '287082', 1],
  [1_111_111_109, '081804', 37_037_036],
  [1_111_111_111, '050471', 37_037_037],
  [1_234_567_890, '005924', 41_152_263],
  [2_000_000_000, '279037', 66_666_666],
  [20_000_000_000, '353130', 666_666_666],
])('at %d seconds, the code is %s', (seconds, code, interval) => {
  expect(intervalOf(SECRET, code, seconds * 1000)).toBe(interval);
  expect(intervalOf(SECRET, `${code.slice(0, 3)} ${code.slice(3)}`, seconds * 1000)).toBe(interval);
  expect(intervalOf(SECRET, code, (seconds + 90) * 1000)).toBeUndefined();
});

it.each(['', '28708', '2870820', 'abcdef', '２８７０８２'])('%j is no code', (code) => {
  expect(intervalOf(SECRET, code, 59_000)).toBeUndefined();
});
