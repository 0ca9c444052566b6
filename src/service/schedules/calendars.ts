// This file makes the calendars of stored schedules, and keeps them.
import { memoized, perObject } from '../../base/memo.ts';
import { type BusinessCalendar, createCalendar } from '../../calendar/business-calendar.ts';
import { createSchedule, type ScheduleDefinition } from '../../calendar/schedule.ts';
import type { TimeZones } from '../time-zones.ts';

/** A schedule as it is stored: the name of its time zone, windows and holidays. */
export interface StoredSchedule extends ScheduleDefinition {
  readonly zone: string;
}

/** The calendar of a schedule. Calendars are kept, since building a year takes a millisecond. */
export function calendarOf(schedule: StoredSchedule, zones: TimeZones): BusinessCalendar {
  return calendarsOf(zones)(schedule);
}

const calendarsOf = perObject((zones: TimeZones) =>
  perObject((schedule: StoredSchedule) => {
    const { zone, ...definition } = schedule;
    const build = () => createCalendar(createSchedule(definition), zones(zone), ORIGIN);
    return memoized(calendars, JSON.stringify(schedule), build, MAX_CALENDARS);
  }),
);

/** The origin of all positions: 2000-01-01. */
const ORIGIN = 946_684_800_000;

/** Schedules that are in use, and a few that were edited meanwhile. */
const MAX_CALENDARS = 200;

const calendars = new Map<string, BusinessCalendar>();
