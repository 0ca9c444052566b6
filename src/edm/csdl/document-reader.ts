// This file reads JSON documents member by member. It records each mistake with its location and treats invalid members as absent, so
// that one pass finds all mistakes.
import { didYouMean } from '../../base/nearest-name.ts';
import type { Json } from '../model.ts';
import { type Mistake, memberPath } from '../model-error.ts';
import { canonicalDecimal } from '../value/decimal.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  NumberText,
  showInput,
} from '../value/lossless-json.ts';

/** An object in a document, its JSON path, and the list that collects the mistakes of the document. */
export interface Part {
  readonly value: JsonObject;
  readonly path: string;
  readonly mistakes: Mistake[];
}

/** The value as a part. Reports a mistake and returns an empty part if it is not an object. */
export function objectPart(value: JsonInput, path: string, mistakes: Mistake[]): Part {
  if (isJsonObject(value)) return { value, path, mistakes };
  const message = `Expected an object, found ${showInput(value)}.`;
  mistakes.push({ path, message, remedy: 'Write an object in braces.' });
  return { value: {}, path, mistakes };
}

/** The member as a part; undefined if absent. */
export function childPart(part: Part, name: string): Part | undefined {
  const value = part.value[name];
  return value === undefined
    ? undefined
    : objectPart(value, memberPath(part.path, name), part.mistakes);
}

/** The items of a member that is an array of objects; none if absent. */
export function childParts(part: Part, name: string): readonly Part[] {
  const value = part.value[name];
  if (value === undefined) return [];
  const path = memberPath(part.path, name);
  if (!isJsonArray(value)) {
    report(part, name, `Expected an array, found ${showInput(value)}.`, 'Write an array.');
    return [];
  }
  return value.map((item, index) => objectPart(item, `${path}[${index}]`, part.mistakes));
}

export function report(part: Part, name: string, message: string, remedy: string): void {
  part.mistakes.push({ path: memberPath(part.path, name), message, remedy });
}

export function textMember(part: Part, name: string): string | undefined {
  const value = part.value[name];
  if (value === undefined || typeof value === 'string') return value;
  report(part, name, `Expected a string, found ${showInput(value)}.`, 'Write a string in quotes.');
  return undefined;
}

export function requiredText(part: Part, name: string): string {
  if (part.value[name] !== undefined) return textMember(part, name) ?? '';
  report(part, name, `${name} is missing.`, `Add ${name}.`);
  return '';
}

export function flagMember(part: Part, name: string): boolean | undefined {
  const value = part.value[name];
  if (value === undefined || typeof value === 'boolean') return value;
  const message = `Expected true or false, found ${showInput(value)}.`;
  report(part, name, message, 'Write true or false without quotes.');
  return undefined;
}

export function integerMember(part: Part, name: string): bigint | undefined {
  const value = part.value[name];
  if (value === undefined) return undefined;
  const integer = integerOf(value);
  if (integer === undefined) {
    const message = `Expected an integer, found ${showInput(value)}.`;
    report(part, name, message, 'Write an integer.');
  }
  return integer;
}

/** The integer, also from a string, for clients that only have doubles; undefined if it is not an integer. */
export function integerOf(value: JsonInput): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

/** Reports members that begin with `$` and are not known. */
export function checkMembers(part: Part, known: readonly string[]): void {
  for (const name of Object.keys(part.value)) {
    if (!name.startsWith('$') || name.includes('@') || known.includes(name)) continue;
    const remedy = `Remove it or use one of ${known.join(', ')}.${didYouMean(name, known)}`;
    report(part, name, `${name} is not allowed here.`, remedy);
  }
}

/** The value as plain JSON. Numbers that a double cannot represent exactly become strings. */
export function plainJson(value: JsonInput): Json {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  }
  if (value instanceof NumberText) {
    const number = Number(value.text);
    return canonicalDecimal(value.text) === canonicalDecimal(String(number)) ? number : value.text;
  }
  if (isJsonArray(value)) return value.map(plainJson);
  return isJsonObject(value) ? plainObject(value) : value;
}

export function plainObject(object: JsonObject): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, plainJson(value)]),
  );
}
