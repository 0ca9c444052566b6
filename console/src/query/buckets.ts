// This file divides time into parts, with boundaries in the zone of the person: for groups of charts, and for the lists behind their bars.
// Both use the same boundaries, so that a bar and its list have the same records.

export const UNITS = ['day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** A half-open range; without `from` or `to` it has no such end. */
export interface Bucket {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

const DAY = 86_400_000;

interface LocalDate {
  readonly year: number;
  /** 1 to 12; others belong to years before or after. */
  readonly month: number;
  readonly day: number;
}

/** The date of an instant in a zone. */
function localDate(instant: Date, zone: string): LocalDate {
  const [year, month, day] = localParts(instant, zone);
  return { year: year ?? 0, month: month ?? 0, day: day ?? 0 };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are slow to make. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Year, month, day, hour, minute and second in a zone. */
function localParts(instant: Date, zone: string): readonly number[] {
  const parts = formatOf(zone).formatToParts(instant);
  const values = new Map(parts.map(({ type, value }) => [type, value]));
  return (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map((type) =>
    Number(values.get(type)),
  );
}

/** Milliseconds by which the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(instant: Date, zone: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = localParts(
    instant,
    zone,
  );
  return (
    Date.UTC(year, month - 1, day, hour, minute, second) -
    Math.floor(instant.getTime() / 1000) * 1000
  );
}

/** The first instant of a date in a zone. Where midnight does not exist, the date begins after the gap. */
export function startOfDate({ year, month, day }: LocalDate, zone: string): Date {
  const wall = Date.UTC(year, month - 1, day);
  const before = wall - offsetAt(new Date(wall - DAY), zone);
  const after = wall - offsetAt(new Date(wall + DAY), zone);
  const fits = (time: number) => time + offsetAt(new Date(time), zone) === wall;
  const first = [before, after].filter(fits).sort((one, other) => one - other)[0];
  // In a gap, the offset before it gives the instant at which the clocks change.
  return new Date(first ?? before);
}

function startOfUnit(date: LocalDate, unit: Unit): LocalDate {
  if (unit === 'day') return date;
  if (unit === 'month') return { ...date, day: 1 };
  const weekday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
  return plusDays(date, -((weekday + 6) % 7));
}

function plusDays({ year, month, day }: LocalDate, days: number): LocalDate {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function plusUnits(date: LocalDate, unit: Unit, count: number): LocalDate {
  if (unit === 'month') return plusDays({ ...date, month: date.month + count, day: 1 }, 0);
  return plusDays(date, unit === 'week' ? 7 * count : count);
}

/** The last days, weeks (from Monday) or months, the current one included, the oldest first. */
export function lastUnits(unit: Unit, count: number, now: Date, zone: string): readonly Bucket[] {
  const current = startOfUnit(localDate(now, zone), unit);
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
