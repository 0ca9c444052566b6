// This file rewrites stored JSON documents into the format of the response: large numbers as strings, control information by metadata
// level and version. It is a pure function that the database calls, and numbers keep all digits.
//     {"Big":9007199254740993}    {"Big":"9007199254740993"}
// OData JSON Format 4.01, "Control Information"; "IEEE754Compatible".
import { canonicalDecimal } from '../../edm/value/decimal.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  numberText,
  parseExactJson,
  printJson,
} from '../../edm/value/lossless-json.ts';

/** A complex type by qualified name, `wide` for Int64 and Decimal, `any` if the type is known from the value only, or `plain`. */
export type ValueRule = string;

export interface MemberRule {
  readonly of: ValueRule;
  /** The type as shown in full metadata; undefined if the JSON value implies it. */
  readonly note?: string | undefined;
}

export interface DocumentRules {
  readonly of: ValueRule;
  /** Write Int64 and Decimal as strings (IEEE754Compatible). */
  readonly strings: boolean;
  readonly metadata: 'none' | 'minimal' | 'full';
  readonly prefix: '@odata.' | '@';
  /** Declared members by type. */
  readonly members: Readonly<Record<string, Readonly<Record<string, MemberRule>>>>;
}

type Member = readonly [name: string, value: JsonInput];

/** Rewrites the JSON text of a document. */
export function rewriteDocument(json: string, rules: DocumentRules): string {
  return printJson(rewrite(parseExactJson(json), rules.of, rules));
}

function rewrite(input: JsonInput, of: ValueRule, rules: DocumentRules): JsonInput {
  if (of === 'plain') return input;
  if (isJsonArray(input)) return input.map((item) => rewrite(item, of, rules));
  if (of === 'wide') return (rules.strings ? numberText(input) : undefined) ?? input;
  return isJsonObject(input) ? rewriteObject(input, of, rules) : input;
}

const STORED_TYPE = '@odata.type';

function rewriteObject(input: JsonObject, of: ValueRule, rules: DocumentRules): JsonObject {
  const storedType = input[STORED_TYPE];
  const named = typeof storedType === 'string' ? storedType.replace(/^#/, '') : undefined;
  const type = named ?? (of === 'any' ? undefined : of);
  const declared = rules.members[type ?? ''] ?? {};
  const isNamed = named !== undefined || (rules.metadata === 'full' && type !== undefined);
  const members = Object.entries(input).flatMap(([name, value]): readonly Member[] => {
    if (name === STORED_TYPE || isTypeOfMember(input, name)) return [];
    const member = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (member === undefined)
      return dynamicMember([name, value], input[`${name}${STORED_TYPE}`], rules);
    const { note } = member;
    const annotation = rules.metadata === 'full' ? typeMember(name, note, rules) : [];
    return [...annotation, [name, rewrite(value, member.of, rules)]];
  });
  const head = typeMember('', isNamed ? `#${type}` : undefined, rules);
  return Object.fromEntries([...head, ...members]);
}

function typeMember(
  name: string,
  type: string | undefined,
  { metadata, prefix }: DocumentRules,
): readonly Member[] {
  return type === undefined || metadata === 'none' ? [] : [[`${name}${prefix}type`, type]];
}

/** Whether the member is the type of another one, with which it is written. */
function isTypeOfMember(input: JsonObject, name: string): boolean {
  return name.endsWith(STORED_TYPE) && Object.hasOwn(input, name.slice(0, -STORED_TYPE.length));
}

/** Numbers of dynamic properties become strings if their stored type is wide, or if a double cannot hold them. */
function dynamicMember(
  [name, value]: Member,
  stored: JsonInput | undefined,
  rules: DocumentRules,
): readonly Member[] {
  const type = typeof stored === 'string' ? stored : rules.strings ? wideType(value) : undefined;
  const isWide = type !== undefined && /\b(?:Int64|Decimal)\b/.test(type);
  return [...typeMember(name, type, rules), [name, rewrite(value, isWide ? 'wide' : 'any', rules)]];
}

/** `#Int64`, `#Decimal` or a collection of them, for numbers that a double cannot hold. */
function wideType(value: JsonInput): string | undefined {
  const numbers = isJsonArray(value) ? value.map(numberText) : [numberText(value)];
  const texts = numbers.filter((text) => text !== undefined);
  if (texts.length < numbers.length || texts.every(isDouble)) return undefined;
  const name = texts.every(isInt64) ? 'Int64' : 'Decimal';
  return isJsonArray(value) ? `#Collection(${name})` : `#${name}`;
}

function isDouble(digits: string): boolean {
  return canonicalDecimal(digits) === canonicalDecimal(String(Number(digits)));
}

function isInt64(digits: string): boolean {
  if (!/^-?\d+$/.test(digits)) return false;
  const value = BigInt(digits);
  return value === BigInt.asIntN(64, value);
}
