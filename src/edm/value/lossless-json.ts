// This file defines JSON values whose numbers keep all digits, as a bigint or as the original text. The type Json in model.ts is
// plain JSON, where every number is a double.

/**
 * A JSON number that is not an integer, with its original digits. This is a class because a client could send any tagged object.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value of a request body: integers are bigint, other numbers NumberText. A plain number counts as exact. */
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

/** Whether a text is JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Array.isArray that also narrows the negative case, which it does not do for readonly arrays. */
export function isJsonArray(input: JsonInput | undefined): input is readonly JsonInput[] {
  return Array.isArray(input);
}

/** The digits of a JSON number; undefined for other values. */
export function numberText(input: JsonInput): string | undefined {
  if (typeof input === 'bigint') return input.toString();
  if (typeof input === 'number') return Number.isFinite(input) ? String(input) : undefined;
  return input instanceof NumberText ? input.text : undefined;
}

/** Prints JSON text with all digits of the numbers. */
export function printJson(input: JsonInput): string {
  const digits = numberText(input);
  if (digits !== undefined) return digits;
  if (isJsonArray(input)) return `[${input.map(printJson).join(',')}]`;
  if (!isJsonObject(input)) return JSON.stringify(input);
  const members = Object.entries(input).map(
    ([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`,
  );
  return `{${members.join(',')}}`;
}

/** A short representation for messages: `"abc"`, `12.5`, `an array`, `an object`. */
export function showInput(input: JsonInput): string {
  if (isJsonArray(input)) return 'an array';
  if (isJsonObject(input)) return 'an object';
  const shown = printJson(input);
  if (shown.length <= 60) return shown;
  return typeof input === 'string' ? `${shown.slice(0, 57)}…"` : `${shown.slice(0, 57)}…`;
}

/**
 * Parses JSON text that the service has written, keeping all digits. Numbers that a double represents exactly become plain numbers.
 * Before parsing, each number is replaced by its index in a list, so that strings cannot be mistaken for numbers.
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

/** A string or a number. Strings are matched so that digits in them are not. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function exactNumber(digits: string): number | bigint | NumberText {
  const plain = Number(digits);
  if (String(plain) === digits) return plain;
  return /^-?\d+$/.test(digits) ? BigInt(digits) : new NumberText(digits);
}
