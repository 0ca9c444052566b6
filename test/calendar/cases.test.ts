// This file checks the calendar with cases that were computed by hand, with the changes of daylight saving time that they are about.
// Issues of other products are named where their calendars miscalculated such a case.
import { describe, expect, test } from 'vitest';
import {
  type ClockHistory,
  countedIntervals,
  dueAt,
  elapsedTime,
  markAt,
  pausedIntervals,
} from '../../src/calendar/clock.ts';
import { createSchedule, findEmptyEntry } from '../../src/calendar/schedule.ts';
import { calendarOf, type Described, definitionOf, HOUR, shown, utc } from './desk.ts';

const S = { windows: 'Mon-Fri 08-18' };
const G = { windows: 'Mon-Sun 00-00' };
const D = { windows: 'Mon-Fri 09-17' };
const NIGHT = { windows: 'Mon-Sun 22-06' };
const HOWE = { windows: 'Sun 00-04', zone: 'Australia/Lord_Howe' };
const EASTER = ['2026-04-03', '2026-04-06'];
const REPUBLIC_DAY = ['2026-01-26'];
const inZone = (schedule: Described, zone: string) => ({ ...schedule, zone });

type Case = [
  number: number,
  title: string,
  schedule: Described,
  start: string,
  hours: number,
  end: string,
  pauses?: readonly (readonly [string, string])[],
];

const CASES: readonly Case[] = [
  [1, 'over the spring change', S, '2026-03-27 15:30', 10, '2026-03-30 14:30'],
  [
    2,
    'over the spring change with a pause (frappe/helpdesk#2449: counted in wall time)',
    S,
    '2026-03-27 15:30',
    10,
    '2026-03-31 06:30',
    [['2026-03-30 08:00', '2026-03-30 10:00']],
  ],
  [3, 'starts on Saturday', S, '2026-03-28 09:00', 8, '2026-03-30 14:00'],
  [
    4,
    'starts on Saturday before a holiday',
    { ...S, holidays: ['2026-04-06'] },
    '2026-04-04 08:00',
    8,
    '2026-04-07 14:00',
  ],
  [5, '24×7 through the gap', G, '2026-03-28 22:00', 8, '2026-03-29 06:00'],
  [
    6,
    '24×7 from the second 02:30 (lennym/moment-business-time#58: stalls in the repeated hour)',
    G,
    '2026-10-25 01:30',
    1,
    '2026-10-25 02:30',
  ],
  [7, 'a short night of 7 hours', NIGHT, '2026-03-28 21:00', 8, '2026-03-29 21:00'],
  [8, 'a long night of 9 hours', NIGHT, '2026-10-24 20:00', 9, '2026-10-25 05:00'],
  [
    9,
    'a window that begins in the gap',
    { windows: 'Sun 02:30-06' },
    '2026-03-28 23:00',
    3,
    '2026-03-29 04:00',
  ],
  [
    10,
    'a window that begins in the repeated hour',
    { windows: 'Sun 02:30-06' },
    '2026-10-24 22:00',
    4,
    '2026-10-25 05:00',
  ],
  [
    11,
    'a window that ends in the repeated hour',
    { windows: 'Sun 01-02:30' },
    '2026-10-24 22:00',
    2,
    '2026-10-25 01:30',
  ],
  [
    12,
    'New York in spring',
    inZone(D, 'America/New_York'),
    '2026-03-06 21:00',
    8,
    '2026-03-09 20:00',
  ],
  [
    13,
    'New York in autumn',
    inZone(D, 'America/New_York'),
    '2026-10-30 20:00',
    8,
    '2026-11-02 21:00',
  ],
  [
    14,
    'Kolkata over a holiday',
    { windows: 'Mon-Sat 09:30-18:30', zone: 'Asia/Kolkata', holidays: REPUBLIC_DAY },
    '2026-01-24 11:30',
    10,
    '2026-01-27 12:30',
  ],
  [
    15,
    'a holiday closes the part of a night window on its own date',
    { windows: 'Mon-Fri 18-03', zone: 'Asia/Kolkata', holidays: REPUBLIC_DAY },
    '2026-01-23 14:30',
    12,
    '2026-01-27 14:30',
  ],
  [
    16,
    'a change of half an hour',
    inZone(D, 'Australia/Lord_Howe'),
    '2026-10-02 05:30',
    2,
    '2026-10-04 23:00',
  ],
  [17, 'a gap of half an hour', HOWE, '2026-10-03 13:30', 3.5, '2026-10-03 17:00'],
  [18, 'an overlap of half an hour', HOWE, '2026-04-04 13:00', 4.5, '2026-04-04 17:30'],
  [
    19,
    'a date that does not exist (bryntum/support#10421: a day without midnight)',
    inZone(D, 'Pacific/Apia'),
    '2011-12-30 02:00',
    2,
    '2012-01-01 20:00',
  ],
  [
    20,
    'Apia from Friday to Monday',
    inZone(D, 'Pacific/Apia'),
    '2026-11-20 03:30',
    1,
    '2026-11-22 20:30',
  ],
  [
    21,
    'Casablanca, into Ramadan',
    inZone(D, 'Africa/Casablanca'),
    '2026-02-13 15:00',
    2,
    '2026-02-16 10:00',
  ],
  [
    22,
    'Casablanca, out of Ramadan',
    inZone(D, 'Africa/Casablanca'),
    '2026-03-20 16:00',
    2,
    '2026-03-23 09:00',
  ],
  [
    23,
    'a day that starts at 01:00',
    { windows: 'Fri 00-08', zone: 'Africa/Cairo' },
    '2026-04-23 21:00',
    7,
    '2026-04-24 05:00',
  ],
  [
    24,
    'a lunch break',
    { windows: 'Mon-Fri 08-12 13-17' },
    '2026-06-01 09:30',
    1,
    '2026-06-01 11:30',
  ],
  [
    25,
    'a pause overnight counts 2 hours',
    S,
    '2026-06-01 07:00',
    10,
    '2026-06-02 09:00',
    [['2026-06-01 15:00', '2026-06-02 07:00']],
  ],
  [
    26,
    'a pause outside hours counts nothing',
    S,
    '2026-06-05 14:00',
    4,
    '2026-06-08 08:00',
    [['2026-06-05 16:30', '2026-06-08 05:30']],
  ],
  [
    27,
    'a pause over the autumn change',
    S,
    '2026-10-23 13:00',
    8,
    '2026-10-26 16:00',
    [['2026-10-23 14:00', '2026-10-26 09:00']],
  ],
  [
    28,
    'a target of 30 hours with a pause',
    S,
    '2026-06-01 07:00',
    30,
    '2026-06-04 08:00',
    [['2026-06-01 08:00', '2026-06-01 09:00']],
  ],
  [
    29,
    'another target keeps start and pause (glpi-project/glpi#6902: the pause is lost)',
    S,
    '2026-06-01 07:00',
    10,
    '2026-06-02 08:00',
    [['2026-06-01 08:00', '2026-06-01 09:00']],
  ],
  [
    30,
    'a target that has passed already is due in the past',
    S,
    '2026-06-01 07:00',
    8,
    '2026-06-01 15:00',
  ],
  [
    31,
    'resolved and reopened',
    S,
    '2026-06-01 07:00',
    10,
    '2026-06-03 11:00',
    [['2026-06-01 14:00', '2026-06-03 08:00']],
  ],
  [32, 'ends exactly at closing', S, '2026-06-01 06:00', 10, '2026-06-01 16:00'],
  [33, 'starts exactly at closing', S, '2026-06-01 16:00', 1, '2026-06-02 07:00'],
  [34, 'half a minute before closing', S, '2026-06-05 15:59:30', 1 / 60, '2026-06-08 06:00:30'],
  [35, 'the zone of the schedule counts', S, '2026-06-05 22:00', 1, '2026-06-08 07:00'],
  [
    36,
    '80 hours with three holidays',
    { ...D, holidays: [...EASTER, '2026-04-27'] },
    '2026-03-27 15:00',
    80,
    '2026-04-14 14:00',
  ],
  [
    38,
    'a shorter target is due in the intervals that counted',
    S,
    '2026-06-01 07:00',
    0.5,
    '2026-06-01 07:30',
    [['2026-06-01 08:00', '2026-06-01 09:00']],
  ],
];

const WITHOUT_PAUSE: readonly Case[] = CASES.filter((one) => one[6] === undefined);

const historyOf = (start: string, pauses: Case[6] = []): ClockHistory => ({
  start: utc(start),
  pauses: pauses.map(([from, to]) => ({ from: utc(from), to: utc(to) })),
  stop: undefined,
});

describe('a target is due', () => {
  test.each(CASES)('case %i: %s', (_, __, schedule, start, hours, end, pauses) => {
    const calendar = calendarOf(schedule);
    const history = historyOf(start, pauses);
    expect(shown(dueAt(calendar, history, hours * HOUR))).toBe(shown(utc(end)));
    expect(elapsedTime(calendar, history, utc(end))).toBe(hours * HOUR);
  });

  test.each(WITHOUT_PAUSE)(
    'by positions, too: case %i: %s',
    (_, __, schedule, start, hours, end) => {
      const calendar = calendarOf(schedule);
      const position = calendar.positionOf(utc(start)) + hours * HOUR;
      expect(calendar.positionOf(utc(end))).toBe(position);
      expect(shown(calendar.instantAt(position))).toBe(shown(utc(end)));
      expect(shown(calendar.add(utc(start), hours * HOUR))).toBe(shown(utc(end)));
    },
  );

  test('case 1: marks', () => {
    const marks = [50, 75, 100].map((percent) =>
      shown(markAt(calendarOf(S), historyOf('2026-03-27 15:30'), 10 * HOUR, percent)),
    );
    expect(marks).toEqual(
      ['2026-03-30 09:30', '2026-03-30 12:00', '2026-03-30 14:30'].map(utc).map(shown),
    );
  });
});

describe('working days', () => {
  const schedule = { ...S, holidays: EASTER };
  test.each([
    ['case 37: five over Easter', schedule, '2026-03-27 15:30', 5, '2026-04-07 14:30'],
    ['none', schedule, '2026-03-27 15:30', 0, '2026-03-27 15:30'],
    ['from Saturday', schedule, '2026-03-28 09:00', 1, '2026-03-30 08:00'],
    ['to a time in the gap', G, '2026-03-28 01:30', 1, '2026-03-29 01:00'],
    ['to the end of the repeated hour', G, '2026-10-24 01:00', 1, '2026-10-25 02:00'],
    ['to a repeated time, the first', G, '2026-10-24 00:30', 1, '2026-10-25 00:30'],
    [
      'over a date that does not exist',
      inZone(G, 'Pacific/Apia'),
      '2011-12-30 02:00',
      1,
      '2011-12-31 02:00',
    ],
    [
      'not to a date whose hours are in the gap',
      { windows: 'Sun 02-03, Mon 02-03' },
      '2026-03-28 11:00',
      1,
      '2026-03-30 10:00',
    ],
  ])('%s', (_, described, start, days, end) => {
    const calendar = calendarOf(described);
    expect(shown(calendar.addWorkingDays(utc(start), days))).toBe(shown(utc(end)));
  });

  test('a holiday with open hours is a working day, a part-day holiday stays one', () => {
    const calendar = calendarOf({
      ...S,
      holidays: ['2026-06-02', '+2026-06-02 10-11', '2026-06-03 12-00'],
    });
    expect(shown(calendar.addWorkingDays(utc('2026-06-01 07:00'), 2))).toBe(
      shown(utc('2026-06-03 07:00')),
    );
  });
});

describe('open time between', () => {
  test.each([
    ['a night with a gap', { windows: 'Sun 01-04' }, '2026-03-28 12:00', '2026-03-29 12:00', 2],
    [
      'a night with a repeated hour',
      { windows: 'Sun 01-04' },
      '2026-10-24 12:00',
      '2026-10-25 12:00',
      4,
    ],
    [
      'a day of 23.5 hours',
      inZone(G, 'Australia/Lord_Howe'),
      '2026-10-03 13:30',
      '2026-10-04 13:00',
      23.5,
    ],
    [
      'a day of 25 hours',
      inZone(G, 'Africa/Casablanca'),
      '2026-02-14 23:00',
      '2026-02-16 00:00',
      25,
    ],
    [
      'a day of 23 hours',
      inZone(G, 'Africa/Casablanca'),
      '2026-03-22 00:00',
      '2026-03-22 23:00',
      23,
    ],
    ['a week of six days', inZone(D, 'Pacific/Apia'), '2011-12-26 10:00', '2012-01-01 10:00', 32],
    [
      '24×7 over midnight (zammad/zammad#3180: a minute is lost)',
      G,
      '2026-06-01 12:00',
      '2026-06-03 12:00',
      48,
    ],
    [
      'a window to midnight (zammad/zammad#2497: a loop)',
      { windows: 'Mon-Fri 09-00' },
      '2026-06-01 00:00',
      '2026-06-02 00:00',
      15,
    ],
    [
      'overlapping windows',
      { windows: 'Mon 08-12 10-14 14-15' },
      '2026-06-01 00:00',
      '2026-06-02 00:00',
      7,
    ],
    [
      'a part-day holiday',
      { ...S, holidays: ['2026-06-01 12-00'] },
      '2026-06-01 00:00',
      '2026-06-02 00:00',
      4,
    ],
    [
      'a holiday in the middle',
      { ...S, holidays: ['2026-06-01 12-13'] },
      '2026-06-01 00:00',
      '2026-06-02 00:00',
      9,
    ],
    [
      'opened hours',
      { ...S, holidays: ['2026-06-07', '+2026-06-07 10-14'] },
      '2026-06-06 00:00',
      '2026-06-08 00:00',
      4,
    ],
    [
      'opened hours beside open ones',
      { ...S, holidays: ['+2026-06-01 17-20'] },
      '2026-06-01 00:00',
      '2026-06-02 00:00',
      12,
    ],
    [
      'no windows (zammad/zammad#1396: the request fails)',
      { windows: '' },
      '2026-01-01 00:00',
      '2027-01-01 00:00',
      0,
    ],
    ['several years', D, '2024-01-01 00:00', '2027-01-01 00:00', 8 * 784],
  ])('%s', (_, schedule, from, to, hours) => {
    const calendar = calendarOf(schedule);
    expect(calendar.between(utc(from), utc(to))).toBe(hours * HOUR);
    expect(calendar.between(utc(to), utc(from)) + hours * HOUR).toBe(0);
  });
});

describe('the next opening', () => {
  test.each([
    ['of an open schedule', S, '2026-06-01 07:00', '2026-06-01 07:00'],
    ['at closing', S, '2026-06-01 16:00', '2026-06-02 06:00'],
    [
      'on the day the clocks go back (Intrepidd/working_hours#26)',
      { windows: 'Sun 09-17' },
      '2026-10-24 22:30',
      '2026-10-25 08:00',
    ],
    ['at a time in the gap', { windows: 'Sun 02:30-06' }, '2026-03-28 12:00', '2026-03-29 01:00'],
    ['in the next year', S, '2026-12-31 18:00', '2027-01-01 07:00'],
  ])('%s', (_, schedule, from, to) => {
    expect(shown(calendarOf(schedule).nextOpen(utc(from)))).toBe(shown(utc(to)));
  });
});

test('a day of duration is 24 open hours, not a working day (glpi-project/glpi#10594, #14937)', () => {
  const calendar = calendarOf(S);
  const start = utc('2026-06-01 07:00');
  expect(shown(calendar.add(start, 24 * HOUR))).toBe(shown(utc('2026-06-03 11:00')));
  expect(shown(calendar.addWorkingDays(start, 1))).toBe(shown(utc('2026-06-02 07:00')));
});

test('more years than are kept give the same results again', () => {
  const calendar = calendarOf({ ...S, holidays: EASTER });
  const years = Array.from({ length: 40 }, (_, index) => utc(`${2000 + index}-06-01 12:00`));
  const [first = 0, last = 0] = [years[0], years.at(-1)];
  const parts = years.slice(1).map((year, index) => calendar.between(years[index] ?? 0, year));
  expect(calendar.between(first, last)).toBe(parts.reduce((sum, part) => sum + part, 0));
  const positions = years.map(calendar.positionOf);
  const instants = positions.map((position) => calendar.instantAt(position) ?? 0);
  expect(instants.map(calendar.positionOf)).toEqual(positions);
  expect(years.map(calendar.positionOf)).toEqual(positions);
});

describe('without enough open time', () => {
  const dates = Array.from({ length: 5000 }, (_, day) =>
    shown(utc('2026-01-01 00:00') + day * 24 * HOUR),
  );
  const closed = { ...S, holidays: dates.map((date) => String(date).slice(0, 10)) };
  test.each([
    ['no windows', { windows: '' }],
    ['a holiday on every day', closed],
  ])('%s', (_, schedule) => {
    const calendar = calendarOf(schedule);
    const start = utc('2026-06-01 07:00');
    expect(calendar.add(start, 1)).toBeUndefined();
    expect(calendar.nextOpen(start)).toBeUndefined();
    expect(calendar.addWorkingDays(start, 1)).toBeUndefined();
    expect(dueAt(calendar, historyOf('2026-06-01 07:00'), HOUR)).toBeUndefined();
  });

  test('more open time than ten years have', () => {
    const calendar = calendarOf({ windows: 'Mon 00-01' });
    expect(calendar.add(utc('2026-06-01 00:00'), 600 * HOUR)).toBeUndefined();
    expect(calendar.add(utc('2026-06-01 00:00'), 500 * HOUR)).toBeDefined();
  });
});

describe('entries that contain no time', () => {
  test.each([
    [
      'a window from 09:00 to 09:00',
      { windows: 'Mon 08-09, Tue 09-09' },
      { list: 'windows', index: 1 },
    ],
    [
      'a part of a day from 12:00 to 12:00',
      { ...S, holidays: ['2026-06-01 12-12'] },
      { list: 'holidays', index: 0 },
    ],
    [
      'a part of a day over midnight',
      { ...S, holidays: ['2026-06-01 12-11'] },
      { list: 'holidays', index: 0 },
    ],
  ])('%s', (_, described, found) => {
    const definition = definitionOf(described);
    expect(findEmptyEntry(definition)).toEqual(found);
    expect(() => createSchedule(definition)).toThrow(
      `${found.list}[${found.index}] contains no time`,
    );
  });

  test('but not a whole day', () => {
    expect(findEmptyEntry(definitionOf({ ...G, holidays: ['2026-06-01'] }))).toBeUndefined();
  });
});

describe('a clock', () => {
  const calendar = calendarOf(S);
  const start = utc('2026-06-01 07:00');
  const at = (time: string) => utc(`2026-06-01 ${time}`);

  test('with a target of zero is due at its start', () => {
    expect(dueAt(calendar, historyOf('2026-06-06 07:00'), 0)).toBe(utc('2026-06-06 07:00'));
  });

  test('ignores what a pause covers before the start', () => {
    const history = { start, pauses: [{ from: start - HOUR, to: start + HOUR }], stop: undefined };
    expect(elapsedTime(calendar, history, at('10:00'))).toBe(2 * HOUR);
    expect(dueAt(calendar, history, HOUR)).toBe(at('09:00'));
  });

  test('that starts after now has counted nothing', () => {
    expect(elapsedTime(calendar, { start, pauses: [], stop: undefined }, start - HOUR)).toBe(0);
  });

  test('counts two pauses within a second exactly', () => {
    const pauses = [
      { from: start + 100, to: start + 300 },
      { from: start + 500, to: start + 501 },
      { from: start + 200, to: start + 250 },
    ];
    expect(elapsedTime(calendar, { start, pauses, stop: undefined }, start + 1000)).toBe(799);
    expect(dueAt(calendar, { start, pauses, stop: undefined }, 799)).toBe(start + 1000);
  });

  test('has intervals that count and intervals that pause', () => {
    const pauses = [
      { from: at('08:00'), to: at('09:00') },
      { from: at('10:00'), to: at('10:00') },
      { from: start - HOUR, to: at('07:30') },
    ];
    const history = { start, pauses, stop: undefined };
    expect(pausedIntervals(history)).toEqual([
      { from: start, to: at('07:30') },
      { from: at('08:00'), to: at('09:00') },
    ]);
    expect(countedIntervals(history)).toEqual([
      { from: at('07:30'), to: at('08:00') },
      { from: at('09:00'), to: Number.POSITIVE_INFINITY },
    ]);
    expect(countedIntervals({ ...history, stop: at('08:30') })).toEqual([
      { from: at('07:30'), to: at('08:00') },
    ]);
  });

  test('that is paused has no due instant (glpi-project/glpi#24481: breach while pending)', () => {
    const history = { start, pauses: [{ from: at('09:00'), to: undefined }], stop: undefined };
    expect(dueAt(calendar, history, 3 * HOUR)).toBeUndefined();
    expect(elapsedTime(calendar, history, at('15:00'))).toBe(2 * HOUR);
    expect(dueAt(calendar, history, HOUR)).toBe(at('08:00'));
  });

  test('stops while it pauses (frappe/helpdesk#3776: the pause is ignored)', () => {
    const history = { start, pauses: [{ from: at('09:00'), to: undefined }], stop: at('12:00') };
    expect(elapsedTime(calendar, history, at('15:00'))).toBe(2 * HOUR);
    expect(dueAt(calendar, history, 2 * HOUR)).toBe(at('09:00'));
    expect(dueAt(calendar, history, 2 * HOUR + 1)).toBeUndefined();
  });
});
