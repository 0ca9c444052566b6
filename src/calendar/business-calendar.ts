// This file calculates with working time: the time in which a schedule is open in its time zone. All results are exact to the millisecond.
import {
  createOpenYears,
  instantOfOpenTime,
  nextOpenInstant,
  type OpenYears,
  openTimeBefore,
  yearOf,
} from './open-years.ts';
import { intersection } from './ranges.ts';
import type { Schedule } from './schedule.ts';
import { DAY, instantOfLocalTime, localDate, segmentsAround, type TimeZone } from './time-zone.ts';

/** Instants are milliseconds since 1970-01-01T00:00:00Z. Undefined: the schedule does not open for long enough in the next 10 years. */
export interface BusinessCalendar {
  /** The open time between two instants, negative if the second is earlier. */
  readonly between: (from: number, to: number) => number;
  /** The first instant at which the duration has passed. It is the end of a window rather than the start of the next. */
  readonly add: (instant: number, duration: number) => number | undefined;
  /** The instant itself if the schedule is open then. */
  readonly nextOpen: (instant: number) => number | undefined;
  /** The same local time on the n-th following local date with open time. */
  readonly addWorkingDays: (instant: number, days: number) => number | undefined;
  /** F(t): the open time since the origin of the calendar, negative before it. Positions can be compared and subtracted. */
  readonly positionOf: (instant: number) => number;
  /** G(p): the first instant with the position. */
  readonly instantAt: (position: number) => number | undefined;
}

interface Parts {
  readonly schedule: Schedule;
  readonly zone: TimeZone;
  readonly years: OpenYears;
}

/** A schedule that is open so rarely has a mistake, such as holidays on all its days. */
const MAX_YEARS_AHEAD = 10;
/** Positions may be older than what is still calculated with. */
const MAX_YEARS_FROM_ORIGIN = 100;

export function createCalendar(
  schedule: Schedule,
  zone: TimeZone,
  origin: number,
): BusinessCalendar {
  const parts = { schedule, zone, years: createOpenYears(schedule, zone) };
  return {
    between: (from, to) => between(parts.years, from, to),
    add: (instant, duration) =>
      duration > 0 ? locate(parts.years, instant, duration, MAX_YEARS_AHEAD) : instant,
    nextOpen: (instant) => nextOpen(parts.years, instant),
    addWorkingDays: (instant, days) => addWorkingDays(parts, instant, days),
    positionOf: (instant) => between(parts.years, origin, instant),
    instantAt: (position) => locate(parts.years, origin, position, MAX_YEARS_FROM_ORIGIN),
  };
}

function between(years: OpenYears, from: number, to: number): number {
  const [first, last] = [yearOf(from), yearOf(to)];
  const passed = openTimeBefore(years.at(last), to) - openTimeBefore(years.at(first), from);
  let whole = 0;
  for (let year = Math.min(first, last); year < Math.max(first, last); year += 1) {
    whole += years.totalOf(year);
  }
  return passed + (last < first ? -whole : whole);
}

/** The first instant that the open time separates from the given one, which is searched in at most so many years. */
function locate(years: OpenYears, instant: number, openTime: number, maxYears: number) {
  const start = yearOf(instant);
  let year = start;
  let rest = openTime + openTimeBefore(years.at(year), instant);
  while (rest > years.totalOf(year) && year < start + maxYears) {
    rest -= years.totalOf(year);
    year += 1;
  }
  while (rest <= 0 && year > start - maxYears) {
    year -= 1;
    rest += years.totalOf(year);
  }
  const isFound = rest > 0 && rest <= years.totalOf(year);
  return isFound ? instantOfOpenTime(years.at(year), rest) : undefined;
}

function nextOpen(years: OpenYears, instant: number): number | undefined {
  const start = yearOf(instant);
  for (let year = start; year <= start + MAX_YEARS_AHEAD; year += 1) {
    const found = nextOpenInstant(years.at(year), instant);
    if (found !== undefined) return found;
  }
  return undefined;
}

function addWorkingDays(parts: Parts, instant: number, days: number): number | undefined {
  if (days <= 0) return instant;
  const today = localDate(parts.zone, instant);
  let rest = days;
  for (let date = today + 1; date <= today + MAX_YEARS_AHEAD * 366; date += 1) {
    if (isWorkingDay(parts, date)) rest -= 1;
    if (rest === 0) return sameLocalTime(parts.zone, instant, date);
  }
  return undefined;
}

/** Hours that a gap skips do not make a working day, nor do those of a date that the zone skips. */
function isWorkingDay({ schedule, zone }: Pick<Parts, 'schedule' | 'zone'>, date: number): boolean {
  const hours = schedule.hoursOn(date);
  if (hours.length === 0) return false;
  return segmentsAround(zone, date).some(({ from, to, offset }) => {
    const midnight = date * DAY - offset;
    return intersection(hours, { from: from - midnight, to: to - midnight }).length > 0;
  });
}

function sameLocalTime(zone: TimeZone, instant: number, date: number): number {
  const timeOfDay = instant + zone.offsetAt(instant) - localDate(zone, instant) * DAY;
  return instantOfLocalTime(zone, date * DAY + timeOfDay);
}
