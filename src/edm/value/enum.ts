// This file reads and writes enumeration values: numbers in canonical form, member names in bodies and URLs.
// OData JSON 4.01, "Primitive Value"; OData ABNF, rule enumValue.
import { didYouMean } from '../../base/nearest-name.ts';
import { integerOf } from '../csdl/document-reader.ts';
import type { EnumType } from '../model.ts';
import type { JsonInput } from './lossless-json.ts';
import { isPrimitive, primitiveRow } from './primitives.ts';
import { expected, found, type ReadResult } from './read-result.ts';

/** Reads a value from a body: a member name, comma-separated names for flags, or the number. */
export function parseEnumJson(type: EnumType, input: JsonInput): ReadResult<bigint | null> {
  if (input === null) return found(null);
  if (typeof input === 'string') return parseEnumText(type, input);
  const value = integerOf(input);
  return value === undefined ? expected(describe(type)) : inBounds(type, value);
}

/** Reads `Red`, `Red,Striped` or `5`. Members of flags are combined. */
export function parseEnumText(type: EnumType, text: string): ReadResult<bigint> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > 1 && !type.flags) return expected(`one member only. ${describe(type)}`);
  let combined = 0n;
  for (const part of parts) {
    const member = type.members.find(({ name }) => name === part);
    const value =
      member?.value ?? (/^[+-]?\d{1,19}$/.test(part) ? BigInt(part.replace('+', '')) : undefined);
    if (value === undefined) {
      const names = type.members.map(({ name }) => name);
      return expected(`${describe(type)}.${didYouMean(part, names)}`);
    }
    combined |= value;
  }
  return inBounds(type, combined);
}

/** The names of the members that make up the value, else the number. */
export function writeEnum(type: EnumType, value: bigint): string {
  const exact = type.members.find((member) => member.value === value);
  if (exact !== undefined) return exact.name;
  const parts = type.flags
    ? type.members.filter(
        (member) => member.value !== 0n && (member.value & value) === member.value,
      )
    : [];
  const combined = parts.reduce((total, member) => total | member.value, 0n);
  return parts.length > 0 && combined === value
    ? parts.map(({ name }) => name).join(',')
    : value.toString();
}

function inBounds(type: EnumType, value: bigint): ReadResult<bigint> {
  const bounds = isPrimitive(type.underlying) ? primitiveRow(type.underlying).bounds : undefined;
  const fits = bounds === undefined || (value >= bounds.least && value <= bounds.greatest);
  return fits ? found(value) : expected(`a value of ${type.underlying}`);
}

function describe(type: EnumType): string {
  const names = type.members.map(({ name }) => name);
  const shown = names.length > 20 ? [...names.slice(0, 20), '…'] : names;
  return `${type.flags ? 'members' : 'a member'} of ${type.name}: ${shown.join(', ')}`;
}
