// This file reads when an event takes place: whole days, or a part of one or more days in local time.
// RFC 5545, "Date-Time Start", "Date-Time End", "Duration".
import { DAY } from '../../calendar/time-zone.ts';
import { type ContentLine, mistakeAt } from './content-lines.ts';

/** How long an event may last, in days. */
const LONGEST = 366;

/** A local time: days since 1970-01-01, and milliseconds since the start of the day; undefined for whole days. */
export interface LocalTime {
  readonly day: number;
  readonly time: number | undefined;
}

/** When an event takes place. */
export interface EventTimes {
  readonly start: LocalTime;
  /** Milliseconds. */
  readonly length: number;
}

/** A day, or the part of it between two times; null for its start and its end. */
export interface DayPart {
  readonly day: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** The days since 1970-01-01 of `20260101`; undefined if there is no such date. */
export function dayIn(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const isDate =
    !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${year}-${month}-${day}`);
  return isDate ? at.getTime() / DAY : undefined;
}

/** The local times of a line such as DTSTART or EXDATE. Throws: holidays.file. */
export function readTimes(line: ContentLine, component: string): readonly LocalTime[] {
  return line.text.split(',').map((text) => {
    const [date = '', time] = text.split('T');
    const day = dayIn(date);
    if (text.endsWith('Z'))
      throw mistake(line, component, `${text} is in UTC, so that its local day is unknown`);
    const found = time === undefined ? undefined : timeIn(time);
    const isDate = line.type === 'date' && time === undefined;
    const isTime = line.type === 'date-time' && found !== undefined;
    if (day === undefined || !(isDate || isTime)) {
      const shape =
        line.type === 'date' ? 'a date such as 20260101' : 'a time such as 20260101T090000';
      throw mistake(line, component, `"${text.slice(0, 40)}" is not ${shape}`);
    }
    return { day, time: found };
  });
}

function timeIn(text: string): number | undefined {
  const [, hour, minute, second] = /^([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)$/.exec(text) ?? [];
  return hour === undefined
    ? undefined
    : ((Number(hour) * 60 + Number(minute)) * 60 + Math.min(Number(second), 59)) * 1000;
}

export interface TimeLines {
  readonly start: ContentLine;
  readonly end: ContentLine | undefined;
  readonly duration: ContentLine | undefined;
}

/** Throws: holidays.file. */
export function readEventTimes({ start, end, duration }: TimeLines, component: string): EventTimes {
  const [from, ...others] = readTimes(start, component);
  if (from === undefined || others.length > 0)
    throw mistake(start, component, 'it has more than one value');
  const length =
    end !== undefined
      ? lengthUntil(from, { start, end }, component)
      : duration !== undefined
        ? durationIn(duration, component)
        : from.time === undefined
          ? DAY
          : 0;
  const line = end ?? duration ?? start;
  if (length <= 0) throw mistake(line, component, 'the event does not end after it starts');
  if (length > LONGEST * DAY)
    throw mistake(line, component, `the event lasts more than ${LONGEST} days`);
  if (from.time === undefined && length % DAY !== 0)
    throw mistake(line, component, 'an event of whole days lasts a number of days');
  return { start: from, length };
}

function lengthUntil(
  from: LocalTime,
  { start, end }: { readonly start: ContentLine; readonly end: ContentLine },
  component: string,
): number {
  const [to] = readTimes(end, component);
  const zones = [start, end].map((line) => line.parameters.get('tzid'));
  if (to === undefined || start.type !== end.type || zones[0] !== zones[1])
    throw mistake(end, component, 'it is not a value of the same kind and time zone as DTSTART');
  return (to.day - from.day) * DAY + (to.time ?? 0) - (from.time ?? 0);
}

/** `P1D`, `P2W`, `PT8H30M`. */
function durationIn(line: ContentLine, component: string): number {
  const shape =
    /^\+?P(?=[\dT])(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/;
  const found = shape.exec(line.text);
  if (found === null) throw mistake(line, component, 'it is not a duration such as P1D or PT8H');
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  return (weeks * 7 + days) * DAY + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** The days, and parts of days, of an event that starts on the day. */
export function partsOf({ start, length }: EventTimes, day: number): readonly DayPart[] {
  const begin = start.time ?? 0;
  const end = begin + length;
  return Array.from({ length: Math.ceil(end / DAY) }, (_, index) => {
    const from = Math.max(0, begin - index * DAY);
    const to = Math.min(DAY, end - index * DAY);
    return { day: day + index, from: from === 0 ? null : from, to: to === DAY ? null : to };
  });
}

function mistake(line: ContentLine, component: string, reason: string) {
  return mistakeAt(line.line, component, `${line.name}: ${reason}`);
}
