// This file defines JSON as it is handed around without loss: a number keeps all its digits, either as a bigint or as the text
// that stood in the body. Ordinary JSON, in which every number is a double, is the type Json of model.ts.

/**
 * A JSON number that is not written as an integer, with the digits that were written. A class, not a tagged object, because a
 * client can write any tagged object itself.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value of a request body: integers as bigint, other numbers as NumberText (a plain number counts as exact). */
export type JsonInput =
  | null
  | boolean
  | bigint
  | number
  | string
  | NumberText
  | readonly JsonInput[]
  | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonInput;
}

export function isJsonObject(input: JsonInput | undefined): input is JsonObject {
  return (
    typeof input === 'object' &&
    input !== null &&
    !Array.isArray(input) &&
    !(input instanceof NumberText)
  );
}

/** Array.isArray that also tells what a readonly list is not. */
export function isJsonList(input: JsonInput | undefined): input is readonly JsonInput[] {
  return Array.isArray(input);
}

/** The digits of a JSON number, or undefined when the input is something else. */
export function numberText(input: JsonInput): string | undefined {
  if (typeof input === 'bigint') return input.toString();
  if (typeof input === 'number') return Number.isFinite(input) ? String(input) : undefined;
  return input instanceof NumberText ? input.text : undefined;
}

/** The input as JSON text again, with all digits of its numbers. */
export function printJson(input: JsonInput): string {
  const digits = numberText(input);
  if (digits !== undefined) return digits;
  if (isJsonList(input)) return `[${input.map(printJson).join(',')}]`;
  if (!isJsonObject(input)) return JSON.stringify(input);
  const members = Object.entries(input).map(
    ([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`,
  );
  return `{${members.join(',')}}`;
}

/** What was found, short enough for a message: `"abc"`, `12.5`, `a list`, `an object`. */
export function showInput(input: JsonInput): string {
  if (isJsonList(input)) return 'a list';
  if (isJsonObject(input)) return 'an object';
  const shown = printJson(input);
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}

/**
 * JSON text that the service has written itself, with all digits of its numbers: those that a double holds as they are written are
 * plain numbers. Every number is replaced by its place in a list before the text is parsed, so no string can be mistaken for one.
 */
export function parseExactJson(text: string): JsonInput {
  const numbers: string[] = [];
  const indexed = text.replace(TOKEN, (token) =>
    token.startsWith('"') ? token : String(numbers.push(token) - 1),
  );
  return JSON.parse(indexed, (_, value: unknown) =>
    typeof value === 'number' ? exactNumber(numbers[value] ?? '') : value,
  ) as JsonInput;
}

/** A string, whose digits are none of a number, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function exactNumber(digits: string): number | bigint | NumberText {
  const plain = Number(digits);
  if (String(plain) === digits) return plain;
  return /^-?\d+$/.test(digits) ? BigInt(digits) : new NumberText(digits);
}
