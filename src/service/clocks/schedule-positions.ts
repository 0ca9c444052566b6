// This file keeps the schedules by which clocks run, and calculates their present positions: the working time since their origin. A schedule never
// changes: an edited one is another, and rows are moved to it by the next calculation of their clocks. So values are right in between.
import { hash } from 'node:crypto';
import { invariant } from '../../base/fault.ts';
import { memoized, perObject } from '../../base/memo.ts';
import type { MaybePromise } from '../../base/value-or-promise.ts';
import { PAUSED, STOPPED } from '../../edm/clocks/clock-members.ts';
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import { SCHEDULE_TABLE } from '../../sql/schema/ddl.ts';
import { deleteUnusedSchedules } from '../../sql/write/clocks.ts';
import type { Context, Work } from '../../store/database.ts';
import { change, query, runQueries } from '../../store/work.ts';
import { calendarOf, type StoredSchedule } from '../schedules/calendars.ts';
import type { Service } from '../service.ts';

const NANOSECONDS = 1_000_000n;

/** A schedule by which clocks run. Positions are nanoseconds. */
export interface ClockSchedule {
  readonly id: bigint;
  readonly positionOf: (instant: number) => bigint;
}

// ---- writes ---------------------------------------------------------------------------------------------------------

/** Origins by the identity of the schedule. @param text `s5:946684800000,s6:…` */
export function readKnown(text: string): ReadonlyMap<bigint, number> {
  const entries = text === '' ? [] : text.split(',');
  return new Map(
    entries.map((entry) => {
      const [id = '', origin = ''] = entry.slice(1).split(':');
      return [BigInt(id), Number(origin)];
    }),
  );
}

/** The schedule as clocks use it; stored if it is not known yet. */
export function* storedSchedule(
  service: Pick<Service, 'timeZones' | 'layout'>,
  schedule: StoredSchedule,
  known: ReadonlyMap<bigint, number>,
  now: number,
): Work<ClockSchedule> {
  const { id, definition } = identityOf(schedule);
  const stored = known.get(id);
  const origin = stored ?? startOfYear(now);
  if (stored === undefined) {
    const before = new Date(now - LONGEST_READ).toISOString();
    yield change(deleteUnusedSchedules(service.layout), [before]);
    yield change(INSERT, [id, BigInt(origin), new Date(now).toISOString(), definition]);
  }
  return withOrigin(service, { id, origin, schedule });
}

/** The same for several schedules, with those that are stored. */
export function* storedSchedules(
  service: Pick<Service, 'timeZones' | 'layout'>,
  schedules: readonly StoredSchedule[],
  now: number,
): Work<ReadonlyMap<StoredSchedule, ClockSchedule>> {
  const found = new Map<StoredSchedule, ClockSchedule>();
  for (const schedule of schedules) {
    const { rows } = yield query(READ);
    const known = new Map(rows.map(([id, origin]) => [BigInt(Number(id)), Number(origin)]));
    found.set(schedule, yield* storedSchedule(service, schedule, known, now));
  }
  return found;
}

const INSERT = sql`INSERT INTO ${tableName(SCHEDULE_TABLE)} ("id", "origin", "since", "definition") VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;

/** 48 bits of SHA-256: an installation has few schedules. */
const identityOf = perObject((schedule: StoredSchedule) => {
  const definition = JSON.stringify(schedule);
  const digest = hash('sha256', definition, 'hex').slice(0, 12);
  return { definition, id: BigInt(`0x${digest}`) + STOPPED + 1n };
});

/** A read that has seen a row sees its schedule, too, although it looks for new ones only after that. */
const LONGEST_READ = 3_600_000;

/** Calculating from there needs the open hours of few years. */
const startOfYear = (instant: number) => Date.UTC(new Date(instant).getUTCFullYear(), 0, 1);

interface Stored {
  readonly id: bigint;
  readonly origin: number;
  readonly schedule: StoredSchedule;
}

function withOrigin({ timeZones }: Pick<Service, 'timeZones'>, stored: Stored): ClockSchedule {
  const { id, origin, schedule } = stored;
  const calendar = calendarOf(schedule, timeZones);
  return { id, positionOf: (instant) => BigInt(calendar.between(origin, instant)) * NANOSECONDS };
}

// ---- reads ----------------------------------------------------------------------------------------------------------

/** Runs a read with the positions at an instant, again if a schedule has been added meanwhile, which rows may have that it has seen. */
export async function readAt<Result>(
  service: Pick<Service, 'timeZones' | 'database'>,
  context: Context,
  instant: number,
  run: (context: Context) => MaybePromise<Result>,
): Promise<Result> {
  const load = () => runQueries(withPositions(service, context, instant), service.database);
  let before = await load();
  for (;;) {
    const result = await run(before);
    const after = await load();
    if (after.positions === before.positions) return result;
    before = after;
  }
}

/** The context with the positions at an instant, of all schedules that are stored. */
export function* withPositions(
  service: Pick<Service, 'timeZones'>,
  context: Context,
  instant: number,
): Work<Context> {
  const { rows } = yield query(READ);
  const positions = rows.map(([id, origin, definition]) => {
    const { positionOf } = read(service, { id, origin, definition });
    return `,"s${id}":${positionOf(instant)}`;
  });
  const all = `{"s${PAUSED}":0,"s${STOPPED}":0${positions.join('')}}`;
  return { ...contextAt(context, instant), positions: all };
}

/** The context of a result that holds for an instant. */
export function contextAt(context: Context, instant: number): Context {
  const { me, account, accountKey, session, cause, root, request, present, positions } = context;
  const now = new Date(instant).toISOString();
  return { me, account, accountKey, session, cause, root, request, now, present, positions };
}

const READ = sql`SELECT "id", "origin", "definition" FROM ${tableName(SCHEDULE_TABLE)} ORDER BY "id"`;

function read(
  service: Pick<Service, 'timeZones'>,
  { id, origin, definition }: Readonly<Record<'id' | 'origin' | 'definition', unknown>>,
): ClockSchedule {
  invariant(typeof id === 'bigint' && typeof definition === 'string', 'a schedule is damaged');
  const schedule = memoized(schedules, definition, () => JSON.parse(definition), MAX_SCHEDULES);
  return withOrigin(service, { id, origin: Number(origin), schedule });
}

const MAX_SCHEDULES = 1000;

const schedules = new Map<string, StoredSchedule>();
