// This file measures that a year of open hours is built in milliseconds and a time found in it in microseconds, with plenty of room.
import { expect, test } from 'vitest';
import { calendarOf, HOUR, utc } from './desk.ts';

const CALLS = 100_000;
const schedule = { windows: 'Mon-Fri 08-12 13-18', holidays: ['2026-04-03', '2026-04-06'] };

/** The milliseconds of the fastest of several runs, so that a pause of the machine does not count. */
function fastest(run: (attempt: number) => void): number {
  const times = Array.from({ length: 5 }, (_, attempt) => {
    const start = performance.now();
    run(attempt);
    return performance.now() - start;
  });
  return Math.min(...times);
}

test('building a year takes milliseconds', () => {
  const calendar = calendarOf(schedule);
  const built = fastest((attempt) => {
    calendar.between(utc(`${2030 + attempt}-02-01 00:00`), utc(`${2030 + attempt}-03-01 00:00`));
  });
  expect(built).toBeLessThan(5 * 5);
});

test('positions and instants are found in microseconds', () => {
  const calendar = calendarOf(schedule);
  const start = utc('2026-02-01 00:00');
  const positions = fastest(() => {
    for (let call = 0; call < CALLS; call += 1) calendar.positionOf(start + call * 60_000);
  });
  const instants = fastest(() => {
    for (let call = 0; call < CALLS; call += 1) calendar.instantAt(HOUR + call * 60_000);
  });
  expect((positions / CALLS) * 1000).toBeLessThan(5 * 3);
  expect((instants / CALLS) * 1000).toBeLessThan(5 * 3);
});
