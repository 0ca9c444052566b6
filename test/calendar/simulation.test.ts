// This file compares the calendar with a simulation that looks at the clock on the wall in each minute. The simulation shares no code with
// the calendar: it reads local times from Intl, and decides by the definition of an open instant.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCalendar } from '../../src/calendar/business-calendar.ts';
import { type ClockHistory, dueAt, elapsedTime } from '../../src/calendar/clock.ts';
import {
  createSchedule,
  findEmptyEntry,
  type Holiday,
  type ScheduleDefinition,
  type WeeklyWindow,
} from '../../src/calendar/schedule.ts';
import { sampleSize } from '../sample-size.ts';
import { MINUTE, shown, utc, zones } from './desk.ts';

const DAY_MINUTES = 1440;
/** What is simulated: eight days hold a whole week and any change of the clocks in it. */
const DAYS = 8;

/** Zones with a time at which their clocks change, and one that never does. */
const CHANGES = [
  ['Europe/Amsterdam', '2026-03-29 01:00'],
  ['Europe/Amsterdam', '2026-10-25 01:00'],
  ['America/New_York', '2026-03-08 07:00'],
  ['America/St_Johns', '2026-11-01 04:30'],
  ['Australia/Lord_Howe', '2026-04-04 15:00'],
  ['Australia/Lord_Howe', '2026-10-03 15:30'],
  ['Africa/Casablanca', '2026-02-15 02:00'],
  ['Africa/Cairo', '2026-04-23 22:00'],
  ['Africa/Cairo', '2026-10-29 21:00'],
  ['America/Santiago', '2026-09-06 04:00'],
  ['Pacific/Apia', '2011-12-30 10:00'],
  ['Asia/Kathmandu', '2026-01-01 00:00'],
] as const;

interface Wall {
  readonly date: number;
  readonly weekday: number;
  readonly minute: number;
}

/** The local time of each minute, as Intl shows it. */
function wallClock(zone: string, start: number): Wall[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return Array.from({ length: DAYS * DAY_MINUTES }, (_, index) => {
    const [day, month, year, hour, minute] = (
      format.format(start + index * MINUTE).match(/\d+/g) ?? []
    ).map(Number) as [number, number, number, number, number];
    const midnight = new Date(Date.UTC(year, month - 1, day));
    return {
      date: midnight.getTime() / (DAY_MINUTES * MINUTE),
      weekday: midnight.getUTCDay() || 7,
      minute: hour * 60 + minute,
    };
  });
}

/** A window of today that has begun, or one of yesterday that has not ended; holidays decide for themselves. */
function isOpen({ windows, holidays }: ScheduleDefinition, { date, weekday, minute }: Wall) {
  const time = minute * MINUTE;
  const today = holidays.filter((holiday) => holiday.date === date);
  const covering = today.filter(
    ({ from, to }) => (from ?? 0) <= time && (to === null || to === 0 || time < to),
  );
  if (covering.some(({ opens }) => opens)) return true;
  if (covering.length > 0) return false;
  return windows.some((window) => {
    const endsToday = window.to !== null && window.to !== 0 && window.to > window.from;
    const endsAtMidnight = window.to === null || window.to === 0;
    if (window.weekday === weekday && time >= window.from) {
      return endsAtMidnight || !endsToday || time < (window.to ?? 0);
    }
    const isNextDay = (window.weekday % 7) + 1 === weekday;
    return isNextDay && !endsToday && !endsAtMidnight && time < (window.to ?? 0);
  });
}

const timeOfDay = fc.integer({ min: 0, max: 47 }).map((half) => half * 30 * MINUTE);
const end = fc.option(timeOfDay);
const window: fc.Arbitrary<WeeklyWindow> = fc.record({
  weekday: fc.integer({ min: 1, max: 7 }),
  from: timeOfDay,
  to: end,
});
const holidayNear = (start: number): fc.Arbitrary<Holiday> =>
  fc.record({
    date: fc
      .integer({ min: 0, max: DAYS })
      .map((day) => Math.floor(start / (DAY_MINUTES * MINUTE)) + day),
    from: fc.option(timeOfDay),
    to: end,
    opens: fc.boolean(),
  });

const minuteOf = fc.integer({ min: 0, max: DAYS * DAY_MINUTES - 1 });
const pauses = fc.array(fc.tuple(minuteOf, fc.integer({ min: 0, max: DAY_MINUTES })), {
  maxLength: 4,
});

const situation = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: 0, max: (DAYS - 1) * DAY_MINUTES }))
  .chain(([[zone, change], before]) => {
    const start = utc(change) - before * MINUTE;
    return fc.record({
      zone: fc.constant(zone),
      start: fc.constant(start),
      windows: fc.array(window, { minLength: 1, maxLength: 6 }),
      holidays: fc.array(holidayNear(start), { maxLength: 3 }),
      first: minuteOf,
      last: minuteOf,
      target: fc.integer({ min: 1, max: 3000 }),
      pauses,
    });
  })
  .filter((one) => findEmptyEntry(one) === undefined);

test('the calendar agrees with a simulation of every minute', () => {
  let due = 0;
  fc.assert(
    fc.property(
      situation,
      ({ zone, start, first, last, target, pauses: paused, ...definition }) => {
        const open = wallClock(zone, start).map((wall) => isOpen(definition, wall));
        const calendar = createCalendar(
          createSchedule(definition),
          zones(zone),
          utc('2026-01-01 00:00'),
        );
        const at = (minute: number) => start + minute * MINUTE;
        const openBetween = (from: number, to: number) =>
          open.slice(from, to).filter(Boolean).length;
        const [from, to] = [Math.min(first, last), Math.max(first, last)];

        expect(calendar.between(at(from), at(to))).toBe(openBetween(from, to) * MINUTE);
        const opening = open.indexOf(true, from);
        if (opening >= 0) expect(shown(calendar.nextOpen(at(from)))).toBe(shown(at(opening)));

        const history: ClockHistory = {
          start: at(from),
          pauses: paused.map(([begin, length]) => ({ from: at(begin), to: at(begin + length) })),
          stop: undefined,
        };
        const isPaused = (minute: number) =>
          paused.some(([begin, length]) => begin <= minute && minute < begin + length);
        const counted = open.map(
          (isOpenMinute, minute) => minute >= from && isOpenMinute && !isPaused(minute),
        );
        const countedUntil = (minute: number) => counted.slice(0, minute).filter(Boolean).length;
        expect(elapsedTime(calendar, history, at(to))).toBe(countedUntil(to) * MINUTE);

        const minutes = counted.flatMap((isCounted, minute) => (isCounted ? [minute] : []));
        const reached = minutes[target - 1];
        if (reached === undefined) return;
        due += 1;
        expect(shown(dueAt(calendar, history, target * MINUTE))).toBe(shown(at(reached + 1)));
        const position = calendar.positionOf(at(from));
        expect(calendar.positionOf(at(to)) - position).toBe(openBetween(from, to) * MINUTE);
      },
    ),
    { numRuns: sampleSize(60, 300) },
  );
  expect(due).toBeGreaterThan(10);
});

test('adding a duration and measuring it are inverse', () => {
  fc.assert(
    fc.property(
      situation,
      fc.integer({ min: 1, max: 10 ** 10 }),
      ({ zone, start, ...definition }, duration) => {
        const calendar = createCalendar(
          createSchedule(definition),
          zones(zone),
          utc('2026-01-01 00:00'),
        );
        const end = calendar.add(start, duration);
        if (end === undefined) return;
        expect(calendar.between(start, end)).toBe(duration);
        expect(calendar.between(start, end - 1)).toBe(duration - 1);
        expect(calendar.instantAt(calendar.positionOf(start) + duration)).toBe(end);
      },
    ),
    { numRuns: sampleSize(100, 2000) },
  );
});
