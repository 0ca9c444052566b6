// This file generates the stories of demo requests: the statuses that each passes through, as the workflow permits, and when. Changes happen
// in working hours, apart from those of the last days, which must fit into the time until now.
import { type DemoPlan, perPlan } from './demo-plan.ts';
import { Random } from './demo-random.ts';
import { DAY, HOUR, MINUTE } from './demo-time.ts';

/** A change of the status. */
export interface Step {
  readonly status: number;
  readonly at: number;
}

export const STATUS = {
  registered: 101001,
  assigned: 101002,
  inProgress: 101003,
  waitingForCaller: 101004,
  waitingForSupplier: 101005,
  awaitingApproval: 101006,
  rejected: 101007,
  resolved: 101008,
  closed: 101009,
  cancelled: 101010,
} as const;

type Status = (typeof STATUS)[keyof typeof STATUS];

const { assigned, inProgress, waitingForCaller, waitingForSupplier } = STATUS;
const { awaitingApproval, rejected, resolved, closed, cancelled } = STATUS;

/** The ways from the registration to a status, without the status Registered. */
const PATHS: Readonly<Record<Status, readonly [readonly Status[], ...(readonly Status[])[]]>> = {
  [STATUS.registered]: [[]],
  [assigned]: [[assigned]],
  [inProgress]: [[assigned, inProgress], [inProgress]],
  [waitingForCaller]: [
    [assigned, inProgress, waitingForCaller],
    [inProgress, waitingForCaller],
  ],
  [waitingForSupplier]: [
    [assigned, inProgress, waitingForSupplier],
    [inProgress, waitingForSupplier],
  ],
  [awaitingApproval]: [[awaitingApproval], [assigned, awaitingApproval]],
  [rejected]: [[awaitingApproval, rejected]],
  [resolved]: [
    [assigned, inProgress, resolved],
    [inProgress, waitingForSupplier, inProgress, resolved],
    [assigned, resolved],
  ],
  [closed]: [
    [assigned, inProgress, resolved, closed],
    [inProgress, resolved, closed],
    [inProgress, waitingForCaller, resolved, closed],
    [assigned, resolved, closed],
  ],
  [cancelled]: [[cancelled], [assigned, cancelled], [assigned, inProgress, cancelled]],
};

/** Working minutes until a change to the status: the least, and how many more there may be. A resolved request is closed within five days. */
const MINUTES: Readonly<Record<Status, readonly [number, number]>> = {
  [STATUS.registered]: [0, 0],
  [assigned]: [5, 180],
  [inProgress]: [10, 360],
  [waitingForCaller]: [15, 240],
  [waitingForSupplier]: [15, 240],
  [awaitingApproval]: [10, 120],
  [rejected]: [60, 840],
  [resolved]: [30, 1200],
  [closed]: [420, 1300],
  [cancelled]: [20, 600],
};

/** The hours of the day in UTC that lie in the working hours of every schedule, in summer as in winter. */
const OPENS = 8 * HOUR;
const CLOSES = 15 * HOUR;

/** The story of the request with that index. It depends on nothing but its arguments. */
export function storyOf(
  plan: DemoPlan,
  index: number,
  status: number,
  created: number,
): readonly Step[] {
  const random = new Random(plan.options.seed * 7907 + index * 104_729);
  const isKnown = (code: number): code is Status => code in PATHS;
  if (!isKnown(status)) return [];
  let at = created;
  const steps = random.pick(PATHS[status]).map((reached) => {
    const [least, more] = MINUTES[reached];
    const duration = (least + random.below(more)) * MINUTE + random.below(60) * 1000;
    at = afterWork(plan, at, duration);
    return { status: reached, at };
  });
  return withinTime(steps, created, plan.options.now);
}

/** Steps that would lie in the future are spread over the time until now. */
function withinTime(steps: readonly Step[], created: number, now: number): readonly Step[] {
  const { at = now } = steps.at(-1) ?? {};
  if (at <= now) return steps;
  const share = Math.floor((now - created) / (steps.length + 1));
  return steps.map((step, index) => ({ ...step, at: created + share * (index + 1) }));
}

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
