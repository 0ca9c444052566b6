// This file reads and writes annotations that are records of a shape, and describes the shape in the vocabulary.
import type { MemberShape, Shape, Shaped } from '../clocks/clock-rules.ts';
import { definedMembers } from '../defined-members.ts';
import type { Annotations, Json } from '../model.ts';
import { memberPath } from '../model-error.ts';
import { isJsonArray, type JsonInput, type JsonObject } from '../value/lossless-json.ts';
import {
  childParts,
  flagMember,
  objectPart,
  type Part,
  report,
  textMember,
} from './document-reader.ts';

/** The members of `Docket.Editable`. */
export const EDITABLE = { Where: 'text', Since: 'text' } as const satisfies Shape;

/** Reads a record. Mistakes are added to those of the part. */
export function readShaped<Of extends Shape>(part: Part, shape: Of): Shaped<Of> {
  const names = Object.keys(shape);
  for (const name of Object.keys(part.value)) {
    if (names.includes(name)) continue;
    report(part, name, `${name} is not allowed here.`, `Use only ${names.join(', ')}.`);
  }
  const members = Object.entries(shape).map(([name, kind]) => {
    requirePresence(part, name, kind);
    return [name.charAt(0).toLowerCase() + name.slice(1), readMember(part, name, kind)] as const;
  });
  return definedMembers(Object.fromEntries(members)) as Shaped<Of>;
}

function requirePresence(part: Part, name: string, kind: MemberShape): void {
  const isOptional =
    typeof kind === 'string' ? kind.endsWith('?') : 'optional' in kind || 'some' in kind;
  if (isOptional || part.value[name] !== undefined) return;
  report(part, name, `${name} is missing.`, `Add ${name}.`);
}

function readMember(part: Part, name: string, kind: MemberShape): unknown {
  if (typeof kind === 'object') {
    const items = itemsOf(kind);
    if (items !== undefined) return childParts(part, name).map((item) => readShaped(item, items));
    return readInner(part, name, kind);
  }
  const isList = kind.startsWith('texts') || kind.startsWith('numbers');
  if (isList) return listMember(part, name, kind);
  if (kind === 'flag?') return flagMember(part, name);
  if (kind === 'number') return numberMember(part, name);
  return textMember(part, name) ?? (kind === 'text' ? '' : undefined);
}

function readInner(part: Part, name: string, kind: Exclude<MemberShape, string>): unknown {
  const value = part.value[name];
  if (value === undefined && 'optional' in kind) return undefined;
  const inner = objectPart(value ?? {}, memberPath(part.path, name), part.mistakes);
  return readShaped(inner, innerShape(kind));
}

function numberMember(part: Part, name: string): number {
  const value = plainNumber(part.value[name] ?? null);
  if (typeof value === 'number') return value;
  report(part, name, `${name} is not a number.`, 'Write a number.');
  return 0;
}

function listMember(part: Part, name: string, kind: string): unknown {
  const value = part.value[name];
  if (value === undefined) return kind.endsWith('?') ? undefined : [];
  const type = kind.startsWith('texts') ? 'string' : 'number';
  const items = isJsonArray(value) ? value.map(plainNumber) : undefined;
  if (items?.every((item) => typeof item === type)) return items;
  report(part, name, `${name} is not an array of ${type}s.`, `Write an array of ${type}s.`);
  return [];
}

const plainNumber = (item: JsonInput) => (typeof item === 'bigint' ? Number(item) : item);

/** Writes a record as CSDL JSON. */
export function writeShaped(record: object, shape: Shape): Annotations {
  const members = Object.entries(shape).map(([name, kind]): [string, Json | undefined] => {
    const value: unknown = Reflect.get(record, name.charAt(0).toLowerCase() + name.slice(1));
    return [name, value === undefined ? undefined : writeMember(value, kind)];
  });
  return definedMembers(Object.fromEntries(members)) as Annotations;
}

function writeMember(value: unknown, kind: MemberShape): Json {
  if (typeof kind === 'string') return value as Json;
  const items = itemsOf(kind);
  if (items !== undefined)
    return (value as readonly object[]).map((item) => writeShaped(item, items));
  return writeShaped(value as object, innerShape(kind));
}

/** The shape of the items of a list. */
function itemsOf(kind: Exclude<MemberShape, string>): Shape | undefined {
  if ('many' in kind) return kind.many;
  return 'some' in kind ? kind.some : undefined;
}

/** The complex types of a shape, by name. */
export function shapeTypes(name: string, shape: Shape): JsonObject {
  const inner = Object.entries(shape).flatMap(([member, kind]) =>
    typeof kind === 'string' ? [] : [[`${name}${member}`, innerShape(kind)] as const],
  );
  const members = Object.entries(shape).map(([member, kind]) => [
    member,
    describeMember(kind, `Docket.V1.${name}${member}Type`),
  ]);
  return {
    [`${name}Type`]: { $Kind: 'ComplexType', ...Object.fromEntries(members) },
    ...Object.assign({}, ...inner.map(([type, one]) => shapeTypes(type, one))),
  };
}

function innerShape(kind: Exclude<MemberShape, string>): Shape {
  if ('one' in kind) return kind.one;
  return 'optional' in kind ? kind.optional : (itemsOf(kind) ?? {});
}

function describeMember(kind: MemberShape, type: string): JsonObject {
  if (typeof kind !== 'string') {
    const isOptional = 'optional' in kind ? { $Nullable: true } : {};
    const isList = itemsOf(kind) !== undefined;
    return { $Type: type, ...isOptional, ...(isList ? { $Collection: true } : {}) };
  }
  const types: Readonly<Record<string, string>> = {
    'flag?': 'Edm.Boolean',
    number: 'Edm.Int32',
    'numbers?': 'Edm.Int32',
  };
  const primitive = types[kind];
  return {
    ...(primitive === undefined ? {} : { $Type: primitive }),
    ...(kind.startsWith('texts') || kind === 'numbers?' ? { $Collection: true } : {}),
    ...(kind.endsWith('?') && !kind.startsWith('texts') && kind !== 'numbers?'
      ? { $Nullable: true }
      : {}),
  };
}
