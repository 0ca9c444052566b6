// This file tests the boundaries of days, weeks and months in zones whose clocks change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ages,
  bucketFilter,
  bucketIndex,
  lastUnits,
  startOfDate,
  UNITS,
} from '../../console/src/query/buckets.ts';

const ZONES = [
  'UTC',
  'Europe/Amsterdam',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia',
  'Africa/Cairo',
  'Atlantic/Azores',
];

const iso = (date: Date | undefined) => date?.toISOString();

describe('the last units', () => {
  test('are days of the zone, with 23 and 25 hours when the clocks change', () => {
    const days = lastUnits('day', 3, new Date('2026-03-30T10:00:00Z'), 'Europe/Amsterdam');
    expect(days.map(({ from, to }) => [iso(from), iso(to)])).toEqual([
      ['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z'],
      ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z'],
    ]);
  });

  test('are weeks that start on Mondays, and months', () => {
    const now = new Date('2026-11-01T12:00:00Z');
    expect(lastUnits('week', 1, now, 'UTC').map(({ from }) => iso(from))).toEqual([
      '2026-10-26T00:00:00.000Z',
    ]);
    expect(lastUnits('month', 2, now, 'America/New_York').map(({ from }) => iso(from))).toEqual([
      '2026-10-01T04:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
    ]);
  });

  test('follow each other without gap, and the last one contains the present', () => {
    const time = fc.date({
      min: new Date('2011-01-01T00:00:00Z'),
      max: new Date('2035-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        time,
        fc.constantFrom(...ZONES),
        fc.constantFrom(...UNITS),
        fc.integer({ min: 1, max: 30 }),
        (now, zone, unit, count) => {
          const buckets = lastUnits(unit, count, now, zone);
          expect(buckets).toHaveLength(count);
          for (const [index, { from, to }] of buckets.entries()) {
            expect(to?.getTime()).toBeGreaterThanOrEqual(from?.getTime() ?? Number.NaN);
            if (index > 0) expect(iso(from)).toBe(iso(buckets[index - 1]?.to));
          }
          const last = buckets.at(-1);
          expect(last?.from?.getTime()).toBeLessThanOrEqual(now.getTime());
          expect(last?.to?.getTime()).toBeGreaterThan(now.getTime());
        },
      ),
    );
  });
});

test('a date whose midnight does not exist starts when the clocks are changed', () => {
  // Santiago skips 00:00 to 01:00 on 6 September 2026.
  const start = startOfDate({ year: 2026, month: 9, day: 6 }, 'America/Santiago');
  expect(start.toISOString()).toBe('2026-09-06T04:00:00.000Z');
});

test('a date whose midnight occurs twice starts at the first', () => {
  // The Azores set their clocks from 01:00 of 25 October back to 00:00.
  const start = startOfDate({ year: 2026, month: 10, day: 25 }, 'Atlantic/Azores');
  expect(start.toISOString()).toBe('2026-10-25T00:00:00.000Z');
});

describe('a bucket', () => {
  const now = new Date('2026-11-10T00:00:00Z');

  test('is half-open as a filter, and a branch in an aggregation', () => {
    const [young, older, oldest] = ages([1, 7], now);
    expect(bucketFilter('At', young ?? { from: undefined, to: undefined })).toBe(
      'At ge 2026-11-09T00:00:00.000Z',
    );
    expect(bucketFilter('At', older ?? { from: undefined, to: undefined })).toBe(
      'At ge 2026-11-03T00:00:00.000Z and At lt 2026-11-09T00:00:00.000Z',
    );
    expect(bucketFilter('At', oldest ?? { from: undefined, to: undefined })).toBe(
      'At lt 2026-11-03T00:00:00.000Z',
    );
    expect(bucketIndex('At', ages([1], now))).toBe(
      'case(At ge 2026-11-09T00:00:00.000Z:0,At lt 2026-11-09T00:00:00.000Z:1)',
    );
  });
});
