// This file formats the times of the demo data, faster than Date does, and computes the daylight saving time changes in Europe.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Durations are stored in nanoseconds. */
export const HOUR_OF_NANOSECONDS = 3_600_000_000_000;
export const MINUTE_OF_NANOSECONDS = 60_000_000_000;

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const dayTexts = new Map<number, string>();

/** Formats milliseconds since 1970 as `2026-03-27T16:30:00.000Z`. */
export function pointText(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const day = Math.floor(whole / DAY);
  const rest = whole - day * DAY;
  const seconds = Math.floor(rest / SECOND);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const fraction = rest - seconds * SECOND;
  const clock = `${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}`;
  const zeros = fraction < 10 ? '00' : fraction < 100 ? '0' : '';
  return `${dayText(day)}T${clock}.${zeros}${fraction}Z`;
}

/** Formats milliseconds since 1970 as `2026-03-27`. */
export function dateText(milliseconds: number): string {
  return dayText(Math.floor(milliseconds / DAY));
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

function dayText(day: number): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY).toISOString().slice(0, 10);
  dayTexts.set(day, text);
  return text;
}
