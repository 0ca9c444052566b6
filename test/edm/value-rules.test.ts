// This file compares values with rules exactly, and reports rules that cannot be enforced.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { type Annotations, type Json, makeModel } from '../../src/edm/model.ts';
import { itemCounts, valueRules } from '../../src/edm/validation/value-rules.ts';
import { canonicalDecimal } from '../../src/edm/value/decimal.ts';
import { enumType } from '../define.ts';
import {
  defineModel,
  entitySet,
  entityType,
  functionOf,
  property,
  returning,
} from '../define-model.ts';

const model = makeModel(defineModel({ namespaces: [{ name: 'Shop' }], types: [], sets: [] }));

/** Whether the value follows the only rule in the annotations. */
function follows(type: string, annotations: Annotations, value: bigint | number | string): boolean {
  const [rule, ...others] = valueRules(model, { type, facets: {}, annotations });
  expect(others).toEqual([]);
  return rule?.holds(value) === true;
}

/** `digits` times 10 to the power of -12, as canonical text. */
function decimal(digits: bigint): string {
  return canonicalDecimal(`${digits}e-12`) ?? '';
}

const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('Bounds and multiples are exact', () => {
  test('for decimals', () => {
    fc.assert(
      fc.property(digits, digits, (value, bound) => {
        const [text, limit] = [decimal(value), decimal(bound)];
        const exclusive = { 'Validation.Maximum@Validation.Exclusive': true };
        expect(follows('Edm.Decimal', { 'Validation.Minimum': limit }, text)).toBe(value >= bound);
        expect(follows('Edm.Decimal', { 'Validation.Maximum': limit, ...exclusive }, text)).toBe(
          value < bound,
        );
      }),
    );
  });

  test('for multiples of decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 14n }), digits, (unit, value) => {
        const rule = { 'Validation.MultipleOf': decimal(unit) };
        expect(follows('Edm.Decimal', rule, decimal(value))).toBe(value % unit === 0n);
        expect(follows('Edm.Decimal', rule, decimal(value * unit))).toBe(true);
      }),
    );
  });

  test('for 64-bit integers', () => {
    fc.assert(
      fc.property(int64, int64, (value, bound) => {
        const rule = { 'Validation.Maximum': String(bound) };
        expect(follows('Edm.Int64', rule, value)).toBe(value <= bound);
        const unit = bound < 0n ? 1n - bound : bound + 1n;
        const multiple = { 'Validation.MultipleOf': String(unit) };
        expect(follows('Edm.Int64', multiple, value)).toBe(value % unit === 0n);
      }),
    );
  });

  it.each<[string, Annotations, bigint | number | string, boolean]>([
    ['Edm.Double', { 'Validation.MultipleOf': 0.1 }, 0.3, true],
    ['Edm.Double', { 'Validation.Minimum': 0 }, Number.NaN, false],
    ['Edm.Duration', { 'Validation.MultipleOf': 0.5 }, 1_500_000_000n, true],
    ['Edm.Duration', { 'Validation.Minimum': 'PT1H' }, 3_599_999_999_999n, false],
    ['Edm.TimeOfDay', { 'Validation.Maximum': '12:00:00' }, '12:00:00.001', false],
    ['Edm.TimeOfDay', { 'Validation.MultipleOf': 900 }, '08:45:00', true],
    [
      'Edm.DateTimeOffset',
      { 'Validation.Minimum': '2026-01-01T01:00:00+01:00' },
      '2026-01-01T00:00:00.000Z',
      true,
    ],
    ['Edm.String', { 'Validation.Pattern': '^(a+)+$' }, `${'a'.repeat(40)}b`, false],
  ])('%s %j %s is %s', (type, annotations, value, expected) => {
    expect(follows(type, annotations, value)).toBe(expected);
  });
});

describe('The check of a model reports', () => {
  const messagesFor = (type: string, annotations: Annotations, defaultValue?: Json) => {
    const options = {
      annotations,
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
    };
    const member = property('Value', type, options);
    const types = [
      entityType('Item', [property('Id', 'Edm.Int32', { nullable: false }), member], {
        key: ['Id'],
      }),
    ];
    const sets = [entitySet('Items', 'Item')];
    return lintModel(
      defineModel({ namespaces: [{ name: 'Shop' }], types, sets, languages: ['en'] }),
    ).map(({ message }) => message);
  };

  it.each<[string, Annotations, Json | undefined, string]>([
    [
      'Edm.Int32',
      { 'Validation.Pattern': '^a' },
      undefined,
      'Validation.Pattern is not valid: expected a property of type Edm.String.',
    ],
    [
      'Edm.String',
      { 'Validation.Pattern': '(?=a)' },
      undefined,
      'cannot be used: it uses lookahead or lookbehind, which is not supported.',
    ],
    ['Edm.String', { 'Validation.Minimum': 'a' }, undefined, 'expected a property with a number'],
    [
      'Edm.Date',
      { 'Validation.Minimum': 5 },
      undefined,
      'Validation.Minimum is not valid: expected a date',
    ],
    [
      'Edm.Int32',
      { 'Validation.Minimum': 5, 'Validation.Maximum': 4 },
      undefined,
      'The minimum exceeds the maximum',
    ],
    ['Edm.Int32', { 'Validation.MultipleOf': 0 }, undefined, 'expected a positive number'],
    [
      'Edm.Int32',
      { 'Validation.Minimum': 5 },
      4,
      'The default breaks Validation.Minimum: expected a value of at least 5.',
    ],
    [
      'Edm.Int32',
      { 'Validation.AllowedValues': [{ Value: 'x' }] },
      undefined,
      'Validation.AllowedValues is not valid',
    ],
    [
      'Edm.Int32',
      { 'Validation.MaxItems': 4 },
      undefined,
      'Validation.MaxItems applies to collections only.',
    ],
    [
      'Edm.Int32',
      { 'Validation.Minium': 4 },
      undefined,
      'The vocabulary has no term Validation.Minium.',
    ],
    [
      'Edm.Int32',
      { 'Validation.OpenPropertyTypeConstraint': [] },
      undefined,
      'Validation.OpenPropertyTypeConstraint is not enforced.',
    ],
    [
      'Edm.Int32',
      { 'Validation.DerivedTypeConstraint': ['Shop.Box'] },
      undefined,
      'Shop.Box is not derived from Edm.Int32.',
    ],
    [
      'Edm.Int32',
      { 'Validation.Minimum#x': 4 },
      undefined,
      'Validation.Minimum#x is not enforced.',
    ],
  ])('%s %j with the default %j', (type, annotations, defaultValue, message) => {
    expect(messagesFor(type, annotations, defaultValue).join('\n')).toContain(message);
  });

  it('nothing about rules that can be enforced', () => {
    const rules = { 'Validation.Minimum': 1, 'Validation.Maximum': 5, 'Validation.MultipleOf': 2 };
    expect(messagesFor('Edm.Int32', rules, 4)).toEqual([]);
  });
});

it('Absent bounds of collections permit any number of items', () => {
  const most = Number.POSITIVE_INFINITY;
  expect(itemCounts({ annotations: { 'Validation.MinItems': 2 } })).toEqual({ least: 2, most });
});

it('Rules on elements without checked values are reported', () => {
  const annotations: Annotations = { 'Validation.MaxItems': 3, 'Validation.Constraint#x': {} };
  const key = property('Id', 'Edm.Int32', { nullable: false });
  const mistakes = lintModel(
    defineModel({
      namespaces: [{ name: 'Shop' }],
      types: [
        entityType('Item', [key], { key: ['Id'] }),
        { ...enumType('Size', { Small: 1 }), annotations },
      ],
      sets: [entitySet('Items', 'Item', { annotations })],
      operations: [
        functionOf('Name', [], {
          returns: { ...returning('Edm.String'), annotations },
          expression: "'a'",
          annotations,
        }),
      ],
    }),
  );
  const reported = mistakes.map(({ path, message, warning }) => [path, message, warning]);
  for (const term of ['Validation.MaxItems', 'Validation.Constraint']) {
    expect(reported).toEqual(
      expect.arrayContaining([
        [
          expect.stringContaining('$.Shop.Size["@'),
          `${term} is not enforced on enumerations.`,
          true,
        ],
        [expect.stringContaining('.Items["@'), `${term} is not enforced on entity sets.`, true],
        [expect.stringContaining('$.Shop.Name["@'), `${term} is not enforced on functions.`, true],
        [
          expect.stringContaining('$.Shop.Name.$ReturnType["@'),
          `${term} is not enforced on return types.`,
          true,
        ],
      ]),
    );
  }
});
