// This file gives journeys a desk with the levels of the domain model: Gold, Silver (the default) and Bronze with their schedules, and the
// requests to create and read what depends on them.
import { expect } from 'vitest';
import { type FixedWorld, fixedWorld } from '../world.ts';
import { type Desk, type DeskOptions, openDesk } from './desk.ts';

/** `2026-03-27 15:30` in UTC. */
const utc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

/** The milliseconds of the time as the service writes them. */
export const shown = (text: string): string => new Date(utc(text)).toISOString();

const hours = (weekdays: readonly number[], From: string | null, To: string | null) =>
  weekdays.map((Weekday) => ({ Weekday, From, To }));

const WORKDAYS = [1, 2, 3, 4, 5];

interface LevelDefinition {
  readonly name: string;
  readonly windows: readonly object[];
  /** Minutes until the response and hours until the resolution, by priority. */
  readonly targets: readonly (readonly [number, number])[];
}

const LEVELS: readonly LevelDefinition[] = [
  {
    name: 'Gold',
    windows: hours([1, 2, 3, 4, 5, 6, 7], null, null),
    targets: [
      [15, 4],
      [30, 8],
      [120, 24],
      [480, 72],
      [1440, 240],
    ],
  },
  {
    name: 'Silver',
    windows: hours(WORKDAYS, '08:00:00', '18:00:00'),
    targets: [
      [30, 8],
      [60, 10],
      [240, 30],
      [480, 50],
      [1200, 200],
    ],
  },
  {
    name: 'Bronze',
    windows: hours(WORKDAYS, '09:00:00', '17:00:00'),
    targets: [
      [60, 8],
      [120, 16],
      [480, 40],
      [960, 80],
    ],
  },
];

export type Body = Readonly<Record<string, unknown>>;

export interface LevelDesk extends Desk {
  readonly world: FixedWorld;
  /** Moves the clock to a time in UTC. */
  readonly at: (text: string) => void;
  /** Keys of the levels and of their schedules, by name. */
  readonly levels: ReadonlyMap<string, { readonly level: number; readonly schedule: number }>;
  /** Creates an entity, and returns its address. */
  readonly create: (set: string, body: Body) => Promise<string>;
  /** Changes an entity, and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect
  readonly change: (path: string, body: Body) => Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect
  readonly read: (path: string) => Promise<any>;
}

/** The desk, asked with a key, which does not expire while the clock moves by months. */
async function withKey(desk: Desk): Promise<Desk> {
  const body = { Name: 'clock', Expires: '2035-01-01T00:00:00Z' };
  const { json, text } = await desk.send('POST', '/CreateApiKey', { body });
  expect(json?.value, text).toBeTypeOf('string');
  const authorization = `Bearer ${json.value}`;
  const send: Desk['send'] = (method, path, message = {}) =>
    desk.send(method, path, { ...message, headers: { authorization, ...message.headers } });
  return { ...desk, send, get: (path, headers = {}) => send('GET', path, { headers }) };
}

/** A desk whose clock stands at the time. */
export async function openLevelDesk(
  start: string,
  options: Omit<DeskOptions, 'world'> = {},
): Promise<LevelDesk> {
  const world = fixedWorld(5, utc(start));
  const desk = await withKey(await openDesk({ ...options, world }));
  const created = async (set: string, body: Body) => {
    const { status, json, text } = await desk.send('POST', `/${set}`, { body });
    expect(status, text).toBe(201);
    return json;
  };
  const levels = new Map<string, { readonly level: number; readonly schedule: number }>();
  for (const { name, windows, targets } of LEVELS) {
    const schedule = await created('Schedules', {
      Name: name,
      TimeZone: 'Europe/Amsterdam',
      Windows: windows,
    });
    const level = await created('ServiceLevels', {
      Name: name,
      IsDefault: name === 'Silver',
      'Schedule@odata.bind': `Schedules(${schedule.Uid})`,
      PriorityImpactSettings: targets.map(([minutes, resolution], index) => ({
        Impact: { Value: 111001 + index },
        Priority: { Value: 110001 + index },
        ResponseDuration: `PT${minutes}M`,
        ResolveDuration: `PT${resolution}H`,
      })),
    });
    levels.set(name, { level: level.Uid, schedule: schedule.Uid });
  }
  return {
    ...desk,
    world,
    levels,
    at: (text) => world.advance(utc(text) - world.now()),
    create: async (set, body) => `/${set}(${(await created(set, body)).Uid})`,
    change: async (path, body) => {
      const headers = { prefer: 'return=representation' };
      const { status, json, text } = await desk.send('PATCH', path, { body, headers });
      expect(status, text).toBe(200);
      return json;
    },
    read: async (path) => {
      const { status, json, text } = await desk.get(path);
      expect(status, text).toBe(200);
      return json;
    },
  };
}
