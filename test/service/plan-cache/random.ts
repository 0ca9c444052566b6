// This file defines a random source that follows from a seed, and literals of every type drawn from it: mostly values of the type, some
// that the type rejects.

/** Random numbers that follow from a seed. */
export class Random {
  #state: number;
  /** How often a literal is one of another type, malformed or out of range. */
  faultRate = 0;
  /** The entity tag that a response carried last. */
  etag = 'W/"1"';

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. The generator is Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** At least `least`, at most `most`. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  has(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  shuffled<Item>(items: readonly Item[]): readonly Item[] {
    const rest = [...items];
    return items.flatMap(() => rest.splice(this.integer(0, rest.length - 1), 1));
  }
}

/** The text of a literal in a URL, before percent-encoding. */
export type Literal = (random: Random) => string;

/** Literals that most places reject, or that need another plan than a value of the right type. */
const ODD_LITERALS: readonly string[] = [
  ...['null', 'true', 'false', "'x'", "''", '0', '-1', '1.5', '1e3', '-0', '007', '5L', '+5'],
  ...['INF', '-INF', 'NaN', '99999999999999999999', '1e400', '0x10', "'unfinished", "'", ')'],
  ...['2026-03-30', '2026-02-30', '2026-03-30T14:30:00Z', '14:30:00', "duration'PT1H'"],
  ...['01234567-89ab-cdef-0123-456789abcdef', "binary'AAEC'", "geography'SRID=4326;Point(1 2)'"],
  ...["Odd.Zoo.Diet'Meat'", 'Uid', 'Unknown', '@missing', '$it', '(1)', '1 add 1', "'1'", ''],
  ...[
    "concat('a','b')",
    "'a' or true",
    '[1]',
    '{"a":1}',
    'not true',
    'now()',
    "'\u0001'",
    '\u0001',
  ],
];

/** A literal that is mostly one of its type. */
export function literal(make: Literal): Literal {
  return (random) => (random.has(random.faultRate) ? random.pick(ODD_LITERALS) : make(random));
}

/** One of the given literals. */
export function oneOf(...all: readonly (string | number)[]): Literal {
  return literal((random) => String(random.pick(all)));
}

/** A list for `in`, of one to five literals. */
export function listOf(item: Literal): Literal {
  return (random) =>
    `(${Array.from({ length: random.integer(1, 5) }, () => item(random)).join(',')})`;
}

/** Either of two literals. */
export function either(first: Literal, second: Literal): Literal {
  return (random) => (random.has(0.5) ? first : second)(random);
}

/** Numbers at the limits of each integer type, and just outside. */
const LIMITS = [
  ...[
    '0',
    '1',
    '-1',
    '-127',
    '-128',
    '-129',
    '126',
    '127',
    '128',
    '255',
    '256',
    '-32768',
    '-32769',
  ],
  ...['32767', '32768', '-2147483648', '-2147483649', '2147483647', '2147483648', '999999999'],
  ...[
    '1000000000',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
  ],
  ...['999999999999999999', '1000000000000000000', '9223372036854775807', '-9223372036854775808'],
  ...['9223372036854775808', '-9223372036854775809'],
];
export const limit = oneOf(...LIMITS);

/** An integer between the two. */
export function between(least: number, most: number): Literal {
  return literal((random) => String(random.integer(least, most)));
}

export const smallNumber = between(0, 9);
/** A number in any form that a decimal or a double can have. */
export const decimal = oneOf(
  ...['0', '1', '7', '-7', '1.5', '1.50', '-0.25', '80.5', '0.05', '1e2', '1.5e-3', '2E+2'],
  ...['12345678901234.5678', '0.00001', '3.0', '1234567890123456789.5', 'INF', '-INF', 'NaN'],
);

/** The words of the records, in the spellings that an index treats differently. */
export const WORDS: readonly string[] = [
  ...['printer', 'Printer', 'PRINTER', 'laser', 'fire', 'Zoë', 'ZOË', 'zoë', 'Grüße', 'GRÜSSE'],
  ...['İstanbul', 'istanbul', 'ISTANBUL', 'ıssız', 'taxi', 'TAXI', 'wifi', 'Hawaii', 'ii', 'skii'],
  ...[
    '健',
    '山田',
    '🦜',
    'straße',
    'STRASSE',
    'Ωmega',
    'ωmega',
    'ñandú',
    'Ñandú',
    'e\u0301t\u00e9',
  ],
  ...['a', 'b', 'on', 'is', 'er', 'i', 'I', 'ri', 'fir', 'the', 'abc', 'x', '', ' ', '  '],
  ...[
    "O'Neil",
    "o'clock",
    "'",
    "''",
    '"Laser 4"',
    '100%',
    '50%_off',
    'a_c',
    'a%c',
    '\\',
    '/',
    'a/b',
  ],
  ...[
    'a+b',
    'a&b',
    'a=b',
    '#1',
    '?',
    '(x)',
    'x,y',
    'null',
    'true',
    '1',
    '2000',
    '2026-03-30',
    '%27',
  ],
  ...[
    '%20',
    '$it',
    '@a',
    '*',
    'AND',
    'NOT',
    'OR',
    'Request 3',
    'Request 12',
    'on fire',
    'tab\there',
  ],
  ...[
    'ServiceRequests(1)',
    'line\nbreak',
    'x'.repeat(59),
    'x'.repeat(60),
    'x'.repeat(61),
    'y'.repeat(300),
  ],
];

/** A text in quotes, the quotes in it doubled. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function textOf(words: readonly string[]): Literal {
  return literal((random) => quoted(random.pick(words)));
}

export const text = textOf(WORDS);
/** Texts of one kind: most requests of a template have such. */
export const plainText = textOf(['printer', 'laser', 'Request', 'fire', 'nothing', 'Nothing else']);

export const moment = oneOf(
  ...['2026-03-30T14:30:00Z', '2026-03-30T14:30:00.000Z', '2026-03-30T14:30:00.1Z'],
  ...[
    '2026-03-30T14:30:00.123456Z',
    '2026-03-30T14:30:00.1234567Z',
    '2026-03-30T14:30:00.123456789012Z',
  ],
  ...['2026-03-29T02:30:00+01:00', '2026-03-29T01:30:00+00:00', '2026-03-29T03:30:00-02:00'],
  ...[
    '2026-03-27T16:30:00.000Z',
    '2026-03-27T16:30Z',
    '1969-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00Z',
  ],
  ...[
    '9999-12-31T23:59:59.999Z',
    '2026-03-30t14:30:00z',
    '2026-12-31T23:59:60Z',
    '2026-02-29T00:00:00Z',
  ],
  ...[
    '2026-03-30T24:00:00Z',
    '2026-03-30T14:30:00',
    '-0001-01-01T00:00:00Z',
    '2020-02-29T00:00:00Z',
  ],
);
export const date = oneOf(
  ...[
    '2026-03-30',
    '2026-03-29',
    '2020-02-29',
    '2024-06-01',
    '1969-12-31',
    '0000-01-01',
    '9999-12-31',
  ],
  ...['2019-02-29', '2026-13-01', '10000-01-01', '-0044-03-15', '2015-01-01'],
);
export const time = oneOf(
  '12:34:56.789',
  '12:34:56',
  '12:34',
  '00:00:00',
  '23:59:59.999',
  '24:00',
  '12:34:56.7891234',
);
export const duration = oneOf(
  ...["duration'PT1H'", "duration'PT60M'", "'PT1H'", "duration'P1DT2H3M4.5S'", "duration'-P1D'"],
  ...["duration'PT0S'", "duration'P1Y'", "duration'P9999D'", "duration'PT0.0001S'", "duration'P'"],
);
export const guid = oneOf(
  ...['01234567-89ab-cdef-0123-456789abcdef', '01234567-89AB-CDEF-0123-456789ABCDEF'],
  ...['00000000-0000-0000-0000-000000000000', '01234567-89ab-cdef-0123-456789abcde', "'x'"],
);
export const binary = oneOf(
  "binary'AAEC'",
  "binary'AAECAw=='",
  "binary''",
  "binary'AA-_'",
  "binary'A'",
  "'AAEC'",
);
export const truth = oneOf('true', 'false', 'null', 'true', 'false', 'TRUE', '1');
export const nothing = oneOf('null');
