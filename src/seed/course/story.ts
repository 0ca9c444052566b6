// This file generates the stories of demo records: when each passes through the statuses of its course. Changes happen in working hours,
// apart from those of the last days, which must fit into the time until now.

import { type DemoPlan, perPlan } from '../demo-plan.ts';
import { Random } from '../demo-random.ts';
import { DAY, HOUR, MINUTE } from '../demo-time.ts';
import { CHANGE, type Course, STATUS, WORK } from './courses.ts';

/** A change of the status. */
export interface Step {
  readonly status: number;
  readonly at: number;
}

/** Working minutes until a change to a status: the least, and how many more there may be. */
type Minutes = readonly [number, number];

const DEFAULT_MINUTES: Minutes = [30, 600];

/** Most work begins in time. A resolved request is closed within five days. */
const MINUTES: Readonly<Record<number, Minutes>> = {
  [STATUS.assigned]: [2, 50],
  [STATUS.inProgress]: [3, 80],
  [STATUS.waitingForCaller]: [15, 240],
  [STATUS.waitingForSupplier]: [15, 240],
  [STATUS.awaitingApproval]: [10, 120],
  [STATUS.rejected]: [60, 840],
  [STATUS.resolved]: [30, 1200],
  [STATUS.closed]: [420, 1300],
  [STATUS.cancelled]: [20, 600],
  // Incidents
  102002: [1, 15],
  102003: [2, 40],
  102005: [15, 600],
  102006: [60, 1200],
  // Problems
  103003: [600, 6000],
  103005: [600, 3000],
  103006: [1200, 9000],
  103007: [420, 2400],
  // Changes
  [CHANGE.approved]: [120, 1600],
  [CHANGE.rejected]: [120, 1600],
  [CHANGE.scheduled]: [60, 1200],
  [CHANGE.implementation]: [420, 4200],
  // Work orders, which are parts of other work
  [WORK.assigned]: [2, 30],
  [WORK.accepted]: [3, 60],
  [WORK.inProgress]: [5, 90],
  [WORK.onHold]: [15, 120],
  [WORK.completed]: [15, 180],
};

/**
 * The steps of a course. They depend on nothing but the arguments.
 * @param stream distinguishes the random numbers of the record
 */
export function storyOf(
  plan: DemoPlan,
  stream: number,
  { path }: Course,
  created: number,
): readonly Step[] {
  const random = new Random(plan.options.seed * 7907 + stream * 104_729);
  let at = created;
  const steps = path.map((status) => {
    const [least, more] = MINUTES[status] ?? DEFAULT_MINUTES;
    const duration = (least + random.below(more)) * MINUTE + random.below(60) * 1000;
    at = afterWork(plan, at, duration);
    return { status, at };
  });
  return withinTime(steps, created, plan.options.now);
}

/** When the record first got one of the statuses. */
export function timeOf(steps: readonly Step[], ...statuses: readonly number[]): number | undefined {
  return steps.find(({ status }) => statuses.includes(status))?.at;
}

/** Steps that would lie in the future are spread over the time until now. */
function withinTime(steps: readonly Step[], created: number, now: number): readonly Step[] {
  const { at = now } = steps.at(-1) ?? {};
  if (at <= now) return steps;
  const share = Math.floor((now - created) / (steps.length + 1));
  return steps.map((step, index) => ({ ...step, at: created + share * (index + 1) }));
}

/** The hours of the day in UTC that lie in the working hours of every schedule, in summer as in winter. */
const OPENS = 8 * HOUR;
const CLOSES = 15 * HOUR;

/** The time at which so much working time has passed. */
export function afterWork(plan: DemoPlan, from: number, duration: number): number {
  let at = opening(plan, from);
  for (let left = duration; ; ) {
    const end = startOfDay(at) + CLOSES;
    if (at + left < end) return at + left;
    left -= end - at;
    at = opening(plan, end);
  }
}

/** The time itself if it is a working one, else when work begins next. */
function opening(plan: DemoPlan, at: number): number {
  const day = startOfDay(at);
  if (!isWorkingDay(plan, day) || at >= day + CLOSES) return opening(plan, day + DAY);
  return Math.max(at, day + OPENS);
}

function isWorkingDay(plan: DemoPlan, day: number): boolean {
  const weekday = new Date(day).getUTCDay();
  return weekday > 0 && weekday < 6 && !holidaysOf(plan).has(day);
}

/** The holidays of the years that the records cover, as the times at which they begin. */
const holidaysOf = perPlan(({ words, options, start }): ReadonlySet<number> => {
  const [first, last] = [start, options.now].map((time) => new Date(time).getUTCFullYear());
  const days = new Set<number>();
  for (let year = first ?? 0; year <= (last ?? 0) + 1; year++)
    for (const { day } of words.holidays) days.add(Date.parse(`${year}-${day}T00:00:00Z`));
  return days;
});

function startOfDay(at: number): number {
  return Math.floor(at / DAY) * DAY;
}
