// This file defines schedules: weekly windows and holidays. It computes the open hours of a local date from them.

import { difference, type Range, union } from './ranges.ts';
import { DAY } from './time-zone.ts';

/** Times are milliseconds since the start of the day. `to` null or 0 is the end of the day; a `to` before `from` is on the next day. */
export interface WeeklyWindow {
  /** 1 (Monday) to 7 (Sunday): the day on which the window begins. */
  readonly weekday: number;
  readonly from: number;
  readonly to: number | null;
}

/** Closes a local date, or the part between two times of the day. If it `opens`, it adds these hours instead. */
export interface Holiday {
  /** Days since 1970-01-01. */
  readonly date: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly opens: boolean;
}

export interface ScheduleDefinition {
  readonly windows: readonly WeeklyWindow[];
  readonly holidays: readonly Holiday[];
}

/** An entry that contains no time, by its index. */
export interface EmptyEntry {
  readonly list: 'windows' | 'holidays';
  readonly index: number;
}

/** Open hours of local dates, as milliseconds since the start of the day. */
export interface Schedule {
  readonly hoursOn: (date: number) => readonly Range[];
}

/** The first entry that contains no time: such a window or part of a day is a mistake, and must not be stored or used. */
export function findEmptyEntry({ windows, holidays }: ScheduleDefinition): EmptyEntry | undefined {
  const window = windows.findIndex(({ from, to }) => from === to && from !== 0);
  if (window >= 0) return { list: 'windows', index: window };
  const holiday = holidays.map(rangeOfHoliday).findIndex(({ from, to }) => from >= to);
  return holiday >= 0 ? { list: 'holidays', index: holiday } : undefined;
}

/** A schedule without empty entries. */
export function createSchedule(definition: ScheduleDefinition): Schedule {
  const empty = findEmptyEntry(definition);
  if (empty !== undefined) throw new RangeError(`${empty.list}[${empty.index}] contains no time`);
  const week = hoursOfWeek(definition.windows);
  const holidays = holidaysByDate(definition.holidays);
  return {
    hoursOn: (date) => {
      const hours = week[weekdayOf(date) - 1] ?? [];
      const entries = holidays.get(date);
      return entries === undefined ? hours : hoursOfHoliday(hours, entries);
    },
  };
}

function holidaysByDate(holidays: readonly Holiday[]): Map<number, Holiday[]> {
  const byDate = new Map<number, Holiday[]>();
  for (const holiday of holidays) {
    const others = byDate.get(holiday.date);
    if (others === undefined) byDate.set(holiday.date, [holiday]);
    else others.push(holiday);
  }
  return byDate;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (date: number) => ((((date + 3) % 7) + 7) % 7) + 1;

/** The open hours of Monday to Sunday. Windows over midnight are split, so that a holiday closes only the part on its own date. */
function hoursOfWeek(windows: readonly WeeklyWindow[]): Range[][] {
  const parts = windows.flatMap(partsOfWindow);
  const weekdays = [1, 2, 3, 4, 5, 6, 7];
  return weekdays.map((day) =>
    union(parts.filter(({ weekday }) => weekday === day).map(({ range }) => range)),
  );
}

function partsOfWindow({ weekday, from, to }: WeeklyWindow) {
  const end = endOfDayIfOmitted(to);
  if (from < end) return [{ weekday, range: { from, to: end } }];
  const nextDay = (weekday % 7) + 1;
  return [
    { weekday, range: { from, to: DAY } },
    { weekday: nextDay, range: { from: 0, to: end } },
  ];
}

/** Hours that an entry opens are open even where another entry closes them. */
function hoursOfHoliday(hours: readonly Range[], entries: readonly Holiday[]): Range[] {
  const closed = entries.filter(({ opens }) => !opens).map(rangeOfHoliday);
  const opened = entries.filter(({ opens }) => opens).map(rangeOfHoliday);
  return union([...difference(hours, closed), ...opened]);
}

function rangeOfHoliday({ from, to }: Holiday): Range {
  return { from: from ?? 0, to: endOfDayIfOmitted(to) };
}

const endOfDayIfOmitted = (to: number | null) => (to === null || to === 0 ? DAY : to);
