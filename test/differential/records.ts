// This file draws records of the zoo whose values databases treat differently: texts of many scripts, numbers at limits, and times.
import { type JsonInput, NumberText } from '../../src/edm/value/lossless-json.ts';
import { type Random, WORDS } from '../service/plan-cache/random.ts';

/** Texts with case, diacritics, scripts, wildcards and white space. Characters newer than the ICU of a database are listed in docs/databases.md. */
export const TEXTS: readonly string[] = [
  ...WORDS,
  ...[
    'Ångström',
    'ÅNGSTRÖM',
    'A\u030angstro\u0308m',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    'ﬁre',
    'FIRE',
    'ǅ',
    'ǆ',
    'ẞ',
    'ß',
    'ı',
    'İ',
  ],
  ...[
    'مرحبا',
    'שלום',
    'привет',
    'ПРИВЕТ',
    'こんにちは',
    'コンニチハ',
    '안녕',
    'नमस्ते',
    '\u1100\u1161',
    '𝒳',
    '👩‍🚒',
    '\u200b',
  ],
  ...[
    'a_b',
    'a\\_b',
    'a\\b',
    '\\%',
    '_',
    '%',
    '__',
    'a\u00a0b',
    '\ufeffx',
    ' x ',
    '\u3000x\u3000',
    'x\r\ny',
    '\u007f',
    '\u0085',
  ],
  ...[
    '{"a":1}',
    '[1]',
    '<b>&amp;</b>',
    '\u2028',
    '"',
    "it's",
    '1e3',
    'NaN',
    'INF',
    '-0',
    '00',
    'TRUE',
    'é',
    'E\u0301',
    'Z',
    'z',
    'ä',
    'a',
  ],
];

const pick = (random: Random, items: readonly JsonInput[]) =>
  random.has(0.15) ? null : random.pick(items);
const number = (text: string) => new NumberText(text);
const several = (random: Random, items: readonly JsonInput[]): readonly JsonInput[] =>
  Array.from({ length: random.integer(0, 4) }, () => random.pick(items));

const DECIMALS = [
  '0',
  '1',
  '-1',
  '1.5',
  '-1.5',
  '2.5',
  '0.1',
  '0.0001',
  '-0.0005',
  '99999999.1234',
  '-12345678901.5',
  '3',
].map(number);
const FREE = [
  ...DECIMALS,
  ...[
    '1.50',
    '1.500',
    '0.30',
    '100',
    '1e2',
    '123456789012345678901234567890.123',
    '0.000000000000000000001',
    '-7.7',
  ].map(number),
];
const DOUBLES: readonly JsonInput[] = [
  ...[
    '0',
    '-0',
    '1',
    '1.5',
    '-2.5',
    '0.1',
    '1e300',
    '-1e300',
    '5e-324',
    '1e21',
    '123456789.125',
    '0.30000000000000004',
  ].map(number),
  'INF',
  '-INF',
  'NaN',
];
const MOMENTS = [
  '2026-03-29T01:30:00Z',
  '2026-03-29T03:30:00+02:00',
  '1969-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2020-02-29T12:00:00-11:00',
  '2026-03-30T14:30:00.5Z',
  '2000-01-01T00:00:00Z',
];
const DAYS = [
  '2026-03-29',
  '2020-02-29',
  '1969-12-31',
  '0001-01-01',
  '9999-12-31',
  '2024-12-31',
  '2000-01-01',
];
const CLOCKS = ['00:00:00', '12:34:56.789', '23:59:59.999', '12:00:00', '06:30:00.5'];
const SPANS = ['PT0S', 'PT1H', '-PT1H', 'P1D', 'P1DT2H3M4.5S', '-P10D', 'PT0.001S', 'P100000D'];
const POINTS = [
  [0, 0],
  [4.9, 52.37],
  [-180, 90],
  [179.999, -89.5],
  [180, 0],
  [4.9, 52.38],
  [-122.4, 37.8],
];
const point = (random: Random): JsonInput => ({
  type: 'Point',
  coordinates: random.pick(POINTS).map((one) => number(String(one))),
});
const ring = (x: number, y: number, size: number): JsonInput => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
      [x, y],
    ].map((pair) => pair.map((one) => number(String(one)))),
  ],
});
const line = (random: Random): JsonInput => ({
  type: 'LineString',
  coordinates: Array.from({ length: random.integer(2, 5) }, () =>
    random.pick(POINTS).map((one) => number(String(one))),
  ),
});
const ANYTHING: readonly JsonInput[] = [
  'x',
  1n,
  true,
  { a: [1n, null, 'é'] },
  [1n, 'two'],
  number('1.50'),
  {},
];
const HEX = [
  '01234567-89ab-cdef-0123-456789abcdef',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'A0000000-0000-0000-0000-00000000000B',
];

export function sample(random: Random): JsonInput {
  const one = (items: readonly JsonInput[]) => pick(random, items);
  return {
    Bytes: one(['AAEC', '', '_-8', 'AAAA', 'AA']),
    Flag: one([true, false]),
    Small: one([0n, 1n, 127n, 128n, 255n]),
    Tiny: one([-128n, -1n, 0n, 5n, 127n]),
    Short: one([-32768n, -3n, 0n, 7n, 32767n]),
    Whole: one([-2147483648n, -7n, -1n, 0n, 2n, 3n, 100n, 2147483647n]),
    Big: one([
      -9223372036854775808n,
      -9007199254740993n,
      -1n,
      0n,
      2n,
      9007199254740993n,
      9223372036854775807n,
    ]),
    Exact: one(DECIMALS),
    Free: one(FREE),
    Single: one([
      number('0.5'),
      number('-1.25'),
      number('16777216'),
      number('0.1'),
      'INF',
      'NaN',
      number('0'),
    ]),
    Double: one(DOUBLES),
    Tag: one(HEX),
    Words: one(TEXTS),
    Day: one(DAYS),
    Moment: one(MOMENTS),
    Instant: one([...MOMENTS, '2026-03-29T01:30:00.1234567Z']),
    Clock: one(CLOCKS),
    Span: one(SPANS),
    Spot: random.has(0.2) ? null : point(random),
    Route: random.has(0.3) ? null : line(random),
    Area: one([ring(0, 0, 10), ring(4, 52, 1), ring(-5, -5, 3)]),
    Plan: one([
      { type: 'Point', coordinates: [3n, 4n] },
      { type: 'Point', coordinates: [0n, 0n] },
    ]),
    Shape: random.pick([point(random), line(random), ring(1, 1, 1), null]),
    Anything: one(ANYTHING),
    Diet: one(['Meat', 'Plants', 'Everything']),
    Load: one(['0', '1.5', '-2.125', '999999.999'].map(number)),
    Numbers: several(random, [1n, 2n, 3n, 3n, -7n, 2147483647n]),
    Diets: several(random, ['Meat', 'Plants']),
    Moments: several(random, MOMENTS),
    Amounts: several(random, ['1.10', '2.2', '0', '-5', '1000000.01'].map(number)),
  };
}

export function animal(random: Random, index: number): JsonInput {
  const one = (items: readonly JsonInput[]) => pick(random, items);
  const kind = random.pick(['Animal', 'Bird', 'Parrot', 'Fish'] as const);
  return {
    '@odata.type': `#Odd.Zoo.${kind}`,
    Name: random.pick(TEXTS).slice(0, 40) || 'x',
    Remark: one(TEXTS),
    Weight: one(['0', '0.05', '1.5', '7', '80.5', '-3.25', '999999.999'].map(number)),
    Born: one(DAYS),
    Tame: random.has(0.5),
    Diet: one(['Meat', 'Plants', 'Everything']),
    Skills: one(['Runs', 'Runs,Flies', 'Swims', 'Dives', 'Runs,Swims,Flies']),
    Mood: random.has(0.3) ? null : { Value: random.pick([1001n, 1002n, 1003n]) },
    Size: { Value: random.pick([1n, 2n]) },
    Nicknames: several(
      random,
      TEXTS.filter(({ length }) => length < 30),
    ),
    Habits: Array.from({ length: random.integer(0, 3) }, () => ({
      Name: random.pick(TEXTS),
      TimesADay: one([0n, 1n, 2n, 3n, -1n]),
      Extra: one(['x', 1n, null, true]),
    })),
    ...(random.has(0.5)
      ? {
          Care: {
            Since: random.pick(MOMENTS),
            Mood: { Value: 1002n },
            Room: { Name: random.pick(TEXTS), Floor: one([0n, 1n, -1n]) },
          },
        }
      : {}),
    ...(random.has(0.6)
      ? {
          'Species@odata.bind': `AllSpecies('${random.pick(['Aves', 'Pisces', 'Animalia', 'S3', 'S7', 'S11'])}')`,
        }
      : {}),
    ...(random.has(0.6)
      ? {
          'Enclosure@odata.bind': random.pick([
            "Enclosures(Wing='A',Number=1)",
            "Enclosures(Wing='B',Number=2)",
          ]),
        }
      : {}),
    ...(random.has(0.5)
      ? { 'Mother@odata.bind': `Animals(Number=${random.integer(1, index + 1)})` }
      : {}),
    'Keepers@odata.bind': random
      .shuffled(['Ann', 'Bob'])
      .slice(random.integer(0, 2))
      .map((name) => `Keepers(Email='${name.toLowerCase()}@zoo.example')`),
    Notes: Array.from({ length: random.integer(0, 2) }, () => ({
      Text: random.pick(TEXTS),
      At: one(MOMENTS),
    })),
    ...(kind === 'Fish' ? { Depth: one(['Surface', 'Abyss']), SaltWater: one([true, false]) } : {}),
    ...(kind === 'Bird' || kind === 'Parrot'
      ? {
          Wingspan: one(DOUBLES),
          Eggs: Array.from({ length: random.integer(0, 2) }, () => ({ Laid: one(DAYS) })),
        }
      : {}),
    ...(kind === 'Parrot' ? { Words: several(random, TEXTS) } : {}),
  };
}

export function oddity(random: Random): JsonInput {
  const dynamic: readonly JsonInput[] = [
    'red',
    'Red',
    1n,
    number('1.5'),
    true,
    null,
    '2020-01-01',
    TEXTS[3] ?? '',
  ];
  return {
    Name: pick(random, TEXTS),
    ...(random.has(0.7) ? { Colour: random.pick(dynamic) } : {}),
    ...(random.has(0.7) ? { Size: random.pick([1n, 2n, number('2.50'), 'x', null]) } : {}),
    First: { Name: random.pick(TEXTS), Extra: random.pick(dynamic) },
  };
}

/** A document of records that follows from the seed of `random`. */
export function randomRecords(random: Random, count: number): JsonInput {
  const many = (length: number, make: (index: number) => JsonInput) =>
    Array.from({ length }, (_, index) => make(index));
  return {
    AllSpecies: many(12, (index) => ({
      Latin: `S${index + 1}`,
      Title: random.pick(TEXTS),
      'Parent@odata.bind':
        index === 0 || random.has(0.2)
          ? "AllSpecies('Animalia')"
          : `AllSpecies('S${random.integer(1, index)}')`,
    })),
    Animals: many(count, (index) => animal(random, index)),
    Oddities: many(count >> 1, () => oddity(random)),
    Samples: many(count, () => sample(random)),
  };
}
