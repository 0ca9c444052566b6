// This file finds the records that demo work orders belong to, and the times of the work, so that the rules between records hold: work is done
// before that of its record ends, nothing is added later, and a work order begins after its predecessor is completed.
import { courseOf, STATUS, WORK } from './course/courses.ts';
import { afterWork, type Step, timeOf } from './course/story.ts';
import { type WorkStory, workStory } from './course/work-story.ts';
import type { DemoPlan } from './demo-plan.ts';
import { projectTimes } from './demo-projects.ts';
import type { Random } from './demo-random.ts';
import { requestStory } from './demo-requests.ts';
import { MINUTE } from './demo-time.ts';

/** The members that refer to parents, their sets, and how many of a hundred work orders have one. */
const KINDS = [
  { member: 'ServiceRequest', set: 'ServiceRequests', share: 70 },
  { member: 'Incident', set: 'Incidents', share: 10 },
  { member: 'Problem', set: 'Problems', share: 4 },
  { member: 'Change', set: 'Changes', share: 8 },
  { member: 'Project', set: 'Projects', share: 3 },
] as const;
type Kind = (typeof KINDS)[number];

export interface PlacedOrder {
  readonly story: WorkStory & { readonly set: 'Workorders' };
  readonly parent: { readonly kind: Kind; readonly index: number } | undefined;
}

/** The members of a work order that refer to a parent, of which at most one has a value. */
export function parentValues(
  { ranges }: DemoPlan,
  { parent }: PlacedOrder,
): Readonly<Record<Kind['member'], number | null>> {
  const keyIn = (at: number) => {
    const kind = KINDS[at];
    return kind === undefined || parent?.kind !== kind
      ? null
      : ranges[kind.set].first + parent.index;
  };
  return {
    ServiceRequest: keyIn(0),
    Incident: keyIn(1),
    Problem: keyIn(2),
    Change: keyIn(3),
    Project: keyIn(4),
  };
}

/** How many records are tried as the parent of a work order. */
const TRIES = 10;

/**
 * The work order with that index. Without a record that it fits, it belongs to none.
 * @param previous the work order before it
 */
export function placedOrder(
  plan: DemoPlan,
  random: Random,
  index: number,
  previous: PlacedOrder | undefined,
): PlacedOrder {
  const kind = kindBy(random.below(100));
  const first = random.below(TRIES);
  const earliest = hasPredecessor(plan, index) ? completedAt(previous) : undefined;
  const siblings =
    earliest === undefined || previous?.parent === undefined ? [] : [previous.parent];
  for (const parent of [...siblings, ...candidates(plan, kind, index, first)]) {
    const story = fittingStory(plan, index, windowOf(plan, parent), earliest);
    if (story !== undefined) return { story, parent };
  }
  const { created } = workStory(plan, 'Workorders', index);
  return { story: orderStory(plan, index, Math.max(created, earliest ?? 0)), parent: undefined };
}

function kindBy(share: number): Kind | undefined {
  let sum = 0;
  return KINDS.find((kind) => {
    sum += kind.share;
    return share < sum;
  });
}

/** Records that were made at about the time of the work order. */
function* candidates(
  { ranges }: DemoPlan,
  kind: Kind | undefined,
  order: number,
  first: number,
): Generator<{ readonly kind: Kind; readonly index: number }> {
  if (kind === undefined) return;
  const { count } = ranges[kind.set];
  const latest = Math.floor((order * count) / ranges.Workorders.count);
  const from = first % (latest + 1);
  for (let back = from; back < from + TRIES && back <= latest && latest < count; back++)
    yield { kind, index: latest - back };
}

/** The time of a record in which work may be done for it. */
interface Window {
  readonly begins: number;
  readonly ends: number;
  /** Whether its own work goes on, so that work orders may be open. */
  readonly isOpen: boolean;
}

function windowOf(
  plan: DemoPlan,
  { kind, index }: { readonly kind: Kind; readonly index: number },
): Window {
  const { now } = plan.options;
  if (kind.set === 'Projects') {
    const { created, finished } = projectTimes(plan, index);
    return { begins: created, ends: finished ?? now, isOpen: finished === undefined };
  }
  const { created, steps } =
    kind.set === 'ServiceRequests' ? requestStory(plan, index) : workStory(plan, kind.set, index);
  const ends = timeOf(steps, ...ENDS[kind.set], ...MOVED[kind.set]) ?? now;
  return { begins: created, ends, isOpen: timeOf(steps, ...ENDS[kind.set]) === undefined };
}

type Statuses = Readonly<Record<Exclude<Kind['set'], 'Projects'>, readonly number[]>>;

/** The statuses in which the work on a record has ended. */
const ENDS: Statuses = {
  ServiceRequests: [STATUS.rejected, STATUS.resolved, STATUS.closed, STATUS.cancelled],
  Incidents: [102005, 102006, 102007],
  Problems: [103006, 103007],
  Changes: [104008, 104010],
};

/** The statuses that the service changes when the last work order is completed: here, work is completed earlier or still open. */
const MOVED: Statuses = {
  ServiceRequests: [STATUS.waitingForSupplier],
  Incidents: [],
  Problems: [],
  Changes: [104006],
};

/** The story of a work order that fits a window, and does not begin too early. */
function fittingStory(
  plan: DemoPlan,
  index: number,
  { begins, ends, isOpen }: Window,
  earliest = 0,
): PlacedOrder['story'] | undefined {
  const { status } = courseOf('Workorders', index, plan.ranges.Workorders.count);
  if (!isDone(status) && !isOpen) return undefined;
  const created = Math.max(earliest, afterWork(plan, begins, (5 + (index % 60)) * MINUTE));
  if (created > Math.min(ends, plan.options.now)) return undefined;
  const story = orderStory(plan, index, created);
  const done = timeOf(story.steps, WORK.completed);
  return done === undefined || done <= ends ? story : undefined;
}

function orderStory(plan: DemoPlan, index: number, created: number): PlacedOrder['story'] {
  return { ...workStory(plan, 'Workorders', index, created), set: 'Workorders' };
}

function isDone(status: number): boolean {
  return status === WORK.completed || status === WORK.closed;
}

function completedAt(order: PlacedOrder | undefined): Step['at'] | undefined {
  return order && timeOf(order.story.steps, WORK.completed);
}

/** Every eighth work order has the previous one as its predecessor, unless it has begun before that is done. */
export function hasPredecessor({ ranges }: DemoPlan, index: number): boolean {
  if (index % 8 !== 1) return false;
  const { count } = ranges.Workorders;
  const courseAt = (place: number) => courseOf('Workorders', place, count);
  return isDone(courseAt(index - 1).status) || !courseAt(index).path.includes(WORK.inProgress);
}
