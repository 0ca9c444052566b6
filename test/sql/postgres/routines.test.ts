// This file compares the routines of the PostgreSQL dialect with the functions that SQLite calls, for random arguments.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SQLITE_FUNCTIONS, type SqlValue } from '../../../src/sql/dialect/sqlite-functions.ts';
import { type Connection, connect } from './connection.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await connect();
});

afterAll(() => connection.close());

/** The results of a routine, each for one list of arguments, as text. */
async function resultsOf(
  routine: string,
  types: readonly string[],
  calls: readonly (readonly unknown[])[],
): Promise<readonly (string | null)[]> {
  const columns = types.map((_, index) => `a${index}`);
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const text = `SELECT CAST(${routine}(${columns.join(', ')}) AS text) FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS calls(${columns.join(', ')}, place) ORDER BY place`;
  const values = types.map((_, index) => calls.map((call) => call[index]));
  return (await connection.rows(text, values)).map(([result]) => result ?? null);
}

/** The result of the SQLite function in the text form of PostgreSQL. */
function expectedOf(name: string, call: readonly SqlValue[], isBoolean: boolean): string | null {
  const result = SQLITE_FUNCTIONS[name]?.(...call) ?? null;
  if (isBoolean && result !== null) return result === 1n ? 'true' : 'false';
  return result === null ? null : String(result);
}

/** Compares all calls in one statement. */
async function compare(
  name: string,
  types: readonly string[],
  calls: readonly (readonly SqlValue[])[],
  isBoolean = false,
): Promise<void> {
  const results = await resultsOf(name, types, calls);
  const differences = calls.flatMap((call, index) => {
    const expected = expectedOf(name, call, isBoolean);
    return results[index] === expected ? [] : [{ call, expected, found: results[index] }];
  });
  expect(differences.slice(0, 5)).toEqual([]);
}

const RUNS = 3000;

function sample<Value>(values: fc.Arbitrary<Value>): readonly Value[] {
  return fc.sample(values, RUNS);
}

/** Text without U+0000, which the service rejects. */
const texts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'aé\'"\\/\u2028\u007f😀 \n\t\u0001\u001f%*(~') }),
  )
  .filter((text) => !text.includes('\0'));

const doubles = fc.oneof(
  fc.double({ min: 2 ** 53, max: 1e40 }),
  fc.double(),
  fc.double({ min: -1e22, max: 1e22 }),
  fc.double({ min: -1e-3, max: 1e-3 }),
  fc.integer(),
  fc
    .tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -30, max: 30 }))
    .map(([a, b]) => a * 10 ** b),
  fc.constantFrom(
    0,
    -0,
    1e15,
    1e16,
    1e20,
    1e21,
    1e22,
    1e-4,
    1e-5,
    1e-6,
    1e-7,
    123456789012345680000,
  ),
  fc.constantFrom(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    5e-324,
    Number.MAX_VALUE,
  ),
);

describe('values in JSON', () => {
  it('writes doubles as JavaScript does', async () => {
    const numbers = sample(doubles);
    const results = await resultsOf(
      'docket_number',
      ['float8'],
      numbers.map((one) => [Object.is(one, -0) ? '-0' : String(one)]),
    );
    const expected = numbers.map((one) =>
      SQLITE_FUNCTIONS.docket_number?.(Number.isNaN(one) ? 'NaN' : one),
    );
    expect(results).toEqual(expected);
  });

  it('writes numbers of single precision as JavaScript does', async () => {
    const numbers = [...sample(fc.float()), ...sample(doubles), 1e9, 999999968, 3.4028235e38];
    const texts = numbers.map((one) => [Object.is(one, -0) ? '-0' : String(one)]);
    const expected = numbers.map((one) =>
      SQLITE_FUNCTIONS.docket_single?.(Number.isNaN(one) ? 'NaN' : one),
    );
    expect(await resultsOf('docket_single', ['float8'], texts)).toEqual(expected);
  });

  it('reads doubles as JavaScript does', async () => {
    const digits = fc.stringMatching(/^-?\d{1,25}(\.\d{1,25})?([eE][+-]?\d{1,3})?$/);
    const numbers = [
      ...sample(digits),
      '1e309',
      '-1e400',
      '1e-400',
      '-1e-999999',
      '2.4703282292062327e-324',
      '2.4703282292062328e-324',
      '1.7976931348623158e308',
      '1.7976931348623159e308',
      '0e99999',
    ];
    const results = await resultsOf(
      'docket_to_floating',
      ['text'],
      numbers.map((one) => [one]),
    );
    const read = results.map((one) => (one === null ? null : Number(one)));
    expect(read).toEqual(numbers.map(Number));
  });

  it('writes durations', async () => {
    const parts = fc.constantFrom(
      1n,
      1_000n,
      1_000_000_000n,
      60_000_000_000n,
      3_600_000_000_000n,
      86_400_000_000_000n,
    );
    const whole = fc.tuple(parts, fc.bigInt({ min: -5000n, max: 5000n })).map(([a, b]) => a * b);
    const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    await compare(
      'docket_duration',
      ['bigint'],
      sample(fc.oneof(whole, any)).map((one) => [one]),
    );
  });

  it('encodes key literals', async () => {
    await compare(
      'docket_url_text',
      ['text'],
      sample(texts).map((one) => [one]),
    );
  });
});

const scalars = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '1',
    '1.0',
    '1.10',
    '1.1',
    '-0',
    '10',
    '100',
    '1e2',
    '9007199254740993',
    '"1"',
    '"a"',
    '"\\u0061"',
    '"a,]b"',
    '"\\"[\\\\"',
  ),
  fc
    .string({ maxLength: 3 })
    .filter((text) => !text.includes('\0'))
    .map((text) => JSON.stringify(text)),
  fc.constantFrom('{"a":[1,2]}', '[]', '["x"]', '{}'),
);
const arrays = fc.array(scalars, { maxLength: 6 }).map((items) => `[${items.join(',')}]`);
const small = fc
  .array(fc.constantFrom('1', '1.0', '2', '"a"', 'null'), { maxLength: 5 })
  .map((items) => `[${items.join(',')}]`);
const pairs = fc.oneof(fc.tuple(arrays, arrays), fc.tuple(small, small), fc.tuple(small, small));

describe('collections', () => {
  it.each([
    ['docket_list_index', false],
    ['docket_list_starts', true],
    ['docket_list_ends', true],
    ['docket_has_subset', true],
    ['docket_has_subsequence', true],
    ['docket_json_concat', false],
  ])('computes %s', async (name, isBoolean) => {
    await compare(name, ['text', 'text'], sample(pairs), isBoolean);
  });

  it('takes parts of lists', async () => {
    const numbers = fc.bigInt({ min: -7n, max: 7n });
    await compare('docket_list_part', ['text', 'bigint'], sample(fc.tuple(arrays, numbers)));
    const lengths = fc.bigInt({ min: 0n, max: 7n });
    const calls = sample(fc.tuple(arrays, numbers, lengths));
    await compare('docket_list_part', ['text', 'bigint', 'bigint'], calls);
  });
});

const coordinates = fc.oneof(
  fc.integer({ min: -4, max: 4 }),
  fc.double({ min: -180, max: 180, noNaN: true }).filter((one) => Math.abs(one) > 1e-70),
);
const positions = fc.tuple(coordinates, coordinates);
const points = positions.map((at) => JSON.stringify({ type: 'Point', coordinates: at }));
const rings = fc.array(positions, { minLength: 3, maxLength: 6 }).map((ring) => [...ring, ring[0]]);
const polygons = fc
  .array(rings, { minLength: 1, maxLength: 3 })
  .map((ring) => JSON.stringify({ type: 'Polygon', coordinates: ring }));

describe('geo functions', () => {
  it('finds points in polygons', async () => {
    await compare(
      'docket_geo_intersects',
      ['text', 'text'],
      sample(fc.tuple(points, polygons)),
      true,
    );
  });

  it('measures on a plane exactly', async () => {
    const calls = sample(fc.tuple(fc.constant('geometry'), points, points));
    await compareDoubles('docket_geo_distance', calls, 0);
  });

  it('measures on a sphere', async () => {
    const calls = sample(fc.tuple(fc.constant('geography'), points, points));
    await compareDoubles('docket_geo_distance', calls, 1e-12);
  });

  it('measures lines', async () => {
    const lines = fc
      .array(positions, { minLength: 2, maxLength: 6 })
      .map((line) => JSON.stringify({ type: 'LineString', coordinates: line }));
    await compareDoubles('docket_geo_length', sample(fc.tuple(fc.constant('geometry'), lines)), 0);
  });
});

/** Compares doubles; the tolerance is relative. */
async function compareDoubles(
  name: string,
  calls: readonly (readonly SqlValue[])[],
  tolerance: number,
): Promise<void> {
  const types = (calls[0] ?? []).map(() => 'text');
  const results = await resultsOf(name, types, calls);
  const differences = calls.flatMap((call, index) => {
    const expected = Number(SQLITE_FUNCTIONS[name]?.(...call));
    const found = Number(results[index]);
    const isClose = Math.abs(found - expected) <= tolerance * Math.abs(expected) + tolerance * 1e-3;
    return isClose ? [] : [{ call, expected, found }];
  });
  expect(differences.slice(0, 5)).toEqual([]);
}
