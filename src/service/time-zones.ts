// This file reads offsets and transitions of time zones from the database of the runtime, and keeps what it has read.
// The package is loaded when a zone is first needed, because loading it takes longer than answering a request.
import { memoized } from '../base/memo.ts';
import type { Segment, TimeZone } from '../calendar/time-zone.ts';

/** Time zones by their name in the IANA database. It must be known to the runtime. */
export type TimeZones = (name: string) => TimeZone;

export async function loadTimeZones(): Promise<TimeZones> {
  const { Temporal } = await import('temporal-polyfill');
  const zones = new Map<string, TimeZone>();
  const readSegment = (name: string, instant: number): Segment => {
    const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
    // The search excludes the instant itself, which may be a transition.
    const from = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
    return {
      from: from?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
      to: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offset: Math.trunc(at.offsetNanoseconds / NANOSECONDS),
    };
  };
  return (name) => memoized(zones, name, () => createZone((at) => readSegment(name, at)));
}

const NANOSECONDS = 1_000_000;
/** Two segments a year; requests can name any year. */
const MAX_SEGMENTS = 500;

/** Reading a segment takes a millisecond, and calculating asks for the same ones again. */
function createZone(readSegment: (instant: number) => Segment): TimeZone {
  let known: Segment[] = [];
  const segmentAt = (instant: number) => {
    const found = known.find(({ from, to }) => from <= instant && instant < to);
    if (found !== undefined) return found;
    const segment = readSegment(instant);
    known = [segment, ...known.slice(0, MAX_SEGMENTS - 1)];
    return segment;
  };
  return {
    offsetAt: (instant) => segmentAt(instant).offset,
    nextTransition: (instant) => {
      const { to } = segmentAt(instant);
      return to === Number.POSITIVE_INFINITY ? undefined : to;
    },
  };
}
