// This file reads and writes dates, points in time, times of day and durations in canonical form, without loss of precision. Points in
// time are in UTC; the calendar is proleptic Gregorian, from year 0001 to 9999.
// Lexical forms: OData ABNF, rules dateValue, dateTimeOffsetValue, timeOfDayValue, durationValue.
import { expected, found, type ReadResult } from './read-result.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?$/;
const POINT = /^([+-]?\d{4,}-\d\d-\d\d)T([^Z+-]*)(Z|[+-]\d\d:\d\d)?$/i;
const DURATION = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$/;

const MINUTES_PER_DAY = 1440;
const NANOSECONDS = { day: 86_400_000_000_000n, hour: 3_600_000_000_000n, minute: 60_000_000_000n };
const SECOND = 1_000_000_000n;
const LONGEST = 2n ** 63n - 1n;

/** `2026-01-31`. */
export function readDate(text: string): ReadResult<string> {
  return dayNumber(text) === undefined
    ? expected('a date of the years 0001 to 9999, such as 2026-01-31')
    : found(text);
}

/** `08:30:00.5` becomes `08:30:00.500` for three digits. Reads up to twelve and truncates the excess. */
export function readTimeOfDay(text: string, digits: number): ReadResult<string> {
  const time = timeParts(text);
  if (time === undefined) return expected('a time of day such as 08:30:00');
  return found(`${clock(time.minutes)}:${time.seconds}${fixFraction(time.fraction, digits)}`);
}

/** `2026-01-31T13:00+01:00` becomes `2026-01-31T12:00:00.000Z` for three digits. Reads up to twelve and truncates the excess. */
export function readPointInTime(text: string, digits: number): ReadResult<string> {
  const [, date = '', timeText = '', offset] = POINT.exec(text) ?? [];
  const day = dayNumber(date);
  const time = timeParts(timeText);
  if (day === undefined || time === undefined) {
    return expected('a point in time of the years 0001 to 9999, such as 2026-01-31T12:00:00Z');
  }
  const shift = offset === undefined ? undefined : offsetMinutes(offset);
  if (shift === undefined) {
    return expected(
      `a point in time with Z or an offset at its end, such as ${text.slice(0, 40)}Z`,
    );
  }
  const utc = shiftToUtc(day, time.minutes - shift);
  return utc === undefined
    ? expected('a point in time of the years 0001 to 9999 in UTC')
    : found(`${utc}:${time.seconds}${fixFraction(time.fraction, digits)}Z`);
}

/** Reads `-P1DT2H3M4.5S` as nanoseconds. */
export function readDuration(text: string, digits: number): ReadResult<bigint> {
  const match = DURATION.exec(text);
  if (match === null || !/\d[DHMS]$/.test(text)) return expected('a duration such as P1DT2H30M');
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const places = Math.min(digits, 9);
  const excess = fraction.slice(places).replace(/0+$/, '');
  if (excess !== '') return expected(`at most ${places} digits after the seconds`);
  const nanoseconds =
    BigInt(days) * NANOSECONDS.day +
    BigInt(hours) * NANOSECONDS.hour +
    BigInt(minutes) * NANOSECONDS.minute +
    BigInt(seconds) * SECOND +
    BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  if (nanoseconds > LONGEST) return expected('a duration of at most 106751 days');
  return found(sign === undefined ? nanoseconds : -nanoseconds);
}

/** The shortest text of a duration, `PT0S` for zero. */
export function writeDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (size % SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  const date = part(size / NANOSECONDS.day, 'D');
  const hours = part((size % NANOSECONDS.day) / NANOSECONDS.hour, 'H');
  const minutes = part((size % NANOSECONDS.hour) / NANOSECONDS.minute, 'M');
  const whole = (size % NANOSECONDS.minute) / SECOND;
  const seconds = fraction === '' ? part(whole, 'S') : `${whole}.${fraction}S`;
  const time = hours + minutes + seconds;
  if (date === '' && time === '') return 'PT0S';
  return `${nanoseconds < 0n ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}`;
}

export interface FittedFraction {
  readonly value: string;
  /** False if digits were truncated; the value is then the next smaller one that fits. */
  readonly exact: boolean;
}

/**
 * Converts a canonical point in time or time of day to that many fraction digits, for comparison with stored values.
 * If digits were truncated, `x lt v` is `x le value`, `x ge v` is `x gt value`, and `x eq v` is false.
 */
export function fitFraction(canonical: string, digits: number): FittedFraction {
  const zone = canonical.endsWith('Z') ? 'Z' : '';
  const [whole = '', fraction = ''] = canonical.slice(0, canonical.length - zone.length).split('.');
  const kept = fraction.slice(0, digits).padEnd(digits, '0');
  const exact = !/[1-9]/.test(fraction.slice(digits));
  return { value: `${whole}${kept === '' ? '' : `.${kept}`}${zone}`, exact };
}

/** The canonical point in time or time of day without zeros at the end of its fraction: `08:30:00.500` as `08:30:00.5`. */
export function shortestFraction(canonical: string): string {
  return canonical.replace(/\.(\d*?)0*(Z?)$/, (_, digits: string, zone: string) =>
    digits === '' ? zone : `.${digits}${zone}`,
  );
}

/** Days since 0001-01-01 (day 0); undefined if the text is not a date. */
export function dayNumber(date: string): number | undefined {
  const match = DATE.exec(date);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    return undefined;
  }
  let days = daysBeforeYear(year) + day - 1;
  for (let earlier = 1; earlier < month; earlier++) days += daysInMonth(year, earlier);
  return days;
}

/** The date that many days after 0001-01-01; undefined outside the years 0001 to 9999. */
export function dateOfDay(days: number): string | undefined {
  if (days < 0 || days >= daysBeforeYear(10_000)) return undefined;
  let year = Math.floor(days / 365.2425) + 1;
  while (daysBeforeYear(year) > days) year--;
  while (daysBeforeYear(year + 1) <= days) year++;
  let rest = days - daysBeforeYear(year);
  let month = 1;
  while (rest >= daysInMonth(year, month)) {
    rest -= daysInMonth(year, month);
    month++;
  }
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(rest + 1, 2)}`;
}

function daysBeforeYear(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

interface TimeParts {
  /** Minutes since midnight. */
  readonly minutes: number;
  readonly seconds: string;
  readonly fraction: string;
}

/** Also undefined for a leap second, which no canonical form can distinguish from the following second. */
function timeParts(text: string): TimeParts | undefined {
  const [whole, hours, minutes, seconds = '00', fraction = ''] = TIME.exec(text) ?? [];
  if (whole === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    return undefined;
  }
  return { minutes: Number(hours) * 60 + Number(minutes), seconds, fraction };
}

/** `.500`, or empty for zero digits. */
function fixFraction(fraction: string, digits: number): string {
  return digits === 0 ? '' : `.${fraction.slice(0, digits).padEnd(digits, '0')}`;
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function shiftToUtc(day: number, minutes: number): string | undefined {
  const days = Math.floor(minutes / MINUTES_PER_DAY);
  const date = dateOfDay(day + days);
  return date === undefined ? undefined : `${date}T${clock(minutes - days * MINUTES_PER_DAY)}`;
}

function clock(minutes: number): string {
  return `${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

function part(count: bigint, letter: string): string {
  return count === 0n ? '' : `${count}${letter}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
