// This file provides the units and the format of the times in the demo data, and the daylight saving time changes in Europe.

const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Durations are stored in nanoseconds. */
export const HOUR_OF_NANOSECONDS = 3_600_000_000_000;
export const MINUTE_OF_NANOSECONDS = 60_000_000_000;

/** Formats milliseconds since 1970 as `2026-03-27T16:30:00.000Z`. The dates are kept, because millions of times lie on a few hundred days. */
export function pointText(milliseconds: number): string {
  const instant = Math.floor(milliseconds);
  const day = Math.floor(instant / DAY);
  const time = instant - day * DAY;
  const minutes = Math.floor(time / MINUTE);
  const left = time - minutes * MINUTE;
  const seconds = Math.floor(left / SECOND);
  const fraction = String(left - seconds * SECOND).padStart(3, '0');
  const hours = Math.floor(minutes / 60);
  return `${dateText(day)}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds]}.${fraction}Z`;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

const dates = new Map<number, string>();

function dateText(day: number): string {
  const text = dates.get(day) ?? new Date(day * DAY).toISOString().slice(0, 10);
  dates.set(day, text);
  return text;
}

/**
 * Times around daylight saving time changes in the European Union, in the year of the given time and the previous one: each change,
 * and the times one millisecond before, 30 minutes before and 30 minutes after it.
 */
export function clockChanges(now: number): readonly [number, ...number[]] {
  const year = new Date(now).getUTCFullYear();
  const changes = [year - 1, year].flatMap((each) => [lastSunday(each, 2), lastSunday(each, 9)]);
  const times = changes.flatMap((change) => [
    change - 1,
    change,
    change - 30 * MINUTE,
    change + 30 * MINUTE,
  ]);
  return [lastSunday(year, 2), ...times];
}

/** 01:00 UTC on the last Sunday of a month; January is 0. */
function lastSunday(year: number, month: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0));
  return Date.UTC(year, month, lastDay.getUTCDate() - lastDay.getUTCDay(), 1);
}
