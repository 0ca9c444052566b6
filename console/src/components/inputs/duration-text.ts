// This file reads and writes durations as people type them: `1d 2h 30m`, `1:30`, `90m`, or ISO 8601.
import { durationSeconds } from '../../i18n/duration-seconds.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** The ISO 8601 duration that a text means; undefined if it is none. */
export function parseDuration(text: string): string | undefined {
  const compact = text.trim().toLowerCase().replace('−', '-');
  const isNegative = compact.startsWith('-');
  const unsigned = isNegative ? compact.slice(1).trim() : compact;
  const seconds = isoSeconds(unsigned) ?? clockSeconds(unsigned) ?? unitSeconds(unsigned);
  return seconds === undefined ? undefined : isoDuration(isNegative ? -seconds : seconds);
}

function isoSeconds(text: string): number | undefined {
  if (!/^p.*\d/.test(text)) return undefined;
  const seconds = durationSeconds(text.toUpperCase());
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** `1:30` is an hour and a half, `0:05:10` five minutes and ten seconds. */
function clockSeconds(text: string): number | undefined {
  const match = /^(\d+):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?$/.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes, seconds = '0'] = match;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
}

function unitSeconds(text: string): number | undefined {
  // Longer words of four languages: Tage, jours, uur, Stunden, heures, minuten, secondes.
  const pattern =
    /(\d+(?:[.,]\d+)?)\s*(d(?:ays?|agen|ag)?|tage?|jours?|j|h(?:ours?|eures?)?|uur|u|st(?:d|unden?)?|m(?:in(?:ut(?:en?|es?))?)?|s(?:ec(?:on(?:ds?|des?|den?))?|ek(?:unden?)?)?)(?![a-z])/g;
  const rest = text.replace(pattern, '').replace(/[\s,]+/g, '');
  const parts = [...text.matchAll(pattern)];
  if (rest !== '' || parts.length === 0) return undefined;
  return parts.reduce((sum, [, number = '0', unit = '']) => {
    return sum + Number(number.replace(',', '.')) * (UNIT_SECONDS[unitOf(unit)] ?? Number.NaN);
  }, 0);
}

function unitOf(word: string): string {
  if (/^(?:d|t|j)/.test(word)) return 'd';
  if (/^(?:h|u|st)/.test(word)) return 'h';
  return word.startsWith('m') ? 'm' : 's';
}

function partsOf(seconds: number): readonly (readonly [string, number])[] {
  // Milliseconds are kept; binary fractions are not.
  let rest = Math.round(Math.abs(seconds) * 1000) / 1000;
  return Object.entries(UNIT_SECONDS).flatMap(([unit, length]) => {
    const count = unit === 's' ? Math.round(rest * 1000) / 1000 : Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [[unit, count] as const];
  });
}

function isoDuration(seconds: number): string {
  const parts = partsOf(seconds).map(([unit, count]) => `${count}${unit.toUpperCase()}`);
  const days = parts.filter((part) => part.endsWith('D'));
  const time = parts.filter((part) => !part.endsWith('D'));
  if (parts.length === 0) return 'PT0S';
  return `${seconds < 0 ? '-' : ''}P${days.join('')}${time.length === 0 ? '' : `T${time.join('')}`}`;
}

/** A duration as people type it: `1d 2h 30m`; a text that is none stays as it is. */
export function durationInput(value: string): string {
  const seconds = durationSeconds(value);
  if (Number.isNaN(seconds)) return value;
  const parts = partsOf(seconds).map(([unit, count]) => `${count}${unit}`);
  return `${seconds < 0 ? '-' : ''}${parts.length === 0 ? '0m' : parts.join(' ')}`;
}
