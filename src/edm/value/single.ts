// This file rounds numbers to single precision, and writes them.

/** Digits that identify every single-precision number. */
const MOST_DIGITS = 9;

/**
 * The nearest single-precision number, as the double with the fewest digits that identify it: 1.1, not 1.100000023841858. So it is
 * printed in its shortest form and equals the literal 1.1. Ties are resolved as PostgreSQL does.
 */
export function shortestSingle(value: number): number {
  const single = Math.fround(value);
  if (!Number.isFinite(single) || single === 0) return single;
  for (let digits = 1; digits < MOST_DIGITS; digits++) {
    const short = roundToEven(single, digits);
    if (Math.fround(short) === single && !isMidway(single, short)) return short;
  }
  return roundToEven(single, MOST_DIGITS);
}

/** From here on, not all digits before the point are significant. */
const EXPONENTIAL = 10 ** MOST_DIGITS;

/** The shortest text that identifies the nearest single-precision number: `1.2345679e+9`, not 1234567900. Larger ones are kept. */
export function writeSingle(value: number): string {
  const short = shortestSingle(value);
  if (Object.is(short, -0)) return '-0';
  if (!Number.isFinite(short)) return String(value);
  return Math.abs(short) < EXPONENTIAL ? String(short) : short.toExponential();
}

/** The number with that many digits; of two that are equally near, the one whose last digit is even. */
function roundToEven(single: number, digits: number): number {
  const rounded = single.toPrecision(digits);
  const [mantissa = ''] = rounded.split('e');
  const longer = single.toPrecision(digits + 1);
  const isTie = /5(e|$)/.test(longer) && Number(longer) === single;
  const isOdd = /[13579]$/.test(mantissa);
  return isTie && isOdd
    ? Number((2 * single - Number(rounded)).toPrecision(digits))
    : Number(rounded);
}

/** Whether the number lies exactly between two of single precision. */
function isMidway(single: number, short: number): boolean {
  const mirrored = 2 * short - single;
  return mirrored !== single && Math.fround(mirrored) === mirrored;
}
