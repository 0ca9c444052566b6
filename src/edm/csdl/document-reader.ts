// This file reads a JSON document member by member and notes every mistake with its place, so that a reader of documents can say
// what it wants and still go on to the end. What cannot be read counts as absent.
import { didYouMean } from '../../base/nearest-name.ts';
import type { Json } from '../model.ts';
import { type Mistake, memberPath } from '../model-error.ts';
import { canonicalDecimal } from '../value/decimal.ts';
import {
  isJsonList,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  NumberText,
  showInput,
} from '../value/lossless-json.ts';

/** A place in a document: its value, its JSON path, and the list that all mistakes of the document go to. */
export interface Part {
  readonly value: JsonObject;
  readonly path: string;
  readonly mistakes: Mistake[];
}

/** The part as an object; when it is something else, that is a mistake and the part is empty. */
export function objectPart(value: JsonInput, path: string, mistakes: Mistake[]): Part {
  if (isJsonObject(value)) return { value, path, mistakes };
  const message = `An object belongs here, but ${showInput(value)} was found.`;
  mistakes.push({ path, message, remedy: 'Write an object in braces.' });
  return { value: {}, path, mistakes };
}

/** The member as an object; absent when there is none. */
export function childPart(part: Part, name: string): Part | undefined {
  const value = part.value[name];
  return value === undefined
    ? undefined
    : objectPart(value, memberPath(part.path, name), part.mistakes);
}

/** The items of a member that is a list of objects. */
export function childParts(part: Part, name: string): readonly Part[] {
  const value = part.value[name];
  if (value === undefined) return [];
  const path = memberPath(part.path, name);
  if (!isJsonList(value)) {
    report(part, name, `A list belongs here, but ${showInput(value)} was found.`, 'Write a list.');
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
  report(
    part,
    name,
    `Text belongs here, but ${showInput(value)} was found.`,
    'Write it in quotes.',
  );
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
  const message = `true or false belongs here, but ${showInput(value)} was found.`;
  report(part, name, message, 'Write true or false without quotes.');
  return undefined;
}

export function integerMember(part: Part, name: string): bigint | undefined {
  const value = part.value[name];
  if (value === undefined) return undefined;
  const integer = integerOf(value);
  if (integer === undefined) {
    const message = `An integer belongs here, but ${showInput(value)} was found.`;
    report(part, name, message, 'Write an integer.');
  }
  return integer;
}

/** An integer, also one in quotes, as JSON has it where the only number is the double. */
export function integerOf(value: JsonInput): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

/** Notes each member that begins with `$` and is not among the known ones. */
export function checkMembers(part: Part, known: readonly string[]): void {
  for (const name of Object.keys(part.value)) {
    if (!name.startsWith('$') || name.includes('@') || known.includes(name)) continue;
    const remedy = `Remove it, or write one of ${known.join(', ')}.${didYouMean(name, known)}`;
    report(part, name, `${name} does not belong here.`, remedy);
  }
}

/** The value as ordinary JSON; numbers that no double holds exactly become strings. */
export function plainJson(value: JsonInput): Json {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  }
  if (value instanceof NumberText) {
    const number = Number(value.text);
    return canonicalDecimal(value.text) === canonicalDecimal(String(number)) ? number : value.text;
  }
  if (isJsonList(value)) return value.map(plainJson);
  return isJsonObject(value) ? plainObject(value) : value;
}

export function plainObject(object: JsonObject): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, plainJson(value)]),
  );
}
