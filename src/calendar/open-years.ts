// This file keeps the open hours of each year as instants, with the open time before each, so that times are found by binary search.
// A year is built when it is first needed, in a few milliseconds. The rows of the most recently used years are kept, and the totals of all.
import { intersection, type Range, union } from './ranges.ts';
import type { Schedule } from './schedule.ts';
import { DAY, type Segment, segmentsBetween, type TimeZone } from './time-zone.ts';

/** A year of UTC. */
export interface OpenYear {
  readonly from: number;
  readonly to: number;
  readonly hours: readonly Range[];
  /** The open time of the year before the hours with the same index. */
  readonly before: readonly number[];
  readonly total: number;
}

export interface OpenYears {
  readonly at: (year: number) => OpenYear;
  readonly totalOf: (year: number) => number;
}

/** A clock that runs for years needs few of them at the same time. */
const MAX_YEARS = 16;

export function createOpenYears(schedule: Schedule, zone: TimeZone): OpenYears {
  const recent = new Map<number, OpenYear>();
  const totals = new Map<number, number>();
  const at = (year: number) => {
    const known = recent.get(year);
    const found = known ?? buildYear(schedule, zone, year);
    if (known !== undefined) recent.delete(year);
    else if (recent.size >= MAX_YEARS) recent.delete([...recent.keys()][0] ?? year);
    recent.set(year, found);
    totals.set(year, found.total);
    return found;
  };
  return { at, totalOf: (year) => totals.get(year) ?? at(year).total };
}

export const yearOf = (instant: number) => new Date(instant).getUTCFullYear();

function buildYear(schedule: Schedule, zone: TimeZone, year: number): OpenYear {
  const [from, to] = [startOfYear(year), startOfYear(year + 1)];
  const segments = segmentsBetween(zone, from, to);
  const hours = union(segments.flatMap((segment) => hoursOfSegment(schedule, segment)));
  const before: number[] = [];
  let total = 0;
  for (const range of hours) {
    before.push(total);
    total += range.to - range.from;
  }
  return { from, to, hours, before, total };
}

/** Date.UTC reads the years 0 to 99 as 1900 to 1999. */
function startOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/**
 * Within a segment, local time and UTC differ by a constant. Cutting the local hours there makes a gap contain no time and a repeated
 * hour count twice. To convert the edges of windows instead would move a 02:30 in a gap to 03:30, and lose the half hour in between.
 */
function hoursOfSegment(schedule: Schedule, { from, to, offset }: Segment): Range[] {
  const hours: Range[] = [];
  for (let date = Math.floor((from + offset) / DAY); date * DAY < to + offset; date += 1) {
    const midnight = date * DAY - offset;
    for (const range of schedule.hoursOn(date)) {
      hours.push({ from: midnight + range.from, to: midnight + range.to });
    }
  }
  return intersection(hours, { from, to });
}

/** The open time of the year before an instant. */
export function openTimeBefore({ hours, before, total }: OpenYear, instant: number): number {
  const next = firstIndex(hours.length, (index) => hoursAt(hours, index).to > instant);
  if (next === hours.length) return total;
  return (before[next] ?? 0) + Math.max(0, instant - hoursAt(hours, next).from);
}

/** The first instant of the year at which the given open time has passed; more than none, and at most the total. */
export function instantOfOpenTime({ hours, before }: OpenYear, openTime: number): number {
  const index = firstIndex(hours.length, (next) => (before[next] ?? 0) >= openTime) - 1;
  return hoursAt(hours, index).from + openTime - (before[index] ?? 0);
}

/** The first open instant of the year that is not before the given one. */
export function nextOpenInstant({ hours }: OpenYear, instant: number): number | undefined {
  const next = firstIndex(hours.length, (index) => hoursAt(hours, index).to > instant);
  return next === hours.length ? undefined : Math.max(instant, hoursAt(hours, next).from);
}

function hoursAt(hours: readonly Range[], index: number): Range {
  return hours[index] ?? { from: 0, to: 0 };
}

/** The first index for which a condition holds that holds for all later ones too; the length if it holds for none. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
