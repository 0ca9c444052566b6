// This file reads the rule of an RRULE line. Rules that days off do not need, such as those with hours or positions, are mistakes: to expand them
// in another way than the calendar of its author would move days off.
// RFC 5545, "Recurrence Rule".
import { FREQUENCIES, type RecurrenceRule } from '../../calendar/recurrence.ts';
import { type ContentLine, mistakeAt } from './content-lines.ts';
import { dayIn } from './event-times.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const PARTS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYMONTH', 'BYMONTHDAY', 'BYDAY', 'WKST'];
/** The days of each month in a leap year. */
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Throws: holidays.file. */
export function readRule(line: ContentLine, component: string): RecurrenceRule {
  return new RuleReader(line, component).rule();
}

class RuleReader {
  readonly #line: ContentLine;
  readonly #component: string;
  readonly #parts: ReadonlyMap<string, string>;

  constructor(line: ContentLine, component: string) {
    this.#line = line;
    this.#component = component;
    const parts = line.text.split(';').map((part) => part.split('=') as [string, ...string[]]);
    this.#parts = new Map(parts.map(([name, ...value]) => [name.toUpperCase(), value.join('=')]));
  }

  rule(): RecurrenceRule {
    const unknown = [...this.#parts.keys()].find((name) => !PARTS.includes(name));
    if (unknown !== undefined)
      throw this.#mistake(`${unknown} is not supported; use ${PARTS.join(', ')}, or list the days`);
    const name = this.#parts.get('FREQ')?.toUpperCase();
    const frequency = FREQUENCIES.find((one) => one === name);
    if (frequency === undefined)
      throw this.#mistake(`FREQ must be one of ${FREQUENCIES.join(', ')}`);
    const [count] = this.#numbers('COUNT', 1, 100_000);
    const until = this.#until();
    const rule = {
      frequency,
      interval: this.#numbers('INTERVAL', 1, 1000)[0] ?? 1,
      ...(count === undefined ? {} : { count }),
      ...(until === undefined ? {} : { until }),
      months: this.#numbers('BYMONTH', 1, 12),
      monthDays: this.#numbers('BYMONTHDAY', -31, 31),
      weekdays: this.#weekdays(),
      weekStart: this.#weekStart(),
    };
    this.#requireSense(rule);
    return rule;
  }

  /** Combinations that the RFC forbids, and dates that no year has. */
  #requireSense({ frequency, count, until, months, monthDays, weekdays }: RecurrenceRule): void {
    const hasOrdinal = weekdays.some(({ ordinal }) => ordinal !== 0);
    const isShort = frequency === 'DAILY' || frequency === 'WEEKLY';
    if (count !== undefined && until !== undefined)
      throw this.#mistake('COUNT and UNTIL exclude each other');
    if (hasOrdinal && isShort)
      throw this.#mistake('numbers in BYDAY need FREQ=MONTHLY or FREQ=YEARLY');
    if (frequency === 'WEEKLY' && monthDays.length > 0)
      throw this.#mistake('BYMONTHDAY is not allowed with FREQ=WEEKLY');
    const longest = Math.max(...months.map((month) => LENGTHS[month - 1] ?? 0));
    const isPossible = monthDays.some((day) => Math.abs(day) <= longest);
    if (months.length > 0 && monthDays.length > 0 && !isPossible)
      throw this.#mistake('no year has such a day');
  }

  #until(): number | undefined {
    const text = this.#parts.get('UNTIL');
    if (text === undefined) return undefined;
    const day = dayIn(text.replace(/T\d{6}Z?$/, ''));
    if (day === undefined) throw this.#mistake(`UNTIL=${text} is not a date`);
    return day;
  }

  #weekStart(): number {
    const text = this.#parts.get('WKST') ?? 'MO';
    const index = WEEKDAYS.indexOf(text.toUpperCase());
    if (index < 0) throw this.#mistake(`WKST must be one of ${WEEKDAYS.join(', ')}`);
    return index + 1;
  }

  #weekdays(): RecurrenceRule['weekdays'] {
    return this.#items('BYDAY').map((item) => {
      const [, ordinal = '', name = ''] = /^([+-]?\d{0,2})([A-Z]{2})$/i.exec(item) ?? [];
      const weekday = WEEKDAYS.indexOf(name.toUpperCase()) + 1;
      const isWhole = /\d/.test(ordinal) || ordinal === '';
      if (weekday === 0 || !isWhole || Math.abs(Number(ordinal)) > 53)
        throw this.#mistake(`BYDAY=${item} is not a weekday such as MO, 4TH or -1FR`);
      return { weekday, ordinal: Number(ordinal) };
    });
  }

  #numbers(name: string, least: number, most: number): readonly number[] {
    return this.#items(name).map((item) => {
      const number = /^[+-]?\d{1,6}$/.test(item) ? Number(item) : 0;
      if (number === 0 || number < least || number > most)
        throw this.#mistake(
          `${name}=${item} is not a number from ${least} to ${most} other than 0`,
        );
      return number;
    });
  }

  #items(name: string): readonly string[] {
    const text = this.#parts.get(name);
    return text === undefined ? [] : text.split(',');
  }

  #mistake(reason: string) {
    return mistakeAt(this.#line.line, this.#component, `RRULE: ${reason.slice(0, 300)}`);
  }
}
