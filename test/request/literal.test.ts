// This file tests primitive literals: what each spelling means, and where a broken one is refused.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { parseLiteral } from './pieces.ts';

describe('OData 4.01 ABNF, "Literal Data Values"', () => {
  test.each([
    ['null', { kind: 'null' }],
    ['true', { kind: 'boolean', value: true }],
    ['FALSE', { kind: 'boolean', value: false }],
    ['0', { kind: 'integer', value: 0n }],
    ['-7', { kind: 'integer', value: -7n }],
    ['+7', { kind: 'integer', value: 7n }],
    ['201L', { kind: 'integer', value: 201n }],
    ['-0l', { kind: 'integer', value: 0n }],
    ['9223372036854775807', { kind: 'integer', value: 9223372036854775807n }],
    ['-9223372036854775808', { kind: 'integer', value: -9223372036854775808n }],
    ['9'.repeat(100), { kind: 'integer', value: 10n ** 100n - 1n }],
    ['9'.repeat(101), { kind: 'decimal', text: '9'.repeat(101) }],
    ['3.14', { kind: 'decimal', text: '3.14' }],
    ['+3.10', { kind: 'decimal', text: '3.10' }],
    ['1e5', { kind: 'double', text: '1e5' }],
    ['-0.314E-1', { kind: 'double', text: '-0.314E-1' }],
    ['1e 5', { kind: 'double', text: '1e+5' }],
    ['INF', { kind: 'double', text: 'INF' }],
    ['-INF', { kind: 'double', text: '-INF' }],
    ['NaN', { kind: 'double', text: 'NaN' }],
    ["''", { kind: 'string', value: '' }],
    ["'O''Neil'", { kind: 'string', value: "O'Neil" }],
    ["''''''", { kind: 'string', value: "''" }],
    ["'a\0\\/\"😀'", { kind: 'string', value: 'a\0\\/"😀' }],
    [
      '01234567-89ab-cdef-0123-456789ABCDEF',
      { kind: 'guid', text: '01234567-89ab-cdef-0123-456789ABCDEF' },
    ],
    [
      'abcdefab-89ab-cdef-0123-456789abcdef',
      { kind: 'guid', text: 'abcdefab-89ab-cdef-0123-456789abcdef' },
    ],
    ['2012-09-03', { kind: 'date', text: '2012-09-03' }],
    ['-10000-04-01', { kind: 'date', text: '-10000-04-01' }],
    ['12345678-04-01', { kind: 'date', text: '12345678-04-01' }],
    ['2012-09-03T13:52Z', { kind: 'dateTimeOffset', text: '2012-09-03T13:52Z' }],
    [
      '2012-09-03t08:09:02.123456789012z',
      { kind: 'dateTimeOffset', text: '2012-09-03T08:09:02.123456789012Z' },
    ],
    ['2012-09-03T14:53+02:00', { kind: 'dateTimeOffset', text: '2012-09-03T14:53+02:00' }],
    ['2012-09-03T14:53 02:00', { kind: 'dateTimeOffset', text: '2012-09-03T14:53+02:00' }],
    ['2012-09-03T14:53:60-02:00', { kind: 'dateTimeOffset', text: '2012-09-03T14:53:60-02:00' }],
    ['11:22', { kind: 'timeOfDay', text: '11:22' }],
    ['11:22:33.4444444', { kind: 'timeOfDay', text: '11:22:33.4444444' }],
    ["duration'P6DT23H59M59.9999S'", { kind: 'duration', text: 'P6DT23H59M59.9999S' }],
    ["DURATION'-pt1h'", { kind: 'duration', text: '-PT1H' }],
    ["binary'Zg=='", { kind: 'binary', text: 'Zg==' }],
    ["binary'Zg'", { kind: 'binary', text: 'Zg' }],
    ["binary'Zm8'", { kind: 'binary', text: 'Zm8' }],
    ["binary'Zm9v'", { kind: 'binary', text: 'Zm9v' }],
    ["binary''", { kind: 'binary', text: '' }],
    ["NS.Kind'Solid'", { kind: 'enum', type: 'NS.Kind', members: ['Solid'] }],
    ["A.B.C'Solid,-2,+4'", { kind: 'enum', type: 'A.B.C', members: ['Solid', '-2', '4'] }],
    [
      "geography'SRID=4326;Point(142.1 -64.1 10)'",
      {
        kind: 'geography',
        shape: 'Point',
        text: 'SRID=4326;Point(142.1 -64.1 10)',
      },
    ],
    [
      "geometry'SRID=0;GeometryCollection(Point(1 2),LineString(1 2,3 4e1))'",
      {
        kind: 'geometry',
        shape: 'GeometryCollection',
        text: 'SRID=0;GeometryCollection(Point(1 2),LineString(1 2,3 4e1))',
      },
    ],
  ])('%s', (text, value) => {
    expect(parseLiteral(text)).toEqual({ kind: 'literal', at: 0, end: text.length, value });
  });

  test.each([
    ["'a", 2],
    ["'O'Neil'", 3],
    ["X'1a'", 0],
    ["Kind'Solid'", 0],
    ["NS.Kind'Solid, Other'", 14],
    ["NS.Kind''", 8],
    ["binary'Zh'", 8],
    ["binary'Z'", 8],
    ["binary'Zg='", 10],
    ["binary'Zm8=='", 11],
    ["binary'Zm9v='", 11],
    ["binary'+/+/'", 7],
    ["duration'P'", 10],
    ["duration'PT'", 11],
    ["duration'P1DT'", 13],
    ["duration'P1Y'", 11],
    ["duration'PT1M1H'", 14],
    ["duration'PT1.5H'", 14],
    ["duration'1D'", 9],
    ['2012-9-03', 5],
    ['2012-00-03', 6],
    ['2012-02-32', 9],
    ['02012-01-01', 4],
    ['2012-01-01T24:00Z', 12],
    ['2012-01-01T10:60Z', 14],
    ['2012-01-01T10:00:61Z', 18],
    ['2012-01-01T10:00:00.Z', 20],
    ['2012-01-01T10:00', 16],
    ['2012-01-01T10:00+24:00', 18],
    ['25:00', 1],
    ['01234567-89ab-cdef-456789abcdef', 23],
    ['1.', 1],
    ['.5', 0],
    ['1e', 1],
    ['5M', 1],
    ["geography'Point(1 2)'", 10],
    ["geography'SRID=123456;Point(1 2)'", 20],
    ["geography'SRID=0;Circle(1 2)'", 17],
    ["geography'SRID=0;Point(1)'", 24],
    ["geography'SRID=0;Point(1 2 3 4 5)'", 30],
    ["geography'SRID=0;LineString(1 2)'", 31],
    ["geography'SRID=0;Polygon((1 1,2 2,3 3))'", 37],
  ])('%s is refused at %d', (text, position) => {
    expect(() => parseLiteral(text)).toThrow(Fault);
    try {
      parseLiteral(text);
    } catch (error) {
      expect(error instanceof Fault && error.position).toBe(position);
    }
  });
});

test('a hyphen behind a name is not the start of a guid', () => {
  expect(() => parseExpression('abcdefgh-1')).toThrow(Fault);
  expect(() => parseExpression('Name-1')).toThrow(Fault);
});

test('a name of 128 characters is read, and one of 129 refused', () => {
  expect(parseExpression('a'.repeat(128)).kind).toBe('path');
  expect(() => parseExpression('a'.repeat(129))).toThrow('at most 128 characters');
});
