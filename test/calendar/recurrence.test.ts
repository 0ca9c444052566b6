// This file compares the dates of recurrence rules with the calendar of the runtime, and with examples of RFC 5545.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FREQUENCIES, occurrences, type RecurrenceRule } from '../../src/calendar/recurrence.ts';

const DAY = 86_400_000;
const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY;
const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
const PLAIN = { interval: 1, months: [], monthDays: [], weekdays: [], weekStart: 1 } as const;

function datesOf(rule: RecurrenceRule, start: string, from: string, until: string): string[] {
  const period = { from: dayOf(from), until: dayOf(until) };
  return occurrences(rule, dayOf(start), period, () => undefined).map(dateOf);
}

it('a rule without other parts keeps the day of its start', () => {
  const days = fc.integer({ min: -100_000, max: 200_000 });
  const property = fc.property(days, fc.constantFrom(...FREQUENCIES), (start, frequency) => {
    const until = start + 800;
    const expected = new Set<number>();
    for (let day = start; day <= until; day += 1) {
      const [own, first] = [new Date(day * DAY), new Date(start * DAY)];
      const isDay = own.getUTCDate() === first.getUTCDate();
      const isMonth = own.getUTCMonth() === first.getUTCMonth();
      const suits = {
        DAILY: true,
        WEEKLY: own.getUTCDay() === first.getUTCDay(),
        MONTHLY: isDay,
        YEARLY: isDay && isMonth,
      };
      if (suits[frequency]) expected.add(day);
    }
    const found = occurrences({ ...PLAIN, frequency }, start, { from: start, until }, () => 0);
    expect(found).toEqual([...expected]);
  });
  fc.assert(property, { numRuns: 200 });
});

it('the last day of each month is that of the runtime', () => {
  const rule = { ...PLAIN, frequency: 'MONTHLY', monthDays: [-1] } as const;
  const found = datesOf(rule, '1899-12-31', '1899-12-31', '2101-12-31');
  const expected = Array.from({ length: 2425 }, (_, index) =>
    dateOf(Date.UTC(1899, 12 + index, 0) / DAY),
  );
  expect(found).toEqual(expected);
});

it.each<[string, Partial<RecurrenceRule>, string, string[]]>([
  [
    'election day, every four years',
    {
      frequency: 'YEARLY',
      interval: 4,
      months: [11],
      weekdays: [{ weekday: 2, ordinal: 0 }],
      monthDays: [2, 3, 4, 5, 6, 7, 8],
    },
    '1996-11-05',
    ['1996-11-05', '2000-11-07', '2004-11-02'],
  ],
  [
    'every 20th Monday of the year',
    { frequency: 'YEARLY', weekdays: [{ weekday: 1, ordinal: 20 }], count: 3 },
    '1997-05-19',
    ['1997-05-19', '1998-05-18', '1999-05-17'],
  ],
  [
    'the second last weekday of a year',
    { frequency: 'YEARLY', weekdays: [{ weekday: 5, ordinal: -2 }], count: 3 },
    '1997-12-19',
    ['1997-12-19', '1998-12-18', '1999-12-24'],
  ],
  [
    'the third day before the end of the month',
    { frequency: 'MONTHLY', monthDays: [-3], count: 3 },
    '1997-09-28',
    ['1997-09-28', '1997-10-29', '1997-11-28'],
  ],
  [
    'an example in which the start of the week matters, from Monday',
    { frequency: 'WEEKLY', interval: 2, count: 4, weekdays: [at(2), at(7)] },
    '1997-08-05',
    ['1997-08-05', '1997-08-10', '1997-08-19', '1997-08-24'],
  ],
  [
    'an example in which the start of the week matters, from Sunday',
    { frequency: 'WEEKLY', interval: 2, count: 4, weekdays: [at(2), at(7)], weekStart: 7 },
    '1997-08-05',
    ['1997-08-05', '1997-08-17', '1997-08-19', '1997-08-31'],
  ],
])('%s', (_, rule, start, dates) => {
  const whole = { ...PLAIN, frequency: 'YEARLY', ...rule } as const;
  expect(datesOf(whole, start, start, '2005-12-31')).toEqual(dates);
});

function at(weekday: number) {
  return { weekday, ordinal: 0 };
}
