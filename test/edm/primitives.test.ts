// This file checks how values of each primitive type are read from bodies and literals and written back, exactly.
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Facets } from '../../src/edm/model.ts';
import { bytesOf } from '../../src/edm/value/binary.ts';
import { type JsonInput, NumberText } from '../../src/edm/value/lossless-json.ts';
import {
  PRIMITIVES,
  type PrimitiveName,
  parseJson,
  parseLiteral,
  parseText,
  writeJson,
  writeLiteral,
} from '../../src/edm/value/primitives.ts';
import type { Value } from '../../src/edm/value/read-result.ts';
import { dateOfDay, dayNumber, fitFraction, writeDuration } from '../../src/edm/value/temporal.ts';

const ABNF_CASES = new URL(
  '../../../shared/testdata/abnf/dev/odata-abnf-testcases.dev.json',
  import.meta.url,
);

function readValue(type: PrimitiveName, input: JsonInput, facets: Facets = {}): Value {
  const reading = parseJson(type, facets, input);
  if (reading.kind === 'mistake') throw new Error(reading.expected);
  return reading.value;
}

function mistakeOf(type: PrimitiveName, input: JsonInput, facets: Facets = {}): string {
  const reading = parseJson(type, facets, input);
  if (reading.kind === 'value') throw new Error(`read as ${String(reading.value)}`);
  return reading.expected;
}

function textOf(type: PrimitiveName, text: string, facets: Facets = {}): Value | undefined {
  const reading = parseText(type, facets, text);
  return reading.kind === 'value' ? reading.value : undefined;
}

describe('integers', () => {
  test('an Int64 is exact at every digit, as a number and as a string', () => {
    expect(readValue('Edm.Int64', 9223372036854775807n)).toBe(9223372036854775807n);
    expect(readValue('Edm.Int64', '-9223372036854775808')).toBe(-9223372036854775808n);
    expect(writeJson('Edm.Int64', 9223372036854775807n)).toBe('9223372036854775807');
    expect(writeJson('Edm.Int64', 5n, { ieee754Compatible: true })).toBe('"5"');
    expect(writeJson('Edm.Int32', 5n, { ieee754Compatible: true })).toBe('5');
  });

  test.each([
    ['Edm.Byte', 0n, 255n],
    ['Edm.SByte', -128n, 127n],
    ['Edm.Int16', -32768n, 32767n],
    ['Edm.Int32', -2147483648n, 2147483647n],
    ['Edm.Int64', -9223372036854775808n, 9223372036854775807n],
  ] as const)('%s ends at its bounds', (type, least, greatest) => {
    expect(readValue(type, least)).toBe(least);
    expect(readValue(type, greatest)).toBe(greatest);
    const message = `expected an integer from ${least} to ${greatest}`;
    expect(mistakeOf(type, least - 1n)).toBe(message);
    expect(mistakeOf(type, greatest + 1n)).toBe(message);
  });

  test('a number with a zero fraction is an integer, one with digits there is none', () => {
    expect(readValue('Edm.Int32', new NumberText('12.0'))).toBe(12n);
    expect(readValue('Edm.Int32', new NumberText('1.2e1'))).toBe(12n);
    expect(mistakeOf('Edm.Int32', new NumberText('12.5'))).toContain('integer');
  });

  test('only an Int64 may be a string, and no integer a Boolean', () => {
    expect(mistakeOf('Edm.Int32', '5')).toContain('without quotes');
    expect(mistakeOf('Edm.Int64', 'five')).toContain('an integer');
    expect(mistakeOf('Edm.Int64', true)).toContain('without quotes');
  });

  test('any bigint survives the way to JSON and back', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, (value) => {
        expect(readValue('Edm.Int64', new NumberText(writeJson('Edm.Int64', value)))).toBe(value);
        expect(textOf('Edm.Int64', writeLiteral('Edm.Int64', value))).toBe(value);
      }),
    );
  });
});

describe('decimals', () => {
  test.each([
    ['1.50', '1.5'],
    ['+1.50e1', '15'],
    ['-0.00', '0'],
    ['1e-3', '0.001'],
    ['1200e-2', '12'],
    ['0.1e1', '1'],
    ['00012.340', '12.34'],
    ['12345678901234567890.123456789', '12345678901234567890.123456789'],
  ])('%s is kept as %s', (text, canonical) => {
    expect(readValue('Edm.Decimal', new NumberText(text))).toBe(canonical);
    expect(readValue('Edm.Decimal', text)).toBe(canonical);
  });

  test('digits beyond the precision and the scale are refused', () => {
    const money = { precision: 12, scale: 2 };
    expect(readValue('Edm.Decimal', '9999999999.99', money)).toBe('9999999999.99');
    expect(readValue('Edm.Decimal', '1.100', money)).toBe('1.1');
    expect(mistakeOf('Edm.Decimal', '10000000000', money)).toBe(
      'expected a decimal number of at most 12 digits, at most 2 of them after the point',
    );
    expect(mistakeOf('Edm.Decimal', '1.101', money)).toContain('at most 2');
    expect(mistakeOf('Edm.Decimal', '12.5', { scale: 0 })).toContain('at most 0');
    expect(mistakeOf('Edm.Decimal', '12.345', { precision: 4, scale: 'variable' })).toContain('4');
    expect(readValue('Edm.Decimal', '1e20', { precision: 3, scale: 'floating' })).toBe(
      '100000000000000000000',
    );
  });

  test('infinity exists with floating scale only', () => {
    expect(readValue('Edm.Decimal', 'INF', { scale: 'floating' })).toBe('INF');
    expect(writeJson('Edm.Decimal', 'INF')).toBe('"INF"');
    expect(mistakeOf('Edm.Decimal', 'INF', { precision: 5, scale: 2 })).toContain('finite');
  });

  test('a short text cannot become a huge number', () => {
    expect(mistakeOf('Edm.Decimal', new NumberText('1e999999'))).toContain('decimal');
    expect(mistakeOf('Edm.Decimal', new NumberText('1e99999999999'))).toContain('decimal');
  });

  test('reading the canonical form changes nothing', () => {
    const digits = fc.stringMatching(/^-?\d{1,30}(\.\d{1,30})?(e-?\d{1,2})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const once = readValue('Edm.Decimal', text);
        expect(readValue('Edm.Decimal', String(once))).toBe(once);
        expect(Number(once) + 0).toBe(Number(text) + 0);
      }),
    );
  });
});

describe('literals of decimals', () => {
  test.each(['5.5', '12345.678', '0.05', '-100.25'])('%s keeps all its digits', (text) => {
    expect(parseLiteral('Edm.Decimal', text)).toEqual({ kind: 'value', value: text });
  });
});

describe('floating-point numbers', () => {
  test('INF, -INF and NaN are strings in JSON, other strings are refused', () => {
    expect(readValue('Edm.Double', 'INF')).toBe(Number.POSITIVE_INFINITY);
    expect(writeJson('Edm.Double', Number.NEGATIVE_INFINITY)).toBe('"-INF"');
    expect(writeJson('Edm.Single', Number.NaN)).toBe('"NaN"');
    expect(mistakeOf('Edm.Double', '1.5')).toContain('without quotes');
    expect(mistakeOf('Edm.Double', new NumberText('1e999'))).toContain('within the range');
    expect(mistakeOf('Edm.Single', new NumberText('1e39'))).toContain('Edm.Single');
  });

  test('every double survives the way to JSON and back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = readValue('Edm.Double', new NumberText(writeJson('Edm.Double', value)));
        expect(Object.is(read, value)).toBe(true);
      }),
    );
  });

  test('a Single is rounded to the nearest one', () => {
    expect(readValue('Edm.Single', new NumberText('0.1'))).toBe(0.1);
    expect(readValue('Edm.Single', new NumberText('16777217'))).toBe(16777216);
    expect(readValue('Edm.Single', new NumberText('1.10000002'))).toBe(1.1);
    expect(readValue('Edm.Single', new NumberText('3.4028234663852886e38'))).toBe(3.4028235e38);
  });
});

describe('points in time', () => {
  test.each([
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-01T00:30:15.5+01:00', '2025-12-31T23:30:15.500Z'],
    ['2024-02-28T23:59:59.999-00:01', '2024-02-29T00:00:59.999Z'],
    ['2026-01-31T12:00:00.1230000Z', '2026-01-31T12:00:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is kept as %s', (text, canonical) => {
    expect(readValue('Edm.DateTimeOffset', text)).toBe(canonical);
  });

  test.each([
    ['2026-01-31T12:00:00', 'offset'],
    ['2026-02-30T12:00:00Z', 'point in time'],
    ['2026-01-31T24:00:00Z', 'point in time'],
    ['2026-01-31T12:00:60Z', 'point in time'],
    ['2026-01-31', 'point in time'],
    ['0000-01-01T00:00:00Z', 'years 0001 to 9999'],
    ['0001-01-01T00:00:00+00:01', 'years 0001 to 9999'],
    ['9999-12-31T23:59:59-01:00', 'years 0001 to 9999'],
    ['-10000-04-01T00:00Z', 'years 0001 to 9999'],
    ['2026-01-31T12:00:00.1234567890123Z', 'a point in time'],
    ['2026-01-31T12:00:00+25:00', 'offset'],
  ])('%s is refused', (text, reason) => {
    expect(mistakeOf('Edm.DateTimeOffset', text)).toContain(reason);
  });

  test('the precision says how many digits are kept', () => {
    const text = '2026-01-31T12:00:00.5Z';
    expect(readValue('Edm.DateTimeOffset', text, { precision: 6 })).toBe(
      '2026-01-31T12:00:00.500000Z',
    );
    expect(readValue('Edm.DateTimeOffset', text, { precision: 0 })).toBe('2026-01-31T12:00:00Z');
    const ticks = '9999-12-31T23:59:59.999999999999Z';
    expect(readValue('Edm.DateTimeOffset', ticks)).toBe('9999-12-31T23:59:59.999Z');
  });

  test('any moment is read as the clock of the machine reads it', () => {
    const moment = fc.date({
      min: new Date('0001-01-03T00:00:00Z'),
      max: new Date('9999-12-29T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, fc.integer({ min: -840, max: 840 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offset);
        const hours = String(Math.floor(size / 60)).padStart(2, '0');
        const minutes = String(size % 60).padStart(2, '0');
        const text = `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
        expect(readValue('Edm.DateTimeOffset', text)).toBe(date.toISOString());
      }),
    );
  });

  test('every day has a number, and the number its day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_652_058 }), (days) => {
        expect(dayNumber(dateOfDay(days) ?? '')).toBe(days);
      }),
    );
    expect(dateOfDay(3_652_059)).toBeUndefined();
    expect(dateOfDay(-1)).toBeUndefined();
  });

  test('a literal keeps its digits until it is fitted to a property', () => {
    const reading = parseLiteral('Edm.DateTimeOffset', '2026-01-31T12:00:00.123456Z');
    expect(reading).toEqual({ kind: 'value', value: '2026-01-31T12:00:00.123456Z' });
    expect(fitFraction('2026-01-31T12:00:00.123456Z', 3)).toEqual({
      value: '2026-01-31T12:00:00.123Z',
      exact: false,
    });
    expect(fitFraction('2026-01-31T12:00:00.120Z', 2).exact).toBe(true);
    expect(fitFraction('08:00:00', 3)).toEqual({ value: '08:00:00.000', exact: true });
  });
});

describe('dates, times of day and durations', () => {
  test('a date exists in the calendar', () => {
    expect(readValue('Edm.Date', '2024-02-29')).toBe('2024-02-29');
    expect(mistakeOf('Edm.Date', '2023-02-29')).toContain('a date');
    expect(mistakeOf('Edm.Date', '1900-02-29')).toContain('a date');
    expect(mistakeOf('Edm.Date', '2026-1-31')).toContain('such as 2026-01-31');
  });

  test('a time of day has the digits of its precision', () => {
    expect(readValue('Edm.TimeOfDay', '08:30')).toBe('08:30:00');
    expect(readValue('Edm.TimeOfDay', '08:30:01.5', { precision: 3 })).toBe('08:30:01.500');
    expect(readValue('Edm.TimeOfDay', '08:30:01.9')).toBe('08:30:01');
    expect(readValue('Edm.TimeOfDay', '08:30:01.1239999', { precision: 3 })).toBe('08:30:01.123');
    expect(mistakeOf('Edm.TimeOfDay', '24:00:00')).toContain('time of day');
  });

  test.each([
    ['P1DT2H3M4.5S', 93_784_500_000_000n, 'P1DT2H3M4.5S'],
    ['-PT90M', -5_400_000_000_000n, '-PT1H30M'],
    ['PT0S', 0n, 'PT0S'],
    ['P10D', 864_000_000_000_000n, 'P10D'],
    ['PT36H', 129_600_000_000_000n, 'P1DT12H'],
    ['PT0.000000001S', 1n, 'PT0.000000001S'],
  ])('the duration %s is %s nanoseconds', (text, nanoseconds, written) => {
    expect(readValue('Edm.Duration', text, { precision: 9 })).toBe(nanoseconds);
    expect(writeDuration(nanoseconds)).toBe(written);
    expect(writeJson('Edm.Duration', nanoseconds)).toBe(`"${written}"`);
  });

  test.each(['P1Y', 'P', 'PT', 'P1DT', '1D', 'P1M', 'PT1.S', 'P200000D'])(
    '%s is no duration',
    (text) => {
      expect(mistakeOf('Edm.Duration', text, { precision: 9 })).toContain('a duration');
    },
  );

  test('any duration survives the way to text and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (value) => {
        expect(textOf('Edm.Duration', writeDuration(value), { precision: 9 })).toBe(value);
      }),
    );
  });
});

describe('text, GUID and binary', () => {
  test('the length of a text is counted in characters, not in units of its encoding', () => {
    expect(readValue('Edm.String', '😀😀', { maxLength: 2 })).toBe('😀😀');
    expect(mistakeOf('Edm.String', '😀😀a', { maxLength: 2 })).toBe(
      'expected at most 2 characters (there are 3)',
    );
  });

  test('U+0000 and half a surrogate pair are refused', () => {
    expect(mistakeOf('Edm.String', 'a\0b')).toContain('U+0000');
    expect(mistakeOf('Edm.String', 'a\ud800')).toContain('unpaired surrogate');
    expect(mistakeOf('Edm.String', 5n)).toBe('expected text as a string');
  });

  test('a GUID is kept in lower case', () => {
    expect(readValue('Edm.Guid', '01234567-89AB-cdef-0123-456789ABCDEF')).toBe(
      '01234567-89ab-cdef-0123-456789abcdef',
    );
    expect(mistakeOf('Edm.Guid', '0123456789abcdef0123456789abcdef')).toContain('GUID');
  });

  test('base64url and base64 are read, with and without padding', () => {
    expect(readValue('Edm.Binary', 'Zm8=')).toBe('Zm8');
    expect(readValue('Edm.Binary', '+/+/')).toBe('-_-_');
    for (const text of ['Z', 'Zg=', 'Zh', 'Zm9', 'Zm8==', 'Zm=8', 'Z m8', 'Zm9v====']) {
      expect(mistakeOf('Edm.Binary', text)).toContain('base64url');
    }
    expect(mistakeOf('Edm.Binary', 'Zm9v', { maxLength: 2 })).toContain('at most 2 bytes');
  });

  test('any bytes are read from their text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(textOf('Edm.Binary', text)).toBe(text);
        expect(bytesOf(text)).toEqual(bytes);
      }),
    );
  });

  test('a Boolean is true or false and nothing else', () => {
    expect(readValue('Edm.Boolean', true)).toBe(true);
    expect(mistakeOf('Edm.Boolean', 'true')).toBe('expected true or false');
    expect(mistakeOf('Edm.Boolean', 1n)).toBe('expected true or false');
    expect(textOf('Edm.Boolean', 'tRUe')).toBe(true);
  });
});

describe('geography and geometry', () => {
  const samples = [
    [
      'Edm.GeographyPoint',
      'SRID=4326;Point(142.1 64.1)',
      '{"type":"Point","coordinates":[142.1,64.1]}',
    ],
    ['Edm.GeometryPoint', 'SRID=0;Point(1 2 3)', '{"type":"Point","coordinates":[1,2,3]}'],
    [
      'Edm.GeometryLineString',
      'SRID=0;LineString(1 2,3 4)',
      '{"type":"LineString","coordinates":[[1,2],[3,4]]}',
    ],
    [
      'Edm.GeometryMultiPoint',
      'SRID=0;MultiPoint((1 1),(2 2))',
      '{"type":"MultiPoint","coordinates":[[1,1],[2,2]]}',
    ],
    ['Edm.GeometryMultiPoint', 'SRID=0;MultiPoint()', '{"type":"MultiPoint","coordinates":[]}'],
    [
      'Edm.GeometryPolygon',
      'SRID=0;Polygon((1 1,2 2,3 3,1 1))',
      '{"type":"Polygon","coordinates":[[[1,1],[2,2],[3,3],[1,1]]]}',
    ],
    [
      'Edm.GeometryMultiPolygon',
      'SRID=0;MultiPolygon(((1 1,1 1)))',
      '{"type":"MultiPolygon","coordinates":[[[[1,1],[1,1]]]]}',
    ],
    [
      'Edm.GeometryMultiLineString',
      'SRID=0;MultiLineString((1 1,2 2))',
      '{"type":"MultiLineString","coordinates":[[[1,1],[2,2]]]}',
    ],
    [
      'Edm.Geometry',
      'SRID=0;GeometryCollection(Point(1 2),Point(3 4))',
      '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Point","coordinates":[3,4]}]}',
    ],
  ] as const;

  test.each(samples)('%s %s is GeoJSON in bodies', (type, text, json) => {
    expect(textOf(type, text)).toBe(json);
    expect(readValue(type, JSON.parse(json))).toBe(json);
    expect(writeJson(type, json)).toBe(json);
    const prefix = type.startsWith('Edm.Geography') ? 'geography' : 'geometry';
    expect(writeLiteral(type, json)).toBe(`${prefix}'${text}'`);
  });

  test('another coordinate system is named in crs and allowed where the model says so', () => {
    const json =
      '{"type":"Point","coordinates":[1,2],"crs":{"type":"name","properties":{"name":"EPSG:28992"}}}';
    expect(textOf('Edm.GeometryPoint', 'SRID=28992;Point(1 2)', { srid: 'variable' })).toBe(json);
    expect(writeLiteral('Edm.GeometryPoint', json)).toBe("geometry'SRID=28992;Point(1 2)'");
    expect(mistakeOf('Edm.GeometryPoint', JSON.parse(json))).toBe(
      'expected the coordinate system 0',
    );
  });

  test.each([
    '{"type":"Point","coordinates":[1]}',
    '{"type":"Point","coordinates":[1,"2"]}',
    '{"type":"LineString","coordinates":[[1,2]]}',
    '{"type":"Polygon","coordinates":[[[1,1],[2,2]]]}',
    '{"type":"constructor","coordinates":[1,2]}',
    '{"type":"GeometryCollection","geometries":[1]}',
    '[1,2]',
  ])('%s is refused', (json) => {
    expect(mistakeOf('Edm.Geometry', JSON.parse(json))).toContain('GeoJSON');
  });

  test('a point is refused where a polygon belongs', () => {
    expect(mistakeOf('Edm.GeometryPolygon', { type: 'Point', coordinates: [1n, 2n] })).toContain(
      'Polygon',
    );
  });
});

describe('types without values of their own', () => {
  test('a stream, and a value of an unknown type, are refused with what to do instead', () => {
    expect(mistakeOf('Edm.Stream', 'abc')).toContain('its own URL');
    expect(mistakeOf('Edm.PrimitiveType', 'abc')).toContain('@odata.type');
  });

  test('untyped JSON keeps its digits', () => {
    const input = { a: [1n, new NumberText('0.10'), null, 'x"y'] };
    expect(readValue('Edm.Untyped', input)).toBe('{"a":[1,0.10,null,"x\\"y"]}');
  });

  test('null is a value of every type', () => {
    for (const type of Object.keys(PRIMITIVES)) {
      expect(readValue(type as PrimitiveName, null)).toBeNull();
    }
    expect(writeJson('Edm.String', null)).toBe('null');
    expect(writeLiteral('Edm.String', null)).toBe('null');
  });
});

describe('literals', () => {
  test.each([
    ['Edm.String', "O'Neil", "'O''Neil'"],
    ['Edm.Duration', 3_600_000_000_000n, "duration'PT1H'"],
    ['Edm.Binary', 'Zm8', "binary'Zm8'"],
    ['Edm.Int64', 5n, '5'],
    ['Edm.Double', Number.POSITIVE_INFINITY, 'INF'],
    ['Edm.Boolean', false, 'false'],
  ] as const)('a value of %s is written as a URL needs it', (type, value, literal) => {
    expect(writeLiteral(type, value)).toBe(literal);
  });
});

interface AbnfCase {
  readonly Name: string;
  readonly Rule: string;
  readonly Input: string;
  readonly appliesTo: string;
  readonly polarity: 'positive' | 'negative';
}

const RULES: Readonly<Record<string, readonly PrimitiveName[]>> = {
  booleanValue: ['Edm.Boolean'],
  dateValue: ['Edm.Date'],
  dateTimeOffsetValue: ['Edm.DateTimeOffset'],
  decimalValue: ['Edm.Decimal'],
  doubleValue: ['Edm.Double'],
  singleValue: ['Edm.Single'],
  durationValue: ['Edm.Duration'],
  guidValue: ['Edm.Guid'],
  timeOfDayValue: ['Edm.TimeOfDay'],
  primitiveValue: ['Edm.GeometryPoint', 'Edm.Guid', 'Edm.Binary'],
};

describe.skipIf(!existsSync(ABNF_CASES))('values of the OData ABNF test cases', () => {
  const cases: readonly AbnfCase[] = existsSync(ABNF_CASES)
    ? JSON.parse(readFileSync(ABNF_CASES, 'utf8')).TestCases
    : [];
  const relevant = cases.filter(
    ({ appliesTo, Rule }) => appliesTo === 'payload_value' && Rule in RULES,
  );

  test('there are cases', () => {
    expect(relevant.length).toBeGreaterThan(20);
  });

  test.each(relevant.map((item) => [item.Name, item] as const))('%s', (_name, item) => {
    const types = RULES[item.Rule] ?? [];
    const isRead = types.some(
      (type) => textOf(type, item.Input, { precision: 9, scale: 'floating' }) !== undefined,
    );
    // Years outside 0001 to 9999 are well formed, but this service keeps none.
    const isOutside = item.Input.startsWith('-10000');
    expect(isRead).toBe(item.polarity === 'positive' && !isOutside);
  });
});
