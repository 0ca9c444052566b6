// This file formats numbers, times and durations in the language and time zone of the user.
import { durationSeconds } from './duration-seconds.ts';
import { useLanguage } from './text.tsx';

export interface Formats {
  readonly date: (value: string) => string;
  readonly dateTime: (value: string) => string;
  readonly number: (value: string | number) => string;
  /** An ISO 8601 duration, such as `PT1H30M`. */
  readonly duration: (value: string) => string;
  /** A time relative to now, such as "in 2 hours". */
  readonly relative: (milliseconds: number) => string;
}

/** By language. To make a format takes longer than to draw a cell, and each cell needs one. */
const known = new Map<string, Formats>();

export function useFormats(): Formats {
  const language = useLanguage();
  const formats = known.get(language) ?? makeFormats(language);
  known.set(language, formats);
  return formats;
}

/** Formats of a language, in the zone of the browser. */
function makeFormats(language: string): Formats {
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    date: (value) => date.format(new Date(`${value}T00:00:00Z`)),
    dateTime: (value) => dateTime.format(new Date(value)),
    // Decimals and large integers arrive as strings, which Intl formats without rounding.
    number: (value) => number.format(value as Intl.StringNumericLiteral),
    duration: (value) => durationText(language, value),
    relative: (milliseconds) => relativeText(relative, milliseconds),
  };
}

/** Units with their length in seconds, the longest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

function relativeText(format: Intl.RelativeTimeFormat, milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return format.format(Math.round(seconds / length), unit);
}

function durationText(language: string, value: string): string {
  const total = durationSeconds(value);
  if (Number.isNaN(total)) return value;
  let rest = Math.abs(total);
  const parts: string[] = [];
  for (const [unit, length] of UNITS) {
    const count = unit === 'second' ? Math.round(rest) : Math.floor(rest / length);
    rest -= count * length;
    if (count === 0 && !(unit === 'second' && parts.length === 0)) continue;
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' });
    parts.push(format.format(count));
  }
  return `${total < 0 ? '−' : ''}${parts.slice(0, 2).join(' ')}`;
}
