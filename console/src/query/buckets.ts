// This file divides time into parts, with boundaries in the zone of the person: for groups of charts, and for the lists behind their bars.
// Both use the same boundaries, so that a bar and its list have the same records.
import { DAY, instantsAt, localMilliseconds, offsetAt } from '../components/inputs/local-time.ts';

export const UNITS = ['day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** A half-open range; without `from` or `to` it has no such end. */
export interface Bucket {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

interface LocalDate {
  readonly year: number;
  /** 1 to 12; others belong to years before or after. */
  readonly month: number;
  readonly day: number;
}

function dateOf(milliseconds: number): LocalDate {
  const date = new Date(milliseconds);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The first instant of a date in a zone. Where midnight does not exist, the date begins after the gap. */
export function startOfDate({ year, month, day }: LocalDate, zone: string): Date {
  const midnight = Date.UTC(year, month - 1, day);
  // In a gap, the offset before it gives the instant at which the clocks change.
  return new Date(instantsAt(midnight, zone)[0] ?? midnight - offsetAt(midnight - DAY, zone));
}

function startOfUnit(date: LocalDate, unit: Unit): LocalDate {
  if (unit === 'day') return date;
  if (unit === 'month') return { ...date, day: 1 };
  const weekday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
  return plusDays(date, -((weekday + 6) % 7));
}

function plusDays({ year, month, day }: LocalDate, days: number): LocalDate {
  return dateOf(Date.UTC(year, month - 1, day + days));
}

function plusUnits(date: LocalDate, unit: Unit, count: number): LocalDate {
  if (unit === 'month') return plusDays({ ...date, month: date.month + count, day: 1 }, 0);
  return plusDays(date, unit === 'week' ? 7 * count : count);
}

/** The last days, weeks (from Monday) or months, the current one included, the oldest first. */
export function lastUnits(unit: Unit, count: number, now: Date, zone: string): readonly Bucket[] {
  const current = startOfUnit(dateOf(localMilliseconds(now.getTime(), zone)), unit);
  const starts = Array.from({ length: count + 1 }, (_, index) =>
    startOfDate(plusUnits(current, unit, index - count + 1), zone),
  );
  return starts.slice(0, count).map((from, index) => ({ from, to: starts[index + 1] }));
}

/** Ages in days: `[1, 7]` is younger than a day, younger than a week, and older. The youngest first. */
export function ages(limits: readonly number[], now: Date): readonly Bucket[] {
  const times = limits.map((days) => new Date(now.getTime() - days * DAY));
  return [undefined, ...times].map((to, index) => ({ from: times[index], to }));
}

/** A condition that is true for the instants of a bucket. */
export function bucketFilter(path: string, { from, to }: Bucket): string {
  const conditions = [
    ...(from === undefined ? [] : [`${path} ge ${from.toISOString()}`]),
    ...(to === undefined ? [] : [`${path} lt ${to.toISOString()}`]),
  ];
  return conditions.length === 0 ? `${path} ne null` : conditions.join(' and ');
}

/** An expression with the index of the bucket that a time belongs to; null for times outside of all. */
export function bucketIndex(path: string, buckets: readonly Bucket[]): string {
  const branches = buckets.map((bucket, index) => `${bucketFilter(path, bucket)}:${index}`);
  return `case(${branches.join(',')})`;
}

/** What a bucket of a unit is called. */
export function bucketLabel({ from }: Bucket, unit: Unit, language: string, zone: string): string {
  const options: Intl.DateTimeFormatOptions =
    unit === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(from);
}
