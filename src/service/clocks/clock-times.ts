// This file calculates the elapsed and the remaining time of a clock, and how a row stores them: as positions in the working time of the schedule
// by which the clock runs, or with a constant position for a clock that does not run.
import { elapsedTime } from '../../calendar/clock.ts';
import { PAUSED, STOPPED } from '../../edm/clocks/clock-members.ts';
import { type ClockRecord, countedUntil, isPaused, type Measure } from './clock-state.ts';
import type { ClockSchedule } from './schedule-positions.ts';

/** A clock at an instant. A clock without a deadline has no times. */
export interface MeasuredClock {
  readonly record: ClockRecord;
  readonly given: Measure;
  readonly due: number | undefined;
}

/** Milliseconds. */
export interface ClockTimes {
  readonly elapsed: number | undefined;
  readonly remaining: number | undefined;
}

const NO_TIMES: ClockTimes = { elapsed: undefined, remaining: undefined };

/** A deadline that was set by hand does not move, so that the time until it counts from now or from the end of the clock. */
export function timesOf({ record, given, due }: MeasuredClock): ClockTimes {
  const { calendar, target, manual, start, now } = given;
  if (calendar === undefined || due === undefined) return NO_TIMES;
  const elapsed = elapsedTime(calendar, historyOf(record, start), now);
  if (manual !== undefined)
    return { elapsed, remaining: calendar.between(countedUntil(record, now), manual) };
  return { elapsed, remaining: target === undefined ? undefined : target - elapsed };
}

/** The history of a clock with its pauses, of which the last may be open. */
export function historyOf({ pauses, stop }: Pick<ClockRecord, 'pauses' | 'stop'>, start: number) {
  const closed = pauses.map(([from, to]) => ({ from, to: to ?? undefined }));
  return { start, pauses: closed, stop: stop ?? undefined };
}

/** What a row stores. Nanoseconds; all are null if the clock has no times. */
export interface StoredTimes {
  readonly schedule: bigint | null;
  readonly elapsed: bigint | null;
  readonly remaining: bigint | null;
}

/** Whether the times of the clock change while time passes. */
export function isRunning({ record, given, due }: MeasuredClock): boolean {
  const hasTimes = given.calendar !== undefined && due !== undefined;
  return hasTimes && record.stop === null && !isPaused(record);
}

/** @param schedule that of a running clock */
export function storedTimes(
  clock: MeasuredClock,
  schedule: ClockSchedule | undefined,
): StoredTimes {
  const { elapsed, remaining } = timesOf(clock);
  if (elapsed === undefined) return { schedule: null, elapsed: null, remaining: null };
  const runs = isRunning(clock) ? schedule : undefined;
  const now = runs === undefined ? 0n : runs.positionOf(clock.given.now);
  return {
    schedule: runs?.id ?? (clock.record.stop === null ? PAUSED : STOPPED),
    elapsed: now - nanoseconds(elapsed),
    remaining: remaining === undefined ? null : now + nanoseconds(remaining),
  };
}

/** The times of a clock that has stopped, which never change. */
export function timesOfStopped({ elapsed, remaining }: Omit<StoredTimes, 'schedule'>): ClockTimes {
  return {
    elapsed: elapsed === null ? undefined : milliseconds(-elapsed),
    remaining: remaining === null ? undefined : milliseconds(remaining),
  };
}

const NANOSECONDS = 1_000_000n;

const nanoseconds = (duration: number) => BigInt(duration) * NANOSECONDS;
const milliseconds = (duration: bigint) => Number(duration / NANOSECONDS);
