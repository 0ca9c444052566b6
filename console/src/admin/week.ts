// This file places the windows of a schedule in a week.

/** A window as a schedule contains it: times are `HH:MM:SS`, null for the start or end of the day. */
export interface Window {
  readonly uid: string;
  /** 1 (Monday) to 7; null for every day. */
  readonly weekday: number | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** A part of a day that a window covers. */
export interface Part {
  readonly window: Window;
  /** Minutes since the start of the day. */
  readonly start: number;
  readonly end: number;
}

const DAY = 1440;

function minutes(time: string | null, otherwise: number): number {
  if (time === null) return otherwise;
  const [hours = 0, rest = 0] = time.split(':').map(Number);
  return hours * 60 + rest;
}

/** A time as `HH:MM`. */
export const shortTime = (time: string | null, otherwise: string): string =>
  time?.slice(0, 5) ?? otherwise;

/** The parts of each day, Monday first. A window that ends before it begins continues on the next day. */
export function weekOf(windows: readonly Window[]): readonly (readonly Part[])[] {
  const days: Part[][] = Array.from({ length: 7 }, () => []);
  for (const window of windows) {
    const weekdays = window.weekday === null ? [1, 2, 3, 4, 5, 6, 7] : [window.weekday];
    const start = minutes(window.from, 0);
    const end = minutes(window.to, 0) === 0 ? DAY : minutes(window.to, DAY);
    for (const weekday of weekdays) {
      const today = days[weekday - 1];
      const tomorrow = days[weekday % 7];
      if (end > start) today?.push({ window, start, end });
      else {
        today?.push({ window, start, end: DAY });
        tomorrow?.push({ window, start: 0, end });
      }
    }
  }
  return days.map((parts) => parts.sort((one, other) => one.start - other.start));
}
