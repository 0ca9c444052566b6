// This file compares what AllowedTransitions predicts for the clocks of a request with what happens when each transition is taken, for each
// status before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LevelDesk, openLevelDesk } from './service-levels.ts';

let desk: LevelDesk;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
});
afterAll(async () => await desk?.close());

const STATUSES = [101001, 101002, 101003, 101004, 101005, 101006, 101007, 101008, 101009, 101010];

interface Predicted {
  readonly To: number;
  readonly Clocks: readonly { readonly Clock: string; readonly Effect: string }[];
}

const NOTHING = undefined;
const [RUNNING, PAUSED, STOPPED] = [200001, 200002, 200003];
const CANCELLED = 200006;

/** What has happened to a clock, by its states before and after. */
function effectBetween(before: ClockSeen, after: ClockSeen): string | undefined {
  if (before.state === after.state) return NOTHING;
  if (before.state === STOPPED) return 'reopen';
  if (after.state === PAUSED) return 'pause';
  if (after.state === RUNNING) return 'resume';
  return after.outcome === CANCELLED ? 'cancel' : 'stop';
}

interface ClockSeen {
  readonly state: number | undefined;
  readonly outcome: number | undefined;
}

async function clocksOf(path: string): Promise<Readonly<Record<string, ClockSeen>>> {
  const { Sla } = await desk.read(`${path}?$select=Sla`);
  const seen = (name: string) => ({
    state: Sla[name].State?.Value,
    outcome: Sla[name].Outcome?.Value,
  });
  return { Response: seen('Response'), Resolution: seen('Resolution') };
}

/** A request that has had the statuses, one after the other. */
async function inStatus(...statuses: readonly number[]): Promise<string> {
  const path = await desk.create('ServiceRequests', { Description: 'Printer' });
  for (const status of statuses) await setStatus(path, status);
  return path;
}

async function setStatus(path: string, Value: number): Promise<void> {
  const { status, text } = await desk.send('PATCH', path, { body: { Status: { Value } } });
  expect(status, text).toBe(204);
}

describe('The clocks in AllowedTransitions', () => {
  // Work on a request stops the clock of the response for good.
  it.each([
    ...STATUSES.map((status) => [[status]]),
    ...STATUSES.map((status) => [[101003, status]]),
  ])('are those that each transition after %j changes', async (statuses) => {
    const question = `${await inStatus(...statuses)}/AllowedTransitions()`;
    const { Transitions } = await desk.read(question);
    for (const { To, Clocks } of Transitions as readonly Predicted[]) {
      const path = await inStatus(...statuses);
      const before = await clocksOf(path);
      await setStatus(path, To);
      const after = await clocksOf(path);
      const changed = Object.entries(before).flatMap(([Clock, seen]) => {
        const Effect = effectBetween(seen, after[Clock] ?? seen);
        return Effect === NOTHING ? [] : [{ Clock, Effect }];
      });
      expect([To, Clocks]).toEqual([To, changed]);
    }
  });

  it('differ by the status before, for one transition', async () => {
    const effects = async (status: number, to: number) => {
      const { Transitions } = await desk.read(`${await inStatus(status)}/AllowedTransitions()`);
      return (Transitions as readonly Predicted[]).find(({ To }) => To === to)?.Clocks;
    };
    expect(await effects(101003, 101008)).toEqual([{ Clock: 'Resolution', Effect: 'stop' }]);
    expect(await effects(101002, 101008)).toEqual([
      { Clock: 'Response', Effect: 'stop' },
      { Clock: 'Resolution', Effect: 'stop' },
    ]);
    expect(await effects(101004, 101003)).toEqual([{ Clock: 'Resolution', Effect: 'resume' }]);
    expect(await effects(101008, 101003)).toEqual([{ Clock: 'Resolution', Effect: 'reopen' }]);
  });
});
