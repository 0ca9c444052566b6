// This file defines what comes of reading a value: the value in its one canonical form, or what was expected instead.

/**
 * A primitive value in canonical form; two equal values of a type have the same form.
 * null for null; boolean for Boolean; bigint for Byte, SByte, Int16, Int32, Int64, for Duration (nanoseconds) and for values of
 * enumerations; number for Double and Single (Infinity and NaN included); string for all others: String as it is, Guid in lower
 * case, Decimal without exponent and superfluous zeros, Date `YYYY-MM-DD`, DateTimeOffset `YYYY-MM-DDTHH:MM:SS.fffZ` and
 * TimeOfDay `HH:MM:SS.fff` with as many fraction digits as the precision says (so that text order is time order), Binary as
 * base64url without padding, Geography… and Geometry… as GeoJSON text, Untyped as JSON text.
 */
export type Value = null | boolean | bigint | number | string;

/** `expected` completes the sentence "The value is not valid: …". */
export type Reading<Result = Value> =
  | { readonly kind: 'value'; readonly value: Result }
  | { readonly kind: 'mistake'; readonly expected: string };

export function found<Result>(value: Result): Reading<Result> {
  return { kind: 'value', value };
}

export function expected(what: string): Reading<never> {
  return { kind: 'mistake', expected: `expected ${what}` };
}
