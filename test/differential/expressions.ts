// This file draws expressions of OData by type, from everything the language has: members, literals, operators and functions.
import type { Random } from '../service/plan-cache/random.ts';
import { TEXTS } from './records.ts';

export type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'moment'
  | 'time'
  | 'span'
  | 'guid'
  | 'bytes'
  | 'point'
  | 'line'
  | 'area'
  | 'diet';

/** The members of an entity type by kind. */
export type Members = Readonly<Partial<Record<Kind, readonly string[]>>> & {
  /** Collections of entities or complex values, with the members of their items. */
  readonly many?: readonly (readonly [path: string, items: Members])[];
  /** Collections of primitive values. */
  readonly lists?: readonly (readonly [path: string, kind: Kind])[];
};

export const SAMPLE: Members = {
  text: ['Words'],
  number: [
    'Small',
    'Tiny',
    'Short',
    'Whole',
    'Big',
    'Exact',
    'Free',
    'Single',
    'Double',
    'Load',
    'Id',
    'Numbers/$count',
  ],
  boolean: ['Flag'],
  date: ['Day'],
  moment: ['Moment', 'Instant'],
  time: ['Clock'],
  span: ['Span'],
  guid: ['Tag'],
  bytes: ['Bytes'],
  point: ['Spot'],
  line: ['Route'],
  area: ['Area'],
  diet: ['Diet'],
  lists: [
    ['Numbers', 'number'],
    ['Diets', 'diet'],
    ['Moments', 'moment'],
    ['Amounts', 'number'],
  ],
};
const KEEPER: Members = {
  text: ['Name', 'Email', 'Country', 'Boss/Name', 'Boss/Boss/Email'],
  number: ['Badge', 'Id'],
};
const HABIT: Members = { text: ['Name'], number: ['TimesADay'] };
const NOTE: Members = { text: ['Text'], moment: ['At'], number: ['Id'] };
const SPECIES_ONLY: Members = {
  text: ['Latin', 'Title', 'Parent/Latin', 'Parent/Parent/Title'],
  number: ['Parts/$count'],
};
const ANIMAL_ONLY: Members = {
  text: [
    'Name',
    'Remark',
    'Label',
    'Mood/Text',
    'Care/Room/Name',
    'Care/Vet/Name',
    'Care/Vet/Boss/Name',
    'Species/Latin',
    'Species/Title',
    'Mother/Name',
    'Enclosure/Wing',
    'Size/Text',
  ],
  number: [
    'Number',
    'Weight',
    'Id',
    'Mood/Value',
    'Size/Value',
    'Care/Room/Floor',
    'Enclosure/Number',
    'Odd.Zoo.Bird/Wingspan',
    'Mother/Weight',
    'Children/$count',
    'Keepers/$count',
    'Habits/$count',
    'Nicknames/$count',
  ],
  boolean: ['Tame', 'Odd.Zoo.Fish/SaltWater', 'Mother/Tame'],
  date: ['Born', 'Mother/Born'],
  moment: ['Created', 'Care/Since', 'Modified'],
  diet: ['Diet', 'Mother/Diet'],
  point: ['Enclosure/Place'],
};
export const ANIMAL: Members = {
  ...ANIMAL_ONLY,
  many: [
    ['Keepers', KEEPER],
    ['Children', ANIMAL_ONLY],
    ['Habits', HABIT],
    ['Notes', NOTE],
    ['Enclosure/Animals', ANIMAL_ONLY],
    ['Odd.Zoo.Bird/Eggs', { date: ['Laid'], number: ['Id'] }],
  ],
  lists: [
    ['Nicknames', 'text'],
    ['Odd.Zoo.Parrot/Words', 'text'],
  ],
};
export const SPECIES: Members = { ...SPECIES_ONLY, many: [['Parts', SPECIES_ONLY]] };
export const ODDITY: Members = {
  text: ['Name', 'First/Name', 'Colour', 'First/Extra'],
  number: ['Id', 'Size'],
};

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const INTEGERS = [
  '0',
  '1',
  '2',
  '3',
  '7',
  '-1',
  '-7',
  '100',
  '255',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];
const DECIMALS = [
  '0.1',
  '0.3',
  '1.5',
  '-2.5',
  '1.50',
  '1e2',
  '1.5e-3',
  '0.0001',
  '12345678901234.5678',
  '1234567890123456789.5',
  '99999999999999999999',
  'INF',
  '-INF',
  'NaN',
];

const LITERALS: Readonly<Record<Kind, (random: Random) => string>> = {
  text: (random) => quoted(random.pick(TEXTS).slice(0, random.has(0.3) ? 2 : 70)),
  number: (random) => random.pick(random.has(0.7) ? INTEGERS : DECIMALS),
  boolean: (random) => random.pick(['true', 'false']),
  date: (random) =>
    random.pick(['2026-03-29', '2020-02-29', '0001-01-01', '9999-12-31', '2000-01-01']),
  moment: (random) =>
    random.pick(
      [
        '2026-03-29T01:30:00Z',
        '2026-03-29T03:30:00%2B02:00',
        '2020-02-29T23:00:00.123Z',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
        '2026-03-29T01:30:00.1234567Z',
      ].map(decodeURIComponent),
    ),
  time: (random) => random.pick(['00:00:00', '12:34:56.789', '23:59:59.999', '12:00']),
  span: (random) =>
    random.pick([
      "duration'PT1H'",
      "duration'-P1D'",
      "duration'PT0S'",
      "duration'P1DT2H3M4.5S'",
      "duration'P400D'",
      "duration'P99999999D'",
    ]),
  guid: (random) =>
    random.pick([
      '01234567-89ab-cdef-0123-456789abcdef',
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-ffff-ffff-ffff-ffffffffffff',
    ]),
  bytes: (random) => random.pick(["binary'AAEC'", "binary''", "binary'_-8='"]),
  point: (random) =>
    `geography'SRID=4326;Point(${random.pick(['0 0', '4.9 52.37', '-180 90', '179.9 -10', '5 5'])})'`,
  line: (random) =>
    `geography'SRID=4326;LineString(${random.pick(['0 0,4.9 52.37', '-180 90,180 0,5 5', '1 1,1 1'])})'`,
  area: (random) =>
    `geography'SRID=4326;Polygon((${random.pick(['0 0,10 0,10 60,0 60,0 0', '-1 -1,1 -1,1 1,-1 1,-1 -1'])}))'`,
  diet: (random) => random.pick(["Odd.Zoo.Diet'Meat'", "'Plants'", "Odd.Zoo.Diet'Everything'"]),
};

const PATTERNS = [
  '^a',
  'e$',
  '.',
  '^.$',
  '[a-z]+',
  '[^a-z]',
  '\\d',
  '\\w{3}',
  '\\s',
  '(a|p)r?',
  'é',
  '^$',
  '\\.',
  'x*',
  'i{2}',
  '[äöü]',
  '\\bon\\b',
  '\\p{L}+',
  '%',
  '_',
  '.*',
  '^(?:a|b)',
  '\\u00e9',
  '[',
];

/** Draws an expression of a kind. `variable` starts the paths of a lambda variable: `k/`. */
export function expression(
  random: Random,
  kind: Kind,
  members: Members,
  depth: number,
  variable = '',
): string {
  const own = members[kind];
  if (depth <= 0 || random.has(0.25)) {
    if (random.has(0.04)) return 'null';
    return own !== undefined && random.has(0.7)
      ? `${variable}${random.pick(own)}`
      : LITERALS[kind](random);
  }
  const inner = (of: Kind, less = 1) => expression(random, of, members, depth - less, variable);
  const pick = (...all: readonly (() => string)[]) => random.pick(all)();
  if (random.has(0.06))
    return `case(${inner('boolean')}:${inner(kind)},${inner('boolean')}:${inner(kind)},true:${inner(kind)})`;
  switch (kind) {
    case 'text':
      return pick(
        () => `concat(${inner('text')},${inner('text')})`,
        () => `tolower(${inner('text')})`,
        () => `toupper(${inner('text')})`,
        () => `trim(${inner('text')})`,
        () =>
          `substring(${inner('text')},${random.has(0.8) ? random.integer(-2, 9) : inner('number', 2)})`,
        () => `substring(${inner('text')},${random.integer(-2, 9)},${random.integer(-1, 9)})`,
        () =>
          `cast(${inner(random.pick(['number', 'boolean', 'date', 'moment', 'time', 'span', 'guid', 'diet']))},Edm.String)`,
      );
    case 'number':
      return numberOf(random, inner, members, variable);
    case 'boolean':
      return booleanOf(random, inner, members, depth, variable);
    case 'date':
      return pick(
        () => `date(${inner('moment')})`,
        () => `(${inner('date')} add ${inner('span')})`,
        () => `(${inner('date')} sub ${inner('span')})`,
        () => `cast(${inner('text')},Edm.Date)`,
      );
    case 'moment':
      return pick(
        () => `(${inner('moment')} add ${inner('span')})`,
        () => `(${inner('moment')} sub ${inner('span')})`,
        () => 'now()',
        () => 'mindatetime()',
        () => 'maxdatetime()',
        () => `cast(${inner('text')},Edm.DateTimeOffset)`,
        () => `cast(${inner('date')},Edm.DateTimeOffset)`,
      );
    case 'time':
      return pick(
        () => `time(${inner('moment')})`,
        () => `cast(${inner('text')},Edm.TimeOfDay)`,
      );
    case 'span':
      return pick(
        () => `(${inner('moment')} sub ${inner('moment')})`,
        () => `(${inner('date')} sub ${inner('date')})`,
        () => `(${inner('span')} add ${inner('span')})`,
        () => `(${inner('span')} mul ${inner('number', 2)})`,
        () => `(${inner('span')} div ${inner('number', 2)})`,
        () => `-${inner('span')}`,
        () => `cast(${inner('text')},Edm.Duration)`,
      );
    case 'guid':
      return `cast(${inner('text')},Edm.Guid)`;
    default:
      return expression(random, kind, members, 0, variable);
  }
}

type Inner = (kind: Kind, less?: number) => string;

function numberOf(
  random: Random,
  inner: Inner,
  { many = [], lists = [] }: Members,
  variable: string,
): string {
  const number = () => inner('number');
  const pick = (...all: readonly (() => string)[]) => random.pick(all)();
  const operator = random.pick(['add', 'sub', 'mul', 'div', 'divby', 'mod']);
  return pick(
    () => `(${number()} ${operator} ${number()})`,
    () => `(${number()} ${operator} ${number()})`,
    () => `-(${number()})`,
    () => `${random.pick(['round', 'floor', 'ceiling'])}(${number()})`,
    () => `length(${inner('text')})`,
    () => `indexof(${inner('text')},${inner('text')})`,
    () => `${random.pick(['year', 'month', 'day'])}(${inner(random.pick(['date', 'moment']))})`,
    () =>
      `${random.pick(['hour', 'minute', 'second', 'fractionalseconds'])}(${inner(random.pick(['time', 'moment']))})`,
    () => `totalseconds(${inner('span')})`,
    () => `totaloffsetminutes(${inner('moment')})`,
    () => `geo.distance(${inner('point')},${inner('point')})`,
    () => `geo.length(${inner('line')})`,
    () =>
      `cast(${inner(random.pick(['text', 'number']))},Edm.${random.pick(['Int32', 'Int64', 'Decimal', 'Double', 'Byte', 'Int16', 'Single', 'SByte'])})`,
    () => {
      if (many.length === 0 || variable !== '') return number();
      const [path, items] = random.pick(many);
      const of = expression(random, 'number', items, 1);
      return `${path}/aggregate(${of} with ${random.pick(['sum', 'min', 'max', 'average', 'countdistinct'])})`;
    },
    () => {
      if (many.length === 0 || variable !== '') return number();
      const [path, items] = random.pick(many);
      return `${path}/$count($filter=${expression(random, 'boolean', items, 1)})`;
    },
    () => (lists.length === 0 || variable !== '' ? number() : `length(${random.pick(lists)[0]})`),
  );
}

const COMPARED: readonly Kind[] = [
  'text',
  'text',
  'number',
  'number',
  'number',
  'boolean',
  'date',
  'moment',
  'time',
  'span',
  'guid',
  'bytes',
  'diet',
];

function booleanOf(
  random: Random,
  inner: Inner,
  { many = [], lists = [] }: Members,
  depth: number,
  variable: string,
): string {
  const pick = (...all: readonly (() => string)[]) => random.pick(all)();
  const compare = () => {
    const kind = random.pick(COMPARED);
    const isOrdered = !['guid', 'bytes', 'diet', 'boolean'].includes(kind);
    const operator = random.pick(isOrdered ? ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] : ['eq', 'ne']);
    return `(${inner(kind)} ${operator} ${inner(kind)})`;
  };
  return pick(
    compare,
    compare,
    compare,
    compare,
    () => `(${inner('boolean')} ${random.pick(['and', 'or'])} ${inner('boolean')})`,
    () => `not (${inner('boolean')})`,
    () =>
      `${random.pick(['contains', 'startswith', 'endswith'])}(${inner('text')},${inner('text')})`,
    () =>
      `${random.pick(['contains', 'startswith', 'endswith'])}(${inner('text', 3)},${inner('text', 3)})`,
    () => `matchesPattern(${inner('text')},${quoted(random.pick(PATTERNS))})`,
    () => {
      const kind = random.pick(COMPARED);
      return `${inner(kind, 2)} in (${Array.from({ length: random.integer(1, 4) }, () => LITERALS[kind](random)).join(',')}${random.has(0.2) ? ',null' : ''})`;
    },
    () => `geo.intersects(${inner('point')},${inner('area')})`,
    () => {
      if (many.length === 0 || variable !== '') return compare();
      const [path, items] = random.pick(many);
      return `${path}/${random.pick(['any', 'all'])}(k:${expression(random, 'boolean', items, depth - 1, 'k/')})`;
    },
    () => {
      if (lists.length === 0 || variable !== '') return compare();
      const [path, kind] = random.pick(lists);
      return `${path}/${random.pick(['any', 'all'])}(k:k ${random.pick(['eq', 'ne'])} ${expression(random, kind, {}, 1)})`;
    },
    () => {
      if (lists.length === 0 || variable !== '') return compare();
      const [path, kind] = random.pick(lists);
      const list = `[${Array.from({ length: random.integer(0, 2) }, () => jsonOf(random, kind)).join(',')}]`;
      return `${random.pick(['hassubset', 'hassubsequence', 'contains', 'startswith', 'endswith'])}(${path},${list})`;
    },
  );
}

function jsonOf(random: Random, kind: Kind): string {
  const text = () =>
    JSON.stringify(
      LITERALS[kind](random)
        .replace(/^'(.*)'$/s, '$1')
        .replaceAll("''", "'"),
    );
  return kind === 'number'
    ? random.pick(['1', '2', '3', '1.10', '-7'])
    : kind === 'boolean'
      ? 'true'
      : kind === 'diet'
        ? random.pick(['"Meat"', '"Plants"'])
        : text();
}
