// This file reads and writes the annotations of schedules in CSDL JSON: `Docket.Schedule` and `Docket.Calculates`. lint/schedules.ts checks
// the names in them.
import {
  objectPart,
  type Part,
  report,
  requiredText,
  textMember,
} from '../csdl/document-reader.ts';
import type { Terms } from '../csdl/terms.ts';
import { definedMembers } from '../defined-members.ts';
import type { Annotations, Json } from '../model.ts';
import type { Calculation } from './clock-rules.ts';
import type { HolidayMembers, ScheduleMembers } from './schedule-members.ts';

const MEMBERS = {
  schedule: ['TimeZone', 'Windows', 'Holidays'],
  windows: ['Rows', 'Weekday', 'From', 'To'],
  holidays: ['Rows', 'Date', 'From', 'To', 'Open', 'Name', 'Source', 'Sequence'],
} as const;

const CALCULATIONS: readonly Calculation[] = [
  'working-time',
  'add-working-time',
  'add-working-days',
  'next-opening',
];

export function writeSchedule({ timeZone, windows, holidays }: ScheduleMembers): Annotations {
  const { rows, weekday, from, to } = windows;
  const record: Record<string, Json> = {
    TimeZone: timeZone,
    Windows: { Rows: rows, Weekday: weekday, From: from, To: to },
  };
  return holidays === undefined ? record : { ...record, Holidays: writeHolidays(holidays) };
}

function writeHolidays({ rows, date, ...optional }: HolidayMembers): Annotations {
  const { from, to, open, name, source, sequence } = optional;
  return {
    Rows: rows,
    Date: date,
    ...definedMembers({
      From: from,
      To: to,
      Open: open,
      Name: name,
      Source: source,
      Sequence: sequence,
    }),
  };
}

/** Reads the members of a schedule; undefined for other types. Mistakes are added to those of the part. */
export function readSchedule(part: Part, terms: Terms): ScheduleMembers | undefined {
  const value = terms.takeRecord('Docket.Schedule');
  if (value === undefined) return undefined;
  const record = knownPart(value, `${part.path}/@Docket.Schedule`, part, MEMBERS.schedule);
  const windows = inner(record, 'Windows', MEMBERS.windows);
  const holidays = 'Holidays' in value ? inner(record, 'Holidays', MEMBERS.holidays) : undefined;
  return {
    timeZone: requiredText(record, 'TimeZone'),
    windows: {
      rows: requiredText(windows, 'Rows'),
      weekday: requiredText(windows, 'Weekday'),
      from: requiredText(windows, 'From'),
      to: requiredText(windows, 'To'),
    },
    ...definedMembers({ holidays: holidays && readHolidays(holidays) }),
  };
}

function readHolidays(part: Part): HolidayMembers {
  const optional = {
    from: textMember(part, 'From'),
    to: textMember(part, 'To'),
    open: textMember(part, 'Open'),
    name: textMember(part, 'Name'),
    source: textMember(part, 'Source'),
    sequence: textMember(part, 'Sequence'),
  };
  return {
    rows: requiredText(part, 'Rows'),
    date: requiredText(part, 'Date'),
    ...definedMembers(optional),
  };
}

function inner(record: Part, name: string, known: readonly string[]): Part {
  const value = record.value[name];
  return knownPart(value ?? {}, `${record.path}/${name}`, record, known);
}

/** The record with only these members. */
function knownPart(
  value: Parameters<typeof objectPart>[0],
  path: string,
  { mistakes }: Part,
  known: readonly string[],
): Part {
  const record = objectPart(value, path, mistakes);
  for (const name of Object.keys(record.value)) {
    if (known.includes(name)) continue;
    report(record, name, `${name} is not allowed here.`, `Use only ${known.join(', ')}.`);
  }
  return record;
}

/** Reads what a function of a schedule calculates. */
export function readCalculation(part: Part, terms: Terms): Calculation | undefined {
  const text = terms.takeText('Docket.Calculates');
  const found = CALCULATIONS.find((name) => name === text);
  if (text !== undefined && found === undefined) {
    const message = `${text} is not a calculation.`;
    report(part, '@Docket.Calculates', message, `Use one of ${CALCULATIONS.join(', ')}.`);
  }
  return found;
}
