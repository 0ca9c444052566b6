// This file defines recurring dates: the rules of iCalendar that days off need. Days are compared with a rule one by one, so that no rule takes
// longer than its period has days.
// RFC 5545, "Recurrence Rule".
import { DAY } from './time-zone.ts';

export const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** A date is a number of days since 1970-01-01. */
export interface RecurrenceRule {
  readonly frequency: (typeof FREQUENCIES)[number];
  readonly interval: number;
  readonly count?: number;
  /** The last date that may occur. */
  readonly until?: number;
  /** 1 to 12; empty if the rule names none. */
  readonly months: readonly number[];
  /** 1 to 31, or negative from the end of the month. */
  readonly monthDays: readonly number[];
  /** 1 (Monday) to 7; the first (1), last (-1) and so on of the month, or of the year in a yearly rule without months. 0: each. */
  readonly weekdays: readonly { readonly weekday: number; readonly ordinal: number }[];
  /** The weekday on which a week starts, which matters with an interval. */
  readonly weekStart: number;
}

export interface Period {
  readonly from: number;
  readonly until: number;
}

/**
 * The dates of the rule within the period. The start counts as the first one, whether it suits the rule or not.
 * @param spend gets the number of days that are compared
 */
export function occurrences(
  rule: RecurrenceRule,
  start: number,
  { from, until }: Period,
  spend: (days: number) => void,
): readonly number[] {
  const last = Math.min(until, rule.until ?? until);
  const first = rule.count === undefined ? Math.max(start + 1, from) : start + 1;
  spend(Math.max(0, last - first));
  const found = [start];
  const parts = partsOf(start);
  for (let day = first; day <= last && found.length < (rule.count ?? Infinity); day += 1)
    if (suits(rule, parts, partsOf(day))) found.push(day);
  return found.filter((day) => day >= from && day <= last);
}

function suits(rule: RecurrenceRule, first: DateParts, own: DateParts): boolean {
  const { months, monthDays, weekdays, frequency } = rule;
  if (months.length > 0 && !months.includes(own.month)) return false;
  if (monthDays.length > 0 && !monthDays.some((one) => isMonthDay(one, own))) return false;
  if (periodsBetween(rule, first, own) % rule.interval !== 0) return false;
  if (weekdays.length > 0 && !weekdays.some((one) => isWeekday(rule, one, own))) return false;
  if (monthDays.length > 0 || weekdays.length > 0 || frequency === 'DAILY') return true;
  if (frequency === 'WEEKLY') return weekdayOf(own.date) === weekdayOf(first.date);
  const isMonth = frequency === 'MONTHLY' || months.length > 0 || own.month === first.month;
  return isMonth && own.day === first.day;
}

/** How many days, weeks, months or years lie between those of the dates. */
function periodsBetween(
  { frequency, weekStart }: RecurrenceRule,
  first: DateParts,
  own: DateParts,
): number {
  const years = own.year - first.year;
  switch (frequency) {
    case 'DAILY':
      return own.date - first.date;
    case 'WEEKLY':
      return (weekOf(own.date, weekStart) - weekOf(first.date, weekStart)) / 7;
    case 'MONTHLY':
      return years * 12 + own.month - first.month;
    default:
      return years;
  }
}

/** The date on which the week of a date starts. */
const weekOf = (day: number, weekStart: number) => day - ((weekdayOf(day) - weekStart + 7) % 7);

function isMonthDay(wanted: number, { day, length }: DateParts): boolean {
  return wanted === (wanted > 0 ? day : day - length - 1);
}

function isWeekday(
  { frequency, months }: RecurrenceRule,
  { weekday, ordinal }: RecurrenceRule['weekdays'][number],
  { date, day, length, year }: DateParts,
): boolean {
  if (weekdayOf(date) !== weekday) return false;
  if (ordinal === 0) return true;
  const isOfYear = frequency === 'YEARLY' && months.length === 0;
  const january = Date.UTC(year, 0, 1) / DAY;
  const place = isOfYear ? date - january + 1 : day;
  const total = isOfYear ? Date.UTC(year + 1, 0, 1) / DAY - january : length;
  return ordinal > 0
    ? Math.ceil(place / 7) === ordinal
    : Math.ceil((total - place + 1) / 7) === -ordinal;
}

interface DateParts {
  readonly date: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Days of the month. */
  readonly length: number;
}

/** With integers, since a rule compares thousands of days. Years of this calculation begin in March, so that a leap day ends them. */
function partsOf(date: number): DateParts {
  const shifted = date + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear =
    dayOfEra - 365 * yearOfEra - Math.floor(yearOfEra / 4) + Math.floor(yearOfEra / 100);
  const index = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * index + 2) / 5) + 1;
  const month = index < 10 ? index + 3 : index - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { date, year, month, day, length: lengthOf(year, month) };
}

function lengthOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (date: number) => ((((date + 3) % 7) + 7) % 7) + 1;
