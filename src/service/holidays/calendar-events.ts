// This file makes days off of the events of an iCalendar file: the newest version of each event, its occurrences in a period, with those that
// were moved or cancelled. RFC 5545, "Event Component"; RFC 5546, "Sequence Property".
import { Fault } from '../../base/fault.ts';
import { occurrences, type Period } from '../../calendar/recurrence.ts';
import { type Component, type ContentLine, mistakeAt, readComponents } from './content-lines.ts';
import {
  type DayPart,
  type EventTimes,
  partsOf,
  readEventTimes,
  readTimes,
} from './event-times.ts';
import { readRule } from './recurrence-line.ts';

const MOST_CHARACTERS = 1_048_576;
const MOST_EVENTS = 5000;
const MOST_DAYS = 5000;
/** Days that are compared with rules, in all events together. */
const MOST_WORK = 5_000_000;

/** The days of all events with the same UID. */
export interface EventDays {
  readonly uid: string;
  readonly sequence: number;
  readonly days: readonly (DayPart & { readonly name: string | null })[];
}

interface CalendarEvent {
  /** As messages show it. */
  readonly title: string;
  readonly component: Component;
  readonly uid: string;
  readonly sequence: number;
  readonly stamp: string;
  readonly isCancelled: boolean;
  /** The day of the occurrence that it replaces. */
  readonly replaces: number | undefined;
  readonly name: string | null;
  readonly times: EventTimes | undefined;
}

/** The days off in the period. Throws: holidays.file, holidays.too-many. */
export function readHolidays(text: string, period: Period): readonly EventDays[] {
  requireAtMost(text.length, MOST_CHARACTERS, 'characters');
  const events = readComponents(text).filter(({ name }) => name === 'VEVENT');
  requireAtMost(events.length, MOST_EVENTS, 'events');
  const byUid = grouped(events.map(readEvent), ({ uid }) => uid);
  let work = 0;
  const spend = (days: number) => {
    work += days;
    requireAtMost(work, MOST_WORK, 'possible occurrences');
  };
  const found = [...byUid.values()].map((versions) => daysOf(versions, period, spend));
  const total = found.reduce((sum, { days }) => sum + days.length, 0);
  requireAtMost(total, MOST_DAYS, 'days off');
  return found;
}

function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function requireAtMost(count: number, limit: number, things: string): void {
  if (count > limit) throw new Fault('holidays.too-many', { limit, things }, { target: 'Content' });
}

// ---- events ---------------------------------------------------------------------------------------------------------

function readEvent(component: Component): CalendarEvent {
  const summary = linesOf(component, 'SUMMARY')[0]?.values[0];
  const name = summary === undefined || summary === '' ? null : String(summary);
  const title = name === null ? 'VEVENT' : `VEVENT "${name.slice(0, 80)}"`;
  const only = (property: string) => onlyLine(component, title, property);
  const uid = String(only('UID')?.values[0] ?? '');
  if (uid === '' || uid.length > 255)
    throw mistakeAt(component.line, title, 'UID with 1 to 255 characters is missing');
  const replaced = only('RECURRENCE-ID');
  if (replaced?.parameters.has('range'))
    throw mistakeAt(replaced.line, title, 'RECURRENCE-ID: RANGE is not supported');
  const calendars = component.within.flatMap((one) => linesOf(one, 'METHOD'));
  const isCancelled =
    only('STATUS')?.text.toUpperCase() === 'CANCELLED' ||
    calendars.some(({ text }) => text.toUpperCase() === 'CANCEL');
  return {
    title,
    component,
    uid,
    sequence: sequenceOf(only('SEQUENCE'), title),
    stamp: only('LAST-MODIFIED')?.text ?? only('DTSTAMP')?.text ?? '',
    isCancelled,
    replaces: replaced === undefined ? undefined : readTimes(replaced, title)[0]?.day,
    name,
    times: isCancelled ? undefined : timesOf(component, title),
  };
}

function timesOf(component: Component, title: string): EventTimes {
  const [start, end, duration] = ['DTSTART', 'DTEND', 'DURATION'].map((name) =>
    onlyLine(component, title, name),
  );
  if (start === undefined) throw mistakeAt(component.line, title, 'DTSTART is missing');
  return readEventTimes({ start, end, duration }, title);
}

function sequenceOf(line: ContentLine | undefined, title: string): number {
  if (line === undefined) return 0;
  if (/^\d{1,9}$/.test(line.text)) return Number(line.text);
  throw mistakeAt(line.line, title, 'SEQUENCE: it is not a number');
}

const linesOf = ({ lines }: Component, property: string) =>
  lines.filter(({ name }) => name === property);

/** Throws: holidays.file if there are several. */
function onlyLine(component: Component, title: string, property: string): ContentLine | undefined {
  const [line, second] = linesOf(component, property);
  if (second !== undefined) throw mistakeAt(second.line, title, `${property} occurs twice`);
  return line;
}

// ---- days -----------------------------------------------------------------------------------------------------------

function daysOf(
  versions: readonly CalendarEvent[],
  period: Period,
  spend: (days: number) => void,
): EventDays {
  const newest = [...grouped(versions, ({ replaces }) => replaces).values()].map(newestOf);
  const whole = newest.find(({ replaces }) => replaces === undefined);
  const sequence = Math.max(...newest.map((one) => one.sequence));
  const uid = newest[0]?.uid ?? '';
  if (whole?.isCancelled === true) return { uid, sequence, days: [] };
  const replaced = new Set(newest.map(({ replaces }) => replaces));
  const starts = whole === undefined ? [] : startsOf(whole, period, spend);
  const regular = starts.filter((day) => !replaced.has(day)).flatMap((day) => partsAt(whole, day));
  const moved = newest.filter(({ replaces }) => replaces !== undefined);
  const all = [...regular, ...moved.flatMap((one) => partsAt(one, one.times?.start.day ?? 0))];
  const days = all.filter(({ day }) => day >= period.from && day <= period.until);
  return { uid, sequence, days };
}

/** Of several versions the one with the highest sequence, then the latest, then the last one in the file. */
function newestOf(versions: readonly CalendarEvent[]): CalendarEvent {
  return versions.reduce((newest, one) => {
    const isOlder =
      one.sequence < newest.sequence ||
      (one.sequence === newest.sequence && one.stamp < newest.stamp);
    return isOlder ? newest : one;
  });
}

function partsAt(event: CalendarEvent | undefined, day: number): EventDays['days'] {
  if (event?.times === undefined) return [];
  return partsOf(event.times, day).map((part) => ({ ...part, name: event.name }));
}

/** The days on which the event starts. An event that starts before the period may reach into it. */
function startsOf(
  { component, title, times }: CalendarEvent,
  period: Period,
  spend: (days: number) => void,
): readonly number[] {
  const start = times?.start.day ?? 0;
  const rules = linesOf(component, 'RRULE').map((line) => readRule(line, title));
  const reaching = { from: period.from - LONGEST_EVENT, until: period.until };
  const days = new Set(rules.flatMap((rule) => [...occurrences(rule, start, reaching, spend)]));
  if (rules.length === 0) days.add(start);
  for (const line of linesOf(component, 'RDATE'))
    for (const { day } of readTimes(line, title)) days.add(day);
  for (const line of linesOf(component, 'EXDATE'))
    for (const { day } of readTimes(line, title)) days.delete(day);
  return [...days].sort((left, right) => left - right);
}

/** Days. */
const LONGEST_EVENT = 366;
