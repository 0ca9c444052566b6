// This file draws values of request bodies: mostly values of a type, some that are wrong, empty, too long or out of range.
import { type JsonInput, NumberText } from '../../../src/edm/value/lossless-json.ts';
import { type Random, WORDS } from './random.ts';
import type { Template } from './template.ts';

/** Draws a value of a body. */
export type Value = (random: Random) => JsonInput;

/** Members of an object, each with its values. */
export type Members = Readonly<Record<string, Value>>;

const ODD_VALUES: readonly JsonInput[] = [
  ...[null, true, false, '', 'x', '1', 0n, -1n, [], {}, [null], { a: 1n }, 'null', '2026-03-30'],
  ...['y'.repeat(256), 'z'.repeat(5000), 9223372036854775807n, 9223372036854775808n, -129n],
  ...[new NumberText('1.5'), new NumberText('1e3'), new NumberText('1.0'), new NumberText('-0')],
  ...[{ Value: null }, { Text: null }, { Value: 'x' }, { Value: 101003n, Text: 'Closed' }, 'INF'],
];

/** A value that is mostly one of its type. */
export function mostly(make: Value): Value {
  return (random) => (random.has(random.faultRate) ? random.pick(ODD_VALUES) : make(random));
}

export function anyOf(...all: readonly JsonInput[]): Value {
  return mostly((random) => random.pick(all));
}

/** One of the usual values, and now and then one at a limit, which a type may reject. */
export function usually(usual: readonly JsonInput[], limits: readonly JsonInput[]): Value {
  return mostly((random) => random.pick(random.has(0.12) ? limits : usual));
}

const SHORT_WORDS = WORDS.filter(({ length }) => length < 20);

export const someText = usually([...SHORT_WORDS, null], WORDS);
export const plain = anyOf('Printer', 'printer on fire', 'Nothing else', 'x', "O'Neil", '健');
export const flag = anyOf(true, false, null, true, false);

const NUMBER_LIMITS: readonly JsonInput[] = [
  ...[0n, 127n, 128n, -128n, -129n, 255n, 256n, 32767n, 32768n, -32768n, 2147483647n, 2147483648n],
  ...[-2147483648n, 9007199254740993n, 9223372036854775807n, -9223372036854775808n, '5', '-7'],
  ...[9223372036854775808n, '9007199254740993', new NumberText('5.0'), new NumberText('5e0')],
  ...[new NumberText('1.25'), new NumberText('12345678901234.5678'), new NumberText('-0.00005')],
  ...['INF', 'NaN', null],
];
export const numbers = usually([1n, 2n, 3n, 4n, 5n, 1n, null], NUMBER_LIMITS);
export const wideNumbers = usually(NUMBER_LIMITS, NUMBER_LIMITS);
export const moments = usually(
  ['2026-03-30T14:30:00Z', '2026-03-30T14:30:00.000Z', '2026-03-29T02:30:00+01:00', null],
  [
    ...['2026-03-30T14:30:00.1234567Z', '1999-12-31T23:59:59.999Z', '2026-03-30T14:30:00'],
    ...['2026-03-30', '2026-02-29T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ],
);
export const days = usually(
  ['2026-03-30', '2020-02-29', null],
  ['2019-02-29', '0000-01-01', '2026-03-30T00:00:00Z'],
);
export const times = usually(
  ['12:34:56.789', '12:34:00', null],
  ['12:34', '24:00', '23:59:59.9999'],
);
export const spans = usually(
  ['PT1H', 'PT60M', 'P1DT2H3M4.5S', null],
  ['-P1D', 'PT0S', 'P1Y', 'PT0.0001S', 'P9999D'],
);

/** A coded value by its number, its text, both, or both of different codes. */
export function codeOf(...codes: readonly (readonly [value: bigint, text: string])[]): Value {
  return mostly((random) => {
    const [[value, text], [other]] = [random.pick(codes), random.pick(codes)];
    const usual: readonly JsonInput[] = [
      { Value: value },
      { Value: value },
      { Text: text },
      { Text: text.toLowerCase() },
      { Text: text, Value: value },
      null,
    ];
    const others: readonly JsonInput[] = [
      { Value: other, Text: text },
      { Value: String(value) },
      { Value: 999n },
      { Text: 'Nonsense' },
      { Value: null },
      { Value: value, '@odata.type': '#Service.Web.OData.Model.Code' },
      {},
    ];
    return random.pick(random.has(0.2) ? others : usual);
  });
}

const ROOTS = ['/', '/', '/odata/', 'http://desk.example/odata/', 'http://other.example/'];

/** A reference, in one of the forms in which clients write it. */
export function linkTo(set: string, keys: readonly string[]): Value {
  return mostly((random) => {
    const path = `${set}(${random.pick(keys)})`;
    return random.has(0.05) ? null : `${random.has(0.3) ? random.pick(ROOTS) : ''}${path}`;
  });
}

export function objectOf(members: Members): Value {
  return (random) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value(random)]));
}

/** Up to `most` values. */
export function arrayOf(item: Value, most: number): Value {
  return mostly((random) => Array.from({ length: random.integer(0, most) }, () => item(random)));
}

/** An object without some of its members, which differ from one request to the next. */
export function partOf(members: Members, share: number): Value {
  return (random) =>
    objectOf(Object.fromEntries(Object.entries(members).filter(() => random.has(share))))(random);
}

/** Objects that each have some of the members, but always the required ones: bodies of as many templates. */
export function variantsOf(
  members: Members,
  required: Members,
  random: Random,
  count: number,
): readonly Value[] {
  return Array.from({ length: count }, () => {
    const names = random.shuffled(Object.keys(members)).slice(0, random.integer(1, 4));
    const chosen = Object.fromEntries(
      names.flatMap((name) => {
        const value = members[name];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    return objectOf({ ...required, ...chosen });
  });
}

/** Headers of a write: what the response shows, and the version that is to be changed. */
export const preferences: readonly NonNullable<Template['headers']>[] = [
  () => ({}),
  () => ({}),
  () => ({ prefer: 'return=minimal' }),
  () => ({ prefer: 'return=representation' }),
  () => ({ prefer: 'return=representation', 'accept-language': 'nl' }),
  () => ({ prefer: 'dry-run' }),
  (random) => ({
    'if-match': random.pick([random.etag, 'W/"1"', 'W/"2"', 'W/"3"', '*', '*', 'x']),
  }),
  (random) => ({
    prefer: 'return=representation',
    'if-match': random.pick([random.etag, 'W/"1"', 'W/"2"', '"1"']),
  }),
  (random) => ({ accept: `application/json;odata.metadata=${random.pick(['full', 'none'])}` }),
  () => ({ 'odata-maxversion': '4.01' }),
];
