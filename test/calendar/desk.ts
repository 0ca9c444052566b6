// This file offers schedules and times to the tests of the calendar, written as people write them.
import { type BusinessCalendar, createCalendar } from '../../src/calendar/business-calendar.ts';
import type { Holiday, ScheduleDefinition, WeeklyWindow } from '../../src/calendar/schedule.ts';
import { createSchedule } from '../../src/calendar/schedule.ts';
import { loadTimeZones, type TimeZones } from '../../src/service/time-zones.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const zones: TimeZones = await loadTimeZones();

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** `2026-03-27 15:30` in UTC. */
export const utc = (text: string): number => {
  const instant = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(instant)) throw new Error(`${text} is not a time`);
  return instant;
};

export const shown = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();

const timeOfDay = (text: string) => {
  const [hours = '', minutes = '0'] = text.split(':');
  return Number(hours) * HOUR + Number(minutes) * MINUTE;
};

/** `Mon-Fri 08-18`, `Sun 02:30-06` or `Mon-Fri 08-12 13-17`; several separated by commas. */
function windows(text: string): WeeklyWindow[] {
  return text.split(', ').flatMap((part) => {
    const [days = '', ...hours] = part.split(' ');
    const [first = '', last = first] = days.split('-');
    const weekdays = WEEKDAYS.slice(WEEKDAYS.indexOf(first), WEEKDAYS.indexOf(last) + 1);
    if (weekdays.length === 0) throw new Error(`${part} has no weekday`);
    return weekdays.flatMap((day) => hours.map((range) => windowOf(day, range)));
  });
}

function windowOf(day: string, range: string): WeeklyWindow {
  const [from = '', to = ''] = range.split('-');
  return { weekday: WEEKDAYS.indexOf(day) + 1, from: timeOfDay(from), to: timeOfDay(to) };
}

const dateOf = (text: string): number => utc(`${text} 00:00`) / (24 * HOUR);

/** `2026-04-06`, or a part of the day as `2026-12-24 12-24`; `+` before it opens the hours. */
function holiday(text: string): Holiday {
  const [date = '', range] = text.replace('+', '').split(' ');
  const [from, to] = range === undefined ? [] : range.split('-').map(timeOfDay);
  return { date: dateOf(date), from: from ?? null, to: to ?? null, opens: text.startsWith('+') };
}

export interface Described {
  readonly windows: string;
  readonly zone?: string;
  readonly holidays?: readonly string[];
}

export function definitionOf({ windows: text, holidays = [] }: Described): ScheduleDefinition {
  return { windows: text === '' ? [] : windows(text), holidays: holidays.map(holiday) };
}

export function calendarOf(described: Described): BusinessCalendar {
  const zone = zones(described.zone ?? 'Europe/Amsterdam');
  return createCalendar(createSchedule(definitionOf(described)), zone, utc('2026-01-01 00:00'));
}
