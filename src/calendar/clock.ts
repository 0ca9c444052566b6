// This file measures a clock that runs in working time and can be paused: what has passed, when it is due, and when its marks are reached.
// It keeps instants rather than durations, so that another schedule or target measures the same pauses again.
import type { BusinessCalendar } from './business-calendar.ts';
import { type Range, union } from './ranges.ts';

/** A pause that has not ended has no `to`. */
interface Pause {
  readonly from: number;
  readonly to: number | undefined;
}

/** A clock that has not stopped has no `stop`. Pauses can overlap, and begin before the start. */
export interface ClockHistory {
  readonly start: number;
  readonly pauses: readonly Pause[];
  readonly stop: number | undefined;
}

/** The end of an interval that has not ended. */
const OPEN_END = Number.POSITIVE_INFINITY;

/** The intervals in which the clock counts. The last one of a running clock ends at infinity. */
export function countedIntervals({ start, pauses, stop }: ClockHistory): Range[] {
  const counted: Range[] = [];
  let from = start;
  for (const pause of pausedIntervals({ start, pauses, stop })) {
    counted.push({ from, to: pause.from });
    from = pause.to;
  }
  counted.push({ from, to: stop ?? OPEN_END });
  return union(counted);
}

/** The intervals in which the clock pauses, in order. Each is cut at the start and the stop. */
export function pausedIntervals({ start, pauses, stop }: ClockHistory): Range[] {
  const end = stop ?? OPEN_END;
  const cut = pauses.map(({ from, to }) => ({
    from: Math.max(from, start),
    to: Math.min(to ?? OPEN_END, end),
  }));
  return union(cut);
}

/** The working time that the clock has counted up to now. */
export function elapsedTime(calendar: BusinessCalendar, history: ClockHistory, now: number) {
  return countedIntervals(history)
    .filter(({ from }) => from < now)
    .reduce((sum, { from, to }) => sum + calendar.between(from, Math.min(to, now)), 0);
}

/**
 * The first instant at which the clock has counted the target; undefined while it pauses, if it stopped earlier, and without enough open
 * time. A target that has become shorter than the elapsed time is due in the past: where the clock had counted so much.
 */
export function dueAt(calendar: BusinessCalendar, history: ClockHistory, target: number) {
  if (target <= 0) return history.start;
  let rest = target;
  for (const { from, to } of countedIntervals(history)) {
    const due = calendar.add(from, rest);
    if (due === undefined || due <= to) return due;
    rest -= calendar.between(from, to);
  }
  return undefined;
}

/** The instant at which the clock has counted a percentage of the target. */
export function markAt(
  calendar: BusinessCalendar,
  history: ClockHistory,
  target: number,
  percent: number,
): number | undefined {
  return dueAt(calendar, history, Math.ceil((target * percent) / 100));
}
