// This file compares the conversions between primitive types in PostgreSQL with those that SQLite calls, for random values.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrimitiveName } from '../../../src/edm/value/primitives.ts';
import { convert } from '../../../src/sql/dialect/postgres/convert.ts';
import { SQLITE_FUNCTIONS, type SqlValue } from '../../../src/sql/dialect/sqlite-functions.ts';
import { sql, toStatement } from '../../../src/sql/fragment.ts';
import { type Connection, connect } from './connection.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await connect();
});

afterAll(() => connection.close());

const digits = (least: number, most: number) =>
  fc.stringMatching(new RegExp(`^\\d{${least},${most}}$`));
const pad = (most: number, width = 2) =>
  fc.integer({ min: 0, max: most }).map((one) => String(one).padStart(width, '0'));
const dates = fc
  .tuple(
    fc.oneof(pad(9999, 4), fc.constantFrom('0001', '9999', '2000', '1900', '2024')),
    fc.oneof(pad(13), fc.constantFrom('02', '04', '12')),
    fc.oneof(pad(32), fc.constantFrom('28', '29', '30', '31')),
  )
  .map((parts) => parts.join('-'));
const validDates = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString().slice(0, 10));
const clocks = fc
  .tuple(pad(24), pad(60), fc.option(pad(60)), fc.option(digits(1, 13)))
  .map(([h, m, s, f]) => `${h}:${m}${s === null ? '' : `:${s}${f === null ? '' : `.${f}`}`}`);
const validClocks = fc
  .tuple(pad(23), pad(59), pad(59), digits(3, 3))
  .map(([h, m, s, f]) => `${h}:${m}:${s}.${f}`);
const zones = fc.oneof(
  fc.constantFrom('Z', 'z', '', '+00:00', '-23:59', '+14:00', '+24:00'),
  fc.tuple(fc.constantFrom('+', '-'), pad(24), pad(60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
);
const instants = fc
  .tuple(
    fc.oneof(dates, validDates),
    fc.constantFrom('T', 't', ' '),
    fc.oneof(clocks, validClocks),
    zones,
  )
  .map((parts) => parts.join(''));
const numbers = fc.oneof(
  fc.stringMatching(/^[+-]?\d{0,22}(\.\d{0,22})?([eE][+-]?\d{1,3})?$/),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.integer({ min: -300, max: 300 }).map(String),
  fc.double().map(String),
  fc.constantFrom(
    'INF',
    '-INF',
    'NaN',
    'Infinity',
    '1e400',
    '1e401',
    '1e-400',
    '1e-401',
    '3.4028235677973366e38',
    '3.402823567797336e38',
    '-1e-46',
    '1e39',
    '',
    '-',
    '9'.repeat(400),
    '9'.repeat(401),
    `0.${'1'.repeat(400)}`,
    '255',
    '256',
    '-129',
    '-128',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
  ),
);
const durations = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.option(digits(1, 6)),
    fc.option(digits(1, 5)),
    fc.option(digits(1, 3)),
    fc.option(fc.tuple(digits(1, 3), fc.option(digits(1, 11)))),
    fc.constantFrom('', '', '', '0'),
  )
  .map(([sign, d, h, m, s, zeros]) => {
    const time = `${h === null ? '' : `${h}H`}${m === null ? '' : `${m}M`}${s === null ? '' : `${s[0]}${s[1] === null ? '' : `.${s[1]}${zeros}`}S`}`;
    return `${sign}P${d === null ? '' : `${d}D`}${time === '' ? '' : `T${time}`}`;
  });
const guids = fc
  .uuid()
  .map((one, index = one.charCodeAt(0)) => (index % 2 === 0 ? one : one.toUpperCase()));
const base64 = fc.oneof(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.stringMatching(/^[\w+/=-]{0,9}$/),
);

const numberText = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.double({ min: -180, max: 180, noNaN: true }).map(String),
  fc.constantFrom('007', '-00.50', '1E2', '1e21', '-0'),
);
const position = fc
  .array(numberText, { minLength: 2, maxLength: 3 })
  .map((parts) => parts.join(' '));
const listOf = (items: fc.Arbitrary<string>, least = 0) =>
  fc.array(items, { minLength: least, maxLength: 4 }).map((parts) => `(${parts.join(',')})`);
const line = listOf(position, 1);
const ring = fc
  .tuple(position, fc.array(position, { maxLength: 3 }))
  .map(([first, rest]) => `(${[first, ...rest, first].join(',')})`);
const spelled = (name: string, body: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(name, name.toLowerCase(), name.toUpperCase()), body)
    .map((parts) => parts.join(''));
const shape: fc.Arbitrary<string> = fc.letrec<{ shape: string }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    spelled('Point', listOf(position)),
    spelled('LineString', line),
    spelled('Polygon', listOf(fc.oneof(ring, ring, line))),
    spelled('MultiPoint', listOf(listOf(position))),
    spelled('MultiLineString', listOf(line)),
    spelled('MultiPolygon', listOf(listOf(ring))),
    spelled('GeometryCollection', listOf(tie('shape'))),
  ),
})).shape;
const wellKnown = fc
  .tuple(
    fc.constantFrom('SRID=', 'srid='),
    fc.constantFrom('4326', '0', '00', '25832', '123456', ''),
    fc.constantFrom(';', ';', ';', ''),
    shape,
    fc.constantFrom('', '', '', ' ', ')'),
  )
  .map((parts) => parts.join(''));
/** GeoJSON as the service stores it. */
const stored = wellKnown
  .map((text) =>
    SQLITE_FUNCTIONS.docket_convert?.(
      text,
      typeOf('Edm.String'),
      typeOf('Edm.Geography', { srid: 'variable' }),
    ),
  )
  .filter((json): json is string => typeof json === 'string');
const foreign = fc.oneof(
  stored,
  stored.map((json) => json.replace(/\[(?!\])/, '["x",')),
  stored.map((json) => json.replace('}', ',"crs":null}')),
  stored.map((json) => json.replace('}', ',"more":[1,{"type":"Point"}]}')),
  fc.constantFrom(
    '{}',
    '[]',
    '1',
    '"Point"',
    '{"type":1}',
    '{"type":"Point"}',
    '{"type":"Point","coordinates":[1,"2"]}',
    '{"type":"Point","coordinates":[1]}',
    '{"type":"GeometryCollection"}',
    '{"type":"Point","coordinates":[1.0,20e-1],"crs":{"type":"name","properties":{"name":"EPSG:0"}}}',
  ),
);

const anyText = fc.oneof(
  numbers,
  dates,
  clocks,
  instants,
  durations,
  guids,
  base64,
  wellKnown,
  fc.constantFrom('true', 'FALSE', 'tRue', 'ſ', 'ärger', '', ' '),
);

function typeOf(type: PrimitiveName, facets: object = {}): string {
  return JSON.stringify({ type, ...facets });
}

const canonicalDecimals = numbers
  .map((text) =>
    SQLITE_FUNCTIONS.docket_convert?.(
      text,
      typeOf('Edm.String'),
      typeOf('Edm.Decimal', { scale: 'floating' }),
    ),
  )
  .filter((text): text is string => typeof text === 'string');
const doubles = fc.oneof(
  fc.double(),
  fc.double({ min: -300, max: 300 }),
  fc.integer(),
  fc.double({ min: -1e20, max: 1e20 }),
);

/** Stored values of the types to convert from, and the column type of their storage. */
const SOURCES: readonly (readonly [PrimitiveName, string, fc.Arbitrary<SqlValue>])[] = [
  ['Edm.String', 'text', anyText],
  ['Edm.Boolean', 'boolean', fc.constantFrom(0n, 1n)],
  [
    'Edm.Int64',
    'bigint',
    fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -300n, max: 300n }),
    ),
  ],
  ['Edm.Double', 'float8', doubles.map((one) => (Number.isNaN(one) ? 'NaN' : one))],
  ['Edm.Decimal', 'text', canonicalDecimals],
  ['Edm.Guid', 'text', fc.uuid()],
  ['Edm.Date', 'text', validDates],
  [
    'Edm.DateTimeOffset',
    'text',
    fc.tuple(validDates, validClocks).map(([day, clock]) => `${day}T${clock}Z`),
  ],
  ['Edm.TimeOfDay', 'text', validClocks],
  ['Edm.Duration', 'bigint', fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })],
  ['Edm.Binary', 'bytea', fc.uint8Array({ maxLength: 9 })],
  ['Edm.Geography', 'text', stored],
  ['Edm.Untyped', 'text', foreign],
];

const TARGETS: readonly (readonly [PrimitiveName, object])[] = [
  ['Edm.String', {}],
  ['Edm.String', { maxLength: 5 }],
  ['Edm.Boolean', {}],
  ['Edm.Byte', {}],
  ['Edm.SByte', {}],
  ['Edm.Int16', {}],
  ['Edm.Int32', {}],
  ['Edm.Int64', {}],
  ['Edm.Double', {}],
  ['Edm.Single', {}],
  ['Edm.Decimal', { scale: 'floating' }],
  ['Edm.Decimal', { scale: 'variable', precision: 6 }],
  ['Edm.Decimal', { scale: 'floating', precision: 4 }],
  ['Edm.Decimal', { scale: 2, precision: 9 }],
  ['Edm.Decimal', { scale: 0 }],
  ['Edm.Decimal', { scale: 3 }],
  ['Edm.Guid', {}],
  ['Edm.Date', {}],
  ['Edm.DateTimeOffset', {}],
  ['Edm.DateTimeOffset', { precision: 0 }],
  ['Edm.DateTimeOffset', { precision: 12 }],
  ['Edm.TimeOfDay', {}],
  ['Edm.TimeOfDay', { precision: 4 }],
  ['Edm.Duration', { precision: 9 }],
  ['Edm.Duration', {}],
  ['Edm.Binary', {}],
  ['Edm.Binary', { maxLength: 4 }],
  ['Edm.Geography', { srid: 'variable' }],
  ['Edm.GeographyPoint', {}],
  ['Edm.GeometryPolygon', { srid: 'variable' }],
  ['Edm.Stream', {}],
];

const GEO_TARGETS = TARGETS.filter(([type]) => type.startsWith('Edm.Geo') || type === 'Edm.String');

function targetsOf(source: PrimitiveName): typeof TARGETS {
  if (source === 'Edm.Untyped') return GEO_TARGETS.filter(([type]) => type !== 'Edm.String');
  if (source === 'Edm.Geography') return GEO_TARGETS;
  // Only text and shapes become shapes.
  return source === 'Edm.String'
    ? TARGETS
    : TARGETS.filter(([type]) => !type.startsWith('Edm.Geo'));
}

describe('convert', () => {
  const pairs = SOURCES.flatMap(([from, column, values]) =>
    targetsOf(from).map(([to, facets]) => ({ from, column, values, to, facets })),
  );
  it.each(pairs)('converts $from to $to $facets', async ({ from, column, values, to, facets }) => {
    const runs = from === 'Edm.String' || to.startsWith('Edm.Geo') ? 1000 : 200;
    const sample = fc.sample(values, runs);
    const [source, target] = [typeOf(from), typeOf(to, facets)];
    const { text } = toStatement(convert(sql`a`, source, target), () => '');
    const statement = `SELECT CAST(${text} AS text) FROM unnest($1::${column}[]) WITH ORDINALITY AS calls(a, place) ORDER BY place`;
    const rows = await connection.rows(statement, [sample.map(bound)]);
    const differences = sample.flatMap((value, index) => {
      const expected = shown(SQLITE_FUNCTIONS.docket_convert?.(value, source, target) ?? null, to);
      const found = normalized(rows[index]?.[0] ?? null, to);
      return expected === found ? [] : [{ value, expected, found }];
    });
    expect(differences.slice(0, 5)).toEqual([]);
  });
});

function bound(value: SqlValue): unknown {
  return value instanceof Uint8Array
    ? Buffer.from(value)
    : Object.is(value, -0)
      ? '-0'
      : value === null
        ? null
        : String(value);
}

/** A result of SQLite in the text form of PostgreSQL. */
function shown(result: SqlValue, to: PrimitiveName): string | null {
  if (result === null) return null;
  if (to === 'Edm.Boolean') return result === 1n ? 'true' : 'false';
  if (result instanceof Uint8Array) return `\\x${Buffer.from(result).toString('hex')}`;
  return Object.is(result, -0) ? '-0' : String(result);
}

function normalized(found: string | null, to: PrimitiveName): string | null {
  const isDouble = to === 'Edm.Double' || to === 'Edm.Single';
  if (!isDouble || found === null) return found;
  return found === '-0' ? found : String(Number(found));
}
