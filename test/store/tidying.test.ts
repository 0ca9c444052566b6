// This file tests when a database is let put itself in order: step after step while there is more to do, then not for a while.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Observation } from '../../src/base/observation.ts';
import { startMaintenance } from '../../src/store/maintenance.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** What is answered at each step, or thrown; afterwards there is nothing more to do. */
function start(...answers: readonly (boolean | Error)[]) {
  const told: Observation[] = [];
  const state = { steps: 0 };
  const compact = () => {
    const answer = answers[state.steps++] ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const end = startMaintenance(
    { compact },
    (seen) => told.push(seen),
    () => false,
  );
  return { told, state, end };
}

it('goes on while there is more to do, looks again later, and ends', () => {
  const { state, end } = start(true, true);
  vi.advanceTimersByTime(11_000);
  expect(state.steps).toBe(3);
  vi.advanceTimersByTime(9_000);
  expect(state.steps).toBe(3);
  vi.advanceTimersByTime(2_000);
  expect(state.steps).toBe(4);
  end();
  vi.advanceTimersByTime(60_000);
  expect(state.steps).toBe(4);
});

it('waits while the process is busy', () => {
  let isBusy = true;
  let steps = 0;
  const end = startMaintenance(
    { compact: () => ++steps < 2 },
    () => undefined,
    () => isBusy,
  );
  vi.advanceTimersByTime(30_000);
  expect(steps).toBe(0);
  isBusy = false;
  vi.advanceTimersByTime(1000);
  expect(steps).toBe(2);
  end();
});

it('tells what fails, but a full disk, and looks again later', () => {
  const { told, state, end } = start(new Error('odd'), new Fault('store.full'));
  vi.advanceTimersByTime(31_000);
  expect(told).toMatchObject([{ kind: 'failure', id: 'tidying' }]);
  expect(state.steps).toBe(3);
  end();
});
