// This file makes arbitrary bodies that are right by a model's types, and garbles them in one place.
import fc from 'fast-check';

import type { EntityType, Facets, Model, Property, StructuredType } from '../../src/edm/model.ts';
import { isOpen, isServerGenerated } from '../../src/edm/property-storage.ts';
import { valueRules } from '../../src/edm/validation/value-rules.ts';
import type { JsonInput, JsonObject } from '../../src/edm/value/lossless-json.ts';
import {
  type PrimitiveName,
  parseJson,
  primitiveRow,
  type ResolvedPrimitive,
  resolvePrimitive,
} from '../../src/edm/value/primitives.ts';

/** A value that is right for the property, with what is wrong for it. */
interface Sample {
  readonly value: fc.Arbitrary<JsonInput>;
  readonly wrong: fc.Arbitrary<JsonInput>;
}

const digits = (most: number) =>
  fc.bigInt({ min: 0n, max: 10n ** BigInt(Math.min(most, 30)) - 1n });

function decimals({ precision = 20, scale }: Facets): fc.Arbitrary<JsonInput> {
  const places = typeof scale === 'number' ? scale : 3;
  return fc
    .tuple(
      fc.boolean(),
      digits(precision - places),
      digits(places).map((part) => part.toString().padStart(places, '0')),
    )
    .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${places > 0 ? `.${part}` : ''}`);
}

const dates = fc.date({
  min: new Date('1970-01-01'),
  max: new Date('2100-01-01'),
  noInvalidDate: true,
});
const instant = dates.map((date) => date.toISOString());

function texts({ maxLength = 50 }: Facets): fc.Arbitrary<string> {
  return fc
    .string({ unit: 'grapheme', maxLength: Math.min(maxLength, 50) })
    .map((text) => [...text.replaceAll('\0', '')].slice(0, maxLength).join(''));
}

function primitiveSample(type: PrimitiveName, facets: Facets): Sample {
  const row = primitiveRow(type);
  const wrong = fc.constantFrom<JsonInput>({ no: 1 }, [1]);
  switch (row.class) {
    case 'boolean':
      return { value: fc.boolean(), wrong: fc.constantFrom<JsonInput>('true', 1, ...[{}]) };
    case 'integer': {
      const { least, greatest } = row.bounds ?? { least: 0n, greatest: 1n };
      return {
        value: fc.bigInt({ min: least, max: greatest }),
        wrong: fc.constantFrom<JsonInput>(greatest + 1n, least - 1n, true, 'x', []),
      };
    }
    case 'floating':
      return {
        value: fc.constantFrom<JsonInput>(1.5, -0.25, 'INF', 'NaN', 7n),
        wrong: fc.constantFrom<JsonInput>('x', true, {}),
      };
    case 'decimal':
      return { value: decimals(facets), wrong: fc.constantFrom<JsonInput>('1x', true, []) };
    case 'string':
      return { value: texts(facets), wrong: fc.constantFrom<JsonInput>(5, false, ['x'], 'a\0b') };
    case 'guid':
      return { value: fc.uuid(), wrong: fc.constantFrom<JsonInput>('01234567', 4) };
    case 'date':
      return {
        value: instant.map((text) => text.slice(0, 10)),
        wrong: fc.constantFrom<JsonInput>('2026-02-30', 'x', 5),
      };
    case 'point':
      return {
        value: instant,
        wrong: fc.constantFrom<JsonInput>('2026-01-01', '2026-01-01T00:00:00', 5),
      };
    case 'time':
      return {
        value: fc.constantFrom<JsonInput>('08:30', '23:59:59.999'),
        wrong: fc.constantFrom<JsonInput>('24:01', 8),
      };
    case 'duration':
      return {
        value: fc.constantFrom<JsonInput>('PT1H', '-P1DT2M'),
        wrong: fc.constantFrom<JsonInput>('1h', 60),
      };
    case 'binary':
      return {
        value: fc.constantFrom<JsonInput>('', 'AQID'),
        wrong: fc.constantFrom<JsonInput>('?', 5),
      };
    case 'geo':
      return { value: fc.constant(null), wrong: fc.constantFrom<JsonInput>('x', { type: 'Star' }) };
    case 'untyped':
      return {
        value: fc.jsonValue().map((value) => value as JsonInput),
        wrong: fc.constant(undefined as never),
      };
    default:
      return { value: fc.constant(null), wrong };
  }
}

/** What can stand in a property; undefined where nothing can be made wrong of it. */
function sampleOf(model: Model, property: Property, depth = 0): Sample | undefined {
  if (!property.collection) return itemSample(model, property, depth);
  const item = itemSample(model, { ...property, collection: false }, depth);
  if (item === undefined) return undefined;
  return {
    value: fc.array(
      item.value.filter((value) => value !== null || property.nullable),
      { maxLength: 3 },
    ),
    wrong: fc.constantFrom<JsonInput>({}, 'x', 5),
  };
}

function itemSample(model: Model, property: Property, depth: number): Sample | undefined {
  const primitive = resolvePrimitive(model, property);
  if (primitive !== undefined) {
    const kind = primitiveRow(primitive.type).class;
    const isPlain = kind !== 'untyped' && kind !== 'stream' && kind !== 'abstract';
    return isPlain ? ruledSample(model, property, primitive) : undefined;
  }
  const type = model.types.get(property.type);
  if (type?.kind === 'enum') {
    const names = type.members.map(({ name }) => name);
    return {
      value: fc.constantFrom<JsonInput>(...names),
      wrong: fc.constantFrom<JsonInput>('Nonesuch', true, []),
    };
  }
  if (type?.kind !== 'complex' || type.abstract === true || depth > 2) return undefined;
  if (type.coded !== undefined) return codeSample(model, property);
  return {
    value: structure(model, type, depth + 1),
    wrong: fc.constantFrom<JsonInput>(5, 'x', []),
  };
}

/** Values that follow the rules of the property; those that break one are wrong, too. */
function ruledSample(
  model: Model,
  property: Property,
  { type, facets }: ResolvedPrimitive,
): Sample {
  const sample = primitiveSample(type, facets);
  const rules = valueRules(model, property);
  if (rules.length === 0) return sample;
  const isRight = (input: JsonInput) => {
    const reading = parseJson(type, facets, input);
    if (reading.kind === 'mistake' || reading.value === null) return undefined;
    const { value } = reading;
    return rules.every((rule) => rule.holds(value));
  };
  const follows = CANDIDATES.filter((input) => isRight(input) === true);
  const breaks = CANDIDATES.filter((input) => isRight(input) === false);
  return {
    value: fc.constantFrom(...follows),
    wrong: fc.oneof(sample.wrong, fc.constantFrom(...breaks)),
  };
}

const CANDIDATES: readonly JsonInput[] = [
  ...['Fire', 'name@example.com', 'a@b@c', 'Europe/Amsterdam', 'Europe/Nowhere', ' ', ''],
  ...['0', '12.5', '-0.01', 'PT1H', '-PT1H'],
  ...[1n, 3n, 50n, -1n, 1000n],
];

function codeSample(model: Model, { codeList = '' }: Property): Sample {
  const codes = (model.codeLists.get(codeList)?.codes ?? []).filter(
    ({ disabled }) => disabled !== true,
  );
  const unique = codes.filter(
    ({ texts }) => codes.filter((other) => sharesText(other.texts, texts)).length === 1,
  );
  const pool = unique.length === 0 ? codes : unique;
  const forms = pool.flatMap(({ value, texts }): JsonInput[] => [
    { Value: value },
    ...(unique.length === 0 ? [] : Object.values(texts).map((Text) => ({ Text }))),
  ]);
  return {
    value: fc.constantFrom(...forms),
    wrong: fc.constantFrom<JsonInput>({ Value: 987654321n }, { Text: 'nonesuch' }, 5),
  };
}

function sharesText(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const texts = Object.values(other).map((text) => text.toLowerCase());
  return Object.values(one).some((text) => texts.includes(text.toLowerCase()));
}

/** An object with all that is required and some of what is not. */
function structure(model: Model, type: StructuredType, depth: number): fc.Arbitrary<JsonObject> {
  const shape: Record<string, fc.Arbitrary<JsonInput>> = {};
  const required: string[] = [];
  for (const { property, sample } of writable(model, type, depth)) {
    shape[property.name] = property.nullable
      ? fc.option(sample.value)
      : sample.value.filter((value) => value !== null);
    if (!property.nullable && property.defaultValue === undefined) required.push(property.name);
  }
  return fc.record(shape, { requiredKeys: required });
}

interface Writable {
  readonly property: Property;
  readonly sample: Sample;
}

/** The properties that a body may give a value, with their samples. */
function writable(model: Model, type: StructuredType, depth = 0): readonly Writable[] {
  return [...model.members(type).values()].flatMap((member) => {
    if (member.kind === 'navigation' || isServerGenerated(member)) return [];
    const sample = sampleOf(model, member, depth);
    return sample === undefined ? [] : [{ property: member, sample }];
  });
}

/** A body for a new entity of the type. */
export function bodyOf(model: Model, type: EntityType): fc.Arbitrary<JsonObject> {
  return structure(model, type, 0);
}

export interface Garbled {
  readonly body: JsonObject;
  /** The member that is wrong. */
  readonly name: string;
}

/** A body of which one member is wrong: its value, or its name. */
export function garbledBody(model: Model, type: EntityType): fc.Arbitrary<Garbled> {
  const members = writable(model, type);
  return fc
    .tuple(bodyOf(model, type), fc.constantFrom(...members))
    .chain(([body, { property, sample }]) => {
      const wrongValue = sample.wrong.map((wrong) => ({
        body: { ...body, [property.name]: wrong },
        name: property.name,
      }));
      if (isOpen(model, type)) return wrongValue;
      const name = `${property.name}x`;
      const isTaken = model.members(type).has(name);
      const wrongName = fc.constant({
        body: { ...body, [name]: body[property.name] ?? null },
        name,
      });
      return isTaken ? wrongValue : fc.oneof(wrongValue, wrongName);
    });
}
