// This file compares what AllowedTransitions predicts for the clocks of a request with what happens when each transition is taken, for each
// status before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { RECORDS } from './records.ts';
import { type LevelDesk, openLevelDesk } from './service-levels.ts';

let desk: LevelDesk;
beforeAll(async () => {
  const records = [...RECORDS, ...catalogRecords(suiteModel())];
  desk = await openLevelDesk('2026-06-01 07:00', { records });
});
afterAll(async () => await desk?.close());

const STATUSES = [101001, 101002, 101003, 101004, 101005, 101006, 101007, 101008, 101009, 101010];

interface Predicted {
  readonly To: number;
  readonly Clocks: readonly {
    readonly Clock: string;
    readonly Effect: string;
    readonly Deadline: string | null;
  }[];
}

interface Transition {
  readonly Symbol: string;
  readonly To: number;
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
  readonly deadline: string | null;
}

async function clocksOf(path: string): Promise<Readonly<Record<string, ClockSeen>>> {
  const { Sla, Deadline } = await desk.read(`${path}?$select=Sla,Deadline`);
  const seen = (name: string) => ({
    state: Sla[name].State?.Value,
    outcome: Sla[name].Outcome?.Value,
    deadline: name === 'Response' ? Sla.ResponseDeadline : Deadline,
  });
  return { Response: seen('Response'), Resolution: seen('Resolution') };
}

/** A request that has had the statuses, one after the other. */
async function inStatus(...statuses: readonly number[]): Promise<string> {
  const path = await desk.create('ServiceRequests', { Description: 'Printer' });
  for (const status of statuses) await setStatus(path, status);
  return path;
}

/** The transitions that a request with the status offers. */
async function transitionsFrom(status: number): Promise<readonly Transition[]> {
  const path = await inStatus(101002, status);
  return (await desk.read(`${path}/AllowedTransitions()`)).Transitions;
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
        const Deadline = after[Clock]?.deadline;
        return Effect === NOTHING ? [] : [{ Clock, Effect, Deadline }];
      });
      expect([To, Clocks]).toEqual([To, changed]);
    }
  });

  it('differ by the status before, for one transition', async () => {
    const effects = async (status: number, to: number) => {
      const { Transitions } = await desk.read(`${await inStatus(status)}/AllowedTransitions()`);
      const found = (Transitions as readonly Predicted[]).find(({ To }) => To === to);
      return found?.Clocks.map(({ Clock, Effect }) => ({ Clock, Effect }));
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

/** Numbers from 0 to below 1, the same in every run (a linear congruential generator). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** So many histories of requests, each with one request for every transition that follows. */
const HISTORIES = 10;

describe('The deadline in AllowedTransitions', () => {
  const keyIn = (path: string) => /\((\d+)\)/.exec(path)?.[1] ?? '';

  async function transitionsOf(paths: readonly string[]): Promise<readonly Predicted[][]> {
    const filter = encodeURIComponent(`Uid in (${paths.map(keyIn).join(',')})`);
    const question = `/ServiceRequests/AllowedTransitions()?$filter=${filter}&$orderby=Uid`;
    const { value } = await desk.read(question);
    return value.map(({ Transitions }: { Transitions: Predicted[] }) => Transitions);
  }

  /** Changes that belong to the history of a request: some statuses, a deadline by hand, another impact, or new working hours. */
  async function happens(paths: readonly string[], next: () => number): Promise<void> {
    const any = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item;
    desk.world.advance(Math.floor(next() ** 3 * 200 * 3_600_000) + 61_234);
    const kind = next();
    if (kind > 0.9) {
      const { schedule = 0 } = desk.levels.get('Silver') ?? {};
      const windows = (await desk.read(`/Schedules(${schedule})/Windows`)).value;
      const To = any(['17:00:00', '17:30:00', '18:00:00', '20:00:00']);
      await desk.change(`/Schedules(${schedule})/Windows(${any<{ Uid: number }>(windows).Uid})`, {
        To,
      });
      return;
    }
    const later = new Date(desk.world.now() + next() * 100 * 3_600_000).toISOString();
    const change =
      kind > 0.8
        ? { Deadline: any([later, null]) }
        : kind > 0.7
          ? { Impact: { Value: 111001 + Math.floor(next() * 5) } }
          : { Status: { Value: any(STATUSES) } };
    for (const path of paths) await desk.change(path, change);
  }

  it('follows changed working hours, also for transitions that leave the clock running', async () => {
    const path = await desk.create('ServiceRequests', { Description: 'Printer' });
    const { schedule = 0 } = desk.levels.get('Silver') ?? {};
    const calendar = await desk.create('Calendars', {
      Name: 'Outing',
      Holidays: [0, 1, 2, 3].map((days) => ({
        Date: new Date(desk.world.now() + days * 86_400_000).toISOString().slice(0, 10),
        Name: 'Outing',
      })),
    });
    await desk.change(`/Schedules(${schedule})`, {
      'Calendars@delta': [{ Uid: Number(keyIn(calendar)) }],
    });
    const before = await clocksOf(path);
    const [transitions = []] = await transitionsOf([path]);
    const assign = transitions.find(({ To }) => To === 101002);
    await setStatus(path, 101002);
    const after = await clocksOf(path);
    expect(after.Resolution?.deadline).not.toBe(before.Resolution?.deadline);
    expect(assign?.Clocks).toEqual(
      ['Response', 'Resolution'].map((Clock) => ({
        Clock,
        Effect: 'recalculate',
        Deadline: after[Clock]?.deadline,
      })),
    );
  });

  it('of a paused clock is that after a transition to another pause, and then to work', async () => {
    const [APPROVAL, WAITING, IN_PROGRESS] = [101006, 101004, 101003];
    const { value: entities } = await desk.read("/Entities?$filter=Name eq 'ServiceRequest'");
    const shipped: readonly Transition[] = await transitionsFrom(APPROVAL);
    const rows: string[] = [];
    const addRow = async (name: string, To: number, more = {}) => {
      const row = {
        Symbol: name,
        'Entity@odata.bind': `Entities(${entities[0].Uid})`,
        'From@odata.bind': `Codes(${APPROVAL})`,
        'To@odata.bind': `Codes(${To})`,
        ...more,
      };
      rows.push(await desk.create('Transitions', row));
    };
    // Transitions of the model come first, and all of them end the pause.
    for (const one of shipped) await addRow(one.Symbol, one.To, { Blocked: true });
    await addRow('ask-meanwhile', WAITING);
    await addRow('begin', IN_PROGRESS);
    const targets = (await transitionsFrom(APPROVAL)).map(({ To }) => To);
    expect(targets).toEqual([WAITING, IN_PROGRESS]);
    const paths = [await inStatus(101002, APPROVAL), await inStatus(101002, APPROVAL)];
    // Longer than a weekend.
    desk.world.advance(96 * 3_600_000);
    const predicted = await transitionsOf(paths);
    const moved = await Promise.all(paths.map(clocksOf));
    for (const [index, To] of targets.entries()) {
      const path = paths[index] ?? '';
      await setStatus(path, To);
      const after = await clocksOf(path);
      const clocks = predicted[index]?.[index]?.Clocks ?? [];
      expect(clocks.length).toBeGreaterThan(0);
      for (const { Clock, Deadline } of clocks)
        expect([To, Clock, Deadline]).toEqual([To, Clock, after[Clock]?.deadline]);
    }
    const worked = await clocksOf(paths[1] ?? '');
    expect(worked.Resolution?.deadline).not.toBe(moved[1]?.Resolution?.deadline);
    for (const row of rows) expect((await desk.send('DELETE', row)).status).toBe(204);
  });

  it.each(Array.from({ length: HISTORIES }, (_, index) => index + 1))(
    'is that after the transition, for requests of history %i',
    async (seed) => {
      const next = numbersFrom(seed * 7919);
      const paths: string[] = [];
      for (const _ of STATUSES)
        paths.push(await desk.create('ServiceRequests', { Description: 'Printer' }));
      for (let step = 0; step < 2 + (seed % 4); step++) await happens(paths, next);
      desk.world.advance(Math.floor(next() * 40 * 3_600_000));
      const predicted = await transitionsOf(paths);
      for (const [index, path] of paths.entries()) {
        const transitions = predicted[index] ?? [];
        const transition = transitions[index % Math.max(transitions.length, 1)];
        if (transition === undefined) continue;
        const before = await clocksOf(path);
        await setStatus(path, transition.To);
        const after = await clocksOf(path);
        for (const [name, { deadline }] of Object.entries(after)) {
          const expected = transition.Clocks.find(({ Clock }) => Clock === name);
          const foreseen = expected === undefined ? before[name]?.deadline : expected.Deadline;
          expect([seed, transition.To, name, foreseen]).toEqual([
            seed,
            transition.To,
            name,
            deadline,
          ]);
        }
      }
    },
  );
});
