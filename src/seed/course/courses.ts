// This file defines the courses of demo records: the status of each and the statuses that it has passed through, as the workflow permits. They
// depend on nothing but the place of the record, so that the number of history lines is known before any record is made.
import { Random } from '../demo-random.ts';

/** The sets whose records have a workflow that the demo data follow. */
export type WorkSet = 'ServiceRequests' | 'Incidents' | 'Problems' | 'Changes' | 'Workorders';

/** Statuses of service requests. */
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

/** Statuses of changes. */
export const CHANGE = {
  registered: 104001,
  assessment: 104002,
  awaitingApproval: 104003,
  approved: 104004,
  scheduled: 104005,
  implementation: 104006,
  review: 104007,
  closed: 104008,
  rejected: 104009,
  cancelled: 104010,
  backedOut: 104011,
} as const;

/** Statuses of work orders. */
export const WORK = {
  registered: 105001,
  assigned: 105002,
  accepted: 105003,
  inProgress: 105004,
  onHold: 105005,
  completed: 105006,
  closed: 105007,
  refused: 105008,
} as const;

/** Types of changes. */
const [STANDARD, NORMAL, EMERGENCY] = [141001, 141002, 141003];

/** The statuses after the first one, and the type of a change that passes through them. */
interface Way {
  readonly path: readonly number[];
  readonly type?: number;
}

type Ways = readonly [Way, ...Way[]];

export interface Course extends Way {
  /** The last status. */
  readonly status: number;
}

const plain = (...ways: readonly [readonly number[], ...(readonly number[])[]]): Ways => {
  const [first, ...others] = ways;
  return [{ path: first }, ...others.map((path) => ({ path }))];
};

const ways = (first: readonly number[], ...statuses: readonly number[]) => [...first, ...statuses];

const REQUEST_WAYS: Readonly<Record<number, Ways>> = {
  [STATUS.registered]: plain([]),
  [STATUS.assigned]: plain([101002]),
  [STATUS.inProgress]: plain([101002, 101003], [101003]),
  [STATUS.waitingForCaller]: plain([101002, 101003, 101004], [101003, 101004]),
  [STATUS.waitingForSupplier]: plain([101002, 101003, 101005], [101003, 101005]),
  [STATUS.awaitingApproval]: plain([101006], [101002, 101006]),
  [STATUS.rejected]: plain([101006, 101007]),
  [STATUS.resolved]: plain(
    [101002, 101003, 101008],
    [101003, 101005, 101003, 101008],
    [101002, 101008],
  ),
  [STATUS.closed]: plain(
    [101002, 101003, 101008, 101009],
    [101003, 101008, 101009],
    [101003, 101004, 101008, 101009],
    [101002, 101008, 101009],
  ),
  [STATUS.cancelled]: plain([101010], [101002, 101010], [101002, 101003, 101010]),
};

const INCIDENT_WAYS: Readonly<Record<number, Ways>> = {
  102001: plain([]),
  102002: plain([102002]),
  102003: plain([102002, 102003]),
  102004: plain([102002, 102003, 102004]),
  102005: plain([102002, 102003, 102005], [102005]),
  102006: plain(
    [102002, 102003, 102005, 102006],
    [102002, 102003, 102004, 102003, 102005, 102006],
    [102005, 102006],
    [102002, 102003, 102005, 102006],
  ),
  102007: plain([102007], [102002, 102007]),
};

const PROBLEM_WAYS: Readonly<Record<number, Ways>> = {
  103001: plain([]),
  103002: plain([103002]),
  103003: plain([103002, 103003]),
  103004: plain([103002, 103003, 103004]),
  103005: plain([103002, 103003, 103005]),
  103006: plain([103002, 103003, 103004, 103006], [103002, 103003, 103005, 103006]),
  103007: plain(
    [103002, 103003, 103004, 103006, 103007],
    [103002, 103003, 103005, 103006, 103007],
    [103002, 103007],
  ),
};

const ASSESSED = [CHANGE.assessment, CHANGE.awaitingApproval] as const;
const PLANNED = [...ASSESSED, CHANGE.approved, CHANGE.scheduled] as const;
const DONE = [...PLANNED, CHANGE.implementation] as const;
const URGENT = [CHANGE.awaitingApproval, CHANGE.implementation] as const;

const CHANGE_WAYS: Readonly<Record<number, Ways>> = {
  [CHANGE.registered]: [
    { type: NORMAL, path: [] },
    { type: STANDARD, path: [] },
    { type: EMERGENCY, path: [] },
  ],
  [CHANGE.assessment]: [{ type: NORMAL, path: [CHANGE.assessment] }],
  [CHANGE.awaitingApproval]: [
    { type: NORMAL, path: ASSESSED },
    { type: EMERGENCY, path: [CHANGE.awaitingApproval] },
  ],
  [CHANGE.approved]: [{ type: NORMAL, path: ways(ASSESSED, CHANGE.approved) }],
  [CHANGE.scheduled]: [
    { type: NORMAL, path: PLANNED },
    { type: STANDARD, path: [CHANGE.scheduled] },
  ],
  [CHANGE.implementation]: [
    { type: NORMAL, path: DONE },
    { type: STANDARD, path: [CHANGE.scheduled, CHANGE.implementation] },
    { type: EMERGENCY, path: URGENT },
  ],
  [CHANGE.review]: [
    { type: NORMAL, path: ways(DONE, CHANGE.review) },
    { type: EMERGENCY, path: ways(URGENT, CHANGE.review) },
  ],
  [CHANGE.closed]: [
    { type: NORMAL, path: ways(DONE, CHANGE.review, CHANGE.closed) },
    { type: STANDARD, path: [CHANGE.scheduled, CHANGE.implementation, CHANGE.closed] },
    { type: EMERGENCY, path: ways(URGENT, CHANGE.review, CHANGE.closed) },
    { type: NORMAL, path: ways(DONE, CHANGE.backedOut, CHANGE.review, CHANGE.closed) },
  ],
  [CHANGE.rejected]: [
    { type: NORMAL, path: ways(ASSESSED, CHANGE.rejected) },
    { type: EMERGENCY, path: [CHANGE.awaitingApproval, CHANGE.rejected] },
  ],
  [CHANGE.cancelled]: [
    { type: NORMAL, path: [CHANGE.assessment, CHANGE.cancelled] },
    { type: STANDARD, path: [CHANGE.scheduled, CHANGE.cancelled] },
    { type: NORMAL, path: ways(ASSESSED, CHANGE.rejected, CHANGE.cancelled) },
  ],
  [CHANGE.backedOut]: [
    { type: NORMAL, path: ways(DONE, CHANGE.backedOut) },
    { type: EMERGENCY, path: ways(URGENT, CHANGE.backedOut) },
  ],
};

const ACCEPTED = [WORK.assigned, WORK.accepted] as const;
const BEGUN = [...ACCEPTED, WORK.inProgress] as const;

const WORK_WAYS: Readonly<Record<number, Ways>> = {
  [WORK.registered]: plain([], [WORK.assigned, WORK.refused, WORK.registered]),
  [WORK.assigned]: plain([WORK.assigned]),
  [WORK.accepted]: plain(ACCEPTED),
  [WORK.inProgress]: plain(BEGUN),
  [WORK.onHold]: plain(ways(BEGUN, WORK.onHold)),
  [WORK.completed]: plain(ways(BEGUN, WORK.completed)),
  [WORK.closed]: plain(
    ways(BEGUN, WORK.completed, WORK.closed),
    ways(BEGUN, WORK.completed, WORK.closed),
    ways(BEGUN, WORK.onHold, WORK.completed, WORK.closed),
  ),
  [WORK.refused]: plain([WORK.assigned, WORK.refused]),
};

/** Many records share a course, which is made once. */
function coursesBy(ways: Readonly<Record<number, Ways>>): Rule['courses'] {
  return new Map(
    Object.entries(ways).map(([key, [first, ...others]]) => {
      const status = Number(key);
      return [status, [{ status, ...first }, ...others.map((way) => ({ status, ...way }))]];
    }),
  );
}

interface Rule {
  readonly courses: ReadonlyMap<number, readonly [Course, ...Course[]]>;
  /** Distinguishes the random numbers of the sets. */
  readonly stream: number;
  /** The status of the record with that index. */
  readonly status: (random: Random, index: number, count: number) => number;
}

/** One of the statuses; older records have one of those in which work ends. */
function byAge(
  share: number,
  { first, count }: { readonly first: number; readonly count: number },
  ends: readonly [number, ...number[]],
): Rule['status'] {
  return (random, index, all) =>
    index < all * share ? random.pick(ends) : first + random.below(count);
}

/** Older requests are done; the latest tenth is open. */
const requestStatus: Rule['status'] = (random, index, count) => {
  if (index >= count * 0.9) return STATUS.registered + random.below(8);
  const share = random.below(100);
  return share < 91 ? STATUS.closed : share < 97 ? STATUS.cancelled : STATUS.rejected;
};

const { closed, cancelled } = CHANGE;
/** One of six changes is cancelled. */
const CHANGE_ENDS = [closed, closed, closed, closed, closed, cancelled] as const;

const RULES: Readonly<Record<WorkSet, Rule>> = {
  ServiceRequests: { courses: coursesBy(REQUEST_WAYS), stream: 1, status: requestStatus },
  Incidents: {
    courses: coursesBy(INCIDENT_WAYS),
    stream: 2,
    status: byAge(0.8, { first: 102001, count: 7 }, [102006]),
  },
  Problems: {
    courses: coursesBy(PROBLEM_WAYS),
    stream: 3,
    status: byAge(0.6, { first: 103001, count: 7 }, [103007, 103007, 103007, 103004]),
  },
  Changes: {
    courses: coursesBy(CHANGE_WAYS),
    stream: 4,
    status: byAge(0.7, { first: CHANGE.registered, count: 11 }, CHANGE_ENDS),
  },
  Workorders: {
    courses: coursesBy(WORK_WAYS),
    stream: 5,
    status: byAge(0.8, { first: 105001, count: 8 }, [WORK.closed]),
  },
};

/** @param count the number of records in the set */
export function courseOf(set: WorkSet, index: number, count: number): Course {
  const { courses, stream, status: statusOf } = RULES[set];
  const random = new Random(stream * 15_485_863 + index * 104_729);
  const status = statusOf(random, index, count);
  const possible = courses.get(status);
  return possible === undefined ? { status, path: [] } : random.pick(possible);
}
