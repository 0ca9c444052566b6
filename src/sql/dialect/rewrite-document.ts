// This file rewrites stored JSON documents into the form that a request asks for, as a pure function that the database calls: large numbers
// as strings, and control information by metadata level and version. No digit is lost on the way.
//     {"Big":9007199254740993}    {"Big":"9007199254740993"}
// OData JSON Format 4.01, "Control Information"; "IEEE754Compatible".
import { canonicalDecimal } from '../../edm/value/decimal.ts';
import {
  isJsonList,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  numberText,
  parseExactJson,
  printJson,
} from '../../edm/value/lossless-json.ts';

/** A complex type by its qualified name, `wide` for Int64 and Decimal, `any` where only the value says what it is, or `plain`. */
export type ValueRule = string;

export interface MemberRule {
  readonly of: ValueRule;
  /** The type as full metadata names it; undefined where the JSON shows it. */
  readonly note?: string;
}

export interface DocumentRules {
  readonly of: ValueRule;
  /** Int64 and Decimal as strings. */
  readonly strings: boolean;
  readonly metadata: 'none' | 'minimal' | 'full';
  readonly prefix: '@odata.' | '@';
  /** Declared members by type. */
  readonly members: Readonly<Record<string, Readonly<Record<string, MemberRule>>>>;
}

type Member = readonly [name: string, value: JsonInput];

/** The JSON text of a document in another form. */
export function rewriteDocument(json: string, rules: DocumentRules): string {
  return printJson(rewrite(parseExactJson(json), rules.of, rules));
}

function rewrite(input: JsonInput, of: ValueRule, rules: DocumentRules): JsonInput {
  if (of === 'plain') return input;
  if (isJsonList(input)) return input.map((item) => rewrite(item, of, rules));
  if (of === 'wide') return (rules.strings ? numberText(input) : undefined) ?? input;
  return isJsonObject(input) ? rewriteObject(input, of, rules) : input;
}

const STORED_TYPE = '@odata.type';

function rewriteObject(input: JsonObject, of: ValueRule, rules: DocumentRules): JsonObject {
  const told = input[STORED_TYPE];
  const named = typeof told === 'string' ? told.replace(/^#/, '') : undefined;
  const type = named ?? (of === 'any' ? undefined : of);
  const declared = rules.members[type ?? ''] ?? {};
  const isNamed = named !== undefined || (rules.metadata === 'full' && type !== undefined);
  const members = Object.entries(input).flatMap(([name, value]): readonly Member[] => {
    if (name === STORED_TYPE) return [];
    const member = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (member === undefined) return dynamicMember([name, value], rules);
    const { note } = member;
    const noted = rules.metadata === 'full' ? typeMember(name, note, rules) : [];
    return [...noted, [name, rewrite(value, member.of, rules)]];
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

/** Numbers of dynamic properties become strings only where a double cannot hold them, and then tell their type. */
function dynamicMember([name, value]: Member, rules: DocumentRules): readonly Member[] {
  const type = rules.strings ? wideType(value) : undefined;
  if (type === undefined) return [[name, rewrite(value, 'any', rules)]];
  return [...typeMember(name, type, rules), [name, rewrite(value, 'wide', rules)]];
}

/** `#Int64`, `#Decimal` or a collection of them, for numbers beyond doubles. */
function wideType(value: JsonInput): string | undefined {
  const numbers = isJsonList(value) ? value.map(numberText) : [numberText(value)];
  const texts = numbers.filter((text) => text !== undefined);
  if (texts.length < numbers.length || texts.every(isDouble)) return undefined;
  const name = texts.every(isInt64) ? 'Int64' : 'Decimal';
  return isJsonList(value) ? `#Collection(${name})` : `#${name}`;
}

function isDouble(digits: string): boolean {
  return canonicalDecimal(digits) === canonicalDecimal(String(Number(digits)));
}

function isInt64(digits: string): boolean {
  if (!/^-?\d+$/.test(digits)) return false;
  const value = BigInt(digits);
  return value === BigInt.asIntN(64, value);
}
