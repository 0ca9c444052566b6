// This file checks that the filter bar writes filters that it reads again as they were, and leaves all others to the text mode.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Condition,
  filterText,
  isComplete,
  operatorsFor,
  readFilter,
  valueCount,
} from '../../console/src/list/filter/filter.ts';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { memberAt, typeNamed } from '../../console/src/model/model.ts';

const model = compileModel(
  {
    $Version: '4.01',
    Zoo: {
      Code: {
        $Kind: 'ComplexType',
        Text: { '@Core.IsLanguageDependent': true },
        Value: { $Type: 'Edm.Int64' },
      },
      Diet: { $Kind: 'EnumType', Plants: 0, Meat: 1 },
      Room: { $Kind: 'ComplexType', Floor: { $Type: 'Edm.Int32', $Nullable: true } },
      Keeper: { $Kind: 'EntityType', $Key: ['Name'], Name: {} },
      Pair: { $Kind: 'EntityType', $Key: ['A', 'B'], A: {}, B: {} },
      Animal: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: { $Type: 'Edm.Int64' },
        Name: { $Nullable: true },
        Mood: { $Type: 'Zoo.Code', $Nullable: true },
        Diet: { $Type: 'Zoo.Diet' },
        Tame: { $Type: 'Edm.Boolean', $Nullable: true },
        Born: { $Type: 'Edm.DateTimeOffset', $Nullable: true },
        Weight: { $Type: 'Edm.Decimal', $Nullable: true },
        Nap: { $Type: 'Edm.Duration', $Nullable: true },
        Chip: { $Type: 'Edm.Guid', $Nullable: true },
        Room: { $Type: 'Zoo.Room', $Nullable: true },
        Keeper: { $Kind: 'NavigationProperty', $Type: 'Zoo.Keeper', $Nullable: true },
        Pair: { $Kind: 'NavigationProperty', $Type: 'Zoo.Pair', $Nullable: true },
      },
    },
  },
  'en',
);
const animal = typeNamed(model, 'Zoo.Animal');

const words = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== '');
const awkward = fc.constantFrom(
  "it's",
  'a and b',
  'x) and (y',
  "''",
  'null',
  "Name eq 'x'",
  'a,b',
  'ä ö 漢',
  "contains(Name,'x')",
);
const numbers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const times = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Values of the members that a condition can be about. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  Id: numbers,
  Name: fc.oneof(words, awkward),
  Mood: numbers,
  Diet: fc.constantFrom('Plants', 'Meat'),
  Tame: fc.constantFrom('true', 'false'),
  Born: times,
  Weight: fc.constantFrom('0', '-1.50', '12345678901234567890.123'),
  Nap: fc.constantFrom('P1D', 'PT90M'),
  Chip: fc.uuid(),
  'Room/Floor': fc.integer().map(String),
  Keeper: fc.oneof(words, awkward),
};

const conditions: fc.Arbitrary<Condition> = fc
  .constantFrom(...Object.keys(VALUES))
  .chain((path) => {
    const member = memberAt(model, animal, path);
    const operators = member === undefined ? [] : operatorsFor(member);
    const one = VALUES[path] ?? fc.constant('');
    return fc.constantFrom(...operators).chain((operator): fc.Arbitrary<Condition> => {
      if (operator === 'last') return fc.constant({ path, operator, values: ['P7D'] });
      const [min, max] = { none: [0, 0], one: [1, 1], two: [2, 2], many: [1, 4] }[
        valueCount(operator)
      ] as [number, number];
      return fc
        .array(one, { minLength: min, maxLength: max })
        .map((values) => ({ path, operator, values }));
    });
  });

describe('The filter bar', () => {
  it('reads each filter that it has written as the same conditions', () => {
    fc.assert(
      fc.property(fc.array(conditions, { maxLength: 5 }), (list) => {
        const text = filterText(model, animal, list);
        expect(readFilter(model, animal, text)).toEqual(list);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[Condition, string]>([
    [{ path: 'Mood', operator: 'in', values: ['1', '2'] }, 'Mood/Value in (1,2)'],
    [{ path: 'Keeper', operator: 'in', values: ["O'Hara"] }, "Keeper/Name in ('O''Hara')"],
    [{ path: 'Diet', operator: 'notIn', values: ['Meat'] }, "not (Diet in (Zoo.Diet'Meat'))"],
    [{ path: 'Name', operator: 'contains', values: ['x'] }, "contains(Name,'x')"],
    [{ path: 'Born', operator: 'last', values: ['P7D'] }, "Born ge now() sub duration'P7D'"],
    [{ path: 'Weight', operator: 'between', values: ['1', '2'] }, '(Weight ge 1 and Weight le 2)'],
    [{ path: 'Mood', operator: 'null', values: [] }, 'Mood/Value eq null'],
  ])('writes %j as OData', (condition, text) => {
    expect(filterText(model, animal, [condition])).toBe(text);
  });

  it.each([
    "Name eq 'x' or Name eq 'y'",
    'Weight add 1 gt 5',
    "Name eq concat('a','b')",
    'Id eq Weight',
    'Unknown eq 1',
    'Pair eq null',
    "tolower(Name) eq 'x'",
    "Name in ('a',concat('b','c'))",
    "Name lt 'x'",
    'Tame eq 1',
  ])('leaves %s to the text mode', (text) => {
    expect(readFilter(model, animal, text)).toBeUndefined();
  });

  it('leaves out conditions without values', () => {
    const empty: Condition = { path: 'Name', operator: 'contains', values: [''] };
    expect(isComplete(empty)).toBe(false);
    expect(filterText(model, animal, [empty])).toBeUndefined();
    const half: Condition = { path: 'Weight', operator: 'between', values: ['1', ''] };
    expect(filterText(model, animal, [half])).toBeUndefined();
  });
});
