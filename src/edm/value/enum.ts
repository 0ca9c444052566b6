// This file reads and writes values of enumerations: numbers in canonical form, names where people read them.
// OData JSON 4.01, "Primitive Value"; OData ABNF, rule enumValue.
import { didYouMean } from '../../base/nearest-name.ts';
import { integerOf } from '../csdl/document-reader.ts';
import type { EnumType } from '../model.ts';
import type { JsonInput } from './lossless-json.ts';
import { isPrimitive, primitiveRow } from './primitives.ts';
import { expected, found, type Reading } from './read-result.ts';

/** A value of a body: a member's name, several with commas for flags, or the number. */
export function parseEnumJson(type: EnumType, input: JsonInput): Reading<bigint | null> {
  if (input === null) return found(null);
  if (typeof input === 'string') return parseEnumText(type, input);
  const value = integerOf(input);
  return value === undefined ? expected(describe(type)) : inBounds(type, value);
}

/** `Red`, `Red,Striped`, `5`; a flag enumeration is the sum of its members. */
export function parseEnumText(type: EnumType, text: string): Reading<bigint> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > 1 && !type.flags) return expected(`one member only. ${describe(type)}`);
  let sum = 0n;
  for (const part of parts) {
    const member = type.members.find(({ name }) => name === part);
    const value =
      member?.value ?? (/^[+-]?\d{1,19}$/.test(part) ? BigInt(part.replace('+', '')) : undefined);
    if (value === undefined) {
      const names = type.members.map(({ name }) => name);
      return expected(`${describe(type)}.${didYouMean(part, names)}`);
    }
    sum |= value;
  }
  return inBounds(type, sum);
}

/** The names of the members that make up the value, the number where there are none. */
export function writeEnum(type: EnumType, value: bigint): string {
  const exact = type.members.find((member) => member.value === value);
  if (exact !== undefined) return exact.name;
  const parts = type.flags
    ? type.members.filter(
        (member) => member.value !== 0n && (member.value & value) === member.value,
      )
    : [];
  const sum = parts.reduce((total, member) => total | member.value, 0n);
  return parts.length > 0 && sum === value
    ? parts.map(({ name }) => name).join(',')
    : value.toString();
}

function inBounds(type: EnumType, value: bigint): Reading<bigint> {
  const bounds = isPrimitive(type.underlying) ? primitiveRow(type.underlying).bounds : undefined;
  const fits = bounds === undefined || (value >= bounds.least && value <= bounds.greatest);
  return fits ? found(value) : expected(`a value of ${type.underlying}`);
}

function describe(type: EnumType): string {
  const names = type.members.map(({ name }) => name);
  const shown = names.length > 20 ? [...names.slice(0, 20), '…'] : names;
  return `${type.flags ? 'members' : 'a member'} of ${type.name}: ${shown.join(', ')}`;
}
