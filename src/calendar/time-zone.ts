// This file splits the time line of a zone into segments of constant offset from UTC. It converts local times to instants with them.

/** What the calendar needs to know of a time zone. Times are milliseconds since 1970-01-01T00:00:00Z, offsets milliseconds east of UTC. */
export interface TimeZone {
  readonly offsetAt: (instant: number) => number;
  /** The first instant after the given one at which the offset changes. */
  readonly nextTransition: (instant: number) => number | undefined;
}

/** Instants from `from` up to `to`, which is not included. Local time is the instant plus the offset. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

export const DAY = 86_400_000;

/** The segments between two instants, cut at both. */
export function segmentsBetween(zone: TimeZone, from: number, to: number): Segment[] {
  const segments: Segment[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(zone.nextTransition(start) ?? to, to);
    segments.push({ from: start, to: end, offset: zone.offsetAt(start) });
    start = end;
  }
  return segments;
}

/** The segments in which a local date can lie. No offset exceeds a day. */
export function segmentsAround(zone: TimeZone, date: number): Segment[] {
  return segmentsBetween(zone, (date - 1) * DAY, (date + 2) * DAY);
}

/** The local date of an instant, as the number of days since 1970-01-01. */
export function localDate(zone: TimeZone, instant: number): number {
  return Math.floor((instant + zone.offsetAt(instant)) / DAY);
}

/** The first instant at which a clock in the zone shows the local time. A local time that a gap skips gives the end of the gap. */
export function instantOfLocalTime(zone: TimeZone, local: number): number {
  const segments = segmentsAround(zone, Math.floor(local / DAY));
  const segment = segments.find(({ to, offset }) => local - offset < to);
  return segment === undefined ? local : Math.max(segment.from, local - segment.offset);
}
