// This file checks what inputs make of typed text: numbers and durations without loss, and local times when clocks change.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkValue } from '../../console/src/components/inputs/check-value.ts';
import { codeTree } from '../../console/src/components/inputs/code-tree.ts';
import { durationInput, parseDuration } from '../../console/src/components/inputs/duration-text.ts';
import {
  instantsOf,
  localText,
  offsetText,
} from '../../console/src/components/inputs/local-time.ts';
import { numberInput, parseNumber } from '../../console/src/components/inputs/number-text.ts';
import { durationSeconds } from '../../console/src/i18n/duration-seconds.ts';
import type { Member } from '../../console/src/model/model.ts';

describe('A typed number', () => {
  it.each([
    ['1234.5', 'en', '1234.5'],
    ['1,234.50', 'en', '1234.50'],
    ['1.234,5', 'de', '1234.5'],
    ['1.234', 'de', '1234'],
    ['1.5', 'de', '1.5'],
    ['1,5', 'nl', '1.5'],
    ['1 234,5', 'fr', '1234.5'],
    ['−7', 'en', '-7'],
    ['007', 'en', '7'],
    ['9223372036854775807', 'en', '9223372036854775807'],
    ['0.1000000000000000000001', 'en', '0.1000000000000000000001'],
    ['.5', 'en', '0.5'],
    ['1e3', 'en', '1e3'],
  ])('%s means in %s the value %s', (text, language, value) => {
    expect(parseNumber(text, language)).toBe(value);
  });

  it.each([
    ['x', 'en'],
    ['1,2,3', 'de'],
    ['', 'en'],
    ['1-2', 'en'],
    ['--1', 'en'],
    ['1,23', 'en'],
  ])('%s is none in %s', (text, language) => expect(parseNumber(text, language)).toBeUndefined());

  it('is the same after it was shown', () => {
    const decimals = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(10 ** 9))
      .map(([whole, fraction]) => `${whole}.${fraction}`);
    fc.assert(
      fc.property(decimals, fc.constantFrom('en', 'nl', 'de', 'fr'), (value, language) => {
        expect(parseNumber(numberInput(value, language), language)).toBe(value);
      }),
    );
  });
});

describe('A typed duration', () => {
  it.each([
    ['1d 2h 30m', 'P1DT2H30M'],
    ['90m', 'PT1H30M'],
    ['1:30', 'PT1H30M'],
    ['0:05:10', 'PT5M10S'],
    ['1,5 h', 'PT1H30M'],
    ['2 Tage 3 Stunden', 'P2DT3H'],
    ['2 uur', 'PT2H'],
    ['1 jour', 'P1D'],
    ['pt15m', 'PT15M'],
    ['-45 min', '-PT45M'],
    ['0m', 'PT0S'],
    ['1.5s', 'PT1.5S'],
  ])('%s is %s', (text, value) => expect(parseDuration(text)).toBe(value));

  it.each(['', '5', 'soon', '1h soon', '1:75', 'P', 'hours'])('%s is none', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );

  it('has the same length after it was shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 8), max: 10 ** 8 }), (seconds) => {
        const value = parseDuration(`${seconds < 0 ? '-' : ''}${Math.abs(seconds)}s`) ?? '';
        expect(durationSeconds(value)).toBe(seconds);
        expect(parseDuration(durationInput(value))).toBe(value);
      }),
    );
  });
});

describe('A local time', () => {
  const instants = (local: string, zone: string) =>
    instantsOf(local, zone)?.map((time) => new Date(time).toISOString());

  it('that clocks show once is one instant', () => {
    expect(instants('2026-03-30T16:30', 'Europe/Amsterdam')).toEqual(['2026-03-30T14:30:00.000Z']);
    expect(instants('2026-01-01T00:00:30', 'Asia/Kathmandu')).toEqual(['2025-12-31T18:15:30.000Z']);
  });

  it('that is skipped in spring is none', () => {
    expect(instants('2026-03-29T02:30', 'Europe/Amsterdam')).toEqual([]);
    // Samoa left out a whole day.
    expect(instants('2011-12-30T12:00', 'Pacific/Apia')).toEqual([]);
  });

  it('that is repeated in autumn is two, told apart by their offsets', () => {
    const times = instantsOf('2026-10-25T02:30', 'Europe/Amsterdam') ?? [];
    expect(times.map((time) => new Date(time).toISOString())).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
    expect(times.map((time) => offsetText(time, 'Europe/Amsterdam'))).toEqual([
      'UTC+02:00',
      'UTC+01:00',
    ]);
    // Half an hour only.
    expect(instants('2026-04-05T01:45', 'Australia/Lord_Howe')).toHaveLength(2);
  });

  it('that is no local time is undefined', () => {
    expect(instantsOf('tomorrow', 'UTC')).toBeUndefined();
    expect(instantsOf('2026-02-31T99:00', 'UTC')).toBeUndefined();
  });

  it('of an instant is among those that mean it', () => {
    const zones = ['Europe/Amsterdam', 'America/New_York', 'Australia/Lord_Howe', 'UTC'];
    const dates = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2040-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, fc.constantFrom(...zones), (date, zone) => {
        expect(instantsOf(localText(date.toISOString(), zone), zone)).toContain(date.getTime());
      }),
    );
  });
});

const MEMBER: Member = {
  name: 'Size',
  kind: 'primitive',
  label: 'Size',
  help: undefined,
  type: 'Edm.String',
  collection: false,
  nullable: true,
  maxLength: undefined,
  precision: undefined,
  scale: undefined,
  defaultValue: undefined,
  computed: false,
  immutable: false,
  contained: false,
  partner: undefined,
  codeList: undefined,
  words: undefined,
  annotations: {},
};

describe('The rules of the metadata', () => {
  const limits = { 'Validation.Minimum': 1, 'Validation.Maximum': 5 };
  const exclusive = {
    'Validation.Minimum': '0',
    'Validation.Minimum@Validation.Exclusive': true,
  };
  const pattern = {
    'Validation.Pattern': '\\S',
    'Validation.Pattern@Core.Description': 'text that is not blank',
    'Validation.Pattern@Core.Description#nl': 'tekst die niet leeg is',
  };
  it.each<[string, Partial<Member>, unknown, string | undefined]>([
    ['a length', { maxLength: 3 }, 'abcd', 'inputs.tooLong'],
    ['a length in characters, not in code units', { maxLength: 3 }, '👍👍👍', undefined],
    ['a pattern', { annotations: pattern }, '  ', 'inputs.expected'],
    ['a minimum', { type: 'Edm.Int32', annotations: limits }, '0', 'inputs.tooSmall'],
    ['a maximum', { type: 'Edm.Int32', annotations: limits }, '6', 'inputs.tooGreat'],
    ['a value at the limit', { type: 'Edm.Int32', annotations: limits }, '5', undefined],
    ['an exclusive limit', { type: 'Edm.Decimal', annotations: exclusive }, '0', 'inputs.notAbove'],
    ['text for a number', { type: 'Edm.Decimal' }, 'ten', 'inputs.notNumber'],
    ['a fraction for an integer', { type: 'Edm.Int64' }, '1.5', 'inputs.notInteger'],
    ['the greatest integer', { type: 'Edm.Int64' }, '9223372036854775807', undefined],
    ['one more', { type: 'Edm.Int64' }, '9223372036854775808', 'inputs.tooGreat'],
    [
      'decimals',
      { type: 'Edm.Decimal', precision: 5, scale: 2 },
      '1.234',
      'inputs.tooManyDecimals',
    ],
    ['zeros at the end', { type: 'Edm.Decimal', precision: 5, scale: 2 }, '1.2300', undefined],
    ['digits', { type: 'Edm.Decimal', precision: 5, scale: 2 }, '1234', 'inputs.tooManyDigits'],
    ['any decimals', { type: 'Edm.Decimal', precision: 9 }, '1.234', undefined],
    ['a local time', { type: 'Edm.DateTimeOffset' }, '2026-03-29T02:30', 'inputs.noSuchInstant'],
    ['an instant', { type: 'Edm.DateTimeOffset' }, '2026-03-29T02:30:00Z', undefined],
    ['a duration', { type: 'Edm.Duration' }, 'soon', 'inputs.notDuration'],
    ['a GUID', { type: 'Edm.Guid' }, '12', 'inputs.notGuid'],
  ])('know %s', (_, part, value, name) => {
    const rules = { required: false, language: 'en' };
    expect(checkValue({ ...MEMBER, ...part }, value, rules)?.name).toBe(name);
  });

  it.each([null, undefined, '', []])('require a value instead of %j', (value) => {
    expect(checkValue(MEMBER, value, { required: true, language: 'en' })?.name).toBe(
      'inputs.required',
    );
    expect(checkValue(MEMBER, value, { required: false, language: 'en' })).toBeUndefined();
  });

  it('are described in the language of the user', () => {
    const mistake = (language: string) =>
      checkValue({ ...MEMBER, annotations: pattern }, ' ', { required: false, language })?.values;
    expect(mistake('nl')).toEqual({ expected: 'tekst die niet leeg is' });
    expect(mistake('fr')).toEqual({ expected: 'text that is not blank' });
  });
});

it('A hierarchical code list has parents before children, and codes without their parent as roots', () => {
  const code = (value: string, parent?: string) => ({
    value,
    text: value.toUpperCase(),
    texts: [],
    meaning: undefined,
    disabled: false,
    criticality: undefined,
    icon: undefined,
    parent,
  });
  const placed = codeTree([
    code('a'),
    code('b'),
    code('a1', 'a'),
    code('x', 'gone'),
    code('a11', 'a1'),
  ]);
  expect(placed.map(({ path, depth }) => `${depth} ${path}`)).toEqual([
    '0 A',
    '1 A › A1',
    '2 A › A1 › A11',
    '0 B',
    '0 X',
  ]);
});
