// This file turns values of cells into texts: numbers with the format of a date into points in time, and escapes into characters.
// ECMA-376, "Number Formats", "Dates in SpreadsheetML", "ST_Xstring".

/** Numbers of built-in formats for dates and times. */
const DATE_FORMATS: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return DATE_FORMATS.some(([from, to]) => id >= from && id <= to);
  // Quoted texts, escaped characters, and colours or locales in brackets are no parts of dates, but elapsed hours are.
  const plain = code.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?![hms]+\])[^\]]*\]/gi, '');
  return /[ymdhs]/i.test(plain.split(';')[0] ?? '');
}

const DAY = 86_400_000;
/** 1970-01-01 as a day of both calendars. */
const EPOCH = { 1900: 25_569, 1904: 24_107 } as const;
const LAST_DAY = 2_958_466;
/** The 29 February 1900 of the calendar of 1900, which has never been: numbers below it mean one day later. */
const LEAP_DAY = 60;

/** 2026-01-31T12:00:00.000Z; undefined if the number is none of the calendar. Numbers below 1 are times. */
export function dateText(value: string, calendar: 1900 | 1904): string | undefined {
  const days = Number(value);
  if (!(days >= 0 && days < LAST_DAY)) return undefined;
  const isEarly = calendar === 1900 && days >= 1 && days < LEAP_DAY + 1;
  if (isEarly && days >= LEAP_DAY) return undefined;
  return new Date(Math.round((days + Number(isEarly) - EPOCH[calendar]) * DAY)).toISOString();
}

/** `_x000D_` is a carriage return. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The index of the column in `AB12`; undefined without one. */
export function columnIndex(place: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(place ?? '') ?? [];
  if (letters === undefined) return undefined;
  let index = 0;
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}
