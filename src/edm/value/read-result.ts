// This file defines the result of reading a value: the value in canonical form, or a description of what was expected.

/**
 * A primitive value in canonical form. Equal values of a type have the same form.
 * null: null; boolean: Boolean; bigint: Byte, SByte, Int16, Int32, Int64, Duration (nanoseconds) and enumerations; number: Double and
 * Single, including Infinity and NaN; string: all others. String is unchanged, Guid lower case, Decimal without exponent and
 * superfluous zeros, Date `YYYY-MM-DD`, DateTimeOffset `YYYY-MM-DDTHH:MM:SS.fffZ` and TimeOfDay `HH:MM:SS.fff` with as many
 * fraction digits as the precision (so that text order is time order), Binary base64url without padding, Geography… and Geometry…
 * GeoJSON text, Untyped JSON text.
 */
export type Value = null | boolean | bigint | number | string;

/** `expected` completes "The value is not valid: …". */
export type ReadResult<Result = Value> =
  | { readonly kind: 'value'; readonly value: Result }
  | { readonly kind: 'mistake'; readonly expected: string };

export function found<Result>(value: Result): ReadResult<Result> {
  return { kind: 'value', value };
}

export function expected(what: string): ReadResult<never> {
  return { kind: 'mistake', expected: `expected ${what}` };
}
