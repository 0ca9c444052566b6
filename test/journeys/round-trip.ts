// This file says whether what is read of a record is what was written into it: the same value, in the form that the service writes.

import type { Model, Property, StructuredType } from '../../src/edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  numberText,
} from '../../src/edm/value/lossless-json.ts';
import { primitiveRow, resolvePrimitive } from '../../src/edm/value/primitives.ts';
import { readJson } from '../../src/service/json-body.ts';

/** A body of an answer with all digits of its numbers. */
export function exact(text: string): JsonInput {
  return readJson(Buffer.from(text));
}

/** The places at which the record is not as it was written; members that were not written are passed over. */
export function differences(
  model: Model,
  type: StructuredType,
  written: JsonInput,
  read: JsonInput | undefined,
): readonly string[] {
  if (!isJsonObject(written)) return written === null && read === null ? [] : [''];
  if (!isJsonObject(read)) return [''];
  return Object.entries(written).flatMap(([name, value]) => {
    const member = model.members(type).get(name);
    const found = read[name];
    if (member?.kind !== 'property') return same(value, found) ? [] : [name];
    return propertyDifferences(model, member, value, found).map((place) =>
      place === '' ? name : `${name}/${place}`,
    );
  });
}

function propertyDifferences(
  model: Model,
  property: Property,
  written: JsonInput,
  read: JsonInput | undefined,
): readonly string[] {
  if (property.collection) {
    const [sent, found] = [written ?? [], read];
    if (!isJsonArray(sent) || !isJsonArray(found) || sent.length !== found.length) return [''];
    const item = { ...property, collection: false };
    return sent.flatMap((one, index) => propertyDifferences(model, item, one, found[index]));
  }
  const type = model.types.get(property.type);
  if (type?.kind === 'complex' && type.coded === undefined)
    return differences(model, type, written, read);
  return same(canonical(model, property, written), canonical(model, property, read)) ? [] : [''];
}

function same(one: JsonInput | undefined, other: JsonInput | undefined): boolean {
  return printed(one) === printed(other);
}

function printed(value: JsonInput | undefined): string {
  if (value === undefined) return 'nothing';
  const digits = numberText(value);
  if (digits !== undefined) return digits;
  if (isJsonArray(value)) return `[${value.map(printed).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${name}:${printed(one)}`);
  return `{${members.sort().join()}}`;
}

/** One form for all ways in which a value can be written. */
function canonical(model: Model, property: Property, value: JsonInput | undefined): JsonInput {
  if (value === null || value === undefined) return 'null';
  const type = model.types.get(property.type);
  if (type?.kind === 'complex') return codeValue(model, property, value);
  const primitive = resolvePrimitive(model, property);
  if (primitive === undefined) return value;
  switch (primitiveRow(primitive.type).class) {
    case 'decimal':
      return decimal(numberText(value) ?? String(value));
    case 'floating':
      return String(typeof value === 'string' ? value : Number(numberText(value)));
    case 'point':
      return new Date(String(value)).toISOString();
    case 'time':
      return (
        `${value}:00`.slice(0, 8) +
        String(value)
          .slice(8)
          .replace(/\.?0+$/, '')
      );
    default:
      return value;
  }
}

function codeValue(model: Model, { codeList = '' }: Property, value: JsonInput): JsonInput {
  if (!isJsonObject(value)) return value;
  if (value.Value !== undefined) return numberText(value.Value) ?? null;
  const codes = model.codeLists.get(codeList)?.codes ?? [];
  const found = codes.find(({ texts }) => Object.values(texts).some((text) => text === value.Text));
  return found === undefined ? null : String(found.value);
}

/** `-0.50` is `-0.5`, `-0` is `0`. */
function decimal(text: string): string {
  const [, minus = '', whole = '', part = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  const size = `${whole === '' ? '0' : whole}${part === '' ? '' : `.${part}`}`;
  return size === '0' ? '0' : `${minus}${size}`;
}
